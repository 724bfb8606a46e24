/**
 * The one reading of card numbers for everything that comes in, so that no full one is ever stored in a row or sent, in
 * either direction. How one is told from other digits: `card-reading.ts`.
 *
 * What people and their programs write is refused, so that they can correct it. What the service or a processor tells is
 * masked: it could not be sent again. Names under which money or orders are booked there (`ch_…`, a reference of digits
 * alone) stay, because a masked one would name nothing; a mistyped acquirer reference number too.
 */
import type { TextUse } from './card-reading.ts';
import { cardPlaces, hasCardDigits, plainPlaces, readsAsCard } from './card-reading.ts';

/** Fields whose digits are never a card number, whatever they look like. */
const EXEMPT_FIELDS: ReadonlySet<string> = new Set([
  'acquirer_reference_number',
  'transaction_acquirer_reference_number',
  'transaction_arn',
]);

/** Fields of numbers that name something, where thirteen digits are an order, an article or a telephone. */
const NAMING_FIELD =
  /(?:^|_|\.)(?:id|ids|reference|number|sku|ean|gtin|upc|isbn|barcode|phone|telephone|fax)$/i;

/** Whether `text` holds a full card number. */
export function holdsCardNumber(text: string, use: TextUse = 'text'): boolean {
  return readsAsCard(text, use);
}

