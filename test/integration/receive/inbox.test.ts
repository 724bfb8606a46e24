/**
 * Guarantee: 200 means committed; each event has one row, however many copies arrive at once; one bad
 * row never fails its neighbours; and a database that is away is a 503 within 5 s, never a loss.
 */

import type { AddressInfo, Server, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DOCTOR_AGENT } from '../../../src/alerts/receive/receiver.ts';
import { setCrashHook } from '../../../src/base/kernel/crash-point.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase, overTcp } from '../../support/database.ts';
import { SECRET } from '../../vectors/signature-vectors.ts';
import type { Receiver } from './harness.ts';
import { eventBody, ORGANISATION, startReceiver } from './harness.ts';

let database: TestDatabase;
let receiver: Receiver;

beforeAll(async () => {
  database = await createTestDatabase();
  receiver = await startReceiver({ connectionString: database.connectionString });
});
afterAll(async () => {
  await receiver.close();
  await database.drop();
});

interface Answered {
  readonly duplicate: boolean;
}

const idOf = (body: string): string => JSON.parse(body).id;
const rowsOf = (ids: readonly string[]) =>
  database.db
    .selectFrom('inbox_event')
    .select(['event_id', 'body'])
    .where('event_id', 'in', ids)
    .execute();
const workOf = (ids: readonly string[]) =>
  database.db.selectFrom('inbox_work').select('event_id').where('event_id', 'in', ids).execute();
const quarantineOf = (id: string) =>
  database.db
    .selectFrom('quarantine')
    .select(['reason', 'detail', 'body'])
    .where('event_id', '=', id)
    .execute();

