/**
 * What a person may decide about money now, as far as the ledger knows: the one table (`ledger/verdict.ts`) on the charge as the
 * processor last showed it. What it would not carry out is neither offered nor taken (A5). Pure.
 */
import type { CaseRow } from '../cases/case.store.ts';
import { isClaimId } from '../cases/claim.ts';
import type { HoldReason } from '../cases/hold-reason.ts';
import { DEFAULT_REFUND_SETTINGS } from '../guard/refund-settings.ts';
import type { AcceptObjection } from '../ledger/accept-objection.ts';
import { isToldSum } from '../ledger/accept-objection.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { claimOfAlert } from '../ledger/ledger.ts';
import type { Intent, Standing, Verdict } from '../ledger/verdict.ts';
import { shownLast, standingOf, verdictOn } from '../ledger/verdict.ts';
import type { OperatorRefusal } from './operator-decision.ts';

/** Whether enough time is left before the deadline to send money and tell the service. A claim of our own is only late after its day. */
export function isTimeToRefund(
  { alert_id: alertId, deadline_at: deadlineAt }: Pick<CaseRow, 'alert_id' | 'deadline_at'>,
  now: Date,
): boolean {
  const guardMs = deadlineAt.getTime() - DEFAULT_REFUND_SETTINGS.guardMs;
  return isClaimId(alertId) || now.getTime() < guardMs;
}

/** An alert on its charge's ledger. */
export interface OnLedger {
  readonly ledger: Ledger;
  readonly alertId: string;
  readonly isTimeLeft: boolean;
}

/** What the ledger says of the alert. A person says of the same part, reported twice, which complaint it is. */
export function standingFor({ ledger, alertId }: Pick<OnLedger, 'ledger' | 'alertId'>): Standing {
  const claim = claimOfAlert(ledger, alertId);
  return standingOf(ledger, claim, { pendingCounts: false, samePart: 'REVIEW' });
}

function forPerson(on: OnLedger, intent: Intent): Verdict {
  return verdictOn(standingFor(on), intent, {
    // Where it was never shown, the next step asks.
    charge: shownLast(on.ledger) ?? { kind: 'absent' },
    refusesOverRefund: false,
    isTimeLeft: on.isTimeLeft,
  });
}

/** Why a refund would not be made now; undefined: it would, or it is not known before the processor is asked. */
export function whyNoRefund(on: OnLedger, amountMinor: number | null): OperatorRefusal | undefined {
  const allowed = forPerson(on, {
    ...{ action: 'REFUND', by: 'person', amountMinor },
    // Who decides now is told of every doubt that is known.
    decidedAtMs: Number.POSITIVE_INFINITY,
  });
  switch (allowed.kind) {
    case 'under_way':
      return 'refund_under_way';
    case 'accept':
      return 'disputed';
    case 'hold': {
      // A charge that is only named now is placed by the next step, which asks again.
      const isToBePlaced = allowed.reason === 'dispute_unclear' && !standingFor(on).isUnclear;
      return isToBePlaced ? undefined : REFUSED[allowed.reason];
    }
    default:
      return undefined;
  }
}

/** What else the next step finds, or a person was told of already, is left to it: it holds the alert, and the policy's fallback is back. */
const REFUSED: Readonly<Partial<Record<HoldReason, OperatorRefusal>>> = {
  dispute_unclear: 'dispute_unclear',
  another_alert_accepted: 'dispute_accepted',
  disputed: 'disputed',
  declined: 'nothing_to_refund',
  // Neither captured nor authorised.
  processor_cannot_be_asked: 'nothing_to_refund',
  amount_differs: 'whole_authorisation',
  remainder_too_small: 'remainder_too_small',
  too_late: 'too_little_time',
};

/** Whether a refund of any amount would be made. */
export function mayRefundSome(on: OnLedger): boolean {
  const why = whyNoRefund(on, null);
  return why === undefined || (why === 'remainder_too_small' && standingFor(on).roomMinor > 0);
}

/** What accepting would come to: said; told a sum first; or refused. */
export type AcceptAnswer =
  | { readonly kind: 'accept'; readonly despite: AcceptObjection | null }
  /** A part went back: accepted by a person who is told this sum, which may be paid twice. */
  | { readonly kind: 'tell'; readonly objection: AcceptObjection }
  | {
      readonly kind: 'refuse';
      readonly reason: 'money_went_back' | 'refund_under_way';
      readonly objection?: AcceptObjection;
    };

/** What a person who was told `despiteMinor` may accept. */
export function answerToAccept(
  { ledger, alertId }: Pick<OnLedger, 'ledger' | 'alertId'>,
  despiteMinor = 0,
): AcceptAnswer {
  const on = { ledger, alertId, isTimeLeft: true };
  const allowed = forPerson(on, { action: 'ACCEPT_DISPUTE', by: 'person', despiteMinor });
  if (allowed.kind === 'accept') return allowed;
  if (allowed.kind === 'covered') return { kind: 'refuse', reason: 'money_went_back' };
  const objection = allowed.kind === 'hold' ? allowed.objection : undefined;
  if (objection === undefined) return { kind: 'refuse', reason: 'refund_under_way' };
  return isToldSum(objection)
    ? { kind: 'tell', objection }
    : { kind: 'refuse', reason: 'refund_under_way', objection };
}
