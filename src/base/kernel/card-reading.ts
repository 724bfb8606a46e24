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
const CARD_FIRST = /^[2-69]/;

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
  return layersOf(text).some((layer) => plainPlaces(layer, use).length > 0);
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
  const places: CardPlace[] = [];
  for (const run of runsOf(text)) {
    const isAfterPlus = text.charAt((run[0]?.start ?? 0) - 1) === '+';
    places.push(...placesIn(run, { use, isAfterPlus }));
  }
  if (places.length === 0) return places;
  const hashes = [...text.matchAll(HASHES)].filter(({ 0: hash }) => /[a-f]/i.test(hash));
  return places.filter(
    ({ start, end }) =>
      !hashes.some(({ index, 0: hash }) => index <= start && end <= index + hash.length),
  );
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
    const seen = this.#between.replaceAll(UNSEEN, '');
    // A plus behind a blank begins a telephone number.
    if (seen.length > GAP_MAX || /[\s,;:/(|]\+$/.test(seen)) return false;
    if (seen !== '') this.#close(seen);
    if (this.#digits === '') this.#start = place;
    this.#digits += digit;
    this.#between = '';
    return true;
  }

  /** False: it ends the run. */
  between(character: string): boolean {
    this.#between += character;
    return this.#between.length <= BETWEEN_MAX && !ENDING.test(character);
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
function placesIn(run: readonly Group[], about: RunUse): CardPlace[] {
  if (isReferenceNumber(run)) return [];
  const places: CardPlace[] = [];
  for (let first = 0; first < run.length; first += 1) {
    const last = lastOfCard(run, first, about);
    if (last === undefined) continue;
    const groups = run.slice(first, last + 1);
    places.push({
      start: groups[0]?.start ?? 0,
      end: groups.at(-1)?.end ?? 0,
      digits: groups.map(({ digits }) => digits).join(''),
    });
    first = last;
  }
  return places;
}

/** The last group of the longest card number that begins with this one. */
function lastOfCard(run: readonly Group[], first: number, about: RunUse): number | undefined {
  let found: number | undefined;
  let digits = '';
  let lengths: readonly number[] | undefined;
  for (let last = first; last < run.length; last += 1) {
    digits += run[last]?.digits ?? '';
    if (digits.length > DIGITS_MAX || !CARD_FIRST.test(digits)) break;
    if (digits.length < DIGITS_MIN) continue;
    lengths ??= lengthsOf(digits, { ...about, isAfterPlus: about.isAfterPlus && first === 0 });
    const isCard = lengths.includes(digits.length) && passesLuhn(digits);
    if (isCard && isGroupedAsCard(run, first, last)) found = last;
  }
  return found;
}

/** How long a card number is that begins like these digits; several schemes may share a beginning. */
function lengthsOf(digits: string, { use, isAfterPlus }: RunUse): readonly number[] {
  const lengths = SCHEMES.flatMap(([begins, known]) => (begins.test(digits) ? known : []));
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
  const lengths = groups.map(({ digits }) => digits.length).join(' ');
  if (GROUPINGS.has(lengths)) return true;
  if (lengths === MARKETPLACE_ORDER) return false;
  if (groups.every(({ digits }) => digits.length === 1)) return true;
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

/** In groups it is one as a whole: parts of it would be card numbers by chance. */
function isReferenceNumber(run: readonly Group[]): boolean {
  const digits = run.map((group) => group.digits).join('');
  return REFERENCE_NUMBER.test(digits) && passesLuhn(digits);
}

/** Cards of 13 digits are history; numbers of orders, articles and telephones of that length are not. */
const OLD_DIGITS = 13;

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
