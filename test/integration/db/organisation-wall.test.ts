/**
 * Guarantee: behind the wall between organisations a connection sees and writes the rows of the organisation that it
 * acts for, in every table, and of none where it acts for nobody; and acting for one costs no round trip.
 */
import type { EventEmitter } from 'node:events';
import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dataKeysOf } from '../../../src/base/db/carried-keys.ts';
import type { OpenDatabase } from '../../../src/base/db/connect.ts';
import { openDatabase } from '../../../src/base/db/connect.ts';
import type { Database } from '../../../src/base/db/database.ts';
import { forAllOrganisations, forOrganisation } from '../../../src/base/db/for-organisation.ts';
import { sourceOfPool } from '../../../src/base/db/source.ts';
import { parseDataKeys } from '../../../src/base/kernel/data-keys.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import { rightsLines } from '../../../src/people/doctor/rights-lines.ts';
import { wallLines } from '../../../src/people/doctor/wall-lines.ts';
import { INVENTORY } from '../../../src/running/privacy/inventory.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';

const log = createLog({ level: 'silent' });
const A = 'org_a';
const B = "org_b'; --";
const INSUFFICIENT_PRIVILEGE = '42501';

let database: TestDatabase;
/** The application's address: its role, and nobody that it acts for. */
let appUrl: string;
const opened: OpenDatabase[] = [];

function openAs(organisation: string | undefined, maxConnections = 2): OpenDatabase {
  const each = openDatabase({ connectionString: appUrl, log, maxConnections, organisation });
  opened.push(each);
  return each;
}

/** A value that the type takes; what matters is that there is one. */
const VALUES: Readonly<Record<string, string>> = {
  'text[]': "'{}'",
  jsonb: "'{}'",
  boolean: 'false',
  date: "'2026-11-01'",
  'timestamp with time zone': "'2026-11-20 00:00:00Z'",
  'timestamp with time zone[]': "'{}'",
};

interface Column {
  readonly table: string;
  readonly column: string;
  readonly type: string;
}

/** One row of each organisation in every table, whatever it would have to say otherwise. */
async function fill({ pool }: TestDatabase): Promise<void> {
  const { rows: checks } = await pool.query<{ table: string; name: string }>(
    `select conrelid::regclass::text as table, quote_ident(conname) as name from pg_constraint
     where connamespace = 'forestall'::regnamespace and contype = 'c' and conislocal`,
  );
  const { rows: columns } = await pool.query<Column>(
    `select c.relname as table, a.attname as column, format_type(a.atttypid, null) as type
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = 'forestall'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and a.attnotnull and not a.atthasdef and a.attidentity = '' and a.attgenerated = ''`,
  );
  const statements = ["set session_replication_role = 'replica'"];
  for (const { table, name } of checks) {
    statements.push(`alter table ${table} drop constraint if exists ${name}`);
  }
  for (const [place, organisation] of [A, B].entries()) {
    for (const table of Object.keys(INVENTORY)) {
      const own = columns.filter((each) => each.table === table);
      const names = own.map(({ column }) => column).join(', ');
      const values = own.map((column) => fillerOf(column, place, organisation));
      statements.push(`insert into ${table} (${names}) values (${values.join(', ')})`);
    }
  }
  const client = await pool.connect();
  await client.query(statements.join(';\n'));
  client.release(true);
}

function fillerOf({ table, column, type }: Column, place: number, organisation: string): string {
  if (column === 'organisation_id') return pg.escapeLiteral(organisation);
  if (table === 'payment_evidence' && column === 'organisation') return `${place + 1}`;
  if (type === 'text') return `'x${place}'`;
  return type === 'bytea' ? `'\\x0${place}'` : (VALUES[type] ?? `${place + 1}`);
}

beforeAll(async () => {
  database = await createTestDatabase();
  await fill(database);
  // The workers may not write these at all, wall or no wall: here the wall alone is looked at.
  await database.pool.query(
    `grant insert, update, delete on
       console_operator, console_right, console_session, console_token_link, console_trust to forestall_app`,
  );
  const url = new URL(database.connectionString);
  url.searchParams.set('options', '-c role=forestall_app');
  appUrl = url.href;
});
afterAll(async () => {
  for (const each of opened) await each.close();
  await database.drop();
});

async function countsBy({ pool }: OpenDatabase): Promise<Record<string, number>> {
  const tables = Object.keys(INVENTORY);
  const parts = tables.map(
    (table) => `select '${table}' as name, count(*)::int as count from ${table}`,
  );
  const { rows } = await pool.query<{ name: string; count: number }>(parts.join(' union all '));
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}

