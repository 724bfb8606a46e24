#!/usr/bin/env node
/**
 * The `forestall` command.
 *
 * Exit status 0: done. 1: the thing asked about is wrong. 2: usage or settings.
 */
import { CommanderError } from 'commander';
import { EXIT } from './lifecycle.ts';
import { createProgram } from './program.ts';

try {
  await createProgram().parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.exitCode === 0 ? EXIT.done : EXIT.usage;
}
