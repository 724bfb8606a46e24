/**
 * Binds intake to the index that alerts are matched against.
 */
import type { Transaction } from 'kysely';
import { recordCharges } from '../alerts/match/charge.store.ts';
import { chargesOfOrder } from '../alerts/match/order-charges.ts';
import { rematchWaiting } from '../alerts/match/waiting.store.ts';
import type { Database } from '../base/db/database.ts';

/** Charges recorded by one statement, each with 17 parameters of the 65,535 that there are. */
const CHARGES_MAX = 1_000;

/** What intake hands over: orders as the merchant submitted them. */
export interface ChargeNews {
  readonly organisationId: string;
  readonly orders: readonly unknown[];
  readonly now: Date;
}

/** Indexes the charges of orders, in the transaction that stores them. */
export type IndexCharges = (trx: Transaction<Database>, news: ChargeNews) => Promise<void>;

/** Indexes into `charge`, and wakes the alerts that waited for one of these charges. */
export const indexCharges: IndexCharges = async (trx, { organisationId, orders, now }) => {
  const records = orders.flatMap(chargesOfOrder);
  // Sorted as a whole: two intakes that store the same charges must not lock each other out.
  records.sort((a, b) => Number(a.reference > b.reference) - Number(a.reference < b.reference));
  for (let start = 0; start < records.length; start += CHARGES_MAX) {
    const some = records.slice(start, start + CHARGES_MAX);
    const charges = await recordCharges(trx, organisationId, { charges: some, now });
    if (charges.length > 0) await rematchWaiting(trx, organisationId, { charges, now });
  }
};
