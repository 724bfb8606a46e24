/**
 * What a text says to somebody who reads it, whatever it was written with: escapes of JSON, of an address in a
 * browser, of HTML and of mail are opened, up to a few layers deep, and each character knows where it was. Pure.
 */

import { digitOf } from './digits.ts';

/** A text, and for each of its UTF-16 units where in the original it begins and ends. */
export interface Reading {
  readonly text: string;
  readonly starts: ArrayLike<number>;
  readonly ends: ArrayLike<number>;
}

/** Escapes within escapes that are opened: JSON in JSON in an address is three. */
const LAYERS_MAX = 5;

const NAMED: Readonly<Record<string, string>> = {
  commat: '@',
  plus: '+',
  period: '.',
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  lowbar: '_',
  hyphen: '-',
  dash: '-',
  percnt: '%',
  colon: ':',
  comma: ',',
  sol: '/',
};

/** Names of the letters from U+00C0 on, in their order, without case: after folding there is one. */
const LETTER_NAMES =
  'agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml times oslash ugrave uacute ucirc uuml yacute thorn'.split(
    ' ',
  );
const FIRST_LETTER = 0xe0;
const NAMED_SHARP_S = 'szlig';

/** What `&name;` means; undefined: it is no escape. */
function namedCharacter(name: string): string | undefined {
  if (name === NAMED_SHARP_S) return 'ß';
  const place = LETTER_NAMES.indexOf(name);
  return place < 0 ? NAMED[name] : String.fromCodePoint(FIRST_LETTER + place);
}

/** An escape of a text: what it means, and where it ends. */
interface Escape {
  readonly meaning: string;
  readonly end: number;
}

const BACKSLASH = 0x5c;
const PERCENT = 0x25;
const AMPERSAND = 0x26;
const EQUALS = 0x3d;

function beginsEscape(code: number): boolean {
  return code === BACKSLASH || code === PERCENT || code === AMPERSAND || code === EQUALS;
}

const MAY_BEGIN = /[\\%&=]/;

/** The text with the outermost escapes opened; the same string where there are none. */
function opened(text: string): string {
  let left = '';
  let from = 0;
  for (const { start, end, meaning } of escapesOf(text)) {
    left += text.slice(from, start) + meaning;
    from = end;
  }
  return from === 0 ? text : left + text.slice(from);
}

/**
 * The outermost escapes of a text, one after another: JSON's `\u0040`, `\x40` and `\/`, with one or more backslashes;
 * `%40` and its neighbours; `&#64;`, `&#x40;` and the names of signs and letters; `=40` of mail, for what is no letter or
 * digit there, and its broken lines. Read by hand: an expression takes several times as long for each of them.
 */
function* escapesOf(text: string): Generator<Escape & { readonly start: number }> {
  for (let place = text.search(MAY_BEGIN); place >= 0 && place < text.length; ) {
    const code = text.charCodeAt(place);
    const found = beginsEscape(code) ? escapeAt(text, place, code) : undefined;
    if (found !== undefined) {
      yield { start: place, end: found.end, meaning: found.meaning };
      place = found.end;
    } else {
      place = code === BACKSLASH ? endOfBackslashes(text, place) : place + 1;
    }
  }
}

function escapeAt(text: string, place: number, code: number): Escape | undefined {
  if (code === BACKSLASH) return escapeOfBackslash(text, endOfBackslashes(text, place));
  if (code === PERCENT) return escapeOfAddress(text, place);
  return code === AMPERSAND ? escapeOfHtml(text, place) : escapeOfMail(text, place);
}

function endOfBackslashes(text: string, from: number): number {
  let place = from;
  while (text.charCodeAt(place) === BACKSLASH) place += 1;
  return place;
}

/** Letters after a backslash that are white space. */
const BLANKS = 'nrtbf0v';

/** Behind one backslash or several: a code, or a character that means itself. */
function escapeOfBackslash(text: string, place: number): Escape | undefined {
  const letter = text.charAt(place);
  if (letter === '') return undefined;
  if (letter === 'x' || letter === 'X') return escapeOfHex(text, place + 1, [2, 2]);
  if (letter !== 'u' && letter !== 'U') {
    return { meaning: BLANKS.includes(letter) ? ' ' : letter, end: place + 1 };
  }
  if (text.charAt(place + 1) !== '{') return escapeOfHex(text, place + 1, [4, 4]);
  const found = escapeOfHex(text, place + 2, [1, 6]);
  if (found === undefined || text.charAt(found.end) !== '}') return undefined;
  return { meaning: found.meaning, end: found.end + 1 };
}

