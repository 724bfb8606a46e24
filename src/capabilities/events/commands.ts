/** `forestall events …` */
import type { CapabilityCommand } from '../../surface/terminal/command.ts';
import { streamCommands } from './stream-commands.ts';

export const eventsCommands: readonly CapabilityCommand[] = [...streamCommands];
