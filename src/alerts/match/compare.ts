/**
 * Compares an alert with one charge, fact by fact, and keeps what it found in words.
 *
 * A fact that one side does not have is `unknown`: it neither helps nor hurts. A contradiction is a
 * fact that both sides have and that cannot differ within one payment.
 */

import type { ChargeRecord } from '../../orders/charge-record.ts';
import type { AlertFacts } from './alert-facts.ts';
import type { ChoiceEvidence } from './choice.ts';
import type { AmountComparison } from './compare-amount.ts';
import { amountText, compareAmounts } from './compare-amount.ts';
import {
  isFullCode,
  sameBin,
  usableArn,
  usableBin,
  usableBrand,
  usableCode,
  usableLast4,
  utcDay,
} from './identifiers.ts';
import type { MatchSettings } from './match-settings.ts';
import type { Candidate } from './merge-candidates.ts';

/** The facts that are compared, in the order in which they are told. */
const FACTS = [
  'transaction_reference',
  'operator_choice',
  'arn',
  'authorisation_code',
  'card_last4',
  'card_bin',
  'card_brand',
  'amount',
  'currency',
  'date',
  'descriptor',
] as const;
export type Fact = (typeof FACTS)[number];

export type Verdict = 'agrees' | 'differs' | 'unknown';

/** One comparison, as stored and shown. */
export interface Evidence {
  readonly fact: Fact;
  readonly verdict: Verdict;
  readonly text: string;
  /** What it adds to the score; negative when it speaks against. */
  readonly weight: number;
  /** It cannot differ within one payment, and it does. */
  readonly contradicts: boolean;
}

/** What was found about one charge. */
export interface Comparison {
  readonly evidence: readonly Evidence[];
  readonly score: number;
  readonly verdicts: Readonly<Record<Fact, Verdict>>;
  readonly amount: AmountComparison['relation'];
  readonly choice: ChoiceEvidence['sign'] | undefined;
  /** Days between alert and charge; null when one side has no date. */
  readonly daysApart: number | null;
}

/** What agreement adds and difference takes away. Orders candidates for people; never decides alone. */
const WEIGHTS: Readonly<
  Record<
    Exclude<Fact, 'amount' | 'operator_choice'>,
    { readonly plus: number; readonly minus: number }
  >
> = {
  transaction_reference: { plus: 50, minus: 60 },
  arn: { plus: 40, minus: 60 },
  authorisation_code: { plus: 25, minus: 40 },
  card_last4: { plus: 10, minus: 40 },
  card_bin: { plus: 8, minus: 40 },
  card_brand: { plus: 2, minus: 20 },
  currency: { plus: 3, minus: 15 },
  date: { plus: 8, minus: 8 },
  descriptor: { plus: 2, minus: 0 },
};

/** Amounts and choices agree and differ in more than one way. */
const AMOUNT_WEIGHTS: Readonly<Record<AmountComparison['relation'], number>> = {
  exact: 12,
  converted: 6,
  part: -4,
  above: -12,
  converted_apart: -12,
  unknown: 0,
};
const CHOICE_WEIGHTS: Readonly<Record<ChoiceEvidence['sign'], number>> = {
  same_payment: 50,
  like_payment: 15,
  same_token: 10,
  other_charge: -30,
};

const NAMES: Readonly<Record<Exclude<Fact, 'amount' | 'operator_choice' | 'date'>, string>> = {
  transaction_reference: 'transaction reference',
  arn: 'ARN',
  authorisation_code: 'authorisation code',
  card_last4: 'last 4 digits',
  card_bin: 'BIN',
  card_brand: 'card brand',
  currency: 'currency',
  descriptor: 'descriptor',
};

const CHOICE_TEXTS: Readonly<Record<ChoiceEvidence['sign'], string>> = {
  same_payment: 'chose this charge for the same payment',
  like_payment: 'chose this charge for a payment of the same card, amount and date',
  same_token: 'recognised these card digits as this card before',
  other_charge: 'chose another charge for the same payment',
};

/** Facts that a single payment has once and for all. */
const FIXED_FACTS: ReadonlySet<Fact> = new Set([
  'transaction_reference',
  'arn',
  'authorisation_code',
  'card_last4',
  'card_bin',
  'card_brand',
]);

/** Compares everything both sides may know. Pure. */
export function compare(
  alert: AlertFacts,
  { charge, choice }: Candidate,
  settings: MatchSettings,
): Comparison {
  const daysApart = daysBetween(alert.day, dayOf(charge));
  const amount = compareAmounts(alert, charge, settings);
  const verdicts: Record<Fact, Verdict> = {
    transaction_reference: referenceVerdict(alert, charge),
    operator_choice: choiceVerdict(choice),
    arn: verdictOf(alert.arn, usableArn(charge.acquirerReferenceNumber)),
    authorisation_code: codeVerdict(alert.authorisationCode, usableCode(charge.authorisationCode)),
    card_last4: verdictOf(alert.cardLast4, usableLast4(charge.cardLast4)),
    card_bin: verdictOf(alert.cardBin, usableBin(charge.cardBin), sameBin),
    card_brand: brandVerdict(alert.cardBrand, charge.cardBrand, settings),
    amount: amountVerdict(amount),
    currency: verdictOf(alert.currency, charge.currency),
    date: dateVerdict(daysApart, settings),
    descriptor: descriptorVerdict(alert.descriptor, charge.descriptor),
  };
  const context: Context = { alert, charge, choice, amount, daysApart, settings };
  const evidence = FACTS.filter((fact) => verdicts[fact] !== 'unknown').map((fact) =>
    evidenceOf(fact, verdicts[fact], context),
  );
  const score = evidence.reduce((sum, entry) => sum + entry.weight, 0);
  return { evidence, score, verdicts, amount: amount.relation, choice: choice?.sign, daysApart };
}

