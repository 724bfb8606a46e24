/**
 * From start to clean stop: what every long-running command shares.
 *
 * SIGINT or SIGTERM stops the service once, draining, and so does a closed output; a second signal gives
 * up waiting. Whatever was not caught is logged and ends the process with status 1, so that a supervisor
 * starts it again and the rows, which are the truth, are picked up from there.
 */
import { ConfigError, codeOf, KitError, messageOf, reasonOf } from '../../base/kernel/errors.ts';
import { SHUTDOWN_MS } from '../../base/kernel/limits.ts';
import type { Log } from '../../base/kernel/log.ts';
import { serialiseError } from '../../base/kernel/log.ts';
import { plainly } from '../../base/kernel/shown-text.ts';
import { readVariables } from '../../running/config.ts';
import { EXIT } from '../../surface/terminal/exit.ts';
import { fitWidth } from '../../surface/terminal/fit-width.ts';

export type Stop = () => Promise<void>;

/** Runs a command, prints a failure as a person reads it, and sets the exit status. */
export async function runCommand(command: () => Promise<void>): Promise<void> {
  try {
    await command();
  } catch (error) {
    tellFailure(error);
  }
}

/** Runs a command on what it opens, and closes that whatever happens. */
export async function runOn<Opened extends { close(): Promise<void> }>(
  open: () => Promise<Opened>,
  work: (opened: Opened) => Promise<void>,
): Promise<void> {
  await runCommand(async () => {
    const opened = await open();
    try {
      await work(opened);
    } finally {
      await opened.close();
    }
  });
}

/** Prints a failure as a person reads it, never with a stack, and sets the exit status. */
export function tellFailure(error: unknown): void {
  for (const line of failureLines(error)) console.error(fitted(plainly(line)));
  process.exitCode = error instanceof ConfigError ? EXIT.usage : EXIT.wrong;
}

/** No wider than the terminal; whole in a file, where other programs look for its words. */
function fitted(line: string): string {
  const { columns } = process.stderr;
  return columns === undefined ? line : fitWidth(line, columns);
}

/** What the machine refuses, by its code, and what to do. */
const MACHINE_STEPS: Readonly<Record<string, string>> = {
  EACCES: 'Run it where you may write, or give this user the right.',
  EPERM: 'Run it where you may write, or give this user the right.',
  EROFS: 'The place is read-only. Run it in a folder that can be written to.',
  ENOSPC: 'The disk is full. Make room, then run it again.',
  EMFILE: 'Too many files are open. Raise the limit (ulimit -n).',
  ENOENT: 'Something that is needed is not there. Check the path.',
  EADDRINUSE: 'Another program has the port. Choose another one in the settings.',
};

export function failureLines(error: unknown): string[] {
  if (error instanceof KitError) {
    // A wrong setting has said all; the cause would quote it.
    const hasCause = !(error instanceof ConfigError) && error.cause !== undefined;
    return [error.message, ...(hasCause ? [`Cause: ${reasonOf(error.cause)}`] : [])];
  }
  const step = MACHINE_STEPS[codeOf(error) ?? ''];
  if (step !== undefined) return [`${messageOf(error)}.`, step];
  const isChatty = ['debug', 'trace'].includes(readVariables()['FORESTALL_LOG_LEVEL'] ?? '');
  const stack = isChatty && error instanceof Error ? [error.stack ?? ''] : [];
  return [
    `Unexpected: ${messageOf(error)}`,
    ...(stack.length > 0
      ? stack
      : ['This is a defect of ours. FORESTALL_LOG_LEVEL=debug shows where; please report it.']),
  ];
}

/**
 * Resolves at the first SIGINT or SIGTERM; a second one gives up waiting and ends the process. An output
 * that is not read any more (`npm start | head`) is the first signal, too.
 */
function firstSignal(): Promise<void> {
  return new Promise<void>((signalled) => {
    let signals = 0;
    for (const name of ['SIGINT', 'SIGTERM'] as const) {
      process.on(name, () => {
        signals += 1;
        if (signals === 1) signalled();
        else process.exit(EXIT.wrong);
      });
    }
    // Without a listener, what is written next would end the process and leave the database server.
    for (const output of [process.stdout, process.stderr]) output.on('error', () => signalled());
  });
}

export interface StartedProgram {
  readonly log: Log;
  stop(): Promise<void>;
}

/**
 * Starts, waits for a signal, then stops. Resolves when everything is stopped.
 *
 * Signals are heard from the first moment: one that comes during the start lets the start finish and
 * stops right after, so that nothing half-started, a database server above all, is left behind.
 */
export async function runUntilSignal(start: () => Promise<StartedProgram>): Promise<void> {
  const signalled = firstSignal();
  const { log, stop } = await start();
  watchUncaught(log);
  await signalled;
  log.info('stopping');
  const timer = setTimeout(() => {
    log.error('did not stop in time');
    process.exit(EXIT.wrong);
  }, SHUTDOWN_MS);
  await stop();
  clearTimeout(timer);
  log.info('stopped');
}

function watchUncaught(log: Log): void {
  for (const name of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(name, (error: unknown) => {
      log.fatal({ err: serialiseError(error) }, name);
      console.error(`Forestall ends after an unexpected failure: ${messageOf(error)}`);
      process.exit(EXIT.wrong);
    });
  }
}
