/**
 * Alerts with known truth: what our index offers for each, and the charge it is really about.
 *
 * One situation cannot be told by any matcher, and is kept apart (`UNDECIDABLE`): the true charge is
 * unknown to us, while a payment of the same card, amount and day is known, and the alert names neither
 * ARN, code nor reference.
 */
import type { AlertFacts } from '../../../src/alerts/match/alert-facts.ts';
import type { ChargeRecord } from '../../../src/orders/charge-record.ts';
import { dayOf, LabelledWorld } from './labelled-world.ts';

/** What makes an alert hard. */
export const SITUATIONS = [
  'plain',
  'late_or_early',
  'both_sources',
  'duplicate_purchase',
  'purchase_next_day',
  'renewal',
  'renewed_card',
  'partial_amount',
  'partial_capture',
  'foreign_currency',
  'foreign_currency_lookalike',
  'wallet_token',
  'wallet_token_lookalike',
  'recycled_arn',
  'recycled_arn_truth_unknown',
  'recycled_code',
  'unknown_charge',
  'unknown_charge_with_twin',
  'reference_known',
  'reference_elsewhere',
  'near_misses',
  'time_zone',
  'minor_units',
  'no_card_digits',
] as const;
export type Situation = (typeof SITUATIONS)[number];
export const UNDECIDABLE = 'truth_unknown_twin_without_keys';

export interface LabelledAlert {
  readonly situation: Situation | typeof UNDECIDABLE;
  readonly alert: AlertFacts;
  /** What the index offers. */
  readonly known: readonly ChargeRecord[];
  /** The charge it is about, whether we know it or not. */
  readonly truth: string;
}

type Maker = (world: LabelledWorld, truth: ChargeRecord) => Pick<LabelledAlert, 'alert' | 'known'>;

