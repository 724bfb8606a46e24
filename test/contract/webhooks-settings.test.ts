/** Guarantee: the sandbox's webhook settings do what they say: timestamps of retries, time limit. */
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { contract, sandboxRule } from './support/contract.ts';
import type { Receiver } from './support/receiver.ts';
import { createReceiver } from './support/receiver.ts';

let receiver: Receiver;
beforeEach(async () => {
  receiver = await createReceiver();
});
afterEach(() => receiver.close());

describe('timestamps', () => {
  const t = contract({ retryTimestamps: 'first' });

  sandboxRule('a retry can carry the timestamp of the first attempt', async () => {
    receiver.status = 500;
    t.sandbox.pointWebhooksAt(receiver.url);
    t.sandbox.createAlert();
    await t.sandbox.advance(10 * 60_000);
    const headers = receiver.received.map((it) => it.headers['x-signature']);
    expect(headers).toHaveLength(3);
    expect(new Set(headers).size).toBe(1);
    expect(headers[0]).toMatch(/^t=1795132800,/);
  });
});

describe('time limit', () => {
  // The service waits 20 s; the sandbox's default is checked where its options are.
  const t = contract({ webhookTimeoutMs: 250 });

  sandboxRule('no answer within the time limit is a failure', async () => {
    receiver.silent = true;
    t.sandbox.pointWebhooksAt(receiver.url);
    t.sandbox.createAlert();
    await t.sandbox.settle();
    const [delivery] = t.sandbox.deliveries();
    expect(delivery).toMatchObject({
      status: 'PENDING',
      next_attempt_at: '2026-11-20T00:01:00.000Z',
    });
    expect(delivery?.attempts[0]).toMatchObject({ http_status: null });
  });
});
