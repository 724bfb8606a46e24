/**
 * Reads the body of a request with orders. In `forestall start` the same process takes webhooks in: no body, however
 * it is made, holds it up for long. A large list is cut into its orders byte by byte, and others have their turn between them.
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
      readonly bytes: number;
    };

/** Reads one order, or a list of at most `countMax`; of a longer list that many and one more. */
export async function readOrdersBody(body: Buffer, countMax: number): Promise<OrdersBody> {
  if (body.length <= ORDER_BYTES_MAX) return parseJsonStrict(body);
  const texts = cutList(body, countMax + 1);
  if (texts === undefined)
    return { ok: false, reason: 'too_large', index: undefined, bytes: body.length };
  const value: unknown[] = [];
  let readBytes = 0;
  for (const [index, text] of texts.entries()) {
    if (text.length > ORDER_BYTES_MAX)
      return { ok: false, reason: 'too_large', index, bytes: text.length };
    const read = parseJsonStrict(text);
    if (!read.ok) return read.reason === 'empty' ? { ok: false, reason: 'not_json' } : read;
    value.push(read.value);
    readBytes += text.length;
    if (readBytes < READ_AT_ONCE) continue;
    readBytes = 0;
    await setImmediate();
  }
  return { ok: true, value };
}

const [QUOTE, BACKSLASH, COMMA] = Buffer.from('"\\,');
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('[]{}');
/** Space, tab, line feed, carriage return. */
const BLANK: ReadonlySet<number | undefined> = new Set(Buffer.from(' \t\n\r'));

/** What is no JSON, in the place of a list's end that is missing or followed by something. */
const BROKEN = Buffer.from('x');

/** The texts of a list's entries, at most so many; undefined: it is no list. What they hold is read later. */
function cutList(body: Buffer, countMax: number): Buffer[] | undefined {
  let from = 0;
  while (BLANK.has(body[from])) from += 1;
  if (body[from] !== OPEN_LIST) return undefined;
  const texts: Buffer[] = [];
  for (let start = from + 1; texts.length < countMax; ) {
    const end = endOfEntry(body, start);
    texts.push(trimmed(body.subarray(start, end)));
    if (body[end] !== COMMA) {
      const isWhole = end < body.length && trimmed(body.subarray(end + 1)).length === 0;
      return isWhole ? texts : [...texts, BROKEN];
    }
    start = end + 1;
  }
  return texts;
}

/** Where an entry ends: at the comma behind it, or at the bracket that closes the list; else at the body's end. */
function endOfEntry(body: Buffer, from: number): number {
  let depth = 0;
  for (let index = from; index < body.length; index += 1) {
    const byte = body[index];
    if (byte === QUOTE) index = endOfString(body, index);
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) depth += 1;
    else if (depth === 0 && (byte === COMMA || byte === CLOSE_LIST || byte === CLOSE_OBJECT))
      return index;
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1;
  }
  return body.length;
}

function endOfString(body: Buffer, from: number): number {
  for (let index = from + 1; index < body.length; index += 1) {
    if (body[index] === BACKSLASH) index += 1;
    else if (body[index] === QUOTE) return index;
  }
  return body.length;
}

function trimmed(text: Buffer): Buffer {
  let [start, end] = [0, text.length];
  while (start < end && BLANK.has(text[start])) start += 1;
  while (end > start && BLANK.has(text[end - 1])) end -= 1;
  return text.subarray(start, end);
}
