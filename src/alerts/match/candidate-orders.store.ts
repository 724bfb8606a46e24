/** The orders behind the charges that an alert could mean: what a person tells them apart by. */
import type { Db } from '../../base/db/database.ts';
import type { KnownOrder } from '../../orders/find-order.ts';
import { findOrders } from '../../orders/find-order.ts';

/** Orders read at most: a person does not compare more. */
const ORDERS_MAX = 8;

/** By reference; those that we do not hold are left out. */
export async function readCandidateOrders(
  db: Db,
  organisationId: string,
  references: readonly (string | null)[],
): Promise<ReadonlyMap<string, KnownOrder>> {
  const wanted = [...new Set(references.filter((reference) => reference !== null))];
  return await findOrders(db, organisationId, wanted.slice(0, ORDERS_MAX));
}
