/** Guarantee: the sandbox's webhook settings do what they say: timestamps of retries, time limit. */
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { createVerifier } from '../../src/alerts/receive/signature.ts';
import { createFixedClock, systemClock } from '../../src/base/kernel/clock.ts';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/index.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import { contract, sandboxRule } from './support/contract.ts';
import { jsonOf } from './support/json.ts';
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
    const headers = receiver.received.map((request) => request.headers['x-signature']);
    expect(headers).toHaveLength(3);
    expect(new Set(headers).size).toBe(1);
    expect(headers[0]).toMatch(/^t=1795132800,/);
  });
});

describe('whose time signatures carry', () => {
  let running: Sandbox;
  afterEach(() => running.close());

  /** How far `t` of each delivery is from the time of this machine, in seconds. */
  const distances = (): number[] =>
    receiver.received.map(({ headers }) => {
      const signedAt = Number(/^t=(\d+)/.exec(`${headers['x-signature']}`)?.[1]);
      return Math.abs(Date.now() / 1000 - signedAt);
    });

  const HALF_A_DAY_MS = 12 * 3_600_000;

  async function start(options: SandboxOptions): Promise<void> {
    running = await createSandbox({ webhookUrl: receiver.url, ...options });
  }

  async function deliverAfterMove(): Promise<void> {
    const before = receiver.received.length;
    await running.advance(HALF_A_DAY_MS);
    running.createAlert();
    await running.settle();
    await expect.poll(() => receiver.received.length).toBe(before + 1);
  }

  sandboxRule('a receiver in another process finds signatures fresh after a move', async () => {
    await start({});
    await deliverAfterMove();
    expect(distances()[0]).toBeLessThan(300);
    const { bytes, headers } = receiver.received[0]!;
    const verifier = createVerifier({
      secrets: [running.accounts.webhookSecret],
      clock: systemClock,
    });
    expect(verifier.verify(`${headers['x-signature']}`, bytes)).toMatchObject({ ok: true });
    expect(receiver.received[0]?.json.created_at).toBe(running.events()[0]?.created_at);
  });

  sandboxRule('an option, and the control surface, choose the time of signatures', async () => {
    await start({ signatureTime: 'sandbox' });
    await deliverAfterMove();
    const clock = `${running.url}/sandbox/clock`;
    expect(await jsonOf(await fetch(clock))).toMatchObject({ signature_time: 'sandbox' });
    await fetch(clock, { method: 'PATCH', body: '{"signature_time":"real"}' });
    await deliverAfterMove();
    running.reset();
    running.pointWebhooksAt(receiver.url);
    await deliverAfterMove();
    expect(distances().map((seconds) => seconds < 300)).toEqual([false, true, false]);
    const refused = await fetch(clock, { method: 'PATCH', body: '{"signature_time":"mine"}' });
    expect(refused.status).toBe(422);
  });

  sandboxRule('beside a fixed clock real signatures are chosen by the option', async () => {
    await start({ clock: createFixedClock('2031-01-01T00:00:00Z'), signatureTime: 'real' });
    await deliverAfterMove();
    expect(distances()[0]).toBeLessThan(300);
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
