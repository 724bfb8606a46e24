/**
 * Guarantee: endpoints of the file are read whole or refused with the reason, and kept beside those of the console; their secrets are
 * sealed again when keys change; an address is told only to the endpoint that asks for it; and health and metrics name the one that
 * fails, and nothing where all is well.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { carryKeys } from '../../../src/base/db/carried-keys.ts';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { parseDataKeys } from '../../../src/base/kernel/data-keys.ts';
import { createEndpointSecret } from '../../../src/base/notify/standard-webhooks.ts';
import { readCustomerEmail } from '../../../src/capabilities/events/customer-email.store.ts';
import { deliveringHealth, deliveryMetrics } from '../../../src/capabilities/events/delivering.ts';
import {
  changeEndpoint,
  listEndpoints,
  resealEndpoints,
} from '../../../src/capabilities/events/endpoint.store.ts';
import { openEndpoints } from '../../../src/capabilities/events/endpoints-file.ts';
import { storeSettingsEndpoints } from '../../../src/capabilities/events/settings-endpoint.store.ts';
import { useTestDatabase } from '../../support/database.ts';
import type { Receiver } from './delivery-world.ts';
import { openReceiver, openStream } from './delivery-world.ts';

const NOW = '2026-03-01T12:00:00.000Z';
const HOUR = 3_600_000;
const [K1, K2] = ['a', 'b'].map((name) => `${name}:${randomBytes(32).toString('base64')}`);

const test = useTestDatabase();
const folder = mkdtempSync(join(tmpdir(), 'forestall-endpoints-'));
afterAll(() => rmSync(folder, { recursive: true }));
let clock = createFixedClock(NOW);
let receiver: Receiver;
beforeEach(async () => {
  clock = createFixedClock(NOW);
  receiver = await openReceiver(() => 200);
});
afterEach(async () => await receiver.close());

const scopeOf = (organisationId: string) => ({ organisationId, now: new Date(clock.nowMs()) });

function fileOf(text: string): string {
  const path = join(folder, 'endpoints.yaml');
  writeFileSync(path, text);
  return path;
}

describe('the file', () => {
  const one = createEndpointSecret();
  const other = createEndpointSecret();

  it('is read with its secrets, those of a file beside it too', () => {
    writeFileSync(join(folder, 'shop.secret'), `${one}\n\n${other}\n`);
    const path = fileOf(`endpoints:
  - name: shop
    url: https://shop.example/hooks
    secrets_file: shop.secret
    types: [refund.confirmed]
    merchants: [mrch_1]
    with_email: true
  - name: erp
    url: https://erp.example/hooks
    secrets: [${one}]
`);
    expect(openEndpoints(path)).toEqual([
      {
        name: 'shop',
        url: 'https://shop.example/hooks',
        types: ['refund.confirmed'],
        merchants: ['mrch_1'],
        withEmail: true,
        secrets: [one, other],
      },
      {
        name: 'erp',
        url: 'https://erp.example/hooks',
        types: [],
        merchants: [],
        withEmail: false,
        secrets: [one],
      },
    ]);
    expect(openEndpoints(undefined)).toBeUndefined();
    expect(openEndpoints(fileOf('endpoints: []\n'))).toEqual([]);
  });

  const shop = 'endpoints:\n  - name: shop\n    url: https://shop.example\n';
  it.each([
    ['no secret', shop, 'needs either secrets or secrets_file'],
    [
      'both',
      `${shop}    secrets: [${one}]\n    secrets_file: shop.secret\n`,
      'needs either secrets or secrets_file',
    ],
    ['a short secret', `${shop}    secrets: [whsec_AAAA]\n`, '24 to 64 bytes'],
    ['three secrets', `${shop}    secrets: [${one}, ${one}, ${one}]\n`, 'secrets'],
    [
      'a name twice',
      `${shop}    secrets: [${one}]\n  - name: shop\n    url: https://b.example\n    secrets: [${one}]\n`,
      'has the name “shop” twice',
    ],
    ['another scheme', shop.replace('https', 'ftp'), 'url'],
    ['a word that there is not', `${shop}    secrets: [${one}]\n    filter: []\n`, 'filter'],
    [
      'a missing secrets_file',
      `${shop}    secrets_file: none.secret\n`,
      'secrets_file of “shop” names a file that cannot be read',
    ],
  ])('is refused with %s', (_what, text, said) => {
    expect(() => openEndpoints(fileOf(text))).toThrow(said);
  });

  it('is refused with an empty secrets_file', () => {
    writeFileSync(join(folder, 'empty.secret'), '\n');
    expect(() => openEndpoints(fileOf(`${shop}    secrets_file: empty.secret\n`))).toThrow(
      'holds one or two secrets',
    );
  });

  it('is kept beside the console’s, begins with what comes, and what leaves it is told nothing', async () => {
    const stream = openStream(test.db, clock);
    const { organisationId } = stream;
    await stream.note('before');
    await stream.add(`${receiver.url}?console`);
    const shopEndpoint = {
      ...{ name: 'shop', url: receiver.url, types: [], merchants: [], withEmail: false },
      secrets: [one],
    };
    await storeSettingsEndpoints(test.db, [shopEndpoint], scopeOf(organisationId));
    await storeSettingsEndpoints(test.db, [shopEndpoint], scopeOf(organisationId));
    const kept = async (): Promise<unknown[]> =>
      (await listEndpoints(test.db, organisationId)).map((each) => [each.kept_by, each.state]);
    expect((await kept()).toSorted()).toEqual([
      ['console', 'ON'],
      ['settings', 'ON'],
    ]);
    await stream.note('a');
    await stream.deliverer({ secretsOf: () => [one] }).runOnce();
    expect(receiver.got.map(({ body }) => body.position)).toEqual([2, 2]);
    // The secrets of the file stay in it.
    const { rows } = await sql<{ said: string }>`
      select secrets::text as said from event_endpoint where kept_by = 'settings' and organisation_id = ${organisationId}`.execute(
      test.db,
    );
    expect(rows.map(({ said }) => said)).toEqual(['[]']);
    await storeSettingsEndpoints(test.db, [], scopeOf(organisationId));
    await stream.note('b');
    await stream.deliverer({ secretsOf: () => undefined }).runOnce();
    expect(receiver.got).toHaveLength(3);
    expect(await kept()).toEqual([['console', 'ON']]);
  });
});

describe('secrets of the console', () => {
  it('are sealed under the key that seals now, opened where none does, and sign on', async () => {
    const stream = openStream(test.db, clock);
    const { organisationId } = stream;
    const { id, secret } = await stream.add(receiver.url);
    const stored = async (): Promise<string> => {
      const { rows } = await sql<{ said: string }>`
        select secrets::text as said from event_endpoint where id = ${id}`.execute(test.db);
      return rows[0]?.said ?? '';
    };
    expect(await stored()).toContain(secret);
    const sealedBy: string[] = [];
    for (const keys of [`${K1}`, `${K2},${K1}`, `${K2}`]) {
      await resealEndpoints(test.db, organisationId, parseDataKeys(keys));
      expect(await stored()).not.toContain(secret);
      sealedBy.push(await stored());
    }
    // Another key, another text; the same key, the same.
    expect([sealedBy[0] === sealedBy[1], sealedBy[1] === sealedBy[2]]).toEqual([false, true]);
    // Without the key nothing is sent, and nothing is lost.
    await expect(
      resealEndpoints(test.db, organisationId, parseDataKeys(`${K1}`)),
    ).rejects.toThrow();
    await stream.note('a');
    const [plugin] = carryKeys(parseDataKeys(`${K2}`));
    const db = plugin === undefined ? test.db : test.db.withPlugin(plugin);
    await stream.deliverer({ db }).runOnce();
    expect(receiver.got.map(({ status }) => status)).toEqual([200]);
  });
});

describe('the customer’s address', () => {
  it('is told to the endpoint that asks for it, and to no other', async () => {
    const stream = openStream(test.db, clock);
    const { organisationId } = stream;
    await sql`
      insert into order_record (organisation_id, integration_id, reference_id, type, state, submitted, submitted_hash, body, missing, warnings, accepted_at, changed_at, next_attempt_at)
      values (${organisationId}, 'int_1', 'A-1', 'COMPLETE', 'WAITING', '{}', '\\x00', '{"customer_email":"kim@shop.example"}', '{}', '[]', ${NOW}, ${NOW}, ${NOW})`.execute(
      test.db,
    );
    await stream.add(`${receiver.url}?with`, { withEmail: true });
    await stream.add(`${receiver.url}?without`);
    await sql`select note_event(${organisationId}, 'order.refused', ${NOW}, null, 'int_1/A-1', null, '{"order_reference":"A-1"}')`.execute(
      test.db,
    );
    await sql`select note_event(${organisationId}, 'order.refused', ${NOW}, null, 'int_1/A-2', null, '{"order_reference":"A-2"}')`.execute(
      test.db,
    );
    await stream.note();
    await stream
      .deliverer({
        emailOf: async (about) => await readCustomerEmail(test.db, organisationId, about),
      })
      .runOnce();
    const bodies = receiver.got
      .map(({ body }) => [body.position, body.data['customer_email']])
      .toSorted();
    expect(bodies.filter(([, email]) => email !== undefined).toSorted()).toEqual([
      [1, 'kim@shop.example'],
      [2, null],
    ]);
    expect(bodies).toHaveLength(4);
    // It is in no row of the stream.
    const { rows } = await sql<{ said: string }>`select data::text as said from event`.execute(
      test.db,
    );
    expect(rows.filter(({ said }) => said.includes('kim'))).toEqual([]);
  });
});

describe('health and metrics', () => {
  it('say nothing without endpoints, and name the one that fails, or is off for a reason', async () => {
    const stream = openStream(test.db, clock);
    const { organisationId } = stream;
    const health = async () => (await deliveringHealth(test.db, scopeOf(organisationId)))[0];
    const samples = async (): Promise<Record<string, number>> =>
      Object.fromEntries(
        (await deliveryMetrics.read(test.db, scopeOf(organisationId))).map(({ name, value }) => [
          name.replace('forestall_', ''),
          value,
        ]),
      );
    expect([await health(), await samples()]).toEqual([undefined, {}]);
    const { id } = await stream.add(receiver.url);
    expect(await health()).toMatchObject({ status: 'ok', detail: '1 endpoint for events' });

    receiver.answer = () => 500;
    const deliverer = stream.deliverer();
    for (let times = 0; times < 12; times += 1) {
      await stream.note(`s${times}`);
      await deliverer.runOnce();
      clock.advanceMs(10 * 60_000);
    }
    expect(await health()).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining('has taken no event since 2026-03-01 12:00') as string,
    });
    expect(await samples()).toEqual({
      endpoints_off: 0,
      deliveries_waiting: 12,
      deliveries_oldest_seconds: 2 * 3_600,
      deliveries_given_up: 0,
    });

    receiver.answer = () => 410;
    clock.advanceMs(24 * HOUR);
    await deliverer.runOnce();
    expect(await health()).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining('is switched off: it answered 410 Gone') as string,
      nextStep: expect.stringContaining('switch it on there') as string,
    });
    expect((await samples())['endpoints_off']).toBe(1);

    receiver.answer = () => 200;
    const act = { ...scopeOf(organisationId), id, by: 'operator:ann' };
    await changeEndpoint(test.db, 'on', act);
    await deliverer.runOnce();
    expect(await health()).toMatchObject({ status: 'ok' });
    expect(await samples()).toEqual({
      endpoints_off: 0,
      deliveries_waiting: 0,
      deliveries_oldest_seconds: 0,
      deliveries_given_up: 0,
    });
    // What a person switched off is as they want it.
    await changeEndpoint(test.db, 'off', act);
    expect(await health()).toMatchObject({ status: 'ok' });
  });
});
