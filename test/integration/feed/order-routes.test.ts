/** Guarantee: the JSON API answers once an order is stored, and says exactly what was refused. */
import { once } from 'node:events';
import type { ClientRequest, IncomingMessage, Server } from 'node:http';
import { Agent, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import express from 'express';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { OpenDatabase } from '../../../src/base/db/connect.ts';
import { createOrderRoutes } from '../../../src/orders/order-routes.ts';
import { parseProgrammes } from '../../../src/orders/programme.ts';
import { openAsConsole } from '../../support/console-role.ts';
import type { IntakeWorld } from './support.ts';
import { createIntakeWorld, INTEGRATION, makeOrder } from './support.ts';

let world: IntakeWorld;
let people: OpenDatabase;
let server: Server;
let base: string;

beforeAll(async () => {
  world = await createIntakeWorld(parseProgrammes(['compelling-evidence']));
  people = openAsConsole(world.database.name, world.context.organisationId);
  const app = express();
  app.use('/api/orders', createOrderRoutes({ ...world.context, db: people.db }));
  await new Promise<void>((done) => {
    server = app.listen(0, '127.0.0.1', () => done());
  });
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/orders`;
});
beforeEach(() =>
  sql`truncate order_record, order_push, order_nested_reference, charge`.execute(world.database.db),
);
afterAll(async () => {
  await new Promise((done) => server.close(done));
  await people.close();
  await world.database.drop();
});

async function call(
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; json: Record<string, unknown> }> {
  const response = await fetch(base + path, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
}

describe('POST', () => {
  it('a list whose orders hold too many values together: 413 with the number, and nothing is stored', async () => {
    const entry = JSON.stringify(
      makeOrder('A-1', { metadata: Array(990).fill([1, 2, 3, 4, 5, 6, 7, 8]) }),
    );
    const { status, json } = await call('POST', '', `[${Array(46).fill(entry).join(',')}]`);
    expect({ status, json }).toMatchObject({
      status: 413,
      json: { errors: [{ code: 'TOO_MANY_VALUES' }] },
    });
    expect(JSON.stringify(json)).toContain('400000');
    const { rows } = await sql`select 1 from order_record`.execute(world.database.db);
    expect(rows).toEqual([]);
  });

  it('a long body is refused by its first bytes; the rest is taken, and the connection goes on', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const post = (length: number): ClientRequest =>
      request(base, { agent, method: 'POST', headers: { 'content-length': length } });
    const statusOf = async (sent: ClientRequest): Promise<number | undefined> => {
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      response.resume();
      return response.statusCode;
    };
    const body = Buffer.from('['.repeat(8 * 1024 * 1024));
    const refused = post(body.length);
    refused.write(body.subarray(0, 400_000));
    expect(await statusOf(refused)).toBe(413);
    refused.end(body.subarray(400_000));
    await once(refused, 'close');

    const good = Buffer.from(JSON.stringify(makeOrder('A-1')));
    const next = post(good.length);
    next.end(good);
    expect(await statusOf(next)).toBe(201);
    expect(next.reusedSocket).toBe(true);

    // A sender may go away before it is refused, and after that.
    const left = post(body.length);
    left.on('error', () => undefined).write(body.subarray(0, 100_000));
    await once(left, 'socket');
    left.destroy();
    const leftLater = post(body.length);
    leftLater.on('error', () => undefined).write(body.subarray(0, 400_000));
    expect(await statusOf(leftLater)).toBe(413);
    leftLater.destroy();
    agent.destroy();
    expect((await call('GET', '/A-1')).status).toBe(200);
  });

  it.each([
    ['more than 8 MB: 413', 45, 'identity', 413],
    ['a long body that is packed: 415', 3, 'gzip', 415],
  ])('%s', async (_what, count, encoding, status) => {
    const orders = Array.from({ length: count }, (_, n) => ({
      reference_id: `A-${n}`,
      x: 'x'.repeat(200_000),
    }));
    const body = Buffer.from(JSON.stringify(orders));
    const headers = { 'content-length': body.length, 'content-encoding': encoding };
    const sent = request(base, { method: 'POST', headers });
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(status);
    response.resume();
  });

  it('a long list is stored whole, in however many pieces it comes', async () => {
    const orders = Array.from({ length: 12 }, (_, place) =>
      makeOrder(`A-${place}`, { metadata: { text: '],[{"\\" ż'.repeat(4_000) } }),
    );
    const body = Buffer.from(JSON.stringify(orders));
    expect(body.length).toBeGreaterThan(256 * 1024);
    const sent = request(base, { method: 'POST', headers: { 'content-length': body.length } });
    sent.setNoDelay(true);
    // Pieces that part characters and escapes.
    for (let from = 0; from < body.length; from += 9_973) {
      sent.write(body.subarray(from, from + 9_973));
    }
    sent.end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(200);
    expect(JSON.parse(await text(response))).toMatchObject({ accepted: 12, refused: 0 });
  });

  it('one order: 201, again 200, otherwise 409 with the difference', async () => {
    expect(await call('POST', '', makeOrder('A-1'))).toMatchObject({
      status: 201,
      json: {
        result: 'accepted',
        reference_id: 'A-1',
        integration_id: INTEGRATION,
        state: 'WAITING',
      },
    });
    expect(await call('POST', '', makeOrder('A-1'))).toMatchObject({
      status: 200,
      json: { result: 'unchanged' },
    });
    expect(await call('POST', '', makeOrder('A-1', { order_number: 'B' }))).toMatchObject({
      status: 409,
      json: { errors: [{ code: 'ORDER_DIFFERS', field: 'order_number' }] },
    });
  });

  it('an order that is not ready is stored and held, with the reason', async () => {
    const { customer_email: _email, ...order } = makeOrder('A-1');
    expect(await call('POST', '', order)).toMatchObject({
      status: 201,
      json: { state: 'HELD', reason: 'not ready for compelling-evidence: customer_email missing' },
    });
  });

  it('an array: each for itself', async () => {
    const { status, json } = await call('POST', '', [makeOrder('A-1'), { a: 1 }, makeOrder('A-2')]);
    expect(status).toBe(200);
    expect(json).toMatchObject({ accepted: 2, refused: 1 });
    expect(json['results']).toMatchObject([{}, { index: 1, result: 'refused' }, {}]);
    expect((await call('POST', '', [{ a: 1 }])).status).toBe(422);
  });

  it.each([
    ['{"a":', 400],
    ['', 400],
    ['{"reference_id":"A","reference_id":"B"}', 400],
    ['[]', 422],
    ['17', 422],
  ])('%s is answered %i', async (body, status) => {
    const answer = await call('POST', '', body);
    expect(answer.status).toBe(status);
    expect(JSON.stringify(answer.json)).not.toMatch(/_key|not_json|received|Invalid/);
  });

  it.each([
    [{ order_total_amount_in_cents: 49.5 }, 'order_total_amount_in_cents must be a whole number'],
    [{ order_total_amount_in_cents: -1 }, 'order_total_amount_in_cents must be at least 0'],
    [{ order_total_amount_in_cents: undefined }, 'order_total_amount_in_cents is missing'],
    [{ order_number: 7 }, 'order_number must be a text'],
    [{ order_number: '' }, 'order_number must have at least 1 character'],
    [
      { order_datetime: '20 November' },
      'order_datetime must be a moment such as 2026-11-20T10:00:00Z, or a day such as 2026-11-20',
    ],
    [{ order_currency: 'usd' }, 'order_currency must be three upper-case letters'],
    [
      { order_status: 'DONE' },
      'order_status must be one of OPEN_PENDING, OPEN_PENDING_RETURN, CLOSED_COMPLETE, CLOSED_CANCELLED, OTHER',
    ],
    [{ type: 'WHOLE' }, 'type must be one of COMPLETE, PARTIAL'],
    [{ items: {} }, 'items must be a list'],
    [{ items: ['lamp'] }, 'items[0] must be an object'],
    [{ items: [{ name: 7 }] }, 'items[0].name must be a text'],
  ])('of %j says what is wanted, in words of ours', async (fields, message) => {
    const { status, json } = await call('POST', '', makeOrder('A-1', fields));
    expect(status).toBe(422);
    expect(json).toMatchObject({ errors: [{ code: 'INVALID_ORDER', message }] });
  });

  it('refuses more than a thousand at once', async () => {
    const many = Array.from({ length: 1_001 }, () => ({}));
    expect((await call('POST', '', many)).status).toBe(422);
  });
});

describe('PATCH and GET', () => {
  it('changes an order, and shows it', async () => {
    await call('POST', '', makeOrder('A/1 ä'));
    const path = `/${encodeURIComponent('A/1 ä')}`;
    expect(await call('PATCH', path, { order_status: 'CLOSED_COMPLETE' })).toMatchObject({
      status: 200,
      json: { result: 'changed', parts: ['order_status'] },
    });
    expect(await call('GET', path)).toMatchObject({
      status: 200,
      json: {
        state: 'WAITING',
        order: { order_status: 'CLOSED_COMPLETE' },
        pending: [],
        accepted_at: '2026-11-21T08:00:00.000Z',
      },
    });
  });

  it('says what cannot change', async () => {
    await call('POST', '', makeOrder('A-1'));
    expect(await call('PATCH', '/A-1', { customer_email: 'b@example.com' })).toMatchObject({
      status: 422,
      json: { errors: [{ code: 'INVALID_CHANGE', field: 'customer_email' }] },
    });
  });

  it.each([1, 400])('a list of %i changes is no change', async (count) => {
    await call('POST', '', makeOrder('A-1'));
    const change = { order_status: 'CLOSED_COMPLETE', note: 'x'.repeat(1_000) };
    const changes = Array.from({ length: count }, () => change);
    expect(await call('PATCH', '/A-1', changes)).toMatchObject({
      status: 422,
      json: { errors: [{ code: 'INVALID_CHANGE', message: '(order) must be an object' }] },
    });
  });

  it('does not know what it does not know', async () => {
    expect((await call('GET', '/nobody')).status).toBe(404);
    expect((await call('PATCH', '/nobody', { order_status: 'OTHER' })).status).toBe(404);
    await call('POST', '', makeOrder('A-1'));
    expect((await call('GET', '/A-1?integration_id=int_other')).status).toBe(404);
  });
});
