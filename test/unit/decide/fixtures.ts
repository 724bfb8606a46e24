/** Facts of a plain alert that may be refunded in full, to be bent by each test. */
import type {
  AccountInputs,
  AlertInputs,
  ChargeInputs,
  DecisionFacts,
  FoundChargeInputs,
  OwnRefundInputs,
} from '../../../src/alerts/decide/facts.ts';
import type { ChargeHistory, CustomerFacts } from '../../../src/alerts/decide/history-facts.ts';
import type { OrderFacts } from '../../../src/alerts/decide/order-facts.ts';
import type { Standing } from '../../../src/alerts/ledger/verdict.ts';

export const NOW = '2026-03-11T12:00:00.000Z';
/** 40 hours after {@link NOW}. */
export const DEADLINE = '2026-03-13T04:00:00.000Z';

export function alertInputs(over: Partial<AlertInputs> = {}): AlertInputs {
  return {
    id: 'netalrt_1',
    status: 'ACTION_REQUIRED',
    enrolmentType: 'NETA_ALERT',
    refundOutcome: null,
    amountMinor: 2990,
    currency: 'USD',
    descriptor: 'SHOP*ORDER 17',
    scheme: 'SCHEME_A',
    issuer: 'First Bank',
    reasonCode: '10.4',
    merchantId: 'mrch_1',
    cardBin: '411111',
    authorisedAt: '2026-03-01T12:00:00.000Z',
    createdAt: '2026-03-11T04:00:00.000Z',
    ...over,
  };
}

export function foundCharge(over: Partial<FoundChargeInputs> = {}): ChargeInputs {
  return {
    kind: 'found',
    reference: 'ch_1',
    status: 'captured',
    amountMinor: 2990,
    currency: 'USD',
    refundableMinor: 2990,
    disputed: false,
    refundedMinor: 0,
    pendingMinor: 0,
    refundReference: null,
    ...over,
  };
}

export function ownRefund(over: Partial<OwnRefundInputs> = {}): OwnRefundInputs {
  return {
    id: 'rf_1',
    state: 'CONFIRMED',
    amountMinor: 2990,
    externalMinor: 0,
    isVoid: false,
    currency: 'USD',
    ...over,
  };
}

/** What the ledger says of an alert for which nothing moved. */
export function account(over: Partial<AccountInputs> = {}): AccountInputs {
  return {
    disputeId: 'dsp_1',
    dispute: 'first',
    unclearBecause: null,
    isCovered: false,
    coveredMinor: 0,
    outMinor: 0,
    chargeOutMinor: 0,
    underWay: null,
    isAccepted: false,
    isReversed: false,
    refusal: null,
    refundedBy: null,
    reference: null,
    ...over,
  };
}

/** What the outcome table looks at, of an alert about all of a charge on which nothing moved. */
export function standing(over: Partial<Standing> = {}): Standing {
  return {
    ...{ amountMinor: 2990, currency: 'USD', disputeId: 'dsp_1', disputeMinor: 2990 },
    ...{ isCovered: false, coveredBy: null, underWay: null, isInFlight: false },
    ...{ outMinor: 0, pendingMinor: 0, missingMinor: 2990, capturedMinor: 2990, roomMinor: 2990 },
    ...{ isOlderUnnamed: false, isForeign: false, isUnclear: false, isAccepted: false },
    ...{ isRefundAhead: false, isReversed: false, isRefusedForGood: false },
    ...{ networkInDoubtMs: null, acceptanceInDoubtMs: null, objection: null },
    ...{ isThroughAnother: false, made: null },
    ...over,
  };
}

export function orderFacts(over: Partial<OrderFacts> = {}): OrderFacts {
  return {
    reference: 'order-1',
    status: 'CLOSED_COMPLETE',
    placedAt: '2026-03-01T11:00:00.000Z',
    delivery: 'physical',
    dispatched: true,
    delivered: false,
    subscription: false,
    ...over,
  };
}

export function customerFacts(over: Partial<CustomerFacts> = {}): CustomerFacts {
  return {
    accountId: 'C-77',
    // printf anna@example.com | sha256sum
    emailHash: 'f7d54c22dda5b1780276601cd005909b70543fc4a6ba72d735b4cb9bbb611f01',
    emailDomain: 'example.com',
    orders: 2,
    firstOrderAt: '2025-03-11T12:00:00.000Z',
    refunds: 1,
    alerts: 3,
    fraudNotices: 0,
    blocked: null,
    ...over,
  };
}

export function chargeHistory(over: Partial<ChargeHistory> = {}): ChargeHistory {
  return {
    alerts: 1,
    twin: true,
    rdr: false,
    fraudNotice: true,
    disputeNotice: false,
    represented: false,
    ...over,
  };
}

/** What {@link facts} may be given: parts of the alert, the rest as it is. */
export interface FactsOver extends Partial<Omit<DecisionFacts, 'alert'>> {
  readonly alert?: Partial<AlertInputs>;
}

export function facts({ alert, ...over }: FactsOver = {}): DecisionFacts {
  return {
    now: NOW,
    deadlineAt: DEADLINE,
    mode: 'live',
    integrationType: 'CUSTOM_ORDERS',
    refundGuardMs: 15 * 60_000,
    alert: alertInputs(alert),
    match: { outcome: 'single', tier: 'arn' },
    charge: foundCharge(),
    ownRefund: null,
    order: orderFacts(),
    ...over,
  };
}
