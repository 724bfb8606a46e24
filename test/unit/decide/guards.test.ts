/** Guarantee: no policy can refund, accept or answer where section 0 of the domain rules forbids it. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decide, decideFallback } from '../../../src/alerts/decide/decide.ts';
import type { DecisionFacts } from '../../../src/alerts/decide/facts.ts';
import { FRAME_GUARDS, firstGuard, GUARDS } from '../../../src/alerts/decide/guards.ts';
import { MONEY_GUARDS } from '../../../src/alerts/decide/money-guards.ts';
import { verdictIn } from '../../../src/alerts/decide/money-state.ts';
import type {
  Policy,
  PolicyAnswer,
  PolicyOutcome,
  RefundAmount,
} from '../../../src/alerts/decide/policy.ts';
import type { FactsOver } from './fixtures.ts';
import { account, facts, foundCharge, ownRefund, standing } from './fixtures.ts';

/** A policy that always says the same: what the guards make of it is the question. */
function always(outcome: PolicyOutcome, held: Policy['held'] = null): Policy {
  return {
    name: 'always',
    version: 'v1',
    source: '',
    held,
    sources: ['WITHDRAWAL'],
    propose: () => ({
      outcome,
      rule: 'always',
      because: 'it always does',
      trace: [],
      sideActions: [],
    }),
  };
}

const HOUR = 3_600_000;
const refund = (amount: RefundAmount = 'full'): PolicyAnswer => ({ action: 'REFUND', amount });
const ACCEPT: PolicyAnswer = { action: 'ACCEPT_DISPUTE' };
const GENERAL = { answer: ACCEPT, beforeDeadlineMs: 2 * HOUR };
const reviewWith = (answer: PolicyAnswer): PolicyOutcome => ({
  action: 'REVIEW',
  fallback: { answer, beforeDeadlineMs: 6 * HOUR },
});
const REVIEW: PolicyOutcome = { action: 'REVIEW', fallback: null };

/** How an outcome reads in the tables: `REFUND 2990`, `ACCEPT_DISPUTE`, `REVIEW no_charge`, `NONE …`. */
function told(outcome: PolicyOutcome, over: FactsOver, held: Policy['held'] = null): string {
  const decision = decide(always(outcome, held), facts(over));
  if (decision.action === 'REFUND') return `REFUND ${decision.amountMinor}`;
  if (decision.action === 'ACCEPT_DISPUTE') return 'ACCEPT_DISPUTE';
  return `${decision.action} ${decision.guard ?? decision.holdReason}`;
}

