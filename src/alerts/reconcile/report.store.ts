/** The figures of a report, each counted from rows of its own. */
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import { CLAIM_IDS } from '../cases/claim.ts';
import { DECLARE_WITHIN_MS, IS_DECLARABLE } from './checks.store.ts';
import type { AlertTotals, EventTotals, MoneyTotals } from './report.ts';

export interface FiguresScope {
  readonly organisationId: string;
  readonly from: Date;
  readonly to: Date;
  readonly now: Date;
}

/**
 * Events by what became of them. Applied is one whose object is in our rows: an event that left the
 * work list without a trace is counted nowhere, and the sum shows it.
 */
export async function countEvents(
  db: Db,
  { organisationId, from, to }: FiguresScope,
): Promise<EventTotals> {
  const { rows } = await sql<EventTotals>`
    with stored as materialized (
      select e.seq, e.event_id, e.body, e.key_id, e.object_id as sealed_object_id,
        exists (select from inbox_work w where w.organisation_id = ${organisationId} and w.seq = e.seq) as waits,
        exists (select from quarantine q where q.organisation_id = ${organisationId}
          and q.event_id = e.event_id and q.seq = e.seq and q.resolved_at is null) as held,
        exists (select from quarantine q where q.organisation_id = ${organisationId}
          and q.event_id = e.event_id and q.seq = e.seq) as was_held
      from inbox_event e
      where e.organisation_id = ${organisationId} and e.received_at >= ${from} and e.received_at < ${to}
    ), readable as materialized (
      -- Whatever was never held was read as JSON before it was applied.
      select seq, was_held, case when was_held then null
        when key_id is not null then sealed_object_id
        else convert_from(body, 'UTF8')::json #>> '{data,object,id}' end as object_id
      from stored where not waits and not held
    ), judged as (
      select seq, was_held, exists (
        select from alert t where t.organisation_id = ${organisationId} and t.id = object_id
        union all select from lookup t where t.organisation_id = ${organisationId} and t.id = object_id
        union all select from enrolment t where t.organisation_id = ${organisationId} and t.id = object_id
        union all select from representment t where t.organisation_id = ${organisationId} and t.id = object_id
        union all select from scheme_notice t where t.organisation_id = ${organisationId} and t.id = object_id
      ) as present from readable
    ), unstored as (
      select count(*)::int as events from quarantine
      where organisation_id = ${organisationId} and seq is null
        and quarantined_at >= ${from} and quarantined_at < ${to}
        and not (reason = 'store_failed' and resolved_at is not null)
    )
    select
      (select count(*)::int from stored) + (select events from unstored) as received,
      (select count(*)::int from judged where present) as applied,
      (select count(*)::int from stored where held and not waits)
        + (select count(*)::int from judged where was_held) + (select events from unstored) as quarantined,
      (select count(*)::int from stored where waits) as waiting`.execute(db);
  return rows[0] ?? { received: 0, applied: 0, quarantined: 0, waiting: 0 };
}

/**
 * Alerts first seen in the period, by what became of them. Resolved is what our case and the service
 * both call over; one that only our case calls so is counted nowhere, and the sum shows it.
 */
export async function countAlerts(
  db: Db,
  { organisationId, from, to }: FiguresScope,
): Promise<AlertTotals> {
  const { rows } = await sql<AlertTotals>`
    with seen as (
      select a.enrolment_type = 'NETB_RDR' as is_rdr, a.status, a.refund_outcome, c.state, c.is_open, c.missed_at
      from alert a
      left join alert_case c on c.organisation_id = a.organisation_id and c.alert_id = a.id
      where a.organisation_id = ${organisationId} and a.first_seen_at >= ${from} and a.first_seen_at < ${to}
        and a.id not like ${CLAIM_IDS}
    ), asked as (select * from seen where is_rdr is not true)
    select
      (select count(*)::int from asked) as actionable,
      (select count(*)::int from asked where missed_at is null and status <> 'ACTION_REQUIRED'
        and state in ('DECLARED_REFUND', 'DECLARED_ACCEPT', 'CLOSED_REMOTE', 'CLOSED_INVALID', 'RECONCILED_RDR')) as resolved,
      (select count(*)::int from asked where missed_at is null
        and state in ('HUMAN', 'UNMATCHED', 'AMBIGUOUS', 'CONFLICT')) as "inReview",
      (select count(*)::int from asked where missed_at is null and is_open
        and state not in ('HUMAN', 'UNMATCHED', 'AMBIGUOUS')) as "underWay",
      (select count(*)::int from asked where missed_at is not null) as missed,
      (select count(*)::int from seen where is_rdr and status = 'RESOLVED' and refund_outcome = 'REFUNDED') as "networkRefunds"`.execute(
    db,
  );
  return (
    rows[0] ?? {
      actionable: 0,
      resolved: 0,
      inReview: 0,
      underWay: 0,
      missed: 0,
      networkRefunds: 0,
    }
  );
}

