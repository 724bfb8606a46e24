#!/usr/bin/env node
/**
 * The `forestall` command.
 *
 * Exit status 0: done. 1: the thing asked about is wrong. 2: usage or settings.
 */
import { CommanderError } from 'commander';
import { EXIT } from './exit.ts';
import { createProgram } from './program.ts';

try {
  const program = await createProgram(process.argv.slice(2));
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.exitCode === 0 ? EXIT.done : EXIT.usage;
}
