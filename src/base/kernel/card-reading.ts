/**
 * Where full card numbers stand in a text, however they are written: digits of any script, in one piece or in groups
 * parted by whatever is no letter, with characters between them that nobody sees, behind the escapes of JSON, HTML and
 * addresses. Pure.
 *
 * A card number has the length and the beginning of a scheme's cards, and passes the Luhn check. Acquirer reference numbers
 * (23 digits), telephone numbers, UUIDs and hashes are none.
 */
import { digitOf } from './digits.ts';
import { layersOf, readingsOf } from './readings.ts';

/** Digits of the shortest card number, and of the longest. */
export const DIGITS_MIN = 13;
const DIGITS_MAX = 19;

/** Lengths of card numbers by how they begin. Beginnings of 7 to 9 are left to references, Troy's apart. */
const SCHEMES: readonly (readonly [begins: RegExp, lengths: readonly number[]])[] = [
  // Visa
  [/^4/, [13, 16, 19]],
  // Mastercard
  [/^(?:5[1-5]|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720))/, [16]],
  // American Express
  [/^3[47]/, [15]],
  // Diners Club
  [/^3(?:0[0-5]|09|[689])/, [14, 16, 19]],
  // JCB
  [/^35(?:2[89]|[3-8]\d)/, [16, 17, 18, 19]],
  // Discover, UnionPay, RuPay, Hipercard, InterPayment, InstaPayment
  [/^6(?:0|2|3[6-9]|4[4-9]|5)/, [16, 17, 18, 19]],
  // Maestro
  [/^(?:5018|5020|5038|5893|6304|6759|676[1-3])/, [13, 14, 15, 16, 17, 18, 19]],
  [/^(?:5[678]|67)/, [16, 17, 18, 19]],
  // Elo, Verve, RuPay
  [/^50[6-9]/, [16, 18, 19]],
  // Mir, Borica
  [/^220[0-5]/, [16, 17, 18, 19]],
  [/^9792/, [16]],
];

/** What any of them begins with: asked first, because most figures do not. */
const CARD_FIRST: ReadonlySet<string> = new Set('234569');

/** Digits that tell the scheme. */
const BEGINNING_DIGITS = 4;

/** What a text is for. A `name` stands for something: an order's number, a reference, a telephone. */
export type TextUse = 'text' | 'name';

/** Where in a text, in UTF-16 units, and the digits that stand there, in ASCII. */
export interface CardPlace {
  readonly start: number;
  readonly end: number;
  readonly digits: string;
}

/** Digits that stand beside one another. */
interface Group {
  readonly digits: string;
  readonly start: number;
  readonly end: number;
  /** What is seen between it and the group before. */
  readonly gap: string;
}

/** Units between two groups, unseen ones too. */
const BETWEEN_MAX = 24;

/** What parts no two groups: a letter, and what ends a value: a quote, a bracket, a currency. */
const ENDS = String.raw`\p{L}"'“”„‘’\[\]{}()<>\p{Sc}`;
const ENDING = new RegExp(`[${ENDS}]`, 'u');
/** The same for all of ASCII, by its code: each character of a text is asked. */
const ENDING_ASCII: readonly boolean[] = Array.from({ length: 0x80 }, (_, code) =>
  ENDING.test(String.fromCharCode(code)),
);

function ends(character: string): boolean {
  return ENDING_ASCII[character.charCodeAt(0)] ?? ENDING.test(character);
}

/** Where a run may begin: a number's sign, and twelve more behind it. Not more: no expression takes a megabyte of digits. */
const START = new RegExp(
  String.raw`\p{N}(?:[^${ENDS}\p{N}]{0,${BETWEEN_MAX}}\p{N}){${DIGITS_MIN - 1}}`,
  'gu',
);
/** The same where all is ASCII, in a fraction of the time. */
const PLAIN_START = new RegExp(
  String.raw`[0-9](?:[^A-Za-z"'\[\]{}()<>$0-9]{0,${BETWEEN_MAX}}[0-9]){${DIGITS_MIN - 1}}`,
  'g',
);
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
const PLAIN = /^[\u0000-\u007f]*$/;

/** Characters that nobody sees; marks on a digit are part of it. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{M}]/gu;

/** What is seen between two groups of one number, at most. */
const GAP_MAX = 3;

const WIDE_FIRST = 0xb2;

/** Nearly no text has enough of them, and counting costs less than any expression. */
export function hasCardDigits(text: string): boolean {
  if (text.length < DIGITS_MIN) return false;
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    // Every other script's digits lie beyond; whether it is one is seen later.
    if ((code >= 0x30 && code <= 0x39) || code >= WIDE_FIRST) count += 1;
    if (count === DIGITS_MIN) return true;
  }
  return false;
}

/** Whether a full card number stands in the text. */
export function readsAsCard(text: string, use: TextUse): boolean {
  if (!hasCardDigits(text)) return false;
  return layersOf(text).some((layer) => placesOf(layer, use).next().done !== true);
}

