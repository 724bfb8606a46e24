/**
 * Takes data about a person out of texts and JSON. Pure.
 *
 * Two manners: what names the person (e-mail, telephone, account id) is replaced wherever it stands;
 * and an order of that person keeps only what the books need: references, amounts, dates, states.
 */
import { isRecord } from '../kernel/is-record.ts';

/** Stands where something was erased. */
export const ERASED = '[erased]';

/** Shortest account id or telephone number that is looked for: shorter ones stand inside other words. */
const IDENTIFIER_LENGTH_MIN = 8;

/** Replaces each identifier in a text, whatever its case. */
export function redactText(text: string, identifiers: readonly string[]): string {
  if (identifiers.length === 0) return text;
  const pattern = identifiers
    .toSorted((a, b) => b.length - a.length)
    .map((identifier) => identifier.replaceAll(/[\\^$.*+?()[\]{}|]/gu, '\\$&'))
    .join('|');
  return text.replaceAll(new RegExp(pattern, 'giu'), ERASED);
}

/** The same in every string of a JSON value, keys included. */
export function redactJson(value: unknown, identifiers: readonly string[]): unknown {
  return mapStrings(value, (text) => redactText(text, identifiers));
}

/**
 * The same in the bytes of a body. What is no JSON is replaced as a whole, because its text cannot be
 * told from its structure.
 */
export function redactBytes(bytes: Uint8Array, identifiers: readonly string[]): Buffer {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return Buffer.from(JSON.stringify(ERASED));
  }
  return Buffer.from(JSON.stringify(redactJson(value, identifiers)));
}

/** Whether bytes name the person, in whatever way JSON can spell them. */
export function isNamedIn(bytes: Uint8Array, identifiers: readonly string[]): boolean {
  const text = new TextDecoder('utf-8').decode(bytes);
  if (redactText(text, identifiers) !== text) return true;
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(redactJson(value, identifiers)) !== JSON.stringify(value);
  } catch {
    return false;
  }
}

/** Texts of an order that stay: what was bought for how much, when, with which card and which end. */
const KEPT_FIELDS: ReadonlySet<string> = new Set([
  'type',
  'organisation_id',
  'integration_id',
  'reference_id',
  'order_number',
  'order_currency',
  'order_status',
  'order_datetime',
  'merchant_name',
  'merchant_store_name',
  'merchant_url',
  'currency',
  'payment_method_type',
  'payment_method_card_brand',
  'payment_method_card_bin',
  'payment_method_card_last_4',
  'authorisation_status',
  'authorised_at',
  'authorisation_code',
  'acquirer_reference_number',
  'descriptor',
  'settlement_datetime',
  'physical_shipping_status',
  'physical_shipping_datetime_shipped',
  'physical_shipping_datetime_delivered',
  'sku',
  'delivery_reference_id',
  'subscription_reference_id',
  'interval',
  'interval_currency',
  'status',
  'stage',
  'cancellation_date',
  'original_transaction_reference_id',
  'refund_datetime',
  'network_reason_code',
  'card_brand',
]);

/** An order without the person: every text that the books do not need is replaced. */
export function redactOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redactOrder);
  if (!isRecord(value)) return typeof value === 'string' ? ERASED : value;
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [
      key,
      typeof field === 'string' && KEPT_FIELDS.has(key) ? field : redactOrder(field),
    ]),
  );
}

/**
 * Texts of an order that may say something about the person: all that {@link redactOrder} replaces,
 * names of products apart.
 */
export function personalTextsOf(order: unknown): string[] {
  if (Array.isArray(order)) return order.flatMap(personalTextsOf);
  if (typeof order === 'string') return [order];
  if (!isRecord(order)) return [];
  return Object.entries(order).flatMap(([key, field]) => {
    if (key === 'items' || (typeof field === 'string' && KEPT_FIELDS.has(key))) return [];
    return personalTextsOf(field);
  });
}

/** What names the person in an order of theirs, to be looked for elsewhere. */
export function identifiersOf(order: unknown): string[] {
  if (!isRecord(order)) return [];
  const fields = ['customer_email', 'order_email', 'customer_account_id', 'order_phone'];
  return fields
    .map((field) => order[field])
    .filter((value): value is string => typeof value === 'string')
    .filter((value) => value.includes('@') || value.length >= IDENTIFIER_LENGTH_MIN);
}

function mapStrings(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((each) => mapStrings(each, map));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [map(key), mapStrings(field, map)]),
  );
}
