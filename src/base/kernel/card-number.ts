/**
 * Finds full card numbers, so that none is ever stored in a row or sent, in either direction.
 *
 * A card number is a run of 13 to 19 digits, alone or in groups, that passes the Luhn check and
 * begins as the cards of some scheme do (2 to 6). Longer runs, such as the 23 digits of an ARN, are
 * none; the ARN's field is exempt as well, because a mistyped one can be shorter.
 */

/** Fields whose digits are never a card number, whatever they look like. */
const EXEMPT_FIELDS: ReadonlySet<string> = new Set([
  'acquirer_reference_number',
  'transaction_acquirer_reference_number',
]);

/** Digits in one piece, or in groups parted by single spaces or hyphens; not part of a longer run. */
const DIGIT_RUN = /(?<!\d)(?<!\d[ -])\d(?:[ -]?\d){12,18}(?![ -]?\d)/g;
/** Digits of the shortest card number. */
const DIGITS_MIN = 13;
const CARD_START = /^[2-6]/;

/** Whether the digits pass the check that every card number passes. */
export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let place = 0; place < digits.length; place += 1) {
    const digit = digits.charCodeAt(digits.length - 1 - place) - 48;
    const doubled = place % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

function isCardNumber(run: string): boolean {
  const digits = run.replaceAll(/[ -]/g, '');
  return CARD_START.test(digits) && passesLuhn(digits);
}

/** Nearly no text has enough of them, and counting costs less than the expression. */
function hasDigits(text: string, least: number): boolean {
  if (text.length < least) return false;
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code >= 0x30 && code <= 0x39) count += 1;
    if (count === least) return true;
  }
  return false;
}

/** Whether `text` holds a full card number. */
export function holdsCardNumber(text: string): boolean {
  if (!hasDigits(text, DIGITS_MIN)) return false;
  return (text.match(DIGIT_RUN) ?? []).some(isCardNumber);
}

/** Most digits that stay at the front; a short number loses five all the same, as the schemes demand. */
const FRONT_DIGITS_MAX = 6;
const END_DIGITS = 4;
const LOST_DIGITS_MIN = 5;

/** The text with every full card number masked: at most the first six and the last four digits are left. */
export function maskCardNumbers(text: string): string {
  return text.replaceAll(DIGIT_RUN, (run) => {
    if (!isCardNumber(run)) return run;
    const digits = run.replaceAll(/[ -]/g, '');
    const front = Math.min(FRONT_DIGITS_MAX, digits.length - END_DIGITS - LOST_DIGITS_MIN);
    const lost = digits.length - front - END_DIGITS;
    return `${digits.slice(0, front)}${'*'.repeat(lost)}${digits.slice(-END_DIGITS)}`;
  });
}

/** Whether the field may hold digits that look like a card number. */
export function isExemptField(name: string): boolean {
  return EXEMPT_FIELDS.has(name);
}

// Masks full card numbers in what the service tells, in rows and in the bodies themselves:
// systems that hold none stay outside the card schemes' rules.

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
interface MaskedObject {
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

const ANY_DIGIT_RUN = new RegExp(DIGIT_RUN.source);

/**
 * What reads otherwise than it is written: digits behind a `\u`, and numbers with a fraction, an exponent or more
 * digits than a number holds. A number follows its name, a comma or a bracket.
 */
const READS_OTHERWISE = /\\u|(?:"\s*:|[[,])\s*-?(?:\d{20}|\d+[.eE])/;

/**
 * Whether {@link maskCards} may have something to mask in the object that this JSON is of. False for nearly every
 * text, and found in a tenth of the time that looking at each of its values takes.
 */
export function mayHoldCards(json: string): boolean {
  return ANY_DIGIT_RUN.test(json) || READS_OTHERWISE.test(json);
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
