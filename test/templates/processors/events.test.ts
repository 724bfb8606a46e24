/**
 * Guarantee: each adapter believes what its provider has signed, and nothing else: neither forged nor changed nor
 * old deliveries; and takes from the provider's published examples what its README says.
 */
import { createHmac, createSign } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import braintree from 'braintree';
import Stripe from 'stripe';
import { describe, expect, it } from 'vitest';
import type { EventHeaders, ProcessorEvents } from '../../../src/service/wire/processor-event.ts';
import {
  ADYEN_EVENTS,
  createAdyenEvents,
  isSigned,
} from '../../../templates/processors/adyen/events.ts';
import {
  BRAINTREE_EVENTS,
  createBraintreeEvents,
} from '../../../templates/processors/braintree/events.ts';
import { createPayPalEvents, PAYPAL_EVENTS } from '../../../templates/processors/paypal/events.ts';
import { createStripeEvents, STRIPE_EVENTS } from '../../../templates/processors/stripe/events.ts';
import { notification } from './fakes/adyen-notification.ts';
import { PAYPAL_CERTIFICATE, PAYPAL_PRIVATE_KEY } from './fakes/paypal-certificate.ts';

interface Sent {
  readonly raw: Buffer;
  readonly headers: EventHeaders;
}

interface Provider {
  readonly name: string;
  readonly events: ProcessorEvents;
  /** A delivery as the provider would sign it at that moment. */
  readonly sign: (body: string, atMs: number) => Sent;
  /** The longest age that is believed, in seconds; undefined: the provider signs no moment. */
  readonly toleranceSeconds: number | undefined;
  readonly body: string;
}

const NOW_MS = Date.parse('2026-11-24T12:00:00Z');

// ------------------------------------------------------------------ Stripe, signed by its own SDK

const STRIPE_SECRET = 'whsec_0123456789abcdef0123456789abcdef';
const stripeEvent = (type: string, object: object, more: object = {}) =>
  JSON.stringify({
    id: 'evt_1NG8Du2eZvKYlo2CUI79vXWy',
    object: 'event',
    created: 1686089970,
    type,
    data: { object },
    ...more,
  });
/** https://docs.stripe.com/api/radar/early_fraud_warnings/object */
const WARNING = {
  id: 'issfr_1NnrwHBw2dPENLoi9lnhV3RQ',
  object: 'radar.early_fraud_warning',
  actionable: true,
  charge: 'ch_1234',
  created: 123456789,
  fraud_type: 'misc',
  livemode: false,
  payment_intent: 'pi_1234',
};
const stripe: Provider = {
  name: 'stripe',
  events: createStripeEvents({ signingSecrets: ['whsec_the_old_one_0123456789', STRIPE_SECRET] }),
  toleranceSeconds: 300,
  body: stripeEvent('radar.early_fraud_warning.created', WARNING),
  sign(body, atMs) {
    const header = new Stripe('sk_test_1').webhooks.generateTestHeaderString({
      payload: body,
      secret: STRIPE_SECRET,
      timestamp: Math.floor(atMs / 1_000),
    });
    return { raw: Buffer.from(body), headers: { 'stripe-signature': header } };
  },
};

// ------------------------------------------------------------------ Adyen

const ADYEN_KEY = '44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056';
const AUTHORIZATION = `Basic ${Buffer.from('adyen:secret').toString('base64')}`;
const kept: unknown[] = [];
function adyenBody(item: Record<string, unknown>): string {
  const fields = ['pspReference', 'originalReference', 'merchantAccountCode', 'merchantReference'];
  const { value, currency } = item['amount'] as { value: number; currency: string };
  const signed = [
    ...fields.map((name) => item[name] ?? ''),
    value,
    currency,
    item['eventCode'],
    item['success'],
  ];
  const hmacSignature = createHmac('sha256', Buffer.from(ADYEN_KEY, 'hex'))
    .update(signed.join(':'))
    .digest('base64');
  const one = { NotificationRequestItem: { ...item, additionalData: { hmacSignature } } };
  return JSON.stringify({ live: 'false', notificationItems: [one] });
}
const adyen: Provider = {
  name: 'adyen',
  events: createAdyenEvents({
    hmacKeys: [ADYEN_KEY],
    basic: { user: 'adyen', password: 'secret' },
    mode: 'test',
    merchantAccount: 'ShopECOM',
    store: async (items) => void kept.push(...items),
  }),
  toleranceSeconds: undefined,
  body: adyenBody(
    notification('NOTIFICATION_OF_FRAUD', {
      pspReference: '9915555555555555',
      originalReference: '9913333333333333',
    }),
  ),
  sign: (body) => ({ raw: Buffer.from(body), headers: { authorization: AUTHORIZATION } }),
};

