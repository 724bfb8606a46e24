/**
 * Guarantee: the stream has no gap and no second order. A reader that has position n never sees an event below n, whatever
 * transactions are held open meanwhile; of two steps of which one saw the other, the later has the higher position; and
 * two sequencers at once give no position twice, also where one of them dies before its commit.
 */
import { sql } from 'kysely';
import pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { EVENT_KINDS } from '../../../src/capabilities/event-kinds.ts';
import { addEndpoint } from '../../../src/capabilities/events/endpoint.store.ts';
import type { WordedEvent } from '../../../src/capabilities/events/event.store.ts';
import {
  placeEvents,
  readChanges,
  readWaiting,
} from '../../../src/capabilities/events/event.store.ts';
import { createSequence, SEQUENCE_BATCH } from '../../../src/capabilities/events/sequence.ts';
import { useTestDatabase } from '../../support/database.ts';

const NOW = '2026-03-01T12:00:00.000Z';
const test = useTestDatabase();
const clients: pg.Client[] = [];
let organisations = 0;

afterEach(async () => {
  for (const client of clients.splice(0)) await client.end();
});

/** A connection of its own, in a transaction that stays open. */
async function begin(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: test.connectionString });
  clients.push(client);
  await client.connect();
  await client.query('begin');
  return client;
}

async function note(client: pg.Client, organisationId: string, subject: string): Promise<void> {
  await client.query(
    "select forestall.note_event($1, 'alert.missed', $2::timestamptz, null, $3, null, '{}')",
    [organisationId, NOW, subject],
  );
}

function newOrganisation(): string {
  organisations += 1;
  return `org_${organisations}`;
}

const sequenceOf = (organisationId: string): (() => Promise<number>) =>
  createSequence({ db: test.db, organisationId, kinds: EVENT_KINDS });

async function read(organisationId: string, after = 0): Promise<[number, string][]> {
  const { events } = await readChanges(test.db, { organisationId, after, types: [], limit: 1_000 });
  return events.map(({ seq, subject }) => [seq, subject]);
}

describe('transactions that are held open', () => {
  it('an event that was written first and committed last comes last', async () => {
    const organisationId = newOrganisation();
    const [slow, quick] = [await begin(), await begin()];
    await note(slow, organisationId, 'slow');
    await note(quick, organisationId, 'quick');
    await quick.query('commit');
    expect(await sequenceOf(organisationId)()).toBe(1);
    expect(await read(organisationId)).toEqual([[1, 'quick']]);
    await slow.query('commit');
    expect(await sequenceOf(organisationId)()).toBe(1);
    expect(await read(organisationId, 1)).toEqual([[2, 'slow']]);
  });

  it('what was rolled back takes no position', async () => {
    const organisationId = newOrganisation();
    const [undone, done] = [await begin(), await begin()];
    await note(undone, organisationId, 'undone');
    await note(done, organisationId, 'done');
    await undone.query('rollback');
    await done.query('commit');
    await sequenceOf(organisationId)();
    expect(await read(organisationId)).toEqual([[1, 'done']]);
  });

  it('a step that saw another comes after it, although its transaction began before', async () => {
    const organisationId = newOrganisation();
    const [early, late] = [await begin(), await begin()];
    await early.query('select pg_current_xact_id()');
    await note(late, organisationId, 'cause');
    await late.query('commit');
    // `early` waits for the row that `late` changed, and goes on from there.
    await note(early, organisationId, 'effect');
    await early.query('commit');
    await sequenceOf(organisationId)();
    expect(await read(organisationId)).toEqual([
      [1, 'cause'],
      [2, 'effect'],
    ]);
  });

  it('steps of one alert that lock its row keep their order, held open at random', async () => {
    const organisationId = newOrganisation();
    await sql`insert into event_position (organisation_id) values (${`${organisationId}/lock`})`.execute(
      test.db,
    );
    const written: string[] = [];
    const step = async (name: string): Promise<void> => {
      const client = await begin();
      await client.query(
        'select from forestall.event_position where organisation_id = $1 for update',
        [`${organisationId}/lock`],
      );
      await note(client, organisationId, name);
      written.push(name);
      await client.query('commit');
    };
    const sequence = sequenceOf(organisationId);
    await Promise.all([
      ...Array.from({ length: 12 }, async (_each, place) => await step(`step_${place}`)),
      ...Array.from({ length: 12 }, async () => await sequence()),
    ]);
    await sequence();
    expect((await read(organisationId)).map(([, subject]) => subject)).toEqual(written);
  });
});

