/**
 * The feed's way to the service: the client's order operations, with writers that let unknown fields
 * pass. The interface's list of order fields is open, and what a merchant adds must arrive.
 */
import type { ServiceClientOptions } from '../service/client/options.ts';
import { readOptions } from '../service/client/options.ts';
import type { OrdersResource } from '../service/client/resources/orders.ts';
import { createOrders } from '../service/client/resources/orders.ts';
import type { Sender } from '../service/client/sender.ts';
import { createSender } from '../service/client/sender.ts';
import { openCreateSchema, openUpdateSchema } from './order-body.ts';

/** What the sender and the updater call. */
export type FeedOrders = OrdersResource;

/**
 * Makes the feed's order operations from the options of the service's client. Give it the same budget
 * as every other client of the organisation.
 *
 * @throws {ConfigError} when an option is missing or unusable
 */
export function createFeedOrders(options: ServiceClientOptions): FeedOrders {
  const sender = createSender(readOptions(options));
  const open: Sender = {
    ...sender,
    raw: (endpoint, input) =>
      sender.raw(
        endpoint.writer === undefined ? endpoint : { ...endpoint, writer: openCreateSchema },
        input,
      ),
    one: (endpoint, input, schema) =>
      sender.one(
        endpoint.writer === undefined ? endpoint : { ...endpoint, writer: openUpdateSchema },
        input,
        schema,
      ),
  };
  return createOrders(open);
}
