/**
 * What our own orders hold as evidence for a contested dispute, item by item: present, with a few words,
 * or missing.
 */
import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../../base/db/database.ts';
import { dataKeysOf } from '../../base/seal/carried-keys.ts';
import type { DataKeys } from '../../base/seal/data-keys.ts';
import { openJson } from '../../base/seal/seal.ts';
import { placeOfOrder } from '../../orders/sealed-order.ts';
import type { RepresentmentRow } from './entity-list.store.ts';

/** One item of the checklist; `held` is null when we do not have it. */
export interface EvidenceItem {
  readonly label: string;
  readonly held: string | null;
}

interface Found {
  readonly id: string;
  readonly chargeReference: string;
  readonly orderReference: string | null;
  readonly integrationId: string | null;
  readonly body: Readonly<Record<string, unknown>> | null;
  readonly refunds: number;
  readonly others: number;
}

/** Reads the checklists of representments, by id. */
export async function readEvidence(
  db: Kysely<Database>,
  organisationId: string,
  of: readonly RepresentmentRow[],
): Promise<ReadonlyMap<string, EvidenceItem[]>> {
  const { rows } = await sql<Found>`
    select wanted.id, c.reference as "chargeReference", o.reference_id as "orderReference", o.integration_id as "integrationId", o.body,
      (select count(*) from movement m where m.organisation_id = c.organisation_id
        and m.charge_reference = c.reference and m.state = 'CONFIRMED' and m.kind <> 'chargeback') as refunds,
      (select count(*) from charge p where p.organisation_id = c.organisation_id
        and p.card_last4 = c.card_last4 and p.card_bin = c.card_bin and p.reference <> c.reference
        and p.authorised_at < c.authorised_at) as others
    from unnest(${of.map(({ id }) => id)}::text[],
      ${of.map((row) => row.transaction_reference_id)}::text[],
      ${of.map((row) => row.acquirer_reference_number)}::text[]) as wanted (id, reference, arn)
    cross join lateral (
      select * from charge where organisation_id = ${organisationId} and reference = wanted.reference
      union all
      select * from charge where organisation_id = ${organisationId}
        and acquirer_reference_number = wanted.arn
      limit 1
    ) as c
    left join lateral (
      select integration_id, reference_id, body from order_record
      where organisation_id = c.organisation_id and reference_id = c.order_reference limit 1
    ) as o on true`.execute(db);
  const keys = dataKeysOf(db);
  const found = new Map(rows.map((row) => [row.id, openFound(keys, organisationId, row)]));
  return new Map(of.map(({ id }) => [id, checklist(found.get(id))]));
}

function openFound(keys: DataKeys | undefined, organisationId: string, row: Found): Found {
  const { integrationId, orderReference: referenceId, body } = row;
  if (integrationId === null || referenceId === null) return row;
  const place = placeOfOrder({ organisationId, integrationId, referenceId }, 'body');
  return { ...row, body: openJson(keys, place, body) };
}

function checklist(found: Found | undefined): EvidenceItem[] {
  const body = found?.body ?? {};
  return [
    { label: 'The payment', held: found?.chargeReference ?? null },
    { label: 'The order', held: found?.orderReference ?? null },
    { label: 'Items sold', held: countOf(body['items']) },
    { label: 'Delivery', held: deliveryOf(body['deliveries']) },
    { label: 'Customer and contact', held: textOf(body['customer_email']) },
    { label: 'Customer account', held: textOf(body['customer_account_id']) },
    { label: 'Device or network address', held: deviceOf(body) },
    { label: 'Messages with the customer', held: countOf(body['order_communications']) },
    { label: 'Subscription terms', held: countOf(body['subscriptions']) },
    { label: 'Refund already made', held: plural(found?.refunds ?? 0, 'refund') },
    { label: 'Earlier payments with the same card', held: plural(found?.others ?? 0, 'payment') },
  ];
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? 'on the order' : null;
}

function countOf(value: unknown): string | null {
  return Array.isArray(value) ? plural(value.length, 'entry') : null;
}

function plural(count: number, word: string): string | null {
  if (count === 0) return null;
  const many = word === 'entry' ? 'entries' : `${word}s`;
  return `${count} ${count === 1 ? word : many}`;
}

function deviceOf(body: Readonly<Record<string, unknown>>): string | null {
  const fields = ['device_ip_address', 'device_id', 'device_fingerprint'];
  const held = fields.filter((field) => textOf(body[field]) !== null);
  return held.length === 0 ? null : held.map((field) => field.replace('device_', '')).join(', ');
}

/** The best that is known of any delivery: a parcel that arrived, its tracking, or that there is one. */
function deliveryOf(value: unknown): string | null {
  if (!Array.isArray(value) || value.length === 0) return null;
  const words = value.map((delivery: unknown) => {
    const fields = new Map(
      typeof delivery === 'object' && delivery !== null ? Object.entries(delivery) : [],
    );
    if (fields.get('physical_shipping_datetime_delivered') != null)
      return 'delivered, with its day';
    if (fields.get('physical_shipping_tracking_number') != null) return 'sent, with tracking';
    return 'without proof that it arrived';
  });
  return words.toSorted((a, b) => a.localeCompare(b))[0] ?? null;
}
