/**
 * Guarantee: each endpoint gets each event that it asked for at least once, those of one alert in their order; one that
 * fails is tried again after 5 s, 5 min, 30 min, 2 h, 5 h and 10 h, loses nothing, and delays no other.
 */
import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { inTransaction } from '../../../src/base/db/transaction.ts';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import {
  noteTest,
  sendAgain,
  sendGivenUp,
} from '../../../src/capabilities/events/delivery.store.ts';
import { changeEndpoint, listEndpoints } from '../../../src/capabilities/events/endpoint.store.ts';
import { useTestDatabase } from '../../support/database.ts';
import type { Answer, Receiver } from './delivery-world.ts';
import { openReceiver, openStream } from './delivery-world.ts';

const NOW = '2026-03-01T12:00:00.000Z';
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const test = useTestDatabase();
const receivers: Receiver[] = [];
let clock = createFixedClock(NOW);

beforeEach(() => {
  clock = createFixedClock(NOW);
});
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.close();
});

async function receive(answer?: Answer): Promise<Receiver> {
  const receiver = await openReceiver(answer);
  receivers.push(receiver);
  return receiver;
}

const positions = ({ got }: Receiver): number[] => got.map(({ body }) => body.position);

async function endpointOf(organisationId: string, id: string) {
  const [endpoint] = await listEndpoints(test.db, organisationId, id);
  return endpoint!;
}

async function messages(organisationId: string): Promise<string[]> {
  const { rows } = await sql<{ kind: string }>`
    select kind from notification where organisation_id = ${organisationId} order by id`.execute(
    test.db,
  );
  return rows.map(({ kind }) => kind);
}

describe('an endpoint that takes events', () => {
  it('gets each once, in order, signed as Standard Webhooks has it', async () => {
    const stream = openStream(test.db, clock);
    const receiver = await receive();
    await stream.note('before');
    const { id, secret } = await stream.add(receiver.url);
    await stream.note('a', 'b', 'a');
    const deliverer = stream.deliverer();
    expect(await deliverer.runOnce()).toBe(3);
    expect(await deliverer.runOnce()).toBe(0);
    // Of an alert in order; what was told before it was added is not sent.
    expect(positions(receiver).toSorted()).toEqual([2, 3, 4]);
    expect(positions(receiver).filter((position) => position !== 3)).toEqual([2, 4]);
    expect(await stream.states(id)).toEqual(['2 DELIVERED 1', '3 DELIVERED 1', '4 DELIVERED 1']);
    vi.useFakeTimers({ now: Date.parse(NOW), toFake: ['Date'] });
    for (const { raw, headers } of receiver.got)
      expect(new Webhook(secret).verify(raw, headers)).toMatchObject({
        type: 'alert.missed',
        version: '2026-12-01',
      });
    vi.useRealTimers();
  });

  it('gets what it asked for only: by type, and by merchant', async () => {
    const stream = openStream(test.db, clock);
    const [byType, byMerchant] = [await receive(), await receive()];
    await stream.add(byType.url, { types: ['dispute.opened'] });
    await stream.add(byMerchant.url, { merchants: ['mrc_1'] });
    const { organisationId } = stream;
    for (const [type, merchant] of [
      ['dispute.opened', 'mrc_1'],
      ['dispute.closed', 'mrc_1'],
      ['dispute.opened', 'mrc_2'],
    ])
      await sql`select note_event(${organisationId}, ${type}, ${NOW}, null, 'd', null, ${JSON.stringify({ merchant_id: merchant })}::jsonb)`.execute(
        test.db,
      );
    await stream.note();
    await stream.deliverer().runOnce();
    expect(positions(byType)).toEqual([1, 3]);
    expect(positions(byMerchant)).toEqual([1, 2]);
  });

  it('is signed for with both secrets for seven days after a rotation', async () => {
    const stream = openStream(test.db, clock);
    const receiver = await receive();
    const { id, secret } = await stream.add(receiver.url);
    const act = {
      organisationId: stream.organisationId,
      id,
      by: 'operator:ann',
      now: new Date(NOW),
    };
    const rotated = await changeEndpoint(test.db, 'rotate', act);
    const next = rotated?.secret ?? '';
    const deliverer = stream.deliverer();
    const verdicts = async (): Promise<string[]> => {
      await stream.note('a');
      await deliverer.runOnce();
      const { raw, headers } = receiver.got.at(-1)!;
      vi.useFakeTimers({ now: clock.nowMs(), toFake: ['Date'] });
      const taken = [secret, next].filter((each) => {
        try {
          return new Webhook(each).verify(raw, headers) !== undefined;
        } catch {
          return false;
        }
      });
      vi.useRealTimers();
      return taken;
    };
    expect(await verdicts()).toEqual([secret, next]);
    clock.advanceMs(7 * DAY - 1);
    expect(await verdicts()).toEqual([secret, next]);
    clock.advanceMs(1);
    expect(await verdicts()).toEqual([next]);
  });

  it('gets a test event that no other gets', async () => {
    const stream = openStream(test.db, clock);
    const [own, other] = [await receive(), await receive()];
    const { id } = await stream.add(own.url, { types: ['dispute.opened'] });
    await stream.add(other.url);
    const { organisationId } = stream;
    await inTransaction(test.db, (trx) =>
      noteTest(trx, {
        organisationId,
        endpointId: id,
        name: 'shop',
        by: 'operator:ann',
        now: new Date(NOW),
      }),
    );
    await stream.note();
    await stream.deliverer().runOnce();
    expect(own.got.map(({ body }) => [body.type, body.data])).toEqual([
      ['endpoint.test', { endpoint_id: id, endpoint: 'shop', asked_by: 'operator:ann' }],
    ]);
    expect(other.got).toEqual([]);
  });
});

