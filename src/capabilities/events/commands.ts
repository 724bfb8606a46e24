/** `forestall events …` */
import type { CapabilityCommand } from '../../surface/terminal/command.ts';
import { endpointCommands } from './endpoint-commands.ts';
import { streamCommands } from './stream-commands.ts';

export const eventsCommands: readonly CapabilityCommand[] = [
  ...streamCommands,
  ...endpointCommands,
];
