/**
 * Guarantee: a shop that is told of events marks the order on refund, refund by the network, and won or lost dispute; what comes
 * twice marks once; an older event does not undo a newer one; a refund by the network never reads "lost"; what the shop does not
 * take is sent again; and nothing that Forestall did not sign marks anything.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildSchema, extendSchema, parse } from 'graphql';
import { afterEach, describe, expect, it } from 'vitest';
import { createEndpointSecret, signDelivery } from '../../../src/base/notify/standard-webhooks.ts';
import type { ForestallEvent } from '../../../src/capabilities/published-events.ts';
import type { OrderMark } from '../../../templates/shop/order-mark.ts';
import { markOf, SHOP_EVENTS } from '../../../templates/shop/order-mark.ts';
import { createShopListener, takeDelivery } from '../../../templates/shop/receive.ts';
import { createShopifyMarker } from '../../../templates/shop/shopify.ts';
import { createStripeBillingMarker } from '../../../templates/shop/stripe-billing.ts';
import { createWooCommerceMarker } from '../../../templates/shop/woocommerce.ts';
import type { FakeProvider } from '../processors/fakes/fake-provider.ts';
import { serveAnswers } from '../processors/fakes/fake-provider.ts';
import { graphqlAnswer, SHOPIFY, SHOPIFY_BASE } from '../processors/fakes/shopify-fake.ts';

type Json = Record<string, unknown>;

const SECRET = createEndpointSecret();
const MOVEMENT = { movement_id: 'mv_1', kind: 'refund', state: 'CONFIRMED', amount_minor: 2_900 };

/** An event about an order of the three shops. */
function event(type: string, position: number, data: Json = {}): ForestallEvent {
  const of = type.startsWith('dispute') ? { dispute_id: 'rep_1' } : MOVEMENT;
  return {
    id: `evt_${position}`,
    type,
    version: '2026-12-01',
    timestamp: '2026-12-01T10:00:00Z',
    position,
    organisation_id: 'org_1',
    alert_id: null,
    merchant_id: null,
    sentence: `Sentence ${position}.`,
    data: { charge_reference: 'ch_1', order_reference: 'order', currency: 'USD', ...of, ...data },
  } as unknown as ForestallEvent;
}

const RDR = { movement_id: 'mv_rdr', kind: 'network' };

function forOrder(reference: string, told: ForestallEvent): OrderMark {
  const mark = markOf(told);
  if (mark === undefined) throw new Error('no mark');
  return { ...mark, orderReference: reference };
}

let served: FakeProvider | undefined;
afterEach(() => {
  served?.stop();
  served = undefined;
});

describe('an event', () => {
  it.each([
    ['refund.confirmed', {}, 'refunded'],
    ['refund.failed_late', { state: 'REVERSED' }, 'refund_failed'],
    ['network_refund.recorded', { ...RDR, state: 'CONFIRMED' }, 'refunded_by_network'],
    ['network_refund.recorded', { ...RDR, state: 'PENDING' }, 'network_refund_open'],
    ['network_refund.recorded', { ...RDR, state: 'REVERSED' }, 'network_refund_reversed'],
    ['dispute.opened', { status: 'OPEN' }, 'disputed'],
    ['dispute.closed', { status: 'WON' }, 'dispute_won'],
    ['dispute.closed', { status: 'LOST' }, 'dispute_lost'],
    ['dispute.closed', { status: 'CLOSED' }, 'dispute_closed'],
  ])('%s of %o is %s', (type, data, state) => {
    expect(markOf(event(type, 7, data))).toMatchObject({
      state,
      position: 7,
      note: 'Sentence 7.',
      eventId: 'evt_7',
    });
    expect(SHOP_EVENTS).toContain(type);
  });

  it('of another type says nothing', () => {
    expect(markOf(event('alert.received', 1))).toBeUndefined();
  });
});

/** What each shop shows of its one order: words, notes, and how often it was written. */
interface Shop {
  readonly mark: (told: ForestallEvent) => Promise<void>;
  words(): string;
  notes(): string[];
  writes(): number;
  /** The next write is answered with a failure. */
  fail(): void;
}

