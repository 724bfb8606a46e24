/**
 * Binds intake to the index that alerts are matched against.
 */
import type { Transaction } from 'kysely';
import type { Database } from '../db/database.ts';
import { recordCharges } from '../match/charge.store.ts';
import { chargesOfOrder } from '../match/order-charges.ts';
import { rematchWaiting } from '../match/waiting.store.ts';

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
  if (records.length === 0) return;
  const charges = await recordCharges(trx, organisationId, { charges: records, now });
  if (charges.length > 0) await rematchWaiting(trx, organisationId, { charges, now });
};