/** Name, facts, what REFUND (full) becomes, what ACCEPT_DISPUTE becomes. */
const TABLE: readonly [string, FactsOver, string, string][] = [
  ['captured and refundable', {}, 'REFUND 2990', 'ACCEPT_DISPUTE'],
  [
    'already refunded in full by support',
    { charge: foundCharge({ refundedMinor: 2990, refundableMinor: 0 }) },
    'REFUND 0',
    'REFUND 0',
  ],
  [
    'already refunded, dispute open as well',
    { charge: foundCharge({ refundedMinor: 2990, refundableMinor: 0, disputed: true }) },
    'REFUND 0',
    'REFUND 0',
  ],
  ['our refund for a twin is confirmed', { ownRefund: ownRefund() }, 'REFUND 0', 'REFUND 0'],
  [
    'our refund is confirmed and listed',
    { ownRefund: ownRefund(), charge: foundCharge({ refundedMinor: 2990, refundableMinor: 0 }) },
    'REFUND 0',
    'REFUND 0',
  ],
  [
    'our refund for a twin is on its way',
    { ownRefund: ownRefund({ state: 'SENT' }) },
    'REFUND 2990',
    'REFUND 2990',
  ],
  [
    'the network refunded the twin (RDR booked)',
    { ownRefund: ownRefund({ state: 'EXTERNAL', amountMinor: 0, externalMinor: 2990 }) },
    'REFUND 0',
    'REFUND 0',
  ],
  [
    'our release of the authorisation',
    {
      ownRefund: ownRefund({ amountMinor: 0, isVoid: true }),
      charge: foundCharge({ status: 'voided', refundableMinor: 0 }),
    },
    'REFUND 0',
    'REFUND 0',
  ],
  [
    'our smaller refund is on its way',
    { ownRefund: ownRefund({ state: 'SENT', amountMinor: 1000 }) },
    'REVIEW refund_under_way',
    'REVIEW refund_under_way',
  ],
  [
    'our smaller refund is confirmed',
    { ownRefund: ownRefund({ amountMinor: 1000 }) },
    'REVIEW partly_refunded',
    'REVIEW part_went_back',
  ],
  [
    'our refund is confirmed in another currency, the charge cannot be read',
    { ownRefund: ownRefund({ currency: 'EUR' }), charge: { kind: 'not_offered' } },
    'REVIEW processor_cannot_be_asked',
    'REVIEW part_went_back',
  ],
  [
    'the network refunded a part',
    { ownRefund: ownRefund({ state: 'EXTERNAL', amountMinor: 0, externalMinor: 1000 }) },
    'REVIEW partly_refunded',
    'REVIEW part_went_back',
  ],
  [
    'our refund failed after it was confirmed',
    { ownRefund: ownRefund({ state: 'REVERSED' }) },
    'REVIEW refund_reversed',
    'REVIEW refund_reversed',
  ],
  [
    'our refund was refused',
    { ownRefund: ownRefund({ state: 'REJECTED' }) },
    'REVIEW refund_rejected',
    'ACCEPT_DISPUTE',
  ],
  [
    'partly refunded',
    { charge: foundCharge({ refundedMinor: 1000, refundableMinor: 1990 }) },
    'REVIEW partly_refunded',
    'REVIEW part_went_back',
  ],
  [
    'nothing left, yet no refund is listed',
    { charge: foundCharge({ refundableMinor: 0 }) },
    'REVIEW remainder_too_small',
    'ACCEPT_DISPUTE',
  ],
  [
    'one minor unit short',
    { charge: foundCharge({ refundableMinor: 2989 }) },
    'REVIEW remainder_too_small',
    'ACCEPT_DISPUTE',
  ],
  [
    'alert above the charge',
    { alert: { amountMinor: 2991 } },
    'REVIEW amount_differs',
    'ACCEPT_DISPUTE',
  ],
  [
    'alert below the charge',
    { alert: { amountMinor: 2989 } },
    'REVIEW amount_differs',
    'ACCEPT_DISPUTE',
  ],
  ['another currency', { alert: { currency: 'EUR' } }, 'REVIEW currency_differs', 'ACCEPT_DISPUTE'],
  [
    'wholly refunded, another currency',
    {
      alert: { currency: 'EUR' },
      charge: foundCharge({ refundedMinor: 2990, refundableMinor: 0 }),
    },
    'REFUND 0',
    'REFUND 0',
  ],
  [
    'money of another dispute: this one is refunded for itself',
    { account: account({ chargeOutMinor: 1000, dispute: 'further' }) },
    'REFUND 2990',
    'ACCEPT_DISPUTE',
  ],
  [
    'nobody knows to which complaint it belongs',
    { account: account({ disputeId: null, dispute: 'unclear' }) },
    'REVIEW dispute_unclear',
    'REVIEW dispute_unclear',
  ],
  [
    'another alert of the dispute is accepted',
    { account: account({ isAccepted: true }) },
    'REVIEW another_alert_accepted',
    'ACCEPT_DISPUTE',
  ],
  [
    'the last refusal may pass',
    { account: account({ refusal: { code: 'insufficient_balance', failureClass: 'retry' } }) },
    'REFUND 2990',
    'ACCEPT_DISPUTE',
  ],
  [
    'the processor’s search did not answer (row 16)',
    { match: { outcome: 'none', tier: null, unanswered: true }, charge: { kind: 'none' } },
    'REVIEW search_unanswered',
    'REVIEW search_unanswered',
  ],
  [
    'dispute open at the processor',
    { charge: foundCharge({ disputed: true }) },
    'REVIEW disputed',
    'ACCEPT_DISPUTE',
  ],
  [
    'the bank has taken the money back',
    { charge: foundCharge({ disputed: true, refundableMinor: 0, isChargedBack: true }) },
    'ACCEPT_DISPUTE',
    'ACCEPT_DISPUTE',
  ],
  [
    'the network refunded a payment that may be this one (A2)',
    { account: account({ standing: standing({ networkInDoubtMs: 1 }) }) },
    'REVIEW network_refund_unclear',
    'REVIEW network_refund_unclear',
  ],
  [
    'an alert that was accepted for no charge may be about this one (A2)',
    { account: account({ standing: standing({ acceptanceInDoubtMs: 1 }) }) },
    'REVIEW acceptance_unclear',
    'ACCEPT_DISPUTE',
  ],
  [
    'the network refunded in another currency',
    { account: account({ standing: standing({ isForeign: true }) }) },
    'REVIEW network_currency',
    'ACCEPT_DISPUTE',
  ],
  [
    'money went through another processor (A9)',
    { account: account({ standing: standing({ isThroughAnother: true }) }) },
    'REVIEW another_processor',
    'ACCEPT_DISPUTE',
  ],
  [
    'a request for another complaint is in flight: the step that would send waits for it (L2)',
    { account: account({ standing: standing({ isInFlight: true }) }) },
    'REFUND 2990',
    'ACCEPT_DISPUTE',
  ],
  [
    'another complaint’s refund is pending: it blocks nothing (L2)',
    {
      account: account({ standing: standing() }),
      charge: foundCharge({ amountMinor: 2990, pendingMinor: 1000 }),
    },
    'REFUND 2990',
    'ACCEPT_DISPUTE',
  ],
  [
    'a refund by support is pending',
    { charge: foundCharge({ pendingMinor: 1 }) },
    'REVIEW refund_pending_elsewhere',
    'REVIEW refund_pending_elsewhere',
  ],
  [
    'authorised, not captured: released',
    { charge: foundCharge({ status: 'authorised', refundableMinor: 0 }) },
    'REFUND 2990',
    'ACCEPT_DISPUTE',
  ],
  [
    'authorised, another amount',
    { alert: { amountMinor: 2989 }, charge: foundCharge({ status: 'authorised' }) },
    'REVIEW amount_differs',
    'ACCEPT_DISPUTE',
  ],
  [
    'declined',
    { charge: foundCharge({ status: 'declined', refundableMinor: 0 }) },
    'REVIEW declined',
    'ACCEPT_DISPUTE',
  ],
  [
    'voided by somebody else',
    { charge: foundCharge({ status: 'voided', refundableMinor: 0 }) },
    'REVIEW declined',
    'ACCEPT_DISPUTE',
  ],
  [
    'deadline passed',
    { now: '2026-03-13T04:00:00.000Z' },
    'REVIEW deadline_passed',
    'REVIEW deadline_passed',
  ],
  [
    'one millisecond before the deadline',
    { now: '2026-03-13T03:59:59.999Z' },
    'REVIEW too_late',
    'ACCEPT_DISPUTE',
  ],
  [
    '15 minutes before the deadline',
    { now: '2026-03-13T03:45:00.000Z' },
    'REFUND 2990',
    'ACCEPT_DISPUTE',
  ],
  [
    'a millisecond less than 15 minutes',
    { now: '2026-03-13T03:45:00.001Z' },
    'REVIEW too_late',
    'ACCEPT_DISPUTE',
  ],
  [
    'deadline before creation',
    { alert: { createdAt: '2026-03-14T00:00:00.000Z' } },
    'REVIEW deadline_unusable',
    'REVIEW deadline_unusable',
  ],
  [
    'a deadline that is no moment',
    { deadlineAt: 'soon' },
    'REVIEW deadline_passed',
    'REVIEW deadline_passed',
  ],
  ['a withdrawal', { alert: { enrolmentType: 'WITHDRAWAL' } }, 'REFUND 2990', 'REVIEW owed_by_law'],
  [
    'RDR',
    { alert: { enrolmentType: 'NETB_RDR' } },
    'NONE network_refunded',
    'NONE network_refunded',
  ],
  [
    'RDR that asks for an action',
    { alert: { enrolmentType: 'NETB_RDR', status: 'ACTION_REQUIRED' } },
    'NONE network_refunded',
    'NONE network_refunded',
  ],
  ['resolved', { alert: { status: 'RESOLVED' } }, 'NONE alert_not_open', 'NONE alert_not_open'],
  [
    'invalid',
    { alert: { status: 'INVALID', refundOutcome: 'REFUNDED' } },
    'NONE alert_not_open',
    'NONE alert_not_open',
  ],
  [
    'unknown status (F22)',
    { alert: { status: 'ESCALATED' } },
    'REVIEW alert_status_unknown',
    'REVIEW alert_status_unknown',
  ],
  [
    'unknown enrolment type (F22)',
    { alert: { enrolmentType: 'NETC_ALERT' } },
    'REVIEW alert_value_unknown',
    'REVIEW alert_value_unknown',
  ],
  [
    'no enrolment type: it might be RDR',
    { alert: { enrolmentType: null } },
    'REVIEW alert_value_unknown',
    'REVIEW alert_value_unknown',
  ],
  [
    'unknown outcome (F22)',
    { alert: { refundOutcome: 'PARTLY' } },
    'REVIEW alert_value_unknown',
    'REVIEW alert_value_unknown',
  ],
  [
    'unknown scheme (F22)',
    { alert: { scheme: 'SCHEME_C' } },
    'REVIEW alert_value_unknown',
    'REVIEW alert_value_unknown',
  ],
  ['no scheme', { alert: { scheme: null } }, 'REFUND 2990', 'ACCEPT_DISPUTE'],
  [
    'no amount (F26)',
    { alert: { amountMinor: null } },
    'REVIEW alert_amount_unreadable',
    'REVIEW alert_amount_unreadable',
  ],
  [
    'amount 0 (F26)',
    { alert: { amountMinor: 0 } },
    'REVIEW alert_amount_unreadable',
    'REVIEW alert_amount_unreadable',
  ],
  [
    'negative amount (F26)',
    { alert: { amountMinor: -1 } },
    'REVIEW alert_amount_unreadable',
    'REVIEW alert_amount_unreadable',
  ],
  [
    'a fraction (F26)',
    { alert: { amountMinor: 29.9 } },
    'REVIEW alert_amount_unreadable',
    'REVIEW alert_amount_unreadable',
  ],
  [
    '2^53 (F26)',
    { alert: { amountMinor: 2 ** 53 } },
    'REVIEW alert_amount_unreadable',
    'REVIEW alert_amount_unreadable',
  ],
  [
    'lower-case currency',
    { alert: { currency: 'usd' } },
    'REVIEW alert_amount_unreadable',
    'REVIEW alert_amount_unreadable',
  ],
  [
    'no charge found',
    { match: { outcome: 'none', tier: null }, charge: { kind: 'none' } },
    'REVIEW no_charge',
    'REVIEW no_charge',
  ],
  [
    'several charges (F75)',
    { match: { outcome: 'several', tier: null }, charge: { kind: 'none' } },
    'REVIEW several_charges',
    'REVIEW several_charges',
  ],
  [
    'the processor could not be asked',
    { charge: { kind: 'unavailable', reason: 'timeout' } },
    'REVIEW processor_unavailable',
    'REVIEW processor_unavailable',
  ],
  [
    'the processor offers no read',
    { charge: { kind: 'not_offered' } },
    'REVIEW processor_cannot_be_asked',
    'ACCEPT_DISPUTE',
  ],
  [
    'the processor does not know the charge',
    { charge: { kind: 'absent' } },
    'REVIEW charge_absent',
    'REVIEW charge_absent',
  ],
];