interface Context {
  readonly alert: AlertFacts;
  readonly charge: ChargeRecord;
  readonly choice: ChoiceEvidence | undefined;
  readonly amount: AmountComparison;
  readonly daysApart: number | null;
  readonly settings: MatchSettings;
}

function evidenceOf(fact: Fact, verdict: Verdict, context: Context): Evidence {
  const differs = verdict === 'differs';
  const farApart = fact === 'date' && (context.daysApart ?? 0) > context.settings.apartDays;
  return {
    fact,
    verdict,
    text: textOf(fact, verdict, context),
    weight: weightOf(fact, differs, context),
    contradicts: differs && (FIXED_FACTS.has(fact) || farApart),
  };
}

function weightOf(fact: Fact, differs: boolean, { amount, choice }: Context): number {
  if (fact === 'amount') return AMOUNT_WEIGHTS[amount.relation];
  if (fact === 'operator_choice') return choice === undefined ? 0 : CHOICE_WEIGHTS[choice.sign];
  return differs ? 0 - WEIGHTS[fact].minus : WEIGHTS[fact].plus;
}

function textOf(fact: Fact, verdict: Verdict, context: Context): string {
  const { alert, charge, amount, choice, daysApart } = context;
  if (fact === 'date') return `${daysApart ?? 0} days between the alert and the charge`;
  if (fact === 'amount') return amountText(alert, charge, amount);
  if (fact === 'operator_choice') {
    return choice === undefined
      ? ''
      : `${choice.operator} ${CHOICE_TEXTS[choice.sign]} (alert ${choice.alertId})`;
  }
  if (verdict === 'agrees') return `${NAMES[fact]} agrees`;
  return fact === 'currency'
    ? `currency differs: ${alert.currency ?? 'none'} on the alert, ${charge.currency} on the charge`
    : `${NAMES[fact]} differs`;
}

function amountVerdict({ relation }: AmountComparison): Verdict {
  if (relation === 'unknown') return 'unknown';
  return relation === 'exact' || relation === 'converted' ? 'agrees' : 'differs';
}

function choiceVerdict(choice: ChoiceEvidence | undefined): Verdict {
  if (choice === undefined) return 'unknown';
  return choice.sign === 'other_charge' ? 'differs' : 'agrees';
}

function verdictOf<Value>(
  one: Value | null,
  other: Value | null,
  same: (one: Value, other: Value) => boolean = Object.is,
): Verdict {
  if (one === null || other === null) return 'unknown';
  return same(one, other) ? 'agrees' : 'differs';
}

/**
 * References are names within one integration. A reference that the service found and that is not
 * this charge's says that it is another charge.
 */
function referenceVerdict(alert: AlertFacts, charge: ChargeRecord): Verdict {
  const sameNames = verdictOf(alert.integrationId, charge.integrationId) !== 'differs';
  return sameNames ? verdictOf(alert.reference, charge.reference) : 'unknown';
}

/** Codes of an unusual length may be a longer spelling of the same code, so they differ from nothing. */
function codeVerdict(one: string | null, other: string | null): Verdict {
  if (one === null || other === null) return 'unknown';
  if (one === other) return 'agrees';
  return isFullCode(one) && isFullCode(other) ? 'differs' : 'unknown';
}

/** A name that is no known scheme may be another spelling of one, so it differs from nothing. */
function brandVerdict(one: string | null, other: string | null, settings: MatchSettings): Verdict {
  const alertBrand = usableBrand(one, settings.brands);
  const chargeBrand = usableBrand(other, settings.brands);
  if (alertBrand === null || chargeBrand === null) return 'unknown';
  if (alertBrand === chargeBrand) return 'agrees';
  const known = [alertBrand, chargeBrand].every((brand) => brand.startsWith('SCHEME_'));
  return known ? 'differs' : 'unknown';
}

function dateVerdict(daysApart: number | null, settings: MatchSettings): Verdict {
  if (daysApart === null) return 'unknown';
  return daysApart <= settings.windowDays ? 'agrees' : 'differs';
}

/** Descriptors are cut and prefixed on their way; only agreement of the shorter text means anything. */
function descriptorVerdict(one: string | null, other: string | null): Verdict {
  const [a, b] = [one, other].map((text) => (text ?? '').toUpperCase().replaceAll(/\s+/g, ' '));
  if (a === undefined || b === undefined || a === '' || b === '') return 'unknown';
  return a.startsWith(b) || b.startsWith(a) ? 'agrees' : 'unknown';
}

function dayOf(charge: ChargeRecord): number | null {
  return utcDay(charge.authorisedAt) ?? utcDay(charge.settledAt);
}

function daysBetween(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : Math.abs(one - other);
}
