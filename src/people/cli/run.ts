/**
 * Runs one command of `forestall`.
 *
 * Exit status 0: done. 1: the thing asked about is wrong. 2: usage or settings.
 */
import { CommanderError } from 'commander';
import { EXIT, tellFailure } from './lifecycle.ts';
import { createProgram, withDefaultCommand } from './program.ts';

try {
  await createProgram().parseAsync(withDefaultCommand(process.argv.slice(2)), { from: 'user' });
} catch (error) {
  if (error instanceof CommanderError)
    process.exitCode = error.exitCode === 0 ? EXIT.done : EXIT.usage;
  else tellFailure(error);
}
