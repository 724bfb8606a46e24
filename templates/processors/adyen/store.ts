/**
 * Keeps Adyen's notifications in a table of your PostgreSQL: the store that the receiver fills and the
 * processor reads.
 *
 * A webhook that comes again changes nothing: the first one with its event, reference and outcome stays.
 * Nothing is deleted; a payment must stay readable as long as it can be refunded or disputed.
 */
import type { ChargeQuery } from 'forestall';
import type { JsonObject } from 'forestall/adapter';
import { textAt } from 'forestall/adapter';
import type pg from 'pg';
import type { AdyenNotifications } from './notifications.ts';
import { adyenValueOf } from './words.ts';

/** Run it once, as the owner of your schema. Running it again changes nothing. */
export const ADYEN_TABLE = `
  create table if not exists adyen_notification (
    seq bigint generated always as identity primary key,
    event_code text not null,
    psp_reference text not null,
    original_reference text,
    success boolean not null,
    received_at timestamptz not null default now(),
    item jsonb not null,
    unique (psp_reference, event_code, success)
  );
  create index if not exists adyen_notification_original on adyen_notification (original_reference);
  create index if not exists adyen_notification_card
    on adyen_notification ((item->'additionalData'->>'cardSummary'))
    where event_code = 'AUTHORISATION' and success;
  create index if not exists adyen_notification_auth_code
    on adyen_notification ((item->'additionalData'->>'authCode'))
    where event_code = 'AUTHORISATION' and success;
  create index if not exists adyen_notification_arn
    on adyen_notification ((item->'additionalData'->>'arn'));`;

/** More payments than this are not looked at one by one. */
const FOUND_MAX = 100;

export interface AdyenStore extends Required<AdyenNotifications> {
  /** For the receiver. All of them or none. */
  store(items: readonly JsonObject[]): Promise<void>;
}

export function createAdyenStore(pool: Pick<pg.Pool, 'query'>): AdyenStore {
  return {
    async store(items): Promise<void> {
      await pool.query(INSERT, [JSON.stringify(items.map(rowOf))]);
    },
    async ofPayment(pspReference): Promise<readonly unknown[]> {
      const { rows } = await pool.query<{ item: unknown }>(OF_PAYMENT, [pspReference]);
      return rows.map(({ item }) => item);
    },
    async search(query): Promise<readonly string[]> {
      const parameters = parametersOf(query);
      // The card's digits, a code, a number or an amount: without one of them everything would fit.
      if ([0, 1, 2, 4].every((place) => parameters[place] === null)) throw new Error('Too wide.');
      const { rows } = await pool.query<{ payment: string }>(SEARCH, parameters);
      if (rows.length > FOUND_MAX) throw new Error(`More than ${FOUND_MAX} payments fit.`);
      return rows.map(({ payment }) => payment);
    },
    async disputesSince(since): Promise<readonly string[]> {
      const { rows } = await pool.query<{ dispute: string }>(DISPUTES, [since]);
      return rows.map(({ dispute }) => dispute);
    },
  };
}

const INSERT = `
  insert into adyen_notification (event_code, psp_reference, original_reference, success, item)
  select event_code, psp_reference, original_reference, success, item
  from jsonb_to_recordset($1::jsonb) as row (
    event_code text, psp_reference text, original_reference text, success boolean, item jsonb)
  on conflict (psp_reference, event_code, success) do nothing`;

function rowOf(item: JsonObject): JsonObject {
  return {
    event_code: textAt(item, 'eventCode') ?? '',
    psp_reference: textAt(item, 'pspReference') ?? '',
    original_reference: textAt(item, 'originalReference'),
    success: String(item['success']) === 'true',
    item,
  };
}

/** What voids a refund names the refund, not the payment. */
const OF_PAYMENT = `
  select item from adyen_notification
  where psp_reference = $1 or original_reference = $1
    or event_code = 'VOID_PENDING_REFUND' and original_reference in (
      select psp_reference from adyen_notification where original_reference = $1)
  order by seq`;

/** Disputes are told of often enough that one look never meets too many. */
const DISPUTES = `
  select distinct psp_reference as dispute from adyen_notification
  where event_code in ('NOTIFICATION_OF_CHARGEBACK', 'CHARGEBACK') and original_reference is not null
    and received_at >= $1::timestamptz`;

/** What was authorised or captured may be the amount of the alert: a tip or a part is a capture alone. */
const SEARCH = `
  select distinct a.psp_reference as payment
  from adyen_notification a
  where a.event_code = 'AUTHORISATION' and a.success
    and ($1::text is null or exists (
      select 1 from adyen_notification n
      where n.item->'additionalData'->>'arn' = $1
        and a.psp_reference in (n.psp_reference, n.original_reference)))
    and ($2::text is null or upper(a.item->'additionalData'->>'authCode') = upper($2))
    and ($3::text is null or a.item->'additionalData'->>'cardSummary' = $3)
    and ($4::text is null or a.item->'additionalData'->>'cardBin' is null
      or starts_with(a.item->'additionalData'->>'cardBin', $4)
      or starts_with($4, a.item->'additionalData'->>'cardBin'))
    and ($5::text is null or exists (
      select 1 from adyen_notification n
      where a.psp_reference in (n.psp_reference, n.original_reference)
        and n.event_code in ('AUTHORISATION', 'AUTHORISATION_ADJUSTMENT', 'CAPTURE')
        and n.item->'amount'->>'value' = $5 and n.item->'amount'->>'currency' = $6))
    and ($7::timestamptz is null or (a.item->>'eventDate')::timestamptz >= $7)
    and ($8::timestamptz is null or (a.item->>'eventDate')::timestamptz <= $8)
  limit ${FOUND_MAX + 1}`;

function parametersOf(query: ChargeQuery): (string | null)[] {
  const { amountMinor, currency } = query;
  const value =
    amountMinor === undefined || currency === undefined
      ? undefined
      : adyenValueOf(amountMinor, currency);
  return [
    query.acquirerReferenceNumber ?? null,
    query.authorisationCode ?? null,
    query.cardLast4 ?? null,
    query.cardBin ?? null,
    value === undefined ? null : String(value),
    currency ?? null,
    query.authorisedFrom ?? null,
    query.authorisedTo ?? null,
  ];
}
