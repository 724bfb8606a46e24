/**
 * A person as texts name them: found by what a text says and not by its bytes, and taken out of it. Pure.
 *
 * An e-mail address is written as it is; in a telephone number, a name, an address or an account id anything but letters
 * and digits may be written otherwise. None begins or ends inside a word: what goes is not a part of somebody else's.
 */
import { domainToASCII, domainToUnicode } from 'node:url';
import type { Reading } from '../kernel/readings.ts';
import { folded, foldedReading, layersOf, readingsOf } from '../kernel/readings.ts';

export interface Person {
  /** Whether the text names the person, however it is written. */
  names(text: string): boolean;
  /** The text with the mark in the place of each name. */
  redact(text: string, mark: string): string;
}

/** Shortest name, telephone number or account id that is looked for: shorter ones are parts of other words. */
export const IDENTIFIER_LENGTH_MIN = 8;

/** Rounds until nothing is found; after them the whole text goes. */
const ROUNDS_MAX = 4;

/** How a person is named: e-mail addresses, telephone numbers, names, addresses, account ids. */
export function personOf(identifiers: readonly string[]): Person {
  const patterns = [...new Set(identifiers.flatMap(patternsOf))].sort(longestFirst);
  if (patterns.length === 0) return { names: () => false, redact: (text) => text };
  const pattern = new RegExp(`(?<!${LETTER})(?:${patterns.join('|')})(?!${LETTER})`, 'g');
  const isIn = (text: string): boolean => folded(text).search(pattern) >= 0;
  const names = (text: string): boolean =>
    layersOf(text).some((layer) => isIn(layer) || packedIn(layer, isIn).next().done !== true);
  const redact = (text: string, mark: string): string => {
    let left = text;
    for (let round = 0; round < ROUNDS_MAX && names(left); round += 1) {
      left = replaced(left, rangesOf(left, { pattern, isIn }), mark);
    }
    return names(left) ? mark : left;
  };
  return { names, redact };
}

/** Letters and digits of folded text, roughly: their exact list takes seconds to compile, as often as it is used here. */
const LETTERS = String.raw`a-z0-9\u00c0-\u1fff\u2c00-\u2dff\u3040-\udfff`;
const LETTER = `[${LETTERS}]`;

/** Between two digits of a telephone number. */
const BETWEEN_DIGITS = `[^${LETTERS}]{0,3}`;

/** Between two words of a name. */
const BETWEEN_WORDS = `[^${LETTERS}]{1,4}`;

/** Digits and what people write between them, so a telephone number; without any of that it may be an id. */
const TELEPHONE = /^(?=.*[+\s().-]|0)[+\d\s().\-/]+$/;

/** Longest code of a country, in digits; a number within the country begins with 0 instead. */
const COUNTRY_DIGITS_MAX = 3;

/** How the folded text can spell it. */
function patternsOf(identifier: string): string[] {
  const text = folded(identifier).trim();
  if (text.includes('@')) return emailPatterns(text);
  if (text.length < IDENTIFIER_LENGTH_MIN) return [];
  if (TELEPHONE.test(text) && !IP_ADDRESS.test(text)) return telephonePatterns(text);
  const words = text.split(NO_LETTERS).filter((word) => word !== '');
  return words.length === 0 ? [] : [words.map(escaped).join(BETWEEN_WORDS)];
}

const NO_LETTERS = new RegExp(`[^${LETTERS}]+`);

const IP_ADDRESS = /^\d{1,3}(?:\.\d{1,3}){3}$/;

/** As people write it, and as they write it where they think that addresses are not collected. */
const AT = String.raw`(?: {0,2}@ {0,2}| ?[(\[] ?at ?[)\]] ?)`;

function emailPatterns(text: string): string[] {
  const at = text.lastIndexOf('@');
  // A plus is a blank in some addresses of browsers.
  const local = escaped(text.slice(0, at)).replaceAll('\\+', '[+ ]');
  const domain = text.slice(at + 1);
  const known = [domain, domainToASCII(domain), domainToUnicode(domain)];
  const domains = new Set(known.filter((each) => each !== ''));
  // The full stop of Chinese and Japanese parts domains too.
  return [...domains].map((each) => `${local}${AT}${escaped(each).replaceAll('\\.', '[.。]')}`);
}

