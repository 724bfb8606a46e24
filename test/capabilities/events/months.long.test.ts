/**
 * Guarantee: a table that is built only from `GET /api/changes` equals the database row by row, whatever is committed in which
 * order, rolled back, or held open, and however often its readers stop and begin again from the cursor that they stored.
 *
 * `FORESTALL_MONTHS` simulated months (100 unless told otherwise), each with alerts whose steps are other transactions, side by
 * side; the readers ask over HTTP.
 */
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { EVENT_KINDS } from '../../../src/capabilities/event-kinds.ts';
import { createSequence } from '../../../src/capabilities/events/sequence.ts';
import { createRandom } from '../../../src/sandbox/ids.ts';
import type { TestConsole } from '../../integration/console/support.ts';
import { BEARER, startConsole } from '../../integration/console/support.ts';
import { ORG } from '../../integration/reconcile/rows.ts';
import { useTestDatabase } from '../../support/database.ts';

const MONTHS = Number(process.env['FORESTALL_MONTHS'] ?? 100);
const ALERTS = 6;
const WRITERS = 4;
const READERS = 3;
const DAY_MS = 86_400_000;

const test = useTestDatabase();
const clock = createFixedClock('2026-01-01T00:00:00.000Z');
let site: TestConsole;

const random = createRandom(7);

