/**
 * The three-way comparison of one alert: what the service shows, what the processor shows, and what
 * our ledger says. Pure.
 *
 * The ledger is drawn once more as the processor shows it now, and judged by the rules that money and
 * answers obey everywhere: `REFUND` is true when the dispute's own cover reaches the alert, or the
 * whole charge went back. While a refund for the alert is under way nothing is concluded: the saga
 * settles it, and it knows more. A charge that could not be read proves nothing either; the caller then
 * leaves every finding as it is.
 */

import type { ProcessorCharge } from '../../service/wire/processor.ts';
import type { CaseState } from '../cases/case-state.ts';
import type { Ledger, Movement } from '../ledger/ledger.ts';
import { coverOf, isCovered, mayHaveExecuted, surplusMinor } from '../ledger/ledger.ts';
import { paidTooOften } from '../ledger/paid-too-often.ts';
import { DISPUTED_AFTER_REFUND, proofOfRefund } from '../ledger/tell-disputed.ts';
import type { AlertBooks } from './alert-books.ts';
import { claimOf, isRefundDeclared, ownFor, unplacedMinor } from './alert-books.ts';
import type { Contradiction } from './checks.store.ts';
import type { ShownLedger } from './shown-ledger.ts';
import { hasMoved, showLedger, sumOf } from './shown-ledger.ts';

/** What the processor shows, and how to read it. */
export interface ProcessorBooks {
  /** Undefined: the processor knows no such charge. */
  readonly charge: ProcessorCharge | undefined;
  /** Every key we have ever used on the charge, and the next one. */
  readonly ourKeys: readonly string[];
  /** A refund of ours younger than this need not show yet, in milliseconds. */
  readonly lagMs: number;
  readonly nowMs: number;
}

export type ComparisonKind =
  | 'declared_without_money'
  | 'refund_not_at_processor'
  | 'refund_failed_at_processor'
  | 'refund_not_booked'
  | 'refunded_twice'
  | 'refund_amount_differs'
  | 'refunded_but_open'
  | 'rdr_and_refund_elsewhere'
  | 'disputed_after_refund'
  | 'charge_unknown';

export interface Difference extends Contradiction {
  readonly kind: ComparisonKind;
}

/** States of ours in which the saga will say by itself what became of the money. */
const UNDER_WAY: ReadonlySet<Movement['state']> = new Set(['SENT', 'UNKNOWN', 'PENDING', 'HUMAN']);

/** The differences, or `undecided` while they cannot be distinguished from what is under way. */
export function compareBooks(
  books: AlertBooks,
  processor: ProcessorBooks,
): Difference[] | 'undecided' {
  const { confirmedAtMs } = books;
  if (ownFor(books).some(({ state }) => UNDER_WAY.has(state))) return 'undecided';
  if (confirmedAtMs !== null && processor.nowMs - confirmedAtMs < processor.lagMs) {
    return 'undecided';
  }
  if (processor.charge === undefined) return absentCharge(books);
  const money = readMoney(books, processor.charge, processor.ourKeys);
  return [
    ...missingMoney(books, money),
    ...surplusMoney(books, money),
    ...unansweredMoney(books, money),
    ...disputedMoney(books, money),
  ];
}

interface Money extends ShownLedger {
  readonly charge: ProcessorCharge;
  /** What went back at the processor in all. */
  readonly sumMinor: number;
  /** Everything a person compares. */
  readonly evidence: Record<string, unknown>;
}

function readMoney(books: AlertBooks, charge: ProcessorCharge, ourKeys: readonly string[]): Money {
  const { alert, ledger, disputeId } = books;
  const shown = showLedger(ledger, charge, ourKeys);
  const sumMinor = sumOf(shown.moved);
  const [own] = ownFor(books);
  return {
    ...shown,
    charge,
    sumMinor,
    evidence: {
      charge_reference: charge.reference,
      charge_status: charge.status,
      charge_in_cents: charge.amountMinor,
      currency: charge.currency,
      refunded_at_processor_in_cents: sumMinor,
      processor_refunds: shown.moved.map(({ reference }) => reference),
      dispute_id: disputeId,
      returned_for_dispute_in_cents:
        disputeId === null ? null : coverOf(shown.ledger, disputeId, true),
      refund_id: own?.id ?? null,
      refund_state: own?.state ?? null,
      amount_in_cents: own?.amountMinor ?? null,
      movements: ledger.movements.map(({ id }) => id),
      alert_amount_in_cents: alert.amountMinor,
      alert_currency: alert.currency,
      alert_status: alert.status,
      alert_refund_outcome: alert.refundOutcome,
    },
  };
}