function shopifyShop(): Shop {
  const published = readFileSync(
    new URL('../contracts/support/shopify-admin-2026-10.graphql', import.meta.url),
    'utf8',
  );
  const more = readFileSync(new URL('shopify-order.graphql', import.meta.url), 'utf8');
  const schema = extendSchema(buildSchema(published), parse(more));
  const order = { id: 'gid://shopify/Order/1', note: 'Gift', tags: ['vip'] as string[] };
  const metafields = new Map<string, string>();
  let writes = 0;
  let fails = false;
  const root = {
    order: ({ id }: { id: string }) =>
      id === order.id
        ? {
            ...order,
            metafields: { nodes: [...metafields].map(([key, value]) => ({ key, value })) },
          }
        : null,
    orderUpdate: ({ input }: { input: Json }) => {
      if (fails) {
        fails = false;
        return { order: null, userErrors: [{ field: [], message: 'Try again' }] };
      }
      writes += 1;
      Object.assign(order, { note: input['note'], tags: input['tags'] });
      for (const { key, value } of input['metafields'] as { key: string; value: string }[])
        metafields.set(key, value);
      return { order, userErrors: [] };
    },
  };
  served = serveAnswers(SHOPIFY_BASE, (request) => graphqlAnswer(schema, request, root));
  const mark = createShopifyMarker(SHOPIFY);
  return {
    mark: async (told) => await mark(forOrder('shopify-1', told)),
    words: () => {
      expect(order.tags).toContain('vip');
      return order.tags.filter((tag) => tag !== 'vip').join(', ');
    },
    notes: () => order.note.split('\n').slice(1),
    writes: () => writes,
    fail: () => {
      fails = true;
    },
  };
}

function wooShop(): Shop {
  const order = { id: 1, total: '29.00', currency: 'USD', status: 'processing' };
  const meta = new Map<string, string>();
  const notes: string[] = [];
  let writes = 0;
  let fails = false;
  const orderAt = '/wp-json/wc/v3/orders/1';
  const update = (given: {
    status?: string;
    meta_data: { key: string; value: string }[];
  }): void => {
    writes += 1;
    if (given.status !== undefined) order.status = given.status;
    for (const { key, value } of given.meta_data) meta.set(key, value);
  };
  served = serveAnswers('https://shop.example', ({ method, path, body }) => {
    const meta_data = [...meta].map(([key, value]) => ({ id: 1, key, value }));
    switch (`${method} ${path}`) {
      case `GET ${orderAt}`:
        return { status: 200, body: { ...order, meta_data } };
      case `GET ${orderAt}/notes`:
        return { status: 200, body: notes.map((note) => ({ note })) };
      case `POST ${orderAt}`:
        update(JSON.parse(body) as Parameters<typeof update>[0]);
        return { status: 200, body: order };
      case `POST ${orderAt}/notes`: {
        if (fails) {
          fails = false;
          return { status: 500, body: { code: 'internal_server_error' } };
        }
        const given = JSON.parse(body) as { note: string; customer_note: boolean };
        expect(given.customer_note).toBe(false);
        notes.push(given.note);
        return { status: 201, body: { id: notes.length } };
      }
      default:
        return { status: 404, body: { code: 'woocommerce_rest_shop_order_invalid_id' } };
    }
  });
  const mark = createWooCommerceMarker({
    ...{ url: 'https://shop.example', consumerKey: 'ck_1', consumerSecret: 'cs_1' },
    statuses: { refunded: 'refunded', refunded_by_network: 'refunded' },
  });
  return {
    mark: async (told) => await mark(forOrder('woo-1', told)),
    words: () => (meta.get('_forestall_words') ?? '').replaceAll('_', '-'),
    notes: () => notes.map((note) => note.replace(/ \(evt_\d+\)$/, '')),
    writes: () => writes,
    fail: () => {
      fails = true;
    },
  };
}

/** Fields of metadata in a form, as Stripe takes them: names of 40 characters at most. */
function metadataOf(form: string): Record<string, string> {
  const fields = [...new URLSearchParams(form)].map(([key, value]) => {
    const [, field = ''] = /^metadata\[(\w{1,40})\]$/.exec(key) ?? [];
    expect(field, key).not.toBe('');
    return [field, value];
  });
  return Object.fromEntries(fields) as Record<string, string>;
}

