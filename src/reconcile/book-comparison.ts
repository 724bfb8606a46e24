/**
 * The three-way comparison of one alert: what the service shows, what the processor shows, and what
 * our rows say. Pure.
 *
 * While a refund is under way nothing is concluded: the saga settles it, and it knows more. A charge
 * that could not be read proves nothing either; the caller then leaves every finding as it is.
 */
import type { CaseState } from '../cases/case-state.ts';
import type { ProcessorCharge, ProcessorRefund } from '../refund/processor.ts';
import type { RefundState } from '../refund/refund-state.ts';
import type { Contradiction } from './checks.store.ts';

/** Our rows about one alert, with the alert as the service last showed it. */
export interface AlertBooks {
  readonly alertId: string;
  readonly chargeReference: string;
  readonly caseState: CaseState;
  readonly isOpen: boolean;
  readonly alert: {
    readonly status: string;
    readonly enrolmentType: string | null;
    readonly refundOutcome: string | null;
    readonly amountMinor: number | null;
    readonly currency: string | null;
  };
  /** The charge's refund row, whichever alert asked for it. */
  readonly refund: BookedRefund | undefined;
  /** The answer of ours that the service took. */
  readonly declared: 'REFUND' | 'ACCEPT_DISPUTE' | undefined;
}

/** Our refund row. */
export interface BookedRefund {
  readonly id: string;
  readonly state: RefundState;
  readonly kind: 'refund' | 'void';
  readonly amountMinor: number;
  readonly externalMinor: number;
  readonly currency: string;
  readonly processorReference: string | null;
  /** Set when the network refunded the same payment (RDR): that money never shows at the processor. */
  readonly networkAlertId: string | null;
  readonly confirmedAtMs: number | null;
}

/** What the processor shows, and how to read it. */
export interface ProcessorBooks {
  /** Undefined: the processor knows no such charge. */
  readonly charge: ProcessorCharge | undefined;
  /** Every key we have ever used on the charge. */
  readonly ourKeys: readonly string[];
  /** A refund of ours younger than this need not show yet, in milliseconds. */
  readonly lagMs: number;
  readonly nowMs: number;
}

/** A kind of finding of this comparison. */
export type ComparisonKind =
  | 'declared_without_money'
  | 'refund_not_at_processor'
  | 'refund_failed_at_processor'
  | 'refund_not_booked'
  | 'refunded_twice'
  | 'refund_amount_differs'
  | 'refunded_but_open'
  | 'rdr_and_refund_elsewhere'
  | 'charge_unknown';

/** A difference. */
export interface Difference extends Contradiction {
  readonly kind: ComparisonKind;
}

/** States in which the saga will say by itself what became of the money. */
const UNDER_WAY: ReadonlySet<RefundState> = new Set([
  'INTENT',
  'SENT',
  'UNKNOWN',
  'PENDING',
  'HUMAN',
]);

/** The differences, or `undecided` while they cannot be told from what is under way. */
export function compareBooks(
  books: AlertBooks,
  processor: ProcessorBooks,
): Difference[] | 'undecided' {
  const { refund } = books;
  if (refund !== undefined && UNDER_WAY.has(refund.state)) return 'undecided';
  const confirmedAtMs = refund?.confirmedAtMs ?? null;
  if (confirmedAtMs !== null && processor.nowMs - confirmedAtMs < processor.lagMs) {
    return 'undecided';
  }
  if (processor.charge === undefined) return absentCharge(books);
  const money = readMoney(books, processor.charge, processor.ourKeys);
  return [
    ...missingMoney(books, money),
    ...surplusMoney(books, money),
    ...unansweredMoney(books, money),
  ];
}

interface Money {
  readonly charge: ProcessorCharge;
  /** Refunds that moved money or are about to. */
  readonly moved: readonly ProcessorRefund[];
  readonly ours: readonly ProcessorRefund[];
  readonly oursFailed: boolean;
  /** What went back in all. */
  readonly sumMinor: number;
  /** Everything a person compares. */
  readonly evidence: Record<string, unknown>;
}

