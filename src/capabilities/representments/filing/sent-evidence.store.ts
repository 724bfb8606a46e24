/** All SQL of the outcome of evidence. */
import { sql } from 'kysely';
import type { Db } from '../../../base/db/database.ts';
import { DIGITS_OTHER_THAN_TWO } from '../../../base/kernel/money.ts';
import type { SentEvidence } from '../outcomes/outcomes.ts';
import { BANDS } from '../outcomes/outcomes.ts';

/** Sendings that are counted, the last ones, a dispute's last one only: more do not make an interval narrower that anybody decides by. */
export const COUNTED_MAX = 5_000;

/** Digits of the minor unit, by currency. */
const DIGITS = JSON.stringify(Object.fromEntries(DIGITS_OTHER_THAN_TWO));

/**
 * Evidence that was sent: by us at the processor, by its own word of who won; and by hand, by the service's word, where
 * it is about a dispute for which we sent none. Alike ones are counted together; their amount is one of the same band.
 */
export async function listSentEvidence(db: Db, organisationId: string): Promise<SentEvidence[]> {
  const { rows } = await sql<SentEvidence>`
    with by_us as materialized (
      select dispute_reference, pack_rule, submitted_at from evidence_submission
      where organisation_id = ${organisationId} and state = 'SUBMITTED' and pack_rule is not null
      order by submitted_at desc limit ${sql.lit(COUNTED_MAX)}),
    by_hand as materialized (
      select distinct on (representment_id) representment_id, reason_code, pack_rule, outcome, sent_at
      from (select * from representment_pack where organisation_id = ${organisationId}
        order by sent_at desc limit ${sql.lit(COUNTED_MAX)}) p
      order by representment_id, version desc),
    -- Amounts come in one walk over the index. They are grouped with what was sent, not joined: a plan that expects few rows
    -- would compare each with each.
    handed as (
      select id, max(reason_code) as reason_code, max(pack_rule) as pack_rule, max(outcome) as outcome, max(sent_at) as sent_at,
        max(amount_minor) as amount_minor, max(currency) as currency
      from (
        select representment_id as id, reason_code, pack_rule, outcome, sent_at, null::bigint as amount_minor, null as currency from by_hand
        union all
        select id, null, null, null, null, amount_minor, currency from representment
        where organisation_id = ${organisationId} and id = any(array(select representment_id from by_hand))) as known
      group by id),
    sent as (
      select p.reason_code as "reasonCode", s.pack_rule as "packRule", p.amount_minor, p.currency,
        case when p.status in ('won', 'lost') then p.status else 'open' end as outcome, s.submitted_at as at
      from by_us s
      join processor_dispute p on p.organisation_id = ${organisationId} and p.reference = s.dispute_reference
      union all
      select l.reason_code, l.pack_rule, l.amount_minor, l.currency,
        case l.outcome when 'WON' then 'won' when 'LOST' then 'lost' else 'open' end, l.sent_at
      from handed l
      where not exists (select from processor_dispute p
        join evidence_submission s on s.organisation_id = p.organisation_id and s.dispute_reference = p.reference
        where p.organisation_id = ${organisationId} and p.representment_id = l.id
          and s.state = 'SUBMITTED' and s.pack_rule is not null)),
    last as (
      select *, width_bucket(amount_minor / power(10::float8, coalesce((${DIGITS}::jsonb->>currency)::int, 2)),
        ${[...BANDS]}::float8[]) as band
      from sent order by at desc limit ${sql.lit(COUNTED_MAX)})
    select "reasonCode", "packRule", max(amount_minor) as "amountMinor", currency, outcome, count(*)::int as count
    from last group by "reasonCode", "packRule", currency, outcome, band
    order by count desc, 1, 2, 4, 5`.execute(db);
  return rows;
}
