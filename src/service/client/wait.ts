/**
 * Waiting that ends early when a signal says so.
 */
import { setTimeout as sleep } from 'node:timers/promises';

/** Waits, and throws the signal's reason when it fires before the time is over. */
export type Wait = (durationMs: number, signal?: AbortSignal) => Promise<void>;

/** Waits on the machine's timers. */
export const waitOnTimer: Wait = async (durationMs, signal) => {
  signal?.throwIfAborted();
  try {
    await sleep(durationMs, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
};
