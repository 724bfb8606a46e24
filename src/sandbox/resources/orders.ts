/**
 * Endpoints of orders. Section Endpoints, Orders.
 */
import { ORDER_STATUSES, ORDER_TYPES } from '../../service/wire/order.ts';
import { reaches, reachOrganisation, reachResource } from '../access.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import { ok, param } from '../http/route.ts';
import type { SortRule } from '../listing.ts';
import { page, readChoice, sorted } from '../listing.ts';
import type { OrderRecord } from '../state/orders.ts';
import { createOrders, showOrder } from './order-create.ts';
import { updateOrder } from './order-update.ts';

export const orderRoutes: readonly Route[] = [
  { method: 'POST', path: '/v1/orders/', ability: 'orders:write', handle: createOrders },
  { method: 'GET', path: '/v1/orders/', ability: 'orders:read', handle: listOrders },
  { method: 'GET', path: '/v1/orders/{order_id}', ability: 'orders:read', handle: getOrder },
  { method: 'PATCH', path: '/v1/orders/{order_id}', ability: 'orders:update', handle: updateOrder },
];

const SORT: SortRule<OrderRecord> = {
  allowed: ['-created_at', 'created_at'],
  valueOf: (order) => order.created_at,
};

function listOrders(call: Call): Answer {
  const { world, key, query } = call;
  const type = readChoice(query, 'type', ORDER_TYPES);
  const status = readChoice(query, 'order_status', ORDER_STATUSES);
  const organisationId = query['organisation_id'];
  if (organisationId !== undefined) reachOrganisation(world, key, organisationId);
  const wanted = (value: string | undefined, given: string | undefined): boolean =>
    value === undefined || value === given;
  const found = [...world.state.orders.values()].filter(
    (order) =>
      wanted(query['reference_id'], order.reference_id) &&
      reaches(world, key, order.organisation_id) &&
      wanted(organisationId, order.organisation_id) &&
      wanted(query['integration_id'], order.integration_id) &&
      wanted(type, order.fields.type) &&
      wanted(status, order.fields.order_status),
  );
  const { items, count } = page(sorted(found, query, SORT), query);
  return ok({ items: items.map(showOrder), count });
}

function getOrder(call: Call): Answer {
  const order = call.world.state.orders.get(param(call, 'order_id'));
  return ok(showOrder(reachResource(call, order, 'The order')));
}
