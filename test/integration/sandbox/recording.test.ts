/**
 * Guarantee: a session, saved as a scenario file, happens again in another sandbox with other ids: calls with
 * their answers, time, events, deliveries with the receiver's answers. A difference is found.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import type { Sandbox } from '../../../src/sandbox/index.ts';
import { createSandbox, readScenarioFile, runScenario } from '../../../src/sandbox/index.ts';
import { createBrandTokens, parseBrandTokens } from '../../../src/service/wire/brand-tokens.ts';
import { jsonOf } from '../../contract/support/json.ts';
import type { Receiver } from '../../contract/support/receiver.ts';
import { createReceiver } from '../../contract/support/receiver.ts';

const HOUR_MS = 3_600_000;
const clock = () => createFixedClock('2026-11-20T00:00:00Z');
const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const sandbox of open.splice(0)) await sandbox.close();
});

async function start(options: Parameters<typeof createSandbox>[0] = {}): Promise<Sandbox> {
  const sandbox = await createSandbox({ clock: clock(), ...options });
  open.push(sandbox);
  return sandbox;
}

async function listen(): Promise<Receiver> {
  const receiver = await createReceiver();
  open.push(receiver);
  return receiver;
}

async function call(sandbox: Sandbox, method: string, path: string, body?: unknown) {
  const key = path.startsWith('/v1') ? sandbox.accounts.organisationKey : undefined;
  return fetch(sandbox.url + path, {
    method,
    headers: {
      ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
      ...(path === '/processor/refunds' ? { 'Idempotency-Key': 'k-1' } : {}),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** A dispute, a receiver that first fails, a refund at the processor, its declaration, a refusal. */
async function session(sandbox: Sandbox, receiver: Receiver): Promise<void> {
  const charge = await jsonOf(
    await call(sandbox, 'POST', '/sandbox/charges', { amount_in_cents: 5000, currency: 'USD' }),
  );
  receiver.status = 503;
  const alert = await jsonOf(
    await call(sandbox, 'POST', '/sandbox/alerts', { charge_reference: charge.reference }),
  );
  await sandbox.settle();
  receiver.status = 200;
  await call(sandbox, 'POST', '/sandbox/clock', { advance_seconds: 60 });
  const refund = await jsonOf(
    await call(sandbox, 'POST', '/processor/refunds', {
      charge_reference: charge.reference,
      amount_in_cents: 5000,
      currency: 'USD',
    }),
  );
  const declared = { action: 'REFUND', note: `refund ${refund.reference}, $\{not a name}` };
  await call(sandbox, 'PATCH', `/v1/alerts/${alert.id}`, declared);
  await call(sandbox, 'PATCH', `/v1/alerts/${alert.id}`, declared);
  await sandbox.advance(HOUR_MS);
  await call(sandbox, 'GET', `/v1/alerts/${alert.id}`);
}

async function replay(text: string, sandbox: Sandbox) {
  const folder = await mkdtemp(join(tmpdir(), 'recording-'));
  const file = join(folder, 'recorded.yaml');
  await writeFile(file, text);
  const scenario = await readScenarioFile(file);
  await rm(folder, { recursive: true });
  const report = await runScenario(sandbox, scenario);
  return { report, problems: report.steps.flatMap(({ problems }) => problems) };
}

async function recorded(): Promise<string> {
  const receiver = await listen();
  const sandbox = await start({ webhookUrl: receiver.url });
  await session(sandbox, receiver);
  return sandbox.recording();
}

describe('a recorded session', () => {
  test('is a story with names in place of ids', async () => {
    const text = await recorded();
    const story = parse(text);
    expect(story).toMatchObject({ clock: '2026-11-20T00:00:00.000Z', webhooks: true });
    const deliveries = story.steps.flatMap(
      (step: { deliveries?: object[] }) => step.deliveries ?? [],
    );
    expect(deliveries).toMatchObject([
      { event: 'alert.created', answer: 503 },
      { event: 'alert.created', answer: 200 },
      { event: 'alert.updated', answer: 200 },
    ]);
    expect(deliveries[0].data.object.status).toBe('ACTION_REQUIRED');
    const calls = story.steps.filter((step: { call?: string }) => step.call !== undefined);
    expect(calls.map(({ call: line }: { call: string }) => line)).toEqual([
      'POST /sandbox/charges',
      'POST /sandbox/alerts',
      'POST /processor/refunds',
      `PATCH /v1/alerts/\${s2.id}`,
      `PATCH /v1/alerts/\${s2.id}`,
      `GET /v1/alerts/\${s2.id}`,
    ]);
    expect(calls[4].expect).toMatchObject({
      status: 422,
      body: { errors: [{ code: 'INVALID_ACTION' }] },
    });
    // Nothing that the sandbox made up stands in it: no id, no key, no secret.
    expect(text.match(/\b[a-z]+_[0-9a-f]{12,}/g)).toBeNull();
    expect(text).not.toContain('127.0.0.1');
  });

  test.each([1, 2])(
    'happens again in a sandbox with seed %i, with a receiver that stands in',
    async (seed) => {
      const again = await start({ seed });
      const { report, problems } = await replay(await recorded(), again);
      expect(problems).toEqual([]);
      expect(report.ok).toBe(true);
      expect([...again.state.alerts.values()][0]?.note).toMatch(
        /^refund re_\w+, \$\{not a name\}$/,
      );
      expect(again.deliveries()[0]?.attempts.map((attempt) => attempt.http_status)).toEqual([
        503, 200,
      ]);
    },
  );

  test('asks a receiver of yours, and finds that it answers otherwise', async () => {
    const receiver = await listen();
    const { problems } = await replay(await recorded(), await start({ webhookUrl: receiver.url }));
    expect(problems).toEqual(['deliveries.0.answer: 200 is not 503']);
    expect(receiver.types()).toEqual(['alert.created']);
  });

  test.each([
    ['status: 422', 'status: 200'],
    ['transaction_refund_outcome: REFUNDED', 'transaction_refund_outcome: NOT_REFUNDED'],
    ['- alert.updated', '- alert.created'],
    ['advance: 60s', 'advance: 59s'],
  ])('is checked: %s turned into %s is found', async (was, becomes) => {
    const text = (await recorded()).replaceAll('advance: 1m', 'advance: 60s');
    expect(text).toContain(was);
    const { report } = await replay(text.replace(was, becomes), await start());
    expect(report.ok).toBe(false);
  });

  test('is checked against a sandbox whose clock is later', async () => {
    const late = await start({ clock: createFixedClock('2027-01-01T00:00:00Z') });
    const { report, problems } = await replay(await recorded(), late);
    expect(report.ok).toBe(false);
    expect(problems[0]).toContain('earlier clock');
  });
});

