/**
 * What a text says to somebody who reads it, whatever it was written with: escapes of JSON, of an address in a
 * browser, of HTML and of mail are opened, up to a few layers deep, and each character knows where it stood. Pure.
 */

import { digitOf } from './digits.ts';

/** A text, and for each of its UTF-16 units where in the original it begins and ends. */
export interface Reading {
  readonly text: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** Escapes within escapes that are opened: JSON in JSON in an address is three. */
const LAYERS_MAX = 5;

/**
 * One escape each: JSON's `\u0040`, `\x40` and `\/`, with one or more backslashes; `%40` and its neighbours;
 * `&#64;`, `&#x40;` and the names of signs and letters; `=40` of mail, for what is no letter or digit there, and its
 * broken lines.
 */
const ESCAPE =
  /(?<!\\)\\+(?:u([0-9a-f]{4})|u\{([0-9a-f]{1,6})\}|x([0-9a-f]{2})|([^ux\\]))|((?:%[0-9a-f]{2})+)|&#(\d{1,7});?|&#x([0-9a-f]{1,6});?|&([a-z]{2,8});|((?:=[c-f][0-9a-f](?:=[89ab][0-9a-f])+)+)|=([23][0-9a-f]|40|5[b-f]|60|7[b-e])|=\r?\n/gi;

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

/** What `&name;` stands for; undefined: it is no escape. */
function namedCharacter(name: string): string | undefined {
  if (name === NAMED_SHARP_S) return 'ß';
  const place = LETTER_NAMES.indexOf(name);
  return place < 0 ? NAMED[name] : String.fromCodePoint(FIRST_LETTER + place);
}

/** Letters after a backslash that are white space. */
const BLANKS = 'nrtbf0v';

/** The text with the outermost escapes opened; the same string where there are none. */
function opened(text: string): string {
  return mayHoldEscapes(text) ? text.replace(ESCAPE, (...found) => meaningOf(found)) : text;
}

function mayHoldEscapes(text: string): boolean {
  return /[\\%&=]/.test(text);
}

function meaningOf(found: readonly unknown[]): string {
  const part = (place: number): string | undefined => {
    const value = found[place];
    return typeof value === 'string' ? value : undefined;
  };
  const hex = part(1) ?? part(2) ?? part(3) ?? part(7) ?? part(10);
  if (hex !== undefined) return character(Number.parseInt(hex, 16));
  const decimal = part(6);
  if (decimal !== undefined) return character(Number(decimal));
  const letter = part(4);
  if (letter !== undefined) return BLANKS.includes(letter) ? ' ' : letter;
  const name = part(8);
  if (name !== undefined) return namedCharacter(name.toLowerCase()) ?? `&${name};`;
  const written = part(5) ?? part(9) ?? '';
  // One byte of ASCII, as nearly all of them: `%40`.
  const code = written.length === 3 ? Number.parseInt(written.slice(1), 16) : 0x80;
  if (code < 0x80) return String.fromCharCode(code);
  const bytes = written.replaceAll(/[%=]/g, '');
  return Buffer.from(bytes, 'hex').toString('utf8');
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

/** The same, and where everything stood. Costs more: for a text of which it is known that something is in it. */
export function readingsOf(text: string): Reading[] {
  let reading = plainReading(text);
  const readings = [reading];
  while (readings.length <= LAYERS_MAX && mayHoldEscapes(reading.text)) {
    const inner = openedReading(reading);
    if (inner.text === reading.text) break;
    readings.push(inner);
    reading = inner;
  }
  return readings;
}

function plainReading(text: string): Reading {
  const starts = Array.from({ length: text.length }, (_, index) => index);
  return { text, starts, ends: starts.map((start) => start + 1) };
}

function openedReading(outer: Reading): Reading {
  const made = new Made(outer);
  let place = 0;
  for (const found of outer.text.matchAll(ESCAPE)) {
    for (; place < found.index; place += 1) made.add(outer.text.charAt(place), place, place + 1);
    place = found.index + found[0].length;
    made.add(meaningOf(found), found.index, place);
  }
  for (; place < outer.text.length; place += 1) {
    made.add(outer.text.charAt(place), place, place + 1);
  }
  return made.reading();
}

/** A reading that is put together of pieces of another one. */
class Made {
  readonly #of: Reading;
  readonly #texts: string[] = [];
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];

  constructor(of: Reading) {
    this.#of = of;
  }

  /** What the units from `start` to `end` say. */
  add(text: string, start: number, end: number): void {
    this.#texts.push(text);
    const from = this.#of.starts[start] ?? 0;
    const to = this.#of.ends[end - 1] ?? from;
    for (let unit = 0; unit < text.length; unit += 1) {
      this.#starts.push(from);
      this.#ends.push(to);
    }
  }

  reading(): Reading {
    return { text: this.#texts.join(''), starts: this.#starts, ends: this.#ends };
  }
}

/** Characters that nobody sees: they part what is written, and change nothing of what it says. */
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

/** The same, and where each letter stood. */
export function foldedReading(outer: Reading): Reading {
  const seen = new Made(outer);
  let place = 0;
  for (const letter of outer.text) {
    if (!UNSEEN.test(letter)) seen.add(letter, place, place + letter.length);
    place += letter.length;
  }
  const visible = seen.reading();
  const made = new Made(visible);
  for (const found of visible.text.matchAll(LETTER)) {
    made.add(inOneCase(found[0]), found.index, found.index + found[0].length);
  }
  return made.reading();
}
