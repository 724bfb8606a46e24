/**
 * Reads the body of a request with orders. In `forestall start` the same process takes webhooks in: no body, however
 * it is made, holds it up for long. A large list is cut into its orders byte by byte, and others have their turn meanwhile.
 */
import { Buffer } from 'node:buffer';
import type { JsonOutcome } from '../service/wire/strict-json.ts';
import { parseJsonStrict } from '../service/wire/strict-json.ts';
import type { ReadingTurn } from './reading-turn.ts';
import { beginReading } from './reading-turn.ts';

/** Largest order, and largest body that is read at once, in bytes. */
export const ORDER_BYTES_MAX = 256 * 1024;

/** Values in all orders of a list, of all depths: 8 MB of orders have fewer, and reading more is work for seconds. */
export const LIST_VALUES_MAX = 400_000;

/** Bytes looked at before it is asked whether others have their turn: well under a millisecond. */
const LOOK_AT_ONCE = 64 * 1024;

export type OrdersBody =
  | JsonOutcome
  | {
      readonly ok: false;
      readonly reason: 'too_large';
      /** Of the order in a list; undefined: the body is one order. */
      readonly index: number | undefined;
    }
  /** The orders of a list together hold more than {@link LIST_VALUES_MAX} values. */
  | { readonly ok: false; readonly reason: 'too_many_values' };

/**
 * Reads one order, or a list of at most `countMax`; of a longer list that many and one more. A list is looked at as a whole before any
 * of its orders is read: what is refused for its size costs that look and no more.
 */
export async function readOrdersBody(body: Buffer, countMax: number): Promise<OrdersBody> {
  if (body.length <= ORDER_BYTES_MAX) return parseJsonStrict(body);
  const scan: Scan = { body, index: 0, values: 0, turn: beginReading() };
  await skipBlanks(scan);
  if (body[scan.index] !== OPEN_LIST) return { ok: false, reason: 'too_large', index: undefined };
  const found = await findEntries(scan, countMax);
  return 'ok' in found ? found : await readEntries(scan, found);
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Where the entries of the list that begins here stand. */
async function findEntries(
  scan: Scan,
  countMax: number,
): Promise<readonly Span[] | Exclude<OrdersBody, { ok: true }>> {
  const { body } = scan;
  const spans: Span[] = [];
  while (spans.length <= countMax) {
    const start = scan.index + 1;
    lookForEnd(scan, start);
    await scan.turn.take();
    const end = scan.index;
    if (end - start > ORDER_BYTES_MAX)
      return { ok: false, reason: 'too_large', index: spans.length };
    if (scan.values > LIST_VALUES_MAX) return { ok: false, reason: 'too_many_values' };
    spans.push({ start, end });
    if (body[end] === COMMA) continue;
    if (body[end] !== CLOSE_LIST) return NOT_JSON;
    scan.index += 1;
    await skipBlanks(scan);
    return scan.index === body.length ? spans : NOT_JSON;
  }
  return spans;
}

async function readEntries({ body, turn }: Scan, spans: readonly Span[]): Promise<OrdersBody> {
  const value: unknown[] = [];
  for (const { start, end } of spans) {
    const read = parseJsonStrict(trimmed(body.subarray(start, end)));
    if (!read.ok) return read.reason === 'empty' ? NOT_JSON : read;
    value.push(read.value);
    await turn.take();
  }
  return { ok: true, value };
}

const NOT_JSON = { ok: false, reason: 'not_json' } as const;

const [QUOTE, BACKSLASH, COMMA] = Buffer.from('"\\,');
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('[]{}');
/** How much deeper the text is behind each; a comma parts two values. */
const STEPS: ReadonlyMap<number | undefined, number> = new Map([
  [COMMA, 0],
  [OPEN_LIST, 1],
  [OPEN_OBJECT, 1],
  [CLOSE_LIST, -1],
  [CLOSE_OBJECT, -1],
]);
/** Space, tab, line feed, carriage return. */
const BLANK: ReadonlySet<number | undefined> = new Set(Buffer.from(' \t\n\r'));

interface Scan {
  readonly body: Buffer;
  readonly turn: ReadingTurn;
  /** The byte that is looked at. */
  index: number;
  /** Seen inside entries; blanks inside what is empty count one. */
  values: number;
}

async function skipBlanks(scan: Scan): Promise<void> {
  const { body } = scan;
  while (BLANK.has(body[scan.index])) {
    const until = scan.index + LOOK_AT_ONCE;
    while (scan.index < until && BLANK.has(body[scan.index])) scan.index += 1;
    await scan.turn.take();
  }
}

/**
 * Goes on to where an entry ends: at the comma behind it, or at the bracket that closes the list; else at the body's end, or where it
 * is longer than an order may be.
 */
function lookForEnd(scan: Scan, from: number): void {
  const { body } = scan;
  const most = Math.min(body.length, from + ORDER_BYTES_MAX + 1);
  let depth = 0;
  let index = from;
  for (; index < most; index += 1) {
    const byte = body[index];
    if (byte === QUOTE) {
      index = endOfString(body, index, most);
      continue;
    }
    const step = STEPS.get(byte);
    if (step === undefined) continue;
    if (depth === 0 && step <= 0) break;
    depth += step;
    // An empty list or object counts once, as what it is.
    if (step >= 0) scan.values += 1;
    else if (STEPS.get(body[index - 1]) === 1) scan.values -= 1;
  }
  scan.index = Math.min(index, most);
}

function endOfString(body: Buffer, from: number, most: number): number {
  for (let index = from + 1; index < most; index += 1) {
    if (body[index] === BACKSLASH) index += 1;
    else if (body[index] === QUOTE) return index;
  }
  return most;
}

function trimmed(text: Buffer): Buffer {
  let [start, end] = [0, text.length];
  while (start < end && BLANK.has(text[start])) start += 1;
  while (end > start && BLANK.has(text[end - 1])) end -= 1;
  return text.subarray(start, end);
}
