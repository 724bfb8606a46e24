/**
 * `node:child_process` for tests, with a time limit on every child: one that waits for ever is killed instead of the
 * run that waits for it. A call may set a limit of its own. The linter refuses the original in tests.
 */
import type { ChildProcess } from 'node:child_process';
import {
  execFile as originalExecFile,
  execFileSync as originalExecFileSync,
  fork as originalFork,
  spawn as originalSpawn,
  spawnSync as originalSpawnSync,
} from 'node:child_process';
import { promisify } from 'node:util';

export type { ChildProcess };

/** For a child that may live as long as its test file, in milliseconds. */
export const CHILD_LIMIT_MS = 300_000;

/** For one that is waited for synchronously, in milliseconds: no limit of the test's own can end that. */
export const SYNC_LIMIT_MS = 60_000;

/** The arguments of a call with a limit among its options: `(command, args?, options?, callback?)`. */
export function withLimit(given: readonly unknown[], limitMs: number): unknown[] {
  const limit = { timeout: limitMs, killSignal: 'SIGKILL' };
  const isOptions = (value: unknown): boolean =>
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof URL);
  const place = given.findIndex(isOptions);
  if (place !== -1) return given.with(place, { ...limit, ...Object(given[place]) });
  const callback = given.findIndex((value) => typeof value === 'function');
  return given.toSpliced(callback === -1 ? given.length : callback, 0, limit);
}

type Start = (...given: never[]) => unknown;

function limited<Original extends Start>(original: Original, limitMs: number): Original {
  const behind =
    (start: Start) =>
    (...given: unknown[]): unknown =>
      Reflect.apply(start, undefined, withLimit(given, limitMs));
  // `promisify` asks for this one, and calls it in the place of the function.
  const promised: unknown = Reflect.get(original, promisify.custom);
  const further =
    typeof promised === 'function' ? { [promisify.custom]: behind(promised as Start) } : {};
  return Object.assign(behind(original), further) as unknown as Original;
}

export const spawn = limited(originalSpawn, CHILD_LIMIT_MS);
export const fork = limited(originalFork, CHILD_LIMIT_MS);
export const execFile = limited(originalExecFile, CHILD_LIMIT_MS);
export const spawnSync = limited(originalSpawnSync, SYNC_LIMIT_MS);
export const execFileSync = limited(originalExecFileSync, SYNC_LIMIT_MS);