describe('each event once', () => {
  it('an organisation’s event is news although another one was sent the same id', async () => {
    const other = await startReceiver({
      connectionString: database.connectionString,
      organisationId: 'org_other',
    });
    const news = { duplicate: false };
    const body = eventBody();
    expect((await receiver.post(body)).json).toMatchObject(news);
    expect((await other.post(body)).json).toMatchObject(news);
    expect(await rowsOf([idOf(body)])).toHaveLength(2);
    expect(await workOf([idOf(body)])).toHaveLength(2);
    // Each knows its own: the same bytes again, and other bytes under the id.
    const again = eventBody({ id: idOf(body), amount: 7 });
    for (const each of [receiver, other]) {
      expect((await each.post(body)).json).toMatchObject({ duplicate: true });
    }
    expect(await quarantineOf(idOf(body))).toEqual([]);
    await other.post(again);
    expect(await quarantineOf(idOf(body))).toMatchObject([{ reason: 'id_reused' }]);
    await other.close();
  });

  it('F09 50 copies at once: 50 times 200, one of them new, one row', async () => {
    const body = eventBody();
    const answers = await Promise.all(Array.from({ length: 50 }, () => receiver.post(body)));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    const fresh = answers.filter(
      ({ json }) => (json as { duplicate: boolean }).duplicate === false,
    );
    expect(fresh).toHaveLength(1);
    expect(await rowsOf([idOf(body)])).toHaveLength(1);
    expect(await workOf([idOf(body)])).toHaveLength(1);
  });

  it('whether an event is known is answered from its row, not from memory', async () => {
    const body = eventBody();
    const post = async (): Promise<unknown> =>
      ((await receiver.post(body)).json as Answered).duplicate;
    expect([await post(), await post()]).toEqual([false, true]);
    // As if another server had taken over that knows nothing of it; no connection of ours has ended.
    await database.db.deleteFrom('inbox_id').where('event_id', '=', idOf(body)).execute();
    expect([await post(), await post()]).toEqual([false, true]);
  });

  it('two receivers with the same events in opposite order: no deadlock, one row each', async () => {
    const other = await startReceiver({ connectionString: database.connectionString });
    const bodies = Array.from({ length: 120 }, () => eventBody());
    const answers = await Promise.all([
      ...bodies.map((body) => receiver.post(body)),
      ...[...bodies].reverse().map((body) => other.post(body)),
    ]);
    await other.close();
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 240 }, () => 200));
    expect(await rowsOf(bodies.map(idOf))).toHaveLength(120);
    expect(await workOf(bodies.map(idOf))).toHaveLength(120);
  });

  it('F10 the same id with another body: first kept, second quarantined once, warned', async () => {
    const first = eventBody();
    const second = eventBody({ id: idOf(first), created_at: '2026-11-20T00:00:09Z' });
    await receiver.post(first);
    for (let repeat = 0; repeat < 2; repeat++) {
      expect(await receiver.post(second)).toMatchObject({ status: 200, json: { duplicate: true } });
    }
    const rows = await rowsOf([idOf(first)]);
    expect(rows.map(({ body }) => body.toString())).toEqual([first]);
    const kept = await quarantineOf(idOf(first));
    expect(kept.map(({ reason, body }) => [reason, body?.toString()])).toEqual([
      ['id_reused', second],
    ]);
    const warned = await database.db
      .selectFrom('notification')
      .select('severity')
      .where('dedupe_key', '=', 'quarantine:id_reused:2026-11-20')
      .where('organisation_id', '=', ORGANISATION)
      .execute();
    expect(warned).toEqual([{ severity: 'warning' }]);
  });

  it('F10 both at once: one of them stays, the other is quarantined', async () => {
    const first = eventBody();
    const second = eventBody({ id: idOf(first), created_at: '2026-11-20T00:00:09Z' });
    const answers = await Promise.all([receiver.post(first), receiver.post(second)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const stored = (await rowsOf([idOf(first)])).map(({ body }) => body.toString());
    const kept = (await quarantineOf(idOf(first))).map(({ body }) => body?.toString());
    expect(stored).toHaveLength(1);
    expect([...stored, ...kept].sort()).toEqual([first, second].sort());
  });

  it('F12 another delivery id, same event: one row; F13 the same delivery id, another event: both', async () => {
    const [a, b] = [eventBody(), eventBody()];
    await receiver.post(a, { 'x-idempotency-key': 'whdl_1' });
    expect(await receiver.post(a, { 'x-idempotency-key': 'whdl_2' })).toMatchObject({
      json: { duplicate: true },
    });
    expect(await receiver.post(b, { 'x-idempotency-key': 'whdl_1' })).toMatchObject({
      json: { duplicate: false },
    });
    expect(await rowsOf([idOf(a), idOf(b)])).toHaveLength(2);
  });

  it('dies after the commit, before the answer: 503, and the repeat is a duplicate', async () => {
    const body = eventBody();
    setCrashHook((point) => {
      if (point === 'delivery.stored') throw new Error('killed');
    });
    expect(await receiver.post(body)).toMatchObject({ status: 503 });
    setCrashHook(undefined);
    expect(await receiver.post(body)).toMatchObject({ status: 200, json: { duplicate: true } });
    expect(await workOf([idOf(body)])).toHaveLength(1);
  });

  it('dies before the commit: 503, and the repeat is new', async () => {
    const body = eventBody();
    setCrashHook((point) => {
      if (point === 'delivery.read') throw new Error('killed');
    });
    expect(await receiver.post(body)).toMatchObject({ status: 503 });
    setCrashHook(undefined);
    expect(await receiver.post(body)).toMatchObject({ status: 200, json: { duplicate: false } });
  });
});

