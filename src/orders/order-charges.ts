/**
 * Reads the charges out of an order: one per transaction that names a reference, an amount and a
 * currency. Lenient on everything else, because a charge we do not index is an alert we cannot match.
 */
import { z } from 'zod';
import { isCurrencyCode } from '../base/kernel/money.ts';
import type { ChargeRecord } from './charge-record.ts';
import { utcMoment } from './charge-record.ts';

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