describe('what is found at decision time', () => {
  test.each(TABLE)('%s', (_name, over, whenRefund, whenAccept) => {
    expect(told(refund(), over)).toBe(whenRefund);
    expect(told(ACCEPT, over)).toBe(whenAccept);
  });

  test('a policy that wants a person gets one, whatever is found', () => {
    for (const [, over, whenRefund] of TABLE) {
      const action = whenRefund.startsWith('NONE') ? 'NONE' : 'REVIEW';
      expect(told(REVIEW, over)).toMatch(new RegExp(`^${action} `));
    }
  });

  test('every guard of the list speaks in this table', () => {
    const spoken = new Set(
      TABLE.flatMap(([, , one, other]) => [one, other].map((text) => text.split(' ')[1])),
    );
    const silent = GUARDS.map(({ name }) => name).filter((name) => !spoken.has(name));
    // Policies cannot write CANCEL; only operators and programs can ask for it. The others speak of fallbacks, and of parts.
    expect(silent).toEqual(['cancel_not_offered', 'another_refund_ahead', 'partial_needs_person']);
  });
});

describe('amounts', () => {
  test.each<[string, RefundAmount, FactsOver, string]>([
    ['the remainder of an untouched charge', 'remainder', {}, 'REFUND 2990'],
    [
      'the remainder after 10.00',
      'remainder',
      { charge: foundCharge({ refundedMinor: 1000, refundableMinor: 1990 }) },
      'REFUND 1990',
    ],
    [
      'a remainder the processor does not have',
      'remainder',
      { charge: foundCharge({ refundedMinor: 1000, refundableMinor: 1989 }) },
      'REVIEW remainder_too_small',
    ],
    [
      'the remainder of a smaller alert',
      'remainder',
      { alert: { amountMinor: 2000 } },
      'REVIEW amount_differs',
    ],
    [
      'the amount of a smaller alert',
      'alert_amount',
      { alert: { amountMinor: 2000 } },
      'REFUND 2000',
    ],
    [
      'the amount of a smaller alert, at a processor that refuses nothing',
      'alert_amount',
      { alert: { amountMinor: 2000 }, charge: foundCharge({ refusesOverRefund: false }) },
      'REVIEW partial_needs_person',
    ],
    [
      'the amount of a smaller alert, after 5.00',
      'alert_amount',
      {
        alert: { amountMinor: 2000 },
        charge: foundCharge({ refundedMinor: 500, refundableMinor: 2490 }),
      },
      'REFUND 1500',
    ],
    [
      'a smaller alert that is covered',
      'alert_amount',
      {
        alert: { amountMinor: 2000 },
        charge: foundCharge({ refundedMinor: 2000, refundableMinor: 990 }),
      },
      'REFUND 0',
    ],
    [
      'a smaller alert that is covered, without leave',
      'full',
      {
        alert: { amountMinor: 2000 },
        charge: foundCharge({ refundedMinor: 2000, refundableMinor: 990 }),
      },
      'REFUND 0',
    ],
    [
      'a smaller alert on a wholly refunded charge',
      'full',
      {
        alert: { amountMinor: 2000 },
        charge: foundCharge({ refundedMinor: 2990, refundableMinor: 0 }),
      },
      'REFUND 0',
    ],
    [
      'our own refund, which the processor lists too, counts once',
      'alert_amount',
      {
        alert: { amountMinor: 2000 },
        ownRefund: ownRefund({ amountMinor: 1000 }),
        charge: foundCharge({ refundedMinor: 1000, refundableMinor: 1990 }),
      },
      'REFUND 1000',
    ],
    [
      'a larger alert is never paid',
      'alert_amount',
      { alert: { amountMinor: 3000 } },
      'REVIEW amount_differs',
    ],
    [
      'a larger alert is covered when the whole charge went back',
      'remainder',
      {
        alert: { amountMinor: 3000 },
        charge: foundCharge({ refundedMinor: 2990, refundableMinor: 0 }),
      },
      'REFUND 0',
    ],
    [
      'another currency, where the policy names the whole charge: in the charge’s money',
      'whole_charge',
      { alert: { currency: 'EUR', amountMinor: 2700 } },
      'REFUND 2990',
    ],
    [
      'one cent above the charge, where the policy names the whole charge (row 11)',
      'whole_charge',
      { alert: { amountMinor: 2991 } },
      'REFUND 2990',
    ],
    [
      'below the charge, the whole charge is never paid',
      'whole_charge',
      { alert: { amountMinor: 2989 } },
      'REVIEW amount_differs',
    ],
    [
      'another currency, whatever the policy says',
      'alert_amount',
      { alert: { currency: 'EUR', amountMinor: 2000 } },
      'REVIEW currency_differs',
    ],
    [
      'an authorisation is released as a whole only',
      'alert_amount',
      { alert: { amountMinor: 2000 }, charge: foundCharge({ status: 'authorised' }) },
      'REVIEW amount_differs',
    ],
  ])('%s', (_name, amount, over, expected) => {
    expect(told(refund(amount), over)).toBe(expected);
  });
});