/** The name of a field as the interface writes it: `chargeReference` is `charge_reference`. */
function inWords(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Whether a field of what people and programs send holds one. */
export function fieldHoldsCard(name: string, value: string): boolean {
  if (!hasCardDigits(value)) return false;
  const field = inWords(name);
  if (EXEMPT_FIELDS.has(field)) return false;
  return readsAsCard(value, NAMING_FIELD.test(field) ? 'name' : 'text');
}

/** Most digits that stay at the front; a short number loses five anyway, as the schemes demand. */
const FRONT_DIGITS_MAX = 6;
const END_DIGITS = 4;
const LOST_DIGITS_MIN = 5;

/** The text with every full card number masked: at most the first six and the last four digits are left. */
export function maskCardNumbers(text: string, use: TextUse = 'text'): string {
  let left = '';
  let place = 0;
  for (const { start, end, digits } of cardPlaces(text, use)) {
    left += text.slice(place, start) + maskedDigits(digits);
    place = end;
  }
  return place === 0 ? text : left + text.slice(place);
}

function maskedDigits(digits: string): string {
  const front = Math.min(FRONT_DIGITS_MAX, digits.length - END_DIGITS - LOST_DIGITS_MIN);
  const lost = digits.length - front - END_DIGITS;
  return `${digits.slice(0, front)}${'*'.repeat(lost)}${digits.slice(-END_DIGITS)}`;
}

/** Whether the text is a full card number and nothing else. */
export function isCardNumberOnly(text: string): boolean {
  const [only] = cardPlaces(text, 'name');
  return (
    only !== undefined && !/[\p{L}\p{N}]/u.test(text.slice(0, only.start) + text.slice(only.end))
  );
}

// Masks full card numbers in what the service tells, in rows and in the bodies themselves:
// systems that hold none stay outside the card schemes' rules.

/**
 * Fields of identifiers, references and moments. By chance their digits can look like a card number, and
 * a masked one would name nothing.
 */
const NAMES_SOMETHING =
  /(?:^|_)(?:id|ids|arn|reference|references|reference_number|order_number|key|uri|url|at|date)$/;

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

/**
 * What reads otherwise than it is written: escapes, and numbers with a fraction, an exponent or more digits than a
 * number holds. A number follows its name, a comma or a bracket.
 */
const READS_OTHERWISE = /[\\%&=]|(?:"\s*:|[[,])\s*-?(?:\d{20}|\d+[.eE])/;

/**
 * Whether {@link maskCards} may have something to mask in the object that this JSON is of. False for nearly every
 * text, and found in a tenth of the time that looking at each of its values takes.
 */
export function mayHoldCards(json: string): boolean {
  if (!hasCardDigits(json)) return READS_OTHERWISE.test(json);
  return READS_OTHERWISE.test(json) || plainPlaces(json, 'text').length > 0;
}

/** The same in the bytes of a body; in what is no JSON wherever they are. */
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

/** The same wherever they are, whatever the bytes are. Bytes that are no text stay what they are. */
export function maskText(body: Buffer): Buffer {
  if (!hasCardDigits(body.toString('latin1'))) return body;
  const { text, places } = charactersOf(body);
  const pieces: Uint8Array[] = [];
  let from = 0;
  for (const { start, end, digits } of cardPlaces(text, 'text')) {
    pieces.push(body.subarray(from, places[start] ?? from), Buffer.from(maskedDigits(digits)));
    from = places[end] ?? body.length;
  }
  return pieces.length === 0 ? body : Buffer.concat([...pieces, body.subarray(from)]);
}

/** The bytes as UTF-8, and at which of them each unit of the text begins; a byte that is no text ends whatever is before. */
function charactersOf(body: Buffer): { readonly text: string; readonly places: readonly number[] } {
  const texts: string[] = [];
  const places: number[] = [];
  for (let place = 0; place < body.length; ) {
    const lead = body[place] ?? 0;
    if (lead < 0x80) {
      places.push(place);
      texts.push(String.fromCharCode(lead));
      place += 1;
      continue;
    }
    const length = 1 + LONGER_LEADS.filter((least) => lead >= least).length;
    const read = body.toString('utf8', place, place + length);
    const isText = !read.includes(NO_TEXT) && Buffer.byteLength(read) === length;
    const character = isText ? read : BROKEN_BYTE;
    for (let unit = 0; unit < character.length; unit += 1) places.push(place);
    texts.push(character);
    place += isText ? length : 1;
  }
  return { text: texts.join(''), places };
}

/** From which first byte on a character has two, three and four bytes. */
const LONGER_LEADS = [0xc0, 0xe0, 0xf0];
const NO_TEXT = '\ufffd';
/** A letter: no number goes on behind it. */
const BROKEN_BYTE = 'x';

function maskEntries(object: object, fields: Set<string>): [string, unknown][] {
  return Object.entries(object).map(([key, value]) => [
    maskString(key, { key: 'a name', fields }),
    maskValue(value, { key: inWords(key), fields }),
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
    if (!NAMES_SOMETHING.test(about.key)) return maskString(value, about);
    return isCardInName(about.key, value) ? maskString(value, about) : value;
  }
  if (typeof value === 'number') return maskNumber(value, about);
  if (Array.isArray(value)) return value.map((each: unknown) => maskValue(each, about));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(maskEntries(value, about.fields));
}

/**
 * Names that are a card number and nothing else, in fields whose names bear a prefix, and wherever one is written in
 * groups: nothing is booked under such a name.
 */
function isCardInName(key: string, value: string): boolean {
  if (EXEMPT_FIELDS.has(key)) return false;
  return (PREFIXED_FIELDS.has(key) || !/^\d+$/.test(value)) && isCardNumberOnly(value);
}

/** The service's own ids bear a prefix, so that one of digits alone names nothing. */
const PREFIXED_FIELDS: ReadonlySet<string> = new Set(['id', 'merchant_id', 'enrolment_id']);

/** A number of a card's length that measures nothing. */
function maskNumber(value: number, about: About): unknown {
  if (value < 1e12 || NAMES_SOMETHING.test(about.key) || MEASURES.test(about.key)) return value;
  const text = String(value);
  const masked = maskString(text, about);
  return masked === text ? value : masked;
}

/** The same of any value of JSON, where no person need be told. */
export function withoutCards(value: unknown): unknown {
  const fields = new Set<string>();
  const masked = maskValue(value, { key: '', fields });
  return fields.size === 0 ? value : masked;
}

/** The first line of a document that holds one, counted from 1. What is on two lines is no number: lists do. */
export function lineWithCard(document: string): number | undefined {
  if (!hasCardDigits(document)) return undefined;
  const line = document.split('\n').findIndex((text) => readsAsCard(text, 'text'));
  return line < 0 ? undefined : line + 1;
}

/** What parts the cells of a table. */
const DELIMITERS = ['\t', ';', ','] as const;

/** Lines that tell whether a text is a table. */
const TABLE_LINES = 5;

/** The first line of an uploaded text that holds one. In a table each cell is read by itself: neighbours are no number. */
export function lineOfUploadWithCard(text: string): number | undefined {
  if (!hasCardDigits(text)) return undefined;
  const lines = text.split(/\r\n|\n|\r/);
  const delimiter = delimiterOf(lines.slice(0, TABLE_LINES).filter((line) => line !== ''));
  const cellsOf = (line: string): readonly string[] =>
    delimiter === undefined ? [line] : line.split(delimiter);
  const found = lines.findIndex((line) => cellsOf(line).some((cell) => readsAsCard(cell, 'text')));
  return found < 0 ? undefined : found + 1;
}

/** What occurs as often in each line, and in a table at least once. */
function delimiterOf(lines: readonly string[]): string | undefined {
  if (lines.length < 2) return undefined;
  return DELIMITERS.find((delimiter) => {
    const [first = 0, ...others] = lines.map((line) => line.split(delimiter).length - 1);
    return first > 0 && others.every((count) => count === first);
  });
}

/** Keys whose digits name something: a card acceptor, a bank, a merchant at the acquirer. */
const NAMING_KEY =
  /^\s*(?:-\s*)*["']?(?:\w*_)?(?:ids?|caids?|mids?|bins?|number|reference|key|secret|secrets|phone)["']?\s*:/i;

/** The first line of a settings file that holds one. Comments count; numbers of acceptors, banks and merchants do not. */
export function lineOfSettingsWithCard(text: string): number | undefined {
  if (!hasCardDigits(text)) return undefined;
  const found = text
    .split('\n')
    .findIndex((line) => !NAMING_KEY.test(line) && readsAsCard(line, 'text'));
  return found < 0 ? undefined : found + 1;
}

/** What is said of such a line. */
export const CARD_IN_SETTINGS =
  'this holds a full card number. Leave it out, or write its first six and last four digits.';

/** Deepest value that {@link fieldWithCard} looks into. */
const DEPTH_MAX = 16;

/**
 * The first field of a value of JSON, or of what is put together like one, that holds a full card number:
 * `body.reference`; empty when it is the value itself.
 */
export function fieldWithCard(value: unknown, path = ''): string | undefined {
  if (typeof value === 'string') {
    return fieldHoldsCard(path.slice(path.lastIndexOf('.') + 1), value) ? path : undefined;
  }
  if (typeof value === 'number')
    return isFigure(value, path) ? undefined : cardIn(String(value), path);
  return isLookedInto(value, path) ? partWithCard(value, path) : undefined;
}

function isFigure(value: number, path: string): boolean {
  return value < 1e12 || MEASURES.test(path) || NAMES_SOMETHING.test(path);
}

function cardIn(text: string, path: string): string | undefined {
  return readsAsCard(text, 'text') ? path : undefined;
}

function isLookedInto(value: unknown, path: string): value is object {
  if (typeof value !== 'object' || value === null || value instanceof Date) return false;
  return !ArrayBuffer.isView(value) && path.split('.').length <= DEPTH_MAX;
}

function partWithCard(value: object, path: string): string | undefined {
  const prefix = path === '' ? '' : `${path}.`;
  for (const [name, part] of Object.entries(value)) {
    if (readsAsCard(name, 'text')) return `${prefix}(a name)`;
    const found = fieldWithCard(part, Array.isArray(value) ? path : prefix + name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What somebody is told who wrote one, and what to do. */
export function cardRefusal(field: string): string {
  return `${field === '' ? 'What was sent' : field} holds a full card number. Leave it out, or write its first six and last four digits. Nothing was stored.`;
}