/** Our confirmed refunds by currency: what the issuer knows of, what is a finding, what is under way. */
export async function countMoney(
  db: Db,
  { organisationId, from, to, now }: FiguresScope,
): Promise<MoneyTotals[]> {
  const fresh = new Date(now.getTime() - DECLARE_WITHIN_MS);
  const { rows } = await sql<MoneyTotals>`
    with refunded as materialized (
      select r.id, r.currency, r.amount_minor, r.confirmed_at,
        exists (select from alert_case c
          join alert a on a.organisation_id = c.organisation_id and a.id = c.alert_id
          where c.organisation_id = r.organisation_id and (c.movement_id = r.id or c.dispute_id = r.dispute_id)
            and not c.is_open and a.refund_outcome = 'REFUNDED' and a.status = 'RESOLVED') as declared,
        exists (select from finding f where f.organisation_id = r.organisation_id
          and f.closed_at is null and (f.evidence ->> 'refund_id' = r.id or f.evidence -> 'movements' ? r.id)) as in_finding,
        -- A part of what an alert asks for is nothing to declare while its case is open.
        exists (select from alert_case c
          join alert a on a.organisation_id = c.organisation_id and a.id = c.alert_id
          where c.organisation_id = r.organisation_id and (c.movement_id = r.id or c.dispute_id = r.dispute_id)
            and c.is_open and ${IS_DECLARABLE} is not true) as is_part,
        -- The processor is compared by dispute: its oldest refund has the first part of what was seen.
        (select least(r.amount_minor, greatest(0, max(b.refunded_minor) - (
            select coalesce(sum(m.amount_minor), 0) from movement m
            where m.organisation_id = r.organisation_id and m.charge_reference = r.charge_reference
              and m.dispute_id is not distinct from r.dispute_id and m.idempotency_key is not null
              and m.state = 'CONFIRMED' and (m.created_at, m.id) < (r.created_at, r.id))))
          from alert_case c
          join book_check b on b.organisation_id = c.organisation_id and b.alert_id = c.alert_id
          where c.organisation_id = r.organisation_id and (c.movement_id = r.id or c.dispute_id = r.dispute_id)) as seen_minor
      from movement r
      where r.organisation_id = ${organisationId} and r.idempotency_key is not null and r.state = 'CONFIRMED'
        and r.amount_minor > 0 and r.confirmed_at >= ${from} and r.confirmed_at < ${to}
    )
    select currency, count(*)::int as refunds,
      sum(amount_minor)::bigint as "refundedMinor",
      coalesce(sum(amount_minor) filter (where declared), 0)::bigint as "declaredMinor",
      coalesce(sum(amount_minor) filter (where not declared and in_finding), 0)::bigint as "findingsMinor",
      coalesce(sum(amount_minor) filter (where not declared and not in_finding and (is_part or confirmed_at > ${fresh})), 0)::bigint as "underWayMinor",
      coalesce(sum(seen_minor), 0)::bigint as "seenAtProcessorMinor"
    from refunded group by currency order by currency`.execute(db);
  return rows;
}

/** Cases of the period with a charge, and those whose charge the processor did not show. */
export async function countCompared(
  db: Db,
  { organisationId, from, to }: FiguresScope,
): Promise<{ alerts: number; unread: number }> {
  const row = await db
    .selectFrom('book_check')
    .select([
      sql<number>`(count(*) filter (where answer in ('found', 'absent')))::int`.as('alerts'),
      sql<number>`(count(*) filter (where answer in ('not_offered', 'unavailable')))::int`.as(
        'unread',
      ),
    ])
    .where('organisation_id', '=', organisationId)
    .where('compared_at', '>=', from)
    .where('compared_at', '<', to)
    .executeTakeFirstOrThrow();
  return row;
}

/** Orders the service holds, and those it holds with another content. */
export async function countOrders(
  db: Db,
  organisationId: string,
): Promise<{ created: number; differing: number }> {
  return await db
    .selectFrom('order_record')
    .select([
      sql<number>`(count(*) filter (where state = 'CREATED'))::int`.as('created'),
      sql<number>`(count(*) filter (where difference is not null))::int`.as('differing'),
    ])
    .where('organisation_id', '=', organisationId)
    .executeTakeFirstOrThrow();
}