const MAKERS: Readonly<Record<LabelledAlert['situation'], Maker>> = {
  plain: (world, truth) => ({ alert: world.asAlert(truth), known: [world.asKnown(truth)] }),
  late_or_early: (world, truth) => ({
    alert: world.asAlert(truth, world.int(-6, 6)),
    known: [world.asKnown(truth)],
  }),
  // The order feed and the processor tell of the same charge, each with gaps of its own.
  both_sources: (world, truth) => ({
    alert: world.asAlert(truth),
    known: [
      world.asKnown(truth),
      { ...world.asKnown(truth), source: 'processor', descriptor: null, orderReference: null },
    ],
  }),
  duplicate_purchase: (world, truth) => ({
    alert: world.asAlert(truth, world.int(-1, 1)),
    known: [truth, world.again(truth, world.int(-1, 1))].map((charge) => world.asKnown(charge)),
  }),
  purchase_next_day: (world, truth) => ({
    alert: world.withoutKeys(world.asAlert(truth)),
    known: [truth, world.again(truth, 1)].map((charge) => world.asKnown(charge)),
  }),
  renewal: (world, truth) => ({
    alert: world.asAlert(truth, world.int(-2, 2)),
    known: [truth, ...[-60, -30, 30].map((days) => world.again(truth, days))].map((charge) =>
      world.asKnown(charge),
    ),
  }),
  // The issuer still names the old card; the subscription was charged on the new one.
  renewed_card: (world, truth) => ({
    alert: { ...world.asAlert(truth), cardLast4: world.otherLast4(truth) },
    known: [truth, world.again(truth, -30)].map((charge) => world.asKnown(charge)),
  }),
  partial_amount: (world, truth) => ({
    alert: { ...world.asAlert(truth), amountMinor: Math.max(1, Math.floor(truth.amountMinor / 2)) },
    known: [truth, world.again(truth, 0, { amountMinor: truth.amountMinor + 700 })].map((charge) =>
      world.asKnown(charge),
    ),
  }),
  // One order, two captures on one day; the alert is about one of them.
  partial_capture: (world, truth) => ({
    alert: world.asAlert(truth, world.int(-1, 1)),
    known: [
      truth,
      world.again(truth, 0, {
        amountMinor: truth.amountMinor + world.int(1, 900),
        orderReference: truth.orderReference,
      }),
    ].map((charge) => world.asKnown(charge)),
  }),
  foreign_currency: (world, truth) => ({
    alert: { ...world.asAlert(truth), ...world.inPounds(truth, 3) },
    known: [world.asKnown(truth)],
  }),
  foreign_currency_lookalike: (world, truth) => ({
    alert: { ...world.withoutKeys(world.asAlert(truth)), ...world.inPounds(truth, 1) },
    known: [world.asKnown(world.again(truth, world.int(-1, 1)))],
  }),
  wallet_token: (world, truth) => ({
    alert: {
      ...world.asAlert(truth),
      cardLast4: world.otherLast4(truth),
      cardBin: world.chance(0.5) ? '489537' : null,
    },
    known: [world.asKnown(truth)],
  }),
  // Somebody else's card carries the token's digits, on the same day and for the same amount.
  wallet_token_lookalike: (world, truth) => {
    const cardLast4 = world.otherLast4(truth);
    const lookalike = world.again(truth, 0, { cardLast4, cardBin: null });
    return {
      alert: { ...world.withoutKeys(world.asAlert(truth)), cardLast4, cardBin: '489537' },
      known: [world.asKnown(truth), { ...world.asKnown(lookalike), cardBin: null }],
    };
  },
  recycled_arn: (world, truth) => ({
    alert: { ...world.asAlert(truth), arn: truth.acquirerReferenceNumber },
    known: [
      world.asKnown(truth),
      world.charge({
        acquirerReferenceNumber: truth.acquirerReferenceNumber,
        authorisedAt: world.moment(dayOf(truth) - 3650),
      }),
    ],
  }),
  recycled_arn_truth_unknown: (world, truth) => ({
    alert: {
      ...world.asAlert(truth),
      arn: truth.acquirerReferenceNumber,
      day: dayOf(truth),
    },
    known: [
      // The very same card a year ago, or another card last week.
      world.chance(0.5)
        ? world.again(truth, -365, { acquirerReferenceNumber: truth.acquirerReferenceNumber })
        : world.again(truth, -7, {
            acquirerReferenceNumber: truth.acquirerReferenceNumber,
            cardLast4: world.otherLast4(truth),
          }),
    ],
  }),
  // The same code came back on the same card, weeks away; the true charge may be unknown.
  recycled_code: (world, truth) => {
    const earlier = world.again(truth, -world.int(8, 60), {
      authorisationCode: truth.authorisationCode,
    });
    return {
      alert: { ...world.asAlert(truth), authorisationCode: truth.authorisationCode },
      known: world.chance(0.5) ? [earlier] : [earlier, world.asKnown(truth)],
    };
  },
  unknown_charge: (world, truth) => ({ alert: world.asAlert(truth), known: [] }),
  unknown_charge_with_twin: (world, truth) => ({
    alert: { ...world.asAlert(truth), authorisationCode: truth.authorisationCode },
    known: [world.again(truth, world.int(-1, 1))],
  }),
  reference_known: (world, truth) => ({
    alert: { ...world.asAlert(truth, world.int(-9, 9)), reference: truth.reference },
    known: [truth, world.again(truth, 0)].map((charge) => world.asKnown(charge)),
  }),
  // A reference is a name within one integration; elsewhere it names another payment.
  reference_elsewhere: (world, truth) => {
    const other = world.charge({ integrationId: 'int_2' });
    return {
      alert: {
        ...world.withoutKeys(world.asAlert(truth)),
        reference: other.reference,
        integrationId: 'int_1',
      },
      known: [other],
    };
  },
  near_misses: (world, truth) => {
    const misses = [
      world.again(truth, 0, { amountMinor: truth.amountMinor + 1 }),
      world.again(truth, 0, { cardLast4: world.otherLast4(truth) }),
      world.again(truth, 0, { cardBin: '400000' }),
      world.again(truth, 0, { currency: truth.currency === 'USD' ? 'EUR' : 'USD' }),
      world.again(truth, 5),
    ].map((charge) => world.asKnown(charge));
    return {
      alert: world.asAlert(truth),
      known: world.chance(0.7) ? [...misses, world.asKnown(truth)] : misses,
    };
  },
  // A plain date in the issuer's zone: up to a day beside the UTC day.
  time_zone: (world, truth) => ({
    alert: { ...world.asAlert(truth, world.pick([-1, 0, 1])) },
    known: [truth, world.again(truth, world.pick([-8, 8]))].map((charge) => world.asKnown(charge)),
  }),
  // Somebody took minor units for hundredths: 5000 JPY is not 50.00.
  minor_units: (world, truth) => {
    const factor = truth.currency === 'KWD' ? 1000 : 100;
    return {
      alert: { ...world.withoutKeys(world.asAlert(truth)) },
      known: [
        world.asKnown(world.again(truth, 0, { amountMinor: truth.amountMinor * factor })),
        world.asKnown(truth),
      ].slice(0, world.pick([1, 2])),
    };
  },
  no_card_digits: (world, truth) => ({
    alert: { ...world.withoutKeys(world.asAlert(truth)), cardBin: null, cardLast4: null },
    known: [world.asKnown(truth), world.asKnown(world.charge())],
  }),
  [UNDECIDABLE]: (world, truth) => ({
    alert: { ...world.withoutKeys(world.asAlert(truth)), day: dayOf(truth) },
    known: [world.asKnown(world.again(truth, world.int(-1, 1)))],
  }),
};

/** `count` alerts of the seed, every situation in turn; `prefix` keeps the references of seeds apart. */
export function labelledAlerts(
  seed: number,
  count: number,
  options: {
    readonly situations?: readonly LabelledAlert['situation'][];
    readonly prefix?: string;
  } = {},
): LabelledAlert[] {
  const situations = options.situations ?? SITUATIONS;
  const world = new LabelledWorld(seed, options.prefix);
  return Array.from({ length: count }, (_, index) => {
    const situation = situations[index % situations.length] as LabelledAlert['situation'];
    const truth = world.charge();
    return { situation, truth: truth.reference, ...MAKERS[situation](world, truth) };
  });
}
