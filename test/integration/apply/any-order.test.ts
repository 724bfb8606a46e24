/**
 * Guarantee: an alert's life, told in any order, any number of times, by webhook and by poll, in any
 * batches and by several appliers at once, ends in the same row, with one case.
 */
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SnapshotOutcome } from '../../../src/alerts/apply/apply-snapshots.ts';
import { applySnapshots } from '../../../src/alerts/apply/apply-snapshots.ts';
import { inTransaction } from '../../../src/base/db/transaction.ts';
import { alertSchema } from '../../../src/service/wire/alert.ts';
import type { Bench } from './harness.ts';
import { alertObject, event, ORGANISATION, openBench } from './harness.ts';

let bench: Bench;

beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.close());

type Version = Record<string, unknown>;

/** A life: created, matched, resolved; the last two within one second. */
const LIFE: readonly Version[] = [
  { status: 'ACTION_REQUIRED', updated_at: '2026-11-20T11:00:00Z' },
  {
    status: 'ACTION_REQUIRED',
    integration_transaction_id: 'tx_1',
    updated_at: '2026-11-20T11:00:05Z',
  },
  {
    status: 'RESOLVED',
    integration_transaction_id: 'tx_1',
    transaction_refund_outcome: 'REFUNDED',
    updated_at: '2026-11-20T11:00:05Z',
  },
];
const WITHDRAWN: Version = {
  status: 'INVALID',
  integration_transaction_id: 'tx_1',
  transaction_refund_outcome: 'REFUNDED',
  updated_at: '2026-11-20T11:00:05Z',
};
/** Same status and moment as LIFE[1], other content. */
const TWIN: Version = {
  status: 'ACTION_REQUIRED',
  integration_transaction_id: 'tx_2',
  updated_at: '2026-11-20T11:00:05Z',
};

interface Told {
  readonly version: Version;
  readonly source: 'webhook' | 'poll';
}

let lives = 0;

async function tell(id: string, told: Told): Promise<SnapshotOutcome | undefined> {
  const [outcome] = await inTransaction(bench.database.db, (trx) =>
    applySnapshots(trx, {
      organisationId: ORGANISATION,
      source: told.source,
      snapshots: [
        {
          entity: 'alert',
          object: alertObject(id, told.version),
          eventId: told.source === 'webhook' ? 'evt_x' : null,
        },
      ],
      now: new Date(bench.clock.nowMs()),
    }),
  );
  return outcome;
}

/** Everything about a row that order must not change. */
async function rowsOf(ids: readonly string[]): Promise<string[]> {
  const rows = await bench.database.db
    .selectFrom('alert')
    .selectAll()
    .where('id', 'in', ids)
    .execute();
  expect(rows).toHaveLength(ids.length);
  return rows.map((row) => {
    const { id, source, read_at, told_at, told_as_update, first_seen_at, changed_at, ...more } =
      row;
    const { snapshot, snapshot_hash, ...rest } = more;
    return JSON.stringify({ ...rest, snapshot: { ...snapshot, id: '' } });
  });
}

function permutations<Item>(items: readonly Item[]): Item[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((item, index) =>
    permutations([...items.slice(0, index), ...items.slice(index + 1)]).map((rest) => [
      item,
      ...rest,
    ]),
  );
}

async function endings(orders: readonly (readonly Told[])[]): Promise<Set<string>> {
  const ids = orders.map(() => `netalrt_life${++lives}`);
  // Each life is told step by step; the lives of all orders side by side.
  const longest = Math.max(...orders.map((order) => order.length));
  for (let step = 0; step < longest; step++) {
    for (const source of ['webhook', 'poll'] as const) {
      const snapshots = orders.flatMap((order, index) => {
        const told = order[step];
        if (told?.source !== source) return [];
        const object = alertObject(ids[index]!, told.version);
        return [
          { entity: 'alert' as const, object, eventId: source === 'webhook' ? 'evt_x' : null },
        ];
      });
      const input = {
        organisationId: ORGANISATION,
        source,
        snapshots,
        now: new Date(bench.clock.nowMs()),
      };
      await inTransaction(bench.database.db, (trx) => applySnapshots(trx, input));
    }
    bench.clock.advanceMs(1_000);
  }
  return new Set(await rowsOf(ids));
}

const asWebhook = (version: Version): Told => ({ version, source: 'webhook' });