describe('an endpoint that fails', () => {
  it('is tried after 0 s, 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h, and every ten hours until five days are over', async () => {
    const stream = openStream(test.db, clock);
    const receiver = await receive(() => 500);
    const { id } = await stream.add(receiver.url);
    await stream.note('a');
    const deliverer = stream.deliverer();
    const waits = [
      0,
      5 * SECOND,
      5 * MINUTE,
      30 * MINUTE,
      2 * HOUR,
      5 * HOUR,
      10 * HOUR,
      10 * HOUR,
    ];
    for (const [tries, waitMs] of waits.entries()) {
      clock.advanceMs(Math.max(waitMs - 1, 0));
      if (waitMs > 0) expect(await deliverer.runOnce()).toBe(0);
      clock.advanceMs(waitMs > 0 ? 1 : 0);
      expect(await deliverer.runOnce()).toBe(1);
      expect(await stream.states(id)).toEqual([`1 PENDING ${tries + 1}`]);
    }
    // 27 h 35 min 5 s have passed: ten more of ten hours lie beyond five days.
    for (let more = 0; more < 9; more += 1) {
      clock.advanceMs(10 * HOUR);
      expect(await deliverer.runOnce()).toBe(1);
      expect((await endpointOf(stream.organisationId, id)).state).toBe('ON');
    }
    clock.advanceMs(10 * HOUR);
    await deliverer.runOnce();
    expect(await endpointOf(stream.organisationId, id)).toMatchObject({
      state: 'OFF',
      off_reason: 'it took nothing for five days',
    });
    expect(await messages(stream.organisationId)).toEqual(['event_endpoint_off']);
  });

  it('that was switched off is sent what it missed when it returns, and what waited in the stream', async () => {
    const stream = openStream(test.db, clock);
    const receiver = await receive(() => 410);
    const { id } = await stream.add(receiver.url);
    await stream.note('a');
    const deliverer = stream.deliverer();
    await deliverer.runOnce();
    expect(await endpointOf(stream.organisationId, id)).toMatchObject({
      state: 'OFF',
      off_reason: 'it answered 410 Gone',
    });
    expect(await messages(stream.organisationId)).toEqual(['event_endpoint_off']);
    await stream.note('a', 'b');
    clock.advanceMs(40 * DAY);
    expect(await deliverer.runOnce()).toBe(0);
    receiver.answer = () => 200;
    const act = {
      organisationId: stream.organisationId,
      id,
      by: 'operator:ann',
      now: new Date(clock.nowMs()),
    };
    await changeEndpoint(test.db, 'on', act);
    await deliverer.runOnce();
    expect(positions(receiver).slice(1).toSorted()).toEqual([1, 2, 3]);
    expect(
      positions(receiver)
        .slice(1)
        .filter((each) => each !== 3),
    ).toEqual([1, 2]);
    expect((await stream.states(id)).map((each) => each.split(' ')[1])).toEqual([
      'DELIVERED',
      'DELIVERED',
      'DELIVERED',
    ]);
  });

  it('holds back what comes behind it of the same alert, and nothing else', async () => {
    const stream = openStream(test.db, clock);
    let fails = true;
    const receiver = await receive(({ body }) => (fails && body.position === 1 ? 503 : 200));
    const { id } = await stream.add(receiver.url);
    await stream.note('a', 'a', 'b', 'a');
    const deliverer = stream.deliverer();
    await deliverer.runOnce();
    expect(await stream.states(id)).toEqual([
      '1 PENDING 1',
      '2 PENDING 0',
      '3 DELIVERED 1',
      '4 PENDING 0',
    ]);
    fails = false;
    clock.advanceMs(5 * SECOND);
    await deliverer.runOnce();
    expect(positions(receiver).filter((each) => each !== 3)).toEqual([1, 1, 2, 4]);
  });

  it('at one event alone gives that one up after five days, tells people, and goes on with its alert', async () => {
    const stream = openStream(test.db, clock);
    const receiver = await receive(({ body }) => (body.position === 1 ? 500 : 200));
    const { id } = await stream.add(receiver.url);
    await stream.note('a', 'a');
    const deliverer = stream.deliverer();
    for (let hours = 0; hours <= 130; hours += 5) {
      await stream.note('other');
      await deliverer.runOnce();
      clock.advanceMs(5 * HOUR);
    }
    const [first, second] = await stream.states(id);
    expect(first).toMatch(/^1 GIVEN_UP/);
    expect(second).toBe('2 DELIVERED 1');
    expect(await messages(stream.organisationId)).toEqual(['event_given_up']);
    expect((await endpointOf(stream.organisationId, id)).state).toBe('ON');
    receiver.answer = () => 200;
    const about = {
      organisationId: stream.organisationId,
      endpointId: id,
      now: new Date(clock.nowMs()),
    };
    expect(await inTransaction(test.db, (trx) => sendGivenUp(trx, about))).toBe(1);
    await deliverer.runOnce();
    expect((await stream.states(id))[0]).toBe('1 DELIVERED 1');
  });

  it('in a row is tried with one event at a time, and with all when it takes one', async () => {
    const stream = openStream(test.db, clock);
    const receiver = await receive(() => 500);
    const { id } = await stream.add(receiver.url);
    await stream.note(...Array.from({ length: 100 }, (_each, place) => `s${place}`));
    const deliverer = stream.deliverer();
    await deliverer.runOnce();
    // The slots were full once; then it pauses.
    expect(receiver.got.length).toBeLessThanOrEqual(32);
    const before = receiver.got.length;
    clock.advanceMs(5 * SECOND);
    await deliverer.runOnce();
    expect(receiver.got.length).toBe(before + 1);
    receiver.answer = () => 200;
    clock.advanceMs(5 * MINUTE);
    await deliverer.runOnce();
    expect((await stream.states(id)).every((each) => each.includes('DELIVERED'))).toBe(true);
    expect(
      new Set(receiver.got.filter(({ status }) => status === 200).map((each) => each.id)).size,
    ).toBe(100);
  });
});

