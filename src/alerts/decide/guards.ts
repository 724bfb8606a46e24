/**
 * The guards: what no policy and no operator can override, one by one, each with a name and a
 * sentence.
 *
 * They are asked in order and the first that speaks holds the answer. A guard never answers an alert
 * by itself: it ends the matter (RDR, closed) or hands it to a person. Domain rules, section 0.
 */
import { formatMoney, isCurrencyCode, isMovableAmount } from '../../base/kernel/money.ts';
import {
  ALERT_ENROLMENT_TYPES,
  ALERT_STATUSES,
  CARD_SCHEMES,
  REFUND_OUTCOMES,
} from '../../service/wire/alert.ts';
import { CUSTOM_ORDERS_TYPE } from '../../service/wire/integration.ts';
import { claimSourceOf } from '../cases/claim.ts';
import type { AlertInputs, DecisionFacts } from './facts.ts';
import type { Guard, GuardHit, Intent } from './guard.ts';
import { MONEY_GUARDS } from './money-guards.ts';

/** For a person, whatever the policy says, and nothing by itself afterwards, unless it says otherwise. */
function frameGuard(guard: Pick<Guard, 'name' | 'check'> & Partial<Guard>): Guard {
  return { stops: 'everything', effect: 'review', fallbacks: 'none', ...guard };
}

/** About the alert, its deadline and its match: asked first, whatever the money looks like. */
export const FRAME_GUARDS: readonly Guard[] = [
  frameGuard({
    name: 'network_refunded',
    effect: 'nothing',
    check: ({ alert }) =>
      alert.enrolmentType === 'NETB_RDR'
        ? 'the network resolves this alert itself (RDR): it is never refunded and never answered'
        : undefined,
  }),
  frameGuard({
    name: 'alert_not_open',
    effect: 'nothing',
    check: ({ alert }) =>
      isOneOf(ALERT_STATUSES, alert.status) && alert.status !== 'ACTION_REQUIRED'
        ? `the alert is ${alert.status} already`
        : undefined,
  }),
  frameGuard({
    name: 'alert_status_unknown',
    check: ({ alert }) =>
      isOneOf(ALERT_STATUSES, alert.status)
        ? undefined
        : `the alert has a status Forestall does not know (${shorten(alert.status)})`,
  }),
  frameGuard({
    name: 'alert_value_unknown',
    check: ({ alert }) => {
      const unknown = unknownValues(alert);
      return unknown.length === 0
        ? undefined
        : `the alert carries values Forestall does not know (${unknown.join(', ')})`;
    },
  }),
  frameGuard({
    name: 'deadline_unusable',
    check: ({ alert, deadlineAt }) =>
      alert.createdAt !== null && Date.parse(deadlineAt) < Date.parse(alert.createdAt)
        ? 'its deadline lies before its creation'
        : undefined,
  }),
  frameGuard({
    name: 'deadline_passed',
    check: ({ now, deadlineAt, alert }) =>
      // What is owed stays owed after its day. Not ">": a deadline that is no moment is a deadline that has passed.
      claimSourceOf(alert.enrolmentType) !== undefined || Date.parse(now) < Date.parse(deadlineAt)
        ? undefined
        : 'its deadline has passed',
  }),
  frameGuard({
    name: 'owed_by_law',
    check: ({ alert }, intent) =>
      intent?.action === 'ACCEPT_DISPUTE' &&
      intent.occasion !== 'operator' &&
      alert.enrolmentType === 'WITHDRAWAL'
        ? 'the customer has withdrawn, and no rule may leave that unrefunded'
        : undefined,
  }),
  frameGuard({
    name: 'cancel_not_offered',
    stops: 'cancel',
    fallbacks: 'any',
    check: ({ integrationType }) =>
      integrationType === CUSTOM_ORDERS_TYPE
        ? `CANCEL and REFUND_AND_CANCEL are not for ${CUSTOM_ORDERS_TYPE} integrations`
        : undefined,
  }),
  frameGuard({
    name: 'alert_amount_unreadable',
    fallbacks: 'accept',
    check: ({ alert }) =>
      isMovableAmount(alert.amountMinor) && isCurrencyCode(alert.currency)
        ? undefined
        : 'the alert carries no amount or currency that can be refunded',
  }),
  frameGuard({
    name: 'search_unanswered',
    fallbacks: 'any',
    retry: true,
    check: ({ match }) =>
      match.outcome !== 'single' && match.unanswered === true
        ? "the processor's search did not answer, so it is not known whether it shows the charge"
        : undefined,
  }),
  frameGuard({
    name: 'no_charge',
    fallbacks: 'accept',
    check: ({ match }) =>
      match.outcome === 'none' ? 'no charge was found that this alert is about' : undefined,
  }),
  frameGuard({
    name: 'several_charges',
    fallbacks: 'accept_by_rule',
    check: ({ match }) =>
      match.outcome === 'several'
        ? 'several charges could be meant, and none is chosen'
        : undefined,
  }),
];

/** Every guard, in the order in which they are asked. */
export const GUARDS: readonly Guard[] = [...FRAME_GUARDS, ...MONEY_GUARDS];

/**
 * The first of `guards` that holds the intent; with no intent (a review is proposed anyway) the
 * first that would hold every answer. Pure.
 */
export function firstGuard(
  guards: readonly Guard[],
  facts: DecisionFacts,
  intent: Intent | null,
): GuardHit | undefined {
  for (const guard of guards) {
    if (!concerns(guard, intent)) continue;
    const sentence = guard.check(facts, intent);
    if (sentence !== undefined) return { guard, sentence };
  }
  return undefined;
}

/** Whether a guard has a say in this intent at all. */
function concerns(guard: Guard, intent: Intent | null): boolean {
  if (intent === null) return guard.stops === 'everything';
  const { action, occasion } = intent;
  // The policy itself chose to accept what was not decided in time.
  // No answer is no "nothing found": what may pass is waited for.
  if (occasion === 'fallback' && action === 'ACCEPT_DISPUTE') {
    return guard.fallbacks === 'none' || guard.retry === true;
  }
  if (guard.stops === 'everything') return true;
  const refunds = action === 'REFUND' || action === 'REFUND_AND_CANCEL';
  const cancels = action === 'CANCEL' || action === 'REFUND_AND_CANCEL';
  return guard.stops === 'refund' ? refunds : cancels;
}

/**
 * Names of the alert's fields whose value is not one the specification gives. An enrolment type that
 * is absent counts: without it RDR cannot be ruled out.
 */
export function unknownValues(alert: AlertInputs): string[] {
  const unknown: string[] = [];
  const isClaim = claimSourceOf(alert.enrolmentType) !== undefined;
  if (!isClaim && !isOneOf(ALERT_ENROLMENT_TYPES, alert.enrolmentType))
    unknown.push('enrolment type');
  if (alert.scheme !== null && !isOneOf(CARD_SCHEMES, alert.scheme)) unknown.push('card scheme');
  if (alert.refundOutcome !== null && !isOneOf(REFUND_OUTCOMES, alert.refundOutcome)) {
    unknown.push('refund outcome');
  }
  return unknown;
}

function isOneOf(words: readonly string[], value: string | null): boolean {
  return value !== null && words.includes(value);
}

function shorten(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

/** The alert's amount as a person reads it, or a word for its absence. */
export function alertMoneyText({ amountMinor, currency }: AlertInputs): string {
  if (amountMinor === null) return 'an unknown amount';
  return isCurrencyCode(currency) && Number.isSafeInteger(amountMinor)
    ? formatMoney({ amountMinor, currency })
    : `${amountMinor} minor units of an unknown currency`;
}