function stripeShop(): Shop {
  const metadata: Record<string, Record<string, string>> = { ch_1: { order_id: '1' }, in_1: {} };
  const notes: string[] = [];
  let writes = 0;
  let fails = false;
  const charge = { id: 'ch_1', object: 'charge', payment_intent: 'pi_1' };
  served = serveAnswers('https://api.stripe.com', ({ method, path, query, body }) => {
    if (method === 'GET' && path === '/v1/charges/ch_1') {
      return { status: 200, body: { ...charge, metadata: metadata['ch_1'] } };
    }
    if (path === '/v1/payment_intents/pi_1') {
      expect(query.get('expand[0]')).toBe('latest_charge');
      const latest_charge = { ...charge, metadata: metadata['ch_1'] };
      return { status: 200, body: { id: 'pi_1', object: 'payment_intent', latest_charge } };
    }
    if (path === '/v1/invoice_payments') {
      expect(query.get('payment[payment_intent]')).toBe('pi_1');
      const data = [{ id: 'inpay_1', invoice: 'in_1' }];
      return { status: 200, body: { object: 'list', data } };
    }
    const id = path.split('/').at(-1) ?? '';
    if (fails && id === 'ch_1') {
      fails = false;
      return { status: 500, body: { error: { type: 'api_error' } } };
    }
    const kept = Object.assign(metadata[id] ?? {}, metadataOf(body));
    if (id === 'ch_1') {
      writes += 1;
      notes.push(kept['forestall_note'] ?? '');
    }
    return { status: 200, body: { id, metadata: kept } };
  });
  const mark = createStripeBillingMarker({ apiKey: 'rk_test_1' });
  return {
    mark: async (told) => await mark(forOrder('order', told)),
    words: () => {
      expect(metadata['ch_1']?.['order_id']).toBe('1');
      expect(metadata['in_1']?.['forestall']).toBe(metadata['ch_1']?.['forestall']);
      return (metadata['ch_1']?.['forestall'] ?? '').replaceAll(',', ', ').replaceAll('_', '-');
    },
    notes: () => notes,
    writes: () => writes,
    fail: () => {
      fails = true;
    },
  };
}

const SHOPS = [
  ['Shopify', shopifyShop, 'forestall-'],
  ['WooCommerce', wooShop, ''],
  ['Stripe Billing', stripeShop, ''],
] as const;

describe.each(SHOPS)('%s', (_name, open, prefix) => {
  const words = (...all: string[]): string => all.map((word) => prefix + word).join(', ');

  it('marks once what comes twice, and what fails in between is marked when it comes again', async () => {
    const shop = open();
    shop.fail();
    await expect(shop.mark(event('refund.confirmed', 3))).rejects.toThrow();
    await shop.mark(event('refund.confirmed', 3));
    await shop.mark(event('refund.confirmed', 3));
    expect([shop.words(), shop.notes(), shop.writes()]).toEqual([
      words('refunded'),
      ['Sentence 3.'],
      1,
    ]);
  });

  it('lets no older event undo a newer one', async () => {
    const shop = open();
    await shop.mark(event('refund.failed_late', 9, { state: 'REVERSED' }));
    await shop.mark(event('refund.confirmed', 3));
    expect([shop.words(), shop.writes()]).toEqual([words('refund-failed'), 1]);
    // And a newer one takes its place.
    await shop.mark(event('refund.confirmed', 12));
    expect(shop.words()).toBe(words('refunded'));
  });

  it('keeps several refunds and disputes of an order apart', async () => {
    const shop = open();
    await Promise.all([
      shop.mark(event('refund.confirmed', 3)),
      shop.mark(event('dispute.opened', 4)),
      shop.mark(event('dispute.closed', 5, { dispute_id: 'rep_2', status: 'WON' })),
    ]);
    expect(shop.words()).toBe(words('dispute-won', 'disputed', 'refunded'));
    await shop.mark(event('dispute.closed', 8, { status: 'LOST' }));
    expect(shop.words()).toBe(words('dispute-lost', 'dispute-won', 'refunded'));
  });

  it('reads "refunded by the network", never "lost", whichever came first', async () => {
    const shop = open();
    await shop.mark(event('dispute.closed', 4, { status: 'LOST' }));
    expect(shop.words()).toBe(words('dispute-lost'));
    await shop.mark(event('network_refund.recorded', 6, RDR));
    expect(shop.words()).toBe(words('dispute-closed', 'refunded-by-network'));
    await shop.mark(event('dispute.closed', 8, { dispute_id: 'rep_2', status: 'LOST' }));
    expect(shop.words()).toBe(words('dispute-closed', 'refunded-by-network'));
    // Nor does the note, whose sentence of the event is “Dispute rep_2 was lost.”
    expect(shop.notes().at(-1)).toBe('Dispute rep_2 was closed: refunded by the network.');
  });
});