describe('endpoints beside one another', () => {
  it('one that never answers delays no other, and is told of', async () => {
    const stream = openStream(test.db, clock);
    const [silent, quick] = [await receive(() => undefined), await receive()];
    const { id } = await stream.add(silent.url);
    await stream.add(quick.url);
    await stream.note('a', 'b', 'c');
    const deliverer = stream.deliverer({ timeoutMs: 5_000 });
    const started = performance.now();
    await deliverer.runOnce(() => undefined);
    await vi.waitFor(() => expect(quick.got).toHaveLength(3), { timeout: 4_900, interval: 5 });
    expect(performance.now() - started).toBeLessThan(5_000);
    // What was not sent before a stop is given back.
    await vi.waitFor(() => expect(silent.got).toHaveLength(3), { timeout: 4_900, interval: 5 });
    await deliverer.finish();
    const { rows } = await sql<{ fault: string }>`
      select attempts -> 0 ->> 'fault' as fault from event_delivery where endpoint_id = ${id}`.execute(
      test.db,
    );
    expect(rows.map(({ fault }) => fault)).toEqual([
      'no answer in time',
      'no answer in time',
      'no answer in time',
    ]);
  });

  it('on one host have connections of their own', async () => {
    const stream = openStream(test.db, clock);
    const receiver = await receive(({ headers, body }) =>
      headers['x-path'] === 'slow' || body.data['slow'] ? undefined : 200,
    );
    receiver.answer = ({ body }) => (body.type === 'dispute.opened' ? undefined : 200);
    await stream.add(`${receiver.url}/slow`, { types: ['dispute.opened'] });
    const { id } = await stream.add(`${receiver.url}/quick`, { types: ['alert.missed'] });
    for (let place = 0; place < 40; place += 1)
      await sql`select note_event(${stream.organisationId}, 'dispute.opened', ${NOW}, null, ${`d${place}`}, null, '{}')`.execute(
        test.db,
      );
    await stream.note('a', 'b');
    const deliverer = stream.deliverer({ timeoutMs: 5_000 });
    await deliverer.runOnce(() => undefined);
    await vi.waitFor(
      async () => expect(await stream.states(id)).toEqual(['41 DELIVERED 1', '42 DELIVERED 1']),
      {
        timeout: 4_900,
        interval: 20,
      },
    );
    await deliverer.finish();
  });
});

