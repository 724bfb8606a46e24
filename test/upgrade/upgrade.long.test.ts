/**
 * Guarantee: whatever version 0.1.0, or 0.2.0 before the charge ledger, left in its database, the version of
 * today goes on with it: no row is lost, each `refund` becomes the right movements of the ledger, every open
 * alert comes to its right end, and nothing is refunded twice. A version that is older
 * than the schema works beside additions and refuses to start beside anything else (F84).
 *
 * The oracle is the processor's ledger and the service of the sandbox, restored to the moment of the dump.
 */
import { sql } from 'kysely';
import pg from 'pg';
import { afterEach, expect, test } from 'vitest';
import { laterMigrations, migrateToLatest, pendingMigrations } from '../../src/base/db/migrate.ts';
import { moveSchema } from '../../src/base/db/move-schema.ts';
import { migrateBoss } from '../../src/base/jobs/boss.ts';
import { createLog } from '../../src/base/kernel/log.ts';
import { INVENTORY } from '../../src/running/privacy/inventory.ts';
import type { OpenTestWorld } from '../../src/running/testing/test-world.ts';
import { createTestWorld } from '../../src/running/testing/test-world.ts';
import type { TestDatabase } from '../support/database.ts';
import { createTestDatabase } from '../support/database.ts';
import type { LedgerShown } from './dumps.ts';
import { BEFORE_THE_LEDGER, FIRST } from './dumps.ts';
import { readKept } from './kept.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** What to end when the test does. */
let cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of cleanUp.toReversed()) await end();
  cleanUp = [];
});

async function restore(version: string): Promise<TestDatabase> {
  const database = await createTestDatabase({ template: 'template0' });
  cleanUp.push(() => database.drop());
  // A connection of its own: a dump sets the session's search path.
  const client = new pg.Client({ connectionString: database.connectionString });
  await client.connect();
  try {
    await client.query(await readKept(`${version}.sql`));
  } finally {
    await client.end();
  }
  return database;
}

async function migrate({ db, connectionString }: TestDatabase): Promise<void> {
  await expect(migrateToLatest(db)).rejects.toThrow('forestall migrate --move-from public');
  await moveSchema(db, { from: 'public', isCheck: false });
  await migrateToLatest(db);
  await migrateBoss({ connectionString, schema: 'forestall_jobs' }, createLog({ level: 'silent' }));
  expect(await pendingMigrations(db)).toEqual([]);
  // The night's former schedule made jobs that no worker of today takes.
  const { rows } = await sql<{ name: string }>`select name from forestall_jobs.schedule`.execute(
    db,
  );
  expect(rows).toEqual([{ name: 'forestall.minute.v1' }]);
}

/** The movements by the part of the alert whose `refund` they were; what stood beside one has its id and more. */
async function readLedgers(
  db: TestDatabase['db'],
  cast: Readonly<Record<string, string>>,
): Promise<Record<string, readonly LedgerShown[]>> {
  const { rows } = await sql<LedgerShown & { readonly alert: string }>`
    select o.alert_id as alert, m.kind, m.state, c.status, c.amount_minor as captured, m.amount_minor as moved,
      d.amount_minor as disputed, v.amount_minor as covered, m.idempotency_key is not null as "hasKey",
      (select count(*)::int from alert_case k where k.dispute_id = d.id
        and (m.kind = 'network' or k.movement_id = o.id)) as named
    from movement m
      join movement o on o.id = regexp_replace(m.id, '_external$', '')
      left join charge_account c on c.charge_reference = m.charge_reference and c.currency = m.currency
      left join cover v on v.movement_id = m.id
      left join dispute d on d.id = v.dispute_id and d.id = coalesce(m.dispute_id, d.id)
        and d.charge_reference = m.charge_reference and d.currency = m.currency
    order by m.kind`.execute(db);
  const partOf = new Map(Object.entries(cast).map(([part, alert]) => [alert, part]));
  const ledgers: Record<string, LedgerShown[]> = {};
  for (const { alert, ...shown } of rows) {
    const part = partOf.get(alert) ?? alert;
    ledgers[part] = [...(ledgers[part] ?? []), shown];
  }
  return ledgers;
}

async function countRows(
  { db }: TestDatabase,
  tables: readonly string[],
  schema = 'forestall',
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of tables) {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from ${sql.id(schema, table)}`.execute(db);
    counts[table] = rows[0]?.count ?? -1;
  }
  return counts;
}

/** The tables that both versions know; what later ones call otherwise is not among them. */
async function sharedTables({ db }: TestDatabase): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = 'public'
      and tablename in (select unnest(${Object.keys(INVENTORY)}::text[])) order by 1`.execute(db);
  return rows.map(({ name }) => name);
}

