/**
 * Guarantee: administrators who proved who they are add, change and remove endpoints, and nobody else; a secret is shown once;
 * each delivery shows its attempts and its next try, and is sent again when asked; the audit log has it all.
 */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import { isEndpointSecret, verify } from '../../../src/base/notify/standard-webhooks.ts';
import { EVENT_KINDS } from '../../../src/capabilities/event-kinds.ts';
import { createDeliverer } from '../../../src/capabilities/events/deliver.ts';
import { createSequence } from '../../../src/capabilities/events/sequence.ts';
import type { TestConsole } from '../../integration/console/support.ts';
import { formOf, startConsole } from '../../integration/console/support.ts';
import { NOW, ORG } from '../../integration/reconcile/rows.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';
import type { Receiver } from './delivery-world.ts';
import { openReceiver } from './delivery-world.ts';

const clock = createFixedClock(NOW);
let test: TestDatabase;
let site: TestConsole;
let cookie: string;
let csrf: string;
let receiver: Receiver;

beforeAll(async () => {
  test = await createTestDatabase();
  site = await startConsole(test.db, clock, { eventKinds: EVENT_KINDS, allowLoopback: true });
  ({ cookie, csrf } = await site.signIn());
  receiver = await openReceiver(() => ({ status: 500, text: 'out of <paper>' }));
});
afterAll(async () => {
  await receiver.close();
  await site.close();
  await test.drop();
});

const post = (path: string, fields: Record<string, string> = {}): Promise<Response> =>
  site.post(path, formOf({ ...fields, csrf_token: csrf }, { cookie }));
const textOf = async (path: string): Promise<string> =>
  await (await site.get(path, { cookie })).text();
async function round(): Promise<void> {
  const about = { db: test.db, clock, organisationId: ORG };
  const sequence = createSequence({ ...about, kinds: EVENT_KINDS });
  while ((await sequence()) > 0);
  const log = createLog({ level: 'silent' });
  await createDeliverer({
    ...about,
    log,
    allowLoopback: true,
    secretsOf: () => undefined,
  }).runOnce();
}
async function audited(): Promise<string[]> {
  const rows = await test.db
    .selectFrom('audit')
    .select(['what', 'actor'])
    .where('what', 'like', '%event%')
    .orderBy('id')
    .execute();
  return rows.map(({ what, actor }) => `${actor}: ${what}`);
}

let secret = '';
let path = '';

describe('the page of endpoints', () => {
  it('adds one, and shows its secret once', async () => {
    const answer = await post('/endpoints', {
      name: 'Shop',
      url: receiver.url,
      merchants: 'mrc_1, mrc_2',
    });
    const text = await answer.text();
    expect(answer.status).toBe(200);
    secret = /whsec_[\w+/=]+/.exec(text)?.[0] ?? '';
    expect(isEndpointSecret(secret)).toBe(true);
    const list = await textOf('/endpoints');
    expect(list).not.toContain('whsec_');
    path = /href="(\/endpoints\/ep_\w+)"/.exec(list)?.[1] ?? '';
    expect(await textOf(path)).toContain('all events; of mrc_1, mrc_2');
  });

  it.each([
    [{ name: 'Shop', url: 'https://a.example/' }, 'Another endpoint has this name'],
    [{ name: 'a', url: 'https://10.0.0.1/' }, 'private network'],
    [{ name: 'a', url: 'https://169.254.169.254/latest' }, 'private network'],
    [{ name: 'a', url: 'http://shop.example/' }, 'must be https'],
    [{ name: 'a', url: 'https://user:pass@shop.example/' }, 'must not hold a user'],
    [{ name: '', url: 'https://a.example/' }, 'needs a name'],
    [{ name: 'a', url: 'https://a.example/', merchants: '<b>' }, 'A merchant is an id'],
  ])('refuses %j', async (fields, said) => {
    const answer = await post('/endpoints', fields);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain(said);
  });

  it('tries an event, shows why it failed, when it is tried next, and sends it again', async () => {
    expect((await post(`${path}/test`)).headers.get('location')).toBe(`${path}?done=test`);
    await round();
    const list = await textOf(path);
    expect(list).toContain('HTTP 500');
    expect(list).toContain('<code>endpoint.test</code>');
    const one = await textOf(`${path}/deliveries/1`);
    expect(one).toContain('out of &lt;paper&gt;');
    expect(one).toMatch(/Next try<\/dt><dd><time[^>]*datetime="2026-03-01T\d\d:\d\d:05/);
    receiver.answer = () => 200;
    await round();
    expect(receiver.got).toHaveLength(1);
    expect((await post(`${path}/deliveries/1`)).headers.get('location')).toBe(`${path}?done=again`);
    await round();
    expect(receiver.got).toHaveLength(2);
    expect(await textOf(`${path}/deliveries/1`)).toContain('HTTP 200');
    expect((await post(`${path}/deliveries/99`)).status).toBe(404);
  });

  it('changes it, gives it a new secret beside the one before, switches it off and on, and removes it', async () => {
    const answer = await post(`${path}/rotate`);
    const next = /whsec_[\w+/=]+/.exec(await answer.text())?.[0] ?? '';
    expect(next).not.toBe(secret);
    await post(`${path}/test`);
    await round();
    const { raw, headers } = receiver.got.at(-1)!;
    const nowSeconds = Math.floor(clock.nowMs() / 1_000);
    for (const each of [secret, next])
      expect(verify({ secret: each, headers, body: raw, nowSeconds }).ok).toBe(true);
    await post(`${path}/change`, { name: 'Shop 2', url: receiver.url, type: 'alert.missed' });
    expect(await textOf(path)).toContain('Shop 2');
    await post(`${path}/off`);
    expect(await textOf(path)).toContain('a person switched it off');
    expect((await post(`${path}/test`)).status).toBe(409);
    await post(`${path}/on`);
    expect((await post(`${path}/remove`)).headers.get('location')).toBe('/endpoints');
    expect((await site.get(path, { cookie })).status).toBe(404);
    expect(await audited()).toEqual([
      'operator:console: endpoint for events added',
      'operator:console: sent a test event',
      'operator:console: asked for event 1 to be sent again',
      'operator:console: endpoint for events given a new secret',
      'operator:console: sent a test event',
      'operator:console: endpoint for events changed',
      'operator:console: endpoint for events switched off',
      'operator:console: endpoint for events switched on',
      'operator:console: endpoint for events removed',
    ]);
  });

  it('asks whoever changes one to prove who they are, and lets viewers read only', async () => {
    const added = await post('/endpoints', { name: 'ERP', url: receiver.url });
    const own = /href="(\/endpoints\/ep_\w+)"/.exec(await added.text())?.[1] ?? '';
    await sql`update console_session set authenticated_at = ${new Date(clock.nowMs() - 16 * 60_000)}`.execute(
      test.db,
    );
    for (const act of ['on', 'off', 'remove', 'rotate', 'change'])
      expect((await post(`${own}/${act}`)).headers.get('location'), act).toMatch(/^\/confirm/);
    expect(
      (await post('/endpoints', { name: 'B', url: receiver.url })).headers.get('location'),
    ).toMatch(/^\/confirm/);
  });
});
