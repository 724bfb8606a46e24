/**
 * Masks full card numbers in what the service tells, in rows and in the bodies themselves: systems that
 * hold none stay outside the card schemes' rules.
 */
import { maskCardNumbers } from './card-number.ts';

/**
 * Fields of identifiers, references and moments. By chance their digits can look like a card number, and
 * a masked one would name nothing.
 */
const NAMES_SOMETHING =
  /(?:^|_)(?:id|ids|arn|reference|reference_number|order_number|uri|url|at|date)$/;

/** Fields of numbers that measure. */
const MEASURES = /(?:^|_)(?:cents|amount|minor|count|quantity)$/;

type JsonObject = Readonly<Record<string, unknown>>;

/** An object without full card numbers, and the fields in which there were any. */
export interface MaskedObject {
  readonly object: JsonObject;
  readonly fields: readonly string[];
}

/** Masks them: the first six and the last four digits stay. An object without any is returned as it is. */
export function maskCards(object: JsonObject): MaskedObject {
  const fields = new Set<string>();
  const entries = maskEntries(object, fields);
  return fields.size === 0
    ? { object, fields: [] }
    : { object: Object.fromEntries(entries), fields: [...fields] };
}

/** The same in the bytes of a body; in what is no JSON wherever they stand. */
export function maskBody(body: Buffer): Buffer {
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    return maskText(body);
  }
  const fields = new Set<string>();
  const masked = maskValue(value, { key: '', fields });
  return fields.size === 0 ? body : Buffer.from(JSON.stringify(masked));
}

/** The same wherever they stand, whatever the bytes are. */
export function maskText(body: Buffer): Buffer {
  // One character per byte: bytes that are no text stay what they are.
  const text = body.toString('latin1');
  const masked = maskCardNumbers(text);
  return masked === text ? body : Buffer.from(masked, 'latin1');
}

function maskEntries(object: object, fields: Set<string>): [string, unknown][] {
  return Object.entries(object).map(([key, value]) => [
    maskString(key, { key: 'a name', fields }),
    maskValue(value, { key, fields }),
  ]);
}

interface About {
  readonly key: string;
  readonly fields: Set<string>;
}

function maskString(text: string, { key, fields }: About): string {
  const masked = maskCardNumbers(text);
  if (masked !== text) fields.add(key);
  return masked;
}

function maskValue(value: unknown, about: About): unknown {
  if (typeof value === 'string') {
    return NAMES_SOMETHING.test(about.key) ? value : maskString(value, about);
  }
  if (typeof value === 'number') return maskNumber(value, about);
  if (Array.isArray(value)) return value.map((each: unknown) => maskValue(each, about));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(maskEntries(value, about.fields));
}

/** A number of a card's length that measures nothing. */
function maskNumber(value: number, about: About): unknown {
  if (value < 1e12 || NAMES_SOMETHING.test(about.key) || MEASURES.test(about.key)) return value;
  const text = String(value);
  const masked = maskString(text, about);
  return masked === text ? value : masked;
}