const everywhere = (count: number): Record<string, number> =>
  Object.fromEntries(Object.keys(INVENTORY).map((table) => [table, count]));

describe('every table of the inventory', () => {
  it('shows nothing to a connection that acts for nobody', async () => {
    expect(await countsBy(openAs(undefined))).toEqual(everywhere(0));
    expect(await countsBy(openAs(''))).toEqual(everywhere(0));
  });

  it('shows an organisation its own rows, several theirs, and all to what acts for all', async () => {
    expect(await countsBy(openAs(A))).toEqual(everywhere(1));
    expect(await countsBy(openAs('org_other'))).toEqual(everywhere(0));
    expect(await countsBy(openAs(`${A},${B}`))).toEqual(everywhere(2));
    expect(await countsBy(openAs('*'))).toEqual(everywhere(2));
  });

  it('control: whoever owns the tables passes the wall', async () => {
    expect(await countsBy(database)).toEqual(everywhere(2));
  });

  it('takes no row, no change and no deletion for another organisation', async () => {
    const refused = Object.fromEntries(
      Object.keys(INVENTORY).map((table) => [table, INSUFFICIENT_PRIVILEGE]),
    );
    // A's own is taken as far as the wall is concerned, and refused for what is missing.
    expect(Object.values(await insertionsOf(openAs(A), A))).not.toContain(INSUFFICIENT_PRIVILEGE);
    expect(await insertionsOf(openAs(A), B)).toEqual(refused);
    expect(await insertionsOf(openAs(undefined), A)).toEqual(refused);
    // Where the role may change and delete at all, the rows are not there for it.
    expect(await touchedIn(openAs(A), B)).toEqual([]);
    expect(await touchedIn(openAs(undefined), A)).toEqual([]);
    expect(await touchedIn(openAs(B), B)).not.toEqual([]);
  });
});

const nameOf = (table: string) =>
  table === 'payment_evidence' ? 'organisation' : 'organisation_id';
const literalOf = (table: string, organisation: string) =>
  table === 'payment_evidence'
    ? `${[A, B].indexOf(organisation) + 1}`
    : pg.escapeLiteral(organisation);

/** Runs a statement for each table, each taken back; `said` is what is kept of it. */
async function tryEach(
  { pool }: OpenDatabase,
  statements: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const tries = Object.entries(statements).map(
    ([table, statement]) => `begin
      ${statement};
      get diagnostics touched = row_count;
      raise exception using errcode = 'P0001', message = touched || ' rows';
    exception when others then
      said := said || jsonb_build_object('${table}', case sqlstate when 'P0001' then sqlerrm else sqlstate end);
    end;`,
  );
  const client = await pool.connect();
  await client.query(`do $try$ declare
    said jsonb := '{}';
    touched bigint;
    begin ${tries.join('\n')} perform set_config('test.said', said::text, false); end $try$`);
  const { rows } = await client.query<{ said: string }>(
    `select current_setting('test.said') as said`,
  );
  client.release();
  return JSON.parse(rows[0]?.said ?? '{}') as Record<string, string>;
}

async function insertionsOf(
  database: OpenDatabase,
  organisation: string,
): Promise<Record<string, string>> {
  const each = Object.keys(INVENTORY).map((table) => [
    table,
    `insert into ${table} (${nameOf(table)}) values (${literalOf(table, organisation)})`,
  ]);
  return await tryEach(database, Object.fromEntries(each));
}

/** Tables of which a change or a deletion met a row of the organisation. */
async function touchedIn(database: OpenDatabase, organisation: string): Promise<string[]> {
  const met: string[] = [];
  for (const verb of ['update', 'delete']) {
    const each = Object.keys(INVENTORY).map((table) => {
      const where = `where ${nameOf(table)} = ${literalOf(table, organisation)}`;
      const set = `set ${nameOf(table)} = ${nameOf(table)}`;
      return [
        table,
        verb === 'update' ? `update ${table} ${set} ${where}` : `delete from ${table} ${where}`,
      ];
    });
    const said = await tryEach(database, Object.fromEntries(each));
    for (const [table, what] of Object.entries(said)) if (what === '1 rows') met.push(table);
    expect(new Set(Object.values(said))).not.toContain('2 rows');
  }
  return met;
}

