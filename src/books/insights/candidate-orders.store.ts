/** The orders behind the charges that an alert could mean: what a person tells them apart by. */
import type { Kysely } from 'kysely';
import type { Database } from '../../base/db/database.ts';
import type { KnownOrder } from '../../orders/find-order.ts';
import { findOrder } from '../../orders/find-order.ts';

/** Orders read at most: nobody compares more. */
const ORDERS_MAX = 8;

/** By reference; those that we do not hold are left out. */
export async function readCandidateOrders(
  db: Kysely<Database>,
  organisationId: string,
  references: readonly (string | null)[],
): Promise<ReadonlyMap<string, KnownOrder>> {
  const wanted = [...new Set(references.filter((reference) => reference !== null))];
  const orders = await Promise.all(
    wanted.slice(0, ORDERS_MAX).map((reference) => findOrder(db, organisationId, reference)),
  );
  return new Map(
    orders.flatMap((order) => (order === undefined ? [] : [[order.referenceId, order]])),
  );
}
