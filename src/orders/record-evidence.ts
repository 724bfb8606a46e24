/** Keeps the evidence index in step with orders: call it in the transaction that stores them. */
import type { Trx } from '../base/db/database.ts';
import { storePayments } from './evidence.store.ts';
import { evidenceKeyOf } from './evidence-key.store.ts';
import type { PaymentElements } from './payment-elements.ts';
import { paymentsOfOrder } from './payment-elements.ts';

/**
 * Days for which elements are kept: a payment 120 days old is compared with payments up to 365 days older
 * than it, and the network's question is answered within 45 days.
 */
export const EVIDENCE_DAYS = 530;

const MS_PER_DAY = 86_400_000;

/** Orders as the merchant submitted them. */
export interface EvidenceNews {
  readonly organisationId: string;
  readonly orders: readonly unknown[];
  readonly now: Date;
}

/** Records the payments of orders; those that would be deleted again at once are left out. */
export async function recordEvidence(
  trx: Trx,
  { organisationId, orders, now }: EvidenceNews,
): Promise<void> {
  const first = oldestKept(now).toISOString().slice(0, 10);
  const byReference = new Map<string, PaymentElements>();
  for (const payment of orders.flatMap(paymentsOfOrder)) {
    if (payment.day >= first) byReference.set(payment.reference, payment);
  }
  if (byReference.size === 0) return;
  // Sorted: two intakes that store the same payments must not lock each other out.
  const payments = [...byReference.values()].sort((a, b) => (a.reference < b.reference ? -1 : 1));
  await storePayments(trx, await evidenceKeyOf(trx, organisationId, now), payments);
}

/** Payments before this moment are deleted. */
export function oldestKept(now: Date): Date {
  return new Date(now.getTime() - EVIDENCE_DAYS * MS_PER_DAY);
}
