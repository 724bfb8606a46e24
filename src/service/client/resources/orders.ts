/** Orders: create up to 100 at once, update one, find one by its reference. */
import type { Order, OrderCreateResult } from '../../wire/order.ts';
import { orderCreateResultSchema, orderSchema } from '../../wire/order.ts';
import type { OrderInput } from '../../wire/order-request.ts';
import { orderCreateSchema } from '../../wire/order-request.ts';
import type { OrderUpdate } from '../../wire/order-update.ts';
import { orderUpdateSchema } from '../../wire/order-update.ts';
import type { Endpoint, Query } from '../call.ts';
import { refusalFromJson, unreadable } from '../classify.ts';
import type { CallOptions } from '../options.ts';
import type { Sender, SentCall } from '../sender.ts';

/** Options of {@link OrdersResource.findByReferenceId}. */
export interface FindOrderOptions extends CallOptions {
  /** References are unique per integration only. Orders of others are passed over. */
  readonly integrationId?: string | undefined;
}

/** Operations on orders. */
export interface OrdersResource {
  /**
   * Creates 1 to 100 orders. What became of each is in the result, whether all, some or none
   * were created: a refused order is data, not an exception.
   *
   * Sent once. A repeat after an `unknown` outcome answers `DUPLICATE_ORDER` for what had arrived.
   */
  create(orders: readonly OrderInput[], options?: CallOptions): Promise<OrderCreateResult>;
  /**
   * Updates one order, all or nothing. Of an entry only `reference_id` and what changes is needed;
   * fields that the specification does not list are sent with an `UNLISTED_FIELD` warning. A missing order is `NOT_FOUND`, with the service's `detail`.
   */
  update(orderId: string, body: OrderUpdate, options?: CallOptions): Promise<Order>;
  /** The order with exactly this reference, or `undefined` when the service surely has none. */
  findByReferenceId(referenceId: string, options?: FindOrderOptions): Promise<Order | undefined>;
}

const CREATE: Endpoint = {
  method: 'POST',
  template: '/v1/orders/',
  key: 'organisation',
  writer: orderCreateSchema,
  alsoAnswers: [400],
};
const UPDATE: Endpoint = {
  method: 'PATCH',
  template: '/v1/orders/{order_id}',
  key: 'organisation',
  ids: ['order'],
  writer: orderUpdateSchema,
  warnsOfUnlisted: true,
};
const FIND: Endpoint = { method: 'GET', template: '/v1/orders/', key: 'organisation' };

export function createOrders(sender: Sender): OrdersResource {
  return {
    create: async (orders, options): Promise<OrderCreateResult> =>
      readResult(await sender.raw(CREATE, { body: orders, options }), orders.length),
    update: (id, body, options) => sender.one(UPDATE, { ids: [id], body, options }, orderSchema),
    findByReferenceId: (referenceId, options) => find(sender, referenceId, options),
  };
}

function readResult({ call, answer }: SentCall, sent: number): OrderCreateResult {
  const { httpStatus } = answer;
  const parsed = orderCreateResultSchema.safeParse(answer.json);
  if (!parsed.success) {
    throw httpStatus === 400
      ? refusalFromJson(call, answer)
      : unreadable(call, 'no order create result', { httpStatus });
  }
  const { created, failed, errors } = parsed.data;
  // An order that is in neither number has an unknown fate, and so has every order with it.
  if (created + failed !== sent || errors.some((error) => error.index >= sent)) {
    throw unreadable(call, 'a result that is not about the orders sent', { httpStatus });
  }
  return parsed.data;
}

/** The answer's shape is not shown, and a server may ignore the filter: both are checked here. */
async function find(
  sender: Sender,
  referenceId: string,
  options: FindOrderOptions = {},
): Promise<Order | undefined> {
  const query: Query = { reference_id: referenceId };
  for await (const order of sender.all(FIND, { query, options }, orderSchema)) {
    if (order.reference_id !== referenceId) continue;
    const { integrationId } = options;
    const other = order.integration_id ?? integrationId;
    if (integrationId === undefined || other === integrationId) return order;
  }
  return undefined;
}
