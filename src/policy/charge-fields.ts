/** What a condition can ask about the match, the charge, and what else happened to that charge. */
import type { DecisionFacts } from '../alerts/decide/facts.ts';
import { refundedShare } from '../alerts/decide/money-state.ts';
import { MATCH_TIERS } from '../alerts/match/match-settings.ts';
import type { Money } from '../base/kernel/money.ts';
import { convert } from '../base/kernel/rates.ts';
import { FAILURE_CLASSES } from '../service/wire/processor.ts';
import type { FieldTable, Reading } from './field-kinds.ts';
import { amount, called, flag, moneyOf, number, word } from './field-kinds.ts';

export const CHARGE_FIELDS: FieldTable = {
  match: word(
    'Whether one charge was found, none, or several.',
    ['single', 'none', 'several'],
    ({ match }) => match.outcome,
  ),
  match_tier: word(
    'By which evidence the charge was found, strongest first.',
    MATCH_TIERS,
    ({ match }) => match.tier,
  ),
  match_score: number('The score of the charge that was found.', ({ match }) => match.score),
  match_margin: number(
    'How far its score lies above the next candidate’s; not known without a second one.',
    ({ match }) => match.margin,
  ),
  matched_by: word(
    'Whether the matcher or a person chose the charge.',
    ['matcher', 'operator'],
    ({ match }) => match.by,
  ),
  charge_status: word(
    'What the processor says about the charge.',
    ['authorised', 'captured', 'declined', 'voided'],
    ({ charge }) => (charge.kind === 'found' ? charge.status : null),
  ),
  charge_amount: called(
    'amount of the charge',
    amount('The charge’s amount at the processor.', ({ charge }) =>
      charge.kind === 'found' ? moneyOf(charge.amountMinor, charge.currency) : null,
    ),
  ),
  refundable: called(
    'refundable amount',
    amount('What the processor would still refund of the charge.', ({ charge }) =>
      charge.kind === 'found' ? moneyOf(charge.refundableMinor, charge.currency) : null,
    ),
  ),
  disputed: flag('A dispute is open at the processor already.', ({ charge }) =>
    charge.kind === 'found' ? charge.disputed : null,
  ),
  refunded: word(
    'How much of the charge was refunded before.',
    ['none', 'part', 'full'],
    refundedShare,
  ),
  dispute: word(
    'Whether it is the first complaint about the charge, or a further one. Not known while a person must say.',
    ['first', 'further'],
    ({ account }) => (account == null || account.dispute === 'unclear' ? null : account.dispute),
  ),
  refunded_by: word(
    'Who gave money back for the same complaint: us, support, or the network (RDR).',
    ['us', 'support', 'network', 'nobody'],
    ({ account }) => (account == null ? null : (account.refundedBy ?? 'nobody')),
  ),
  refusal: word(
    'The class of the processor’s last refusal of a refund for the same complaint.',
    ['none', ...FAILURE_CLASSES],
    ({ account }) => (account == null ? null : (account.refusal?.failureClass ?? 'none')),
  ),
  difference: called(
    'difference from the charge in percent',
    number(
      'By how many percent the alert’s amount differs from the charge’s. In another currency only by the policy’s own rates.',
      differencePercent,
    ),
  ),
  other_alerts: called(
    'other alerts about the charge',
    number(
      'How many other alerts there are about the same charge.',
      ({ history }) => history?.alerts,
    ),
  ),
  twin: flag(
    'Another alert reports the same payment, of either network, RDR apart.',
    ({ history }) => history?.twin,
  ),
  rdr: called(
    'resolved by RDR',
    flag(
      'The network has resolved a dispute about the same charge itself (RDR).',
      ({ history }) => history?.rdr,
    ),
  ),
  fraud_notice: flag(
    'A scheme sent a fraud notice about the charge and has not revoked it.',
    ({ history }) => history?.fraudNotice,
  ),
  fraud_warning: called(
    'a fraud warning for the charge',
    flag(
      'Whether the processor has sent an early fraud warning about the charge.',
      ({ history }) => history?.fraudWarning,
    ),
  ),
  dispute_notice: flag(
    'A scheme sent a dispute notice about the charge and has not revoked it.',
    ({ history }) => history?.disputeNotice,
  ),
  ce3: {
    label: 'compelling evidence (CE3.0)',
    ...word(
      'Whether a fraud dispute about the payment would qualify for Compelling Evidence 3.0 by what your orders say: then it need not be refunded.',
      ['qualifies', 'edge', 'not'],
      ({ evidence }) => evidence?.ce3,
    ),
    because: ({ evidence }) => evidence?.ce3Why ?? null,
  },
  fpt: {
    label: 'first-party trust',
    ...word(
      'Whether a fraud dispute about the payment would qualify for the first-party trust programme by what your orders say.',
      ['qualifies', 'edge', 'not'],
      ({ evidence }) => evidence?.fpt,
    ),
    because: ({ evidence }) => evidence?.fptWhy ?? null,
  },
  represented: flag(
    'A dispute about the charge is in representment.',
    ({ history }) => history?.represented,
  ),
};

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
