/** Guarantee: webhooks are delivered, signed, retried and given up as section Events says. */
import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { contract, START, sandboxRule } from './support/contract.ts';
import type { Receiver } from './support/receiver.ts';
import { createReceiver } from './support/receiver.ts';

const t = contract();
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let receiver: Receiver;
beforeEach(async () => {
  receiver = await createReceiver();
});
afterEach(() => receiver.close());

/** One alert on its way to the receiver. */
function raise(): string {
  t.sandbox.pointWebhooksAt(receiver.url);
  return t.sandbox.createAlert().id;
}

describe('envelope and headers', () => {
  sandboxRule('a created event has the envelope without previous_attributes', async () => {
    const id = raise();
    await t.sandbox.settle();
    expect(receiver.received).toHaveLength(1);
    expect(receiver.received[0]?.json).toEqual({
      id: expect.stringMatching(/^evt_/),
      type: 'alert.created',
      created_at: START,
      data: { object: expect.objectContaining({ id }) },
      api_version: 'v1',
    });
  });

  sandboxRule('a webhook is an HTTP POST of JSON with both headers', async () => {
    raise();
    await t.sandbox.settle();
    const { headers } = receiver.received[0]!;
    expect(headers['content-type']).toBe('application/json');
    expect(headers['x-signature']).toMatch(/^t=1795132800,v1=[0-9a-f]{128}$/);
    expect(headers['x-idempotency-key']).toMatch(/^whdl_/);
  });

  sandboxRule('the signature is HMAC-SHA512 over t, a period and the raw bytes', async () => {
    raise();
    await t.sandbox.settle();
    const { headers, bytes } = receiver.received[0]!;
    const [, signedAt, digest] = /^t=(\d+),v1=(.+)$/.exec(`${headers['x-signature']}`) ?? [];
    const secret = t.sandbox.accounts.webhookSecret;
    expect(secret).toMatch(/^whsec_/);
    const expected = createHmac('sha512', secret)
      .update(`${signedAt}.`)
      .update(bytes)
      .digest('hex');
    expect(digest).toBe(expected);
  });

  sandboxRule('each subscription signs with its own secret', async () => {
    const secret = 'whsec_of_the_second_subscription';
    t.sandbox.subscribe({ url: receiver.url, secret });
    t.sandbox.createAlert();
    await t.sandbox.settle();
    const { headers, bytes } = receiver.received[0]!;
    const signedAt = Date.parse(START) / 1000;
    const digest = createHmac('sha512', secret).update(`${signedAt}.`).update(bytes).digest('hex');
    expect(headers['x-signature']).toBe(`t=${signedAt},v1=${digest}`);
  });

  sandboxRule('the event time and the signature time are the time of the sandbox', async () => {
    await t.sandbox.advance(HOUR_MS);
    raise();
    await t.sandbox.settle();
    expect(receiver.received[0]?.json.created_at).toBe('2026-11-20T01:00:00.000Z');
    expect(receiver.received[0]?.headers['x-signature']).toMatch(/^t=1795136400,/);
  });
});

describe('subscriptions', () => {
  sandboxRule('a subscription receives the types it selected only', async () => {
    const types = ['alert.updated'] as const;
    t.sandbox.subscribe({ url: receiver.url, types: [...types] });
    const alert = t.sandbox.createAlert();
    t.sandbox.resolveInDashboard(alert.id, 'REFUND');
    await t.sandbox.settle();
    expect(receiver.types()).toEqual(['alert.updated']);
  });

  sandboxRule('every subscription of an organisation gets its own delivery', async () => {
    t.sandbox.subscribe({ url: receiver.url });
    raise();
    await t.sandbox.settle();
    const keys = receiver.received.map(({ headers }) => headers['x-idempotency-key']);
    expect(new Set(keys).size).toBe(2);
    expect(new Set(receiver.received.map(({ json }) => json.id)).size).toBe(1);
  });

  sandboxRule('a partner subscription receives the events of its organisations', async () => {
    const { partnerGroupId } = t.sandbox.accounts;
    t.sandbox.subscribe({ url: receiver.url, group_id: partnerGroupId });
    t.sandbox.createAlert();
    await t.sandbox.settle();
    expect(receiver.types()).toEqual(['alert.created']);
  });

  sandboxRule('events of another organisation are not received', async () => {
    t.sandbox.pointWebhooksAt(receiver.url);
    const { json } = await t.control('POST', '/organisations', { name: 'Other' });
    const merchant = { name: 'Theirs', organisation_id: json.id };
    const merchantId = (await t.control('POST', '/merchants', merchant)).json.id;
    const enrolment = { type: 'NETA_ALERT', merchant_ids: [merchantId] };
    const enrolmentId = (await t.control('POST', '/enrolments', enrolment)).json.id;
    t.sandbox.createAlert({ enrolment_id: enrolmentId });
    await t.sandbox.settle();
    expect(receiver.received).toEqual([]);
  });

  for (const url of ['http://merchant.example/hook', 'ftp://127.0.0.1/hook', 'hook']) {
    sandboxRule(`the endpoint URL must be HTTPS, not ${url}`, async () => {
      const reply = await t.control('POST', '/subscriptions', { url });
      expect(reply.status).toBe(422);
    });
  }

  sandboxRule('an HTTPS endpoint URL is taken', async () => {
    const body = { url: 'https://merchant.example/hook' };
    expect((await t.control('POST', '/subscriptions', body)).status).toBe(201);
  });
});

