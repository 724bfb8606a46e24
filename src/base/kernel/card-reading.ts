/**
 * Where full card numbers are in a text, however they are written: digits of any script, in one piece or in groups
 * parted by whatever is no letter, with invisible characters between them, behind the escapes of JSON, HTML and
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

/** Digits that tell the scheme. */
const BEGINNING_DIGITS = 4;

/** What a text is for. A `name` names something: an order's number, a reference, a telephone. */
export type TextUse = 'text' | 'name';

/** Where in a text, in UTF-16 units, and the digits that are there, in ASCII. */
export interface CardPlace {
  readonly start: number;
  readonly end: number;
  readonly digits: string;
}

/** Units between two groups, unseen ones too. */
const BETWEEN_MAX = 24;

/** What is seen between two groups of one number, at most. */
const GAP_MAX = 3;

/** What parts no two groups: a letter, and what ends a value: a quote, a bracket, a currency. */
const ENDING = /[\p{L}"'“”„‘’[\]{}()<>\p{Sc}]/u;
/** Invisible characters; marks on a digit are part of it. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{M}]/u;
const DASH_OR_BLANK = /[\s\p{Pd}]/u;

/** What a character is to the reading; a digit is `Kind.zero` and its value. */
const Kind = { unasked: 0, ending: 1, visible: 2, invisible: 3, dashOrBlank: 4, zero: 16 } as const;

/** By code point: each character that ever came is asked once, because a text is walked character by character. */
const KINDS = new Uint8Array(0x11_00_00);

function kindOf(code: number): number {
  const known = KINDS[code] ?? Kind.visible;
  if (known !== Kind.unasked) return known;
  const kind = askedKind(String.fromCodePoint(code));
  KINDS[code] = kind;
  return kind;
}

const NUMBER = /\p{N}/u;

function askedKind(character: string): number {
  const digit = NUMBER.test(character) ? digitOf(character) : undefined;
  if (digit !== undefined) return Kind.zero + Number(digit);
  if (ENDING.test(character)) return Kind.ending;
  if (UNSEEN.test(character)) return Kind.invisible;
  return DASH_OR_BLANK.test(character) ? Kind.dashOrBlank : Kind.visible;
}

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

/** Whether a full card number is in the text. */
export function readsAsCard(text: string, use: TextUse): boolean {
  if (!hasCardDigits(text)) return false;
  return layersOf(text).some((layer) => placesIn(layer, { use, most: 1 }).length > 0);
}

/** Where they are, in the order of the text, none over another. */
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

/** The same in the text as it is, no escape opened. */
export function plainPlaces(text: string, use: TextUse): readonly CardPlace[] {
  return placesIn(text, { use, most: Number.POSITIVE_INFINITY });
}

interface Wanted {
  readonly use: TextUse;
  /** Places after which the reading ends: most who ask want to know whether there is one. */
  readonly most: number;
}

/** Characters of a usual text, an event's body for one; all such texts are read in the same memory. */
const USUAL_LENGTH = 16_384;
let usualRun: Run | undefined;

function runFor(text: string): Run {
  if (text.length > USUAL_LENGTH) return new Run(text.length);
  usualRun ??= new Run(USUAL_LENGTH);
  return usualRun;
}

/** One walk over the text: each character is looked at once, and each group of digits with the eighteen behind it at most. */
function placesIn(text: string, { use, most }: Wanted): CardPlace[] {
  const run = runFor(text);
  const hashes = new Hashes(text);
  const places: CardPlace[] = [];
  for (let from = 0; from < text.length && places.length < most; ) {
    from = run.read(text, from);
    if (run.digitCount < DIGITS_MIN || run.isReferenceNumber()) continue;
    for (const place of run.cards(use, text.charCodeAt(run.start(0) - 1) === PLUS)) {
      if (!hashes.cover(place)) places.push(place);
      if (places.length >= most) break;
    }
  }
  return places;
}

const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
const LETTERS_IN_CASE = 0x20;
const LETTER_A = 0x61;
const LETTER_F = 0x66;
const LETTER_Z = 0x7a;

const UUID_FIRST = 8;
const UUID_REST = /-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?![0-9a-z])/iy;
const HASH_MIN = 32;
const HEX_LETTER = /[a-f]/i;

