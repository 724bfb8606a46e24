/**
 * One drain per organisation and endpoint, across all processes.
 *
 * The lease saves requests, it does not guard correctness: two drains at once would only meet each
 * other's `DUPLICATE_ORDER`.
 */
import type { Kysely } from 'kysely';
import type { Database } from '../base/db/database.ts';
import { releaseLease, takeLease } from '../base/jobs/cluster-lease.store.ts';
import type { Clock } from '../base/kernel/clock.ts';
import { nowDate } from '../base/kernel/clock.ts';
import { createId } from '../base/kernel/ids.ts';

/** A drain that was killed is taken over after this time, in milliseconds. */
const DRAIN_LEASE_MS = 30_000;

/** How often a drain that waits for the request budget says that it is alive, in milliseconds. */
const RENEW_MS = 10_000;

/** A lease that was taken so lately is not asked for again, in milliseconds. */
const FRESH_MS = 2_000;

/** What a drain needs to hold its lease. */
export interface DrainLeaseOptions {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly organisationId: string;
  readonly workerId: string;
  /** For example `feed.create`. */
  readonly name: string;
}

/** A lease that is held. */
export interface HeldLease {
  /** Renews it; false when another drain has taken it over. */
  hold(): Promise<boolean>;
}

/** Runs `work` while holding the lease; `undefined` when another drain holds it. */
export type WithDrainLease = <Result>(
  work: (lease: HeldLease) => Promise<Result>,
) => Promise<Result | undefined>;

/** Makes the holder of one lease. */
export function createDrainLease(options: DrainLeaseOptions): WithDrainLease {
  const { db, organisationId, name, clock } = options;
  const lease = { organisationId, name, holder: `${options.workerId}/${createId('drain')}` };
  let takenMs = Number.NEGATIVE_INFINITY;
  const take = async (): Promise<boolean> => {
    const now = nowDate(clock);
    const until = new Date(now.getTime() + DRAIN_LEASE_MS);
    const isHeld = await takeLease(db, { ...lease, now, until });
    takenMs = isHeld ? now.getTime() : Number.NEGATIVE_INFINITY;
    return isHeld;
  };
  return async (work) => {
    if (!(await take())) return undefined;
    // Renewal is an aid during long waits; a failed one shows in the next `hold`.
    const timer = setInterval(() => void take().catch(() => false), RENEW_MS);
    timer.unref();
    try {
      return await work({
        hold: async () => clock.nowMs() - takenMs < FRESH_MS || (await take()),
      });
    } finally {
      clearInterval(timer);
      await releaseLease(db, lease);
    }
  };
}
