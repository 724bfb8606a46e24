/**
 * Whether a refund that a person asks for would be made now, as far as the ledger knows: the outcome table itself, on the
 * charge as the processor last showed it. What it would not make is neither offered nor accepted. Pure.
 */
import type { ProcessorCharge } from '../../service/wire/processor.ts';
import { CAUTIOUS_CAPABILITIES } from '../../service/wire/processor.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { isClaimId } from '../cases/claim.ts';
import type { HoldReason } from '../cases/hold-reason.ts';
import { DEFAULT_REFUND_SETTINGS } from '../guard/refund-settings.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { claimOfAlert, isCovered, roomMinor } from '../ledger/ledger.ts';
import type { ChargeVerdict } from '../refund/assess-charge.ts';
import { assessCharge } from '../refund/assess-charge.ts';
import type { OperatorRefusal } from './operator-decision.ts';

/** Whether enough time is left before the deadline to send money and tell the service. A claim of our own is only late after its day. */
export function isTimeToRefund(
  { alert_id: alertId, deadline_at: deadlineAt }: Pick<CaseRow, 'alert_id' | 'deadline_at'>,
  now: Date,
): boolean {
  const guardMs = deadlineAt.getTime() - DEFAULT_REFUND_SETTINGS.guardMs;
  return isClaimId(alertId) || now.getTime() < guardMs;
}

/** What a person asks for. */
export interface AskedRefund {
  readonly alertId: string;
  /** Null: what is missing. */
  readonly amountMinor: number | null;
  readonly isTimeLeft: boolean;
}

/** Why it would not be made now; undefined: it would, or nobody knows before the processor is asked. */
export function whyNoRefundNow(ledger: Ledger, asked: AskedRefund): OperatorRefusal | undefined {
  // The money has gone back: nothing is sent, and REFUND is the truth.
  if (isCovered(ledger, claimOfAlert(ledger, asked.alertId), false)) return undefined;
  if (!asked.isTimeLeft) return 'too_little_time';
  const verdict = verdictOn(ledger, asked);
  if (verdict?.kind === 'accept') return 'disputed';
  return verdict?.kind === 'review' ? REFUSED[verdict.reason] : undefined;
}

/** Whether a refund of any amount would be made. */
export function mayRefundSome(ledger: Ledger, asked: Omit<AskedRefund, 'amountMinor'>): boolean {
  const why = whyNoRefundNow(ledger, { ...asked, amountMinor: null });
  return why === undefined || (why === 'remainder_too_small' && roomMinor(ledger) > 0);
}

/** What else the next step finds, or a person was told of already, is left to it: it holds the alert, and the policy's fallback is back. */
const REFUSED: Readonly<Partial<Record<HoldReason, OperatorRefusal>>> = {
  disputed: 'disputed',
  declined: 'nothing_to_refund',
  // Neither captured nor authorised.
  processor_cannot_be_asked: 'nothing_to_refund',
  amount_differs: 'whole_authorisation',
  remainder_too_small: 'remainder_too_small',
};

function verdictOn(
  ledger: Ledger,
  { alertId, amountMinor }: AskedRefund,
): ChargeVerdict | undefined {
  const charge = shownCharge(ledger);
  if (charge === undefined) return undefined;
  return assessCharge({
    // A person who decides is told of the doubt, and has looked.
    ledger: { ...ledger, networkInDoubt: null },
    claim: claimOfAlert(ledger, alertId),
    decision: { amountMinor, currency: charge.currency, byOperator: true },
    charge,
    isOffered: true,
    capabilities: CAUTIOUS_CAPABILITIES,
    rules: DEFAULT_REFUND_SETTINGS.rules,
  });
}

/** The charge as the processor last showed it; undefined: it never did. */
function shownCharge(ledger: Ledger): ProcessorCharge | undefined {
  const { chargeReference: reference, status, amountMinor, currency } = ledger;
  if (status === null || amountMinor === null || currency === null) return undefined;
  return {
    reference,
    status,
    amountMinor,
    currency,
    refundableMinor: roomMinor(ledger),
    disputed: ledger.isDisputed ?? false,
    authorisedAt: null,
    cardBrand: null,
    cardBin: null,
    cardLast4: null,
    acquirerReferenceNumber: null,
    authorisationCode: null,
    orderReference: null,
    subscriptionReference: null,
    refunds: [],
  };
}
