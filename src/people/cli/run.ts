/**
 * Runs one command of `forestall`.
 *
 * Exit status 0: done. 1: the thing asked about is wrong. 2: usage or settings.
 */
import { CommanderError } from 'commander';
import { EXIT } from './exit.ts';
import { createProgram, withDefaultCommand } from './program.ts';

const args = withDefaultCommand(process.argv.slice(2));
try {
  const program = await createProgram(args);
  await program.parseAsync(args, { from: 'user' });
} catch (error) {
  if (error instanceof CommanderError)
    process.exitCode = error.exitCode === 0 ? EXIT.done : EXIT.usage;
  else (await import('./lifecycle.ts')).tellFailure(error);
}
