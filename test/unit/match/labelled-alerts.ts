/**
 * Alerts with known truth: a seeded world of cards and charges, what of it our index knows, and
 * alerts about it as networks send them, with gaps, shifts and recycled numbers.
 *
 * One situation is left out on purpose, because no matcher can tell it: the true charge unknown to us
 * while a payment of the same card, amount and day is known, and no ARN, code or reference is given.
 */
import type { AlertFacts } from '../../../src/match/alert-facts.ts';
import type { ChargeRecord } from '../../../src/match/charge-record.ts';
import { alertFacts, chargeRecord, DAY } from './fixtures.ts';

/** What makes an alert hard. */
export const SITUATIONS = [
  'plain',
  'late_or_early',
  'duplicate_purchase',
  'renewal',
  'partial_amount',
  'foreign_currency',
  'wallet_token',
  'recycled_arn',
  'recycled_arn_truth_unknown',
  'unknown_charge',
  'unknown_charge_with_twin',
  'reference_known',
  'near_misses',
] as const;
export type Situation = (typeof SITUATIONS)[number];

export interface LabelledAlert {
  readonly situation: Situation;
  readonly alert: AlertFacts;
  /** What the index would offer. */
  readonly known: readonly ChargeRecord[];
  /** The charge it is about, whether we know it or not. */
  readonly truth: string;
}

/** A small generator of reproducible numbers from 0 up to 1 (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

class World {
  readonly #random: () => number;
  #count = 0;

  constructor(seed: number) {
    this.#random = randomFrom(seed);
  }

  chance(share: number): boolean {
    return this.#random() < share;
  }

  int(from: number, to: number): number {
    return from + Math.floor(this.#random() * (to - from + 1));
  }

  pick<Value>(values: readonly Value[]): Value {
    return values[this.int(0, values.length - 1)] as Value;
  }

  digits(length: number): string {
    return Array.from({ length }, () => this.int(0, 9)).join('');
  }

  code(): string {
    return Array.from({ length: 6 }, () => this.pick([...'0123456789ABCDEFGHJKLMNP'])).join('');
  }

  /** A charge with everything a processor knows about it. */
  charge(over: Partial<ChargeRecord> = {}): ChargeRecord {
    this.#count += 1;
    return chargeRecord({
      reference: `ch_${this.#count}`,
      orderReference: `order-${this.#count}`,
      amountMinor: this.int(100, 50_000),
      currency: this.pick(['USD', 'EUR', 'JPY']),
      authorisedAt: this.moment(DAY),
      acquirerReferenceNumber: `7${this.digits(22)}`,
      authorisationCode: this.code(),
      cardBin: this.pick(['411111', '42424242', '555555']),
      cardLast4: this.digits(4),
      cardBrand: this.pick(['SCHEME_A', 'SCHEME_B']),
      ...over,
    });
  }

  moment(day: number): string {
    return new Date(day * 86_400_000 + this.int(0, 86_399_999)).toISOString();
  }

  /** As our order feed knows it: often without ARN, sometimes without a code. */
  asKnown(charge: ChargeRecord): ChargeRecord {
    return {
      ...charge,
      acquirerReferenceNumber: this.chance(0.4) ? charge.acquirerReferenceNumber : null,
      authorisationCode: this.chance(0.8) ? charge.authorisationCode : null,
      cardBin: this.chance(0.9) ? charge.cardBin : null,
    };
  }

  /** As a network tells it: any identifier may be missing, the day may be shifted. */
  asAlert(charge: ChargeRecord, shiftDays = 0): AlertFacts {
    const day = Math.floor(Date.parse(charge.authorisedAt ?? '') / 86_400_000);
    return alertFacts({
      arn: this.chance(0.6) ? charge.acquirerReferenceNumber : null,
      authorisationCode: this.chance(0.6) ? charge.authorisationCode : null,
      cardBin: this.chance(0.9) ? (charge.cardBin?.slice(0, 6) ?? null) : null,
      cardLast4: this.chance(0.95) ? charge.cardLast4 : null,
      cardBrand: this.chance(0.9) ? charge.cardBrand : null,
      amountMinor: charge.amountMinor,
      currency: charge.currency,
      day: this.chance(0.95) ? day + shiftDays : null,
    });
  }

  sameCard(charge: ChargeRecord, over: Partial<ChargeRecord>): ChargeRecord {
    const { cardBin, cardLast4, cardBrand, amountMinor, currency } = charge;
    return this.charge({ cardBin, cardLast4, cardBrand, amountMinor, currency, ...over });
  }
}

