/** Reads the outcomes of alerts: what was answered, who decided, and whether a dispute came all the same. */
import { sql } from 'kysely';
import { CLAIM_IDS } from '../../alerts/cases/claim.ts';
import type { Db } from '../../base/db/database.ts';
import type { OutcomeRow } from './economics.ts';

/**
 * Alerts that are over, opened in the scope. Withdrawn ones are left out: they cost nothing that a
 * policy could change. A dispute belongs to an alert by the acquirer reference number, or by the
 * payment's reference at the processor.
 */
export async function readOutcomes(
  db: Db,
  { organisationId, from, to }: { organisationId: string; from: Date; to: Date },
): Promise<OutcomeRow[]> {
  const { rows } = await sql<OutcomeRow>`
    select c.alert_id as "alertId",
      a.merchant_id as "merchantId",
      nullif(split_part(coalesce(a.enrolment_type, ''), '_', 1), '') as network,
      a.amount_minor as "amountMinor",
      a.currency as currency,
      case when a.refund_outcome = 'REFUNDED' or c.state = 'DECLARED_REFUND' then 'refunded'
           when a.refund_outcome = 'NOT_REFUNDED' or c.state = 'DECLARED_ACCEPT' then 'accepted'
           else 'unanswered' end as outcome,
      coalesce(d.decided_by like 'operator:%', false) as reviewed,
      r.dispute
    from alert_case c
    join alert a on a.organisation_id = c.organisation_id and a.id = c.alert_id
    left join decision d on d.organisation_id = c.organisation_id and d.id = c.decision_id
    left join lateral (
      select case when bool_or(p.dispute_status = 'WON') then 'won'
                  when bool_or(p.dispute_status = 'LOST') then 'lost'
                  else 'open' end as dispute
      from representment p
      where p.organisation_id = c.organisation_id
        and ((p.acquirer_reference_number = a.acquirer_reference_number)
          or (p.transaction_reference_id in (c.charge_reference, a.integration_transaction_id)))
      having count(*) > 0
    ) r on true
    where c.organisation_id = ${organisationId} and c.alert_id not like ${CLAIM_IDS}
      and c.opened_at >= ${from} and c.opened_at < ${to}
      and c.state <> 'CLOSED_INVALID'
      and (not c.is_open or c.missed_at is not null)
    order by c.opened_at, c.alert_id`.execute(db);
  return rows;
}

/** Disputes by merchant, first seen since a moment. `''` stands for those without one. */
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
