/**
 * Parses JSON from bytes we did not write, refusing what two readers could read differently: bytes
 * that are not UTF-8, a byte order mark, repeated object keys, and nesting deep enough to break a
 * recursive reader.
 *
 * One pass over the bytes tracks depth and counts the members written; `JSON.parse` does the rest.
 * A repeated key shows itself as fewer members in the value than in the text, whichever way it is
 * escaped, so keys need no decoding here.
 */
import { Buffer, isUtf8 } from 'node:buffer';

/** Deepest nesting accepted. An order in an event is five deep. */
export const JSON_DEPTH_MAX = 64;

export type JsonRefusal = 'empty' | 'bom' | 'not_utf8' | 'too_deep' | 'not_json' | 'duplicate_key';
export type JsonOutcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: JsonRefusal };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/**
 * Parses `bytes` as JSON.
 *
 * A key `__proto__` becomes an ordinary own property. Numbers are read as JavaScript reads them;
 * amounts are checked for exactness by their schema.
 */
export function parseJsonStrict(bytes: Uint8Array): JsonOutcome {
  if (bytes.length === 0) return { ok: false, reason: 'empty' };
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf)
    return { ok: false, reason: 'bom' };
  if (!isUtf8(bytes)) return { ok: false, reason: 'not_utf8' };
  const membersWritten = countMembers(bytes);
  if (membersWritten === undefined) return { ok: false, reason: 'too_deep' };
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString());
  } catch {
    return { ok: false, reason: 'not_json' };
  }
  if (countOwnMembers(value) !== membersWritten) return { ok: false, reason: 'duplicate_key' };
  return { ok: true, value };
}

/** How many `key:` stand in the text, or `undefined` when it is nested too deeply. */
function countMembers(bytes: Uint8Array): number | undefined {
  let depth = 0;
  let members = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index];
    if (byte === QUOTE) {
      index = endOfString(bytes, index);
    } else if (byte === COLON) {
      members += 1;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      depth += 1;
      if (depth > JSON_DEPTH_MAX) return undefined;
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth -= 1;
    }
  }
  return members;
}

/** The index of the quote that ends the string that begins at `start`, or the last byte. */
function endOfString(bytes: Uint8Array, start: number): number {
  let index = start + 1;
  while (index < bytes.length && bytes[index] !== QUOTE) {
    index += bytes[index] === BACKSLASH ? 2 : 1;
  }
  return index;
}

/** How many members the value holds. Recursion is safe: the depth was checked before. */
function countOwnMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let members = 0;
  if (Array.isArray(value)) {
    for (const entry of value) members += countOwnMembers(entry);
    return members;
  }
  for (const entry of Object.values(value)) members += 1 + countOwnMembers(entry);
  return members;
}