interface Change {
  readonly position: number;
  readonly type: string;
  readonly alert_id: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A reader that stores what it read and its cursor together, and may be stopped between any two steps. */
interface Reader {
  /** Stored. */
  cursor: string | undefined;
  table: Map<string, string>;
  positions: number[];
  /** Reads a page. A reader that is stopped before it stores has read nothing. */
  page(isStopped: boolean): Promise<boolean>;
}

const STATES: Readonly<Record<string, string>> = {
  'alert.received': 'RECEIVED',
  'alert.matched': 'MATCHED',
  'alert.held': 'HUMAN',
};

/** The state that an event tells of; undefined: of none. */
function stateIn(type: string, { state }: Change['data']): string | undefined {
  return type === 'alert.closed' ? String(state) : STATES[type];
}

function openReader(limit: number): Reader {
  const reader: Reader = {
    cursor: undefined,
    table: new Map(),
    positions: [],
    async page(isStopped): Promise<boolean> {
      const after = reader.cursor === undefined ? '' : `&after=${reader.cursor}`;
      const answer = await site.get(`/api/changes?limit=${limit}${after}`, BEARER);
      expect(answer.status).toBe(200);
      const page = (await answer.json()) as { items: Change[]; cursor: string; has_more: boolean };
      if (isStopped) return true;
      for (const { type, alert_id: alert, data, position } of page.items) {
        reader.positions.push(position);
        const state = alert === null ? undefined : stateIn(type, data);
        if (alert !== null && state !== undefined) reader.table.set(alert, state);
      }
      reader.cursor = page.cursor;
      return page.has_more;
    },
  };
  return reader;
}

const MOVES: Readonly<Record<string, readonly string[]>> = {
  RECEIVED: ['MATCHED', 'HUMAN', 'CLOSED_REMOTE'],
  MATCHED: ['HUMAN', 'CLOSED_REMOTE', 'CLOSED_INVALID'],
  HUMAN: ['CLOSED_REMOTE', 'CLOSED_INVALID'],
};

/** One step of one alert in a transaction of its own, which may stay open for a while, or be rolled back. */
async function step(client: pg.Client, id: string, at: string): Promise<void> {
  await client.query('begin');
  const { rows } = await client.query<{ state: string }>(
    'select state from alert_case where organisation_id = $1 and alert_id = $2 for update',
    [ORG, id],
  );
  const from = rows[0]?.state;
  if (from === undefined) {
    await client.query(
      `insert into alert_case (organisation_id, alert_id, state, opened_at, deadline_at, next_action_at, changed_at)
       values ($1, $2, 'RECEIVED', $3, $3::timestamptz + interval '2 days', $3, $3) on conflict do nothing`,
      [ORG, id, at],
    );
  } else {
    const next = MOVES[from] ?? [];
    const to = next[Math.floor(random() * next.length)];
    if (to !== undefined) {
      const isEnd = to.startsWith('CLOSED');
      await client.query(
        `update alert_case set state = $3, version = version + 1, changed_at = $4, next_action_at = case when $5 then null else next_action_at end,
          closed_at = case when $5 then $4::timestamptz end where organisation_id = $1 and alert_id = $2`,
        [ORG, id, to, at, isEnd],
      );
    }
  }
  // Held open, while others commit and positions are given.
  if (random() < 0.3) await new Promise((done) => setTimeout(done, random() * 4));
  await client.query(random() < 0.15 ? 'rollback' : 'commit');
}

beforeAll(async () => {
  site = await startConsole(test.db, clock);
}, 60_000);
afterAll(async () => await site?.close());

it(`${MONTHS} months`, { timeout: 120_000 + MONTHS * 5_000 }, async () => {
  const sequence = createSequence({ db: test.db, organisationId: ORG, kinds: EVENT_KINDS });
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: test.connectionString });
    await client.connect();
    return client;
  };
  const clients = await Promise.all(Array.from({ length: WRITERS }, connect));
  // A transaction that began before everything and is open all the time delays nobody.
  const holder = await connect();
  await holder.query('begin isolation level repeatable read');
  await holder.query('select 1 from alert_case limit 1');
  const readers = Array.from({ length: READERS }, (_, place) =>
    openReader([1_000, 37, 200][place] ?? 200),
  );
  let stops = 0;
  for (let month = 0; month < MONTHS; month += 1) {
    clock.advanceMs(30 * DAY_MS);
    const at = new Date(clock.nowMs()).toISOString();
    const ids = Array.from({ length: ALERTS }, (_, place) => `netalrt_${month}_${place}`);
    const write = async (client: pg.Client): Promise<void> => {
      for (let steps = 0; steps < 5; steps += 1) {
        await step(client, ids[Math.floor(random() * ids.length)] ?? '', at);
      }
    };
    const isWriting = { now: true };
    const give = async (): Promise<void> => {
      while (isWriting.now) {
        if ((await sequence()) === 0) await new Promise((done) => setTimeout(done, 1));
      }
    };
    const read = async (reader: Reader): Promise<void> => {
      const isStopped = random() < 0.3;
      if (isStopped) stops += 1;
      await reader.page(isStopped);
    };
    const given = give();
    await Promise.all([
      Promise.all(clients.map(write)).then(() => {
        isWriting.now = false;
      }),
      ...(month % 4 === 0 ? readers.map(read) : []),
    ]);
    await given;
  }
  while ((await sequence()) > 0);
  await holder.query('rollback');
  for (const client of [...clients, holder]) await client.end();
  const { rows } = await test.pool.query<{ id: string; state: string }>(
    'select alert_id as id, state from alert_case where organisation_id = $1',
    [ORG],
  );
  const truth = new Map(rows.map(({ id, state }) => [id, state]));
  const { rows: ends } = await test.pool.query<{ last: number }>(
    'select last_seq as last from event_position where organisation_id = $1',
    [ORG],
  );
  expect(truth.size).toBeGreaterThan(MONTHS * 3);
  expect(stops).toBeGreaterThan(MONTHS / 20);
  for (const reader of readers) {
    while (await reader.page(false));
    expect(reader.positions).toEqual(
      Array.from({ length: Number(ends[0]?.last) }, (_, place) => place + 1),
    );
    expect([...reader.table].toSorted()).toEqual([...truth].toSorted());
  }
  process.stdout.write(
    `${MONTHS} months: ${truth.size} alerts, ${ends[0]?.last} events, ${stops} stops of readers\n`,
  );
});
