/**
 * Notes on payments what was reported about them, before the rows that told of it are deleted: evidence is
 * kept for longer than alerts, notices and charges.
 */
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import { TRAIT } from '../../orders/traits.ts';

/**
 * Days after which a report is noted; until then it is read where it is. Charges, by which notices name
 * their payment, are kept for 396 days, and a notice comes within 120 days of its payment.
 */
const NOTED_AFTER_DAYS = 260;

/** Notes what is old enough. Returns how many payments were marked. Repeatable. */
export async function markEvidence(db: Db, organisationId: string, now: Date): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with told as (
      select k.charge_reference as reference, ${TRAIT.disputed}::int as trait
      from alert_case k join alert a on a.organisation_id = k.organisation_id and a.id = k.alert_id
      where k.organisation_id = ${organisationId} and k.charge_reference is not null and a.status <> 'INVALID'
        and k.opened_at < ${now}::timestamptz - make_interval(days => ${NOTED_AFTER_DAYS})
      union all
      -- Alerts of no known charge, by their ARN.
      select c.reference, ${TRAIT.disputed}::int
      from alert a join charge c on c.organisation_id = a.organisation_id
        and c.acquirer_reference_number = a.acquirer_reference_number
      left join alert_case k on k.organisation_id = a.organisation_id and k.alert_id = a.id
      where a.organisation_id = ${organisationId} and k.charge_reference is null and a.status <> 'INVALID'
        and coalesce(a.created_at, a.first_seen_at) < ${now}::timestamptz - make_interval(days => ${NOTED_AFTER_DAYS})
      union all
      select coalesce(r.transaction_reference_id, c.reference), ${TRAIT.disputed}::int
      from representment r left join charge c on c.organisation_id = r.organisation_id
        and c.acquirer_reference_number = r.acquirer_reference_number
      where r.organisation_id = ${organisationId}
        and r.updated_at < ${now}::timestamptz - make_interval(days => ${NOTED_AFTER_DAYS})
      union all
      select c.reference, case when n.notice_type = 'FRAUD_NOTICE' then ${TRAIT.fraud}::int else ${TRAIT.disputed}::int end
      from scheme_notice n join charge c on c.organisation_id = n.organisation_id
        and c.acquirer_reference_number = n.acquirer_reference_number
      where n.organisation_id = ${organisationId} and n.is_revoked is not true
        and n.updated_at < ${now}::timestamptz - make_interval(days => ${NOTED_AFTER_DAYS})
    ), traits as (
      select k.number, t.reference, bit_or(t.trait) as traits
      from told t join evidence_key k on k.organisation_id = ${organisationId}
      where t.reference is not null group by 1, 2
    ), marked as (
      update payment_evidence e set traits = e.traits | t.traits
      from traits t
      where hashtextextended(e.reference, e.organisation) = hashtextextended(t.reference, t.number)
        and e.organisation = t.number and e.reference = t.reference and e.traits & t.traits <> t.traits
      returning 1
    )
    select count(*) as count from marked`.execute(db);
  return rows[0]?.count ?? 0;
}