test('a decided amount is in the charge’s currency, never in the alert’s', () => {
  const state = facts({ alert: { currency: 'EUR', amountMinor: 2700 } });
  const decision = decide(always(refund('whole_charge')), state);
  expect(decision).toMatchObject({ action: 'REFUND', amountMinor: 2990, currency: 'USD' });
  expect(decision.sentence).toContain('Refund 29.90 USD as the whole charge');
});

describe('CANCEL* on a CUSTOM_ORDERS integration', () => {
  const intent = { amount: 'full', occasion: 'operator' } as const;
  test.each(['CANCEL', 'REFUND_AND_CANCEL'] as const)('%s is refused', (action) => {
    const hit = firstGuard(FRAME_GUARDS, facts(), { ...intent, action });
    expect(hit?.guard.name).toBe('cancel_not_offered');
    const elsewhere = facts({ integrationType: 'STRIPE' });
    expect(firstGuard(FRAME_GUARDS, elsewhere, { ...intent, action })).toBeUndefined();
  });
  test.each(['REFUND', 'ACCEPT_DISPUTE'] as const)('%s is not', (action) => {
    expect(firstGuard(FRAME_GUARDS, facts(), { ...intent, action })).toBeUndefined();
  });
  test('REFUND_AND_CANCEL meets the refund guards as well', () => {
    const disputed = facts({ charge: foundCharge({ disputed: true }), integrationType: 'STRIPE' });
    const hit = firstGuard(GUARDS, disputed, { ...intent, action: 'REFUND_AND_CANCEL' });
    expect(hit?.guard.name).toBe('disputed');
  });
});

