/**
 * Reads what a merchant sends: an order, or a change of one. Shape only; whether the order is ready
 * for the merchant's programmes is judged afterwards.
 *
 * A null means "not there", as most systems write it. Text that Postgres cannot hold, and card
 * numbers, are refused with the field's path and never with the value.
 */
import type { z } from 'zod';
import { fieldHoldsCard, holdsCardNumber } from '../base/kernel/card-number.ts';
import { isRecord } from '../base/kernel/is-record.ts';
import { issueProblem } from '../service/wire/issue-sentence.ts';
import { UPDATABLE_FIELDS } from '../service/wire/order-update.ts';
import type { OrderBody, OrderChange } from './order-body.ts';
import { orderBodySchema, orderChangeSchema } from './order-body.ts';

/** What is wrong with one field, in words, without its value. */
export interface Problem {
  readonly field: string;
  readonly problem: string;
}

export type Read<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problems: readonly Problem[]; readonly cardNumber: boolean };

/** What an order takes from its context when it does not say so itself. */
export interface SubmissionDefaults {
  readonly organisationId: string;
  readonly integrationId: string | undefined;
}

/** Nesting beyond this is no order; the deepest field known is four deep. */
const DEPTH_MAX = 12;

/** Entries of one list. An order of a thousand lines exists; each one costs a row and milliseconds. */
export const ENTRIES_MAX = 1_000;

/** Fields of one object: several times as many as the interface names. */
export const FIELDS_MAX = 500;

/** Values in an order, of all depths: beyond, reading it would hold up everything else in the process. */
export const VALUES_MAX = 30_000;

/** A NUL or half of a surrogate pair: Postgres refuses both inside JSON. */
function isUnstorable(text: string): boolean {
  return text.includes('\u0000') || !text.isWellFormed();
}

/** Names of fields as the interface writes them: too few digits for a card number, and all of it can be stored. */
const HARMLESS_NAME = /^[A-Za-z_]+\d{0,4}$/;

/** Problems named at most: the first ones show the way. */
const PROBLEMS_MAX = 10;

const NESTED_ARRAYS = ['items', 'deliveries', 'transactions', 'refunds', 'disputes'] as const;

/** Reads one order. `organisation_id`, `integration_id` and `type` may be left out. */
export function readSubmission(input: unknown, defaults: SubmissionDefaults): Read<OrderBody> {
  const cleaned = clean(input);
  if (!cleaned.ok) return cleaned;
  if (!isRecord(cleaned.value)) return refuse(WHOLE, 'must be an object');
  const order: Record<string, unknown> = {
    type: 'COMPLETE',
    organisation_id: defaults.organisationId,
    ...(defaults.integrationId === undefined ? {} : { integration_id: defaults.integrationId }),
    ...cleaned.value,
  };
  numberLines(order);
  const read = parse(orderBodySchema, order);
  if (!read.ok) return read;
  const { value } = read;
  if (value.organisation_id !== defaults.organisationId) {
    return refuse('organisation_id', 'is another organisation than this installation serves');
  }
  return check(value);
}

/** Reads a change of an order. */
export function readChange(input: unknown): Read<OrderChange> {
  const cleaned = clean(input, { keepNulls: true });
  return cleaned.ok ? parse(orderChangeSchema, cleaned.value) : cleaned;
}

/** Items and deliveries need no reference from the merchant: `<order>:<line>` is one. */
function numberLines(order: Record<string, unknown>): void {
  const { reference_id: own } = order;
  if (typeof own !== 'string') return;
  for (const array of ['items', 'deliveries'] as const) {
    const entries = order[array];
    if (!Array.isArray(entries)) continue;
    order[array] = entries.map((entry: unknown, index) =>
      isRecord(entry) && entry['reference_id'] === undefined
        ? { ...entry, reference_id: `${own}:${array === 'items' ? '' : 'd'}${index + 1}` }
        : entry,
    );
  }
}

/** Rules between fields that types cannot say. */
function check(order: OrderBody): Read<OrderBody> {
  if (order.type === 'PARTIAL' && !hasDevice(order)) {
    return refuse(
      'device_ip_address',
      'a PARTIAL order must carry device_ip_address, device_id or device_fingerprint',
    );
  }
  for (const array of NESTED_ARRAYS) {
    if (array === 'items') continue; // the same product on two lines is common; lines are numbered
    const repeated = firstRepeated((order[array] ?? []).map((entry) => entry.reference_id));
    if (repeated !== undefined) {
      return refuse(`${array}[${repeated}].reference_id`, `stands twice in ${array}`);
    }
  }
  return { ok: true, value: order };
}

/** Whether any of the three device identifiers is there. */
export function hasDevice(order: OrderBody): boolean {
  return [order.device_ip_address, order.device_id, order.device_fingerprint].some(
    (value) => value !== undefined,
  );
}

