/**
 * What the refund saga and the reconciler know reaches the feed by itself: a refund we made or found,
 * a dispute we heard of.
 *
 * Called in the transaction that confirms the refund: either both are durable or neither. The part is
 * marked as the saga's, which the updater sends before everything else, well within a minute. When
 * the merchant's own system reports the same money under another name, it is recognised, no matter which
 * comes first.
 */
import type { Trx } from '../base/db/database.ts';
import type { ChangeResult } from './change-order.ts';
import { changeOrder } from './change-order.ts';
import { findCharge } from './charge.store.ts';
import type { OrderKey } from './nested-reference.store.ts';
import { findReferences } from './nested-reference.store.ts';
import type { OrderRow } from './order.store.ts';
import { keyOfRow, lockOrderOfTransaction, readOrder } from './order.store.ts';
import type { ReferenceKind } from './order.table.ts';
import type { OrderChange } from './order-body.ts';

/** A refund as the processor knows it. */
export interface FeedRefund {
  /** The processor's reference of the refund. */
  readonly reference: string;
  readonly amountMinor: number;
  readonly currency: string;
  /** @default 'SUCCEEDED' */
  readonly status?: string;
  /** ISO 8601 UTC. */
  readonly refundedAt: string;
}

/** A dispute as the service or the processor knows it. */
export interface FeedDispute {
  readonly reference: string;
  readonly amountMinor: number;
  readonly currency: string;
  /** @default '1ST_CHARGEBACK' */
  readonly stage?: string;
  /** @default 'OPEN' */
  readonly status?: string;
  /** @default 'CHARGEBACK' */
  readonly type?: string;
  readonly networkReasonCode?: string;
  readonly cardBrand?: string;
}

/** Which charge, and when this was learnt. */
export interface ChargeReport {
  readonly organisationId: string;
  readonly chargeReference: string;
  readonly now: Date;
}

/** `no_order`: the charge belongs to no order we know, so there is nothing to update. */
export type FeedReportResult = ChangeResult | { readonly kind: 'no_order' };

/** Records a refund of a charge on its order. The same report again changes nothing. */
export async function recordRefundInFeed(
  trx: Trx,
  report: ChargeReport & { readonly refund: FeedRefund },
): Promise<FeedReportResult> {
  const { refund, chargeReference } = report;
  return await changeOrderOfCharge(trx, report, {
    refunds: [
      {
        reference_id: refund.reference,
        amount_in_cents: refund.amountMinor,
        currency: refund.currency,
        status: refund.status ?? 'SUCCEEDED',
        original_transaction_reference_id: chargeReference,
        refund_datetime: refund.refundedAt,
      },
    ],
  });
}

/** Records a dispute of a charge on its order. The same report again changes nothing. */
export async function recordDisputeInFeed(
  trx: Trx,
  report: ChargeReport & { readonly dispute: FeedDispute },
): Promise<FeedReportResult> {
  const { dispute } = report;
  return await changeOrderOfCharge(trx, report, {
    disputes: [
      {
        reference_id: dispute.reference,
        amount_in_cents: dispute.amountMinor,
        currency: dispute.currency,
        stage: dispute.stage ?? '1ST_CHARGEBACK',
        status: dispute.status ?? 'OPEN',
        type: dispute.type ?? 'CHARGEBACK',
        ...(dispute.networkReasonCode === undefined
          ? {}
          : { network_reason_code: dispute.networkReasonCode }),
        ...(dispute.cardBrand === undefined ? {} : { card_brand: dispute.cardBrand }),
      },
    ],
  });
}

/**
 * The refunds and disputes of an order that the saga has reported, under its own names: to be told again
 * once another submission has taken the place of the order. Undefined where there are none.
 */
export async function toldBySaga(trx: Trx, row: OrderRow): Promise<OrderChange | undefined> {
  const names = new Map<string, string>();
  for (const entry of await findReferences(trx, keyOfRow(row))) {
    const name = entry.source === 'saga' ? entry.given : entry.alias;
    if (name !== null) names.set(`${entry.kind} ${entry.reference}`, name);
  }
  const ofSaga = <Entry extends { reference_id: string }>(
    kind: ReferenceKind,
    entries: readonly Entry[] = [],
  ): Entry[] =>
    entries.flatMap((entry) => {
      const name = names.get(`${kind} ${entry.reference_id}`);
      return name === undefined ? [] : { ...entry, reference_id: name };
    });
  const refunds = ofSaga('refund', row.body.refunds);
  const disputes = ofSaga('dispute', row.body.disputes);
  if (refunds.length + disputes.length === 0) return undefined;
  return {
    ...(refunds.length === 0 ? {} : { refunds }),
    ...(disputes.length === 0 ? {} : { disputes }),
  };
}

async function changeOrderOfCharge(
  trx: Trx,
  report: ChargeReport,
  change: OrderChange,
): Promise<FeedReportResult> {
  const { organisationId, chargeReference, now } = report;
  const locked = await lockOrderOfTransaction(trx, organisationId, chargeReference);
  const order =
    locked === undefined
      ? await findOrderByIndex(trx, organisationId, chargeReference)
      : keyOfRow(locked.row);
  if (order === undefined) return { kind: 'no_order' };
  return await changeOrder(trx, { order, locked, change, source: 'saga', now });
}

async function findOrderByIndex(
  trx: Trx,
  organisationId: string,
  chargeReference: string,
): Promise<OrderKey | undefined> {
  const charge = await findCharge(trx, organisationId, chargeReference);
  const reference = charge?.orderReference;
  if (reference === undefined || reference === null) return undefined;
  const row = await readOrder(trx, organisationId, {
    referenceId: reference,
    integrationId: charge?.integrationId ?? undefined,
  });
  if (row === undefined) return undefined;
  return { organisationId, integrationId: row.integration_id, referenceId: row.reference_id };
}
