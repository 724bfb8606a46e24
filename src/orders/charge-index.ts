/**
 * The charges of new orders, in the index that alerts are matched against.
 */
import type { Trx } from '../base/db/database.ts';
import { forgetCharges, recordCharges } from './charge.store.ts';
import type { ChargeRecord } from './charge-record.ts';
import { chargesOfOrder } from './charge-record.ts';
import type { OrderRow } from './order.store.ts';

/** Charges recorded by one statement, each with 18 parameters of the 65,535 that there are. */
const CHARGES_MAX = 1_000;

/**
 * Hears of charges that are new or now say more, in the transaction that stores them: an alert may wait
 * for one of them.
 */
export type ChargesKnown = (
  trx: Trx,
  organisationId: string,
  news: { readonly charges: readonly ChargeRecord[]; readonly now: Date },
) => Promise<unknown>;

/** Orders as the merchant submitted them. */
export interface ChargeNews {
  readonly organisationId: string;
  readonly orders: readonly unknown[];
  readonly onCharges: ChargesKnown;
  readonly now: Date;
}

/** Indexes the charges of orders, in the transaction that stores the orders. */
export async function indexCharges(
  trx: Trx,
  { organisationId, orders, onCharges, now }: ChargeNews,
): Promise<void> {
  const records = orders.flatMap(chargesOfOrder);
  // Sorted as a whole: two intakes that store the same charges must not lock each other out.
  records.sort((a, b) => Number(a.reference > b.reference) - Number(a.reference < b.reference));
  for (let start = 0; start < records.length; start += CHARGES_MAX) {
    const some = records.slice(start, start + CHARGES_MAX);
    const charges = await recordCharges(trx, organisationId, { charges: some, now });
    if (charges.length > 0) await onCharges(trx, organisationId, { charges, now });
  }
}

/** Takes out of the index the charges that an order no longer names, once it was handed in corrected. */
export async function forgetCorrected(
  trx: Trx,
  before: OrderRow,
  corrected: unknown,
): Promise<void> {
  const named = new Set(chargesOfOrder(corrected).map(({ reference }) => reference));
  const references = chargesOfOrder(before.submitted)
    .map(({ reference }) => reference)
    .filter((reference) => !named.has(reference));
  if (references.length === 0) return;
  await forgetCharges(trx, before.organisation_id, {
    integrationId: before.integration_id,
    orderReference: before.reference_id,
    references,
  });
}