/** UUIDs and hashes of a text, one after another: digits next to letters of theirs are no number. */
class Hashes {
  readonly #text: string;
  /** Up to where it was read. */
  #place = 0;
  #start = 0;
  #end = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Whether the place is in one. Asked for places in their order. */
  cover({ start, end }: CardPlace): boolean {
    while (this.#end < end && this.#place < this.#text.length) this.#readWord();
    return this.#start <= start && this.#end >= end;
  }

  /** Reads letters and digits of ASCII up to what is none, and the whole of a UUID that begins with them. */
  #readWord(): void {
    const start = this.#place;
    let isHex = true;
    let place = start;
    for (; place < this.#text.length; place += 1) {
      const code = this.#text.charCodeAt(place);
      if (code >= DIGIT_0 && code <= DIGIT_9) continue;
      const letter = code | LETTERS_IN_CASE;
      if (letter < LETTER_A || letter > LETTER_Z || code > LETTER_Z) break;
      if (letter > LETTER_F) isHex = false;
    }
    if (isHex && place - start === UUID_FIRST) place = this.#endOfUuid(place);
    const isLong = isHex && place - start >= HASH_MIN;
    this.#place = Math.max(place, start + 1);
    if (!isLong || !HEX_LETTER.test(this.#text.slice(start, place))) return;
    this.#start = start;
    this.#end = place;
  }

  #endOfUuid(place: number): number {
    UUID_REST.lastIndex = place;
    return UUID_REST.test(this.#text) ? UUID_REST.lastIndex : place;
  }
}

const PLUS = 0x2b;
/** What is before the plus of a telephone number. */
const BEFORE_PLUS = /[\s,;:/|]/;
const ASTRAL = 0x1_00_00;
/** Base of a gap as a number: a unit is itself and one more, 0 is none. */
const UNITS = 0x1_00_01;

/**
 * Groups of digits that may belong together, and sums over their digits, so that any part of them is checked without
 * reading it again. One is used for all runs of a text.
 */
class Run {
  digitCount = 0;
  groupCount = 0;
  readonly #digits: Uint8Array;
  /** Luhn sums of all digits before a place: for numbers that end at an odd place, and at an even one. */
  readonly #oddSums: Uint32Array;
  readonly #evenSums: Uint32Array;
  /** Of each group: where in the text it begins and ends, and at which digit it begins. */
  readonly #starts: Uint32Array;
  readonly #ends: Uint32Array;
  readonly #from: Uint32Array;
  /** What is seen between it and the group before, its up to three UTF-16 units as one number; and of which kind it is. */
  readonly #gaps: Float64Array;
  readonly #gapIsDash: Uint8Array;
  /** Since the last digit: units, those of them that are seen, these as a number, and whether all are dashes or blanks. */
  #between = 0;
  #seen = 0;
  #gap = 0;
  #isDash = true;

  /** `length`: characters of the longest text that is read in it. */
  constructor(length: number) {
    this.#digits = new Uint8Array(length);
    this.#oddSums = new Uint32Array(length + 1);
    this.#evenSums = new Uint32Array(length + 1);
    this.#starts = new Uint32Array(length);
    this.#ends = new Uint32Array(length);
    this.#from = new Uint32Array(length + 1);
    this.#gaps = new Float64Array(length);
    this.#gapIsDash = new Uint8Array(length);
  }

  /** Reads from the next digit on until something ends the run. Returns where the next one may begin. */
  read(text: string, from: number): number {
    this.digitCount = 0;
    this.groupCount = 0;
    this.#startGap();
    for (let place = from, next = from; place < text.length; place = next) {
      let code = text.charCodeAt(place);
      if ((code & 0xf8_00) === 0xd8_00) code = text.codePointAt(place) ?? code;
      next = code >= ASTRAL ? place + 2 : place + 1;
      const kind = kindOf(code);
      if (kind >= Kind.zero) {
        // What ends it begins the next one.
        if (!this.#takeDigit(kind - Kind.zero, place, next)) return place;
      } else if (this.groupCount > 0 && !this.#takeOther(kind, text, place, next)) return next;
    }
    return text.length;
  }

  /** False: it ends the run. */
  #takeDigit(digit: number, place: number, end: number): boolean {
    if (this.#seen > GAP_MAX || (this.#seen > 1 && beginsTelephone(this.#gap))) return false;
    if (this.#seen > 0 || this.groupCount === 0) this.#open(place);
    this.#add(digit, end);
    if (this.#between > 0) this.#startGap();
    return true;
  }

  /** False: it ends the run. */
  #takeOther(kind: number, text: string, place: number, end: number): boolean {
    this.#between += end - place;
    if (kind === Kind.ending || this.#between > BETWEEN_MAX) return false;
    if (kind === Kind.invisible) return true;
    for (let at = place; at < end; at += 1) this.#gap = this.#gap * UNITS + 1 + text.charCodeAt(at);
    this.#seen += end - place;
    if (kind !== Kind.dashOrBlank) this.#isDash = false;
    return true;
  }

  #startGap(): void {
    this.#between = 0;
    this.#seen = 0;
    this.#gap = 0;
    this.#isDash = true;
  }

  #open(place: number): void {
    this.#starts[this.groupCount] = place;
    this.#from[this.groupCount] = this.digitCount;
    this.#gaps[this.groupCount] = this.#gap;
    this.#gapIsDash[this.groupCount] = this.#isDash ? 1 : 0;
    this.groupCount += 1;
  }

  #add(digit: number, end: number): void {
    const place = this.digitCount;
    const isEven = place % 2 === 0;
    const twice = doubled(digit);
    this.#digits[place] = digit;
    this.#oddSums[place + 1] = (this.#oddSums[place] ?? 0) + (isEven ? digit : twice);
    this.#evenSums[place + 1] = (this.#evenSums[place] ?? 0) + (isEven ? twice : digit);
    this.digitCount = place + 1;
    this.#ends[this.groupCount - 1] = end;
    this.#from[this.groupCount] = this.digitCount;
  }

  /** Where in the text the group begins. */
  start(group: number): number {
    return this.#starts[group] ?? 0;
  }

  /** The card numbers of the run: some of its groups, one behind another. */
  *cards(use: TextUse, isAfterPlus: boolean): Generator<CardPlace> {
    for (let first = 0; first < this.groupCount; first += 1) {
      const last = this.#lastOfCard(first, use === 'text' && !(isAfterPlus && first === 0));
      if (last === undefined) continue;
      const digits = this.#digits.subarray(this.#from[first], this.#from[last + 1]).join('');
      yield { start: this.start(first), end: this.#ends[last] ?? 0, digits };
      first = last;
    }
  }

  /** Whether the digits from `start` to `end` pass the check that every card number passes. */
  #passesLuhn(start: number, end: number): boolean {
    const sums = end % 2 === 1 ? this.#oddSums : this.#evenSums;
    return ((sums[end] ?? 0) - (sums[start] ?? 0)) % 10 === 0;
  }

  /** In groups it is one as a whole: parts of it would be card numbers by chance. */
  isReferenceNumber(): boolean {
    if (this.digitCount !== REFERENCE_DIGITS) return false;
    return REFERENCE_FIRST.has(this.#digits[0] ?? 0) && this.#passesLuhn(0, REFERENCE_DIGITS);
  }

  /** The last group of the longest card number that begins with this one. */
  #lastOfCard(first: number, isOldRead: boolean): number | undefined {
    const start = this.#from[first] ?? 0;
    if (start + DIGITS_MIN > this.digitCount) return undefined;
    const known = lengthsOf(this.#beginning(start));
    const lengths = isOldRead ? known : known & ~(1 << OLD_DIGITS);
    if (lengths === 0) return undefined;
    let found: number | undefined;
    for (let last = first; last < this.groupCount; last += 1) {
      const end = this.#from[last + 1] ?? 0;
      if (end - start > DIGITS_MAX) break;
      const isLength = (lengths & (1 << (end - start))) !== 0;
      if (isLength && this.#passesLuhn(start, end) && this.#isGroupedAsCard(first, last)) {
        found = last;
      }
    }
    return found;
  }

  /** The first four digits as a number. */
  #beginning(start: number): number {
    let beginning = 0;
    for (let place = start; place < start + BEGINNING_DIGITS; place += 1) {
      beginning = beginning * 10 + (this.#digits[place] ?? 0);
    }
    return beginning;
  }

  #isGroupedAsCard(first: number, last: number): boolean {
    if (first === last) return true;
    const lengths = this.#lengthsOfGroups(first, last);
    if (lengths === SINGLES || GROUPINGS.has(lengths)) return true;
    if (lengths === MARKETPLACE_ORDER) return false;
    const gap = this.#gaps[first + 1];
    let isEven = true;
    let isDash = true;
    for (let group = first + 1; group <= last; group += 1) {
      isEven &&= this.#gaps[group] === gap;
      isDash &&= this.#gapIsDash[group] === 1;
    }
    const isFirst = first === 0;
    const isLast = last === this.groupCount - 1;
    if (isFirst && isLast) return isEven || isDash;
    if (!isFirst && this.#gaps[first] === gap) return false;
    return isEven && (isLast || this.#gaps[last + 1] !== gap);
  }

  /** Of up to five groups as in {@link grouping}; of more whether each is one digit. */
  #lengthsOfGroups(first: number, last: number): number {
    const digits = (this.#from[last + 1] ?? 0) - (this.#from[first] ?? 0);
    if (digits === last - first + 1) return SINGLES;
    if (last - first >= GROUPS_MAX) return 0;
    let lengths = 0;
    for (let group = first; group <= last; group += 1) {
      lengths = lengths * GROUP_BASE + (this.#from[group + 1] ?? 0) - (this.#from[group] ?? 0);
    }
    return lengths;
  }
}

/** A plus behind a blank begins a telephone number. */
function beginsTelephone(gap: number): boolean {
  if ((gap % UNITS) - 1 !== PLUS) return false;
  return BEFORE_PLUS.test(String.fromCharCode((Math.floor(gap / UNITS) % UNITS) - 1));
}

function doubled(digit: number): number {
  return digit > 4 ? digit * 2 - 9 : digit * 2;
}

/** By the first four digits as a number: how long such cards are, a bit for each length. Each is asked once. */
const LENGTHS = new Uint32Array(10 ** BEGINNING_DIGITS);
const ASKED = 1;

/** How long a card number is that begins like this; several schemes may share a beginning. */
function lengthsOf(beginning: number): number {
  let bits = LENGTHS[beginning] ?? 0;
  if (bits === 0) {
    const text = String(beginning).padStart(BEGINNING_DIGITS, '0');
    bits = ASKED;
    for (const [begins, lengths] of SCHEMES) {
      if (begins.test(text)) for (const length of lengths) bits |= 1 << length;
    }
    LENGTHS[beginning] = bits;
  }
  return bits & ~ASKED;
}

/** Lengths of groups as one number; so many groups have room in it. */
const GROUP_BASE = 32;
const GROUPS_MAX = 5;
/** Each group is one digit. */
const SINGLES = -1;

function grouping(...lengths: readonly number[]): number {
  return lengths.reduce((number, length) => number * GROUP_BASE + length, 0);
}

/** How cards and people group their digits; behind others only like this, because any figures make a number. */
const GROUPINGS: ReadonlySet<number> = new Set([
  grouping(4, 4, 4, 4),
  grouping(4, 4, 4, 4, 3),
  grouping(4, 6, 5),
  grouping(4, 6, 4),
  grouping(4, 4, 5),
]);
/** Numbers of orders at Amazon: `503-1234567-1234567`. */
const MARKETPLACE_ORDER = grouping(3, 7, 7);

/** Digits of an acquirer reference number, its check digit included, and how it begins. */
const REFERENCE_DIGITS = 23;
const REFERENCE_FIRST: ReadonlySet<number> = new Set([0, 2, 7, 8]);

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
