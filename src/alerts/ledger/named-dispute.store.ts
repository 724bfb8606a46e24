/**
 * Which dispute a scheme notice or a representment speaks of. Like an alert it is one more voice about a
 * complaint of the cardholder, but nothing is paid or answered because of it: it is only shown.
 *
 * The charge is named by the payment's reference, or by its acquirer reference number with the card's
 * last digits or the day beside it, because those numbers are used again (as in the history of a charge).
 * Of the charge's disputes it is the one of the same amount and currency, else the only one, else none
 * yet. What was named after a dispute that people have emptied since is named again.
 */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import { DEFAULT_MATCH_SETTINGS } from '../match/match-settings.ts';
import type { ChargeKey } from './ledger.store.ts';
import type { DisputeMentionTable } from './ledger.table.ts';

/** Mentions stored in one run; the next one continues. */
export const MENTIONS_MAX = 500;

/** How far back notices and representments are looked at, in milliseconds: half a year. */
const SINCE_MS = 180 * 24 * 60 * 60_000;

/** What speaks of a dispute besides its alerts. */
export type DisputeMention = Pick<
  DisputeMentionTable,
  'entity' | 'entity_id' | 'dispute_id' | 'reason'
>;

/** Names the disputes that can be named now. Returns how many mentions were stored. */
export async function nameMentions(
  db: Db,
  { organisationId, now }: { readonly organisationId: string; readonly now: Date },
): Promise<number> {
  const since = new Date(now.getTime() - SINCE_MS);
  const result = await sql`
    with told as materialized (
      select 'scheme_notice' as entity, n.id, null::text as reference, n.acquirer_reference_number as arn,
        ${usable('n.card_bin', BIN)} as card_bin, ${usable('n.card_last4', LAST4)} as card_last4,
        n.amount_minor, n.currency, (n.purchase_date at time zone 'UTC')::date as day
      from scheme_notice n
      where n.organisation_id = ${organisationId} and coalesce(n.fraud_reported_at, n.created_at) > ${since}
        and n.acquirer_reference_number is not null and ${isUnnamed(organisationId, 'scheme_notice')}
      union all
      select 'representment', n.id, n.transaction_reference_id, n.acquirer_reference_number,
        null, null, n.amount_minor, n.currency, ${AUTHORISED_DAY}
      from representment n
      where n.organisation_id = ${organisationId} and (n.dispute_due_by is null or n.dispute_due_by > ${since})
        and ${isUnnamed(organisationId, 'representment')}
    ), named as (
      select entity, id, reference as charge_reference from told where reference is not null
      union all
      select t.entity, t.id, c.reference from told t
      join charge c on c.organisation_id = ${organisationId} and c.acquirer_reference_number = t.arn
      where t.reference is null and ${IS_BACKED}
    ), sole as (
      select entity, id, min(charge_reference) as charge_reference from named group by entity, id having count(*) = 1
    ), judged as (
      select s.entity, s.id, count(*) as disputes, min(d.id) as only_id,
        count(*) filter (where ${IS_EQUAL}) as equals, min(d.id) filter (where ${IS_EQUAL}) as equal_id
      from sole s join told t on t.entity = s.entity and t.id = s.id
      join dispute d on d.organisation_id = ${organisationId} and d.charge_reference = s.charge_reference
      where exists (select from alert_case k where k.organisation_id = d.organisation_id and k.dispute_id = d.id)
      group by s.entity, s.id
    )
    insert into dispute_mention (organisation_id, entity, entity_id, dispute_id, reason, mentioned_at)
    select ${organisationId}, entity, id, case when equals = 1 then equal_id else only_id end,
      case when equals = 1 then 'the same amount' else 'the only dispute of the charge' end, ${now}
    from judged where equals = 1 or disputes = 1
    order by entity, id limit ${MENTIONS_MAX}
    on conflict (organisation_id, entity, entity_id) do update set
      dispute_id = excluded.dispute_id, reason = excluded.reason, mentioned_at = excluded.mentioned_at`.execute(
    db,
  );
  return Number(result.numAffectedRows ?? 0n);
}

/** Nothing names its dispute, or only one to which no alert belongs any more. */
function isUnnamed(organisationId: string, entity: DisputeMention['entity']): RawBuilder<unknown> {
  return sql`not exists (
    select from dispute_mention m
    join alert_case k on k.organisation_id = m.organisation_id and k.dispute_id = m.dispute_id
    where m.organisation_id = ${organisationId} and m.entity = ${entity} and m.entity_id = n.id)`;
}

const BIN = '^\\d{6,8}$';
const LAST4 = '^\\d{4}$';

/** The column where it is what it should be, else null: placeholders say nothing, for or against. */
function usable(column: string, form: string): RawBuilder<unknown> {
  return sql`substring(${sql.ref(column)} from ${sql.lit(form)})`;
}

/** The day a representment's payment was authorised on, where its text is a day. */
const AUTHORISED_DAY = sql`(
  (substring(n.snapshot ->> 'transaction_authorisation_date' from '^([12]\\d{3}-(0[1-9]|1[0-2]))-') || '-01')::date
  + substring(n.snapshot ->> 'transaction_authorisation_date' from '^[12]\\d{3}-..-(0[1-9]|[12]\\d|3[01])')::int - 1)`;

const CHARGE_DAY = sql`(coalesce(c.authorised_at, c.settled_at) at time zone 'UTC')::date`;

const { apartDays } = DEFAULT_MATCH_SETTINGS;

/** Whether more than the number says that the charge is meant, and nothing says otherwise. */
const IS_BACKED = sql`t.arn ~ '^[0-9A-Z]{23}$' and t.arn !~ '^0+$'
  and (t.card_last4 = ${usable('c.card_last4', LAST4)} or ${CHARGE_DAY} is not null and t.day is not null)
  and coalesce(abs(${CHARGE_DAY} - t.day) <= ${sql.lit(apartDays)}, true)
  and coalesce(t.card_last4 = ${usable('c.card_last4', LAST4)}, true)
  and coalesce(starts_with(${usable('c.card_bin', BIN)}, t.card_bin) or starts_with(t.card_bin, ${usable('c.card_bin', BIN)}), true)`;

/** Whether the dispute is about the same sum. */
const IS_EQUAL = sql`d.amount_minor = t.amount_minor and d.currency = t.currency`;

/** What speaks of the charge's disputes, by their ids. */
export async function mentionsOfCharge(
  db: Db,
  { organisationId, chargeReference }: ChargeKey,
): Promise<DisputeMention[]> {
  return await db
    .selectFrom('dispute_mention as m')
    .innerJoin('dispute as d', (join) =>
      join.onRef('d.organisation_id', '=', 'm.organisation_id').onRef('d.id', '=', 'm.dispute_id'),
    )
    .select(['m.entity', 'm.entity_id', 'm.dispute_id', 'm.reason'])
    .where('d.organisation_id', '=', organisationId)
    .where('d.charge_reference', '=', chargeReference)
    .orderBy('m.mentioned_at')
    .orderBy('m.entity_id')
    .execute();
}