describe('what is stored', () => {
  it('of each one that goes in together with others its own bytes, hash and delivery', async () => {
    const bodies = Array.from({ length: 60 }, (_, index) => eventBody({ note: 'é'.repeat(index) }));
    await Promise.all(
      bodies.map((body, index) => receiver.post(body, { 'x-idempotency-key': `whdl_${index}` })),
    );
    const { rows } = await sql<{ text: string; delivery_id: string; is_own_hash: boolean }>`
      select convert_from(e.body, 'UTF8') as text, e.delivery_id, i.body_hash = sha256(e.body) as is_own_hash
      from inbox_event e join inbox_id i using (organisation_id, event_id, seq, received_at)
      where e.event_id in (${sql.join(bodies.map(idOf))})`.execute(database.db);
    expect(new Map(rows.map(({ delivery_id, text }) => [delivery_id, text]))).toEqual(
      new Map(bodies.map((body, index) => [`whdl_${index}`, String(body)])),
    );
    expect(rows.every(({ is_own_hash }) => is_own_hash)).toBe(true);
  });

  it('the very bytes, with who signed them and when', async () => {
    const named = await startReceiver({
      connectionString: database.connectionString,
      secrets: { shop: ['whsec_test_3f9c1b7e5a2d4c68'] },
    });
    const body = eventBody({ note: 'a\u202eb😀\\u0000' });
    expect(
      await named.post(body, { 'x-idempotency-key': 'whdl_9' }, '/webhooks/shop'),
    ).toMatchObject({ status: 200 });
    expect(await named.post(body, {}, '/webhooks/other')).toMatchObject({
      status: 404,
      json: { error: 'unknown_subscription' },
    });
    expect(await named.post(body)).toMatchObject({ status: 404 });
    await named.close();
    const row = await database.db
      .selectFrom('inbox_event')
      .selectAll()
      .where('event_id', '=', idOf(body))
      .executeTakeFirstOrThrow();
    expect(row).toMatchObject({
      organisation_id: 'org_test',
      subscription: 'shop',
      delivery_id: 'whdl_9',
      secret_id: '0b4791ca',
      signed_at: new Date('2026-11-20T00:00:00Z'),
      received_at: new Date('2026-11-20T00:00:00Z'),
    });
    expect(row.body.equals(Buffer.from(body))).toBe(true);
    const id = await database.db
      .selectFrom('inbox_id')
      .select('seq')
      .where('event_id', '=', idOf(body))
      .executeTakeFirst();
    expect(id?.seq).toBe(row.seq);
  });
});

describe('one bad row', () => {
  it('is quarantined alone; its 60 neighbours are stored', async () => {
    await sql`
      create function refuse_poison() returns trigger language plpgsql as $$
      begin
        if new.event_id like '%poison%' then raise exception 'poison'; end if;
        return new;
      end $$`.execute(database.db);
    await sql`create trigger poison before insert on inbox_event for each row execute function refuse_poison()`.execute(
      database.db,
    );
    const bodies = Array.from({ length: 60 }, () => eventBody());
    const poison = [1, 2].map((number) => eventBody({ id: `evt_poison${number}` }));
    const answers = await Promise.all(
      [...bodies.slice(0, 30), ...poison, ...bodies.slice(30)].map((body) => receiver.post(body)),
    );
    await sql`drop trigger poison on inbox_event`.execute(database.db);
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 62 }, () => 200));
    expect(await rowsOf(bodies.map(idOf))).toHaveLength(60);
    for (const body of poison) {
      expect(await quarantineOf(idOf(body))).toMatchObject([
        { reason: 'store_failed', detail: 'P0001' },
      ]);
      expect(await rowsOf([idOf(body)])).toHaveLength(0);
    }
  });
});