/** A code of so many hexadecimal digits, at least and at most. */
function escapeOfHex(
  text: string,
  start: number,
  [least, most]: readonly [number, number],
): Escape | undefined {
  let code = 0;
  let place = start;
  for (; place < start + most; place += 1) {
    const digit = hexDigit(text.charCodeAt(place));
    if (digit < 0) break;
    code = code * 16 + digit;
  }
  return place - start < least ? undefined : { meaning: character(code), end: place };
}

/** The value of a hexadecimal digit; -1 for what is none. */
function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 && code <= 0x66 ? letter - 0x57 : -1;
}

function isHexPair(text: string, place: number): boolean {
  return hexDigit(text.charCodeAt(place)) >= 0 && hexDigit(text.charCodeAt(place + 1)) >= 0;
}

/** `%40` and its neighbours: together they are UTF-8. */
function escapeOfAddress(text: string, start: number): Escape | undefined {
  let end = start;
  while (text.charCodeAt(end) === PERCENT && isHexPair(text, end + 1)) end += 3;
  return end === start ? undefined : { meaning: bytesOf(text, start, end), end };
}

/** The text of bytes that are written as `%c3%bc` or `=C3=BC`. */
function bytesOf(text: string, start: number, end: number): string {
  // One byte of ASCII, as nearly all of them: `%40`.
  const first = Number.parseInt(text.slice(start + 1, start + 3), 16);
  if (end - start === 3 && first < 0x80) return String.fromCharCode(first);
  const bytes = new Uint8Array((end - start) / 3);
  for (let place = 0; place < bytes.length; place += 1) {
    const at = start + place * 3;
    const high = hexDigit(text.charCodeAt(at + 1));
    bytes[place] = high * 16 + hexDigit(text.charCodeAt(at + 2));
  }
  return Buffer.from(bytes.buffer).toString('utf8');
}

const DECIMAL_MAX = 7;
const HTML_NAME = /&([a-z]{2,8});/iy;

/** `&#64;`, `&#x40;`, or a name. */
function escapeOfHtml(text: string, start: number): Escape | undefined {
  if (text.charAt(start + 1) !== '#') {
    HTML_NAME.lastIndex = start;
    const name = HTML_NAME.exec(text)?.[1];
    if (name === undefined) return undefined;
    const end = start + name.length + 2;
    return { meaning: namedCharacter(name.toLowerCase()) ?? text.slice(start, end), end };
  }
  const kind = text.charAt(start + 2);
  const isHex = kind === 'x' || kind === 'X';
  const found = isHex ? escapeOfHex(text, start + 3, [1, 6]) : escapeOfDecimal(text, start + 2);
  if (found === undefined) return undefined;
  const isClosed = text.charAt(found.end) === ';';
  return isClosed ? { meaning: found.meaning, end: found.end + 1 } : found;
}

function escapeOfDecimal(text: string, start: number): Escape | undefined {
  let place = start;
  let code = 0;
  for (; place < start + DECIMAL_MAX; place += 1) {
    const digit = text.charCodeAt(place) - 0x30;
    if (!(digit >= 0 && digit <= 9)) break;
    code = code * 10 + digit;
  }
  return place === start ? undefined : { meaning: character(code), end: place };
}

const MAIL_TEXT = /(?:=[c-f][0-9a-f](?:=[89ab][0-9a-f])+)+/iy;
const MAIL_SIGN = /=(?:[23][0-9a-f]|40|5[b-f]|60|7[b-e])/iy;
const MAIL_BROKEN_LINE = /=\r?\n/y;

/** Letters beyond ASCII in UTF-8, a sign of ASCII, or the end of a line that goes on. */
function escapeOfMail(text: string, start: number): Escape | undefined {
  const end = endOf(MAIL_TEXT, text, start) ?? endOf(MAIL_SIGN, text, start);
  if (end !== undefined) return { meaning: bytesOf(text, start, end), end };
  const broken = endOf(MAIL_BROKEN_LINE, text, start);
  return broken === undefined ? undefined : { meaning: '', end: broken };
}