/** Where they stand, in the order of the text, none over another. */
export function cardPlaces(text: string, use: TextUse): readonly CardPlace[] {
  if (!readsAsCard(text, use)) return [];
  const places = readingsOf(text).flatMap(({ text: layer, starts, ends }) =>
    plainPlaces(layer, use).map(({ start, end, digits }) => ({
      digits,
      start: starts[start] ?? 0,
      end: ends[end - 1] ?? 0,
    })),
  );
  let last = 0;
  return places
    .toSorted((a, b) => a.start - b.start || b.end - a.end)
    .filter(({ start, end }) => {
      if (start < last) return false;
      last = end;
      return true;
    });
}

/** The same in the text as it stands, no escape opened. */
export function plainPlaces(text: string, use: TextUse): readonly CardPlace[] {
  return [...placesOf(text, use)];
}

/** One after another, because most who ask want to know whether there is one. */
function* placesOf(text: string, use: TextUse): Generator<CardPlace> {
  let hashes: readonly RegExpExecArray[] | undefined;
  let passed = 0;
  for (const run of runsOf(text)) {
    const isAfterPlus = text.charAt((run[0]?.start ?? 0) - 1) === '+';
    for (const place of placesIn(run, { use, isAfterPlus })) {
      hashes ??= [...text.matchAll(HASHES)].filter(({ 0: hash }) => /[a-f]/i.test(hash));
      while (passed < hashes.length && endOf(hashes[passed]) < place.end) passed += 1;
      const hash = hashes[passed];
      if (hash === undefined || hash.index > place.start) yield place;
    }
  }
}

function endOf(found: RegExpExecArray | undefined): number {
  return found === undefined ? 0 : found.index + found[0].length;
}

/** UUIDs and hashes: digits beside letters of theirs are no number. */
const HASHES =
  /(?<![0-9a-z])(?:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{32,})(?![0-9a-z])/gi;

/** Groups that may belong together: all of them, run by run. Read by hand, because no expression takes a megabyte of digits. */
function* runsOf(text: string): Generator<readonly Group[]> {
  const starts = new RegExp(PLAIN.test(text) ? PLAIN_START : START);
  for (let first = starts.exec(text); first !== null; first = starts.exec(text)) {
    const reader = new RunReader();
    starts.lastIndex = readRun(text, first.index, reader);
    yield reader.end();
  }
}

/** Reads on from a number's sign until something ends the run. Returns where. */
function readRun(text: string, from: number, reader: RunReader): number {
  let place = from;
  while (place < text.length) {
    const character = String.fromCodePoint(text.codePointAt(place) ?? 0);
    const digit = digitOf(character);
    const goesOn = digit === undefined ? reader.between(character) : reader.digit(digit, place);
    // What ends it may begin the next one.
    if (!goesOn) return digit === undefined ? place + character.length : place;
    place += character.length;
    if (digit !== undefined) reader.endsAt(place);
  }
  return place;
}

/** Puts one run together. */
class RunReader {
  readonly #groups: Group[] = [];
  #digits = '';
  #start = 0;
  #end = 0;
  #gap = '';
  #between = '';

