/**
 * What happened to the demonstration merchant in the days before the first start, day by day: a plan from a seed, so
 * that a run repeats. Nothing is done here; `past.ts` plays it.
 *
 * The shop sells the same each day, and complaints rise: what a monitoring programme counts comes near its lines in the
 * last month, and the reader sees why.
 */
import type { Product } from '../../../sandbox/demo-shop.ts';
import { PRODUCTS } from '../../../sandbox/demo-shop.ts';

/** Days that are made up before the day of the start. */
export const PAST_DAYS = 60;

/** Days of sales before the first complaint: a complaint comes some days after its purchase. */
export const SALES_BEFORE_DAYS = 10;

/** Orders a day. */
export const SALES_A_DAY = 28;

/** What the shop sells, the most sold first; the numbers are shares of a hundred. */
const ASSORTMENT: readonly (readonly [Product, number])[] = [
  [PRODUCTS.magazine, 34],
  [PRODUCTS.font, 28],
  [PRODUCTS.course, 18],
  [PRODUCTS.lamp, 15],
  [PRODUCTS.bicycle, 5],
];

/** One complaint, and how it goes. */
export type Happening =
  /** The policy refunds, or accepts, by the product. */
  | 'alert'
  /** The policy leaves it to a person, who refunds or accepts. */
  | 'reviewed'
  /** The network refunds by itself. */
  | 'rdr'
  /** Support had refunded before the alert came: its price is claimed back. */
  | 'refunded before'
  /** Reported once more by the network: its price is claimed back. */
  | 'twice'
  /** No purchase of the shop: a person says so, and its price is claimed back. */
  | 'not ours'
  /** An issuer asks, and the answer deflects the dispute. */
  | 'deflected'
  /** An issuer asks about what is not known. */
  | 'not known'
  /** The scheme reports fraud; no alert came. */
  | 'fraud report'
  /** A chargeback that is contested, and won, lost, or open still. */
  | 'won'
  | 'lost'
  | 'contested';

export interface Planned {
  readonly what: Happening;
  /** Which product it is about, and how many days before it was bought. */
  readonly product: Product;
  readonly boughtDaysAgo: number;
  readonly issuer: string;
}

const ISSUERS = ['First Example Bank', 'Second Example Bank', 'Northern Example', 'Example Union'];

/** A day's complaints, in the order in which they come. */
export interface PlannedDay {
  readonly morning: readonly Planned[];
  readonly afternoon: readonly Planned[];
}

/** Shares of a hundred of what comes by alerts and lookups. */
const COMPLAINTS: readonly (readonly [Happening, number])[] = [
  ['alert', 52],
  ['rdr', 14],
  ['reviewed', 12],
  ['deflected', 8],
  ['refunded before', 5],
  ['not known', 3],
  ['twice', 3],
  ['not ours', 3],
];

/** What the schemes count, by day: it rises. Days are counted from the first. */
const COUNTED: ReadonlyMap<number, Happening> = new Map([
  [9, 'lost'],
  [17, 'fraud report'],
  [22, 'won'],
  [30, 'fraud report'],
  [36, 'lost'],
  [43, 'fraud report'],
  [47, 'won'],
  [50, 'fraud report'],
  [54, 'contested'],
  [57, 'fraud report'],
]);

/** Plans the days, the earliest first. */
export function planPast(random: () => number, days: number = PAST_DAYS): readonly PlannedDay[] {
  return Array.from({ length: days }, (_, day) => {
    const progress = day / days;
    // From one every second day to three in two days.
    const wanted = 0.5 + 1.1 * progress;
    const count = Math.floor(wanted) + (random() < wanted % 1 ? 1 : 0);
    const complaints = Array.from({ length: count }, () => plan(pick(COMPLAINTS, random), random));
    const counted = COUNTED.get(Math.floor((day * PAST_DAYS) / days));
    const afternoon = complaints.slice(1);
    return {
      morning: complaints.slice(0, 1),
      afternoon: counted === undefined ? afternoon : [...afternoon, plan(counted, random)],
    };
  });
}

/** What a customer buys next. */
export function pickProduct(random: () => number): Product {
  return pick(ASSORTMENT, random);
}

function plan(what: Happening, random: () => number): Planned {
  return {
    what,
    product: what === 'reviewed' ? PRODUCTS.lamp : pickProduct(random),
    boughtDaysAgo: 1 + Math.floor(random() * (SALES_BEFORE_DAYS - 1)),
    issuer: ISSUERS[Math.floor(random() * ISSUERS.length)] ?? ISSUERS[0] ?? '',
  };
}

function pick<Value>(shares: readonly (readonly [Value, number])[], random: () => number): Value {
  let left = random() * 100;
  for (const [value, share] of shares) {
    left -= share;
    if (left < 0) return value;
  }
  const [first] = shares;
  if (first === undefined) throw new RangeError('nothing to pick from');
  return first[0];
}

/** Numbers between 0 and 1 that follow from a seed (mulberry32): a plan is no secret. */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
