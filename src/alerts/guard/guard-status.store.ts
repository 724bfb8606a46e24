/** The state of the guard rails, for `forestall status`, the API and the console. Reads only. */
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import { waitsForPeople } from '../cases/waits-for-people.store.ts';
import { approversOf, listApprovals, PEOPLE_NEEDED } from './approval.store.ts';
import { readBreaker } from './breaker.store.ts';
import { readSent } from './caps.store.ts';
import type { Sent } from './caps.ts';
import type { ApprovalKind, ApprovalState } from './guard.table.ts';
import { readPause } from './pause.store.ts';
import { readProcessorBreaker } from './processor-breaker.store.ts';

/** A refund, or what somebody says of money, that waits for two people, or did. */
export interface Approval {
  /** By which it is answered. */
  readonly id: number;
  readonly state: ApprovalState;
  /** Null: written by a version that did not say. */
  readonly kind: ApprovalKind | null;
  readonly chargeReference: string;
  readonly amountMinor: number;
  readonly currency: string;
  /** Where the money can be found, as it was said. */
  readonly reference: string | null;
  /** Who agreed so far. */
  readonly approvers: readonly string[];
  readonly peopleNeeded: number;
  readonly askedAt: Date;
  readonly settledAt: Date | null;
  /** Of one that was overtaken: what became of the alert. */
  readonly settledBecause: string | null;
}

/** What two people are asked to agree to for the alert now; where nothing is, the last that ended. */
export async function readApprovals(
  db: Db,
  organisationId: string,
  alertId: string,
): Promise<Approval[]> {
  const rows = await listApprovals(db, organisationId, alertId);
  return await Promise.all(
    rows.map(async (row) => ({
      id: row.id,
      state: row.state,
      kind: row.kind,
      chargeReference: row.charge_reference,
      amountMinor: row.amount_minor,
      currency: row.currency,
      reference: row.reference,
      approvers: await approversOf(db, row),
      peopleNeeded: PEOPLE_NEEDED,
      askedAt: row.asked_at,
      settledAt: row.settled_at,
      settledBecause: row.settled_because,
    })),
  );
}

/** The state of the guard rails. */
export interface GuardStatus {
  /** Null while money may move. */
  readonly pause: {
    readonly at: Date;
    readonly by: string;
    readonly reason: string;
    /** Whose switch it is. */
    readonly layer: 'installation' | 'organisation';
  } | null;
  readonly breaker: {
    /** Null while automatic refunds may go. */
    readonly openedAt: Date | null;
    /** Alerts in a window above which it opens; null while that cannot be told. */
    readonly threshold: number | null;
  };
  /** The processor refuses us for a fault of our own; null while it does not. */
  readonly processor: { readonly openedAt: Date; readonly code: string } | null;
  readonly sentLastHour: Sent;
  readonly sentLastDay: Sent;
  /** Held alerts that the policy's fallback accepts without a decision, and when it first does; also while money is stopped. */
  readonly acceptsAhead: { readonly count: number; readonly firstAt: Date | null };
  /** Open cases that people must decide, and those of them that wait for a second person. */
  readonly reviewsOpen: number;
  readonly approvalsWaiting: number;
}

const HOUR_MS = 3_600_000;

/** Reads it all. */
export async function readGuardStatus(
  db: Db,
  organisationId: string,
  now: Date,
): Promise<GuardStatus> {
  const pause = await readPause(db, organisationId);
  const breaker = await readBreaker(db, organisationId);
  const refusal = await readProcessorBreaker(db, organisationId);
  const held = await countHeld(db, organisationId);
  const since = (ms: number): Date => new Date(now.getTime() - ms);
  return {
    pause:
      pause === undefined
        ? null
        : {
            at: pause.paused_at,
            by: pause.paused_by,
            reason: pause.reason,
            layer: pause.organisation_id === organisationId ? 'organisation' : 'installation',
          },
    breaker: { openedAt: breaker?.opened_at ?? null, threshold: breaker?.threshold ?? null },
    processor:
      refusal?.openedAt == null
        ? null
        : { openedAt: new Date(refusal.openedAt), code: refusal.code },
    sentLastHour: await readSent(db, { organisationId, since: since(HOUR_MS) }),
    sentLastDay: await readSent(db, { organisationId, since: since(24 * HOUR_MS) }),
    acceptsAhead: await readAcceptsAhead(db, organisationId, now),
    reviewsOpen: held.open,
    approvalsWaiting: held.approval,
  };
}

async function readAcceptsAhead(
  db: Db,
  organisationId: string,
  now: Date,
): Promise<GuardStatus['acceptsAhead']> {
  return await db
    .selectFrom('alert_case')
    .select((eb) => [sql<number>`count(*)`.as('count'), eb.fn.min('fallback_at').as('firstAt')])
    .where('organisation_id', '=', organisationId)
    .where('state', '=', 'HUMAN')
    .where('fallback_action', '=', 'ACCEPT_DISPUTE')
    .where('deadline_at', '>', now)
    .executeTakeFirstOrThrow();
}

async function countHeld(
  db: Db,
  organisationId: string,
): Promise<{ open: number; approval: number }> {
  return await db
    .selectFrom('alert_case as c')
    .select([
      sql<number>`count(*)`.as('open'),
      sql<number>`count(*) filter (where hold_reason = 'approval_needed')`.as('approval'),
    ])
    .where('c.organisation_id', '=', organisationId)
    .where(waitsForPeople(organisationId))
    .executeTakeFirstOrThrow();
}