describe('fallbacks of held alerts', () => {
  const none: FactsOver = { match: { outcome: 'none', tier: null }, charge: { kind: 'none' } };
  const several: FactsOver = {
    match: { outcome: 'several', tier: null },
    charge: { kind: 'none' },
  };
  const down: FactsOver = { charge: { kind: 'unavailable', reason: 'timeout' } };
  // The deadline is 2026-03-13T04:00Z: six hours before it is 22:00 the day before, two are 02:00.
  const OWN_AT = '2026-03-12T22:00:00.000Z';
  const GENERAL_AT = '2026-03-13T02:00:00.000Z';
  test.each<[string, PolicyOutcome, FactsOver, Policy['held'], string | null]>([
    ['a plain review with REFUND', reviewWith(refund()), {}, null, `REFUND ${OWN_AT}`],
    ['a plain review without any', REVIEW, {}, GENERAL, null],
    ['no charge: its own', reviewWith(ACCEPT), none, null, `ACCEPT_DISPUTE ${OWN_AT}`],
    ['no charge: never a refund', reviewWith(refund()), none, null, null],
    [
      'no charge: the general one instead',
      reviewWith(refund()),
      none,
      GENERAL,
      `ACCEPT_DISPUTE ${GENERAL_AT}`,
    ],
    [
      'no charge: a refund that was stopped',
      refund(),
      none,
      GENERAL,
      `ACCEPT_DISPUTE ${GENERAL_AT}`,
    ],
    ['no charge: nothing by the guard itself', refund(), none, null, null],
    ['several: its own', reviewWith(ACCEPT), several, null, `ACCEPT_DISPUTE ${OWN_AT}`],
    ['several: not the general one', refund(), several, GENERAL, null],
    ['several: not even where the policy accepts', ACCEPT, several, GENERAL, null],
    [
      'an amount that differs',
      refund(),
      { alert: { amountMinor: 1 } },
      GENERAL,
      `ACCEPT_DISPUTE ${GENERAL_AT}`,
    ],
    ['a dispute that is open', refund(), { charge: foundCharge({ disputed: true }) }, null, null],
    [
      'a processor that is down keeps the refund',
      reviewWith(refund()),
      down,
      null,
      `REFUND ${OWN_AT}`,
    ],
    ['unknown values: none', reviewWith(ACCEPT), { alert: { scheme: 'X' } }, GENERAL, null],
    [
      'our refund under way: what was planned, for when it comes to nothing',
      reviewWith(ACCEPT),
      { ownRefund: ownRefund({ state: 'SENT', amountMinor: 1 }) },
      GENERAL,
      `ACCEPT_DISPUTE ${OWN_AT}`,
    ],
    [
      'after the deadline: none',
      reviewWith(ACCEPT),
      { now: '2026-03-13T04:00:00.000Z' },
      GENERAL,
      null,
    ],
    ['resolved: none', reviewWith(ACCEPT), { alert: { status: 'RESOLVED' } }, GENERAL, null],
    [
      'a moment that is over is now',
      reviewWith(ACCEPT),
      { now: '2026-03-13T03:00:00.000Z' },
      null,
      'ACCEPT_DISPUTE 2026-03-13T03:00:00.000Z',
    ],
    [
      'an answer keeps the general one for later',
      refund(),
      {},
      GENERAL,
      `ACCEPT_DISPUTE ${GENERAL_AT}`,
    ],
  ])('%s', (_name, outcome, over, held, expected) => {
    const { fallback } = decide(always(outcome, held), facts(over));
    expect(fallback === null ? null : `${fallback.answer.action} ${fallback.at}`).toBe(expected);
  });

  /** What a due fallback becomes. */
  function fell(answer: PolicyAnswer, over: FactsOver): string {
    const decision = decideFallback(answer, facts(over));
    expect(decision.decidedBy).toBe('fallback');
    const rest = decision.action === 'REFUND' ? decision.amountMinor : decision.guard;
    return `${decision.action} ${rest}${decision.retry ? ' retry' : ''}`;
  }
  test.each<[string, PolicyAnswer, FactsOver, string]>([
    ['accept', ACCEPT, {}, 'ACCEPT_DISPUTE null'],
    ['accept without a charge', ACCEPT, none, 'ACCEPT_DISPUTE null'],
    ['accept with several', ACCEPT, several, 'ACCEPT_DISPUTE null'],
    [
      'accept while the processor is down (row 16)',
      ACCEPT,
      down,
      'REVIEW processor_unavailable retry',
    ],
    [
      'accept while its search did not answer (row 16)',
      ACCEPT,
      { match: { outcome: 'none', tier: null, unanswered: true }, charge: { kind: 'none' } },
      'REVIEW search_unanswered retry',
    ],
    [
      'accept what is refunded',
      ACCEPT,
      { charge: foundCharge({ refundedMinor: 2990, refundableMinor: 0 }) },
      'REFUND 0',
    ],
    [
      'accept what we are refunding',
      ACCEPT,
      { ownRefund: ownRefund({ state: 'UNKNOWN' }) },
      'REFUND 2990',
    ],
    [
      'accept beside a smaller refund of ours',
      ACCEPT,
      { ownRefund: ownRefund({ state: 'SENT', amountMinor: 5 }) },
      'REVIEW refund_under_way retry',
    ],
    [
      'accept an RDR alert',
      ACCEPT,
      { alert: { enrolmentType: 'NETB_RDR' } },
      'NONE network_refunded',
    ],
    [
      'accept after the deadline',
      ACCEPT,
      { now: '2026-03-13T04:00:00.000Z' },
      'REVIEW deadline_passed',
    ],
    [
      'accept what may be another one’s complaint',
      ACCEPT,
      { account: account({ disputeId: null, dispute: 'unclear', isRefundAhead: false }) },
      'ACCEPT_DISPUTE null',
    ],
    [
      'accept it while the other one is to be refunded',
      ACCEPT,
      { account: account({ disputeId: null, dispute: 'unclear', isRefundAhead: true }) },
      'REVIEW another_refund_ahead retry',
    ],
    [
      'accept a complaint of its own while another one is to be refunded',
      ACCEPT,
      { account: account({ isRefundAhead: true }) },
      'ACCEPT_DISPUTE null',
    ],
    ['accept an unknown status', ACCEPT, { alert: { status: 'X' } }, 'REVIEW alert_status_unknown'],
    ['refund', refund(), {}, 'REFUND 2990'],
    [
      'refund the remainder',
      refund('remainder'),
      { charge: foundCharge({ refundedMinor: 990, refundableMinor: 2000 }) },
      'REFUND 2000',
    ],
    ['refund without a charge', refund(), none, 'REVIEW no_charge'],
    ['refund with several', refund(), several, 'REVIEW several_charges'],
    ['refund while the processor is down', refund(), down, 'REVIEW processor_unavailable retry'],
    [
      'refund what is disputed',
      refund(),
      { charge: foundCharge({ disputed: true }) },
      'REVIEW disputed',
    ],
    ['refund too late', refund(), { now: '2026-03-13T03:50:00.000Z' }, 'REVIEW too_late'],
  ])('a due fallback: %s', (_name, answer, over, expected) => {
    expect(fell(answer, over)).toBe(expected);
  });
});