// ------------------------------------------------------------------ Braintree, by its own SDK

const gateway = new braintree.BraintreeGateway({
  environment: braintree.Environment.Sandbox,
  merchantId: 'merchant',
  publicKey: 'public_key',
  privateKey: 'private_key',
});
/** The SDK's sample of a kind, its moment moved: `webhookTesting.sampleNotification`. */
async function braintreeXml(kind: string): Promise<string> {
  const { webhookTesting } = gateway;
  const { bt_payload } = await webhookTesting.sampleNotification(kind as 'dispute_opened', 'my_id');
  return Buffer.from(bt_payload, 'base64').toString('utf8');
}
const braintreeProvider: Provider = {
  name: 'braintree',
  events: createBraintreeEvents({ publicKey: 'public_key', privateKey: 'private_key' }),
  toleranceSeconds: 25 * 3_600,
  body: await braintreeXml('dispute_opened'),
  sign(body, atMs) {
    const moment = new Date(atMs).toISOString().replace(/\.\d+Z$/, 'Z');
    const dated = body.replace(/(<timestamp type="datetime">)[^<]*/, `$1${moment}`);
    const payload = `${Buffer.from(dated).toString('base64')}\n`;
    const sample = gateway.webhookTesting as unknown as { sampleSignature(text: string): string };
    const form = new URLSearchParams({
      bt_signature: sample.sampleSignature(payload),
      bt_payload: payload,
    });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    return { raw: Buffer.from(form.toString()), headers };
  },
};

// ------------------------------------------------------------------ PayPal

const CERT_URL = 'https://api.paypal.com/v1/notifications/certs/CERT-360caa42-fca2a594-a5cafa77';
/** https://developer.paypal.com/docs/api/payments/v2, webhook of a refund */
const PAYPAL_REFUND = JSON.stringify({
  id: 'WH-1GE84257G0350133W-6RW800890C634293G',
  create_time: '2018-08-15T19:14:04.543Z',
  resource_type: 'refund',
  event_type: 'PAYMENT.CAPTURE.REFUNDED',
  summary: 'A $ 0.99 USD capture payment was refunded',
  resource: {
    seller_payable_breakdown: { gross_amount: { value: '0.99', currency_code: 'USD' } },
    amount: { value: '0.99', currency_code: 'USD' },
    update_time: '2018-08-15T12:13:29-07:00',
    create_time: '2018-08-15T12:13:29-07:00',
    links: [
      {
        href: 'https://api.paypal.com/v2/payments/refunds/1Y107995YT783435V',
        rel: 'self',
        method: 'GET',
      },
      {
        href: 'https://api.paypal.com/v2/payments/captures/0JF852973C016714D',
        rel: 'up',
        method: 'GET',
      },
    ],
    id: '1Y107995YT783435V',
    status: 'COMPLETED',
  },
});
let fetched = 0;
const paypal: Provider = {
  name: 'paypal',
  events: createPayPalEvents({
    webhookId: '1JE4291016473214C',
    fetchCertificate: async () => {
      fetched += 1;
      return PAYPAL_CERTIFICATE;
    },
  }),
  toleranceSeconds: 73 * 3_600,
  body: PAYPAL_REFUND,
  sign(body, atMs) {
    const time = new Date(atMs).toISOString().replace(/\.\d+Z$/, 'Z');
    const id = '69cd13f0-d67a-11e5-baa3-778b53f4ae55';
    const signed = `${id}|${time}|1JE4291016473214C|${crc32(body)}`;
    const headers = {
      'paypal-transmission-id': id,
      'paypal-transmission-time': time,
      'paypal-transmission-sig': createSign('RSA-SHA256')
        .update(signed)
        .sign(PAYPAL_PRIVATE_KEY, 'base64'),
      'paypal-cert-url': CERT_URL,
      'paypal-auth-algo': 'SHA256withRSA',
    };
    return { raw: Buffer.from(body), headers };
  },
};

