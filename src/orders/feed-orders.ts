/**
 * The feed's way to the service: the client's order operations, with writers that let unknown fields
 * pass. The interface's list of order fields is open, and what a merchant adds must arrive.
 */
import type { z } from 'zod';
import type { Endpoint } from '../service/client/call.ts';
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
 * Creates the feed's order operations from the options of the service's client. Give it the same budget
 * as every other client of the organisation.
 *
 * @throws {ConfigError} when an option is missing or unusable
 */
export function createFeedOrders(options: ServiceClientOptions): FeedOrders {
  const sender = createSender(readOptions(options));
  // What is unlisted was reported when the order was taken in.
  const opened = (endpoint: Endpoint, writer: z.ZodType): Endpoint =>
    endpoint.writer === undefined ? endpoint : { ...endpoint, writer, warnsOfUnlisted: false };
  const open: Sender = {
    ...sender,
    raw: (endpoint, input) => sender.raw(opened(endpoint, openCreateSchema), input),
    one: (endpoint, input, schema) => sender.one(opened(endpoint, openUpdateSchema), input, schema),
  };
  return createOrders(open);
}
