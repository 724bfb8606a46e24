/**
 * Reads the body of a request with orders. In `forestall start` the same process takes webhooks in: no body, however
 * it is made, holds it up for long. A long one is looked at byte by byte while it arrives, before any of its orders is read, and is
 * refused as soon as it is known to hold too much: what it would go on with is not kept.
 */
import { Buffer } from 'node:buffer';
import type { JsonOutcome } from '../service/wire/strict-json.ts';
import { parseJsonStrict } from '../service/wire/strict-json.ts';
import type { ReadingTurn } from './reading-turn.ts';
import { beginReading } from './reading-turn.ts';

/** Largest order, and largest body that is read at once, in bytes. */
export const ORDER_BYTES_MAX = 256 * 1024;

/** Values in all orders of a list, of all depths: 8 MB of orders have fewer, and reading more is work for seconds. */
export const LIST_VALUES_MAX = 400_000;

/** Bytes looked at before it is asked whether others have their turn: well under a millisecond. */
const LOOK_AT_ONCE = 64 * 1024;

/** What was read: a value, which is an {@link OrderList} where the list is longer than one order may be. */
export type OrdersBody = JsonOutcome | Refused;

/**
 * The orders of a long list, each known to be JSON. Each is read when its turn comes and not kept here: hundreds of thousands of
 * values that live at a time hold the process up at the next collection of garbage.
 */
export class OrderList implements Iterable<unknown> {
  readonly #texts: readonly Buffer[];

  constructor(texts: readonly Buffer[]) {
    this.#texts = texts;
  }

  get length(): number {
    return this.#texts.length;
  }

  *[Symbol.iterator](): Generator<unknown> {
    for (const text of this.#texts) yield JSON.parse(text.toString());
  }
}

/** Why nothing of a long body is taken. */
type Refused =
  | typeof NOT_JSON
  | {
      readonly ok: false;
      readonly reason: 'too_large';
      /** Of the order in a list; undefined: the body is one order. */
      readonly index: number | undefined;
    }
  /** The orders of a list together hold more than {@link LIST_VALUES_MAX} values. */
  | { readonly ok: false; readonly reason: 'too_many_values' }
  /** A list holds more orders than are taken. */
  | { readonly ok: false; readonly reason: 'too_many_orders' };

/** Reads one order, or a list of at most `countMax`. */
export async function readOrdersBody(body: Buffer, countMax: number): Promise<OrdersBody> {
  if (body.length <= ORDER_BYTES_MAX) return parseJsonStrict(body);
  return await receiveOrdersBody(piecesOf(body), countMax);
}

function* piecesOf(body: Buffer): Generator<Buffer> {
  for (let from = 0; from < body.length; from += LOOK_AT_ONCE) {
    yield body.subarray(from, from + LOOK_AT_ONCE);
  }
}

/** Reads the same while it arrives; of what is refused no further piece is asked for. */
export async function receiveOrdersBody(
  pieces: Iterable<Buffer> | AsyncIterable<Buffer>,
  countMax: number,
): Promise<OrdersBody> {
  const kept: Buffer[] = [];
  const turn = beginReading();
  let bytes = 0;
  let look: Look | undefined;
  for await (const piece of pieces) {
    kept.push(piece);
    bytes += piece.length;
    if (bytes <= ORDER_BYTES_MAX) continue;
    const unseen = look === undefined ? kept : [piece];
    look ??= lookThrough(countMax);
    for (const each of unseen) {
      const refused = look.take(each);
      if (refused !== undefined) return refused;
      await turn.take();
    }
  }
  const body = Buffer.concat(kept);
  if (look === undefined) return parseJsonStrict(body);
  const spans = look.end();
  return 'ok' in spans ? spans : await readEntries(body, spans, turn);
}

/** Every order is looked at before any is taken: of a list with one that is no JSON nothing is stored. */
async function readEntries(
  body: Buffer,
  spans: readonly Span[],
  turn: ReadingTurn,
): Promise<OrdersBody> {
  const texts = spans.map(({ start, end }) => trimmed(body.subarray(start, end)));
  for (const text of texts) {
    const read = parseJsonStrict(text);
    if (!read.ok) return read.reason === 'empty' ? NOT_JSON : read;
    await turn.take();
  }
  return { ok: true, value: new OrderList(texts) };
}

const NOT_JSON = { ok: false, reason: 'not_json' } as const;

/** Where an entry of the list is. */
interface Span {
  readonly start: number;
  readonly end: number;
}

interface Look {
  /** Looks at the next bytes. Returns why nothing of the body is taken, as soon as that is known. */
  take(piece: Buffer): Refused | undefined;
  /** Where the entries are, once all bytes were looked at. */
  end(): readonly Span[] | Refused;
}

const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, CLOSE_LIST] = Buffer.from('"\\,[]');
/** How much deeper the text is behind each byte that counts; a comma parts two values. */
const STEPS = [
  [',', 0],
  ['[{', 1],
  [']}', -1],
] as const;
const NO_STEP = 2;
/** The same for every byte: an array, for a look at millions of them. */
const STEP_OF = new Int8Array(256).fill(NO_STEP);
for (const [text, step] of STEPS) for (const byte of Buffer.from(text)) STEP_OF[byte] = step;
/** Space, tab, line feed, carriage return. */
const BLANK: ReadonlySet<number | undefined> = new Set(Buffer.from(' \t\n\r'));

