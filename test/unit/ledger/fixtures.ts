/** A ledger of one captured charge over 50.00 EUR, to be bent by each test. */
import type {
  Dispute,
  DisputedAlert,
  Ledger,
  Movement,
} from '../../../src/alerts/ledger/ledger.ts';
import type { ProcessorCharge, ProcessorRefund } from '../../../src/service/wire/processor.ts';

/** The complaint, and an hour later what somebody did about it. */
export const RAISED_AT_MS = Date.parse('2026-03-02T08:00:00Z');
export const MOVED_AT_MS = RAISED_AT_MS + 3_600_000;

export function ledgerOf(over: Partial<Ledger> = {}): Ledger {
  return {
    chargeReference: 'ch_1',
    status: 'captured',
    amountMinor: 5000,
    currency: 'EUR',
    readAtMs: null,
    isDisputed: null,
    movements: [],
    disputes: [],
    unplaced: [],
    networkInDoubt: null,
    acceptanceInDoubt: null,
    ...over,
  };
}

/** Somebody else's confirmed money, unless bent. */
export function movementOf(over: Partial<Movement> = {}): Movement {
  return {
    id: 'mv_1',
    kind: 'external',
    state: 'CONFIRMED',
    version: 1,
    disputeId: null,
    alertId: null,
    key: null,
    round: 1,
    amountMinor: 5000,
    currency: 'EUR',
    reference: 're_1',
    observedFrom: 'processor',
    failureCode: null,
    failureClass: null,
    wasSent: false,
    processor: null,
    movedAtMs: MOVED_AT_MS,
    covers: [],
    ...over,
  };
}

/** Our own confirmed refund for a dispute. */
export function oursOf(disputeId: string, over: Partial<Movement> = {}): Movement {
  const amountMinor = over.amountMinor ?? 5000;
  return movementOf({
    kind: 'refund',
    key: 'fst_1',
    disputeId,
    alertId: 'netalrt_1',
    observedFrom: null,
    wasSent: true,
    covers: [{ disputeId, amountMinor }],
    ...over,
  });
}

export function alertOf(over: Partial<DisputedAlert> = {}): DisputedAlert {
  return {
    alertId: 'netalrt_1',
    caseState: 'MATCHED',
    enrolmentType: 'NETA_ALERT',
    status: 'ACTION_REQUIRED',
    amountMinor: 5000,
    currency: 'EUR',
    isAccepted: false,
    despiteMinor: 0,
    isRefundDeclared: false,
    isToBeRefunded: false,
    raisedAtMs: RAISED_AT_MS,
    ...over,
  };
}

export function disputeOfId(id: string, over: Partial<Dispute> = {}): Dispute {
  const alerts = [alertOf({ alertId: `netalrt_${id}` })];
  return { id, amountMinor: 5000, currency: 'EUR', alerts, ...over };
}

export function refundOf(over: Partial<ProcessorRefund> = {}): ProcessorRefund {
  return {
    reference: 're_1',
    idempotencyKey: null,
    chargeReference: 'ch_1',
    status: 'succeeded',
    failureCode: null,
    amountMinor: 5000,
    currency: 'EUR',
    createdAt: null,
    ...over,
  };
}

export function chargeOf(over: Partial<ProcessorCharge> = {}): ProcessorCharge {
  return {
    reference: 'ch_1',
    status: 'captured',
    amountMinor: 5000,
    currency: 'EUR',
    refundableMinor: 5000,
    disputed: false,
    authorisedAt: null,
    cardBrand: null,
    cardBin: null,
    cardLast4: null,
    acquirerReferenceNumber: null,
    authorisationCode: null,
    orderReference: null,
    subscriptionReference: null,
    refunds: [],
    ...over,
  };
}