describe('every order', () => {
  it.each<[string, readonly Version[]]>([
    ['of a resolved life', LIFE],
    ['of a withdrawn life', [...LIFE, WITHDRAWN]],
    ['with a late repeat of the first event', [...LIFE, LIFE[0]!]],
    ['of everything', [...LIFE, WITHDRAWN, TWIN]],
  ])('%s', async (_name, life) => {
    expect((await endings(permutations(life.map(asWebhook)))).size).toBe(1);
  });

  it('with two contents of one moment', async () => {
    // The hash that decides covers the id, so every life has this one, in an organisation of its own.
    const rows = new Set<string>();
    for (const [index, order] of permutations([LIFE[0]!, LIFE[1]!, TWIN]).entries()) {
      const organisationId = `org_life${index}`;
      const snapshots = order.map((version) => ({
        entity: 'alert' as const,
        object: alertObject('netalrt_twin', { ...version, organisation_id: null }),
        eventId: 'evt_x',
      }));
      const now = new Date(bench.clock.nowMs());
      await inTransaction(bench.database.db, (trx) =>
        applySnapshots(trx, { organisationId, source: 'webhook', snapshots, now }),
      );
      const row = await bench.database.db
        .selectFrom('alert')
        .select(['integration_transaction_id', 'needs_read', 'snapshot_hash'])
        .where('organisation_id', '=', organisationId)
        .executeTakeFirstOrThrow();
      rows.add(JSON.stringify(row));
      expect(row.needs_read).toBe(true);
    }
    expect(rows.size).toBe(1);
  });

  it('by webhook and poll mixed', async () => {
    const told = [...LIFE, WITHDRAWN];
    const orders = permutations(told).flatMap((order) =>
      [1, 2, 4, 5, 10, 15].map((mask) =>
        order.map(
          (version, index): Told => ({
            version,
            source: (mask >> index) & 1 ? 'poll' : 'webhook',
          }),
        ),
      ),
    );
    expect(orders).toHaveLength(144);
    expect((await endings(orders)).size).toBe(1);
  });

  it('and the last content is the expected one', async () => {
    const id = 'netalrt_expected';
    for (const version of [WITHDRAWN, ...LIFE].map(asWebhook)) await tell(id, version);
    expect(
      await bench.database.db
        .selectFrom('alert')
        .select(['status', 'refund_outcome', 'needs_read', 'integration_transaction_id'])
        .where('id', '=', id)
        .executeTakeFirst(),
    ).toEqual({
      status: 'INVALID',
      refund_outcome: 'REFUNDED',
      needs_read: false,
      integration_transaction_id: 'tx_1',
    });
  });

  it('with any repetition', async () => {
    const versions = [...LIFE, WITHDRAWN];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat({ max: 3 }), fc.boolean()), { minLength: 4, maxLength: 10 }),
        async (picks) => {
          const all = [...picks, [0, false], [1, true], [2, false], [3, true]] as [
            number,
            boolean,
          ][];
          const told = all.map(
            ([index, isPoll]): Told => ({
              version: versions[index]!,
              source: isPoll ? 'poll' : 'webhook',
            }),
          );
          const plain = versions.map(asWebhook);
          expect((await endings([told, [...told].reverse(), plain])).size).toBe(1);
        },
      ),
      { numRuns: 10 },
    );
  });
});

describe('a poll', () => {
  it('answers what it did', async () => {
    const id = 'netalrt_effects';
    const poll = (version: Version): Told => ({ version, source: 'poll' });
    expect(await tell(id, poll(LIFE[0]!))).toEqual({ effect: 'created' });
    expect(await tell(id, poll(LIFE[0]!))).toEqual({ effect: 'unchanged' });
    expect(await tell(id, poll(LIFE[2]!))).toEqual({ effect: 'changed' });
    expect(await tell(id, poll(LIFE[0]!))).toEqual({ effect: 'unchanged' });
    expect(await tell('lkup_1', poll(LIFE[0]!))).toMatchObject({
      effect: 'refused',
      reason: 'object_unusable',
    });
  });

  it('confirms quietly: repeated polls write no history', async () => {
    const id = 'netalrt_quiet';
    await tell(id, asWebhook(LIFE[2]!));
    for (let round = 0; round < 3; round++) {
      await tell(id, { version: LIFE[2]!, source: 'poll' });
      await tell(id, { version: LIFE[0]!, source: 'poll' });
    }
    const lines = await bench.database.db
      .selectFrom('entity_change')
      .select('accepted')
      .where('entity_id', '=', id)
      .execute();
    expect(lines).toEqual([{ accepted: true }]);
  });

  it('shows the same content as an event whose moments name no zone', async () => {
    const id = 'netalrt_zoneless';
    const told = {
      created_at: '2026-11-20T11:00:00',
      updated_at: '2026-11-20T11:00:00',
      action_required_deadline: '2026-11-22T12:00:00',
    };
    const shown = alertSchema.parse(alertObject(id, told));
    for (const order of [1, 2]) {
      await tell(id, asWebhook(told));
      const { db } = bench.database;
      const [outcome] = await inTransaction(db, (trx) =>
        applySnapshots(trx, {
          organisationId: ORGANISATION,
          source: 'poll',
          snapshots: [{ entity: 'alert', object: shown, eventId: null }],
          now: new Date(bench.clock.nowMs() + order),
        }),
      );
      expect(outcome).toEqual({ effect: 'unchanged' });
    }
    const row = await bench.database.db
      .selectFrom('alert')
      .select(['updated_at', 'deadline_at', 'needs_read'])
      .where('id', '=', id)
      .executeTakeFirst();
    expect(row).toEqual({
      updated_at: new Date('2026-11-20T11:00:00Z'),
      deadline_at: new Date('2026-11-22T12:00:00Z'),
      needs_read: false,
    });
  });

  it('settles two contents of one moment, in either direction', async () => {
    for (const truth of [LIFE[1]!, TWIN]) {
      const id = `netalrt_tie${++lives}`;
      await tell(id, asWebhook(LIFE[1]!));
      await tell(id, asWebhook(TWIN));
      const find = () =>
        bench.database.db
          .selectFrom('alert')
          .select(['needs_read', 'integration_transaction_id'])
          .where('id', '=', id)
          .executeTakeFirstOrThrow();
      expect((await find()).needs_read).toBe(true);
      await tell(id, { version: truth, source: 'poll' });
      expect(await find()).toEqual({
        needs_read: false,
        integration_transaction_id: truth['integration_transaction_id'],
      });
    }
  });
});

