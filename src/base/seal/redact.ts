/**
 * Takes data about a person out of texts and JSON. Pure.
 *
 * Two manners: what names the person (e-mail, telephone, account id, name, address) is replaced wherever it is
 * (`person.ts`); and an order of that person keeps only what the books need: references, amounts, dates, states.
 */
import { isRecord } from '../kernel/is-record.ts';
import type { Person } from './person.ts';
import { IDENTIFIER_LENGTH_MIN } from './person.ts';

/** Written where something was erased. */
export const ERASED = '[erased]';

/**
 * Written where something was erased in a document that must stay one: in YAML and the like the other would be a list,
 * and what takes an address there takes this one.
 */
export const ERASED_IN_DOCUMENT = 'erased@erased.invalid';

/**
 * Takes a person out of every text of a JSON document, names of fields included. All else stays as it is written: white
 * space, order, numbers to their last digit.
 */
export function redactJson(json: string, person: Person, mark: string = ERASED): string {
  return json.replaceAll(JSON_SCALAR, (scalar) => {
    const text = textOf(scalar);
    const left = person.redact(text, mark);
    return left === text ? scalar : JSON.stringify(left);
  });
}

/** A string or a number as JSON writes it. */
const JSON_SCALAR = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/gs;

function textOf(scalar: string): string {
  if (!scalar.startsWith('"')) return scalar;
  const value: unknown = JSON.parse(scalar);
  return String(value);
}

/** Whether a text of the JSON document names the person; two texts next to each other do not together. */
export function isNamedInJson(json: string, person: Person): boolean {
  // Nearly none does, and one look at the whole costs less than one at each of its texts.
  if (!person.names(json)) return false;
  for (const { 0: scalar } of json.matchAll(JSON_SCALAR)) {
    if (person.names(textOf(scalar))) return true;
  }
  return false;
}

/** Whether bytes name the person: as a document of JSON, or else as text. */
export function isNamedIn(bytes: Uint8Array, person: Person): boolean {
  const json = jsonOf(bytes);
  return json === undefined
    ? person.names(new TextDecoder('utf-8').decode(bytes))
    : isNamedInJson(json, person);
}

function jsonOf(bytes: Uint8Array): string | undefined {
  try {
    const json = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    JSON.parse(json);
    return json;
  } catch {
    return undefined;
  }
}

/**
 * The same in the bytes of a body. What is no JSON is replaced as a whole, because its text cannot be
 * told from its structure.
 */
export function redactBytes(bytes: Uint8Array, person: Person): Buffer {
  const json = jsonOf(bytes);
  return Buffer.from(json === undefined ? JSON.stringify(ERASED) : redactJson(json, person));
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

/** Fields of an order that each name its customer. */
const NAMING_FIELDS = [
  'customer_email',
  'order_email',
  'customer_account_id',
  'order_phone',
  'customer_phone',
];

/** Addresses in an order: the line of one that names a house. */
const ADDRESS_LINE = 'line_1';

/** What names the person in an order of theirs, to be looked for elsewhere: also names in either order, and addresses. */
export function identifiersOf(order: unknown): string[] {
  if (!isRecord(order)) return [];
  const text = (field: string): string => {
    const value = order[field];
    return typeof value === 'string' ? value.trim() : '';
  };
  const first = text('customer_first_name');
  const last = text('customer_last_name');
  const names = first === '' || last === '' ? [] : [`${first} ${last}`, `${last} ${first}`];
  return [...NAMING_FIELDS.map(text), ...names, ...houseLinesOf(order)].filter(
    (value) => value !== ERASED && (value.includes('@') || value.length >= IDENTIFIER_LENGTH_MIN),
  );
}

/** Without a number a line names a street, and everybody who lives there. */
function houseLinesOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(houseLinesOf);
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, field]) => {
    if (typeof field !== 'string') return houseLinesOf(field);
    return key === ADDRESS_LINE && /\p{N}/u.test(field) ? [field.trim()] : [];
  });
}
