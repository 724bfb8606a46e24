/**
 * Books what the network refunded by itself (RDR): the charge is reserved against any refund of ours,
 * and the case ends. No call is made, ever (I4).
 */
import type { Selectable, Transaction } from 'kysely';
import type { AlertTable } from '../apply/entity.table.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { moveCase } from '../cases/case.store.ts';
import type { Database } from '../db/database.ts';
import { findCharge } from '../match/charge.store.ts';
import { notify } from '../notify/notification.store.ts';
import type { ChargeKey, RefundRow } from './refund.store.ts';
import { insertRefund, lockCharge, lockRefundOfCharge, markNetworkRefund } from './refund.store.ts';
import { bookExternal } from './settle-refund.ts';

/** What is known about the network's refund. */
export interface RdrRefund {
  readonly alert: Pick<
    Selectable<AlertTable>,
    'id' | 'status' | 'refund_outcome' | 'amount_minor' | 'currency'
  >;
  /** Null when no single charge was found: there is nothing to book it on. */
  readonly chargeReference: string | null;
  readonly now: Date;
}

/** Books the network's refund and ends the case as `RECONCILED_RDR`, in the caller's transaction. */
export async function reconcileRdr(
  trx: Transaction<Database>,
  claim: CaseRow,
  rdr: RdrRefund,
): Promise<CaseRow> {
  const { alert, chargeReference, now } = rdr;
  const booked = chargeReference === null ? 'no charge found' : await book(trx, claim, rdr);
  return await moveCase(trx, claim, {
    to: 'RECONCILED_RDR',
    now,
    what: 'refunded by the network',
    detail: { status: alert.status, outcome: alert.refund_outcome, booked },
    set: { charge_reference: chargeReference },
  });
}

async function book(trx: Transaction<Database>, claim: CaseRow, rdr: RdrRefund): Promise<string> {
  const charge: ChargeKey = {
    organisationId: claim.organisation_id,
    chargeReference: rdr.chargeReference ?? '',
  };
  await lockCharge(trx, charge);
  const known = await findCharge(trx, charge.organisationId, charge.chargeReference);
  const currency = known?.currency ?? rdr.alert.currency;
  const capturedMinor = known?.amountMinor ?? rdr.alert.amount_minor ?? 0;
  const settledMinor = Math.min(capturedMinor, networkMinor(rdr.alert, currency));
  const external = { reference: rdr.alert.id, settledMinor, capturedMinor, now: rdr.now };
  const refund = await lockRefundOfCharge(trx, charge);
  if (refund === undefined) {
    if (currency === null) return 'no currency known';
    await insertRefund(trx, {
      state: 'EXTERNAL',
      kind: 'refund',
      charge,
      alert_id: rdr.alert.id,
      network_alert_id: rdr.alert.id,
      external_reference: external.reference,
      amount_minor: 0,
      currency,
      captured_minor: capturedMinor,
      external_minor: settledMinor,
      next_action_at: null,
      now: rdr.now,
    });
    return 'external refund booked';
  }
  await markNetworkRefund(trx, refund, rdr.alert.id);
  if (refund.state === 'INTENT' || refund.state === 'REJECTED') {
    await bookExternal(trx, refund, external);
    return refund.state === 'INTENT' ? 'our refund cancelled' : 'external refund booked';
  }
  if (refund.state === 'EXTERNAL') return 'refunded by somebody else before';
  await pageDoublePayment(trx, refund, rdr);
  return `our refund is ${refund.state}`;
}

/** What the network moved. Anything but a plain refund in the charge's currency counts as nothing. */
function networkMinor(alert: RdrRefund['alert'], currency: string | null): number {
  const isRefunded = alert.status === 'RESOLVED' && alert.refund_outcome === 'REFUNDED';
  return isRefunded && alert.currency === currency ? Math.max(0, alert.amount_minor ?? 0) : 0;
}

/**
 * Ours may have moved too. The other alert's case goes on to its declaration, which is true, and whose
 * absence would cost a dispute as well; the person decides about the money.
 */
async function pageDoublePayment(
  trx: Transaction<Database>,
  refund: RefundRow,
  { alert, now }: RdrRefund,
): Promise<void> {
  await notify(trx, {
    organisationId: refund.organisation_id,
    dedupeKey: `double_payment:${refund.id}:${alert.id}`,
    kind: 'double_payment',
    severity: 'error',
    alertId: alert.id,
    text: `The network refunded charge ${refund.charge_reference} (RDR alert ${alert.id}), and our refund ${refund.id} for alert ${refund.alert_id} is ${refund.state}: the customer may be paid twice. Check the charge at the processor and with the acquirer.`,
    at: now,
  });
}
