/** What a condition can ask about the match, the charge, and what else happened to that charge. */
import type { DecisionFacts } from '../alerts/decide/facts.ts';
import { refundedShare } from '../alerts/decide/money-state.ts';
import { MATCH_TIERS } from '../alerts/match/match-settings.ts';
import type { Money } from '../base/kernel/money.ts';
import { FAILURE_CLASSES } from '../service/wire/processor.ts';
import type { FieldTable, Reading } from './field-kinds.ts';
import { moneyOf } from './field-kinds.ts';
import { convert } from './rates.ts';

export const CHARGE_FIELDS = {
  match: {
    kind: 'word',
    label: 'match',
    about: 'Whether one charge was found, none, or several.',
    words: ['single', 'none', 'several'],
    read: ({ match }) => match.outcome,
  },
  match_tier: {
    kind: 'word',
    label: 'match tier',
    about: 'By which evidence the charge was found, strongest first.',
    words: MATCH_TIERS,
    read: ({ match }) => match.tier,
  },
  match_score: {
    kind: 'number',
    label: 'match score',
    about: 'The score of the charge that was found.',
    read: ({ match }) => match.score ?? null,
  },
  match_margin: {
    kind: 'number',
    label: 'match margin',
    about: 'How far its score lies above the next candidate’s; not known without a second one.',
    read: ({ match }) => match.margin ?? null,
  },
  matched_by: {
    kind: 'word',
    label: 'matched by',
    about: 'Whether the matcher or a person chose the charge.',
    words: ['matcher', 'operator'],
    read: ({ match }) => match.by ?? null,
  },
  charge_status: {
    kind: 'word',
    label: 'charge status',
    about: 'What the processor says about the charge.',
    words: ['authorised', 'captured', 'declined', 'voided'],
    read: ({ charge }) => (charge.kind === 'found' ? charge.status : null),
  },
  charge_amount: {
    kind: 'amount',
    label: 'amount of the charge',
    about: 'The charge’s amount at the processor.',
    read: ({ charge }) =>
      charge.kind === 'found' ? moneyOf(charge.amountMinor, charge.currency) : null,
  },
  refundable: {
    kind: 'amount',
    label: 'refundable amount',
    about: 'What the processor would still refund of the charge.',
    read: ({ charge }) =>
      charge.kind === 'found' ? moneyOf(charge.refundableMinor, charge.currency) : null,
  },
  disputed: {
    kind: 'flag',
    label: 'disputed',
    about: 'A dispute is open at the processor already.',
    read: ({ charge }) => (charge.kind === 'found' ? charge.disputed : null),
  },
  refunded: {
    kind: 'word',
    label: 'refunded',
    about: 'How much of the charge was refunded before.',
    words: ['none', 'part', 'full'],
    read: refundedShare,
  },
  dispute: {
    kind: 'word',
    label: 'dispute',
    about:
      'Whether it is the first complaint about the charge, or a further one. Not known while a person must say.',
    words: ['first', 'further'],
    read: ({ account }) =>
      account == null || account.dispute === 'unclear' ? null : account.dispute,
  },
  refunded_by: {
    kind: 'word',
    label: 'refunded by',
    about: 'Who gave money back for the same complaint: us, support, or the network (RDR).',
    words: ['us', 'support', 'network', 'nobody'],
    read: ({ account }) => (account == null ? null : (account.refundedBy ?? 'nobody')),
  },
  refusal: {
    kind: 'word',
    label: 'refusal',
    about: 'The class of the processor’s last refusal of a refund for the same complaint.',
    words: ['none', ...FAILURE_CLASSES],
    read: ({ account }) => (account == null ? null : (account.refusal?.failureClass ?? 'none')),
  },
  difference: {
    kind: 'number',
    label: 'difference from the charge in percent',
    about:
      'By how many percent the alert’s amount differs from the charge’s. In another currency only by the policy’s own rates.',
    read: differencePercent,
  },
  other_alerts: {
    kind: 'number',
    label: 'other alerts about the charge',
    about: 'How many other alerts there are about the same charge.',
    read: ({ history }) => history?.alerts ?? null,
  },
  twin: {
    kind: 'flag',
    label: 'twin',
    about: 'Another alert reports the same payment, of either network, RDR apart.',
    read: ({ history }) => history?.twin ?? null,
  },
  rdr: {
    kind: 'flag',
    label: 'resolved by RDR',
    about: 'The network has resolved a dispute about the same charge itself (RDR).',
    read: ({ history }) => history?.rdr ?? null,
  },
  fraud_notice: {
    kind: 'flag',
    label: 'fraud notice',
    about: 'A scheme sent a fraud notice about the charge and has not revoked it.',
    read: ({ history }) => history?.fraudNotice ?? null,
  },
  fraud_warning: {
    kind: 'flag',
    label: 'a fraud warning for the charge',
    about: 'Whether the processor has sent an early fraud warning about the charge.',
    read: ({ history }) => history?.fraudWarning ?? null,
  },
  dispute_notice: {
    kind: 'flag',
    label: 'dispute notice',
    about: 'A scheme sent a dispute notice about the charge and has not revoked it.',
    read: ({ history }) => history?.disputeNotice ?? null,
  },
  ce3: {
    kind: 'word',
    label: 'compelling evidence (CE3.0)',
    about:
      'Whether a fraud dispute about the payment would qualify for Compelling Evidence 3.0 by what your orders say: then it need not be refunded.',
    words: ['qualifies', 'edge', 'not'],
    read: ({ evidence }) => evidence?.ce3 ?? null,
    because: ({ evidence }) => evidence?.ce3Why ?? null,
  },
  fpt: {
    kind: 'word',
    label: 'first-party trust',
    about:
      'Whether a fraud dispute about the payment would qualify for the first-party trust programme by what your orders say.',
    words: ['qualifies', 'edge', 'not'],
    read: ({ evidence }) => evidence?.fpt ?? null,
    because: ({ evidence }) => evidence?.fptWhy ?? null,
  },
  represented: {
    kind: 'flag',
    label: 'represented',
    about: 'A dispute about the charge is in representment.',
    read: ({ history }) => history?.represented ?? null,
  },
} as const satisfies FieldTable;

/** Percent with two decimals, rounded up: what is at most 3 % stays so, what is above never counts as 3. */
function differencePercent({ alert, charge }: DecisionFacts, { rates }: Reading): number | null {
  const claimed = moneyOf(alert.amountMinor, alert.currency);
  if (claimed === null || charge.kind !== 'found' || charge.amountMinor <= 0) return null;
  const comparable = inCurrency(claimed, charge.currency, rates);
  if (comparable === undefined) return null;
  return Math.ceil((Math.abs(comparable - charge.amountMinor) * 10_000) / charge.amountMinor) / 100;
}

function inCurrency(money: Money, currency: string, rates: Reading['rates']): number | undefined {
  if (money.currency === currency) return money.amountMinor;
  return rates === null ? undefined : convert(money, currency, rates)?.comparable;
}
