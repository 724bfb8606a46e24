/**
 * The sandbox's processor: charges, refunds with idempotency keys, voids, cancellations. Its books
 * are the truth that tests compare with.
 */
import type { ChargeRecord, RefundRecord } from '../state/charges.ts';
import type { World } from '../world.ts';
import { isoIn, nowIso, scheduleIn } from '../world.ts';
import type { NewCharge } from './new-charge.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Books a charge. */
export function createCharge(world: World, fields: NewCharge): ChargeRecord {
  const charge: ChargeRecord = {
    reference: fields.reference ?? world.ids.nextWith('ch_', 20),
    status: fields.status ?? 'captured',
    amount_in_cents: fields.amount_in_cents ?? 1000,
    currency: fields.currency ?? 'USD',
    disputed: fields.disputed ?? false,
    authorised_at: fields.authorised_at ?? isoIn(world, -DAY_MS),
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
  world.state.charges.set(charge.reference, charge);
  return charge;
}

/** What is left to refund: failed refunds do not count, pending ones do. */
export function refundableOf(charge: ChargeRecord, refunds: readonly RefundRecord[]): number {
  if (charge.status !== 'captured') return 0;
  return refunds
    .filter((refund) => refund.status !== 'failed')
    .reduce((left, refund) => left - refund.amount_in_cents, charge.amount_in_cents);
}

/** An order to refund. */
export interface RefundOrder {
  readonly charge: ChargeRecord;
  readonly amountMinor: number;
  readonly currency: string;
  /** Null for a refund made by hand. */
  readonly idempotencyKey: string | null;
}

/** Executes a refund. One that is refused is booked as `failed` and moves nothing. */
export function executeRefund(world: World, order: RefundOrder): RefundRecord {
  const failureCode = refuseRefund(world, order);
  const pending = failureCode === null && world.processor.async_refunds;
  const refund: RefundRecord = {
    reference: world.ids.nextWith('re_', 20),
    idempotency_key: order.idempotencyKey,
    charge_reference: order.charge.reference,
    status: statusOf(failureCode, pending),
    failure_code: failureCode,
    amount_in_cents: order.amountMinor,
    currency: order.currency,
    created_at: nowIso(world),
  };
  order.charge.refunds.push(refund);
  if (pending) {
    scheduleIn(world, world.settings.timing.refundSettlementMs, {
      kind: 'settle_refund',
      subject: refund.reference,
    });
  }
  return refund;
}

function statusOf(failureCode: string | null, pending: boolean): RefundRecord['status'] {
  if (failureCode !== null) return 'failed';
  return pending ? 'pending' : 'succeeded';
}

function refuseRefund(world: World, order: RefundOrder): string | null {
  const { charge } = order;
  if (charge.status !== 'captured') return 'charge_not_captured';
  if (order.currency !== charge.currency) return 'currency_mismatch';
  const left = refundableOf(charge, charge.refunds);
  const over = order.amountMinor > left;
  return over && world.processor.refuses_over_refund ? 'amount_exceeds_refundable' : null;
}

/** Ends a pending refund, or turns a finished one around. */
export function settleRefund(
  world: World,
  reference: string,
  result: { readonly status: RefundRecord['status']; readonly failureCode?: string | null },
): RefundRecord | undefined {
  const refund = findRefund(world, reference);
  if (refund === undefined) return undefined;
  refund.status = result.status;
  refund.failure_code = result.failureCode ?? null;
  return refund;
}

/** A pending refund succeeds once its time has come. */
export function settleWhenDue(world: World, reference: string): void {
  const refund = findRefund(world, reference);
  if (refund?.status === 'pending') settleRefund(world, reference, { status: 'succeeded' });
}

function findRefund(world: World, reference: string): RefundRecord | undefined {
  for (const charge of world.state.charges.values()) {
    const refund = charge.refunds.find((candidate) => candidate.reference === reference);
    if (refund !== undefined) return refund;
  }
  return undefined;
}

/** Refunds that a reader can see already, given the lag of look-ups. */
export function visibleRefunds(world: World, charge: ChargeRecord): readonly RefundRecord[] {
  const sinceMs = world.clock.nowMs() - world.processor.lookup_lag_seconds * 1000;
  return charge.refunds.filter((refund) => Date.parse(refund.created_at) <= sinceMs);
}

/** A charge as the contract shows it. */
export function showCharge(world: World, charge: ChargeRecord): Record<string, unknown> {
  const refunds = visibleRefunds(world, charge);
  return { ...charge, refundable_in_cents: refundableOf(charge, refunds), refunds };
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
