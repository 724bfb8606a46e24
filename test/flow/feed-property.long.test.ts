/** Guarantee: any sequence of changes, sends and faults ends with the service holding the merchant's last word. */
import fc from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import { createFeedSender } from '../../src/orders/feed-sender.ts';
import { createFeedUpdater } from '../../src/orders/feed-updater.ts';
import type { FeedWorld } from './feed-support.ts';
import { createFeedWorld, makeOrder } from './feed-support.ts';

let world: FeedWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

/** The merchant's own record, kept by rules of three lines: the oracle. */
interface Shop {
  status: string;
  carrier: string | undefined;
  shipping: string | undefined;
  communications: unknown;
  readonly refunds: Map<string, string>;
}

const status = fc.constantFrom(
  'OPEN_PENDING',
  'OPEN_PENDING_RETURN',
  'CLOSED_COMPLETE',
  'CLOSED_CANCELLED',
);
const step = fc.oneof(
  fc.record({ do: fc.constant('status' as const), value: status }),
  fc.record({
    do: fc.constant('carrier' as const),
    value: fc.constantFrom('Post', 'Courier', 'Pigeon'),
  }),
  fc.record({
    do: fc.constant('shipping' as const),
    value: fc.constantFrom('SHIPPED', 'DELIVERED'),
  }),
  fc.record({
    do: fc.constant('communications' as const),
    value: fc.constantFrom(['a'], ['a', 'b'], []),
  }),
  fc.record({
    do: fc.constant('refund' as const),
    name: fc.constantFrom('r1', 'r2', 'r3'),
    value: fc.constantFrom('PENDING', 'SUCCEEDED', 'FAILED'),
  }),
  fc.record({ do: fc.constant('send' as const) }),
  fc.record({ do: fc.constant('update' as const) }),
  fc.record({ do: fc.constant('wait' as const), seconds: fc.integer({ min: 1, max: 200 }) }),
  fc.record({
    do: fc.constant('fault' as const),
    on: fc.constantFrom('POST /v1/orders', 'PATCH /v1/orders/{order_id}', 'GET /v1/orders'),
    kind: fc.constantFrom('drop_after', 'drop_before', 'late', 'truncated', 'status'),
    times: fc.integer({ min: 1, max: 3 }),
  }),
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

const AMOUNTS: Readonly<Record<string, number>> = { r1: 100, r2: 200, r3: 300 };

async function play(feed: FeedWorld, shop: Shop, reference: string, move: Step): Promise<void> {
  switch (move.do) {
    case 'status':
      shop.status = move.value;
      await feed.change(reference, { order_status: move.value });
      return;
    case 'carrier':
      shop.carrier = move.value;
      await feed.change(reference, {
        deliveries: [
          { reference_id: `parcel-${reference}`, physical_shipping_carrier: move.value },
        ],
      });
      return;
    case 'shipping':
      shop.shipping = move.value;
      await feed.change(reference, {
        deliveries: [{ reference_id: `parcel-${reference}`, physical_shipping_status: move.value }],
      });
      return;
    case 'communications':
      shop.communications = move.value;
      await feed.change(reference, { order_communications: move.value });
      return;
    case 'refund':
      shop.refunds.set(move.name, move.value);
      await feed.change(reference, {
        refunds: [
          {
            reference_id: `${reference}-${move.name}`,
            amount_in_cents: AMOUNTS[move.name],
            currency: 'USD',
            status: move.value,
          },
        ],
      });
      return;
    case 'send':
      await createFeedSender(feed.deps).runOnce();
      return;
    case 'update':
      await createFeedUpdater(feed.deps).runOnce();
      return;
    case 'wait':
      await feed.sandbox.advance(move.seconds * 1_000);
      return;
    default:
      feed.sandbox.addFault({ on: move.on, kind: move.kind, times: move.times, late_ms: 30_000 });
  }
}

it('ends with the last word', { timeout: 180_000 }, async () => {
  const feed = await createFeedWorld();
  world = feed;
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async (moves) => {
      run += 1;
      const reference = `P-${run}`;
      const shop: Shop = {
        status: 'OPEN_PENDING',
        carrier: undefined,
        shipping: undefined,
        communications: undefined,
        refunds: new Map(),
      };
      await feed.accept([makeOrder(reference)]);
      for (const move of moves) await play(feed, shop, reference, move);
      feed.sandbox.faults.clear();
      await feed.drain();
      const held = feed.held().get(reference);
      expect(held?.['order_status']).toBe(shop.status);
      expect(held?.['order_communications']).toEqual(shop.communications);
      expect(held?.['deliveries']).toMatchObject([
        {
          type: 'PHYSICAL',
          ...(shop.carrier === undefined ? {} : { physical_shipping_carrier: shop.carrier }),
          ...(shop.shipping === undefined ? {} : { physical_shipping_status: shop.shipping }),
        },
      ]);
      const refunds = (held?.['refunds'] ?? []) as Record<string, unknown>[];
      expect(
        Object.fromEntries(refunds.map((refund) => [refund['reference_id'], refund['status']])),
      ).toEqual(
        Object.fromEntries(
          [...shop.refunds].map(([name, value]) => [`${reference}-${name}`, value]),
        ),
      );
      expect(
        [...feed.sandbox.state.orders.values()].filter((o) => o.reference_id === reference),
      ).toHaveLength(1);
    }),
    { numRuns: 60 },
  );
});