describe('readers and sequencers at once', () => {
  it('no reader ever sees an event at or below its cursor, and misses none', async () => {
    const organisationId = newOrganisation();
    const sequence = sequenceOf(organisationId);
    const positions: number[] = [];
    let cursor = 0;
    let isOver = false;
    const readAll = async (): Promise<void> => {
      const { events, cursor: next } = await readChanges(test.db, {
        organisationId,
        after: cursor,
        types: [],
        limit: 7,
      });
      positions.push(...events.map(({ seq }) => seq));
      cursor = next;
    };
    const reader = async (): Promise<void> => {
      while (!isOver) await readAll();
    };
    const reading = reader();
    const open = await begin();
    await note(open, organisationId, 'held');
    await Promise.all(
      Array.from({ length: 6 }, async () => {
        for (let round = 0; round < 10; round++) {
          await sql`select note_event(${organisationId}, 'alert.missed', ${NOW}::timestamptz, null, 'x', null, '{}')`.execute(
            test.db,
          );
          await sequence();
        }
      }),
    );
    await open.query('commit');
    await sequence();
    isOver = true;
    await reading;
    for (let round = 0; round < 10; round++) await readAll();
    expect(positions).toEqual(Array.from({ length: 61 }, (_each, place) => place + 1));
  });

  it('a reader of some types continues behind the others', async () => {
    const organisationId = newOrganisation();
    const client = await begin();
    await note(client, organisationId, 'x');
    await client.query('commit');
    await sequenceOf(organisationId)();
    const query = { organisationId, after: 0, limit: 10 };
    expect(await readChanges(test.db, { ...query, types: ['order.refused'] })).toMatchObject({
      events: [],
      cursor: 1,
    });
  });
});

