/**
 * The questions that reconcile asks our own rows in every round: each answers with the rows that
 * contradict each other. The hourly ones are in `slow-checks.store.ts`.
 */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import { findStopped } from '../../orders/feed-brake.store.ts';

/** A contradiction: what it is about, and what was seen. Ids, states, amounts and moments only. */
export interface Contradiction {
  readonly subject: string;
  readonly subjectId: string;
  /** The alert that people are led to; null where it is about none. */
  readonly alertId: string | null;
  readonly evidence: Record<string, unknown>;
}

export interface CheckScope {
  readonly organisationId: string;
  readonly now: Date;
  /** Most rows to answer with. */
  readonly limit: number;
}

/** A question over our rows. */
export type CheckQuery = (db: Db, scope: CheckScope) => Promise<Contradiction[]>;

/** A refund is declared within this time of its confirmation, or somebody must look, in milliseconds. */
export const DECLARE_WITHIN_MS = 60 * 60_000;

/** How long a case that is over but went wrong stays among the findings, in milliseconds. */
export const SHOWN_FOR_MS = 30 * 24 * 60 * 60_000;

/** The moment so long before the scope's. */
export function before(scope: CheckScope, durationMs: number): Date {
  return new Date(scope.now.getTime() - durationMs);
}

export function aboutCase(alertId: string, evidence: Contradiction['evidence']): Contradiction {
  return { subject: 'case', subjectId: alertId, alertId, evidence };
}

/**
 * What has gone back for the case's dispute (`c`): the part of each settled movement that answers it;
 * where no dispute is known, the movement the case names.
 */
export const COVER_MINOR = sql`case
  when c.dispute_id is null then coalesce((select m.amount_minor from movement m
    where m.organisation_id = c.organisation_id and m.id = c.movement_id and m.state in ('CONFIRMED', 'PENDING')), 0)
  else (select coalesce(sum(v.amount_minor), 0) from cover v
    join movement m on m.organisation_id = v.organisation_id and m.id = v.movement_id
    where v.organisation_id = c.organisation_id and v.dispute_id = c.dispute_id and m.state in ('CONFIRMED', 'PENDING')) end`;

/** Whether the case's whole charge went back, to whichever dispute, or was never taken. */
export const WHOLE_CHARGE_IS_BACK = sql`exists (
  select from charge_account b join movement m
    on m.organisation_id = b.organisation_id and m.charge_reference = b.charge_reference
  where b.organisation_id = c.organisation_id and b.charge_reference = c.charge_reference
    and m.state in ('CONFIRMED', 'PENDING')
  group by b.status, b.amount_minor
  having bool_or(m.kind = 'void') or (b.status = 'captured' and b.amount_minor > 0 and sum(m.amount_minor) >= b.amount_minor))`;

/** Whether a refund of ours (`r`) can be declared for an alert (`a`) and its case (`c`): as much as it asks for is back. */
export const IS_DECLARABLE = sql<boolean>`(a.amount_minor is null
  or (a.currency = r.currency and ${COVER_MINOR} >= a.amount_minor) or ${WHOLE_CHARGE_IS_BACK})`;

/**
 * Cases with a refund of ours (`r`): the one the case names, or one for its dispute. Those are taken
 * whose case (`c`) and alert as the service last showed it (`a`) meet the condition; each case once.
 */
