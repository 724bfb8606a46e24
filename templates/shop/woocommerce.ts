/**
 * Marks a WooCommerce order: a meta field for each refund and dispute, one with the words for the whole order, a private note, and
 * where you name one a status.
 *
 * The order is the one that `orderFromWooCommerce` named. No money moves. WooCommerce itself records a refund without a gateway
 * when an order is set to `refunded`: leave `statuses` empty where your gateway's plugin records refunds.
 * https://woocommerce.github.io/woocommerce-rest-api-docs/#update-an-order
 */
import type { JsonObject } from 'forestall/adapter';
import { callProvider, fromDecimal, objectsAt, textAt } from 'forestall/adapter';
import type { OrderMark, OrderState } from './order-mark.ts';
import { createTurns, isNews, markText, noteWith, readMarks, wordsWith } from './order-mark.ts';

export interface WooCommerceAccess {
  /** `https://shop.example` */
  readonly url: string;
  /** Of a key that may read and write. */
  readonly consumerKey: string;
  readonly consumerSecret: string;
  /** Status of an order whose whole sum went back, or whose dispute ended so, for example `{ refunded: 'refunded' }`. @default none */
  readonly statuses?: Partial<Readonly<Record<OrderState, string>>>;
}

const META = '_forestall_';
const WORDS = `${META}words`;

/** States that only hold for the whole order where the whole sum went back. */
const MONEY: ReadonlySet<OrderState> = new Set(['refunded', 'refunded_by_network']);

type Ask = (method: 'GET' | 'POST', path: string, body?: JsonObject) => Promise<JsonObject | null>;

/** Makes the function that marks orders. It throws where the shop did not take the mark. */
export function createWooCommerceMarker(
  access: WooCommerceAccess,
): (mark: OrderMark) => Promise<void> {
  const ask = createAsk(access);
  const inTurn = createTurns();
  return async (mark) => {
    const [, id] = /^woo-(\d+)$/.exec(mark.orderReference ?? '') ?? [];
    // Of another shop, or no order is known.
    if (id === undefined) return;
    await inTurn(id, async () => await markOrder(ask, id, mark, access.statuses ?? {}));
  };
}

async function markOrder(
  ask: Ask,
  id: string,
  mark: OrderMark,
  statuses: NonNullable<WooCommerceAccess['statuses']>,
): Promise<void> {
  const order = await ask('GET', `/orders/${id}`);
  // It was deleted.
  if (order === null) return;
  const kept = readMarks(
    objectsAt(order, 'meta_data')
      .filter((meta) => textAt(meta, 'key')?.startsWith(META) === true)
      .map((meta) => [(textAt(meta, 'key') ?? '').slice(META.length), textAt(meta, 'value')]),
  );
  const known = kept.get(mark.subject)?.position ?? 0;
  if (known > mark.position) return;
  if (isNews(kept, mark)) {
    const status = statusFor(order, mark, statuses);
    await ask('POST', `/orders/${id}`, {
      ...(status === undefined ? {} : { status }),
      meta_data: [
        { key: META + mark.subject, value: markText(mark) },
        { key: WORDS, value: wordsWith(kept, mark).join(', ') },
      ],
    });
  }
  await note(ask, id, { ...mark, note: noteWith(kept, mark) });
}

function statusFor(
  order: JsonObject,
  { state, amountMinor }: OrderMark,
  statuses: NonNullable<WooCommerceAccess['statuses']>,
): string | undefined {
  if (!MONEY.has(state)) return statuses[state];
  const total = fromDecimal(textAt(order, 'total'), textAt(order, 'currency') ?? '');
  return total !== null && amountMinor === total ? statuses[state] : undefined;
}

/** Once: after a failure in between the event comes again, and the note may be there. */
async function note(ask: Ask, id: string, { note: text, eventId }: OrderMark): Promise<void> {
  const notes = await ask('GET', `/orders/${id}/notes`);
  const isThere = objectsAt(notes, 'items').some(
    (each) => textAt(each, 'note')?.includes(eventId) === true,
  );
  if (isThere) return;
  await ask('POST', `/orders/${id}/notes`, { note: `${text} (${eventId})`, customer_note: false });
}

function createAsk({ url, consumerKey, consumerSecret }: WooCommerceAccess): Ask {
  const token = Buffer.from(`${consumerKey}:${consumerSecret}`).toString('base64');
  const headers = { authorization: `Basic ${token}`, 'content-type': 'application/json' };
  return async (method, path, body) => {
    const text = body === undefined ? {} : { body: JSON.stringify(body) };
    const request = { method, url: `${url}/wp-json/wc/v3${path}`, headers, isBare: true, ...text };
    const reply = await callProvider(request);
    if (reply.kind === 'silence') throw new Error(`WooCommerce did not answer: ${reply.reason}`);
    if (reply.status === 200 || reply.status === 201) return reply.body;
    const code = textAt(reply.body, 'code');
    if (reply.status === 404 && code === 'woocommerce_rest_shop_order_invalid_id') return null;
    throw new Error(`WooCommerce refused ${path}: ${reply.status} ${code ?? ''}`);
  };
}
