/**
 * Which fields an order must carry: the core, and what the programmes enabled on its integration
 * rely on. Every absence is `MISSING_FIELD`; the message names the field and the rule.
 */
import type { OrderInput, OrderTransaction } from '../state/orders.ts';
import type { Programme } from '../state/resources.ts';

/** A field that is not there. */
export interface MissingField {
  readonly field: string;
  /** The rule that wants it: `CORE`, `PARTIAL` or a programme. */
  readonly rule: string;
}

const CORE = [
  'order_datetime',
  'order_number',
  'order_subtotal_amount_in_cents',
  'order_currency',
  'order_total_amount_in_cents',
  'order_status',
] as const;

const DEVICE = ['device_ip_address', 'device_id', 'device_fingerprint'] as const;

/** What every entry of a nested list needs, to be found again and to mean money. */
const PARTS = {
  transactions: ['reference_id', 'amount_in_cents', 'currency'],
  deliveries: ['reference_id', 'type'],
  items: ['reference_id'],
  subscriptions: ['reference_id'],
  refunds: ['reference_id', 'amount_in_cents', 'currency'],
  disputes: ['reference_id', 'amount_in_cents', 'currency'],
} as const;

/** A nested list of an order. */
export type PartName = keyof typeof PARTS;

/** The first missing field of an order, core first, then programme by programme. */
export function findMissing(
  order: OrderInput,
  programmes: readonly Programme[],
): MissingField | undefined {
  return order.type === 'PARTIAL'
    ? (missingDevice(order, 'PARTIAL') ?? missingInParts(order))
    : (missingOf(order, CORE, 'CORE') ??
        missingInParts(order) ??
        firstOf(programmes, (programme) => CHECKS[programme](order)));
}

/** The first missing field inside the nested lists. */
export function missingInParts(
  order: Partial<Record<PartName, readonly object[] | undefined>>,
): MissingField | undefined {
  return firstOf(partNames(), (part) =>
    firstOf([...(order[part] ?? []).entries()], ([index, entry]) => {
      const missing = missingOf(entry, PARTS[part], 'CORE');
      return missing && { ...missing, field: `${part}.${index}.${missing.field}` };
    }),
  );
}

function partNames(): readonly PartName[] {
  return ['transactions', 'deliveries', 'items', 'subscriptions', 'refunds', 'disputes'];
}

/** Digital receipts of the first network want the moment of every refund. */
export function missingRefundMoment(order: Pick<OrderInput, 'refunds'>): MissingField | undefined {
  const index = (order.refunds ?? []).findIndex((refund) => refund.refund_datetime === undefined);
  return index === -1
    ? undefined
    : { field: `refunds.${index}.refund_datetime`, rule: 'NETA_DIGITAL_RECEIPT' };
}

const CHECKS: Readonly<Record<Programme, (order: OrderInput) => MissingField | undefined>> = {
  ALERT_MATCHING: missingForMatching,
  NETA_DIGITAL_RECEIPT: missingRefundMoment,
  NETB_ORDER_INSIGHT: (order) =>
    order.items?.some((item) => item.name !== undefined) === true
      ? undefined
      : { field: 'items.0.name', rule: 'NETB_ORDER_INSIGHT' },
  FIRST_PARTY_TRUST: (order) =>
    missingOf(order, ['customer_email', 'order_email'], 'FIRST_PARTY_TRUST') ??
    missingDevice(order, 'FIRST_PARTY_TRUST'),
  COMPELLING_EVIDENCE_3: (order) =>
    missingOf(order, ['customer_email'], 'COMPELLING_EVIDENCE_3') ??
    missingDevice(order, 'COMPELLING_EVIDENCE_3'),
  MERCHANT_INFORMATION: (order) =>
    missingOf(
      order,
      ['merchant_name', 'merchant_store_name', 'merchant_contact_phone', 'merchant_url'],
      'MERCHANT_INFORMATION',
    ),
};

const MATCHING = [
  'amount_in_cents',
  'currency',
  'authorised_at',
  'payment_method_type',
  'authorisation_status',
] as const;

/** One complete transaction is enough; otherwise the first one's gap is named. */
function missingForMatching(order: OrderInput): MissingField | undefined {
  const transactions = order.transactions ?? [];
  if (transactions.length === 0) return { field: 'transactions', rule: 'ALERT_MATCHING' };
  const gaps = transactions.map((transaction) => gapForMatching(transaction));
  if (gaps.includes(undefined)) return undefined;
  return { field: `transactions.0.${gaps[0]}`, rule: 'ALERT_MATCHING' };
}

function gapForMatching(transaction: OrderTransaction): string | undefined {
  const gap = MATCHING.find((field) => transaction[field] === undefined);
  if (gap !== undefined || transaction.payment_method_type !== 'CARD') return gap;
  if (transaction.payment_method_card_brand === undefined) return 'payment_method_card_brand';
  if (transaction.payment_method_card_last_4 === undefined) return 'payment_method_card_last_4';
  // Combinations (a), (b) and (c): brand, last 4, amount and currency are there by now.
  const identified =
    transaction.acquirer_reference_number !== undefined ||
    transaction.authorisation_code !== undefined ||
    transaction.payment_method_card_bin !== undefined;
  return identified ? undefined : 'acquirer_reference_number';
}

function missingDevice(order: OrderInput, rule: string): MissingField | undefined {
  return DEVICE.some((field) => order[field] !== undefined)
    ? undefined
    : { field: 'device_ip_address', rule };
}

function missingOf(
  object: object,
  fields: readonly string[],
  rule: string,
): MissingField | undefined {
  const present = new Map(Object.entries(object));
  const field = fields.find((name) => present.get(name) === undefined);
  return field === undefined ? undefined : { field, rule };
}

function firstOf<Item>(
  items: readonly Item[],
  find: (item: Item) => MissingField | undefined,
): MissingField | undefined {
  for (const item of items) {
    const missing = find(item);
    if (missing !== undefined) return missing;
  }
  return undefined;
}