describe('sentences', () => {
  test.each<[PolicyOutcome, FactsOver, string]>([
    [refund(), {}, 'Refund 29.90 USD in full: rule "always" applies, because it always does.'],
    [
      refund('remainder'),
      { charge: foundCharge({ refundedMinor: 990, refundableMinor: 2000 }) },
      'Refund 20.00 USD as the remainder of the charge: rule "always" applies, because it always does.',
    ],
    [ACCEPT, {}, 'Accept the dispute of 29.90 USD: rule "always" applies, because it always does.'],
    [
      REVIEW,
      {},
      'A person decides about 29.90 USD: rule "always" applies, because it always does. Nothing happens by itself: without a decision the deadline is missed.',
    ],
    [
      reviewWith(ACCEPT),
      {},
      'A person decides about 29.90 USD: rule "always" applies, because it always does. Without a decision it becomes ACCEPT_DISPUTE at 2026-03-12 22:00 UTC.',
    ],
    [
      refund(),
      { alert: { amountMinor: 2000 } },
      'A person decides about 20.00 USD: the alert is about 20.00 USD, the charge about 29.90 USD. This stopped REFUND by rule "always". Nothing happens by itself: without a decision the deadline is missed.',
    ],
    [
      refund(),
      { charge: foundCharge({ refundedMinor: 2990, refundableMinor: 0, refundReference: 're_9' }) },
      'Answer REFUND without moving money: re_9 has returned these 29.90 USD already (rule "always" applies, because it always does).',
    ],
    [
      refund(),
      { ownRefund: ownRefund({ state: 'SENT' }) },
      'Answer REFUND once refund rf_1 of the same dispute is through, which covers these 29.90 USD: rule "always" applies, because it always does. Nothing is refunded again.',
    ],
    [
      refund(),
      { charge: foundCharge({ status: 'authorised' }) },
      'Release the authorisation of 29.90 USD, which was never captured: rule "always" applies, because it always does.',
    ],
    [
      refund(),
      { alert: { enrolmentType: 'NETB_RDR' } },
      'Nothing is done about 29.90 USD: the network resolves this alert itself (RDR): it is never refunded and never answered.',
    ],
    [
      refund(),
      { alert: { amountMinor: null } },
      'A person decides about an unknown amount: the alert carries no amount or currency that can be refunded. This stopped REFUND by rule "always". Nothing happens by itself: without a decision the deadline is missed.',
    ],
  ])('%j %j', (outcome, over, sentence) => {
    expect(decide(always(outcome), facts(over)).sentence).toBe(sentence);
  });
});