describe('several processes', () => {
  it('deliver each event once between them, and what one that died had claimed when its lease is over', async () => {
    const stream = openStream(test.db, clock);
    const receiver = await receive(() => undefined);
    const { id } = await stream.add(receiver.url);
    await stream.note('a', 'a', 'b');
    // It is killed while the endpoint has the event: nothing is written down. Its time stands still, so that it claims no more.
    const killed = stream.deliverer({ timeoutMs: 60_000, clock: createFixedClock(NOW) });
    await killed.runOnce(() => undefined);
    await vi.waitFor(() => expect(receiver.got).toHaveLength(2), { timeout: 5_000 });
    const [one, other] = [stream.deliverer(), stream.deliverer()];
    expect(await one.runOnce()).toBe(0);
    receiver.answer = () => 200;
    clock.advanceMs(30 * SECOND);
    let tried = 0;
    // Again where the one that is to be killed just looks whether there is more, and has the endpoint's lock.
    await vi.waitFor(async () => {
      const [byOne, byOther] = await Promise.all([one.runOnce(), other.runOnce()]);
      tried += byOne + byOther;
      expect(tried).toBe(3);
    }, 20_000);
    expect(positions(receiver).slice(2).toSorted()).toEqual([1, 2, 3]);
    expect((await stream.states(id)).map((each) => each.slice(0, 11))).toEqual([
      '1 DELIVERED',
      '2 DELIVERED',
      '3 DELIVERED',
    ]);
    receivers.splice(receivers.indexOf(receiver), 1);
    await receiver.close();
    await killed.finish();
    // What the slow one learnt in the end undoes nothing.
    expect((await stream.states(id)).map((each) => each.slice(0, 11))).toEqual([
      '1 DELIVERED',
      '2 DELIVERED',
      '3 DELIVERED',
    ]);
  });

  it('send again what a person asks for, unless it is under way', async () => {
    const stream = openStream(test.db, clock);
    const receiver = await receive();
    const { id } = await stream.add(receiver.url);
    await stream.note('a');
    const deliverer = stream.deliverer();
    await deliverer.runOnce();
    const about = {
      organisationId: stream.organisationId,
      endpointId: id,
      seq: 1,
      now: new Date(NOW),
    };
    const again = (): Promise<boolean | undefined> =>
      inTransaction(test.db, (trx) => sendAgain(trx, about));
    expect(await again()).toBe(true);
    await deliverer.runOnce();
    expect(receiver.got.map((each) => each.id)).toEqual([receiver.got[0]!.id, receiver.got[0]!.id]);
    await sql`update event_delivery set state = 'PENDING', lease_until = ${new Date(clock.nowMs() + 1)} where endpoint_id = ${id}`.execute(
      test.db,
    );
    expect(await again()).toBe(false);
    expect(
      await inTransaction(test.db, (trx) => sendAgain(trx, { ...about, seq: 9 })),
    ).toBeUndefined();
  });
});
