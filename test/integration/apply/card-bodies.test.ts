/**
 * Guarantee: once an event is applied or set aside, no stored body holds a full card number, sealed or not;
 * every other byte stays, and a repeat of the delivery is still known.
 */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApplier } from '../../../src/alerts/apply/apply.job.ts';
import { createInbox } from '../../../src/alerts/receive/inbox.ts';
import { openBody, placeOfEvent } from '../../../src/alerts/receive/sealed-body.ts';
import { openDatabase } from '../../../src/base/db/connect.ts';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { parseDataKeys } from '../../../src/base/kernel/data-keys.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import type { Bench } from './harness.ts';
import { alertObject, event, NOW, ORGANISATION, openBench } from './harness.ts';

/** Published test numbers of 16, 15 and 13 digits, and what may be left of them. */
const CARDS = [
  ['4111111111111111', '411111******1111'],
  ['378282246310005', '378282*****0005'],
  ['4222222222222', '4222*****2222'],
] as const;
const [[CARD, MASKED]] = CARDS;

let bench: Bench;

beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.close());

async function bodiesOf(eventId: unknown): Promise<string[]> {
  const { rows } = await sql<{ body: Buffer }>`
    select body from inbox_event where event_id = ${String(eventId)} and body is not null
    union all select body from quarantine where event_id = ${String(eventId)} and body is not null`.execute(
    bench.database.db,
  );
  return rows.map(({ body }) => body.toString());
}

async function deliver(body: unknown): Promise<void> {
  await bench.store(body);
  await bench.drain();
}

describe('a body', () => {
  it.each(CARDS)('loses %s, and nothing else', async (card, masked) => {
    const id = `netalrt_${card}`;
    const told = event('alert.created', alertObject(id, { note: `card ${card}.` }));
    await deliver(told);
    expect(await bodiesOf(told['id'])).toEqual([
      JSON.stringify(told).replace(`card ${card}.`, `card ${masked}.`),
    ]);
  });

  it('without one stays as it was signed, to the byte', async () => {
    const told = `{ "id":"evt_spaced", "type":"alert.created","created_at":"2026-11-20T11:00:00Z",
      "data":{"object":${JSON.stringify(alertObject('netalrt_spaced'))}} }`;
    await deliver(told);
    expect(await bodiesOf('evt_spaced')).toEqual([told]);
  });

  it('loses it where only the old values name it', async () => {
    const told = event('alert.updated', alertObject('netalrt_old'), {
      data: { object: alertObject('netalrt_old'), previous_attributes: { note: CARD } },
    });
    await deliver(told);
    expect(await bodiesOf(told['id'])).toEqual([JSON.stringify(told).replace(CARD, MASKED)]);
  });

  it.each([
    ['of an unknown type', { type: 'payout.created', data: { object: { note: CARD } } }],
    ['without a type', { type: null, data: { object: { note: CARD } } }],
    ['without an object', { type: 'alert.created', data: CARD }],
    [
      'of another organisation',
      {
        type: 'alert.created',
        data: { object: { ...alertObject('netalrt_f'), organisation_id: 'org_x', note: CARD } },
      },
    ],
  ])('loses it in an event %s', async (_what, more) => {
    const told = event('alert.created', {}, more);
    await deliver(told);
    expect(await bodiesOf(told['id'])).toEqual([JSON.stringify(told).replace(CARD, MASKED)]);
  });

  it('loses it where the database refuses the event', async () => {
    await sql`create function refuse() returns trigger language plpgsql as $$
      begin if new.id = 'netalrt_poison' then raise exception 'no'; end if; return new; end $$`.execute(
      bench.database.db,
    );
    await sql`create trigger poison before insert on alert for each row execute function refuse()`.execute(
      bench.database.db,
    );
    const told = event('alert.created', alertObject('netalrt_poison', { note: CARD }));
    await deliver(told);
    expect(await bodiesOf(told['id'])).toEqual([JSON.stringify(told).replace(CARD, MASKED)]);
  });

  it('loses it where it is no event at all', async () => {
    for (const body of [`{"note":"${CARD}"`, `{"note":"${CARD}","note":"other"}`, `[${CARD}]`]) {
      await deliver(body);
    }
    const { rows } = await sql<{ body: Buffer }>`
      select body from inbox_event where event_id like 'sha256:%' order by seq`.execute(
      bench.database.db,
    );
    expect(rows.map(({ body }) => body.toString())).toEqual([
      `{"note":"${MASKED}"`,
      `{"note":"${MASKED}","note":"other"}`,
      `[${MASKED}]`,
    ]);
  });
});

it('repeats are known, and a second body under one id is kept once, without it', async () => {
  const told = event('alert.created', alertObject('netalrt_twice', { note: CARD }));
  const other = { ...told, api_version: `v ${CARD}` };
  await deliver(told);
  await deliver(told);
  await deliver(other);
  await deliver(other);
  expect(await bodiesOf(told['id'])).toEqual([
    JSON.stringify(told).replace(CARD, MASKED),
    JSON.stringify(other).replaceAll(CARD, MASKED),
  ]);
});

it('a sealed body loses it too, for the day on which it is opened', async () => {
  const dataKeys = parseDataKeys(
    `k1:${Buffer.alloc(32, 'a key of this test ').toString('base64')}`,
  );
  const log = createLog({ level: 'silent' });
  const { connectionString } = bench.database;
  const sealed = openDatabase({ connectionString, log, dataKeys });
  const clock = createFixedClock(NOW);
  const inbox = createInbox({ database: sealed, clock, log, organisationId: ORGANISATION });
  const told = event('alert.created', alertObject('netalrt_sealed', { note: CARD }));
  await inbox.store({
    subscription: '',
    deliveryId: null,
    secretId: '0b4791ca',
    signedAtSeconds: 1_795_132_800,
    body: Buffer.from(JSON.stringify(told)),
  });
  const applier = createApplier({
    db: sealed.db,
    clock,
    log,
    organisationId: ORGANISATION,
    brandTokens: { fromWire: (json) => json },
  });
  await applier.drainOnce();
  const row = await sealed.db
    .selectFrom('inbox_event')
    .select(['body', 'key_id', 'object_id'])
    .where('event_id', '=', String(told['id']))
    .executeTakeFirstOrThrow();
  await inbox.close();
  await sealed.close();
  expect([row.key_id, row.object_id]).toEqual(['k1', 'netalrt_sealed']);
  const stored = { body: row.body, keyId: row.key_id };
  const opened = openBody(dataKeys, placeOfEvent(ORGANISATION, String(told['id'])), stored);
  expect(opened.toString()).toBe(JSON.stringify(told).replace(CARD, MASKED));
});
