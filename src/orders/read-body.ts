/**
 * Reads the body of a request with orders. In `forestall start` the same process takes webhooks in: no body, however
 * it is made, holds it up for long. A large list is cut into its orders byte by byte, and others have their turn meanwhile.
 */
import { Buffer } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
import type { JsonOutcome } from '../service/wire/strict-json.ts';
import { parseJsonStrict } from '../service/wire/strict-json.ts';

/** Largest order, and largest body that is read at once, in bytes. */
export const ORDER_BYTES_MAX = 256 * 1024;

/** Bytes read before others have their turn: a few milliseconds. */
const READ_AT_ONCE = 64 * 1024;

export type OrdersBody =
  | JsonOutcome
  | {
      readonly ok: false;
      readonly reason: 'too_large';
      /** Of the order in a list; undefined: the body is one order. */
      readonly index: number | undefined;
    };

/** Reads one order, or a list of at most `countMax`; of a longer list that many and one more. */
export async function readOrdersBody(body: Buffer, countMax: number): Promise<OrdersBody> {
  if (body.length <= ORDER_BYTES_MAX) return parseJsonStrict(body);
  const scan: Scan = { body, index: 0, pausedAt: 0 };
  await skipBlanks(scan);
  if (body[scan.index] !== OPEN_LIST) return { ok: false, reason: 'too_large', index: undefined };
  return await readList(scan, countMax);
}

/** Reads the list that begins here. */
async function readList(scan: Scan, countMax: number): Promise<OrdersBody> {
  const { body } = scan;
  const value: unknown[] = [];
  while (value.length <= countMax) {
    const start = scan.index + 1;
    if (!(await findEnd(scan, start)))
      return { ok: false, reason: 'too_large', index: value.length };
    const read = parseJsonStrict(trimmed(body.subarray(start, scan.index)));
    if (!read.ok) return read.reason === 'empty' ? NOT_JSON : read;
    value.push(read.value);
    if (body[scan.index] === COMMA) continue;
    if (body[scan.index] !== CLOSE_LIST) return NOT_JSON;
    scan.index += 1;
    await skipBlanks(scan);
    return scan.index === body.length ? { ok: true, value } : NOT_JSON;
  }
  return { ok: true, value };
}

const NOT_JSON = { ok: false, reason: 'not_json' } as const;

const [QUOTE, BACKSLASH, COMMA] = Buffer.from('"\\,');
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('[]{}');
/** Space, tab, line feed, carriage return. */
const BLANK: ReadonlySet<number | undefined> = new Set(Buffer.from(' \t\n\r'));

interface Scan {
  readonly body: Buffer;
  /** The byte that is looked at. */
  index: number;
  /** Where others had their turn. */
  pausedAt: number;
}

/** Lets others have their turn where enough was looked at. */
async function takeTurns(scan: Scan): Promise<void> {
  if (scan.index - scan.pausedAt < READ_AT_ONCE) return;
  scan.pausedAt = scan.index;
  await setImmediate();
}

async function skipBlanks(scan: Scan): Promise<void> {
  const { body } = scan;
  while (BLANK.has(body[scan.index])) {
    const until = scan.index + READ_AT_ONCE;
    while (scan.index < until && BLANK.has(body[scan.index])) scan.index += 1;
    await takeTurns(scan);
  }
}

/**
 * Goes on to where an entry ends: at the comma behind it, or at the bracket that closes the list; else at the body's end.
 * False: it is longer than an order may be.
 */
async function findEnd(scan: Scan, from: number): Promise<boolean> {
  scan.index = endOfEntry(scan.body, from);
  const isOrder = scan.index - from <= ORDER_BYTES_MAX;
  await takeTurns(scan);
  return isOrder;
}

/** Looks no further than an order may be long. */
function endOfEntry(body: Buffer, from: number): number {
  const most = Math.min(body.length, from + ORDER_BYTES_MAX + 1);
  let depth = 0;
  for (let index = from; index < most; index += 1) {
    const byte = body[index];
    if (byte === QUOTE) index = endOfString(body, index, most);
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) depth += 1;
    else if (depth === 0 && (byte === COMMA || byte === CLOSE_LIST || byte === CLOSE_OBJECT))
      return index;
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1;
  }
  return most;
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
