/**
 * Guarantee: only what Adyen signed for this account and environment is stored, each once, before it is
 * acknowledged; and the processor reads it back.
 */
import { createHmac } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../../src/base/db/embedded/free-port.ts';
import type { EventReceiver } from '../../../src/service/adapter/event-server.ts';
import { eventReceiver } from '../../../src/service/adapter/event-server.ts';
import type { ChargeQuery } from '../../../src/service/wire/processor.ts';
import { createAdyenEvents, isSigned } from '../../../templates/processors/adyen/events.ts';
import { createAdyenProcessor } from '../../../templates/processors/adyen/processor.ts';
import { ADYEN_TABLE, createAdyenStore } from '../../../templates/processors/adyen/store.ts';
import { spawn } from '../../support/child-process.ts';
import { useTestDatabase } from '../../support/database.ts';
import { notification } from './fakes/adyen-notification.ts';

/** Key and item of https://docs.adyen.com/development-resources/webhooks/verify-hmac-signatures. */
const KEY = '44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056';
const OLD_KEY = '009E9E92268087AAD241638D3325201AFE8AAE6F3DCD369B6D32E87129FFAB10';
/**
 * printf '7914073381342284::TestMerchant:TestPayment-1407325143704:1130:EUR:AUTHORISATION:true' |
 *   openssl dgst -sha256 -mac HMAC -macopt hexkey:$KEY -binary | base64
 */
const SIGNATURE = 'coqCmt/IZ4E3CzPvMY8zTjQVL5hYJUiBRg8UU+iCWo0=';
const ITEM = {
  additionalData: { hmacSignature: SIGNATURE },
  amount: { value: 1130, currency: 'EUR' },
  pspReference: '7914073381342284',
  eventCode: 'AUTHORISATION',
  eventDate: '2019-05-06T17:15:34.121+02:00',
  merchantAccountCode: 'TestMerchant',
  merchantReference: 'TestPayment-1407325143704',
  paymentMethod: 'visa',
  success: 'true',
};

const database = useTestDatabase();
let pool: pg.Pool;
let receive: EventReceiver;
const BASIC = { user: 'adyen', password: 'pässword' };
const OPTIONS = {
  hmacKeys: [KEY, OLD_KEY],
  basic: BASIC,
  mode: 'test',
  merchantAccount: 'TestMerchant',
} as const;

beforeAll(async () => {
  pool = new pg.Pool({ connectionString: database.connectionString, max: 4 });
  await pool.query(ADYEN_TABLE);
});
afterAll(async () => {
  await pool.end();
});
beforeEach(async () => {
  await pool.query('truncate adyen_notification');
  receive = receiverWith({});
});

function receiverWith(changed: Partial<Parameters<typeof createAdyenEvents>[0]>): EventReceiver {
  const options = { ...OPTIONS, store: createAdyenStore(pool).store, ...changed };
  return eventReceiver(createAdyenEvents(options), { accepted: '[accepted]' });
}

function webhook(items: readonly object[], live: unknown = 'false'): string {
  const notificationItems = items.map((item) => ({ NotificationRequestItem: item }));
  return JSON.stringify({ live, notificationItems });
}

function post(body: string, headers: Record<string, string> = authorised()): Request {
  return new Request('https://shop.example/adyen', { method: 'POST', headers, body });
}