const PROVIDERS = [stripe, adyen, braintreeProvider, paypal];

const verdictOf = async ({ events }: Provider, { raw, headers }: Sent, nowMs = NOW_MS) => {
  if (!events.admits(headers)) return 'unread';
  return (await events.verify(raw, headers, nowMs)).kind;
};

describe.each(PROVIDERS)('$name', (provider) => {
  const { events, sign, body, toleranceSeconds } = provider;

  it('believes what the provider signed', async () => {
    expect(await verdictOf(provider, sign(body, NOW_MS))).toBe('genuine');
  });

  it('believes no changed byte', async () => {
    const sent = sign(body, NOW_MS);
    const last = sent.raw.length - 12;
    const forged = Buffer.from(sent.raw);
    forged.writeUInt8(forged.readUInt8(last) ^ 1, last);
    const verdict = await verdictOf(provider, { ...sent, raw: forged });
    // Adyen signs eight fields, none of them among the last bytes.
    if (provider !== adyen) expect(verdict).toBe('forged');
    const changed = adyenBody(JSON.parse(adyen.body).notificationItems[0].NotificationRequestItem);
    const raised = Buffer.from(changed.replace('"value":1000', '"value":9000'));
    expect(
      await verdictOf(adyen, { ...sign(body, NOW_MS), ...adyen.sign('', 0), raw: raised }),
    ).toBe('forged');
  });

  it('reads no body under headers that hold no signature', () => {
    expect(events.admits({})).toBe(false);
    expect(events.admits({ authorization: 'Basic eA==', 'stripe-signature': 't=1,v1=zz' })).toBe(
      false,
    );
  });

  it('refuses what is too old, and what comes from the future, to the second', async () => {
    if (toleranceSeconds === undefined) return;
    const age = async (seconds: number) =>
      await verdictOf(provider, sign(body, NOW_MS - seconds * 1_000));
    expect(await age(toleranceSeconds)).toBe('genuine');
    expect(await age(toleranceSeconds + 1)).toBe('stale');
    expect(await age(-300)).toBe('genuine');
    expect(await age(-301)).toBe('stale');
  });

  it('throws for what is no event', () => {
    const garbage = Buffer.from('bt_payload=eA%3D%3D');
    if (provider === adyen) expect(() => events.read(garbage)).toThrow();
    else
      expect(() =>
        events.read(provider === braintreeProvider ? garbage : Buffer.from('{}')),
      ).toThrow();
  });
});