test.each([FIRST, BEFORE_THE_LEDGER])(
  'every row of $version is there after the migrations, and every open alert comes to its end',
  async (dump) => {
    const { at, cast, sandbox } = JSON.parse(await readKept(`${dump.version}.world.json`)) as {
      at: string;
      cast: Record<string, string>;
      sandbox: unknown;
    };
    const database = await restore(dump.version);
    const refunds = await countRows(database, ['refund'], 'public');
    const tables = await sharedTables(database);
    const before = await countRows(database, tables, 'public');
    await migrate(database);
    expect(await countRows(database, tables)).toEqual(before);
    expect({ ...before, ...refunds }).toMatchObject(dump.rows);
    expect(await readLedgers(database.db, cast)).toEqual(dump.ledgers);

    const world = await createTestWorld({ database: database.connectionString, startsAt: at });
    cleanUp.push(() => world.close());
    world.sandbox.restore(sandbox);
    world.sandbox.pointWebhooksAt(world.webhookUrl);
    // Neither left a recent sign of life, so today's version looks before it acts. Then to the last fallback.
    await world.advance(30 * MINUTE_MS, 10 * MINUTE_MS);
    const late: Record<string, string> = {};
    for (const part of Object.keys(dump.late)) {
      const { reference = '' } = chargeOf(world, cast[part]) ?? {};
      late[part] = world.sandbox.createAlertFor(reference).id;
    }
    await world.advance(46 * HOUR_MS, 11.5 * HOUR_MS);
    expect(await endsOf(world, cast)).toEqual(dump.ends);
    expect(await endsOf(world, late)).toEqual(dump.late);
  },
);

function chargeOf(
  { sandbox }: OpenTestWorld,
  alertId = '',
): ReturnType<OpenTestWorld['sandbox']['charges']>[number] | undefined {
  const reference = sandbox.state.alerts.get(alertId)?.transaction_acquirer_reference_number;
  return sandbox.charges().find((each) => each.acquirer_reference_number === reference);
}

async function endsOf(
  world: OpenTestWorld,
  cast: Readonly<Record<string, string>>,
): Promise<unknown> {
  const { sandbox, stateOf } = world;
  const ends: [string, unknown][] = [];
  for (const [part, alertId] of Object.entries(cast)) {
    const charge = chargeOf(world, alertId);
    const { count, sumMinor } =
      charge === undefined ? { count: 0, sumMinor: 0 } : sandbox.moneyOut(charge.reference);
    const said = sandbox.state.alerts.get(alertId)?.transaction_refund_outcome;
    ends.push([part, [await stateOf(alertId), count, sumMinor, said]]);
  }
  return Object.fromEntries(ends);
}

test('an older version works beside what a later one added, and refuses what breaks it', async () => {
  const database = await restore('0.1.0');
  await migrate(database);
  const name = '9998_adds';
  await sql`insert into forestall_migration values (${name}, now()::text)`.execute(database.db);
  expect(await laterMigrations(database.db)).toEqual([name]);
  expect(await migrateToLatest(database.db)).toEqual([]);
  await sql`insert into forestall_migration values ('9999_drops_breaking', now()::text)`.execute(
    database.db,
  );
  await expect(migrateToLatest(database.db)).rejects.toThrow(
    /cannot work with \(9999_drops_breaking\).*restore the backup/,
  );
});

test('the version before stores each event once on the schema of today', async () => {
  const database = await createTestDatabase();
  cleanUp.push(() => database.drop());
  // As 0.2.0 was before event ids belonged to organisations.
  const before = `
    with fresh as (
      insert into inbox_id (event_id, organisation_id, body_hash, received_at, seq)
      values ($2::text, $1::text, '\\x07', now(), nextval('inbox_seq'))
      on conflict do nothing
      returning seq
    ), work as (
      insert into inbox_work (seq, received_at, organisation_id, event_id)
      select seq, now(), $1::text, $2::text from fresh
    )
    select $2::text as event_id, (select known.body_hash from inbox_id known where known.event_id = $2::text) as body_hash
    where not exists (select from fresh)`;
  const known: number[] = [];
  for (let time = 0; time < 2; time++) {
    known.push((await database.pool.query(before, ['org_1', 'evt_1'])).rows.length);
  }
  expect(known).toEqual([0, 1]);
  expect(await countRows(database, ['inbox_id', 'inbox_work'])).toEqual({
    inbox_id: 1,
    inbox_work: 1,
  });
});