describe('what a recording begins with and leaves out', () => {
  test('seeds are part of it', async () => {
    const sandbox = await start();
    sandbox.seed({
      charges: [{ reference: 'ch', amount_in_cents: 700 }],
      alerts: [{ charge_reference: 'ch' }],
    });
    const list = await jsonOf(await call(sandbox, 'GET', '/v1/alerts/'));
    await call(sandbox, 'PATCH', `/v1/alerts/${list.items[0].id}`, { action: 'ACCEPT_DISPUTE' });
    const { problems } = await replay(sandbox.recording(), await start({ seed: 9 }));
    expect(problems).toEqual([]);
  });

  test('keys and endpoints that were made on the way are used again', async () => {
    const receiver = await listen();
    const sandbox = await start();
    const { subscriptionId } = sandbox.accounts;
    await call(sandbox, 'PATCH', `/sandbox/subscriptions/${subscriptionId}`, { url: receiver.url });
    const key = await jsonOf(
      await call(sandbox, 'POST', '/sandbox/keys', { abilities: ['alerts:read'] }),
    );
    const headers = { Authorization: `Bearer ${key.token}` };
    await fetch(`${sandbox.url}/v1/alerts/`, { headers });
    await fetch(`${sandbox.url}/v1/orders/`, { headers });
    await call(sandbox, 'POST', '/sandbox/alerts', {});
    await sandbox.settle();
    const { problems, report } = await replay(sandbox.recording(), await start({ seed: 9 }));
    expect(problems).toEqual([]);
    expect(report.ok).toBe(true);
  });

  test('a key that is none of the sandbox is never written down', async () => {
    const sandbox = await start();
    const headers = { Authorization: 'Bearer sk_live_somebody_real' };
    expect((await fetch(`${sandbox.url}/v1/alerts/`, { headers })).status).toBe(401);
    const text = sandbox.recording();
    expect(text).not.toContain('sk_live');
    expect((await replay(text, await start())).problems).toEqual([]);
  });

  test('faults strike again, a call without an answer included', async () => {
    const sandbox = await start();
    await call(sandbox, 'POST', '/sandbox/faults', { on: 'GET /v1/alerts', kind: 'drop_before' });
    await expect(call(sandbox, 'GET', '/v1/alerts')).rejects.toThrow('fetch failed');
    await fetch(`${sandbox.url}/v1/orders/`, { method: 'POST', body: '{"half' });
    const text = sandbox.recording();
    expect((await replay(text, await start({ seed: 3 }))).problems).toEqual([]);
    const without = text.replace('kind: drop_before', 'kind: delay');
    expect((await replay(without, await start())).report.ok).toBe(false);
  });

  test('a sandbox that speaks the real identifiers tells them, and is replayed by one like it', async () => {
    const brandTokens = createBrandTokens(parseBrandTokens('NETA=FIRSTNET,SCHEME_A=REDCARD'));
    const receiver = await listen();
    const sandbox = await start({ brandTokens, webhookUrl: receiver.url });
    await session(sandbox, receiver);
    const text = sandbox.recording();
    expect(text).toContain('type: FIRSTNET');
    expect(text).not.toContain('NETA');
    const { problems } = await replay(text, await start({ brandTokens, seed: 5 }));
    expect(problems).toEqual([]);
    // One that speaks the neutral names answers otherwise, and that is found.
    expect((await replay(text, await start())).problems.join()).toContain('FIRSTNET');
  });

  test('a reset begins a new one; a snapshot cannot be told from its beginning', async () => {
    const sandbox = await start();
    await call(sandbox, 'POST', '/sandbox/alerts', {});
    await call(sandbox, 'POST', '/sandbox/reset');
    await call(sandbox, 'GET', '/v1/orders/');
    const answer = await fetch(`${sandbox.url}/sandbox/recording`);
    expect(answer.headers.get('content-disposition')).toContain('recorded.yaml');
    expect(parse(await answer.text()).steps).toMatchObject([{ call: 'GET /v1/orders/' }]);
    sandbox.restore(sandbox.snapshot());
    expect(() => sandbox.recording()).toThrow('snapshot');
    expect((await fetch(`${sandbox.url}/sandbox/recording`)).status).toBe(422);
  });

  test('more than a scenario can hold is said, not cut', async () => {
    const sandbox = await start();
    const body = 'x'.repeat(9 * 1024 * 1024);
    for (let turn = 0; turn < 4; turn += 1) {
      await fetch(`${sandbox.url}/v1/orders/`, { method: 'POST', body });
    }
    expect(() => sandbox.recording()).toThrow('more happened');
  });
});