describe('an order that is not the shop’s', () => {
  it('is left alone', async () => {
    const told = event('refund.confirmed', 1);
    const shopify = createShopifyMarker(SHOPIFY);
    const woo = createWooCommerceMarker({
      url: 'https://x.example',
      consumerKey: '',
      consumerSecret: '',
    });
    const stripe = createStripeBillingMarker({ apiKey: 'rk_test_1' });
    // Nothing is served: a call would fail.
    for (const mark of [shopify, woo]) await mark(forOrder('other-1', told));
    await stripe({ ...forOrder('other', told), chargeReference: 'pay_1' });
    await stripe({ ...forOrder('other', told), chargeReference: null });
    wooShop();
    const gone = createWooCommerceMarker({
      ...{ url: 'https://shop.example', consumerKey: 'ck_1', consumerSecret: 'cs_1' },
    });
    await gone(forOrder('woo-2', told));
  });
});

describe('WooCommerce', () => {
  it('sets a status only where the whole sum went back', async () => {
    const shop = wooShop();
    const status = async (): Promise<unknown> =>
      ((await (await fetch('https://shop.example/wp-json/wc/v3/orders/1')).json()) as Json)[
        'status'
      ];
    await shop.mark(event('refund.confirmed', 3, { amount_minor: 1_000 }));
    expect(await status()).toBe('processing');
    await shop.mark(event('network_refund.recorded', 4, { ...RDR, amount_minor: 2_900 }));
    expect(await status()).toBe('refunded');
  });
});

describe('Stripe Billing', () => {
  it('finds the payment by its intent too', async () => {
    const shop = stripeShop();
    const mark = createStripeBillingMarker({ apiKey: 'rk_test_1' });
    const charge = forOrder('order', event('refund.confirmed', 3));
    const intent = { ...charge, chargeReference: 'pi_1', position: 5, subject: 'mv_2' };
    await mark(charge);
    await mark({ ...intent, state: 'disputed' });
    expect([shop.words(), shop.writes()]).toEqual(['disputed, refunded', 2]);
  });
});

describe('a delivery', () => {
  const signed = (body: string, secret = SECRET) => ({
    body,
    headers: {
      ...signDelivery({
        id: 'evt_3',
        atSeconds: Math.floor(Date.now() / 1_000),
        body,
        secrets: [secret],
      }),
    },
  });

  it('marks where Forestall signed it, and nowhere else', async () => {
    const marks: OrderMark[] = [];
    const mark = async (found: OrderMark): Promise<void> => void marks.push(found);
    const body = JSON.stringify(event('refund.confirmed', 3));
    const endpoint = { secret: SECRET, mark };
    expect(await takeDelivery(signed(body), endpoint)).toBe(204);
    expect(await takeDelivery(signed(body, createEndpointSecret()), endpoint)).toBe(401);
    const altered = { ...signed(body), body: body.replace('2900', '2901') };
    expect(await takeDelivery(altered, endpoint)).toBe(401);
    expect(await takeDelivery({ body, headers: {} }, endpoint)).toBe(401);
    expect(await takeDelivery(signed(JSON.stringify(event('alert.matched', 4))), endpoint)).toBe(
      204,
    );
    expect(marks.map(({ position }) => position)).toEqual([3]);
  });

  it('is answered over HTTP: 204, 401, 413, and 503 where the shop did not take it', async () => {
    let fails = false;
    const mark = async (): Promise<void> => {
      if (fails) throw new Error('shop is away');
    };
    const server = createServer(createShopListener({ secret: SECRET, mark }));
    await new Promise<void>((done) => {
      server.listen(0, '127.0.0.1', done);
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const post = async ({ body, headers }: ReturnType<typeof signed>): Promise<number> =>
      (await fetch(url, { method: 'POST', body, headers })).status;
    const body = JSON.stringify(event('refund.confirmed', 3));
    expect(await post(signed(body))).toBe(204);
    expect(await post(signed(body, createEndpointSecret()))).toBe(401);
    expect(await post(signed('x'.repeat(300_000)))).toBe(413);
    fails = true;
    expect(await post(signed(body))).toBe(503);
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
});
