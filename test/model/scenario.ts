/**
 * The worlds that are searched: each leaves out what the others hold, so that each can be searched
 * whole. Amounts are small integers; what they stand for is in the README.
 */

/** How an alert relates to the first one, by the product's rule for disputes. */
export type Relation = 'same' | 'own' | 'ask';

export interface AlertPlan {
  readonly amount: number;
  /** To the first alert's dispute, to one of its own, or a person is asked. */
  readonly joins: Relation;
  /** Index into `captured`. */
  readonly charge: number;
  /** The alert speaks in another currency than its charge. */
  readonly otherCurrency: boolean;
}

export interface Scenario {
  /** Captured on each charge; the processor refunds captures, so each capture is a charge. */
  readonly captured: readonly number[];
  readonly alerts: readonly AlertPlan[];
  /** `people`: what a person says about a dispute is true. `either`: whether an alert that a person is
   * asked about is the same complaint is decided when it arrives, and persons find out. */
  readonly complaints: 'people' | 'either';
  readonly workers: 1 | 2;
  /** What may go wrong, all kinds together: kill -9, pauses, lost requests, refusals, reversals, caps. */
  readonly trouble: number;
  /** How often persons act. */
  readonly people: number;
  /** Support refunds so much at the processor, once. */
  readonly support: number;
  /** RDR moves so much, and changes its mind `flips` times. */
  readonly rdr: number;
  readonly flips: number;
  /** The issuer takes so much back by a chargeback. */
  readonly chargeback: number;
  /** `order`: the charge is known once its order arrives. `search`: once the processor answers. */
  readonly charge: 'known' | 'order' | 'search';
  /** RDR names no order: only the reference number says that it is this charge's. */
  readonly rdrWithoutOrder: boolean;
  /** The processor refuses what exceeds its own remainder. */
  readonly refusesOver: boolean;
  /** The processor refuses without using up trouble. */
  readonly refusesFinally: boolean;
  /** Not captured yet: the money is only authorised, and the merchant may capture it. */
  readonly authorisedOnly: boolean;
  /** The provider shows so much of the authorisation, never captured, as a refund. */
  readonly shownAsRefund: number;
  /** Alerts in another currency: the policy's rates and tolerance propose the whole charge. */
  readonly ratesPropose: boolean;
  /** Above this amount a second person must agree. */
  readonly approvalAbove: number;
  /** Above this sum a second person must agree to L5's exception. */
  readonly acceptAbove: number;
  /** Alerts that the service withdraws. */
  readonly withdrawals: number;
  /** So many refusals of class `ours` in a row stop all sending; 0: credentials are right. */
  readonly breakerAfter: number;
  /** Persons may accept although a part went back (L5's exception). */
  readonly exception: boolean;
  /** Whether the search for exits (L7) starts from the states of this world. */
  readonly exits: boolean;
}

const NOTHING_SPECIAL: Omit<Scenario, 'captured' | 'alerts'> = {
  complaints: 'people',
  workers: 1,
  trouble: 0,
  people: 0,
  support: 0,
  rdr: 0,
  flips: 0,
  chargeback: 0,
  charge: 'known',
  rdrWithoutOrder: false,
  refusesOver: false,
  refusesFinally: false,
  authorisedOnly: false,
  shownAsRefund: 0,
  ratesPropose: false,
  approvalAbove: 15,
  acceptAbove: 15,
  withdrawals: 0,
  breakerAfter: 0,
  exception: false,
  exits: false,
};

type Some = Partial<typeof NOTHING_SPECIAL>;

/** A world of one charge of 4 on which alerts of these amounts arrive. */
function oneCharge(amounts: readonly number[], joins: Relation, rest: Some): Scenario {
  const alerts = amounts.map((amount, index) => ({
    amount,
    joins: index === 0 ? ('own' as const) : joins,
    charge: 0,
    otherCurrency: false,
  }));
  return { ...NOTHING_SPECIAL, captured: [4], alerts, exits: (rest.people ?? 0) > 0, ...rest };
}

const ONE = { joins: 'own', charge: 0, otherCurrency: false } as const;