describe('a database at fault is a 503, never a 200', () => {
  it.each([
    ['F07 disk full', '53100'],
    ['F08 read-only standby', '25006'],
  ])('%s, and it resumes by itself', async (_name, code) => {
    await sql
      .raw(
        `create function refuse_all() returns trigger language plpgsql as $$ begin raise exception 'no' using errcode = '${code}'; end $$`,
      )
      .execute(database.db);
    await sql`create trigger refuse before insert on inbox_id for each statement execute function refuse_all()`.execute(
      database.db,
    );
    const body = eventBody();
    const before = receiver.counters.snapshot();
    expect(await receiver.post(body)).toMatchObject({ status: 503, json: { error: 'not_stored' } });
    expect(receiver.counters.snapshot().refused['unavailable']).toBe(
      (before.refused['unavailable'] ?? 0) + 1,
    );
    await sql`drop trigger refuse on inbox_id`.execute(database.db);
    await sql`drop function refuse_all`.execute(database.db);
    expect(await receiver.post(body)).toMatchObject({ status: 200, json: { duplicate: false } });
  });

  it('F06 a deadlock is tried again, not answered', async () => {
    await sql`create sequence deadlocks`.execute(database.db);
    await sql`
      create function refuse_twice() returns trigger language plpgsql as $$
      begin
        if nextval('deadlocks') <= 2 then raise exception 'met' using errcode = '40P01'; end if;
        return null;
      end $$`.execute(database.db);
    await sql`create trigger refuse before insert on inbox_id for each statement execute function refuse_twice()`.execute(
      database.db,
    );
    expect(await receiver.post(eventBody())).toMatchObject({
      status: 200,
      json: { duplicate: false },
    });
    await sql`drop trigger refuse on inbox_id`.execute(database.db);
  });

  it('F03 a server that takes connections and never answers: 503 within 5 s', async () => {
    const sockets = new Set<Socket>();
    const silent: Server = createServer((socket) => {
      socket.on('error', () => undefined);
      sockets.add(socket);
    });
    await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
    const { port } = silent.address() as AddressInfo;
    const mute = await startReceiver({ connectionString: `postgres://x:y@127.0.0.1:${port}/z` });
    const startedAt = performance.now();
    const answers = await Promise.all(Array.from({ length: 40 }, () => mute.post(eventBody())));
    // 5 s, and what a busy machine needs to answer forty times.
    expect(performance.now() - startedAt).toBeLessThan(7_000);
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 40 }, () => 503));
    for (const socket of sockets) socket.destroy();
    silent.close();
    await mute.close();
  });

  it('F01, F02 Postgres gone under 200 events: 503 at once; back again: all of them are stored', async () => {
    const gate = await openGate(database.connectionString);
    const own = await startReceiver({ connectionString: gate.connectionString });
    expect(await own.post(eventBody())).toMatchObject({ status: 200 });
    await gate.shut();
    const bodies = Array.from({ length: 200 }, () => eventBody());
    const startedAt = performance.now();
    const refused = await Promise.all(bodies.map((body) => own.post(body)));
    expect(performance.now() - startedAt).toBeLessThan(7_000);
    expect(refused.map(({ status }) => status)).toEqual(bodies.map(() => 503));
    await gate.open();
    const answers = await Promise.all(bodies.map((body) => own.post(body)));
    expect(answers.map(({ status }) => status)).toEqual(bodies.map(() => 200));
    expect(await rowsOf(bodies.map(idOf))).toHaveLength(200);
    await own.close();
    await gate.shut();
  });
});