describe('retries', () => {
  const LADDER = [
    '2026-11-20T00:00:00.000Z',
    '2026-11-20T00:01:00.000Z',
    '2026-11-20T00:06:00.000Z',
    '2026-11-20T00:36:00.000Z',
    '2026-11-20T02:36:00.000Z',
    '2026-11-20T14:36:00.000Z',
  ];

  sandboxRule(
    'five retries follow after 1 min, 5 min, 30 min, 2 h and 12 h, then FAILED',
    async () => {
      receiver.status = 500;
      raise();
      await t.sandbox.advance(48 * HOUR_MS);
      const [delivery] = t.sandbox.deliveries();
      expect(delivery?.attempts.map(({ at }) => at)).toEqual(LADDER);
      expect(delivery?.status).toBe('FAILED');
      expect(receiver.received).toHaveLength(6);
    },
  );

  sandboxRule('a retry is not sent a moment too early', async () => {
    receiver.status = 500;
    raise();
    await t.sandbox.settle();
    await t.sandbox.advance(MINUTE_MS - 1);
    expect(receiver.received).toHaveLength(1);
    await t.sandbox.advance(1);
    expect(receiver.received).toHaveLength(2);
  });

  for (const status of [302, 400, 401, 404, 410, 422, 429, 500, 503]) {
    sandboxRule(`an answer of ${status} is a failure and retried`, async () => {
      receiver.status = status;
      raise();
      await t.sandbox.settle();
      receiver.status = 200;
      await t.sandbox.advance(MINUTE_MS);
      const [delivery] = t.sandbox.deliveries();
      expect(delivery?.attempts.map((attempt) => attempt.http_status)).toEqual([status, 200]);
      expect(delivery?.status).toBe('SUCCEEDED');
    });
  }

  for (const status of [200, 201, 202, 204]) {
    sandboxRule(`an answer of ${status} is a success`, async () => {
      receiver.status = status;
      raise();
      await t.sandbox.advance(HOUR_MS);
      expect(t.sandbox.deliveries()[0]?.status).toBe('SUCCEEDED');
      expect(receiver.received).toHaveLength(1);
    });
  }

  sandboxRule('a network error is a failure and retried', async () => {
    t.sandbox.pointWebhooksAt('http://127.0.0.1:1/hook');
    t.sandbox.createAlert();
    await t.sandbox.settle();
    const [delivery] = t.sandbox.deliveries();
    expect(delivery).toMatchObject({ status: 'PENDING', next_attempt_at: LADDER[1] });
    expect(delivery?.attempts[0]).toMatchObject({ http_status: null, error: expect.any(String) });
  });

  sandboxRule('delivery id, event id and body stay the same across retries', async () => {
    receiver.status = 500;
    raise();
    await t.sandbox.advance(48 * HOUR_MS);
    const requests = receiver.received.map(({ headers, bytes }) => [
      headers['x-idempotency-key'],
      bytes.toString(),
    ]);
    expect(new Set(requests.map(([key]) => key)).size).toBe(1);
    expect(new Set(requests.map(([, body]) => body)).size).toBe(1);
  });

  sandboxRule('a retry is signed again with its own time', async () => {
    receiver.status = 500;
    raise();
    await t.sandbox.advance(2 * MINUTE_MS);
    const times = receiver.received.map(
      ({ headers }) => /^t=(\d+)/.exec(`${headers['x-signature']}`)?.[1],
    );
    expect(times).toEqual(['1795132800', '1795132860']);
  });

  sandboxRule(
    'an endpoint that keeps failing is disabled and its owner told by e-mail',
    async () => {
      receiver.status = 500;
      raise();
      t.sandbox.createAlert();
      t.sandbox.createAlert();
      await t.sandbox.advance(48 * HOUR_MS);
      const subscription = t.sandbox.state.subscriptions.get(t.sandbox.accounts.subscriptionId);
      expect(subscription?.status).toBe('DISABLED');
      expect(t.sandbox.state.notices).toEqual([
        {
          at: expect.any(String),
          to: 'owner@merchant.example',
          subject: expect.stringContaining(receiver.url),
        },
      ]);
      const before = receiver.received.length;
      t.sandbox.createAlert();
      await t.sandbox.advance(48 * HOUR_MS);
      expect(receiver.received).toHaveLength(before);
    },
  );

  sandboxRule('one success between failures keeps an endpoint enabled', async () => {
    t.sandbox.pointWebhooksAt(receiver.url);
    for (const status of [500, 500, 200, 500, 500]) {
      receiver.status = status;
      t.sandbox.createAlert();
      await t.sandbox.advance(24 * HOUR_MS);
    }
    const subscription = t.sandbox.state.subscriptions.get(t.sandbox.accounts.subscriptionId);
    expect(subscription?.status).toBe('ENABLED');
  });

  sandboxRule('a redelivery sends the same event under a new delivery id', async () => {
    raise();
    await t.sandbox.settle();
    const [first] = t.sandbox.deliveries();
    const path = `/deliveries/${first?.id}/redeliver`;
    const { id } = (await t.control('POST', path, {})).json;
    await t.sandbox.settle();
    expect(receiver.received.map(({ json }) => json.id)).toEqual([
      first?.event_id,
      first?.event_id,
    ]);
    expect(receiver.received[1]?.headers['x-idempotency-key']).toBe(id);
    expect(id).not.toBe(first?.id);
  });
});
