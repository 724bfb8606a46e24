/**
 * Everything a condition can ask about: one table, from which the compiler takes the valid words
 * and the evaluator the values. A new condition is one line here.
 */

import type { DecisionFacts } from '../decide/facts.ts';
import { refundedShare } from '../decide/money-state.ts';
import { DELIVERY_KINDS } from '../decide/order-facts.ts';
import { MATCH_TIERS } from '../match/match-settings.ts';
import { ALERT_ENROLMENT_TYPES, CARD_SCHEMES } from '../wire/alert.ts';
import type { BrandTokenMap } from '../wire/brand-tokens.ts';
import { ORDER_STATUSES } from '../wire/order.ts';

/** Text: compared without regard to case and repeated spaces. */
export interface TextField {
  readonly kind: 'text';
  readonly label: string;
  readonly read: (facts: DecisionFacts) => string | null;
}

/** One of a closed set of words. */
export interface WordField {
  readonly kind: 'word';
  readonly label: string;
  readonly words: readonly string[];
  readonly read: (facts: DecisionFacts) => string | null;
}

/** The alert's amount with its currency. */
export interface AmountField {
  readonly kind: 'amount';
  readonly label: string;
  readonly read: (facts: DecisionFacts) => { amountMinor: number; currency: string } | null;
}

/** A span of time, in milliseconds. */
export interface DurationField {
  readonly kind: 'duration';
  readonly label: string;
  readonly read: (facts: DecisionFacts) => number | null;
}

/** Yes or no. */
export interface FlagField {
  readonly kind: 'flag';
  readonly label: string;
  readonly read: (facts: DecisionFacts) => boolean | null;
}

export type PolicyField = TextField | WordField | AmountField | DurationField | FlagField;

const CHARGE_STATUSES = ['authorised', 'captured', 'declined', 'voided'] as const;

/** The conditions, by the word a policy uses. */
export const POLICY_FIELDS: Readonly<Record<string, PolicyField>> = {
  amount: {
    kind: 'amount',
    label: 'amount',
    read: ({ alert: { amountMinor, currency } }) =>
      amountMinor === null || currency === null ? null : { amountMinor, currency },
  },
  currency: { kind: 'text', label: 'currency', read: ({ alert }) => alert.currency },
  descriptor: { kind: 'text', label: 'descriptor', read: ({ alert }) => alert.descriptor },
  scheme: {
    kind: 'word',
    label: 'card scheme',
    words: CARD_SCHEMES,
    read: ({ alert }) => alert.scheme,
  },
  issuer: { kind: 'text', label: 'issuer', read: ({ alert }) => alert.issuer },
  card_bin: { kind: 'text', label: 'BIN', read: ({ alert }) => alert.cardBin },
  reason_code: { kind: 'text', label: 'reason code', read: ({ alert }) => alert.reasonCode },
  merchant: { kind: 'text', label: 'merchant', read: ({ alert }) => alert.merchantId },
  enrolment_type: {
    kind: 'word',
    label: 'enrolment type',
    words: ALERT_ENROLMENT_TYPES,
    read: ({ alert }) => alert.enrolmentType,
  },
  payment_age: {
    kind: 'duration',
    label: 'age of the payment',
    read: ({ now, alert }) => between(alert.authorisedAt, now),
  },
  time_left: {
    kind: 'duration',
    label: 'time left',
    read: ({ now, deadlineAt }) => between(now, deadlineAt),
  },
  match: {
    kind: 'word',
    label: 'match',
    words: ['single', 'none', 'several'],
    read: ({ match }) => match.outcome,
  },
  match_tier: {
    kind: 'word',
    label: 'match tier',
    words: MATCH_TIERS,
    read: ({ match }) => match.tier,
  },
  charge_status: {
    kind: 'word',
    label: 'charge status',
    words: CHARGE_STATUSES,
    read: ({ charge }) => (charge.kind === 'found' ? charge.status : null),
  },
  disputed: {
    kind: 'flag',
    label: 'disputed',
    read: ({ charge }) => (charge.kind === 'found' ? charge.disputed : null),
  },
  refunded: {
    kind: 'word',
    label: 'refunded',
    words: ['none', 'part', 'full'],
    read: refundedShare,
  },
  order_known: { kind: 'flag', label: 'order known', read: ({ order }) => order !== null },
  order_status: {
    kind: 'word',
    label: 'order status',
    words: ORDER_STATUSES,
    read: ({ order }) => order?.status ?? null,
  },
  order_age: {
    kind: 'duration',
    label: 'age of the order',
    read: ({ now, order }) => between(order?.placedAt ?? null, now),
  },
  delivery: {
    kind: 'word',
    label: 'delivery',
    words: DELIVERY_KINDS,
    read: ({ order }) => order?.delivery ?? null,
  },
  dispatched: { kind: 'flag', label: 'dispatched', read: ({ order }) => order?.dispatched ?? null },
  delivered: { kind: 'flag', label: 'delivered', read: ({ order }) => order?.delivered ?? null },
  subscription: {
    kind: 'flag',
    label: 'subscription',
    read: ({ order }) => order?.subscription ?? null,
  },
};

/** The words a field accepts: its own, and the service's real names for brands. */
export function acceptedWords(
  field: WordField,
  brands: BrandTokenMap,
): ReadonlyMap<string, string> {
  const pairs = field.words.flatMap((word): [string, string][] => [
    [word, word],
    [realName(word, brands), word],
  ]);
  return new Map(pairs);
}

function realName(word: string, brands: BrandTokenMap): string {
  if (word === 'SCHEME_A' || word === 'SCHEME_B') return brands[word];
  if (word.startsWith('NETA_')) return brands.NETA + word.slice('NETA'.length);
  if (word.startsWith('NETB_')) return brands.NETB + word.slice('NETB'.length);
  return word;
}

/** Milliseconds from one moment to another; null when either is not a moment. */
function between(from: string | null, to: string | null): number | null {
  const spanMs = Date.parse(to ?? '') - Date.parse(from ?? '');
  return Number.isFinite(spanMs) ? spanMs : null;
}