/** A world of one alert about one charge of 4. */
function oneAlert(alert: Partial<AlertPlan> & { readonly amount: number }, rest: Some): Scenario {
  return { ...oneCharge([], 'own', rest), alerts: [{ ...ONE, ...alert }] };
}

/** The largest first: two processes then end at about the same time. */
export const SCENARIOS = {
  RDR: oneAlert({ amount: 4 }, { rdr: 4, flips: 3, charge: 'order', trouble: 1, people: 1 }),
  'twins + support': oneCharge([2, 2], 'same', { support: 2, people: 1 }),
  twins: oneCharge([2, 2], 'same', { workers: 2, trouble: 1, people: 1 }),
  'twins, unequal': oneCharge([1, 2], 'same', { people: 1 }),
  'parts 1, 2': oneCharge([1, 2], 'own', { trouble: 1, people: 1 }),
  'three alerts': {
    ...oneCharge([], 'same', {}),
    alerts: [
      { ...ONE, amount: 1 },
      { ...ONE, amount: 2, joins: 'same' },
      { ...ONE, amount: 2 },
    ],
  },
  'twins, two persons': oneCharge([2, 2], 'same', { people: 2 }),
  'twins, more trouble': oneCharge([2, 2], 'same', { workers: 2, trouble: 4 }),
  'twins + support, trouble': oneCharge([2, 2], 'same', { support: 2, trouble: 1 }),
  'twins + a part': oneCharge([2, 2], 'same', { support: 1, trouble: 1 }),
  'parts 3, 2': oneCharge([3, 2], 'ask', { trouble: 1, people: 1 }),
  'parts + support': oneCharge([1, 2], 'own', { support: 2 }),
  'refusing processor': oneCharge([3, 2], 'own', { support: 1, refusesOver: true }),
  'same part again': oneCharge([2, 2], 'ask', { complaints: 'either', trouble: 1, people: 1 }),
  withdrawn: oneCharge([2, 2], 'same', { withdrawals: 1, people: 1 }),
  'withdrawn, trouble': oneCharge([2, 2], 'same', { withdrawals: 2, trouble: 1 }),
  'two captures': {
    ...oneCharge([], 'own', { people: 1 }),
    captured: [3, 2],
    alerts: [
      { ...ONE, amount: 2, charge: 1 },
      { ...ONE, amount: 3 },
    ],
  },
  'captured in part': oneAlert(
    { amount: 6 },
    { workers: 2, shownAsRefund: 4, trouble: 1, people: 1 },
  ),
  'authorised only': oneAlert(
    { amount: 4 },
    { workers: 2, authorisedOnly: true, trouble: 1, people: 1 },
  ),
  'another currency': oneAlert(
    { amount: 3, otherCurrency: true },
    { ratesPropose: true, support: 3, trouble: 1, people: 1 },
  ),
  'another currency, no rates': oneAlert(
    { amount: 3, otherCurrency: true },
    { support: 3, trouble: 1, people: 1 },
  ),
  'above the charge': oneAlert({ amount: 5 }, { support: 1, trouble: 1, people: 1 }),
  approvals: oneAlert({ amount: 3 }, { approvalAbove: 1, support: 1, trouble: 1, people: 2 }),
  'approvals, two disputes': oneCharge([2, 1], 'own', { approvalAbove: 1, people: 1 }),
  'part went back': oneAlert(
    { amount: 4 },
    { exception: true, support: 2, refusesFinally: true, acceptAbove: 1, people: 2 },
  ),
  'more went back': oneAlert(
    { amount: 4 },
    { exception: true, support: 2, rdr: 1, flips: 1, refusesFinally: true, people: 1 },
  ),
  chargeback: oneAlert({ amount: 4 }, { chargeback: 4, support: 1, exception: true, people: 1 }),
  breaker: oneCharge([1, 2], 'own', { breakerAfter: 2, people: 1 }),
  'search not answered': oneAlert(
    { amount: 4 },
    { charge: 'search', support: 4, trouble: 1, people: 1 },
  ),
  'RDR without its order': oneAlert(
    { amount: 4 },
    { rdr: 4, flips: 2, rdrWithoutOrder: true, people: 1 },
  ),
} as const satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof SCENARIOS;
