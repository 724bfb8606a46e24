/**
 * Guarantee: what the control surface offers beyond the interface: reading what was raised, single descriptors,
 * a clock that begins and runs as told, endpoints in private networks, alerts with a card.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import type { Sandbox } from '../../../src/sandbox/index.ts';
import { createSandbox, readSeedExample } from '../../../src/sandbox/index.ts';
import { createSandboxClock } from '../../../src/sandbox/sandbox-clock.ts';
import type { Json } from '../../contract/support/json.ts';
import { jsonOf } from '../../contract/support/json.ts';
import { createReceiver } from '../../contract/support/receiver.ts';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await createSandbox({ clock: createFixedClock('2026-11-20T00:00:00Z') });
});
afterEach(() => sandbox.close());

async function control(method: string, path: string, body?: object) {
  const response = await fetch(`${sandbox.url}/sandbox${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, json: (await jsonOf(response)) as Json };
}

describe('reading', () => {
  test('representments, scheme notices and partners are listed', async () => {
    const representment = sandbox.createRepresentment();
    const notice = sandbox.createSchemeNotice();
    const listed = async (path: string) => (await control('GET', path)).json.items;
    expect(await listed('/representments')).toMatchObject([{ id: representment.id }]);
    expect(await listed('/scheme-notices')).toMatchObject([{ id: notice.id }]);
    const { partnerId } = sandbox.accounts;
    expect(await listed('/partners')).toEqual([{ id: partnerId, name: 'Demo partner' }]);
  });
});

describe('one descriptor', () => {
  const path = () => `/enrolments/${sandbox.accounts.alertEnrolmentId}/descriptors`;
  const added = { descriptor: 'DEMO SHOP', match_type: 'EXACT_MATCH' };
  const first = { descriptor: 'DEMO STORE', match_type: 'STARTS_WITH', status: 'ACTIVE' };

  test('is added beside the others, with an event', async () => {
    const { status, json } = await control('POST', path(), added);
    expect(status).toBe(201);
    expect(json.neta_alert.descriptors).toEqual([first, { ...added, status: 'ACTIVE' }]);
    const [event] = sandbox.events();
    expect(event?.type).toBe('enrolment.updated');
    expect(JSON.parse(String(event?.body)).data.previous_attributes).toEqual({
      neta_alert: { descriptors: [first] },
    });
  });

  test('is refused where it is there already; another match type is another one', async () => {
    const { status, json } = await control('POST', path(), { ...first, status: 'PENDING' });
    expect([status, json.errors[0].code]).toEqual([422, 'DUPLICATE_DESCRIPTOR']);
    const other = { ...first, match_type: 'EXACT_MATCH' };
    expect((await control('POST', path(), other)).status).toBe(201);
  });

  test('is removed by its text, or by text and match type', async () => {
    await control('POST', path(), added);
    await control('POST', path(), { ...added, match_type: 'STARTS_WITH' });
    const one = await control('DELETE', `${path()}?descriptor=DEMO%20SHOP&match_type=EXACT_MATCH`);
    expect(one.json.neta_alert.descriptors).toMatchObject([
      { descriptor: 'DEMO STORE' },
      { descriptor: 'DEMO SHOP', match_type: 'STARTS_WITH' },
    ]);
    const rest = await control('DELETE', `${path()}?descriptor=DEMO%20SHOP`);
    expect(rest.json.neta_alert.descriptors).toEqual([first]);
    expect((await control('DELETE', `${path()}?descriptor=DEMO%20SHOP`)).status).toBe(404);
    expect((await control('DELETE', path())).status).toBe(422);
  });

  test('belongs to enrolments for alerts only', async () => {
    const rdr = `/enrolments/${sandbox.accounts.rdrEnrolmentId}/descriptors`;
    expect((await control('POST', rdr, added)).status).toBe(404);
  });
});

describe('a simulated alert', () => {
  test('carries the card that the simulation names', async () => {
    const { accounts } = sandbox;
    const response = await fetch(`${sandbox.url}/v1/simulate/alerts`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${accounts.organisationKey}` },
      body: JSON.stringify({
        organisation_id: accounts.organisationId,
        enrolment_id: accounts.alertEnrolmentId,
        status: 'ACTION_REQUIRED',
        card_scheme: 'SCHEME_A',
        amount_in_cents: 100,
        currency_code: 'USD',
        transaction_acquirer_reference_number: '7'.repeat(23),
        transaction_authorisation_code: 'A1B2C3',
        transaction_card_bin: '424242',
        transaction_card_last4: '4242',
      }),
    });
    expect(await jsonOf(response)).toMatchObject({
      transaction_card_bin: '424242',
      transaction_card_last4: '4242',
      transaction_statement_descriptor: 'DEMO STORE',
    });
  });
});

describe('endpoints', () => {
  test.each([
    'https://merchant.example/hook',
    'http://127.0.0.1:8080/hook',
    'http://[::1]:8080/hook',
    'http://localhost/hook',
    'http://shop:8080/hook',
    'http://host.docker.internal:8080/hook',
    'http://10.1.2.3/hook',
    'http://172.31.0.9/hook',
    'http://192.168.1.9/hook',
  ])('%s is accepted', async (url) => {
    expect((await control('POST', '/subscriptions', { url })).status).toBe(201);
  });

  test.each([
    'http://merchant.example/hook',
    'http://172.32.0.9/hook',
    'http://11.0.0.1/hook',
    'http://internal.example/hook',
    'http://[2001:db8::1]/hook',
    'ftp://shop/hook',
    'shop',
  ])('%s is refused', async (url) => {
    const { status, json } = await control('POST', '/subscriptions', { url });
    expect([status, json.errors[0].field]).toEqual([422, 'url']);
  });
});

describe('the answer of a receiver', () => {
  test('is kept with its attempt, cut where it is long; none is null', async () => {
    const receiver = await createReceiver();
    sandbox.pointWebhooksAt(receiver.url);
    receiver.status = 503;
    receiver.body = `asleep${'z'.repeat(5_000)}`;
    sandbox.createAlert();
    await sandbox.settle();
    sandbox.addFault({ on: 'webhook', kind: 'drop_before' });
    await sandbox.advance(60_000);
    await receiver.close();
    const { items } = (await control('GET', '/deliveries')).json;
    expect(items[0].attempts).toMatchObject([
      { http_status: 503, answer: receiver.body.slice(0, 2_000), error: null },
      { http_status: null, answer: null, error: 'not sent on purpose' },
    ]);
  });
});

describe('a clock that begins and runs as told', () => {
  test('its rate multiplies what passes; a move sets it again', () => {
    let realMs = 1000;
    const clock = createSandboxClock({ nowMs: () => realMs }, { startsAtMs: 50_000, rate: 60 });
    expect(clock.nowMs()).toBe(50_000);
    realMs += 1000;
    expect(clock.nowMs()).toBe(110_000);
    clock.moveTo(500_000);
    realMs += 10;
    expect(clock.nowMs()).toBe(500_600);
    expect(clock.standsStill).toBe(false);
  });

  test('at rate 0 it stands still where it began', async () => {
    const still = await createSandbox({
      startsAtMs: Date.parse('2026-11-01T00:00Z'),
      clockRate: 0,
    });
    const read = async () => (await jsonOf(await fetch(`${still.url}/sandbox/clock`))).now;
    expect([await read(), still.clock.standsStill]).toEqual(['2026-11-01T00:00:00.000Z', true]);
    await still.close();
  });

  test('a fast one fires its timers as fast', async () => {
    const receiver = await createReceiver();
    receiver.status = 500;
    // A minute until the first retry: six milliseconds at this rate.
    const fast = await createSandbox({ clockRate: 10_000, webhookUrl: receiver.url });
    fast.createAlert();
    await expect.poll(() => receiver.received.length).toBeGreaterThan(1);
    await fast.close();
    await receiver.close();
  });
});

describe('the example of a seed file', () => {
  test('can be used as it is, and explains every list it holds', async () => {
    const text = await readSeedExample();
    const lists = [...text.matchAll(/^([a-z_]+):/gm)].map(([, name]) => name);
    const also = /^# Also: (.+)\.$/m.exec(text)?.[1]?.split(', ') ?? [];
    expect([...lists, ...also].sort()).toEqual(
      [
        ...['alerts', 'charges', 'enrolments', 'groups', 'integrations', 'keys', 'lookups'],
        ...['merchants', 'orders', 'organisations', 'representments', 'scheme_notices'],
        ...['subscriptions', 'transactions'],
      ].sort(),
    );
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
  });
});