function endOf(sticky: RegExp, text: string, start: number): number | undefined {
  sticky.lastIndex = start;
  return sticky.test(text) ? sticky.lastIndex : undefined;
}

function character(code: number): string {
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : '';
}

/** The text itself and what it says with one layer of escapes opened after another. */
export function layersOf(text: string): string[] {
  const layers = [text];
  for (let inner = opened(text); inner !== layers.at(-1); inner = opened(inner)) {
    layers.push(inner);
    if (layers.length > LAYERS_MAX) break;
  }
  return layers;
}

/** The same, and where everything was. Costs more: for a text of which it is known that something is in it. */
export function readingsOf(text: string): Reading[] {
  let reading = plainReading(text);
  const readings = [reading];
  while (readings.length <= LAYERS_MAX && MAY_BEGIN.test(reading.text)) {
    const inner = openedReading(reading);
    if (inner.text === reading.text) break;
    readings.push(inner);
    reading = inner;
  }
  return readings;
}

function plainReading(text: string): Reading {
  const starts = new Uint32Array(text.length);
  const ends = new Uint32Array(text.length);
  for (let unit = 0; unit < text.length; unit += 1) {
    starts[unit] = unit;
    ends[unit] = unit + 1;
  }
  return { text, starts, ends };
}

function openedReading(outer: Reading): Reading {
  const made = new Made(outer);
  let place = 0;
  for (const { start, end, meaning } of escapesOf(outer.text)) {
    made.copy(place, start);
    made.add(meaning, start, end);
    place = end;
  }
  made.copy(place, outer.text.length);
  return made.reading();
}

/** A reading that is put together of pieces of another one. */
class Made {
  readonly #origin: Reading;
  readonly #texts: string[] = [];
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];

  constructor(origin: Reading) {
    this.#origin = origin;
  }

  /** What the units from `start` to `end` say. */
  add(text: string, start: number, end: number): void {
    this.#texts.push(text);
    const from = this.#origin.starts[start] ?? 0;
    const to = this.#origin.ends[end - 1] ?? from;
    for (let unit = 0; unit < text.length; unit += 1) {
      this.#starts.push(from);
      this.#ends.push(to);
    }
  }

  /** The units from `start` to `end` as they are. */
  copy(start: number, end: number): void {
    this.#texts.push(this.#origin.text.slice(start, end));
    for (let unit = start; unit < end; unit += 1) {
      this.#starts.push(this.#origin.starts[unit] ?? 0);
      this.#ends.push(this.#origin.ends[unit] ?? 0);
    }
  }

  reading(): Reading {
    return { text: this.#texts.join(''), starts: this.#starts, ends: this.#ends };
  }
}

/** Invisible characters: they part what is written, and change nothing of what it says. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\0]/u;
const UNSEEN_ALL = /[\p{Default_Ignorable_Code_Point}\0]+/gu;

/** A letter with its marks; those of which a syllable of Hangul is put together. */
const LETTER = /[\u1100-\u11ff]+|\P{M}\p{M}*|\p{M}+/gu;

const ORDINARY = /^[\x20-\x7e\s]*$/;

/** One spelling for all: letters in one case, put together, in their ordinary form, nothing unseen between them. */
export function folded(text: string): string {
  if (ORDINARY.test(text)) return text.toLowerCase();
  return inOneCase(text.replaceAll(UNSEEN_ALL, ''));
}

/** Digits that have no ordinary form. */
const DIGIT_BEYOND = /(?![0-9])\p{Nd}/gu;

function inOneCase(text: string): string {
  const spelled = text
    .normalize('NFKC')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKC')
    .replaceAll(DIGIT_BEYOND, (digit) => digitOf(digit) ?? digit);
  // At the end of a word it is written otherwise, and a letter alone has no end.
  return spelled.replaceAll('ς', 'σ');
}

/** The same, and where each letter was. */
export function foldedReading(outer: Reading): Reading {
  const letters = new Made(outer);
  let place = 0;
  for (const letter of outer.text) {
    if (!UNSEEN.test(letter)) letters.add(letter, place, place + letter.length);
    place += letter.length;
  }
  const visible = letters.reading();
  const made = new Made(visible);
  for (const found of visible.text.matchAll(LETTER)) {
    made.add(inOneCase(found[0]), found.index, found.index + found[0].length);
  }
  return made.reading();
}