describe('what the published examples say', () => {
  it('Stripe: a warning, a dispute, a refund that failed, a capture', () => {
    const read = (type: string, object: object, more: object = {}) =>
      stripe.events.read(Buffer.from(stripeEvent(type, object, more)))[0];
    expect(read('radar.early_fraud_warning.created', WARNING)).toEqual({
      id: 'evt_1NG8Du2eZvKYlo2CUI79vXWy',
      kind: 'fraud_warning',
      chargeReferences: ['ch_1234', 'pi_1234'],
      refundReference: null,
      disputeReference: null,
      amountMinor: null,
      currency: null,
      occurredAt: '2023-06-06T22:19:30.000Z',
    });
    /** https://docs.stripe.com/api/disputes/object */
    const dispute = {
      id: 'du_1MtJUT2eZvKYlo2CNaw2HvEv',
      object: 'dispute',
      amount: 1000,
      charge: 'ch_1AZtxr2eZvKYlo2CJDX8whov',
      currency: 'usd',
      payment_intent: null,
      status: 'needs_response',
    };
    expect(read('charge.dispute.created', dispute)).toMatchObject({
      kind: 'dispute_opened',
      chargeReferences: ['ch_1AZtxr2eZvKYlo2CJDX8whov'],
      disputeReference: 'du_1MtJUT2eZvKYlo2CNaw2HvEv',
      amountMinor: 1000,
      currency: 'USD',
    });
    /** https://docs.stripe.com/api/refunds/object */
    const refund = {
      id: 're_1Nispe2eZvKYlo2Cd31jOCgZ',
      object: 'refund',
      amount: 1000,
      charge: 'ch_1NirD82eZvKYlo2CIvbtLWuY',
      currency: 'usd',
      status: 'failed',
    };
    expect(read('refund.updated', refund)).toMatchObject({
      kind: 'refund_failed',
      refundReference: 're_1Nispe2eZvKYlo2Cd31jOCgZ',
    });
    const charge = {
      id: 'ch_3MmlLrLkdIwHu7ix0snN0B15',
      object: 'charge',
      amount: 1099,
      amount_captured: 1099,
      currency: 'jpy',
      payment_intent: 'pi_1',
    };
    expect(read('charge.captured', charge)).toMatchObject({
      kind: 'captured',
      amountMinor: 1099,
      currency: 'JPY',
    });
    expect(read('customer.created', { id: 'cus_1', object: 'customer' })).toBeUndefined();
  });

  it('Stripe: another connected account’s events say nothing', () => {
    const events = createStripeEvents({ signingSecrets: [STRIPE_SECRET], account: 'acct_ours' });
    const body = stripeEvent('radar.early_fraud_warning.created', WARNING, {
      account: 'acct_other',
    });
    expect(events.read(Buffer.from(body))).toEqual([]);
  });

  it('Adyen: every item is kept, and told on by its payment', async () => {
    const { events } = adyen;
    await events.keep?.(Buffer.from(adyen.body));
    expect(kept).toHaveLength(1);
    expect(isSigned(kept[0] as Record<string, unknown>, [ADYEN_KEY])).toBe(true);
    expect(events.read(Buffer.from(adyen.body))).toEqual([
      {
        id: '9915555555555555:NOTIFICATION_OF_FRAUD:true',
        kind: 'fraud_warning',
        chargeReferences: ['9913333333333333'],
        refundReference: null,
        disputeReference: null,
        amountMinor: 1000,
        currency: 'EUR',
        occurredAt: '2026-09-21T12:13:20.000Z',
      },
    ]);
    const failed = adyenBody(
      notification('REFUND', { pspReference: '88', originalReference: '99', success: 'false' }),
    );
    expect(events.read(Buffer.from(failed))[0]).toMatchObject({
      kind: 'refund_failed',
      refundReference: '88',
    });
  });

  it('Adyen: neither another account nor the other environment is believed', async () => {
    const other = adyenBody({
      ...notification('REFUND', { pspReference: '1' }),
      merchantAccountCode: 'Another',
    });
    expect(await verdictOf(adyen, adyen.sign(other, NOW_MS))).toBe('forged');
    const live = adyen.body.replace('"live":"false"', '"live":"true"');
    expect(await verdictOf(adyen, adyen.sign(live, NOW_MS))).toBe('forged');
  });

  it('Braintree: the SDK’s samples of disputes and failed refunds', async () => {
    const read = async (kind: string) =>
      braintreeProvider.events.read(braintreeProvider.sign(await braintreeXml(kind), NOW_MS).raw);
    const [opened] = await read('dispute_opened');
    expect(opened).toMatchObject({
      kind: 'dispute_opened',
      disputeReference: 'my_id',
      chargeReferences: ['my_id', Buffer.from('transaction_my_id').toString('base64')],
      amountMinor: 25000,
      currency: 'USD',
    });
    expect((await read('dispute_won'))[0]).toMatchObject({ kind: 'dispute_closed' });
    expect((await read('refund_failed'))[0]).toMatchObject({
      kind: 'refund_failed',
      refundReference: 'my_id',
    });
    expect(await read('subscription_canceled')).toEqual([]);
  });

  it('PayPal: a refund by its capture, a dispute by what it disputes', () => {
    expect(paypal.events.read(Buffer.from(PAYPAL_REFUND))).toEqual([
      {
        id: 'WH-1GE84257G0350133W-6RW800890C634293G',
        kind: 'refund_updated',
        chargeReferences: ['0JF852973C016714D'],
        refundReference: '1Y107995YT783435V',
        disputeReference: null,
        amountMinor: 99,
        currency: 'USD',
        occurredAt: '2018-08-15T19:14:04.543Z',
      },
    ]);
    /** https://developer.paypal.com/docs/disputes/reference/disputes-webhooks */
    const dispute = JSON.stringify({
      id: 'WH-4M0448861G563140B-9EX36365822141321',
      create_time: '2018-06-21T13:36:33.000Z',
      event_type: 'CUSTOMER.DISPUTE.CREATED',
      resource: {
        dispute_id: 'PP-000-042-663-135',
        disputed_transactions: [{ seller_transaction_id: '00D10444LD479031K' }],
        dispute_amount: { currency_code: 'USD', value: '3.00' },
      },
    });
    expect(paypal.events.read(Buffer.from(dispute))[0]).toMatchObject({
      kind: 'dispute_opened',
      disputeReference: 'PP-000-042-663-135',
      chargeReferences: ['00D10444LD479031K'],
      amountMinor: 300,
    });
  });

  // The certificate holds from 2026-11-22T21:50:16Z to 2036-11-19T21:50:16Z.
  it.each([
    ['2026-11-22T21:50:15Z', 'forged'],
    ['2026-11-22T21:50:16Z', 'genuine'],
    ['2036-11-19T21:50:16Z', 'genuine'],
    ['2036-11-19T21:50:17Z', 'forged'],
  ])(
    'PayPal: what is signed at %s is %s: the certificate holds or does not',
    async (at, verdict) => {
      const nowMs = Date.parse(at);
      expect(await verdictOf(paypal, paypal.sign(paypal.body, nowMs), nowMs)).toBe(verdict);
    },
  );

  it('PayPal: certificates come from its own host only, and once', async () => {
    const sent = paypal.sign(paypal.body, NOW_MS);
    const from = (url: string) => ({ ...sent.headers, 'paypal-cert-url': url });
    for (const url of [
      'https://api.paypal.com.evil.example/v1/notifications/certs/CERT-1',
      'http://api.paypal.com/v1/notifications/certs/CERT-1',
      'https://user@api.paypal.com/v1/notifications/certs/CERT-1',
      'https://api.paypal.com:8443/v1/notifications/certs/CERT-1',
      'https://api.paypal.com/v1/notifications/certs/../CERT-1',
      'https://api.sandbox.paypal.com/v1/notifications/certs/CERT-1',
    ]) {
      expect(paypal.events.admits(from(url)), url).toBe(false);
    }
    const before = fetched;
    await verdictOf(paypal, sent);
    expect(fetched).toBe(before);
    const verdicts: string[] = [];
    for (let each = 0; each < 8; each += 1) {
      const url = `${CERT_URL}-${each}`;
      verdicts.push(await verdictOf(paypal, { raw: sent.raw, headers: from(url) }));
    }
    // Strangers make us fetch a handful in a minute, and then wait.
    expect(verdicts.filter((verdict) => verdict === 'unavailable').length).toBeGreaterThan(1);
    expect(fetched - before).toBeLessThanOrEqual(6);
  });
});

describe.each([
  ['stripe', STRIPE_EVENTS],
  ['adyen', ADYEN_EVENTS],
  ['braintree', BRAINTREE_EVENTS],
  ['paypal', PAYPAL_EVENTS],
] as const)('the README of %s', (adapter, words) => {
  it('shows every event with what the code takes it for', async () => {
    const page = new URL(`../../../templates/processors/${adapter}/README.md`, import.meta.url);
    const rows = [...(await readFile(page, 'utf8')).matchAll(/^\| `([\w.]+)` \| `(\w+)` \|$/gm)];
    const events = rows.filter(([, , ours = '']) =>
      Object.values(words).includes(ours as 'captured'),
    );
    expect(events.map(([, word, ours]) => [word, ours])).toEqual(Object.entries(words));
  });
});
