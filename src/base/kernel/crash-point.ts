/**
 * Named moments at which a test may end the process or break its connections.
 *
 * A no-op unless a test installs a hook with {@link setCrashHook}, or a child process is started by
 * the crash suite, which installs one in its entry file. The names are those of the fault
 * catalogue (`K1` … `K20`), so that a failing case and its rule are found by the same word.
 */

/** Called at every crash point; may throw, exit or wait. */
export type CrashHook = (point: string) => void | Promise<void>;

let hook: CrashHook | undefined;

/** Installs the hook, or removes it with `undefined`. For tests only. */
export function setCrashHook(next: CrashHook | undefined): void {
  hook = next;
}

/** Marks a point, for example `await crashPoint('K9')`. */
export async function crashPoint(point: string): Promise<void> {
  if (hook !== undefined) await hook(point);
}
