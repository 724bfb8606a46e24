/**
 * What the other stages may read of an order.
 */
import type { Db } from '../base/db/database.ts';
import type { OrderStatus } from '../service/wire/order.ts';
import type { OrderRow } from './order.store.ts';
import { readOrder, readOrders } from './order.store.ts';
import type {
  DeliveryPart,
  ItemPart,
  OrderBody,
  RefundPart,
  TransactionPart,
} from './order-body.ts';
import type { OrderState } from './order-state.ts';

/** An order as the decide stage and the console see it. */
export interface KnownOrder {
  readonly referenceId: string;
  readonly integrationId: string;
  /** Where it is in the feed. */
  readonly state: OrderState;
  /** The service's id, once it is there. */
  readonly orderId: string | null;
  /** ISO 8601, as submitted; null on a PARTIAL order without one. */
  readonly orderDatetime: string | null;
  readonly orderNumber: string | null;
  readonly orderStatus: OrderStatus | null;
  readonly totalMinor: number | null;
  readonly currency: string | null;
  readonly items: readonly ItemPart[];
  readonly deliveries: readonly DeliveryPart[];
  readonly transactions: readonly TransactionPart[];
  readonly refunds: readonly RefundPart[];
  readonly customerEmail: string | null;
  readonly customerAccountId: string | null;
  /** Everything, with nested references as sent. */
  readonly body: OrderBody;
}

/** The order with this reference; of several integrations' the latest, unless one is named. */
export async function findOrder(
  db: Db,
  organisationId: string,
  order: string | { readonly referenceId: string; readonly integrationId?: string | undefined },
): Promise<KnownOrder | undefined> {
  const wanted = typeof order === 'string' ? { referenceId: order } : order;
  const row = await readOrder(db, organisationId, wanted);
  return row === undefined ? undefined : knownOrderOf(row);
}

/** The orders with these references, by reference; of several integrations' the latest. */
export async function findOrders(
  db: Db,
  organisationId: string,
  references: readonly string[],
): Promise<ReadonlyMap<string, KnownOrder>> {
  const rows = await readOrders(db, organisationId, references);
  return new Map(rows.map((row) => [row.reference_id, knownOrderOf(row)]));
}

function knownOrderOf(row: OrderRow): KnownOrder {
  const { body } = row;
  return {
    referenceId: row.reference_id,
    integrationId: row.integration_id,
    state: row.state,
    orderId: row.order_id,
    orderDatetime: body.order_datetime ?? null,
    orderNumber: body.order_number ?? null,
    orderStatus: body.order_status ?? null,
    totalMinor: body.order_total_amount_in_cents ?? null,
    currency: body.order_currency ?? null,
    items: body.items ?? [],
    deliveries: body.deliveries ?? [],
    transactions: body.transactions ?? [],
    refunds: body.refunds ?? [],
    customerEmail: body.customer_email ?? null,
    customerAccountId: body.customer_account_id ?? null,
    body,
  };
}
