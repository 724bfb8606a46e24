/**
 * The sandbox's processor: charges, refunds with idempotency keys, voids, cancellations. Its books
 * are the truth that tests compare with.
 */
import type { FailureClass } from '../../service/wire/processor.ts';
import type { SandboxContext } from '../sandbox-context.ts';
import { isoIn, nowIso, scheduleIn } from '../sandbox-context.ts';
import type { ChargeRecord, RefundRecord } from '../state/charges.ts';
import { openDisputeOf } from './dispute-life.ts';
import type { NewCharge } from './new-charge.ts';
import { tellOfRefund } from './tell-events.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

export function createCharge(context: SandboxContext, fields: NewCharge): ChargeRecord {
  const charge: ChargeRecord = {
    reference: fields.reference ?? context.ids.nextWith('ch_', 20),
    status: fields.status ?? 'captured',
    amount_in_cents: fields.amount_in_cents ?? 1000,
    currency: fields.currency ?? 'USD',
    disputed: fields.disputed ?? false,
    authorised_at: fields.authorised_at ?? isoIn(context, -DAY_MS),
    card: {
      brand: fields.card_brand ?? null,
      bin: fields.card_bin ?? null,
      last4: fields.card_last4 ?? null,
    },
    acquirer_reference_number: fields.acquirer_reference_number ?? null,
    authorisation_code: fields.authorisation_code ?? null,
    order_reference: fields.order_reference ?? null,
    subscription_reference: fields.subscription_reference ?? null,
    refunds: [],
  };
  context.state.charges.set(charge.reference, charge);
  if (charge.disputed) openDisputeOf(context, charge);
  return charge;
}

/** What refunds have moved or are about to move: failed ones do not count, pending ones do. */
export function movedBy(refunds: readonly RefundRecord[]): number {
  return refunds
    .filter((refund) => refund.status !== 'failed')
    .reduce((sum, refund) => sum + refund.amount_in_cents, 0);
}

/** What is left to refund. What the issuer has taken cannot go back a second time. */
export function refundableOf(charge: ChargeRecord, refunds: readonly RefundRecord[]): number {
  if (charge.status !== 'captured') return 0;
  const { amount_in_cents: captured, chargeback_in_cents: taken = 0 } = charge;
  return Math.max(0, captured - taken - movedBy(refunds));
}

export interface RefundOrder {
  readonly charge: ChargeRecord;
  readonly amountMinor: number;
  readonly currency: string;
  /** Null for a refund made by hand. */
  readonly idempotencyKey: string | null;
  /** Pending until {@link settleRefund} ends it, however long that takes. @default false */
  readonly staysPending?: boolean | undefined;
}

/** Executes a refund. One that is refused is booked as `failed` and moves nothing. */
export function executeRefund(context: SandboxContext, order: RefundOrder): RefundRecord {
  const failure = refuseRefund(context, order);
  const staysPending = order.staysPending === true;
  const pending = failure === null && (context.processor.async_refunds || staysPending);
  const refund: RefundRecord = {
    reference: context.ids.nextWith('re_', 20),
    idempotency_key: order.idempotencyKey,
    charge_reference: order.charge.reference,
    status: statusOf(failure, pending),
    failure_code: failure?.code ?? null,
    failure_class: failure?.failureClass ?? null,
    amount_in_cents: order.amountMinor,
    currency: order.currency,
    created_at: nowIso(context),
  };
  order.charge.refunds.push(refund);
  // What somebody did by hand is news; the one who sent a key has the answer.
  if (order.idempotencyKey === null) tellOfRefund(context, order.charge, refund);
  if (pending && !staysPending) {
    scheduleIn(context, context.settings.timing.refundSettlementMs, {
      kind: 'settle_refund',
      subject: refund.reference,
    });
  }
  return refund;
}

function statusOf(failure: RefundFailure | null, pending: boolean): RefundRecord['status'] {
  if (failure !== null) return 'failed';
  return pending ? 'pending' : 'succeeded';
}

interface RefundFailure {
  readonly code: string;
  readonly failureClass: FailureClass;
}

function refuseRefund(context: SandboxContext, order: RefundOrder): RefundFailure | null {
  const { charge, amountMinor } = order;
  if (charge.status !== 'captured') return { code: 'charge_not_captured', failureClass: 'final' };
  if (order.currency !== charge.currency)
    return { code: 'currency_mismatch', failureClass: 'ours' };
  const left = refundableOf(charge, charge.refunds);
  if (amountMinor <= left || !context.processor.refuses_over_refund) return null;
  const wasTaken = amountMinor <= left + (charge.chargeback_in_cents ?? 0);
  if (wasTaken) return { code: 'charge_disputed', failureClass: 'final' };
  const isDone = amountMinor <= charge.amount_in_cents;
  return { code: 'amount_exceeds_refundable', failureClass: isDone ? 'done' : 'ours' };
}

/** Ends a pending refund, or turns a finished one around. */
export function settleRefund(
  context: SandboxContext,
  reference: string,
  result: {
    readonly status: RefundRecord['status'];
    readonly failureCode?: string | null | undefined;
    readonly failureClass?: FailureClass | null | undefined;
  },
): RefundRecord | undefined {
  const { charge, refund } = findRefund(context, reference);
  if (charge === undefined || refund === undefined) return undefined;
  refund.status = result.status;
  refund.failure_code = result.failureCode ?? null;
  refund.failure_class = result.failureClass ?? null;
  tellOfRefund(context, charge, refund);
  return refund;
}

/** A pending refund succeeds once its time has come. */
export function settleWhenDue(context: SandboxContext, reference: string): void {
  const { refund } = findRefund(context, reference);
  if (refund?.status === 'pending') settleRefund(context, reference, { status: 'succeeded' });
}

function findRefund(
  context: SandboxContext,
  reference: string,
): { readonly charge?: ChargeRecord; readonly refund?: RefundRecord } {
  for (const charge of context.state.charges.values()) {
    const refund = charge.refunds.find((candidate) => candidate.reference === reference);
    if (refund !== undefined) return { charge, refund };
  }
  return {};
}

/** Refunds that a reader can see already, given the lag of look-ups. */
export function visibleRefunds(
  context: SandboxContext,
  charge: ChargeRecord,
): readonly RefundRecord[] {
  const sinceMs = context.clock.nowMs() - context.processor.lookup_lag_seconds * 1000;
  return charge.refunds.filter((refund) => Date.parse(refund.created_at) <= sinceMs);
}

/** A charge as the contract shows it: what was captured, not what was authorised or taken back. */
export function showCharge(context: SandboxContext, charge: ChargeRecord): Record<string, unknown> {
  const refunds = visibleRefunds(context, charge);
  const { authorised_in_cents: _authorised, chargeback_in_cents: _taken, ...shown } = charge;
  return { ...shown, refundable_in_cents: refundableOf(charge, refunds), refunds };
}

/** Money out of one charge: how often, and how much in all. The oracle of tests. */
export function moneyOut(charge: ChargeRecord): {
  readonly count: number;
  readonly sumMinor: number;
} {
  const moved = charge.refunds.filter((refund) => refund.status !== 'failed');
  return {
    count: moved.length,
    sumMinor: moved.reduce((sum, refund) => sum + refund.amount_in_cents, 0),
  };
}
