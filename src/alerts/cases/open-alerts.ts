/**
 * Which alerts this process has just seen open at the service: so an answer that follows within seconds
 * needs no read of its own, and the request budget serves twice as many alerts.
 */

/** A read is taken as true for this long, in milliseconds. */
const FRESH_MS = 30_000;

/** Alerts that are remembered; beyond that the oldest are forgotten, and read again. */
const ALERTS_MAX = 5_000;

/** What was seen, and when. */
export interface OpenAlerts {
  /** The service has just shown the alert as `ACTION_REQUIRED`, or otherwise. */
  note(alertId: string, isOpen: boolean, nowMs: number): void;
  wasSeenOpen(alertId: string, nowMs: number): boolean;
}

/** Creates an empty memory; one per process. */
export function createOpenAlerts(): OpenAlerts {
  const seenAtMs = new Map<string, number>();
  return {
    note(alertId, isOpen, nowMs): void {
      seenAtMs.delete(alertId);
      if (!isOpen) return;
      seenAtMs.set(alertId, nowMs);
      if (seenAtMs.size <= ALERTS_MAX) return;
      for (const oldest of seenAtMs.keys()) {
        seenAtMs.delete(oldest);
        if (seenAtMs.size <= ALERTS_MAX / 2) break;
      }
    },
    wasSeenOpen(alertId, nowMs): boolean {
      const atMs = seenAtMs.get(alertId);
      return atMs !== undefined && nowMs >= atMs && nowMs - atMs <= FRESH_MS;
    },
  };
}
