/**
 * Parses JSON from bytes we did not write, refusing what two readers could read differently: bytes
 * that are not UTF-8, a byte order mark, repeated object keys, a fraction that JavaScript would round to
 * a whole number, and nesting deep enough to break a recursive reader.
 *
 * One pass over the bytes tracks depth and counts the members written; `JSON.parse` does the rest.
 * A repeated key shows itself as fewer members in the value than in the text, whichever way it is
 * escaped, so keys need no decoding here.
 */
import { Buffer, isUtf8 } from 'node:buffer';

/** Deepest nesting accepted. An order in an event is five deep. */
export const JSON_DEPTH_MAX = 64;

export type JsonRefusal =
  | 'empty'
  | 'bom'
  | 'not_utf8'
  | 'too_deep'
  | 'not_json'
  | 'duplicate_key'
  | 'rounded_number';
/** What a body is, or holds, that was refused. */
export const JSON_PROBLEMS: Readonly<Record<JsonRefusal, string>> = {
  empty: 'no body',
  bom: 'a byte order mark',
  not_utf8: 'bytes that are not UTF-8',
  too_deep: 'JSON nested too deeply',
  not_json: 'no JSON',
  duplicate_key: 'JSON with a repeated key',
  rounded_number: 'JSON with a fraction that would be rounded to a whole number',
};

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
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const UPPER_EXPONENT = 0x45;
const EXPONENT = 0x65;

/**
 * Parses `bytes` as JSON.
 *
 * A key `__proto__` becomes an ordinary own property. Numbers are read as JavaScript reads them;
 * amounts are checked for exactness by their schema, which cannot see that 4899.9999999999999999 was
 * written where it reads 4900: that is refused here.
 */
export function parseJsonStrict(bytes: Uint8Array): JsonOutcome {
  if (bytes.length === 0) return { ok: false, reason: 'empty' };
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf)
    return { ok: false, reason: 'bom' };
  if (!isUtf8(bytes)) return { ok: false, reason: 'not_utf8' };
  const written = survey(bytes);
  if (written === undefined) return { ok: false, reason: 'too_deep' };
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString());
  } catch {
    return { ok: false, reason: 'not_json' };
  }
  if (countOwnMembers(value) !== written.members) return { ok: false, reason: 'duplicate_key' };
  if (written.numbersAt.some((index) => isRoundedToWhole(numberAround(bytes, index)))) {
    return { ok: false, reason: 'rounded_number' };
  }
  return { ok: true, value };
}

/** What is in the text outside strings. */
interface Survey {
  /** How many `key:`. */
  members: number;
  /** Where numbers have their point or their exponent. */
  readonly numbersAt: number[];
}

/** Looks at every byte once; `undefined` when the text is nested too deeply. */
function survey(bytes: Uint8Array): Survey | undefined {
  const found: Survey = { members: 0, numbersAt: [] };
  let depth = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    switch (bytes[index]) {
      case QUOTE:
        index = endOfString(bytes, index);
        break;
      case COLON:
        found.members += 1;
        break;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        depth += 1;
        if (depth > JSON_DEPTH_MAX) return undefined;
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        depth -= 1;
        break;
      case POINT:
      case EXPONENT:
      case UPPER_EXPONENT:
        // An `e` is in true and false, too.
        if (isDigit(bytes[index - 1]) && mayRound(bytes, index)) found.numbersAt.push(index);
    }
  }
  return found;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= NINE;
}

/** Decimal digits that a number of JavaScript holds, whichever they are. */
const EXACT_DIGITS = 15;

/** Digits of an exponent too small to make nought of what is none. */
const HARMLESS_EXPONENT_DIGITS = 2;

/**
 * Whether the number with a point or an exponent at `index` has to be looked at: a body can hold tens of thousands. With at
 * most {@link EXACT_DIGITS} digits it never reads as a whole number that it is not, but for a large exponent.
 */
function mayRound(bytes: Uint8Array, index: number): boolean {
  const most = EXACT_DIGITS + 1;
  let start = index;
  while (index - start < most && isMantissa(bytes[start - 1])) start -= 1;
  let end = index + 1;
  if (bytes[index] === POINT) while (end - index <= most && isDigit(bytes[end])) end += 1;
  if (end - start - 1 > EXACT_DIGITS) return true;
  // An exponent is looked at where it is.
  if (bytes[index] === POINT) return false;
  if (!isDigit(bytes[end])) end += 1;
  const from = end;
  while (end - from <= HARMLESS_EXPONENT_DIGITS && isDigit(bytes[end])) end += 1;
  return end - from > HARMLESS_EXPONENT_DIGITS;
}

function isMantissa(byte: number | undefined): boolean {
  return byte === POINT || isDigit(byte);
}

const NUMBER_BYTES: ReadonlySet<number | undefined> = new Set(Buffer.from('+-.0123456789Ee'));

/** The number of which the byte at `index` is a part. */
function numberAround(bytes: Uint8Array, index: number): string {
  let start = index;
  while (NUMBER_BYTES.has(bytes[start - 1])) start -= 1;
  let end = index;
  while (NUMBER_BYTES.has(bytes[end])) end += 1;
  return Buffer.from(bytes.subarray(start, end)).toString('latin1');
}

/** Whether the number is none that is whole, but reads as one. */
function isRoundedToWhole(text: string): boolean {
  if (!Number.isInteger(Number(text))) return false;
  const [, whole = '', fraction = '', exponent = '0'] =
    /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = whole + fraction;
  let significant = digits.length;
  // Counted from the end: an expression that looks for trailing zeros tries every zero in between.
  while (significant > 0 && digits[significant - 1] === '0') significant -= 1;
  if (significant === 0) return false;
  return Number(exponent) - fraction.length + digits.length - significant < 0;
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
