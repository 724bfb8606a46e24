/**
 * The order feed as the embedding program sees it: hand orders in, change them, ask where they are.
 * Everything is stored when a promise resolves; sending is the worker's.
 */

import { dataKeysOf } from '../../base/db/carried-keys.ts';
import { schemaOf } from '../../base/db/schemas.ts';
import type { Middleware } from '../../base/http/middleware.ts';
import { middlewareOf } from '../../base/http/middleware.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { ConfigError } from '../../base/kernel/errors.ts';
import type { ChangeResult } from '../../orders/change-order.ts';
import type { FeedStatus } from '../../orders/feed-status.store.ts';
import { readFeedStatus } from '../../orders/feed-status.store.ts';
import { findOrder } from '../../orders/find-order.ts';
import type { ForeignTransaction } from '../../orders/foreign-query.ts';
import type { OrdersWithin } from '../../orders/foreign-transaction.ts';
import { ordersWithin } from '../../orders/foreign-transaction.ts';
import { acceptOrders } from '../../orders/intake.ts';
import type { IntakeResult } from '../../orders/intake-result.ts';
import type { OrderBody } from '../../orders/order-body.ts';
import { acceptChange } from '../../orders/order-changes.ts';
import { createOrderRoutes } from '../../orders/order-routes.ts';
import type { ProgrammePolicy } from '../../orders/programme.ts';
import type { OrderChangeInput, OrderInput } from '../../service/wire/order-input.ts';
import { intakeDeps } from '../roles/intake.ts';
import type { OrganisationParts } from '../roles/parts.ts';

/** The orders of one organisation. */
export interface ForestallOrders {
  /** Takes orders in, in the interface's own form. Results are in the order of `orders`. */
  accept(orders: readonly OrderInput[]): Promise<readonly IntakeResult[]>;
  /** Changes an order that was taken in before, whether or not it was sent already. */
  change(referenceId: string, change: OrderChangeInput): Promise<ChangeResult>;
  /**
   * Both inside a transaction of yours: the order is in the feed exactly when it is in your shop. It must be one of
   * the same database. Your search path is as it was when the call resolves.
   *
   * @example
   * await shop.transaction().execute(async (trx) => {
   *   await trx.insertInto('shop_order').values(row).execute();
   *   await forestall.orders.within(trx).accept([order]);
   * });
   * @param transaction a transaction of Kysely, a connected client of `pg` that has begun one, or a function
   *   `(text, values) => rows` that asks one statement inside of it, for any other library
   */
  within(transaction: ForeignTransaction): OrdersWithin;
  /** The order as it was last handed in, or undefined. */
  find(referenceId: string): Promise<OrderBody | undefined>;
  /** How many orders are where, and what waits for a person. */
  status(): Promise<FeedStatus>;
  /**
   * `POST /`, `PATCH /{reference_id}`, `GET /{reference_id}`, for Express 4 and 5. Mount it behind a login of yours, before
   * any body parser.
   */
  readonly routes: Middleware;
}

const ONE_ORDER = 'orders.accept takes a list. Pass one order as [order].';

export function createOrders(
  parts: OrganisationParts,
  programmes: ProgrammePolicy,
): ForestallOrders {
  const { clock, organisationId, endpoints } = parts;
  const { db } = parts.database;
  const { integrationId } = endpoints;
  const deps = intakeDeps({ db, clock, organisationId, integrationId, programmes });
  return {
    accept: async (orders): Promise<readonly IntakeResult[]> => {
      // One order without its list would be taken for an empty one, and never reach the service.
      if (!Array.isArray(orders)) throw new ConfigError(ONE_ORDER);
      return await acceptOrders(deps, orders);
    },
    change: (referenceId, change) => acceptChange(deps, { referenceId, integrationId, change }),
    within: (transaction) =>
      ordersWithin(transaction, { ...deps, dataKeys: dataKeysOf(db), schema: schemaOf(db) }),
    find: async (referenceId) => (await findOrder(db, organisationId, referenceId))?.body,
    status: () => readFeedStatus(db, organisationId, nowDate(clock)),
    routes: middlewareOf(createOrderRoutes(deps)),
  };
}
