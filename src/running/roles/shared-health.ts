/**
 * One answer about health for everybody who asks within a moment, in time whatever the database does.
 *
 * Anybody may ask a public listener, as often as they like: only one check runs at once, so all of them
 * together cost one connection. A check that takes too long is answered for as not ready; no second one
 * begins before it has ended, because a database that does not answer would take a connection for each.
 */
import { performance } from 'node:perf_hooks';
import type { Health } from '../../alerts/receive/receiver.ts';
import type { PartHealth } from '../../health/health.ts';

/** What a process says of its health: ready or not, and how each part is. */
export interface InstallationHealth extends Health {
  readonly parts: readonly PartHealth[];
}

/** How long an answer is shared, in milliseconds. */
export const SHARED_MS = 1_500;

/** Longest wait for a check, in milliseconds: a probe gives up after 3 s. */
const ANSWER_WITHIN_MS = 2_000;

/**
 * @param isFresh nothing that was read before this call is an answer: somebody has just changed what it says
 */
export type AskHealth = (isFresh?: boolean) => Promise<InstallationHealth>;

/** The timer of the longest wait came so much too late that this process itself was busy, in milliseconds. */
const BUSY_MS = 500;

/**
 * Shares the answers of a check, which must not throw.
 *
 * @param late the answer for a check that takes too long; `isBusy`: this process had no time to hear of it
 */
export function shareHealth(
  check: AskHealth,
  late: (isBusy: boolean) => InstallationHealth,
): AskHealth {
  let last: { readonly health: InstallationHealth; readonly atMs: number } | undefined;
  let asking: Promise<InstallationHealth> | undefined;

  const ask = (): Promise<InstallationHealth> => {
    const { promise, resolve } = Promise.withResolvers<InstallationHealth>();
    const tell = (health: InstallationHealth): void => {
      last = { health, atMs: performance.now() };
      resolve(health);
    };
    const startedMs = performance.now();
    const isBusy = (): boolean => performance.now() - startedMs > ANSWER_WITHIN_MS + BUSY_MS;
    const timer = setTimeout(() => tell(late(isBusy())), ANSWER_WITHIN_MS).unref();
    const end = (health: InstallationHealth): void => {
      clearTimeout(timer);
      asking = undefined;
      tell(health);
    };
    check().then(end, () => end(late(isBusy())));
    return promise;
  };

  return async (isFresh = false) => {
    if (isFresh) {
      // A check that began before may have read what was so then.
      await asking;
      last = undefined;
    }
    if (last !== undefined && performance.now() - last.atMs < SHARED_MS) return last.health;
    asking ??= ask();
    return await asking;
  };
}
