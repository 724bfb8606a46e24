/**
 * Marks a Shopify order: tags like `forestall-refunded-by-network`, a line in its note, and a metafield for each refund and dispute.
 * Note, tags and metafields go out in one mutation, so that an order is marked whole or not at all.
 *
 * The order is the one that `orderFromShopify` named. No money moves, and nothing is cancelled.
 * https://shopify.dev/docs/api/admin-graphql/latest/mutations/orderUpdate
 */
import type { JsonObject } from 'forestall/adapter';
import { isObject, objectsAt, textAt, valueAt } from 'forestall/adapter';
import type { ShopifyAccess, ShopifyCall } from '../processors/shopify/shopify-api.ts';
import { createShopifyCall, shopifyReason } from '../processors/shopify/shopify-api.ts';
import type { OrderMark } from './order-mark.ts';
import { createTurns, isNews, markText, noteWith, readMarks, wordsWith } from './order-mark.ts';

const NAMESPACE = 'forestall';
const TAG = 'forestall-';

export const READ_ORDER = `query ($id: ID!) {
  order(id: $id) {
    id note tags
    metafields(first: 50, namespace: "${NAMESPACE}") { nodes { key value } }
  }
}`;

export const UPDATE_ORDER = `mutation ($input: OrderInput!) {
  orderUpdate(input: $input) { order { id } userErrors { field message } }
}`;

/** Makes the function that marks orders. It throws where the shop did not take the mark. */
export function createShopifyMarker(access: ShopifyAccess): (mark: OrderMark) => Promise<void> {
  const call = createShopifyCall(access);
  const inTurn = createTurns();
  return async (mark) => {
    const [, number] = /^shopify-(\d+)$/.exec(mark.orderReference ?? '') ?? [];
    // Of another shop, or no order is known.
    if (number === undefined) return;
    const id = `gid://shopify/Order/${number}`;
    await inTurn(id, async () => await markOrder(call, id, mark));
  };
}

async function markOrder(call: ShopifyCall, id: string, mark: OrderMark): Promise<void> {
  const read = await ask(call, READ_ORDER, { id });
  const order = valueAt(read, 'order');
  // It was deleted.
  if (!isObject(order)) return;
  const kept = readMarks(
    objectsAt(order, 'metafields', 'nodes').map((node) => [
      textAt(node, 'key') ?? '',
      textAt(node, 'value'),
    ]),
  );
  if (!isNews(kept, mark)) return;
  const written = await ask(call, UPDATE_ORDER, { input: { id, ...changes(order, mark, kept) } });
  const [problem] = objectsAt(written, 'orderUpdate', 'userErrors');
  if (problem === undefined) return;
  throw new Error(`Shopify did not mark ${id}: ${textAt(problem, 'message') ?? 'no reason'}`);
}

function changes(
  order: JsonObject,
  mark: OrderMark,
  kept: ReturnType<typeof readMarks>,
): JsonObject {
  const tags = valueAt(order, 'tags');
  const others = (Array.isArray(tags) ? tags : [])
    .map(String)
    .filter((tag) => !tag.startsWith(TAG));
  const note = textAt(order, 'note');
  const said = noteWith(kept, mark);
  return {
    note: note === null || note === '' ? said : `${note}\n${said}`,
    tags: [...others, ...wordsWith(kept, mark).map((word) => TAG + word.replaceAll('_', '-'))],
    metafields: [
      {
        namespace: NAMESPACE,
        key: mark.subject,
        type: 'single_line_text_field',
        value: markText(mark),
      },
    ],
  };
}

async function ask(call: ShopifyCall, query: string, variables: JsonObject): Promise<JsonObject> {
  const reply = await call({ query, variables });
  if (reply.kind === 'answer' && reply.errors.length === 0) return reply.data;
  throw new Error(`Shopify was not read or written: ${shopifyReason(reply)}`);
}