/** Begins to look at a body that is longer than one order may be. */
function lookThrough(countMax: number): Look {
  const spans: Span[] = [];
  let place: 'before' | 'inside' | 'behind' = 'before';
  /** Bytes of the pieces before. */
  let past = 0;
  let start = 0;
  let depth = 0;
  /** Seen inside entries; blanks inside what is empty count one. */
  let values = 0;
  let previous = 0;
  let text: 'none' | 'inside' | 'escaped' = 'none';

  /** The entry ends with a byte: the comma behind it, or the bracket that closes the list. */
  const endEntry = (end: number, byte: number): Refused | undefined => {
    if (end - start > ORDER_BYTES_MAX) return tooLarge(spans.length);
    spans.push({ start, end });
    start = end + 1;
    if (byte === CLOSE_LIST) place = 'behind';
    else if (byte !== COMMA) return NOT_JSON;
    else if (spans.length === countMax) return { ok: false, reason: 'too_many_orders' };
    return undefined;
  };
  const betweenOrders = (at: number, byte: number): Refused | undefined => {
    if (BLANK.has(byte)) return undefined;
    if (place === 'behind') return NOT_JSON;
    if (byte !== OPEN_LIST) return tooLarge(undefined);
    place = 'inside';
    start = at + 1;
    return undefined;
  };
  const within = (at: number, byte: number): Refused | undefined => {
    const step = STEP_OF[byte] ?? NO_STEP;
    if (byte === QUOTE) text = 'inside';
    else if (step !== NO_STEP) {
      if (depth === 0 && step <= 0) return endEntry(at, byte);
      depth += step;
      // An empty list or object counts once, as what it is.
      if (step >= 0) values += 1;
      else if (STEP_OF[previous] === 1) values -= 1;
    }
    previous = byte;
    return undefined;
  };
  const lookAt = (at: number, byte: number): Refused | undefined => {
    if (text === 'none') return place === 'inside' ? within(at, byte) : betweenOrders(at, byte);
    if (text === 'escaped') text = 'inside';
    else if (byte === BACKSLASH) text = 'escaped';
    else if (byte === QUOTE) text = 'none';
    return undefined;
  };
  return {
    take(piece): Refused | undefined {
      for (let index = 0; index < piece.length; index += 1) {
        const refused = lookAt(past + index, piece[index] ?? 0);
        if (refused !== undefined) return refused;
      }
      past += piece.length;
      if (place === 'inside' && past - start > ORDER_BYTES_MAX) return tooLarge(spans.length);
      return values > LIST_VALUES_MAX ? { ok: false, reason: 'too_many_values' } : undefined;
    },
    end(): readonly Span[] | Refused {
      if (place === 'before') return tooLarge(undefined);
      return place === 'behind' ? spans : NOT_JSON;
    },
  };
}

function tooLarge(index: number | undefined): Refused {
  return { ok: false, reason: 'too_large', index };
}

function trimmed(text: Buffer): Buffer {
  let [start, end] = [0, text.length];
  while (start < end && BLANK.has(text[start])) start += 1;
  while (end > start && BLANK.has(text[end - 1])) end -= 1;
  return text.subarray(start, end);
}
