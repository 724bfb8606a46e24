/**
 * Pre-flight: which programmes an order is ready for, the exact field missing for each, and what a
 * person should know before it is too late to change it.
 *
 * Rules are those of the specification's table "Field sets per programme". Pure.
 */
import {
  ARN_LENGTH,
  AUTHORISATION_CODE_LENGTH,
  ORDER_NUMBER_LENGTH_MAX,
} from '../service/wire/limits.ts';
import { PAYMENT_METHOD_CARD } from '../service/wire/order-parts.ts';
import type { OrderBody, TransactionPart } from './order-body.ts';
import { unknownFields } from './order-body.ts';
import type { Programme, ProgrammePolicy } from './programme.ts';
import { PROGRAMMES } from './programme.ts';
import { hasDevice } from './submission.ts';

/** Ways to find a card payment (specification, Card matching identifiers). */
export type CardCombination = 'a' | 'b' | 'c';

/** What pre-flight found. */
export interface Readiness {
  /** Field paths missing for each programme; empty when ready. Alternatives are joined by `|`. */
  readonly missing: Readonly<Record<Programme, readonly string[]>>;
  /** Programmes without anything missing. */
  readonly ready: readonly Programme[];
  /** Per transaction, the combinations of card identifiers it satisfies. */
  readonly cards: readonly CardIdentifiers[];
  /** Values the interface does not take; sending would be refused. */
  readonly faults: readonly string[];
  /** What cannot be added later, is cut, or is not a known field. */
  readonly warnings: readonly string[];
}

export interface CardIdentifiers {
  readonly transaction: string;
  readonly combinations: readonly CardCombination[];
}

const DEVICE = 'device_ip_address|device_id|device_fingerprint';

/** Judges an order. */
export function assessOrder(order: OrderBody): Readiness {
  const missing: Record<Programme, readonly string[]> = {
    alerts: missingForAlerts(order),
    'receipt-neta': missingForFirstReceipt(order),
    'receipt-netb': (order.items ?? []).some((item) => item.name !== undefined)
      ? []
      : ['items[0].name'],
    'first-party-trust': [...absent(order, ['customer_email', 'order_email']), ...device(order)],
    'compelling-evidence': [...absent(order, ['customer_email']), ...device(order)],
    'merchant-information': absent(order, [
      'merchant_name',
      'merchant_store_name',
      'merchant_contact_phone',
      'merchant_url',
    ]),
  };
  return {
    missing,
    ready: PROGRAMMES.filter((programme) => missing[programme].length === 0),
    cards: (order.transactions ?? []).filter(isCard).map((transaction) => ({
      transaction: transaction.reference_id,
      combinations: cardCombinations(transaction),
    })),
    faults: faultsOf(order),
    warnings: warningsOf(order),
  };
}

/** Why the order must not be sent yet, or undefined. */
export function holdReason(readiness: Readiness, policy: ProgrammePolicy): string | undefined {
  const reasons = [...readiness.faults];
  for (const programme of policy.required) {
    const missing = readiness.missing[programme];
    if (missing.length > 0)
      reasons.push(`not ready for ${programme}: ${missing.join(', ')} missing`);
  }
  return reasons.length === 0 ? undefined : reasons.join('; ');
}

/** The combinations a card transaction satisfies: (a) ARN; (b) code and last 4; (c) BIN to currency. */
export function cardCombinations(transaction: TransactionPart): CardCombination[] {
  const found: CardCombination[] = [];
  const last4 = transaction.payment_method_card_last_4 !== undefined;
  if (transaction.acquirer_reference_number?.length === ARN_LENGTH) found.push('a');
  if (transaction.authorisation_code?.length === AUTHORISATION_CODE_LENGTH && last4)
    found.push('b');
  const { payment_method_card_bin: bin, payment_method_card_brand: brand } = transaction;
  if (bin !== undefined && last4 && brand !== undefined) found.push('c'); // amount, currency: always there
  return found;
}

function isCard(transaction: TransactionPart): boolean {
  return (
    transaction.payment_method_type === PAYMENT_METHOD_CARD ||
    transaction.payment_method_card_last_4 !== undefined ||
    transaction.payment_method_card_bin !== undefined
  );
}

/** One ready transaction is enough; else the gaps of the one that is nearest. */
function missingForAlerts(order: OrderBody): string[] {
  // A PARTIAL order enriches a transaction that the processor integration has already brought.
  if (order.type === 'PARTIAL') return [];
  const gaps = (order.transactions ?? []).map(gapsOfTransaction);
  gaps.sort((a, b) => a.length - b.length);
  return gaps[0] ?? ['transactions'];
}

