/**
 * Runs one command of `forestall`.
 *
 * Exit status 0: done. 1: the thing asked about is wrong. 2: usage or settings.
 */
import { CommanderError } from 'commander';
import { EXIT } from '../../surface/terminal/exit.ts';
import { createProgram, withDefaultCommand } from './program.ts';

// Anyone who has read enough (`| head`) closes the output: what is left to say has no reader. A full disk is told.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') void fail(error);
});
process.stderr.on('error', () => undefined);

const CARD_DIGITS_MIN = 13;

const args = withDefaultCommand(process.argv.slice(2));
try {
  // Nearly no command line has as many digits as a card number.
  if ((args.join('').match(/\p{N}/gu) ?? []).length >= CARD_DIGITS_MIN) {
    (await import('./card-arguments.ts')).refuseCardNumbers(args);
  }
  const program = await createProgram(args);
  await program.parseAsync(args, { from: 'user' });
} catch (error) {
  if (error instanceof CommanderError)
    process.exitCode = error.exitCode === 0 ? EXIT.done : EXIT.usage;
  else await fail(error);
}

async function fail(error: unknown): Promise<void> {
  const { tellFailure } = await import('./lifecycle.ts');
  tellFailure(error);
}
