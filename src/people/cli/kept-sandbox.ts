/**
 * Keeps the sandbox of `forestall start` in the data folder, so that the next start there continues with the same
 * organisation: what was there before is shown again, and the service still knows its alerts.
 *
 * Written now and then and at the end: a process that is killed loses the sandbox's last seconds. It holds the
 * sandbox's keys, so only its owner may read it.
 */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { messageOf } from '../../base/kernel/errors.ts';
import type { Log } from '../../base/kernel/log.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';

const FOLDER = '.forestall';
function fileOf(name: string): string {
  return `${FOLDER}/${name}.json`;
}

/** Shortest pause between two writings, in milliseconds. */
const PAUSE_MS = 5_000;

/** The pause is at least this many times as long as the writing took: a large world is written less often. */
const PAUSE_FACTOR = 50;

/** Where it is kept. */
export interface KeptSandbox {
  readonly log: Log;
  /** Of the file; each of several has its own. */
  readonly name?: string;
}

/**
 * Goes on with what an earlier start left; a file that cannot be used is left aside, and said so in the log.
 *
 * @returns whether there was one that it goes on with
 */
export async function resumeSandbox(
  sandbox: Sandbox,
  { log, name = 'sandbox' }: KeptSandbox,
): Promise<boolean> {
  let text: string;
  try {
    text = await readFile(fileOf(name), 'utf8');
  } catch {
    return false;
  }
  try {
    sandbox.restore(JSON.parse(text));
    return true;
  } catch (error) {
    log.warn({ problem: messageOf(error) }, 'the sandbox begins again: its file cannot be used');
    return false;
  }
}

/** Writes it from now on. Returns the function that writes it a last time. */
export async function keepSandbox(
  sandbox: Sandbox,
  { log, name = 'sandbox' }: KeptSandbox,
): Promise<() => Promise<void>> {
  const file = fileOf(name);
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();
  const write = async (): Promise<void> => {
    const startedMs = performance.now();
    try {
      await mkdir(FOLDER, { recursive: true });
      // Whole or not at all: a reader never meets half a file.
      await writeFile(`${file}.new`, JSON.stringify(sandbox.snapshot()), { mode: 0o600 });
      await rename(`${file}.new`, file);
    } catch (error) {
      log.warn({ problem: messageOf(error) }, 'the sandbox could not be kept for the next start');
    }
    const pauseMs = Math.max(PAUSE_MS, (performance.now() - startedMs) * PAUSE_FACTOR);
    timer = setTimeout(begin, pauseMs);
    timer.unref();
  };
  const begin = (): void => {
    writing = write();
  };
  await write();
  return async () => {
    await writing;
    clearTimeout(timer);
    await write();
    clearTimeout(timer);
  };
}