function gapsOfTransaction(transaction: TransactionPart, index: number): string[] {
  const fields = ['authorised_at', 'payment_method_type', 'authorisation_status'];
  if (isCard(transaction)) fields.push('payment_method_card_brand', 'payment_method_card_last_4');
  const gaps = fields.filter((field) => transaction[field] === undefined);
  if (isCard(transaction) && !hasIdentifier(transaction)) {
    gaps.push('acquirer_reference_number|authorisation_code|payment_method_card_bin');
  }
  return gaps.map(
    (field) => `transactions[${index}].${field.replaceAll('|', `|transactions[${index}].`)}`,
  );
}

/** Whether one of the identifiers is there that brand and last digits, needed anyway, make complete. */
function hasIdentifier(transaction: TransactionPart): boolean {
  const brand = transaction.payment_method_card_brand ?? 'any';
  const last4 = transaction.payment_method_card_last_4 ?? '0000';
  const filled = { payment_method_card_brand: brand, payment_method_card_last_4: last4 };
  return cardCombinations({ ...transaction, ...filled }).length > 0;
}

/** Amounts and dates of a PARTIAL order come with the processor's transaction; its number does not. */
function missingForFirstReceipt(order: OrderBody): string[] {
  const core =
    order.type === 'PARTIAL'
      ? ['order_number']
      : [
          'order_datetime',
          'order_number',
          'order_subtotal_amount_in_cents',
          'order_currency',
          'order_total_amount_in_cents',
        ];
  const undated = (order.refunds ?? []).flatMap((refund, index) =>
    refund.refund_datetime === undefined ? [`refunds[${index}].refund_datetime`] : [],
  );
  return [...absent(order, core), ...undated];
}

function device(order: OrderBody): string[] {
  return hasDevice(order) ? [] : [DEVICE];
}

function absent(order: OrderBody, fields: readonly string[]): string[] {
  return fields.filter((field) => order[field] === undefined);
}

/** The service takes exactly these lengths; a wrong one in a batch could cost the whole batch. */
function faultsOf(order: OrderBody): string[] {
  const lengths = [
    ['acquirer_reference_number', ARN_LENGTH],
    ['authorisation_code', AUTHORISATION_CODE_LENGTH],
  ] as const;
  return (order.transactions ?? []).flatMap((transaction, index) =>
    lengths.flatMap(([field, length]) => {
      const value = transaction[field];
      return value === undefined || value.length === length
        ? []
        : [`transactions[${index}].${field} has ${value.length} characters, not ${length}`];
    }),
  );
}

/** Fixed at creation (specification, Orders, update rules 3 and 4). */
const UNPATCHABLE = ['customer_email', 'customer_account_id', 'transactions', 'items'] as const;

function warningsOf(order: OrderBody): string[] {
  const warnings: string[] = [];
  if (order.order_number !== undefined && order.order_number.length > ORDER_NUMBER_LENGTH_MAX) {
    warnings.push(
      `order_number has ${order.order_number.length} characters; receipts of the second network cut it at ${ORDER_NUMBER_LENGTH_MAX}`,
    );
  }
  const lost = UNPATCHABLE.filter((field) => isEmpty(order[field]));
  const later = [...lost, ...(hasDevice(order) ? [] : [DEVICE])];
  if (order.type === 'PARTIAL')
    later.splice(0, later.length, ...lost.filter((f) => f.startsWith('customer')));
  if (later.length > 0) warnings.push(`cannot be added after creation: ${later.join(', ')}`);
  const frozen = (['deliveries', 'subscriptions'] as const).filter((field) =>
    isEmpty(order[field]),
  );
  if (frozen.length > 0) {
    warnings.push(`can be updated later only if sent now: ${frozen.join(', ')}`);
  }
  const cardsWithoutDescriptor = (order.transactions ?? []).some(
    (transaction) => isCard(transaction) && transaction.descriptor === undefined,
  );
  if (cardsWithoutDescriptor) {
    warnings.push('a card transaction has no descriptor, which tells whose enrolment an alert is');
  }
  const unknown = unknownFields(order);
  if (unknown.length > 0)
    warnings.push(`not named in the interface, sent as they are: ${unknown.join(', ')}`);
  return warnings;
}

function isEmpty(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.length === 0);
}
