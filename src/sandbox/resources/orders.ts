/** Endpoints of orders. Section Endpoints, Orders. */
import { orderFilter } from '../../service/wire/list.ts';
import { reachResource } from '../access.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import { ok, param } from '../http/route.ts';
import type { ListRule } from '../listing.ts';
import { list } from '../listing.ts';
import type { OrderRecord } from '../state/orders.ts';
import { createOrders, showOrder } from './order-create.ts';
import { updateOrder } from './order-update.ts';

export const orderRoutes: readonly Route[] = [
  { method: 'POST', path: '/v1/orders/', ability: 'orders:write', handle: createOrders },
  { method: 'GET', path: '/v1/orders/', ability: 'orders:read', handle: listOrders },
  { method: 'GET', path: '/v1/orders/{order_id}', ability: 'orders:read', handle: getOrder },
  { method: 'PATCH', path: '/v1/orders/{order_id}', ability: 'orders:update', handle: updateOrder },
];

const LIST: ListRule<OrderRecord> = {
  filter: orderFilter,
  matches: {
    type: (order, type) => order.fields.type === type,
    order_status: (order, status) => order.fields.order_status === status,
  },
};

function listOrders(call: Call): Answer {
  const { items, count } = list(call, call.context.state.orders.values(), LIST);
  return ok({ items: items.map(showOrder), count });
}

function getOrder(call: Call): Answer {
  const order = call.context.state.orders.get(param(call, 'order_id'));
  return ok(showOrder(reachResource(call, order, 'The order')));
}
