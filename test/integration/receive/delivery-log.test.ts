/**
 * Guarantee: what became of every delivery can be read afterwards, and a flood of refused requests costs
 * one row a minute and reason, with a few examples that hold nothing of a body.
 */
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { createReceiveCounters } from '../../../src/alerts/receive/counters.ts';
import type { DeliveryLog } from '../../../src/alerts/receive/delivery-log.ts';
import { createDeliveryLog, EXAMPLES_MAX } from '../../../src/alerts/receive/delivery-log.ts';
import type { Inbox } from '../../../src/alerts/receive/inbox.ts';
import { createInbox } from '../../../src/alerts/receive/inbox.ts';
import type { Reception } from '../../../src/alerts/receive/reception.ts';
import { createReception } from '../../../src/alerts/receive/reception.ts';
import { createVerifier, signDelivery } from '../../../src/alerts/receive/signature.ts';
import type { FixedClock } from '../../../src/base/kernel/clock.ts';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import { deleteOld } from '../../../src/running/privacy/retention.store.ts';
import { useTestDatabase } from '../../support/database.ts';
import { ORGANISATION } from './harness.ts';

const SECRET = 'whsec_for_the_log_of_deliveries';
const NOW = '2026-11-20T12:00:00Z';
const BODY = Buffer.from('{"id":"evt_1","type":"alert.created","data":{"object":{}}}');
const log = createLog({ level: 'silent' });

const database = useTestDatabase();
let inbox: Inbox;
let clock: FixedClock;
let deliveries: DeliveryLog;
let reception: Reception;

beforeEach(async () => {
  clock = createFixedClock(NOW);
  await database.db.deleteFrom('delivery_minute').execute();
  const scope = { clock, log, organisationId: ORGANISATION };
  inbox = createInbox({ database, ...scope });
  deliveries = createDeliveryLog({ db: database.db, ...scope });
  const verifiers = new Map([['', createVerifier({ secrets: [SECRET], clock })]]);
  const counters = createReceiveCounters();
  reception = createReception({ inbox, verifiers, clock, log, counters, deliveries });
});

async function deliver(body: Buffer, signature: string): Promise<number> {
  const { status } = await reception.receive({
    subscription: '',
    signatures: [signature],
    deliveryId: 'dlv_1',
    contentEncoding: undefined,
    transferEncoding: undefined,
    readBody: async () => ({ ok: true, body }),
  });
  return status;
}

function signed(body: Buffer, secret = SECRET): string {
  return signDelivery(secret, body, Date.parse(NOW) / 1_000);
}

function rows() {
  return database.db
    .selectFrom('delivery_minute')
    .selectAll()
    .orderBy('minute')
    .orderBy('verdict')
    .execute();
}

test('new, repeated and refused deliveries are counted by the minute, with examples', async () => {
  expect(await deliver(BODY, signed(BODY))).toBe(200);
  expect(await deliver(BODY, signed(BODY))).toBe(200);
  expect(await deliver(BODY, signed(BODY, 'whsec_another_secret_altogether'))).toBe(401);
  await deliveries.write();
  const found = await rows();
  expect(found.map(({ verdict, count }) => [verdict, count])).toEqual([
    ['accepted', 1],
    ['no_match', 1],
    ['repeat', 1],
  ]);
  expect(found[2]?.examples).toEqual([
    { at: '2026-11-20T12:00:00.000Z', facts: { eventId: 'evt_1', deliveryId: 'dlv_1' } },
  ]);
  // Its length and hash; the body itself is nowhere.
  expect(found[1]?.examples[0]?.facts).toMatchObject({ bodyBytes: BODY.length });
  expect(JSON.stringify(found)).not.toContain('alert.created');
});

test('a flood makes one row a minute and reason, whatever its number', async () => {
  for (let each = 0; each < 500; each++) {
    await deliver(Buffer.from(`{"n":${each}}`), signed(BODY));
  }
  await deliveries.write();
  clock.advanceMs(60_000);
  await deliver(BODY, signed(Buffer.from('{}')));
  await deliveries.write();
  const found = await rows();
  expect(found.map(({ verdict, count }) => [verdict, count])).toEqual([
    ['no_match', 500],
    ['no_match', 1],
  ]);
  expect(found[0]?.examples).toHaveLength(EXAMPLES_MAX);
});

test('several processes, and several writings, add to one row and lose nothing', async () => {
  const scope = { db: database.db, clock, log, organisationId: ORGANISATION };
  const other = createDeliveryLog(scope);
  deliveries.note('method');
  other.note('method', { bodyBytes: 3 });
  await Promise.all([deliveries.write(), other.write()]);
  deliveries.note('method');
  await deliveries.write();
  expect((await rows()).map(({ verdict, count }) => [verdict, count])).toEqual([['method', 3]]);
});

test('what the database does not take is written later, once', async () => {
  await sql`alter table delivery_minute rename to delivery_away`.execute(database.db);
  deliveries.note('busy');
  await deliveries.write();
  deliveries.note('busy');
  await sql`alter table delivery_away rename to delivery_minute`.execute(database.db);
  await deliveries.write();
  await deliveries.write();
  expect((await rows()).map(({ verdict, count }) => [verdict, count])).toEqual([['busy', 2]]);
});

test('minutes go after 30 days', async () => {
  for (const days of [31, 29]) {
    clock.setMs(Date.parse(NOW) - days * 86_400_000);
    deliveries.note('method');
    await deliveries.write();
  }
  await deleteOld(database.db, ORGANISATION, { now: new Date(NOW) });
  expect(await rows()).toHaveLength(1);
});
