/** What a world is made of. Amounts are small integers; what they stand for is in the README. */
import type { WitnessName } from './witnesses.ts';

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
  /** It shares a sign with its charge and nothing that names it: only a person says that it is about it. */
  readonly weak: boolean;
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
  /** Alerts that somebody answers in the service's dashboard. */
  readonly elsewhere: number;
  /** So many refusals of class `ours` in a row stop all sending; 0: credentials are right. */
  readonly breakerAfter: number;
  /** Persons may accept although a part went back (L5's exception). */
  readonly exception: boolean;
  /** Support refunded so much of the charge weeks before the complaint; whether for this one nobody says. */
  readonly older: number;
  readonly olderWasForIt: boolean;
  /** An alert without a charge is accepted at its fallback. */
  readonly acceptsUnmatched: boolean;
  /** RDR may not say how much it moved, or whether. */
  readonly unsaid: boolean;
  /** RDR is in another currency than the charge. */
  readonly rdrOtherCurrency: boolean;
  /** RDR names no payment, and shares a sign with the charge. */
  readonly rdrSign: boolean;
  /** Persons name money by a reference that counts already. */
  readonly errs: boolean;
  /** Another provider is set, which knows nothing of what was sent before. */
  readonly changesProvider: boolean;
  /** The bank disputes what was refunded. */
  readonly disputesAfter: boolean;
  /** The merchant captures so much more of the authorisation, once. */
  readonly capturesMore: number;
  /** The service corrects alerts: they turn out to be about another payment. */
  readonly corrections: boolean;
  /** Persons ask for a refund that cannot be made. */
  readonly vain: boolean;
  /** Whether the search for exits (L7) starts from the states of this world. */
  readonly exits: boolean;
  /** What is reached in this world, else its search says nothing. */
  readonly reaches: readonly WitnessName[];
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
  elsewhere: 0,
  breakerAfter: 0,
  exception: false,
  older: 0,
  olderWasForIt: false,
  acceptsUnmatched: false,
  unsaid: false,
  rdrOtherCurrency: false,
  rdrSign: false,
  errs: false,
  changesProvider: false,
  disputesAfter: false,
  capturesMore: 0,
  corrections: false,
  vain: false,
  exits: false,
  reaches: ['REFUND declared'],
};

type Some = Partial<typeof NOTHING_SPECIAL>;

/** A world of one charge of 4 on which alerts of these amounts arrive. */
export function oneCharge(amounts: readonly number[], joins: Relation, rest: Some): Scenario {
  const alerts = amounts.map((amount, index) => ({
    amount,
    joins: index === 0 ? ('own' as const) : joins,
    charge: 0,
    otherCurrency: false,
    weak: false,
  }));
  return { ...NOTHING_SPECIAL, captured: [4], alerts, exits: (rest.people ?? 0) > 0, ...rest };
}

export const ONE = { joins: 'own', charge: 0, otherCurrency: false, weak: false } as const;

/** A world of one alert about one charge of 4. */
export function oneAlert(
  alert: Partial<AlertPlan> & { readonly amount: number },
  rest: Some,
): Scenario {
  return { ...oneCharge([], 'own', rest), alerts: [{ ...ONE, ...alert }] };
}