describe('partitions', () => {
  it('cannot be read around their table, new ones neither', async () => {
    await database.pool.query(`select ensure_inbox_partitions('2032-02-02', 0)`);
    await database.pool.query('grant select on all tables in schema forestall to forestall_app');
    const { rows } = await database.pool.query<{ name: string; is_in: boolean }>(
      `select c.relname as name, c.relrowsecurity as is_in from pg_inherits i
       join pg_class c on c.oid = i.inhrelid where i.inhparent = 'inbox_event'::regclass order by 1`,
    );
    expect(rows).toContainEqual({ name: 'inbox_event_2032_02_02', is_in: true });
    expect(rows.filter(({ is_in: isIn }) => !isIn)).toEqual([]);
    const own = openAs(A);
    expect((await own.pool.query('select from inbox_event_rest')).rowCount).toBe(0);
    expect((await own.pool.query('select from inbox_event')).rowCount).toBe(1);
  });
});

describe('the wall', () => {
  it('can be raised again, and be taken down for a version that knows nothing of it', async () => {
    const nobody = openAs(undefined);
    await database.pool.query('call wall_organisations(false)');
    expect(await countsBy(nobody)).toEqual(everywhere(2));
    await database.pool.query('call wall_organisations(true)');
    await database.pool.query('call wall_organisations(true)');
    expect(await countsBy(nobody)).toEqual(everywhere(0));
  });

  it('is nobody’s to take down but the owner’s', async () => {
    const down = openAs('*').pool.query('call wall_organisations(false)');
    await expect(down).rejects.toMatchObject({ code: INSUFFICIENT_PRIVILEGE });
  });
});

async function organisationsSeen(db: Kysely<Database>): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('fact')
    .select('organisation_id')
    .orderBy('organisation_id')
    .execute();
  return rows.map(({ organisation_id: organisation }) => organisation);
}

describe('the doctor', () => {
  const lineFor = async ({ db }: OpenDatabase) => (await wallLines({ rows: { value: db } }))[0];

  it('says whether it holds for this user', async () => {
    expect(await lineFor(openAs(A))).toMatchObject({ status: 'ok' });
    expect(await lineFor(database)).toMatchObject({
      status: 'warning',
      detail: 'this user passes it, and the database holds 2 organisations',
    });
  });

  it('says which tables came since it was raised', async () => {
    await database.pool.query('alter table fact disable row level security');
    expect(await lineFor(openAs(A))).toMatchObject({
      status: 'warning',
      detail: 'it does not hold for fact',
      nextStep: expect.stringContaining('wall.sql'),
    });
    await database.pool.query('call wall_organisations(true)');
  });

  it('says that it was never raised, where that matters', async () => {
    await database.pool.query('call wall_organisations(false)');
    expect(await lineFor(openAs(A))).toMatchObject({
      status: 'warning',
      detail: 'none, and the database holds 2 organisations',
    });
    await database.pool.query('call wall_organisations(true)');
  });

  it('tries to write as the organisation that this user may act for', async () => {
    expect(await rightsLines(openAs(A).db, A)).toMatchObject([{ status: 'ok' }]);
    expect(await rightsLines(openAs(undefined).db, A)).toMatchObject([{ status: 'failed' }]);
  });
});

