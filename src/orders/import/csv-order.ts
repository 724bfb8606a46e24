/**
 * Turns one row of a CSV file into an order.
 *
 * Columns are named by path: `order_number`, `transactions[0].amount_in_cents` or
 * `transactions.0.amount_in_cents`, `items.1.name`. A column named after an array or object alone,
 * such as `items`, holds JSON. Empty cells are absent fields. Pure.
 */

import { holdsCardNumber } from '../../base/kernel/card-number.ts';
import { isRecord } from '../../base/kernel/is-record.ts';
import type { Problem } from '../submission.ts';

/** Entries of one nested array per row. More columns than this are a mistake in the header. */
const ENTRIES_MAX = 200;

const STEP = /^[A-Za-z_][A-Za-z0-9_]*$/;
const INDEX = /^\d{1,3}$/;
/** Names that would reach into the object's own machinery. */
const FORBIDDEN: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** A column: where its cells go. */
export interface Column {
  readonly name: string;
  /** Lists and objects on the way to the field. */
  readonly parents: readonly (string | number)[];
  readonly field: string | number;
  readonly kind: CellKind;
}

type CellKind = 'json' | 'amount' | 'number' | 'boolean' | 'text';

export type ReadHeader =
  | { readonly ok: true; readonly columns: readonly Column[] }
  | { readonly ok: false; readonly problem: string };

/** Reads the header. */
export function readHeader(names: readonly string[]): ReadHeader {
  const columns: Column[] = [];
  const keysRead = new Set<string>();
  /** What is a part of another column, by the places on its way. */
  const within = new Map<string, string>();
  for (const raw of names) {
    const name = raw.trim().replace(/^\uFEFF/, '');
    const path = pathOf(name);
    if (path === undefined)
      return { ok: false, problem: `column ${JSON.stringify(name)} is no path` };
    const key = JSON.stringify(path);
    if (keysRead.has(key))
      return { ok: false, problem: `column ${JSON.stringify(name)} stands twice` };
    keysRead.add(key);
    for (let length = 1; length < path.length; length += 1) {
      within.set(JSON.stringify(path.slice(0, length)), name);
    }
    const field = path.pop() ?? '';
    columns.push({ name, parents: path, field, kind: kindOf(String(field)) });
  }
  // One of the two would be lost without a word.
  for (const { name, parents, field } of columns) {
    const part = within.get(JSON.stringify([...parents, field]));
    if (part === undefined) continue;
    const both = `${JSON.stringify(name)} and its part ${JSON.stringify(part)}`;
    return { ok: false, problem: `columns ${both} cannot stand side by side` };
  }
  return { ok: true, columns };
}

function pathOf(name: string): (string | number)[] | undefined {
  const steps = name.replaceAll(/\[(\d+)\]/g, '.$1').split('.');
  const path: (string | number)[] = [];
  for (const step of steps) {
    if (INDEX.test(step) && path.length > 0 && Number(step) < ENTRIES_MAX) path.push(Number(step));
    else if (STEP.test(step) && !FORBIDDEN.has(step)) path.push(step);
    else return undefined;
  }
  return path;
}

export type ReadRow =
  | {
      readonly ok: true;
      readonly order: Record<string, unknown>;
      /** Puts the names of the columns into a text that names paths of the order. */
      readonly inColumns: (text: string) => string;
    }
  | {
      readonly ok: false;
      readonly problems: readonly Problem[];
      readonly referenceId: string | null;
    };

/** Creates an order from the cells of one row. */
export function orderOfRow(columns: readonly Column[], cells: readonly string[]): ReadRow {
  const root: Node = new Map();
  const problems: Problem[] = [];
  for (const [position, column] of columns.entries()) {
    const cell = (cells[position] ?? '').trim();
    if (cell === '') continue;
    const value = cellValue(column, cell);
    const problem = PROBLEMS[column.kind];
    if (value === undefined && problem !== undefined)
      problems.push({ field: column.name, problem });
    else put(root, column, value);
  }
  if (problems.length > 0) {
    const reference = root.get('reference_id');
    const isSafe = typeof reference === 'string' && !holdsCardNumber(reference);
    return { ok: false, problems, referenceId: isSafe ? reference : null };
  }
  const moved = new Map<string, string>();
  const order = plain(root, { here: '', column: '', moved });
  const inColumns = (text: string): string => renamed(text, moved);
  return { ok: true, order: isRecord(order) ? order : {}, inColumns };
}