it('several appliers and a poller at once: the same rows, one case each, nothing lost', async () => {
  const ids = Array.from({ length: 30 }, (_, index) => `netalrt_race${index}`);
  const versions = [...LIFE, WITHDRAWN];
  const bodies = ids.flatMap((id) =>
    versions.map((version) => event('alert.updated', alertObject(id, version))),
  );
  bodies.sort((a, b) => String(a['id']).localeCompare(String(b['id'])));
  await bench.store(
    ...bodies.filter((_, index) => index % 2 === 0),
    ...bodies.filter((_, index) => index % 2 === 1),
  );
  const polls = ids.map((id, index) => tell(id, { version: versions[index % 4]!, source: 'poll' }));
  const drains = await Promise.all([bench.drain(), bench.drain(), bench.drain(), ...polls]);
  expect(drains.slice(0, 3).reduce<number>((sum, taken) => sum + Number(taken), 0)).toBe(120);
  expect(new Set(await rowsOf(ids)).size).toBe(1);
  const cases = await bench.database.db
    .selectFrom('alert_case')
    .select('alert_id')
    .where('alert_id', 'like', 'netalrt_race%')
    .execute();
  expect(cases).toHaveLength(30);
  const { rows } = await sql`select from inbox_work`.execute(bench.database.db);
  expect(rows).toHaveLength(0);
});

it('an older snapshot that waited for a newer one does not overwrite it', async () => {
  const id = 'netalrt_waits';
  await tell(id, asWebhook(LIFE[0]!));
  const { db } = bench.database;
  let older: Promise<unknown> = Promise.resolve();
  await inTransaction(db, async (trx) => {
    await applySnapshots(trx, {
      organisationId: ORGANISATION,
      source: 'webhook',
      snapshots: [{ entity: 'alert', object: alertObject(id, LIFE[2]), eventId: 'evt_x' }],
      now: new Date(bench.clock.nowMs()),
    });
    older = tell(id, asWebhook(LIFE[1]!));
    // Commit only once the other one stands in line.
    for (;;) {
      const { rows } = await sql`
        select from pg_locks where not granted
          and database in (select oid from pg_database where datname = current_database())
        union all select from pg_locks where not granted and locktype = 'transactionid'`.execute(
        db,
      );
      if (rows.length > 0) break;
    }
  });
  expect(await older).toEqual({ effect: 'unchanged' });
  const row = await db.selectFrom('alert').select('status').where('id', '=', id).executeTakeFirst();
  expect(row).toEqual({ status: 'RESOLVED' });
});

it('times are compared in microseconds', async () => {
  const id = 'netalrt_micro';
  for (const micros of ['000003', '000001', '000002']) {
    await tell(id, asWebhook({ note: micros, updated_at: `2026-11-20T11:00:00.${micros}Z` }));
  }
  const { rows } =
    await sql`select note, updated_at::text as updated_at from alert where id = ${id}`.execute(
      bench.database.db,
    );
  expect(rows).toEqual([{ note: '000003', updated_at: '2026-11-20 11:00:00.000003+00' }]);
});