/** The service was told, or our rows say, that money went back, and the processor shows less. */
function missingMoney(books: AlertBooks, money: Money): Difference[] {
  const kind = missingKind(books, money);
  return kind === undefined ? [] : [aboutAlert(books, kind, money)];
}

function missingKind(books: AlertBooks, { shownOf, ...money }: Money): ComparisonKind | undefined {
  const confirmed = ownFor(books).filter(
    ({ state, kind }) => state === 'CONFIRMED' && kind === 'refund',
  );
  const shown = confirmed.map((movement) => ({ movement, refunds: shownOf(movement) }));
  const gone = shown.filter(({ refunds }) => !refunds.some(hasMoved));
  if (gone.some(({ refunds }) => refunds.length > 0)) return 'refund_failed_at_processor';
  if (isRefundDeclared(books)) {
    const isMoved = shown.some(({ refunds }) => refunds.some(hasMoved));
    const kind = declaredKind(books, money);
    if (kind === 'declared_without_money' && isMoved) return 'refund_amount_differs';
    if (kind !== undefined) return kind;
  } else if (gone.length > 0) {
    return 'refund_not_at_processor';
  }
  const isOther = shown.some(({ movement, refunds }) =>
    refunds
      .filter(hasMoved)
      .some(
        (each) => each.amountMinor !== movement.amountMinor || each.currency !== movement.currency,
      ),
  );
  return isOther ? 'refund_amount_differs' : undefined;
}

/** What was declared, against what has gone back for it. */
function declaredKind(
  books: AlertBooks,
  { ledger, charge, sumMinor }: Pick<Money, 'ledger' | 'charge' | 'sumMinor'>,
): ComparisonKind | undefined {
  const { alert, disputeId, movementId } = books;
  // A released authorisation charges nothing, and a refund of ours that was reversed has a finding of its own.
  const isReversed = ownFor(books).some(
    ({ id, state }) => id === movementId && state === 'REVERSED',
  );
  if (charge.status === 'voided' || isReversed) return undefined;
  if (isCovered(ledger, claimOf(books), true)) return undefined;
  const returnedMinor =
    disputeId === null ? unplacedMinor(ledger) : coverOf(ledger, disputeId, true);
  if (returnedMinor === 0) return 'declared_without_money';
  const isElsewhere = alert.amountMinor === null && sumMinor > 0;
  const isEnough = alert.amountMinor !== null && returnedMinor >= alert.amountMinor;
  if (isElsewhere || (disputeId === null && isEnough && alert.currency === charge.currency)) {
    return undefined;
  }
  return 'refund_amount_differs';
}

/** The processor shows more money gone back than our rows account for. */
function surplusMoney(books: AlertBooks, money: Money): Difference[] {
  const { alert } = books;
  const { charge, ledger, sumMinor, unbooked, repeated } = money;
  const found: Difference[] = [];
  if (unbooked.length > 0) found.push(aboutCharge(books, 'refund_not_booked', money));
  const isRdrPaid = alert.enrolmentType === 'NETB_RDR' && alert.refundOutcome === 'REFUNDED';
  // With our own refund on top it is `double_money`, which our rows tell by themselves.
  if (isRdrPaid && alert.status !== 'INVALID' && isPaidByOthers(books, money)) {
    found.push(aboutAlert(books, 'rdr_and_refund_elsewhere', money));
  }
  // By the charge's own rows alone, so that every alert on the charge gives the same answer. What our
  // rows know of is told by them.
  const atProcessor = {
    ...ledger,
    movements: ledger.movements.filter(({ kind }) => kind !== 'network'),
  };
  const isPlaced = ledger.disputes.length > 0;
  const isTwice = repeated.length > 0 || (isPlaced && isNewTo(books, atProcessor));
  const isAbove = sumMinor > charge.amountMinor && paidTooOften(books.ledger) === undefined;
  if (isTwice || isAbove) {
    found.push(aboutCharge(books, 'refunded_twice', money));
  }
  return found;
}