function firstRepeated(references: readonly string[]): number | undefined {
  const earlier = new Set<string>();
  for (const [index, reference] of references.entries()) {
    if (earlier.has(reference)) return index;
    earlier.add(reference);
  }
  return undefined;
}

function parse<Schema extends z.ZodType>(schema: Schema, input: unknown): Read<z.infer<Schema>> {
  const parsed = schema.safeParse(input, { reportInput: true });
  if (parsed.success) return { ok: true, value: parsed.data };
  const problems = parsed.error.issues.flatMap(problemsOf);
  // That nothing usable is left is said only when nothing else is.
  const telling = problems.filter(({ field }) => field !== WHOLE);
  const named = telling.length === 0 ? problems : telling;
  return { ok: false, problems: named.slice(0, PROBLEMS_MAX), cardNumber: false };
}

/** Means the order or change itself. */
const WHOLE = '(order)';

/** The issue as a merchant reads it. */
export function problemsOf(issue: z.core.$ZodIssue): Problem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      field: pathText([...issue.path, key]),
      problem: `cannot be changed after creation; only ${UPDATABLE_FIELDS.slice(0, -1).join(', ')} and ${UPDATABLE_FIELDS.at(-1)} can`,
    }));
  }
  return [
    {
      field: pathText(issue.path) || WHOLE,
      problem: issueProblem(issue),
    },
  ];
}

interface CleanOptions {
  readonly keepNulls?: boolean;
}

/** Walks the whole input once: drops nulls, finds card numbers and text that cannot be stored. */
function clean(input: unknown, options: CleanOptions = {}): Read<unknown> {
  const problems: Problem[] = [];
  let cardNumber = false;
  // One path for the whole walk: orders have dozens of fields, and imports a hundred thousand orders.
  const path: (string | number)[] = [];
  const complain = (problem: string): void => {
    if (problems.length < PROBLEMS_MAX) problems.push({ field: pathText(path) || WHOLE, problem });
  };
  const checkText = (value: string): void => {
    if (isUnstorable(value)) complain('holds a character that cannot be stored; remove it');
    if (!fieldHoldsCard(String(path.at(-1)), value)) return;
    cardNumber = true;
    complain('holds a full card number; send first six and last four digits only');
  };
  const checkName = (name: string): void => {
    if (HARMLESS_NAME.test(name)) return;
    if (isUnstorable(name)) complain('has a field whose name cannot be stored');
    if (!holdsCardNumber(name)) return;
    cardNumber = true;
    complain('has a field named by a full card number; send first six and last four digits only');
  };
  let values = 0;
  const isTooMuch = (): boolean => {
    values += 1;
    if (values === VALUES_MAX + 1) {
      problems.push({ field: WHOLE, problem: `holds more than ${VALUES_MAX} values` });
    }
    return values > VALUES_MAX;
  };
  const within = (step: string | number, value: unknown): unknown => {
    path.push(step);
    const walked = isTooMuch() ? undefined : walk(value);
    path.pop();
    return walked;
  };
  const walk = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) {
      if (typeof value === 'string' || typeof value === 'number') checkText(String(value));
      return value;
    }
    const problem = sizeProblem(value, path.length);
    if (problem !== undefined) return void complain(problem);
    if (Array.isArray(value)) return value.map((entry: unknown, index) => within(index, entry));
    const copy = copyOf(value, options);
    const names = Object.keys(copy);
    for (const name of names) checkName(name);
    for (const name of names) copy[name] = within(name, copy[name]);
    return copy;
  };
  const value = walk(input);
  return problems.length === 0 ? { ok: true, value } : { ok: false, problems, cardNumber };
}

/** What is too deep, too long or too wide, before it is looked into. */
function sizeProblem(value: object, depth: number): string | undefined {
  if (depth >= DEPTH_MAX) return `is nested more than ${DEPTH_MAX} deep`;
  if (Array.isArray(value)) {
    return value.length > ENTRIES_MAX
      ? `has ${value.length} entries; ${ENTRIES_MAX} are taken`
      : undefined;
  }
  const fields = Object.keys(value).length;
  return fields > FIELDS_MAX ? `has ${fields} fields; ${FIELDS_MAX} are taken` : undefined;
}

/** The object without fields that are absent. */
function copyOf(value: object, { keepNulls = false }: CleanOptions): Record<string, unknown> {
  const isThere = (entry: unknown): boolean => entry !== undefined && (entry !== null || keepNulls);
  if (Object.values(value).every(isThere)) return { ...value };
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => isThere(entry)));
}

/** `transactions[0].currency`. */
function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
    .replace(/^\./, '');
}

function refuse(field: string, problem: string): Read<never> {
  return { ok: false, problems: [{ field, problem }], cardNumber: false };
}