async function refundedCases(
  db: Db,
  scope: CheckScope,
  condition: RawBuilder<unknown>,
): Promise<Contradiction[]> {
  // Two joins, because each has an index of its own.
  const found = (join: RawBuilder<unknown>): RawBuilder<unknown> => sql`
    select c.alert_id, c.state, c.deadline_at, r.id as refund_id, r.charge_reference, r.amount_minor, r.currency,
      r.confirmed_at, r.failure_code, a.status, a.refund_outcome, c.movement_id is not distinct from r.id as is_named
    from movement r
    join alert_case c on c.organisation_id = r.organisation_id and ${join}
    left join alert a on a.organisation_id = c.organisation_id and a.id = c.alert_id
    where r.organisation_id = ${scope.organisationId} and r.idempotency_key is not null and ${condition}`;
  const { rows } = await sql<RefundedCaseRow>`
    select distinct on (alert_id) * from (
      ${found(sql`c.movement_id = r.id`)}
      union all
      ${found(sql`c.dispute_id = r.dispute_id and c.charge_reference = r.charge_reference`)}
    ) found
    order by alert_id, is_named desc, confirmed_at, refund_id
    limit ${scope.limit}`.execute(db);
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

interface RefundedCaseRow {
  readonly alert_id: string;
  readonly state: string;
  readonly deadline_at: Date;
  readonly refund_id: string;
  readonly charge_reference: string;
  readonly amount_minor: number;
  readonly currency: string;
  readonly confirmed_at: Date | null;
  readonly failure_code: string | null;
  readonly status: string | null;
  readonly refund_outcome: string | null;
}

/**
 * Confirmed refunds whose case is still open an hour later: the issuer does not know yet. A part of the
 * alert's amount is nothing to declare.
 */
export const refundsNotDeclared: CheckQuery = async (db, scope) =>
  await refundedCases(
    db,
    scope,
    sql`c.is_open and r.state = 'CONFIRMED' and r.confirmed_at <= ${before(scope, DECLARE_WITHIN_MS)}
      and ${IS_DECLARABLE}`,
  );

/**
 * Cases declared as refunded whose refund failed afterwards, with nothing else in its place: the
 * declaration is false. Where the saga saw it happen, its own finding says so.
 */
export const declaredRefundsReversed: CheckQuery = async (db, scope) =>
  await refundedCases(
    db,
    scope,
    sql`c.state = 'DECLARED_REFUND' and r.state = 'REVERSED' and not ${WHOLE_CHARGE_IS_BACK}
      and (c.dispute_id is null or ${COVER_MINOR} < coalesce(a.amount_minor, r.amount_minor))
      and not exists (select from finding f where f.organisation_id = c.organisation_id and f.kind = 'declared_without_cover'
        and f.subject = 'case' and f.subject_id = c.alert_id and f.closed_at is null)`,
  );

/**
 * Our confirmed refund remains, yet the alert was resolved elsewhere, and not as refunded. Resolved
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

/** Alerts withdrawn after we had refunded: the refund remains, and no dispute will come of it. */
export const invalidAfterRefund: CheckQuery = async (db, scope) =>
  await refundedCases(
    db,
    scope,
    sql`a.status = 'INVALID' and c.changed_at > ${before(scope, SHOWN_FOR_MS)}
      and r.state = 'CONFIRMED'`,
  );

/**
 * Charges that the network refunded by itself and we refunded too, for the same complaint or more than
 * was captured: paid back twice. As the alert says it now, whatever our reading of it says.
 */
export const doubleMoney: CheckQuery = async (db, scope) => {
  const { rows } = await sql<DoubleMoneyRow>`
    select distinct on (r.charge_reference) c.alert_id, r.id, r.charge_reference, r.amount_minor, r.currency
    from alert_case c
    join alert a on a.organisation_id = c.organisation_id and a.id = c.alert_id
    join movement r on r.organisation_id = c.organisation_id
      and r.charge_reference = coalesce(c.charge_reference, a.integration_transaction_id)
    where c.organisation_id = ${scope.organisationId} and c.state = 'RECONCILED_RDR'
      and a.status = 'RESOLVED' and a.refund_outcome = 'REFUNDED'
      and r.idempotency_key is not null and r.state = 'CONFIRMED' and r.amount_minor > 0
      and (c.dispute_id is null or r.dispute_id is null or c.dispute_id = r.dispute_id or exists (
        select from charge_account b where b.organisation_id = r.organisation_id
          and b.charge_reference = r.charge_reference and b.status = 'captured'
          and b.amount_minor < (select sum(m.amount_minor) from movement m where m.organisation_id = b.organisation_id
            and m.charge_reference = b.charge_reference and may_have_executed(m))))
    order by r.charge_reference, r.created_at, c.alert_id
    limit ${scope.limit}`.execute(db);
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

interface DoubleMoneyRow {
  readonly alert_id: string;
  readonly id: string;
  readonly charge_reference: string;
  readonly amount_minor: number;
  readonly currency: string;
}

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
