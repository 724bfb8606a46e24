/** What commands are given of policies, for a test of one that asks for none. */
import type { CommandContext } from '../../src/surface/terminal/command.ts';

export const NO_POLICIES: Pick<CommandContext, 'readPolicy' | 'readers'> = {
  readPolicy: () => Promise.reject(new Error('This command reads no policy.')),
  readers: async () => [],
};