function telephonePatterns(text: string): string[] {
  const digits = text.replaceAll(/\D/g, '');
  if (digits.length < IDENTIFIER_LENGTH_MIN) return [];
  if (!/^(?:\+|00)/.test(text)) return [spaced(digits)];
  const number = digits.replace(/^00/, '');
  const within = Array.from({ length: COUNTRY_DIGITS_MAX }, (_, code) => number.slice(code + 1))
    .filter((rest) => rest.length >= IDENTIFIER_LENGTH_MIN)
    .map((rest) => spaced(`0${rest}`));
  return [`(?:\\+|0${BETWEEN_DIGITS}0${BETWEEN_DIGITS})?${spaced(number)}`, ...within];
}

function spaced(digits: string): string {
  return [...digits].join(BETWEEN_DIGITS);
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

function longestFirst(a: string, b: string): number {
  return b.length - a.length;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

interface Search {
  readonly pattern: RegExp;
  readonly isIn: (text: string) => boolean;
}

/** Where in the text the person is named. */
function rangesOf(text: string, { pattern, isIn }: Search): Range[] {
  return readingsOf(text).flatMap((reading) => {
    const spelled = foldedReading(reading);
    return [
      ...[...spelled.text.matchAll(pattern)].map((found) =>
        within(spelled, found.index, found[0].length),
      ),
      ...[...packedIn(reading.text, isIn)].map(({ start, end }) =>
        within(reading, start, end - start),
      ),
    ];
  });
}

function within({ starts, ends }: Reading, place: number, length: number): Range {
  return { start: starts[place] ?? 0, end: ends[place + length - 1] ?? 0 };
}

function replaced(text: string, ranges: readonly Range[], mark: string): string {
  let left = '';
  let place = 0;
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (start < place) {
      // It overlaps what has gone.
      place = Math.max(place, end);
      continue;
    }
    left += text.slice(place, start) + mark;
    place = end;
  }
  return left + text.slice(place);
}

/** Text that was packed into letters and digits: base64 of either alphabet, in lines or in one, hexadecimal. */
const PACKED = /[A-Za-z0-9+/_-]{11,}(?:\r?\n[A-Za-z0-9+/_-]+)*={0,2}/g;
const HEXADECIMAL_RUN = /[0-9a-f]{16}/;
const HEXADECIMAL = /(?:[0-9a-f]{2}){8,}/gi;

/** A run of base64 may begin inside a longer run of its letters. */
const BASE64_OFFSETS = [0, 1, 2, 3];

/** What may be text in something unpacked: nearly nothing, where it never was text. */
const WORDS = /[^\p{Cc}\uFFFD]{6,}/gu;

/** Runs of the text in which, unpacked, the person is named. */
function* packedIn(text: string, isIn: (text: string) => boolean): Generator<Range> {
  for (const { index, 0: run } of text.matchAll(PACKED)) {
    if (isPackedName(run, isIn)) yield { start: index, end: index + run.length };
  }
}

/** What bytes say: in UTF-8, and where every other one is nought, in UTF-16. */
function textsOf(bytes: Buffer): string[] {
  const text = bytes.toString('utf8');
  if (!bytes.includes(0)) return [text];
  return [text, bytes.toString('utf16le'), bytes.subarray(1).toString('utf16le')];
}

function isPackedName(run: string, isIn: (text: string) => boolean): boolean {
  const says = (bytes: Buffer): boolean =>
    textsOf(bytes).some((text) =>
      (text.match(WORDS) ?? []).some((words) => layersOf(words).some(isIn)),
    );
  // Neither is a word of small letters, as most ids are.
  if (!/[A-Z]/.test(run) && !HEXADECIMAL_RUN.test(run)) return false;
  const isHex = [...run.matchAll(HEXADECIMAL)].some(({ 0: hex }) =>
    [0, 1].some((from) => says(Buffer.from(hex.slice(from), 'hex'))),
  );
  return isHex || BASE64_OFFSETS.some((from) => says(Buffer.from(run.slice(from), 'base64')));
}
