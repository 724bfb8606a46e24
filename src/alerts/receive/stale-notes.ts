/**
 * Passes on what a stale but authentic delivery was about, once a minute per alert: whoever holds an
 * old delivery can send it again and again, and must not make us write each time.
 */
import type { Clock } from '../../base/kernel/clock.ts';
import type { Log } from '../../base/kernel/log.ts';
import type { Inbox, StaleDelivery } from './inbox.ts';

/** Alerts remembered within the minute; beyond, further ones wait for the ordinary poll. */
const ALERTS_PER_MINUTE_MAX = 1_000;

const MINUTE_MS = 60_000;

/** Options of {@link createStaleNotes}. */
export interface StaleNotesOptions {
  readonly inbox: Pick<Inbox, 'noteStale'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Makes the function that passes a stale delivery on. It never throws: the answer is 401 anyway. */
export function createStaleNotes(
  options: StaleNotesOptions,
): (stale: StaleDelivery) => Promise<void> {
  const { inbox, clock, log } = options;
  const noted = new Set<string>();
  let minute = Number.NaN;
  return async (stale) => {
    const now = Math.floor(clock.nowMs() / MINUTE_MS);
    if (now !== minute) noted.clear();
    minute = now;
    const key = stale.alertId ?? '';
    if (noted.has(key) || noted.size >= ALERTS_PER_MINUTE_MAX) return;
    noted.add(key);
    try {
      await inbox.noteStale(stale);
    } catch (error) {
      noted.delete(key);
      log.error({ err: error, alertId: stale.alertId }, 'a stale delivery could not be noted');
    }
  };
}
