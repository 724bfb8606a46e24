/** What the organisations of one process share, besides its look and its signs of life. */
import type { ReadUrgencies } from '../../alerts/cases/urgency.store.ts';
import { readCaseUrgencies, readMovementUrgencies } from '../../alerts/cases/urgency.store.ts';
import type { IdentityKind } from '../../alerts/guard/database-identity.store.ts';
import { findIdentity } from '../../alerts/guard/database-identity.store.ts';
import { createAtOnce } from '../../base/db/at-once.ts';
import type { OpenDatabase } from '../../base/db/connect.ts';
import type { Pace } from '../../base/jobs/loop.ts';
import type { SharedSlots } from '../../base/jobs/shared-slots.ts';
import { createSharedSlots } from '../../base/jobs/shared-slots.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import type { Shared } from './parts.ts';
import { QUIET_POLL_SPREAD_MS } from './quiet-poll.ts';
import type { WorkSlots } from './work.ts';
import type { WorkOptions } from './work-options.ts';

/**
 * Most cases that a process works on at once for several organisations, and as many refunds: each may wait for three calls to
 * the outside, and one organisation has eight of each at most.
 */
const SLOTS = 128;

/** However busy the process is: enough that it has something to do while some of them wait for an answer. */
const SLOTS_MIN = 16;

/** How long what the database tells about itself holds for further starts, in milliseconds. */
const IDENTITY_MS = 5_000;

/** Slots for all of them: what is due first goes first, whosever it is, and a process without time to spare fills few. */
export function shareSlots(
  { clock, log }: Pick<Shared, 'clock' | 'log'>,
  db: OpenDatabase['db'],
): (organisationId: string) => WorkSlots {
  const make = (read: ReadUrgencies): SharedSlots =>
    createSharedSlots({
      total: SLOTS,
      atOnce: createAtOnce(SLOTS, { least: SLOTS_MIN }),
      log,
      urgencies: (organisationIds) => read(db, { organisationIds, now: nowDate(clock) }),
    });
  const cases = make(readCaseUrgencies);
  const movements = make(readMovementUrgencies);
  return (organisationId) => ({
    cases: cases.of(organisationId),
    movements: movements.of(organisationId),
  });
}

/** Asks it once for all that start within a moment. */
export function shareIdentity(db: OpenDatabase['db']): () => Promise<IdentityKind> {
  let found: { readonly kind: Promise<IdentityKind>; readonly untilMs: number } | undefined;
  return async () => {
    if (found === undefined || performance.now() > found.untilMs) {
      const kind = findIdentity(db).then((present) => present.kind);
      found = { kind, untilMs: performance.now() + IDENTITY_MS };
    }
    return await found.kind;
  };
}

/** How an organisation shares the process with others. */
export interface Sharing {
  readonly pace: Pace;
  readonly count: () => number;
  /** How much the database tells about itself, found out once for all that start together. */
  readonly identity: () => Promise<IdentityKind>;
  readonly slots: WorkSlots;
}

/** People are notified of a late poll by how often it comes. */
export function asShared(options: WorkOptions, { count }: Sharing): WorkOptions {
  const seconds = (count() * QUIET_POLL_SPREAD_MS) / 1_000;
  return { ...options, reconcileSeconds: Math.max(options.reconcileSeconds, seconds) };
}