function authorised({ user, password } = BASIC): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` };
}

/** Signed as Adyen documents it, written down here a second time. */
function signed(item: Record<string, unknown>, key = KEY): Record<string, unknown> {
  const { pspReference, originalReference = '', merchantReference, eventCode, success } = item;
  const { value, currency } = item['amount'] as { value: number; currency: string };
  const account = 'TestMerchant';
  const text = `${pspReference}:${originalReference}:${account}:${merchantReference}:${value}:${currency}:${eventCode}:${success}`;
  const hmacSignature = createHmac('sha256', Buffer.from(key, 'hex')).update(text).digest('base64');
  const additionalData = { ...(item['additionalData'] as object), hmacSignature };
  return { ...item, merchantAccountCode: account, additionalData };
}

async function statusOf(request: Request): Promise<number> {
  return (await receive(request)).status;
}

async function stored(): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(
    'select count(*)::int as n from adyen_notification',
  );
  return rows[0]?.n ?? -1;
}

describe('a webhook', () => {
  it('that Adyen signed is stored, then acknowledged in both of its ways', async () => {
    const response = await receive(post(webhook([ITEM])));
    expect([response.status, await response.text()]).toEqual([200, '[accepted]']);
    expect(await createAdyenStore(pool).ofPayment('7914073381342284')).toEqual([ITEM]);
  });

  it('that comes again, also at once, is stored once', async () => {
    const all = [1, 2, 3, 4].map(() => statusOf(post(webhook([ITEM]))));
    expect(await Promise.all(all)).toEqual([200, 200, 200, 200]);
    expect(await stored()).toBe(1);
  });

  it('signed with the key that is being exchanged is taken', async () => {
    expect(await statusOf(post(webhook([signed(ITEM, OLD_KEY)])))).toBe(200);
  });

  it('of an event that nobody knows is stored too: Adyen would hold back all others', async () => {
    const unknown = signed({ ...ITEM, eventCode: 'EVENT_OF_TOMORROW' });
    expect(await statusOf(post(webhook([unknown])))).toBe(200);
    expect(await stored()).toBe(1);
  });

  it.each<[string, object]>([
    ['pspReference', { pspReference: '7914073381342285' }],
    ['originalReference', { originalReference: '7914073381342284' }],
    ['merchantAccountCode', { merchantAccountCode: 'Other' }],
    ['merchantReference', { merchantReference: 'TestPayment' }],
    ['amount.value', { amount: { value: 1131, currency: 'EUR' } }],
    ['amount.currency', { amount: { value: 1130, currency: 'USD' } }],
    ['eventCode', { eventCode: 'CAPTURE' }],
    ['success', { success: 'false' }],
    ['its signature', { additionalData: { hmacSignature: SIGNATURE.replace('c', 'd') } }],
    ['nothing of a signature', { additionalData: {} }],
    ['an empty signature', { additionalData: { hmacSignature: '' } }],
  ])('with another %s is refused', async (_what, changed) => {
    expect(await statusOf(post(webhook([{ ...ITEM, ...changed }])))).toBe(401);
    expect(await stored()).toBe(0);
  });

  it('signed with no key or another is refused', async () => {
    const other = 'ab'.repeat(32);
    for (const key of [other, '']) {
      expect(await statusOf(post(webhook([signed(ITEM, key)])))).toBe(401);
    }
    expect(isSigned(signed(ITEM, other), [KEY])).toBe(false);
  });

  it('of which one item is not signed is refused whole', async () => {
    const forged = { ...ITEM, pspReference: 'X' };
    expect(await statusOf(post(webhook([ITEM, forged])))).toBe(401);
    expect(await stored()).toBe(0);
  });

  it.each<[string, () => Request, number]>([
    ['of the live environment', () => post(webhook([ITEM], 'true')), 401],
    ['of the live environment, as a truth value', () => post(webhook([ITEM], true)), 401],
    ['without user and password', () => post(webhook([ITEM]), {}), 401],
    [
      'with another password',
      () => post(webhook([ITEM]), authorised({ user: 'adyen', password: 'x' })),
      401,
    ],
    ['that is no JSON', () => post('live=false&eventCode=AUTHORISATION'), 401],
    ['without items', () => post(webhook([])), 401],
    ['with an item that is none', () => post(JSON.stringify({ notificationItems: [{}] })), 401],
    ['of 257 KiB', () => post(`"${'x'.repeat(257 * 1024)}"`), 413],
    ['by GET', () => new Request('https://shop.example/adyen', { headers: authorised() }), 405],
  ])('%s is refused', async (_what, request, status) => {
    expect(await statusOf(request())).toBe(status);
    expect(await stored()).toBe(0);
  });

  it('of another account is refused, though the key is the same', async () => {
    receive = receiverWith({ merchantAccount: 'Other' });
    expect(await statusOf(post(webhook([ITEM])))).toBe(401);
    expect(await stored()).toBe(0);
  });

  it('that cannot be stored is not acknowledged: Adyen sends it again', async () => {
    receive = receiverWith({ store: () => Promise.reject(new Error('down')) });
    expect(await statusOf(post(webhook([ITEM])))).toBe(503);
  });
});

it.each([
  [{ hmacKeys: [] }, 'HMAC key'],
  [{ hmacKeys: [''] }, 'HMAC key'],
  [{ hmacKeys: ['zz'.repeat(32)] }, 'HMAC key'],
  [{ hmacKeys: [KEY, ''] }, 'HMAC key'],
  [{ basic: { user: '', password: 'x' } }, 'user name'],
  [{ basic: { user: 'x', password: '' } }, 'user name'],
])('does not start with %j', (changed, message) => {
  const store = () => Promise.resolve();
  expect(() => createAdyenEvents({ ...OPTIONS, ...changed, store })).toThrow(message);
});

describe('what is stored', () => {
  const PAYMENT = 'KHQC5N7G84BLNK43';
  const additionalData = { authCode: '060494', cardBin: '411111', cardSummary: '1111' };
  const of = (eventCode: string, pspReference: string, fields: object = {}) =>
    notification(eventCode, { pspReference, originalReference: PAYMENT, ...fields });
  const authorisation = notification('AUTHORISATION', { pspReference: PAYMENT, additionalData });
  const processor = () =>
    createAdyenProcessor({
      apiKey: 'k',
      merchantAccount: 'TestMerchant',
      baseUrl: 'https://checkout-test.adyen.com/v71',
      notifications: createAdyenStore(pool),
    });

  async function receiveAll(...items: Record<string, unknown>[]): Promise<void> {
    for (const item of items) expect(await statusOf(post(webhook([signed(item)])))).toBe(200);
  }

  it('is the payment, its refund, and what voided that', async () => {
    const refund = of('REFUND', 'R1', {
      amount: { currency: 'EUR', value: 400 },
      merchantReference: 'fst_1',
    });
    await receiveAll(refund, authorisation);
    expect(await processor().readCharge(PAYMENT)).toMatchObject({
      value: { refundableMinor: 600, refunds: [{ idempotencyKey: 'fst_1', status: 'succeeded' }] },
    });
    await receiveAll(
      notification('VOID_PENDING_REFUND', { pspReference: 'V1', originalReference: 'R1' }),
    );
    expect(await processor().readCharge(PAYMENT)).toMatchObject({
      value: { refundableMinor: 1000, refunds: [{ status: 'failed' }] },
    });
  });

  it('is accepted where the authorisation was refused first', async () => {
    await receiveAll({ ...authorisation, success: 'false' }, authorisation);
    expect(await processor().readCharge(PAYMENT)).toMatchObject({ value: { status: 'captured' } });
  });

  const arn = '74537604221431003881865';
  it.each<[string, ChargeQuery, boolean]>([
    ['the ARN of a capture', { acquirerReferenceNumber: arn }, true],
    ['another ARN', { acquirerReferenceNumber: '7'.repeat(23) }, false],
    ['the code, in any case', { authorisationCode: '060494', cardLast4: '1111' }, true],
    ['another code', { authorisationCode: '060495' }, false],
    ['digits and amount', { cardLast4: '1111', amountMinor: 1000, currency: 'EUR' }, true],
    ['a longer BIN', { cardBin: '41111199', cardLast4: '1111' }, true],
    ['another BIN', { cardBin: '555555', cardLast4: '1111' }, false],
    ['the amount of its capture', { cardLast4: '1111', amountMinor: 290, currency: 'EUR' }, true],
    ['another amount', { cardLast4: '1111', amountMinor: 291, currency: 'EUR' }, false],
    ['another currency', { cardLast4: '1111', amountMinor: 1000, currency: 'USD' }, false],
    // 2026-09-21T14:13:20+02:00
    ['its moment', { cardLast4: '1111', authorisedFrom: '2026-09-21T12:13:20Z' }, true],
    ['a later time', { cardLast4: '1111', authorisedFrom: '2026-09-21T12:13:21Z' }, false],
    ['an earlier time', { cardLast4: '1111', authorisedTo: '2026-09-21T12:13:19Z' }, false],
  ])('is found by %s', async (_what, query, isFound) => {
    const capture = of('CAPTURE', 'C1', {
      amount: { currency: 'EUR', value: 290 },
      additionalData: { arn },
    });
    const declined = notification('AUTHORISATION', {
      pspReference: 'D',
      additionalData,
      success: 'false',
    });
    await receiveAll(authorisation, capture, declined);
    const answer = await processor().searchCharges(query);
    if (answer.kind !== 'found') throw new Error(answer.kind);
    expect(answer.value.map(({ reference }) => reference)).toEqual(isFound ? [PAYMENT] : []);
  });

  it('is not searched by nothing, nor called complete when too much fits', async () => {
    expect(await processor().searchCharges({ currency: 'EUR' })).toMatchObject({
      kind: 'unavailable',
    });
    const many = Array.from({ length: 101 }, (_, index) =>
      notification('AUTHORISATION', { pspReference: `P${index}`, additionalData }),
    );
    await createAdyenStore(pool).store(many);
    expect(await processor().searchCharges({ cardLast4: '1111' })).toMatchObject({
      kind: 'unavailable',
    });
  });
});

it('runs as the example shows it, on a port of its own', { timeout: 30_000 }, async () => {
  const port = await freePort();
  const example = new URL(
    '../../../templates/processors/adyen/receiver.example.ts',
    import.meta.url,
  ).pathname;
  const child = spawn(process.execPath, ['--conditions=forestall-source', example], {
    env: {
      PATH: process.env['PATH'],
      ADYEN_DATABASE_URL: database.connectionString,
      ADYEN_HMAC_KEYS: KEY,
      ADYEN_WEBHOOK_USER: BASIC.user,
      ADYEN_WEBHOOK_PASSWORD: BASIC.password,
      ADYEN_MODE: 'test',
      ADYEN_MERCHANT_ACCOUNT: 'TestMerchant',
      ADYEN_RECEIVER_PORT: String(port),
    },
    stdio: 'ignore',
  });
  try {
    const url = `http://127.0.0.1:${port}/`;
    await vi.waitUntil(
      () =>
        fetch(url).then(
          () => true,
          () => false,
        ),
      { timeout: 20_000 },
    );
    expect((await fetch(url)).status).toBe(405);
    const send = (headers: Record<string, string>) =>
      fetch(url, { method: 'POST', headers, body: webhook([ITEM]) });
    expect((await send({})).status).toBe(401);
    const response = await send(authorised());
    expect([response.status, await response.text()]).toEqual([200, '[accepted]']);
    expect(await stored()).toBe(1);
  } finally {
    child.kill();
    await new Promise((done) => child.once('exit', done));
  }
});