function isNewTo({ ledger }: AlertBooks, shown: Ledger): boolean {
  return paidTooOften(shown) !== undefined && paidTooOften(ledger) === undefined;
}

/** Whether somebody refunded at the processor what the network refunded too. */
function isPaidByOthers({ alertId }: AlertBooks, { ledger }: Money): boolean {
  const paid = ledger.movements.filter((each) => mayHaveExecuted(each) && each.amountMinor > 0);
  const byNetwork = paid.filter(({ kind }) => kind === 'network');
  const byOthers = paid.filter(({ kind }) => kind === 'external');
  const isBooked = byNetwork.some((each) => each.alertId === alertId);
  const isTooMuch = [...byNetwork, ...byOthers].some((each) => surplusMinor(each) > 0);
  return byOthers.length > 0 && (isTooMuch || !isBooked);
}

/** States in which a person, or more knowledge, is waited for. */
const WAITING: ReadonlySet<CaseState> = new Set(['HUMAN', 'UNMATCHED', 'AMBIGUOUS']);

/** The money is back, yet the alert waits for an answer that is not about to be given. */
function unansweredMoney(books: AlertBooks, money: Money): Difference[] {
  const { alert, caseState, disputeId } = books;
  const { ledger, charge } = money;
  if (!WAITING.has(caseState) || alert.status !== 'ACTION_REQUIRED') return [];
  const isEnough =
    disputeId === null &&
    alert.amountMinor !== null &&
    alert.currency === charge.currency &&
    unplacedMinor(ledger) >= alert.amountMinor;
  // With a confirmed refund of ours it is `refund_not_declared`.
  const isOwn = ownFor(books).some(({ state }) => state === 'CONFIRMED');
  return (isEnough || isCovered(ledger, claimOf(books), true)) && !isOwn
    ? [aboutAlert(books, 'refunded_but_open', money)]
    : [];
}

/** The bank takes what went back already: only the merchant can answer that, with the refunds as proof. */
function disputedMoney(books: AlertBooks, money: Money): Difference[] {
  const isPaid = isRefundDeclared(books) && proofOfRefund(money.ledger).length > 0;
  return money.charge.disputed && isPaid ? [aboutCharge(books, DISPUTED_AFTER_REFUND, money)] : [];
}

function absentCharge(books: AlertBooks): Difference[] {
  const { alert, alertId, ledger } = books;
  const [own] = ownFor(books);
  const byNetwork = {
    ...ledger,
    movements: ledger.movements.filter(({ kind }) => kind === 'network'),
  };
  const isByNetwork =
    isCovered(byNetwork, claimOf(books), true) ||
    (books.disputeId === null && unplacedMinor(byNetwork) > 0);
  const isMoney = ownFor(books).some(({ state }) => state === 'CONFIRMED');
  if (!isMoney && (!isRefundDeclared(books) || isByNetwork)) return [];
  const evidence = {
    charge_reference: books.chargeReference,
    refund_id: own?.id ?? null,
    amount_in_cents: own?.amountMinor ?? null,
    currency: own?.currency ?? alert.currency,
    alert_refund_outcome: alert.refundOutcome,
  };
  return [{ kind: 'charge_unknown', subject: 'case', subjectId: alertId, alertId, evidence }];
}

function aboutAlert({ alertId }: AlertBooks, kind: ComparisonKind, money: Money): Difference {
  return { kind, subject: 'case', subjectId: alertId, alertId, evidence: money.evidence };
}

function aboutCharge(books: AlertBooks, kind: ComparisonKind, money: Money): Difference {
  const { alertId, chargeReference } = books;
  return { kind, subject: 'charge', subjectId: chargeReference, alertId, evidence: money.evidence };
}