function readMoney(
  { refund, alert }: AlertBooks,
  charge: ProcessorCharge,
  ourKeys: readonly string[],
): Money {
  const isOurs = ({ idempotencyKey, reference }: ProcessorRefund): boolean =>
    (idempotencyKey !== null && ourKeys.includes(idempotencyKey)) ||
    (refund?.processorReference ?? null) === reference;
  const moved = charge.refunds.filter(({ status }) => status !== 'failed');
  const sumMinor = moved.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
  return {
    charge,
    moved,
    ours: moved.filter(isOurs),
    oursFailed: charge.refunds.some((each) => each.status === 'failed' && isOurs(each)),
    sumMinor,
    evidence: {
      charge_reference: charge.reference,
      charge_status: charge.status,
      charge_in_cents: charge.amountMinor,
      currency: charge.currency,
      refunded_at_processor_in_cents: sumMinor,
      processor_refunds: moved.map(({ reference }) => reference),
      refund_id: refund?.id ?? null,
      refund_state: refund?.state ?? null,
      amount_in_cents: refund?.amountMinor ?? null,
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

function missingKind(books: AlertBooks, money: Money): ComparisonKind | undefined {
  const { refund } = books;
  const { ours, oursFailed } = money;
  const isConfirmed = refund?.state === 'CONFIRMED' && refund.kind === 'refund';
  if (isConfirmed && ours.length === 0 && oursFailed) return 'refund_failed_at_processor';
  if (isRefundDeclared(books)) {
    const kind = declaredKind(books, money);
    if (kind !== undefined) return kind;
  } else if (isConfirmed && ours.length === 0) {
    return 'refund_not_at_processor';
  }
  const [own] = ours;
  const isOther =
    isConfirmed &&
    own !== undefined &&
    (own.amountMinor !== refund.amountMinor || own.currency !== refund.currency);
  return isOther ? 'refund_amount_differs' : undefined;
}

/** What was declared, against what the processor shows. */
function declaredKind(
  { refund, alert }: AlertBooks,
  { charge, sumMinor }: Money,
): ComparisonKind | undefined {
  // The network's own money never shows here, a reversed refund has a finding of its own, and a
  // released authorisation charges nobody.
  const isElsewhere = refund?.networkAlertId != null || refund?.state === 'REVERSED';
  if (isElsewhere || charge.status === 'voided') return undefined;
  if (sumMinor === 0) return 'declared_without_money';
  // The whole charge is enough, whatever a rate of exchange made of the alert's amount.
  if (sumMinor >= charge.amountMinor) return undefined;
  const isShort =
    alert.currency !== charge.currency ||
    (alert.amountMinor !== null && sumMinor < alert.amountMinor);
  return isShort ? 'refund_amount_differs' : undefined;
}

/** Whether the service shows `REFUNDED` for an alert that is not the network's own refund. */
function isRefundDeclared({ alert, declared }: AlertBooks): boolean {
  if (alert.enrolmentType === 'NETB_RDR' || alert.status === 'INVALID') return false;
  return declared === 'REFUND' || alert.refundOutcome === 'REFUNDED';
}

/** The processor shows more money gone back than our rows account for. */
function surplusMoney(books: AlertBooks, money: Money): Difference[] {
  const { refund, alert } = books;
  const { charge, moved, ours, sumMinor } = money;
  const found: Difference[] = [];
  const isUnbooked = refund === undefined || refund.state === 'REJECTED';
  if (isUnbooked && ours.length > 0) found.push(aboutCharge(books, 'refund_not_booked', money));
  const isRdrPaid = alert.enrolmentType === 'NETB_RDR' && alert.refundOutcome === 'REFUNDED';
  // With our own refund on top it is `double_money`, which our rows tell by themselves.
  if (isRdrPaid && alert.status !== 'INVALID' && moved.length > ours.length) {
    found.push(aboutAlert(books, 'rdr_and_refund_elsewhere', money));
  }
  // By the charge's own row alone, so that every alert on the charge gives the same answer.
  const bookedMinor = (refund?.amountMinor ?? 0) + (refund?.externalMinor ?? 0);
  const isTwice =
    ours.length > 1 || (ours.length > 0 && moved.length > 1 && sumMinor > bookedMinor);
  if (isTwice || sumMinor > charge.amountMinor) {
    found.push(aboutCharge(books, 'refunded_twice', money));
  }
  return found;
}

/** States in which a person, or more knowledge, is waited for. */
const WAITING: ReadonlySet<CaseState> = new Set(['HUMAN', 'UNMATCHED', 'AMBIGUOUS']);

/** The money is back, yet the alert waits for an answer that nobody is about to give. */
function unansweredMoney(books: AlertBooks, money: Money): Difference[] {
  const { alert, refund, caseState } = books;
  const isWaiting = WAITING.has(caseState) && alert.status === 'ACTION_REQUIRED';
  const isCovered =
    alert.amountMinor !== null &&
    alert.currency === money.charge.currency &&
    money.sumMinor >= alert.amountMinor;
  // With a confirmed refund of ours it is `refund_not_declared`.
  return isWaiting && isCovered && refund?.state !== 'CONFIRMED'
    ? [aboutAlert(books, 'refunded_but_open', money)]
    : [];
}

function absentCharge(books: AlertBooks): Difference[] {
  const { refund, alert } = books;
  const isMoney = refund?.state === 'CONFIRMED' || isRefundDeclared(books);
  if (!isMoney || refund?.networkAlertId != null) return [];
  const evidence = {
    charge_reference: books.chargeReference,
    refund_id: refund?.id ?? null,
    amount_in_cents: refund?.amountMinor ?? null,
    currency: refund?.currency ?? alert.currency,
    alert_refund_outcome: alert.refundOutcome,
  };
  const { alertId } = books;
  return [{ kind: 'charge_unknown', subject: 'case', subjectId: alertId, alertId, evidence }];
}

function aboutAlert({ alertId }: AlertBooks, kind: ComparisonKind, money: Money): Difference {
  return { kind, subject: 'case', subjectId: alertId, alertId, evidence: money.evidence };
}

function aboutCharge(books: AlertBooks, kind: ComparisonKind, money: Money): Difference {
  const { alertId, chargeReference } = books;
  return { kind, subject: 'charge', subjectId: chargeReference, alertId, evidence: money.evidence };
}
