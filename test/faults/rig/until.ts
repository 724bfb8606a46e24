/** Waits for what must become true, by elapsed time and generously: a busy machine is only slow. */

/** Longest wait for something that takes a second or two on an idle machine, in milliseconds. */
export const PATIENCE_MS = 60_000;

const LOOK_EVERY_MS = 150;

/**
 * Resolves with the first value of `look` that is neither undefined nor false.
 *
 * @throws {Error} naming `what` and the last thing seen, when the time is over
 */
export async function until<Value>(
  what: string,
  look: () => Promise<Value | undefined | false>,
  limitMs: number = PATIENCE_MS,
): Promise<Value> {
  const endMs = performance.now() + limitMs;
  let last: unknown;
  do {
    try {
      const value = await look();
      if (value !== undefined && value !== false) return value;
      last = value;
    } catch (error) {
      last = error;
    }
    await new Promise((done) => setTimeout(done, LOOK_EVERY_MS));
  } while (performance.now() < endMs);
  const seen = last instanceof Error ? ` Last: ${last.message}` : '';
  throw new Error(`Waited ${Math.round(limitMs / 1000)} s in vain until ${what}.${seen}`);
}

/** Lets real time pass, for cases about what must not happen meanwhile. */
export async function rest(durationMs: number): Promise<void> {
  await new Promise((done) => setTimeout(done, durationMs));
}