describe('properties over everything at once', () => {
  const over: fc.Arbitrary<FactsOver> = fc.record({
    alert: fc.record({
      status: fc.constantFrom('ACTION_REQUIRED', 'ACTION_REQUIRED', 'RESOLVED', 'INVALID', 'X'),
      enrolmentType: fc.constantFrom('NETA_ALERT', 'NETA_ALERT', 'NETB_RDR', 'X', null),
      scheme: fc.constantFrom('SCHEME_A', 'X', null),
      amountMinor: fc.constantFrom(2990, 2990, 2000, 4000, 0, -1, null),
      currency: fc.constantFrom('USD', 'USD', 'EUR', 'usd', null),
    }),
    now: fc.constantFrom(
      '2026-03-11T12:00:00.000Z',
      '2026-03-13T03:50:00.000Z',
      '2026-03-13T05:00:00.000Z',
    ),
    match: fc.constantFrom<NonNullable<FactsOver['match']>>(
      { outcome: 'single', tier: 'arn' },
      { outcome: 'single', tier: 'arn' },
      { outcome: 'none', tier: null },
      { outcome: 'several', tier: null },
    ),
    charge: fc.oneof(
      fc.constantFrom<NonNullable<FactsOver['charge']>>(
        { kind: 'none' },
        { kind: 'absent' },
        { kind: 'not_offered' },
        { kind: 'unavailable', reason: 'x' },
      ),
      fc
        .record({
          status: fc.constantFrom(
            'captured' as const,
            'captured' as const,
            'authorised' as const,
            'declined' as const,
          ),
          refundedMinor: fc.constantFrom(0, 0, 990, 2990),
          refundableMinor: fc.constantFrom(2990, 2000, 0),
          disputed: fc.boolean(),
          pendingMinor: fc.constantFrom(0, 0, 5),
        })
        .map(foundCharge),
    ),
    ownRefund: fc.constantFrom(
      null,
      null,
      ownRefund(),
      ownRefund({ state: 'SENT' }),
      ownRefund({ state: 'REVERSED' }),
      ownRefund({ state: 'REJECTED' }),
      ownRefund({ state: 'EXTERNAL', amountMinor: 0, externalMinor: 1000 }),
    ),
  });
  const outcome = fc.constantFrom<PolicyOutcome>(
    refund(),
    refund('remainder'),
    refund('alert_amount'),
    ACCEPT,
    REVIEW,
    reviewWith(ACCEPT),
    reviewWith(refund()),
  );

  /** What must be true of the facts when `amountMinor` is to be moved. */
  function expectMovable(state: DecisionFacts, amountMinor: number) {
    const { alert, charge, ownRefund: own, match } = state;
    expect([alert.status, alert.enrolmentType, match.outcome]).toEqual([
      'ACTION_REQUIRED',
      'NETA_ALERT',
      'single',
    ]);
    // Joined: our own refund is on its way, and this alert moves nothing.
    if (own?.state === 'SENT') return;
    // Otherwise nothing of ours; the network's part is taken off what is moved.
    expect([undefined, 'EXTERNAL']).toContain(own?.state);
    if (charge.kind !== 'found') throw new Error('a refund without a charge');
    expect([charge.disputed, charge.currency]).toEqual([false, alert.currency]);
    expect(state.now).toBe('2026-03-11T12:00:00.000Z');
    expect(['captured', 'authorised']).toContain(charge.status);
    if (charge.status === 'authorised') return;
    expect(amountMinor).toBeGreaterThan(0);
    expect(amountMinor).toBeLessThanOrEqual(charge.refundableMinor);
    const goneMinor = Math.max(charge.refundedMinor, own?.externalMinor ?? 0);
    expect(amountMinor + goneMinor).toBe(alert.amountMinor);
  }

  test('of several guards about money the first in the table speaks', () => {
    const amount = fc.constantFrom('full', 'remainder', 'alert_amount', 'whole_charge' as const);
    const intents = fc.record({
      action: fc.constantFrom('REFUND' as const, 'ACCEPT_DISPUTE' as const),
      amount,
      occasion: fc.constant('policy' as const),
    });
    fc.assert(
      fc.property(over, intents, (given, intent) => {
        const state = facts(given);
        if (firstGuard(FRAME_GUARDS, state, intent) !== undefined) return;
        const hit = firstGuard(MONEY_GUARDS, state, intent)?.guard.name;
        const { kind, ...verdict } = verdictIn(state, intent);
        if (kind === 'under_way') return;
        expect(hit).toBe('reason' in verdict ? verdict.reason : undefined);
      }),
      { numRuns: 5_000 },
    );
  });

  test('money is moved only on an open alert, for a single captured charge, in time and within bounds', () => {
    fc.assert(
      fc.property(over, outcome, fc.boolean(), (given, wanted, asFallback) => {
        const state = facts(given);
        const decision =
          asFallback && wanted.action !== 'REVIEW'
            ? decideFallback(wanted, state)
            : decide(always(wanted, GENERAL), state);
        if (decision.action !== 'REFUND' || decision.amountMinor === 0) return;
        expect(wanted.action).not.toBe('REVIEW');
        expectMovable(state, decision.amountMinor ?? 0);
      }),
      { numRuns: 20_000 },
    );
  });

  test('a dispute is never accepted while our money is at stake, and nothing is held without a word', () => {
    fc.assert(
      fc.property(over, outcome, (given, wanted) => {
        const state = facts(given);
        const decision = decide(always(wanted, GENERAL), state);
        if (decision.action === 'ACCEPT_DISPUTE') {
          expect(wanted).toEqual(ACCEPT);
          expect(['SENT', 'CONFIRMED', 'REVERSED']).not.toContain(state.ownRefund?.state);
          expect(state.match.outcome).toBe('single');
        }
        if (decision.action === 'REVIEW') expect(decision.holdReason).not.toBeNull();
        expect(decision.sentence.length).toBeGreaterThan(20);
        expect(decide(always(wanted, GENERAL), state)).toEqual(decision);
      }),
      { numRuns: 10_000 },
    );
  });
});