describe('a sequencer whose commit is not there yet', () => {
  /** Committed one by one; returns what waits, in words, in the order of writing. */
  const noteAll = async (organisationId: string, ...subjects: string[]): Promise<WordedEvent[]> => {
    for (const subject of subjects)
      await sql`select note_event(${organisationId}, 'alert.missed', ${NOW}::timestamptz, null, ${subject}, null, '{}')`.execute(
        test.db,
      );
    const waiting = await readWaiting(test.db, organisationId, SEQUENCE_BATCH);
    return waiting.map(({ id, version }) => ({ id, version, sentence: 'It was noted.' }));
  };
  const areWaiting = async (): Promise<number> => {
    const { rows } = await sql<{ waiting: number }>`
      select count(*)::int as waiting from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(test.db);
    return rows[0]?.waiting ?? 0;
  };
  /** One has placed the first ones and is not committed; another works on all, and waits for it. */
  async function openRound(first: number) {
    const organisationId = newOrganisation();
    const noted = await noteAll(organisationId, 'cause', 'effect');
    const open = await test.db.startTransaction().execute();
    expect((await placeEvents(open, organisationId, noted.slice(0, first))).placed).toBe(first);
    const other = sequenceOf(organisationId)();
    await expect.poll(areWaiting).toBe(1);
    expect(await read(organisationId)).toEqual([]);
    return { organisationId, open, other };
  }

  it('dies: what it took is placed by the other, before what came after it', async () => {
    const { organisationId, open, other } = await openRound(1);
    await open.rollback().execute();
    expect(await other).toBe(2);
    expect(await read(organisationId)).toEqual([
      [1, 'cause'],
      [2, 'effect'],
    ]);
  });

  it('commits: the other goes on behind it, and takes nothing again', async () => {
    const { organisationId, open, other } = await openRound(1);
    await open.commit().execute();
    expect(await other).toBe(1);
    expect(await read(organisationId)).toEqual([
      [1, 'cause'],
      [2, 'effect'],
    ]);
    const all = await openRound(2);
    await all.open.commit().execute();
    expect(await all.other).toBe(0);
    expect((await read(all.organisationId)).map(([seq]) => seq)).toEqual([1, 2]);
  });

  it.each(['commit', 'rollback'] as const)(
    'holds the end of the stream also for who works on other events, until its %s',
    async (ending) => {
      const organisationId = newOrganisation();
      await noteAll(organisationId, 'before');
      await sequenceOf(organisationId)();
      const noted = await noteAll(organisationId, 'held', 'free');
      const open = await test.db.startTransaction().execute();
      await placeEvents(open, organisationId, noted.slice(0, 1));
      const other = placeEvents(test.db, organisationId, noted.slice(1));
      await expect.poll(areWaiting).toBe(1);
      // Nothing above what is not committed can be read.
      expect(await read(organisationId)).toEqual([[1, 'before']]);
      await open[ending]().execute();
      expect((await other).placed).toBe(1);
      await sequenceOf(organisationId)();
      const order = ending === 'commit' ? ['before', 'held', 'free'] : ['before', 'free', 'held'];
      expect(await read(organisationId)).toEqual(
        order.map((subject, place) => [place + 1, subject]),
      );
    },
  );

  it('leaves what an erasure changes meanwhile to the next round, and what came after it: old words are not stored', async () => {
    const organisationId = newOrganisation();
    for (const order of ['o-1', 'ann@example.com', 'o-3'])
      await sql`select note_event(${organisationId}, 'order.refused', ${NOW}::timestamptz, null, 'order', null,
        ${JSON.stringify({ integration_id: 'shop', order_reference: order, error_code: null })}::jsonb)`.execute(
        test.db,
      );
    const erasure = await test.db.startTransaction().execute();
    await sql`update event_outbox set data = data || '{"order_reference": "erased"}'
      where organisation_id = ${organisationId} and data->>'order_reference' = 'ann@example.com'`.execute(
      erasure,
    );
    const sequence = sequenceOf(organisationId);
    // It has read the row as it was, and waits for the erasure.
    const round = sequence();
    await expect.poll(areWaiting).toBe(1);
    await erasure.commit().execute();
    expect([await round, await sequence(), await sequence()]).toEqual([1, 2, 0]);
    const { events } = await readChanges(test.db, {
      organisationId,
      after: 0,
      types: [],
      limit: 9,
    });
    expect(
      events.map(({ seq, sentence, data }) => [seq, sentence, data['order_reference']]),
    ).toEqual([
      [1, 'The service refused order o-1.', 'o-1'],
      [2, 'The service refused order erased.', 'erased'],
      [3, 'The service refused order o-3.', 'o-3'],
    ]);
  });

  it('locks from the oldest event on, so that two never wait for one another', async () => {
    const organisationId = newOrganisation();
    const noted = await noteAll(organisationId, 'cause', 'effect');
    const [cause, effect] = noted.map(({ id }) => id);
    const holder = await begin();
    const lock = 'select from forestall.event_outbox where id = $1 for update';
    await holder.query(lock, [cause]);
    const round = placeEvents(test.db, organisationId, noted.toReversed());
    await expect.poll(areWaiting).toBe(1);
    expect((await holder.query(`${lock} nowait`, [effect])).rowCount).toBe(1);
    await holder.query('rollback');
    expect((await round).placed).toBe(2);
    expect((await read(organisationId)).map(([, subject]) => subject)).toEqual(['cause', 'effect']);
  });

  it.each([
    ['no endpoint', [], false],
    ['one that is switched off', ['OFF'], false],
    ['one that was removed', ['REMOVED'], false],
    ['one that is switched on, beside one that is not', ['OFF', 'ON'], true],
  ] as const)(
    'with %s, says whether there is somebody to send to',
    async (_what, states, isSent) => {
      const organisationId = newOrganisation();
      for (const state of states) {
        const url = `https://${state.toLowerCase()}.example/hook`;
        const wish = { name: state, url, types: [], merchants: [], withEmail: false };
        const by = { organisationId, by: 'operator:ann', now: new Date(NOW) };
        const added = await addEndpoint(test.db, wish, by);
        if (typeof added === 'string') throw new Error(added);
        await sql`update event_endpoint set state = ${state} where id = ${added.id}`.execute(
          test.db,
        );
      }
      const noted = await noteAll(organisationId, 'one', 'two');
      expect(await placeEvents(test.db, organisationId, noted)).toEqual({ placed: 2, isSent });
    },
  );
});

it('the order is that of writing, whatever the clocks of the workers say', async () => {
  const organisationId = newOrganisation();
  for (const [place, subject] of ['c', 'a', 'b', 'd'].entries()) {
    const at = new Date(Date.parse(NOW) - place * 1_000).toISOString();
    await sql`select note_event(${organisationId}, ${`alert.${subject}`}, ${at}::timestamptz, null, ${subject}, null, '{}')`.execute(
      test.db,
    );
  }
  expect(await sequenceOf(organisationId)()).toBe(4);
  expect(await read(organisationId)).toEqual([
    [1, 'c'],
    [2, 'a'],
    [3, 'b'],
    [4, 'd'],
  ]);
});

it('what does not fit into a round comes after what did', async () => {
  const organisationId = newOrganisation();
  await sql`select count(note_event(${organisationId}, 'alert.missed', ${NOW}::timestamptz, null, n::text, null, '{}'))
    from generate_series(1, ${SEQUENCE_BATCH + 1}::int) as n`.execute(test.db);
  const sequence = sequenceOf(organisationId);
  expect([await sequence(), await sequence(), await sequence()]).toEqual([SEQUENCE_BATCH, 1, 0]);
  expect(await read(organisationId, SEQUENCE_BATCH - 1)).toEqual([
    [SEQUENCE_BATCH, `${SEQUENCE_BATCH}`],
    [SEQUENCE_BATCH + 1, `${SEQUENCE_BATCH + 1}`],
  ]);
});
