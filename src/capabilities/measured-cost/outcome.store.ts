/** Reads answered alerts and what came after their answer. */
import { sql } from 'kysely';
import { CLAIM_IDS } from '../../alerts/cases/claim.ts';
import type { Db } from '../../base/db/database.ts';
import type { AnsweredRow } from './unit.ts';

/** Alerts read at most, the newest first: no page and no worker holds more at once. */
export const ANSWERED_MAX = 50_000;

export interface AnsweredPeriod {
  readonly organisationId: string;
  /** Opened at or after. */
  readonly from: Date;
  /** Opened before. */
  readonly to: Date;
  /** What came until then. */
  readonly now: Date;
}

/**
 * Alerts that are over, opened in the period. Withdrawn ones are left out: they cost nothing that a policy could change.
 * So is what the network resolved itself (RDR): there was no choice.
 *
 * A dispute is what a representment, a scheme's dispute notice, a signal of the processor or a look at the charge shows.
 * It belongs to an alert by the payment's reference or by the acquirer reference number. What was there before the
 * answer is no result of it: `came` holds later moments only. A look at the charge has no moment of its own: the
 * chargeback's is taken, else that of the look, and none where the processor showed the dispute to the decision already.
 */
export async function readAnswered(
  db: Db,
  { organisationId, from, to, now }: AnsweredPeriod,
): Promise<AnsweredRow[]> {
  const { rows } = await sql<AnsweredRow>`
    with answered as materialized (
      select c.alert_id, c.dispute_id, c.charge_reference, c.state, c.decision_id,
        coalesce(c.closed_at, c.missed_at, c.changed_at) as answered_at,
        coalesce(a.created_at, c.opened_at) as raised_at,
        a.merchant_id, a.enrolment_type, a.card_scheme, a.reason_code, a.descriptor, a.amount_minor, a.currency,
        a.refund_outcome, a.acquirer_reference_number, a.integration_transaction_id
      from alert_case c
      join alert a on a.organisation_id = c.organisation_id and a.id = c.alert_id
      where c.organisation_id = ${organisationId} and c.alert_id not like ${CLAIM_IDS}
        and c.opened_at >= ${from} and c.opened_at < ${to}
        and c.state not in ('CLOSED_INVALID', 'RECONCILED_RDR')
        and coalesce(a.enrolment_type, '') <> 'NETB_RDR'
        and (not c.is_open or c.missed_at is not null)
      order by c.opened_at desc, c.alert_id limit ${ANSWERED_MAX}
    ), signals as materialized (
      select reference, min(coalesce(e.occurred_at, e.received_at)) as at
      from processor_event e, unnest(e.charge_references) as reference
      where e.organisation_id = ${organisationId} and e.received_at >= ${from} and e.kind = 'dispute_opened'
      group by reference
    )
    select c.alert_id as "alertId", c.dispute_id as "disputeId", c.merchant_id as "merchantId",
      nullif(split_part(coalesce(c.enrolment_type, ''), '_', 1), '') as network,
      c.enrolment_type as programme, c.card_scheme as scheme, c.reason_code as "reasonCode",
      c.descriptor, c.amount_minor as "amountMinor", c.currency,
      case when c.refund_outcome = 'REFUNDED' or c.state = 'DECLARED_REFUND' then 'refunded'
           when c.refund_outcome = 'NOT_REFUNDED' or c.state = 'DECLARED_ACCEPT' then 'accepted'
           else 'unanswered' end as outcome,
      coalesce(d.decided_by like 'operator:%', false) as reviewed,
      c.raised_at as "raisedAt", c.answered_at as "answeredAt",
      coalesce(o.came, '[]') as came, p.version as "contestVersion", p.ended as "contestEnd"
    from answered c
    left join decision d on d.organisation_id = ${organisationId} and d.id = c.decision_id
    left join lateral (
      select jsonb_agg(jsonb_build_object('kind', kind, 'source', source, 'at', at)) as came from (
        select kind, source, min(at) as at from (
          select 'dispute' as kind, 'representment' as source, coalesce(r.created_at, r.first_seen_at) as at
          from representment r where r.organisation_id = ${organisationId}
            and (r.transaction_reference_id in (c.charge_reference, c.integration_transaction_id)
              or r.acquirer_reference_number = c.acquirer_reference_number)
          union all
          select 'dispute', 'notice', coalesce(n.created_at, n.first_seen_at)
          from scheme_notice n where n.organisation_id = ${organisationId}
            and n.acquirer_reference_number = c.acquirer_reference_number
            and n.notice_type = 'DISPUTE_NOTICE' and n.is_revoked is not true
          union all
          select 'dispute', 'processor', s.at from signals s where s.reference = c.charge_reference
          union all
          select 'dispute', 'reading', coalesce(
            (select min(coalesce(m.moved_at, m.created_at)) from movement m
              where m.organisation_id = ${organisationId} and m.charge_reference = c.charge_reference
                and m.kind = 'chargeback'),
            k.read_at)
          from charge_account k where k.organisation_id = ${organisationId}
            and k.charge_reference = c.charge_reference and k.disputed
            and d.inputs #>> '{facts,charge,disputed}' is distinct from 'true'
          union all
          select case when b.enrolment_type = 'NETB_RDR' then 'rdr' else 'further_alert' end, 'alert',
            coalesce(b.created_at, x.opened_at)
          from alert_case x join alert b on b.organisation_id = x.organisation_id and b.id = x.alert_id
          where x.organisation_id = ${organisationId} and x.charge_reference = c.charge_reference
            and x.alert_id <> c.alert_id and x.alert_id not like ${CLAIM_IDS} and b.status <> 'INVALID'
            and (b.enrolment_type is distinct from 'NETB_RDR' or b.refund_outcome = 'REFUNDED')
        ) seen where at > c.answered_at and at <= ${now} group by kind, source
      ) firsts
    ) o on true
    left join lateral (
      select max(k.version) as version,
        case when bool_or(r.dispute_status = 'WON') then 'won'
             when bool_or(r.dispute_status = 'LOST') then 'lost' else 'open' end as ended
      from representment r
      join representment_pack k on k.organisation_id = r.organisation_id and k.representment_id = r.id
      where r.organisation_id = ${organisationId} and coalesce(r.created_at, r.first_seen_at) > c.answered_at
        and (r.transaction_reference_id in (c.charge_reference, c.integration_transaction_id)
          or r.acquirer_reference_number = c.acquirer_reference_number)
      having count(*) > 0
    ) p on true
    order by c.answered_at, c.alert_id`.execute(db);
  return rows;
}

/** Disputes by merchant, first seen since a moment. `''` means those without one. */
export async function readRecentDisputes(
  db: Db,
  organisationId: string,
  since: Date,
): Promise<Record<string, number>> {
  const rows = await db
    .selectFrom('representment')
    .select([
      sql<string>`coalesce(merchant_id, '')`.as('merchant'),
      sql<number>`count(*)`.as('count'),
    ])
    .where('organisation_id', '=', organisationId)
    .where('first_seen_at', '>', since)
    .groupBy('merchant')
    .execute();
  return Object.fromEntries(rows.map(({ merchant, count }) => [merchant, count]));
}