  /** False: it ends the run. */
  digit(digit: string, place: number): boolean {
    const between = this.#between;
    const seen = PLAIN.test(between) ? between : between.replaceAll(UNSEEN, '');
    // A plus behind a blank begins a telephone number.
    if (seen.length > GAP_MAX || (seen.endsWith('+') && /[\s,;:/(|]\+$/.test(seen))) return false;
    if (seen !== '') this.#close(seen);
    if (this.#digits === '') this.#start = place;
    this.#digits += digit;
    this.#between = '';
    return true;
  }

  /** False: it ends the run. */
  between(character: string): boolean {
    this.#between += character;
    return this.#between.length <= BETWEEN_MAX && !ends(character);
  }

  endsAt(place: number): void {
    this.#end = place;
  }

  end(): readonly Group[] {
    this.#close('');
    return this.#groups;
  }

  #close(gap: string): void {
    if (this.#digits !== '') {
      const group = { digits: this.#digits, start: this.#start, end: this.#end, gap: this.#gap };
      this.#groups.push(group);
    }
    this.#digits = '';
    this.#gap = gap;
  }
}

interface RunUse {
  readonly use: TextUse;
  /** It begins behind a plus, as telephone numbers do. */
  readonly isAfterPlus: boolean;
}

/** The card numbers of a run: some of its groups, one behind another. */
function* placesIn(groups: readonly Group[], about: RunUse): Generator<CardPlace> {
  const run = new Run(groups);
  if (run.isReferenceNumber()) return;
  for (let first = 0; first < groups.length; first += 1) {
    const last = lastOfCard(run, first, about);
    if (last === undefined) continue;
    yield {
      start: groups[first]?.start ?? 0,
      end: groups[last]?.end ?? 0,
      digits: run.digits.slice(run.from(first), run.from(last + 1)),
    };
    first = last;
  }
}

/** All groups of a run, and sums over its digits: any part of it is checked without reading it again. */
class Run {
  readonly groups: readonly Group[];
  readonly digits: string;
  readonly #from: Uint32Array;
  /** Luhn sums of all digits before a place: for numbers that end at an even place, and at an odd one. */
  readonly #sums: readonly [Uint32Array, Uint32Array];

  constructor(groups: readonly Group[]) {
    this.groups = groups;
    this.digits = groups.map(({ digits }) => digits).join('');
    this.#from = new Uint32Array(groups.length + 1);
    for (const [place, { digits }] of groups.entries()) {
      this.#from[place + 1] = this.from(place) + digits.length;
    }
    this.#sums = [luhnSums(this.digits, 0), luhnSums(this.digits, 1)];
  }

  /** At which digit the group begins. */
  from(group: number): number {
    return this.#from[group] ?? 0;
  }

  /** Whether the digits from `start` to `end` pass the check that every card number passes. */
  passesLuhn(start: number, end: number): boolean {
    const sums = this.#sums[end % 2 === 1 ? 0 : 1];
    return ((sums[end] ?? 0) - (sums[start] ?? 0)) % 10 === 0;
  }

  /** In groups it is one as a whole: parts of it would be card numbers by chance. */
  isReferenceNumber(): boolean {
    return REFERENCE_NUMBER.test(this.digits) && this.passesLuhn(0, this.digits.length);
  }
}

/** Every second digit doubled; those at `plain` places, even or odd ones, are not. */
function luhnSums(digits: string, plain: 0 | 1): Uint32Array {
  const sums = new Uint32Array(digits.length + 1);
  let sum = 0;
  for (let place = 0; place < digits.length; place += 1) {
    const digit = digits.charCodeAt(place) - 48;
    sum += place % 2 === plain ? digit : doubled(digit);
    sums[place + 1] = sum;
  }
  return sums;
}

function doubled(digit: number): number {
  return digit > 4 ? digit * 2 - 9 : digit * 2;
}

/** The last group of the longest card number that begins with this one. */
function lastOfCard(run: Run, first: number, about: RunUse): number | undefined {
  const start = run.from(first);
  if (!CARD_FIRST.has(run.digits.charAt(start))) return undefined;
  const isAfterPlus = about.isAfterPlus && first === 0;
  const lengths = lengthsOf(run.digits.slice(start, start + BEGINNING_DIGITS), {
    ...about,
    isAfterPlus,
  });
  if (lengths.length === 0) return undefined;
  let found: number | undefined;
  for (let last = first; last < run.groups.length; last += 1) {
    const end = run.from(last + 1);
    if (end - start > DIGITS_MAX) break;
    const isCard = lengths.includes(end - start) && run.passesLuhn(start, end);
    if (isCard && isGroupedAsCard(run.groups, first, last)) found = last;
  }
  return found;
}

/** Asked at each group of a text, and there are few beginnings. */
const KNOWN_LENGTHS = new Map<string, readonly number[]>();

/** How long a card number is that begins like this; several schemes may share a beginning. */
function lengthsOf(beginning: string, { use, isAfterPlus }: RunUse): readonly number[] {
  let lengths = KNOWN_LENGTHS.get(beginning);
  if (lengths === undefined) {
    lengths = SCHEMES.flatMap(([begins, known]) => (begins.test(beginning) ? known : []));
    KNOWN_LENGTHS.set(beginning, lengths);
  }
  const isOldRead = use === 'text' && !isAfterPlus;
  return isOldRead ? lengths : lengths.filter((length) => length !== OLD_DIGITS);
}

/** How cards and people group their digits; behind others only like this, because any figures make a number. */
const GROUPINGS: ReadonlySet<string> = new Set(['4 4 4 4', '4 4 4 4 3', '4 6 5', '4 6 4', '4 4 5']);
/** Numbers of orders at Amazon: `503-1234567-1234567`. */
const MARKETPLACE_ORDER = '3 7 7';
const DASH_OR_BLANK = /^[\s\p{Pd}\u00ad]+$/u;

function isGroupedAsCard(run: readonly Group[], first: number, last: number): boolean {
  if (first === last) return true;
  const groups = run.slice(first, last + 1);
  if (groups.every(({ digits }) => digits.length === 1)) return true;
  const lengths = groups.map(({ digits }) => digits.length).join(' ');
  if (GROUPINGS.has(lengths)) return true;
  if (lengths === MARKETPLACE_ORDER) return false;
  const gaps = groups.slice(1).map(({ gap }) => gap);
  const isEven = gaps.every((gap) => gap === gaps[0]);
  const before = first === 0 ? undefined : run[first]?.gap;
  const after = run[last + 1]?.gap;
  if (before === undefined && after === undefined) {
    return isEven || gaps.every((gap) => DASH_OR_BLANK.test(gap));
  }
  return isEven && before !== gaps[0] && after !== gaps[0];
}

/** Digits of an acquirer reference number, its check digit included, and how it begins. */
const REFERENCE_NUMBER = /^[0278]\d{22}$/;

/** Cards of 13 digits are history; numbers of orders, articles and telephones of that length are not. */
const OLD_DIGITS = 13;

/** Whether the digits pass the check that every card number passes. */
export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let place = 0; place < digits.length; place += 1) {
    const digit = digits.charCodeAt(digits.length - 1 - place) - 48;
    sum += place % 2 === 1 ? doubled(digit) : digit;
  }
  return sum % 10 === 0;
}
