/**
 * Guarantee: an endpoint that redirects, answers without end, leads inside the network or never answers costs ten seconds at
 * most and a few KB, and is told of in words; nothing inside is reached.
 */
import { createServer } from 'node:http';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { createPostEvent } from '../../../src/capabilities/events/post-event.ts';
import { useTestDatabase } from '../../support/database.ts';
import type { Receiver } from './delivery-world.ts';
import { openReceiver, openStream } from './delivery-world.ts';

const test = useTestDatabase();
const receivers: Receiver[] = [];
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.close();
});
const never = new AbortController().signal;
const POST = { body: '{}', headers: {} };

/** A server that sends an endless answer, and counts what it got rid of. */
let endless: { url: string; sent: () => number; close: () => void };
beforeAll(async () => {
  let sent = 0;
  const server = createServer((_request, response) => {
    response.writeHead(200);
    const chunk = Buffer.alloc(65_536, 'x');
    const more = (): void => {
      while (sent < 10_000_000 && !response.destroyed) {
        sent += chunk.length;
        if (!response.write(chunk)) return void response.once('drain', more);
      }
      response.end();
    };
    more();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  endless = { url: `http://127.0.0.1:${port}/`, sent: () => sent, close: () => server.close() };
});
afterAll(() => endless.close());

describe('a post', () => {
  const post = createPostEvent({ allowLoopback: true, connections: 2, timeoutMs: 1_000 });
  const guarded = createPostEvent({ allowLoopback: false, connections: 2, timeoutMs: 1_000 });

  it('takes 4 KB of an answer of 10 MB and keeps 1 KB', async () => {
    const { status, answer } = await post({ ...POST, url: endless.url }, never);
    expect([status, answer]).toEqual([200, 'x'.repeat(1_024)]);
    expect(endless.sent()).toBeLessThan(8_000_000);
  });

  it('keeps no card number, address or secret of what it says, wherever it is cut', async () => {
    const said = [
      'paid with 4242\u00a04242\u00a04242\u00a04242',
      'by planted.person@others.example',
      'under Bearer sk_live_51Planted0123456789abc',
    ].join(' ');
    for (const before of ['', '.'.repeat(970), '.'.repeat(1_005), '.'.repeat(1_015)]) {
      const receiver = await openReceiver(() => ({ status: 422, text: before + said }));
      receivers.push(receiver);
      const { answer } = await post({ ...POST, url: receiver.url }, never);
      expect(answer).toContain(before === '' ? 'paid with 424242******4242' : before);
      expect(answer).not.toMatch(/4242\D{0,3}4242|planted\.|others\.|51Pl/);
    }
  });

  it('follows no redirect', async () => {
    const inside = await openReceiver();
    const outside = await openReceiver(() => ({ status: 307, headers: { location: inside.url } }));
    receivers.push(inside, outside);
    expect((await post({ ...POST, url: outside.url }, never)).status).toBe(307);
    expect(inside.got).toEqual([]);
  });

  it.each([
    'https://127.0.0.1/',
    'https://localhost/',
    'https://[::1]/',
    'https://169.254.169.254/latest/meta-data',
    'https://10.1.2.3/',
    'https://192.168.0.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://[::ffff:169.254.169.254]/',
    'https://[::127.0.0.1]/',
    'https://[64:ff9b:1::a00:1]/',
    'https://[fec0::1]/',
    'https://[2001:0:a00:1::1]/',
    'http://shop.example/',
    'ftp://shop.example/',
  ])('never goes to %s', async (url) => {
    await expect(guarded({ ...POST, url }, never)).rejects.toThrow(
      /^The endpoint's address (leads to|must be)/,
    );
  });

  it('never connects to a name that leads inside', async () => {
    const receiver = await openReceiver();
    receivers.push(receiver);
    const { port } = new URL(receiver.url);
    // A public wildcard name would need a network: every machine has this one.
    const { hostname } = await import('node:os');
    const name = hostname();
    await expect(guarded({ ...POST, url: `https://${name}:${port}/` }, never)).rejects.toThrow();
    expect(receiver.sockets()).toBe(0);
  });

  it('ends after its time where no answer comes', async () => {
    const receiver = await openReceiver(() => undefined);
    receivers.push(receiver);
    const startedMs = performance.now();
    await expect(post({ ...POST, url: receiver.url }, never)).rejects.toMatchObject({
      name: expect.stringMatching(/TimeoutError|AbortError/),
    });
    expect(performance.now() - startedMs).toBeLessThan(5_000);
  });

  it('uses a connection again', async () => {
    const receiver = await openReceiver();
    receivers.push(receiver);
    for (let times = 0; times < 3; times += 1) await post({ ...POST, url: receiver.url }, never);
    expect(receiver.sockets()).toBe(1);
  });
});

it('each is told in words at its delivery, and delays no other', async () => {
  const clock = createFixedClock('2026-03-01T12:00:00.000Z');
  const stream = openStream(test.db, clock);
  const quick = await openReceiver();
  const away = await openReceiver(() => ({
    status: 302,
    headers: { location: 'http://127.0.0.1/' },
  }));
  const silent = await openReceiver(() => undefined);
  receivers.push(quick, away, silent);
  const urls = [
    quick.url,
    away.url,
    silent.url,
    endless.url,
    'https://169.254.169.254/',
    'http://127.0.0.1:9/',
  ];
  const ids: string[] = [];
  for (const url of urls) ids.push((await stream.add(url)).id);
  await stream.note('a');
  await stream.deliverer({ timeoutMs: 1_000 }).runOnce();
  const { rows } = await sql<{ endpoint_id: string; said: string }>`
    select endpoint_id, coalesce(attempts -> 0 ->> 'fault', 'taken') as said from event_delivery
    where organisation_id = ${stream.organisationId}`.execute(test.db);
  const said = new Map(rows.map((row) => [row.endpoint_id, row.said]));
  expect(ids.map((id) => said.get(id))).toEqual([
    'taken',
    'HTTP 302: redirects are not followed',
    'no answer in time',
    'taken',
    "The endpoint's address leads to this machine or a private network. Use a public address.",
    expect.stringContaining('ECONNREFUSED'),
  ]);
});
