/**
 * One drain per organisation and endpoint, across all processes.
 *
 * The lease saves requests; correctness does not depend on it: two drains at once would only get
 * `DUPLICATE_ORDER` for each other's orders.
 */
import type { RawBuilder } from 'kysely';
import type { Installation } from '../base/db/database.ts';
import type { LeaseRequest } from '../base/jobs/cluster-lease.store.ts';
import {
  releaseLease,
  releasingLease,
  takeLease,
  takeLeaseIfDue,
} from '../base/jobs/cluster-lease.store.ts';
import type { DueCondition } from '../base/jobs/due.store.ts';
import { nowDate } from '../base/kernel/clock.ts';
import { createId } from '../base/kernel/ids.ts';

/** A drain that was killed is taken over after this time, in milliseconds. */
const DRAIN_LEASE_MS = 30_000;

/** How often a drain that waits for the request budget says that it is alive, in milliseconds. */
const RENEW_MS = 10_000;

/** A lease that was taken so lately is not asked for again, in milliseconds. */
const FRESH_MS = 2_000;

/** What a drain needs to hold its lease. */
export interface DrainLeaseOptions
  extends Pick<Installation, 'db' | 'clock' | 'organisationId' | 'workerId'> {
  /** For example `feed.create`. */
  readonly name: string;
  /** What there may be to do. */
  readonly conditions: readonly DueCondition[];
}

/** A lease that is held. */
export interface HeldLease {
  /** Renews it; false when another drain has taken it over. */
  hold(): Promise<boolean>;
  /** Gives it back with the last statement of the work, which carries the change. */
  endWith(last: (release: RawBuilder<unknown>) => Promise<void>): Promise<void>;
}

/**
 * Runs `work` while holding the lease, with the conditions that hold; `undefined` when none does, or another
 * drain holds the lease.
 */
export type WithDrainLease = <Result>(
  work: (lease: HeldLease, due: readonly boolean[]) => Promise<Result>,
) => Promise<Result | undefined>;

/** Creates the holder of one lease. */
export function createDrainLease(options: DrainLeaseOptions): WithDrainLease {
  const { db, organisationId, name, clock, conditions } = options;
  const lease = { organisationId, name, holder: `${options.workerId}/${createId('drain')}` };
  let takenMs = Number.NEGATIVE_INFINITY;
  const taking = async <Taken>(take: (request: LeaseRequest) => Promise<Taken>): Promise<Taken> => {
    const now = nowDate(clock);
    const taken = await take({ ...lease, now, until: new Date(now.getTime() + DRAIN_LEASE_MS) });
    takenMs = taken === false || taken === undefined ? Number.NEGATIVE_INFINITY : now.getTime();
    return taken;
  };
  const take = (): Promise<boolean> => taking((request) => takeLease(db, request));
  return async (work) => {
    const due = await taking((request) => takeLeaseIfDue(db, request, conditions));
    if (due === undefined) return undefined;
    let isReleased = false;
    // Renewal is an aid during long waits; a failed one shows in the next `hold`.
    const timer = setInterval(() => void take().catch(() => false), RENEW_MS);
    timer.unref();
    try {
      const hold = async (): Promise<boolean> => {
        return clock.nowMs() - takenMs < FRESH_MS || (await take());
      };
      const endWith: HeldLease['endWith'] = async (last) => {
        await last(releasingLease(lease));
        isReleased = true;
      };
      return await work({ hold, endWith }, due);
    } finally {
      clearInterval(timer);
      if (!isReleased) await releaseLease(db, lease);
    }
  };
}
