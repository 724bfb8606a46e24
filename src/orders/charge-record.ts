/**
 * A charge as the index holds it: the common form of our orders and of what the processor's search
 * finds.
 */
import type { Selectable } from 'kysely';
import { z } from 'zod';
import { camelCased } from '../base/db/case-names.ts';
import { isCurrencyCode } from '../base/kernel/money.ts';
import type { ProcessorCharge } from '../service/wire/processor.ts';
import type { ChargeTable } from './charge.table.ts';

/** One payment at the processor. Times are ISO 8601 UTC; a plain date means that day at 00:00 UTC. */
export interface ChargeRecord {
  readonly reference: string;
  readonly orderReference: string | null;
  readonly integrationId: string | null;
  readonly source: 'order' | 'processor';
  readonly amountMinor: number;
  readonly currency: string;
  readonly authorisedAt: string | null;
  readonly settledAt: string | null;
  readonly authorisationCode: string | null;
  readonly acquirerReferenceNumber: string | null;
  readonly cardBin: string | null;
  readonly cardLast4: string | null;
  readonly cardBrand: string | null;
  readonly descriptor: string | null;
  readonly subscriptionReference: string | null;
}

/** A row of the index as a record. */
export function recordOfRow(
  row: Omit<Selectable<ChargeTable>, 'known_at'> & { readonly known_at?: Date },
): ChargeRecord {
  const { organisation_id: _organisation, known_at: _known, ...columns } = row;
  return {
    ...camelCased(columns),
    authorisedAt: row.authorised_at?.toISOString() ?? null,
    settledAt: row.settled_at?.toISOString() ?? null,
  };
}

/** A charge found by the processor as a record. */
export function recordOfProcessorCharge(charge: ProcessorCharge): ChargeRecord {
  return {
    reference: charge.reference,
    orderReference: charge.orderReference,
    integrationId: null,
    source: 'processor',
    amountMinor: charge.amountMinor,
    currency: charge.currency,
    authorisedAt: utcMoment(charge.authorisedAt),
    settledAt: null,
    authorisationCode: charge.authorisationCode,
    acquirerReferenceNumber: charge.acquirerReferenceNumber,
    cardBin: charge.cardBin,
    cardLast4: charge.cardLast4,
    cardBrand: charge.cardBrand,
    descriptor: null,
    subscriptionReference: charge.subscriptionReference,
  };
}

/**
 * The moment as ISO 8601 UTC, or null when it is none. Done here and not by the database, whose
 * session time zone would move a plain date.
 */
export function utcMoment(value: unknown): string | null {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}/.test(value)) return null;
  const epochMs = Date.parse(value);
  return Number.isFinite(epochMs) ? new Date(epochMs).toISOString() : null;
}

/**
 * Two records of one charge: the processor's fields first, then the newer ones, each gap filled from
 * the other.
 */
export function mergeRecords(known: ChargeRecord, added: ChargeRecord): ChargeRecord {
  const keepsLead = known.source === 'processor' && added.source === 'order';
  const [lead, other] = keepsLead ? [known, added] : [added, known];
  const said = Object.fromEntries(Object.entries(lead).filter(([, value]) => value !== null));
  return { ...other, ...said };
}

// Reads the charges out of an order: one per transaction that names a reference, an amount and
// a currency. Lenient on everything else, because a charge we do not index is an alert we
// cannot match.

/** Text, or null for anything else. */
const text = z.string().min(1).nullable().catch(null).default(null);

const transactionSchema = z.looseObject({
  reference_id: text,
  amount_in_cents: z.int().min(0).nullable().catch(null).default(null),
  currency: text,
  authorised_at: text,
  settlement_datetime: text,
  authorisation_code: text,
  acquirer_reference_number: text,
  payment_method_card_bin: text,
  payment_method_card_last_4: text,
  payment_method_card_brand: text,
  descriptor: text,
});

const orderSchema = z.looseObject({
  reference_id: text,
  integration_id: text,
  transactions: z.array(z.unknown()).catch([]).default([]),
  subscriptions: z
    .array(z.looseObject({ reference_id: text }))
    .catch([])
    .default([]),
});

/**
 * The charges of an order as it stands in the interface (`transactions[]`). Pure. An order without
 * usable transactions, or anything that is no order, has none.
 */
export function chargesOfOrder(order: unknown): ChargeRecord[] {
  const parsed = orderSchema.safeParse(order);
  if (!parsed.success) return [];
  const { reference_id, integration_id, transactions, subscriptions } = parsed.data;
  // Only when there is one can it be said which subscription a payment belongs to.
  const subscription = subscriptions.length === 1 ? (subscriptions[0]?.reference_id ?? null) : null;
  return transactions.flatMap((entry) =>
    chargeOfTransaction(entry, {
      orderReference: reference_id,
      integrationId: integration_id,
      subscriptionReference: subscription,
    }),
  );
}

function chargeOfTransaction(
  entry: unknown,
  order: Pick<ChargeRecord, 'orderReference' | 'integrationId' | 'subscriptionReference'>,
): ChargeRecord[] {
  const parsed = transactionSchema.safeParse(entry);
  if (!parsed.success) return [];
  const { data } = parsed;
  if (data.reference_id === null || data.amount_in_cents === null) return [];
  if (!isCurrencyCode(data.currency)) return [];
  return [
    {
      ...order,
      reference: data.reference_id,
      source: 'order',
      amountMinor: data.amount_in_cents,
      currency: data.currency,
      authorisedAt: utcMoment(data.authorised_at),
      settledAt: utcMoment(data.settlement_datetime),
      authorisationCode: data.authorisation_code,
      acquirerReferenceNumber: data.acquirer_reference_number,
      cardBin: data.payment_method_card_bin,
      cardLast4: data.payment_method_card_last_4,
      cardBrand: data.payment_method_card_brand,
      descriptor: data.descriptor,
    },
  ];
}