type Maker = (world: World, truth: ChargeRecord) => Pick<LabelledAlert, 'alert' | 'known'>;

const MAKERS: Readonly<Record<Situation, Maker>> = {
  plain: (world, truth) => ({ alert: world.asAlert(truth), known: [world.asKnown(truth)] }),
  late_or_early: (world, truth) => ({
    alert: world.asAlert(truth, world.int(-6, 6)),
    known: [world.asKnown(truth)],
  }),
  duplicate_purchase: (world, truth) => ({
    alert: world.asAlert(truth, world.int(-1, 1)),
    known: [
      truth,
      world.sameCard(truth, { authorisedAt: world.moment(DAY + world.int(-1, 1)) }),
    ].map((charge) => world.asKnown(charge)),
  }),
  renewal: (world, truth) => ({
    alert: world.asAlert(truth, world.int(-2, 2)),
    known: [-60, -30, 0, 30].map((shift) =>
      shift === 0
        ? world.asKnown(truth)
        : world.asKnown(world.sameCard(truth, { authorisedAt: world.moment(DAY + shift) })),
    ),
  }),
  partial_amount: (world, truth) => ({
    alert: { ...world.asAlert(truth), amountMinor: Math.floor(truth.amountMinor / 2) },
    known: [world.asKnown(truth), world.asKnown(world.sameCard(truth, { amountMinor: 700 }))],
  }),
  foreign_currency: (world, truth) => ({
    alert: { ...world.asAlert(truth), currency: 'GBP', amountMinor: truth.amountMinor + 37 },
    known: [world.asKnown(truth)],
  }),
  wallet_token: (world, truth) => ({
    alert: { ...world.asAlert(truth), cardLast4: world.digits(4) },
    known: [world.asKnown(truth)],
  }),
  recycled_arn: (world, truth) => ({
    alert: { ...world.asAlert(truth), arn: truth.acquirerReferenceNumber },
    known: [
      world.asKnown(truth),
      world.charge({
        acquirerReferenceNumber: truth.acquirerReferenceNumber,
        authorisedAt: world.moment(DAY - 3650),
      }),
    ],
  }),
  recycled_arn_truth_unknown: (world, truth) => ({
    alert: { ...world.asAlert(truth), arn: truth.acquirerReferenceNumber, day: DAY },
    known: [
      // The very same card, ten years ago, or another card last week.
      world.chance(0.5)
        ? world.sameCard(truth, {
            acquirerReferenceNumber: truth.acquirerReferenceNumber,
            authorisedAt: world.moment(DAY - 3650),
          })
        : world.charge({
            acquirerReferenceNumber: truth.acquirerReferenceNumber,
            authorisedAt: world.moment(DAY - 7),
            cardLast4: `${(Number(truth.cardLast4) + 1) % 10_000}`.padStart(4, '0'),
          }),
    ],
  }),
  unknown_charge: (world, truth) => ({ alert: world.asAlert(truth), known: [] }),
  unknown_charge_with_twin: (world, truth) => ({
    alert: { ...world.asAlert(truth), authorisationCode: truth.authorisationCode },
    known: [world.sameCard(truth, { authorisedAt: world.moment(DAY + world.int(-1, 1)) })],
  }),
  reference_known: (world, truth) => ({
    alert: { ...world.asAlert(truth, world.int(-9, 9)), reference: truth.reference },
    known: [world.asKnown(truth), world.asKnown(world.sameCard(truth, {}))],
  }),
  near_misses: (world, truth) => {
    const last4 = `${(Number(truth.cardLast4) + 1) % 10_000}`.padStart(4, '0');
    const misses = [
      world.sameCard(truth, { amountMinor: truth.amountMinor + 1 }),
      world.sameCard(truth, { cardLast4: last4 }),
      world.sameCard(truth, { cardBin: '400000' }),
      world.sameCard(truth, { currency: truth.currency === 'USD' ? 'EUR' : 'USD' }),
      world.sameCard(truth, { authorisedAt: world.moment(DAY + 5) }),
    ].map((charge) => world.asKnown(charge));
    return {
      alert: world.asAlert(truth),
      known: world.chance(0.7) ? [...misses, world.asKnown(truth)] : misses,
    };
  },
};

/** `count` alerts of the seed, every situation in turn. */
export function labelledAlerts(seed: number, count: number): LabelledAlert[] {
  const world = new World(seed);
  return Array.from({ length: count }, (_, index) => {
    const situation = SITUATIONS[index % SITUATIONS.length] as Situation;
    const truth = world.charge();
    return { situation, truth: truth.reference, ...MAKERS[situation](world, truth) };
  });
}
