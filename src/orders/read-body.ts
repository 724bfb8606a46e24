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

/** The texts of a list's entries, at most so many; undefined: it is no list. What they hold is read later. */
function cutList(body: Buffer, countMax: number): Buffer[] | undefined {
  let index = 0;
  while (BLANK.has(body[index])) index += 1;
  if (body[index] !== OPEN_LIST) return undefined;
  const texts: Buffer[] = [];
  let depth = 0;
  let start = index + 1;
  for (; index < body.length && texts.length < countMax; index += 1) {
    const byte = body[index];
    if (byte === QUOTE) {
      index = endOfString(body, index);
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      depth += 1;
    } else if (byte === COMMA && depth === 1) {
      texts.push(trimmed(body.subarray(start, index)));
      start = index + 1;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
      depth -= 1;
      if (depth > 0) continue;
      texts.push(trimmed(body.subarray(start, index)));
      // What follows the list makes it no JSON.
      if (trimmed(body.subarray(index + 1)).length > 0) texts.push(Buffer.from('x'));
      return texts;
    }
  }
  // Without an end it is no JSON either.
  return texts.length < countMax ? [...texts, Buffer.from('x')] : texts;
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