type Node = Map<string | number, unknown>;

function put(root: Node, { parents, field }: Column, value: unknown): void {
  let node = root;
  for (const step of parents) {
    const next = node.get(step);
    if (next instanceof Map) {
      node = next;
      continue;
    }
    const fresh: Node = new Map();
    node.set(step, fresh);
    node = fresh;
  }
  node.set(field, value);
}

/** Where a part is in the order and in the columns, and what is elsewhere than its columns say. */
interface CellPosition {
  readonly here: string;
  readonly column: string;
  readonly moved: Map<string, string>;
}

/** Numbered steps become arrays without gaps: an order may fill fewer columns than its neighbours. */
function plain(value: unknown, position: CellPosition): unknown {
  if (!(value instanceof Map)) return value;
  const entries: [string | number, unknown][] = [...value.entries()];
  if (entries.length > 0 && entries.every(([step]) => typeof step === 'number')) {
    entries.sort(([a], [b]) => Number(a) - Number(b));
    return entries.map(([step, entry], index) => {
      const here = `${position.here}[${index}]`;
      const column = `${position.column}[${step}]`;
      if (here !== column) position.moved.set(here, column);
      return plain(entry, { ...position, here, column });
    });
  }
  return Object.fromEntries(
    entries.map(([step, entry]) => {
      // Most cells are values: they have no position that could move.
      if (!(entry instanceof Map)) return [String(step), entry];
      const dot = position.here === '' ? '' : '.';
      const here = `${position.here}${dot}${step}`;
      return [
        String(step),
        plain(entry, { ...position, here, column: `${position.column}${dot}${step}` }),
      ];
    }),
  );
}

/** `items[0]`, or lists within lists: `items[0].parts[1]`. */
const LIST_PATH = /(?<![\w.\]])[a-z]\w*(?:(?:\.\w+)*\[\d+\])+/gi;

function renamed(text: string, moved: ReadonlyMap<string, string>): string {
  if (moved.size === 0) return text;
  return text.replaceAll(LIST_PATH, (path) => {
    // The innermost list that has moved names all those around it.
    for (let end = path.length; end > 0; end = path.lastIndexOf(']', end - 2) + 1) {
      const column = moved.get(path.slice(0, end));
      if (column !== undefined) return column + path.slice(end);
    }
    return path;
  });
}

const JSON_COLUMNS: ReadonlySet<string> = new Set([
  'transactions',
  'deliveries',
  'items',
  'subscriptions',
  'refunds',
  'disputes',
  'order_communications',
  'order_proof_of_consent',
  'billing_address',
  'physical_shipping_address',
]);
const AMOUNT_FIELD = /_in_cents$/;
const NUMBER_FIELD = /^quantity$/;
const BOOLEAN_FIELD = /_verified$/;
const NUMBER = /^-?\d+(?:\.\d+)?$/;
/** `29.00` is none: as a number it would be 29 cents. */
const WHOLE = /^-?\d+$/;

/** What is wrong with a cell that has no value. */
const PROBLEMS: Readonly<Partial<Record<CellKind, string>>> = {
  json: 'is no valid JSON',
  amount: 'must be a whole number of the smallest unit: 2900 for 29.00, without any sign',
};

function kindOf(field: string): CellKind {
  if (JSON_COLUMNS.has(field)) return 'json';
  if (AMOUNT_FIELD.test(field)) return 'amount';
  if (NUMBER_FIELD.test(field)) return 'number';
  return BOOLEAN_FIELD.test(field) ? 'boolean' : 'text';
}

/** The cell as the field's type wants it; undefined for JSON, or an amount, that is none. */
function cellValue({ kind }: Column, cell: string): unknown {
  if (kind === 'json') return parsed(cell);
  if (kind === 'amount') return WHOLE.test(cell) ? Number(cell) : undefined;
  if (kind === 'number' && NUMBER.test(cell)) return Number(cell);
  if (kind === 'boolean' && /^(?:true|false)$/i.test(cell)) return /^true$/i.test(cell);
  return cell;
}

function parsed(cell: string): unknown {
  try {
    return JSON.parse(cell);
  } catch {
    return undefined;
  }
}