describe('a connection that is borrowed for an organisation', () => {
  it('sees its rows, in and outside of transactions, also where the statement is prepared', async () => {
    const shared = openAs(undefined);
    const [a, b] = [forOrganisation(shared, A), forOrganisation(shared, B)];
    for (let time = 0; time < 7; time++) {
      expect(await organisationsSeen(a.db)).toEqual([A]);
      expect(await organisationsSeen(b.db)).toEqual([B]);
      expect(await organisationsSeen(shared.db)).toEqual([]);
    }
    expect(await b.db.transaction().execute((trx) => organisationsSeen(trx))).toEqual([B]);
    expect(await organisationsSeen(forAllOrganisations(shared, 'due_look').db)).toEqual([A, B]);
    expect((await a.pool.query('select from fact')).rowCount).toBe(1);
  });

  it('leaves nothing behind, whether what it did succeeded or failed', async () => {
    const shared = openAs(undefined);
    const one = forOrganisation(shared, A);
    await expect(sql`select 1 / 0 from fact where name <> ${'y'}`.execute(one.db)).rejects.toThrow(
      'division by zero',
    );
    await expect(
      one.db.transaction().execute((trx) => sql`select 1 / 0 from fact`.execute(trx)),
    ).rejects.toThrow('division by zero');
    expect(await organisationsSeen(shared.db)).toEqual([]);
    expect(await organisationsSeen(one.db)).toEqual([A]);
  });

  it('acts for many side by side over few connections', async () => {
    const shared = openAs(undefined);
    const rounds = Array.from({ length: 60 }, async (_, index) => {
      const organisation = index % 2 === 0 ? A : B;
      const { db } = forOrganisation(shared, organisation);
      expect(await organisationsSeen(db)).toEqual([organisation]);
      const visible = await db.transaction().execute((trx) => organisationsSeen(trx));
      expect(visible).toEqual([organisation]);
    });
    await Promise.all(rounds);
  });

  it('takes the keys of sealed columns along, which the handle carries', () => {
    const keys = parseDataKeys(`k1:${Buffer.alloc(32, 'a key of the test').toString('base64')}`);
    const shared = openDatabase({ connectionString: appUrl, log, dataKeys: keys });
    opened.push(shared);
    expect(dataKeysOf(forOrganisation(shared, A).db)).toBe(keys);
  });

  it('costs no round trip where the pool is the embedding program’s, and nothing stays in its session', async () => {
    const theirs = new pg.Pool({ connectionString: appUrl, max: 1 });
    const { db, pool } = sourceOfPool(theirs, { organisation: A }).open({ log });
    const first = await theirs.connect();
    const connection: EventEmitter = Reflect.get(first, 'connection');
    first.release();
    let trips = 0;
    connection.on('readyForQuery', () => {
      trips += 1;
    });
    for (let time = 0; time < 3; time++) expect(await organisationsSeen(db)).toEqual([A]);
    await db.transaction().execute((trx) => organisationsSeen(trx));
    // Three alone; begin, the statement, commit.
    expect(trips).toBe(6);
    expect((await pool.query('select from fact')).rowCount).toBe(1);
    // Whoever it acts for, numbers are read as numbers.
    const counted = sql<{ count: number }>`select count(*) as count from fact`;
    for (const each of [db, forOrganisation({ db, pool, close: async () => undefined }, A).db]) {
      expect((await counted.execute(each)).rows).toEqual([{ count: 1 }]);
    }
    const { rows } = await theirs.query(
      `select coalesce(current_setting('forestall.organisation', true), '') as organisation`,
    );
    expect(rows).toEqual([{ organisation: '' }]);
    await theirs.end();
  });
});

it('indexes on expressions are read behind the wall', async () => {
  const { pool } = openAs(A, 1);
  // So that the planner has nothing else to prefer.
  await pool.query('set enable_seqscan = off');
  const conditionOf = async (text: string): Promise<string> => {
    const { rows } = await pool.query<Record<string, string>>(`explain (costs off) ${text}`);
    const plan = rows.map((row) => Object.values(row)[0]).join('\n');
    return /Index Cond: .*/.exec(plan)?.[0] ?? plan;
  };
  const order = `select from order_record where organisation_id = '${A}' and`;
  expect(await conditionOf(`${order} lower(body->>'customer_email') = 'a'`)).toContain('lower(');
  expect(await conditionOf(`${order} body->>'customer_account_id' = 'a'`)).toContain('->>');
  // Of empty tables every index of the organisation costs the same.
  await database.pool.query(`insert into alert (organisation_id, id, status, descriptor, updated_at, snapshot, snapshot_hash, source, first_seen_at, changed_at)
    select '${A}', 'netalrt_' || n, 'OPEN', 'Shop ' || n, now(), '{}', '', 'poll', now(), now() from generate_series(1000, 4000) n`);
  await database.pool.query('analyze alert');
  const alert = `select from alert where organisation_id = '${A}' and`;
  expect(await conditionOf(`${alert} id like 'netalrt\\_9%'`)).toContain('id ~>=~');
  expect(await conditionOf(`${alert} lower(descriptor) like 'shop 7%'`)).toContain('lower(');
  const payment = 'select from payment_evidence where';
  const hash = "hashtextextended(reference, organisation) = hashtextextended('ch_7', 1)";
  expect(await conditionOf(`${payment} ${hash}`)).toContain('hashtextextended(');
});

it('acting for an organisation costs no round trip', async () => {
  const shared = openAs(undefined, 1);
  const tripsOf = async ({ db, pool }: OpenDatabase): Promise<number> => {
    const client = await pool.connect();
    const connection: EventEmitter = Reflect.get(client, 'connection');
    client.release();
    let trips = 0;
    const count = (): void => {
      trips += 1;
    };
    connection.on('readyForQuery', count);
    await organisationsSeen(db);
    await db.transaction().execute((trx) => organisationsSeen(trx));
    connection.off('readyForQuery', count);
    return trips;
  };
  // The lone statement; that of the transaction behind its beginning, commit.
  expect(await tripsOf(shared)).toBe(3);
  expect(await tripsOf(forOrganisation(shared, A))).toBe(3);
});
