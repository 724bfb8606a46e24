/**
 * The questions that reconcile asks our own rows in every round: each answers with the rows that
 * contradict each other. The hourly ones are in `slow-checks.store.ts`.
 */
import type { Kysely, RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import { findStopped } from '../feed/feed-brake.store.ts';

/** A contradiction: what it is about, and what was seen. Ids, states, amounts and moments only. */
export interface Contradiction {
  readonly subject: string;
  readonly subjectId: string;
  /** The alert that people are led to; null where it is about none. */
  readonly alertId: string | null;
  readonly evidence: Record<string, unknown>;
}

/** What a question needs. */
export interface CheckScope {
  readonly organisationId: string;
  readonly now: Date;
  /** Most rows to answer with. */
  readonly limit: number;
}

/** A question over our rows. */
export type CheckQuery = (db: Kysely<Database>, scope: CheckScope) => Promise<Contradiction[]>;

/** A refund is declared within this time of its confirmation, or somebody must look, in milliseconds. */
export const DECLARE_WITHIN_MS = 60 * 60_000;

/** How long a case that is over but went wrong stays among the findings, in milliseconds. */
export const SHOWN_FOR_MS = 30 * 24 * 60 * 60_000;

/** The moment so long before the scope's. */
export function before(scope: CheckScope, durationMs: number): Date {
  return new Date(scope.now.getTime() - durationMs);
}

/** A contradiction about the case of an alert. */
export function aboutCase(alertId: string, evidence: Contradiction['evidence']): Contradiction {
  return { subject: 'case', subjectId: alertId, alertId, evidence };
}

/**
 * Cases with their refund (`r`), whose case (`c`) and alert as the service last showed it (`a`) meet
 * the condition.
 */
async function refundedCases(
  db: Kysely<Database>,
  scope: CheckScope,
  condition: RawBuilder<unknown>,
): Promise<Contradiction[]> {
  const rows = await db
    .selectFrom('refund as r')
    .innerJoin('alert_case as c', (join) =>
      join.onRef('c.organisation_id', '=', 'r.organisation_id').onRef('c.refund_id', '=', 'r.id'),
    )
    .leftJoin('alert as a', (join) =>
      join.onRef('a.organisation_id', '=', 'c.organisation_id').onRef('a.id', '=', 'c.alert_id'),
    )
    .select(['c.alert_id', 'c.state', 'c.deadline_at', 'r.id as refund_id', 'r.charge_reference'])
    .select(['r.amount_minor', 'r.currency', 'r.confirmed_at', 'r.failure_code'])
    .select(['a.status', 'a.refund_outcome'])
    .where('r.organisation_id', '=', scope.organisationId)
    .where(sql<boolean>`${condition}`)
    .orderBy('c.alert_id')
    .limit(scope.limit)
    .execute();
  return rows.map((row) =>
    aboutCase(row.alert_id, {
      case_state: row.state,
      deadline_at: row.deadline_at,
      refund_id: row.refund_id,
      charge_reference: row.charge_reference,
      amount_in_cents: row.amount_minor,
      currency: row.currency,
      refund_confirmed_at: row.confirmed_at,
      failure_code: row.failure_code,
      alert_status: row.status,
      alert_refund_outcome: row.refund_outcome,
    }),
  );
}

/** Integrations whose orders are not sent, because the service refused most of them for one reason. */
export const feedsStopped: CheckQuery = async (db, { organisationId }) => {
  const stopped = await findStopped(db, organisationId);
  return stopped.map(({ integration_id, error_code, example, stopped_at, probes }) => ({
    subject: 'integration',
    subjectId: integration_id,
    alertId: null,
    evidence: { code: error_code, example, stopped_at, orders_tried: probes },
  }));
};

/** Confirmed refunds whose case is still open an hour later: the issuer does not know yet. */
export const refundsNotDeclared: CheckQuery = async (db, scope) =>
  await refundedCases(
    db,
    scope,
    sql`c.is_open and r.state = 'CONFIRMED' and r.confirmed_at <= ${before(scope, DECLARE_WITHIN_MS)}`,
  );

/** Cases declared as refunded whose refund failed afterwards: the declaration is false. */
export const declaredRefundsReversed: CheckQuery = async (db, scope) =>
  await refundedCases(db, scope, sql`c.state = 'DECLARED_REFUND' and r.state = 'REVERSED'`);

/**
 * Our confirmed refund stands, yet the alert was resolved elsewhere, and not as refunded. Resolved
 * elsewhere as refunded is no contradiction: money moved once, and the issuer was told so.
 */
export const resolvedElsewhereAfterRefund: CheckQuery = async (db, scope) =>
  await refundedCases(
    db,
    scope,
    sql`c.state in ('CLOSED_REMOTE', 'CONFLICT') and c.closed_at > ${before(scope, SHOWN_FOR_MS)}
      and r.state = 'CONFIRMED' and a.refund_outcome is distinct from 'REFUNDED'
      and a.status is distinct from 'INVALID'`,
  );

/** Alerts withdrawn after we had refunded: the refund stands, and no dispute will come of it. */
export const invalidAfterRefund: CheckQuery = async (db, scope) =>
  await refundedCases(
    db,
    scope,
    sql`a.status = 'INVALID' and c.changed_at > ${before(scope, SHOWN_FOR_MS)}
      and r.state = 'CONFIRMED'`,
  );

/** Charges that the network refunded by itself and we refunded too: paid back twice. */
export const doubleMoney: CheckQuery = async (db, scope) => {
  const rows = await db
    .selectFrom('alert_case as c')
    .leftJoin('alert as a', (join) =>
      join.onRef('a.organisation_id', '=', 'c.organisation_id').onRef('a.id', '=', 'c.alert_id'),
    )
    .innerJoin('refund as r', (join) =>
      join
        .onRef('r.organisation_id', '=', 'c.organisation_id')
        .on(
          sql<boolean>`r.charge_reference = coalesce(c.charge_reference, a.integration_transaction_id)`,
        ),
    )
    .select(['c.alert_id', 'r.id', 'r.charge_reference', 'r.amount_minor', 'r.currency'])
    .where('c.organisation_id', '=', scope.organisationId)
    .where('c.state', '=', 'RECONCILED_RDR')
    .where(sql<boolean>`a.status is distinct from 'INVALID'`)
    .where('r.state', '=', 'CONFIRMED')
    .where('r.amount_minor', '>', 0)
    .orderBy('r.charge_reference')
    .limit(scope.limit)
    .execute();
  return rows.map((row) => ({
    subject: 'charge',
    subjectId: row.charge_reference,
    alertId: row.alert_id,
    evidence: {
      rdr_alert_id: row.alert_id,
      refund_id: row.id,
      amount_in_cents: row.amount_minor,
      currency: row.currency,
    },
  }));
};

/** Alerts that ran out without a declared answer. */
export const missedAlerts: CheckQuery = async (db, scope) => {
  const rows = await db
    .selectFrom('alert_case')
    .select(['alert_id', 'state', 'deadline_at', 'missed_at'])
    .where('organisation_id', '=', scope.organisationId)
    .where('missed_at', '>', before(scope, SHOWN_FOR_MS))
    .orderBy('missed_at', 'desc')
    .limit(scope.limit)
    .execute();
  return rows.map((row) =>
    aboutCase(row.alert_id, {
      case_state: row.state,
      deadline_at: row.deadline_at,
      missed_at: row.missed_at,
    }),
  );
};