/** A door in front of Postgres: shut, connections break and none can be made. */
async function openGate(target: string): Promise<{
  readonly connectionString: string;
  open(): Promise<void>;
  shut(): Promise<void>;
}> {
  const url = overTcp(target);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const onward = connect(Number(url.port), url.hostname);
    for (const end of [socket, onward]) {
      sockets.add(end);
      end.on('error', () => undefined);
      end.on('close', () => {
        socket.destroy();
        onward.destroy();
      });
    }
    socket.pipe(onward).pipe(socket);
  });
  const listen = (port: number): Promise<void> =>
    new Promise((done) => server.listen(port, '127.0.0.1', done));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const through = overTcp(target);
  through.port = String(port);
  return {
    connectionString: through.href,
    open: () => listen(port),
    async shut(): Promise<void> {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}

describe('the listener', () => {
  it('counts what it answers', async () => {
    const before = receiver.counters.snapshot();
    const body = eventBody();
    await receiver.post(body);
    await receiver.post(body);
    await receiver.post('[]');
    await receiver.post(body, { 'x-signature': 'x' });
    const after = receiver.counters.snapshot();
    expect(after.stored - before.stored).toBe(2);
    expect(after.duplicate - before.duplicate).toBe(1);
    expect(after.quarantined['not_an_object']).toBe(1);
    expect(after.refused['malformed_header']! - before.refused['malformed_header']!).toBe(1);
  });

  it.each([
    ['/healthz', 200, { ok: true }],
    ['/readyz', 503, { ok: false }],
    ['/', 404, { error: 'not_found' }],
    ['/console', 404, { error: 'not_found' }],
    ['/webhooks/a/b', 404, { error: 'not_found' }],
    ['/webhooks/%zz', 404, { error: 'not_found' }],
  ])('GET %s: %i', async (path, status, json) => {
    const response = await fetch(receiver.url + path);
    expect([response.status, await response.json()]).toEqual([status, json]);
    expect(response.headers.get('x-powered-by')).toBeNull();
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it('a delivery is answered alike however its path is spelled, by way of Express or past it', async () => {
    const named = await startReceiver({
      connectionString: database.connectionString,
      secrets: { 'a-shop.1': [SECRET] },
    });
    // Express takes all of them; the first one is passed by it.
    const spellings = ['/webhooks/a-shop.1', '/webhooks/a-shop.1/', '/Webhooks/a-shop.1'];
    spellings.push('/webhooks/a-shop.1?x=/y', '/webhooks/a%2Dshop.1');
    for (const path of spellings) {
      const body = eventBody();
      const post = async (duplicate: boolean): Promise<void> =>
        expect(await named.post(body, {}, path), path).toMatchObject({
          status: 200,
          json: { received: true, duplicate },
        });
      await post(false);
      await post(true);
    }
    expect(named.counters.snapshot()).toMatchObject({ stored: 5, duplicate: 5 });
    for (const path of ['/webhooks', '/webhooks/', '/webhooks/b', '/webhooks/b/']) {
      const json = { error: 'unknown_subscription' };
      expect(await named.post(eventBody(), {}, path), path).toMatchObject({ status: 404, json });
    }
    for (const path of ['/webhooks/a-shop.1', '/webhooks/a-shop.1/']) {
      const response = await fetch(named.url + path, { method: 'PUT', body: 'x' });
      expect([response.status, response.headers.get('allow')], path).toEqual([405, 'POST']);
    }
    const before = named.counters.snapshot();
    const asked = await fetch(`${named.url}/webhooks/a-shop.1`, {
      headers: { 'user-agent': DOCTOR_AGENT },
    });
    expect([asked.status, named.counters.snapshot()]).toEqual([405, before]);
    await fetch(`${named.url}/webhooks/a-shop.1`);
    expect(named.counters.snapshot()).not.toEqual(before);
    await named.close();
  });

  it.each(['/webhooks', '/webhooks/'])(
    'POST %s: a reception that breaks is a defect of ours, logged, without its words',
    async (path) => {
      const broken = await startReceiver({
        connectionString: database.connectionString,
        findVerifier: () => {
          throw new Error('secret detail');
        },
      });
      const answer = await broken.post(eventBody(), {}, path);
      expect(answer).toMatchObject({ status: 500, json: { error: 'internal_error' } });
      expect(JSON.stringify(answer.json)).not.toContain('secret detail');
      expect(broken.logLines.join('')).toContain('request failed');
      await broken.close();
    },
  );

  it('a defect of ours is JSON without a stack', async () => {
    const broken = await startReceiver({
      connectionString: database.connectionString,
      wrapInbox: (inbox) => ({
        ...inbox,
        store: () => {
          throw new Error('secret detail');
        },
      }),
    });
    const answer = await broken.post(eventBody());
    expect(answer).toMatchObject({ status: 503, json: { error: 'not_stored' } });
    expect(JSON.stringify(answer.json)).not.toContain('secret detail');
    await broken.close();
  });

  it('cuts slow senders off within 10 s', () => {
    const { server } = receiver;
    const limit = server.requestTimeout + 1_000;
    expect(limit).toBeLessThanOrEqual(10_000);
    expect(server.headersTimeout).toBe(8_000);
  });

  it('F30 a body full of keys does not stall the process', async () => {
    const keys = Array.from({ length: 20_000 }, (_, index) => `"k${index}":1`).join(',');
    const body = `{"id":"evt_keys",${keys}}`;
    expect(body.length).toBeLessThan(262_144);
    const before = process.threadCpuUsage();
    expect(await receiver.post(body)).toMatchObject({ status: 200 });
    const { user, system } = process.threadCpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(1_000);
  });
});
