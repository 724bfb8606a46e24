/**
 * Takes Forestall's deliveries for a shop: verifies each, and marks the order. An endpoint of Forestall's (guides/endpoints.md)
 * with `types` of `SHOP_EVENTS` points here.
 *
 * Inside a program that embeds Forestall there is no HTTP: `forestall.on(SHOP_EVENTS, handler, { name: 'shop' })`.
 */
import type { IncomingMessage, RequestListener } from 'node:http';
import type { ForestallEvent } from 'forestall/events';
import { verify } from 'forestall/events';
import type { OrderMark } from './order-mark.ts';
import { markOf } from './order-mark.ts';

export interface ShopEndpoint {
  /** `whsec_…`; several while one is replaced. */
  readonly secret: string | readonly string[];
  /** Marks the order in the shop. What it throws makes Forestall send the event again. */
  readonly mark: (mark: OrderMark) => Promise<void>;
}

/** Far above any event, in bytes. */
const BODY_BYTES_MAX = 256 * 1024;

export interface ShopDelivery {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** As it came. */
  readonly body: string | Uint8Array;
}

/** Deals with one delivery. Returns the HTTP status to answer. */
export async function takeDelivery(
  delivery: ShopDelivery,
  { secret, mark }: ShopEndpoint,
): Promise<number> {
  if (!verify({ ...delivery, secret }).ok) return 401;
  // Signed by Forestall: it is one of its events.
  const event: ForestallEvent = JSON.parse(Buffer.from(delivery.body).toString('utf8'));
  const found = markOf(event);
  if (found !== undefined) await mark(found);
  return 204;
}

/** The same as a server of `node:http`; it takes any path. */
export function createShopListener(endpoint: ShopEndpoint): RequestListener {
  return (request, response) => {
    const answer = async (): Promise<void> => {
      const body = await readBody(request);
      const status =
        body === undefined ? 413 : await takeDelivery({ headers: request.headers, body }, endpoint);
      response.writeHead(status).end();
    };
    answer().catch((error: unknown) => {
      console.error('The order was not marked; Forestall sends the event again.', error);
      response.writeHead(503).end();
    });
  };
}

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    if (!Buffer.isBuffer(part)) continue;
    size += part.length;
    if (size > BODY_BYTES_MAX) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}
