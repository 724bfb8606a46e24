/**
 * Guarantee: whatever way a person's name was written, it is gone from every column that can hold it, with the rights that
 * the guide gives to the workers; what may not do all of it does nothing; a file is looked through as well.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { OpenDatabase } from '../../../src/base/db/connect.ts';
import { openDatabase } from '../../../src/base/db/connect.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import { personOf } from '../../../src/base/seal/person.ts';
import type { EraseReport } from '../../../src/running/privacy/erase.ts';
import { eraseCustomer, lookForCustomer } from '../../../src/running/privacy/erase.ts';
import { personalColumns } from '../../../src/running/privacy/inventory.ts';
import { lookInFile } from '../../../src/running/privacy/look-file.ts';
import { spawnSync } from '../../support/child-process.ts';
import { CONNECT_MS, useTestDatabase } from '../../support/database.ts';

const ORG = 'org_meaning';
const EMAIL = 'ada.lovelace+shop@customers.example';
const PHONE = '+44 20 7946 0123';
const NAME = 'Ada Lovelace';
const ADDRESS = '12 Long Lane';

const hexEscapes = (text: string, escaped: (code: number) => string): string =>
  text.replaceAll(/[^a-z]/gi, (character) => escaped(character.charCodeAt(0)));
const hex4 = (code: number): string => code.toString(16).padStart(4, '0');

/** One person, written in many ways. Each is one line that no other holds. */
const SPELLED: readonly string[] = [
  EMAIL,
  EMAIL.toUpperCase(),
  `ref-${EMAIL}-17`,
  encodeURIComponent(EMAIL),
  encodeURIComponent(encodeURIComponent(EMAIL)),
  hexEscapes(EMAIL, (code) => `\\u${hex4(code)}`),
  hexEscapes(EMAIL, (code) => `\\\\u${hex4(code).toUpperCase()}`),
  hexEscapes(EMAIL, (code) => `&#${code};`),
  hexEscapes(EMAIL, (code) => `&#x${code.toString(16)};`),
  EMAIL.replace('@', '&commat;').replace('+', '&plus;'),
  EMAIL.replace('@', '=40').replace('+', '=2B'),
  [...EMAIL].map((character) => String.fromCharCode(character.charCodeAt(0) + 0xfee0)).join(''),
  EMAIL.replace('@', '\u200b@\u2060'),
  Buffer.from(`to ${EMAIL} now`).toString('base64'),
  Buffer.from(`{"to":"${EMAIL}"}`).toString('base64url'),
  Buffer.from(`<${EMAIL}>`).toString('hex'),
  '0044 20 7946-0123',
  '(020) 7946.0123',
  'ADA%20LOVELACE',
  'Lovelace, Ada',
  '12, LONG\u00a0LANE',
];

const database = useTestDatabase();
let app: OpenDatabase | undefined;
let report: EraseReport;
let planted = 0;
let before: Dumps;

function open(): OpenDatabase {
  app ??= openAs('forestall_app');
  return app;
}

/** The database with the rights of a role and no others. */
function openAs(role: string): OpenDatabase {
  const url = new URL(inject('postgresUrl'));
  url.pathname = `/${database.name}`;
  url.searchParams.set('options', `-c role=${role}`);
  return openDatabase({
    connectionString: url.href,
    log: createLog({ level: 'silent' }),
    maxConnections: 3,
    connectTimeoutMs: CONNECT_MS,
    organisation: ORG,
  });
}

interface DatabaseColumn {
  readonly name: string;
  readonly type: string;
}

async function columnsOf(table: string): Promise<readonly DatabaseColumn[]> {
  const { rows } = await sql<DatabaseColumn>`
    select attname as name, format_type(atttypid, null) as type from pg_attribute
    where attrelid = ${table}::regclass and attnum > 0 and not attisdropped
      and attidentity = '' and attgenerated = '' and attname <> 'organisation_id'
      and (attnotnull or attname in ('key_id'))`.execute(database.db);
  return rows;
}

let counter = 0;

/** Something of the type that no other row has. */
function filler({ name, type }: DatabaseColumn): unknown {
  counter += 1;
  if (name === 'key_id') return null;
  if (type === 'jsonb') return '{}';
  if (type === 'bytea') return Buffer.from(String(counter));
  if (type === 'text[]') return [];
  if (type === 'boolean') return false;
  if (type.startsWith('timestamp')) return new Date(Date.UTC(2026, 10, 20, 0, 0, counter));
  if (type === 'date') return new Date(Date.UTC(2000, 0, counter)).toISOString().slice(0, 10);
  if (type === 'uuid') return `00000000-0000-4000-8000-${String(counter).padStart(12, '0')}`;
  return type === 'text' ? `x${counter}` : String(counter % 30_000);
}

function planting(kind: string, spelled: string): unknown {
  if (kind === 'text') return spelled;
  // In JSON an escape of the text is one of JSON: as an encoder writes it that knows ASCII alone.
  const ascii = JSON.stringify({ say: [spelled], n: 12_345 }).replaceAll(
    /[@+\u0080-\uffff]/g,
    (character) => `\\u${hex4(character.charCodeAt(0))}`,
  );
  return kind === 'bytes' ? Buffer.from(ascii) : ascii;
}

beforeAll(async () => {
  const { db, pool } = database;
  await pool.query(
    await readFile(new URL('../../../migrations/roles.sql', import.meta.url), 'utf8'),
  );
  const { rows } = await sql<{ statement: string }>`
    select format('alter table %s drop constraint %I', conrelid::regclass, conname) as statement
    from pg_constraint c join pg_class t on t.oid = c.conrelid
    where (contype = 'c' or contype = 'p' and conkey = (
        select array_agg(attnum) from pg_attribute where attrelid = conrelid and attname = 'organisation_id'))
      and t.relnamespace = current_schema()::regnamespace and not t.relispartition`.execute(db);
  for (const { statement } of rows) await pool.query(statement);
  for (const { table, column, kind } of personalColumns()) {
    const columns = await columnsOf(table);
    for (const spelled of SPELLED) {
      const others = columns.filter(({ name }) => name !== column);
      const names = [...others.map(({ name }) => name), column, 'organisation_id'];
      const values = [...others.map(filler), planting(kind, spelled), ORG];
      await db.transaction().execute(async (trx) => {
        await sql`set local session_replication_role = replica`.execute(trx);
        await sql`insert into ${sql.table(table)} (${sql.join(names.map((name) => sql.ref(name)))}) values (${sql.join(values)})`.execute(
          trx,
        );
      });
      planted += 1;
    }
  }
  before = await dumps();
  report = await erase(open());
}, 400_000);
afterAll(async () => {
  await app?.close();
});

async function erase(open: OpenDatabase): Promise<EraseReport> {
  return await eraseCustomer(open.db, {
    organisationId: ORG,
    customerEmail: EMAIL,
    also: [PHONE, NAME, 'Lovelace Ada', ADDRESS],
    actor: 'operator:test',
    now: new Date('2026-11-24T12:00:00Z'),
    dryRun: false,
  });
}

interface Dumps {
  /** All rows of all tables, as `COPY` writes them. */
  readonly copied: string;
  /** What `pg_dump` writes; undefined: none here reads this server. */
  readonly dumped: string | undefined;
}

async function dumps(): Promise<Dumps> {
  return { copied: await copyOfTables(), dumped: await pgDump() };
}

async function copyOfTables(): Promise<string> {
  const { pool } = database;
  const tables = await pool.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class
     where relkind = 'r' and relnamespace::regnamespace::text !~ '^(pg_|information_schema)'`,
  );
  // Beside the server's own files, because only it writes there and reads there.
  const { rows } = await pool.query<{ path: string }>(
    `select current_setting('data_directory') || '/copy-of-tables.txt' as path`,
  );
  const path = rows[0]?.path ?? '';
  const texts: string[] = [];
  for (const { name } of tables.rows) {
    await pool.query(`copy ${name} to '${path.replaceAll("'", "''")}'`);
    const read = await pool.query<{ text: string }>('select pg_read_file($1) as text', [path]);
    texts.push(read.rows[0]?.text ?? '');
  }
  return texts.join('\n');
}

async function pgDump(): Promise<string | undefined> {
  const folder = process.env['FORESTALL_TEST_POSTGRES_BIN'];
  const program = folder === undefined ? 'pg_dump' : join(folder, 'pg_dump');
  const version = spawnSync(program, ['--version'], { encoding: 'utf8', timeout: 10_000 });
  const { rows } = await database.pool.query<{ major: string }>(
    `select split_part(current_setting('server_version'), '.', 1) as major`,
  );
  if (version.error !== undefined || !version.stdout.includes(` ${rows[0]?.major}.`)) return;
  const url = new URL(inject('postgresUrl'));
  url.pathname = `/${database.name}`;
  const dump = spawnSync(program, ['-d', url.href], {
    encoding: 'utf8',
    maxBuffer: 1_000_000_000,
    timeout: 60_000,
  });
  expect(dump.stderr).toBe('');
  return dump.stdout;
}

/** Which of the ways to write the person stand in a text, its bytes and its escapes read. */
function standingIn(text: string): readonly string[] {
  const said = text
    .replaceAll(/\\\\x((?:[0-9a-f]{2})+)/g, (_whole, hex: string) =>
      Buffer.from(hex, 'hex').toString('utf8'),
    )
    .replaceAll('\\\\', '\\');
  const open = said.replaceAll(/\\u([0-9a-f]{4})/gi, (_whole, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  return SPELLED.filter((spelled) => [text, said, open].some((one) => one.includes(spelled)));
}

/** Every value of every personal column, as text. */
async function everything(): Promise<readonly { place: string; text: string }[]> {
  const all: { place: string; text: string }[] = [];
  for (const { table, column, kind } of personalColumns()) {
    const value =
      kind === 'bytes'
        ? sql`convert_from(${sql.ref(column)}, 'UTF8')`
        : sql`${sql.ref(column)}::text`;
    const { rows } = await sql<{ text: string }>`
      select ${value} as text from ${sql.table(table)} where organisation_id = ${ORG} and ${sql.ref(column)} is not null`.execute(
      database.db,
    );
    all.push(...rows.map(({ text }) => ({ place: `${table}.${column}`, text })));
  }
  return all;
}

describe('a person who was written in many ways', () => {
  it('stood in every column that can hold words', () => {
    expect(planted).toBe(personalColumns().length * SPELLED.length);
    expect(planted).toBeGreaterThan(200);
    const erased = Object.entries(report.rows).filter(([, count]) => count >= SPELLED.length);
    const places = personalColumns().map(({ table, column }) => `${table}.${column}`);
    const orders = ['order_record.submitted', 'order_record.body'];
    // A document goes as a whole, whether its name or its words name them; counted are documents.
    const documents = ['evidence_document.name', 'evidence_document.body'];
    const whole = [...orders, ...documents];
    expect(new Set(erased.map(([place]) => place))).toEqual(
      new Set([
        ...places.filter((place) => !whole.includes(place)),
        'order_record.body',
        'evidence_document',
      ]),
    );
  });

  it('is left nowhere, and the look afterwards says so', async () => {
    expect(report.left).toMatchObject({ rows: {}, unread: expect.any(Array) });
    expect(Object.keys(report.left.rows)).toEqual([]);
    const left: string[] = [];
    for (const { place, text } of await everything()) {
      // As it was written, and as JSON tells it.
      const said = text.replaceAll(/\\u([0-9a-f]{4})/gi, (_whole, code: string) =>
        String.fromCharCode(Number.parseInt(code, 16)),
      );
      for (const spelled of SPELLED) {
        if (said.includes(spelled) || text.includes(spelled)) left.push(`${place}: ${spelled}`);
      }
    }
    expect(left).toEqual([]);
  });

  it('is in no dump of all tables, and was in it in every way before', async () => {
    expect(standingIn(before.copied)).toEqual(SPELLED);
    expect(standingIn(await copyOfTables())).toEqual([]);
  });

  it('is in nothing that pg_dump writes', async ({ skip }) => {
    const after = await pgDump();
    if (after === undefined) skip('no pg_dump here has the major version of the server');
    expect(standingIn(before.dumped ?? '')).toEqual(SPELLED);
    expect(standingIn(after ?? '')).toEqual([]);
  });

  it('leaves documents that are still ones, with their other values', async () => {
    for (const { place, text } of await everything()) {
      if (!/body$|submitted$/.test(place) || !text.includes('"say"')) continue;
      expect(JSON.parse(text), place).toMatchObject({ n: 12_345 });
    }
    const { rows } = await sql<{ source: string }>`
      select source from policy_version where source like '%erased%'`.execute(database.db);
    expect(rows.length).toBeGreaterThanOrEqual(SPELLED.length);
    // In YAML brackets would be a list.
    expect(rows.filter(({ source }) => source.includes('['))).toEqual([]);
  });
});

describe('rights', () => {
  it('that are not enough are told before anything is changed', async () => {
    const { db } = database;
    await sql`update money_pause set reason = ${EMAIL} where organisation_id = ${ORG}`.execute(db);
    const untouched = await everything();
    const console = openAs('forestall_console');
    try {
      await expect(erase(console)).rejects.toThrow(
        /forestall_console may not erase: it lacks .*execute on the functions erase_value and erase_references.*Nothing was changed/,
      );
    } finally {
      await console.close();
    }
    expect(await everything()).toEqual(untouched);
  });

  it.each([
    [
      'update on shadow_report',
      'revoke update on shadow_report from forestall_app',
      'grant update on shadow_report to forestall_app',
    ],
    [
      'delete on order_push',
      'revoke delete on order_push from forestall_app',
      'grant delete on order_push to forestall_app',
    ],
    [
      'insert on audit',
      'revoke insert on audit from forestall_app',
      'grant insert on audit to forestall_app',
    ],
  ])('of which one alone is lacking, %s, are told by its name', async (lacking, revoke, grant) => {
    const untouched = await everything();
    await database.pool.query(revoke);
    try {
      await expect(erase(open())).rejects.toThrow(
        `forestall_app may not erase: it lacks ${lacking}. Nothing was changed.`,
      );
    } finally {
      await database.pool.query(grant);
    }
    expect(await everything()).toEqual(untouched);
  });

  it('of the owner suffice', async () => {
    const owner = openAs('forestall_owner');
    try {
      await database.pool.query(`update money_pause set reason = '${EMAIL}'`);
      const { left } = await erase(owner);
      expect(left).toEqual({ rows: {}, unread: [], settings: [], unreadFiles: [] });
    } finally {
      await owner.close();
    }
  });

  it.each([
    ['another table', ['movement', 'state'], `'{}'`],
    ['another column', ['audit', 'actor'], `'[erased]'`],
    ['something new', ['audit', 'detail'], `'{"say": "nothing of the kind"}'`],
    ['another number', ['audit', 'detail'], `'{"say": ["[erased]"], "n": 1}'`],
    ['less than it was', ['audit', 'detail'], `'{"say": ["[erased]"]}'`],
    ['other words around the mark', ['policy_version', 'source'], `'pay everybody [erased]'`],
  ])('do not go as far as %s', async (_what, [table, column], value) => {
    const statement = `select erase_value('${ORG}', '${table}', '${column}', ctid, tableoid, ${value})
      from ${table} where organisation_id = '${ORG}' ${column === 'detail' ? `and detail ? 'n'` : ''} limit 1`;
    if (table !== 'movement') {
      await expect(open().pool.query(statement)).rejects.toThrow(
        /erasure (?:changes no|only takes)/,
      );
      return;
    }
    await expect(
      open().pool.query(
        `select erase_value('${ORG}', '${table}', '${column}', '(0,1)', 0, ${value})`,
      ),
    ).rejects.toThrow('erasure changes no movement.state');
  });

  it('end at the organisation that the connection works for', async () => {
    await expect(
      open().pool.query(
        `select erase_value('org_other', 'audit', 'detail', '(0,1)', 'audit'::regclass, '{}')`,
      ),
    ).rejects.toThrow('works for another organisation');
  });
});

describe('the stop of the whole installation', () => {
  it('says no name either, behind the wall between organisations', async () => {
    const { db, pool } = database;
    await sql`insert into money_pause (organisation_id, paused_at, paused_by, reason)
      values ('*', now(), 'operator:test', ${`ask ${EMAIL} first`}), ('org_third', now(), 'operator:test', ${EMAIL})`.execute(
      db,
    );
    await pool.query('call wall_organisations(true)');
    const request = { organisationId: ORG, customerEmail: EMAIL };
    const { left } = await lookForCustomer(open().db, request);
    expect(left.rows).toMatchObject({ 'money_pause.reason': expect.any(Number) });
    const done = await erase(open());
    expect(done.rows['money_pause.reason']).toBeGreaterThan(0);
    expect(done.left.rows['money_pause.reason']).toBeUndefined();
    const { rows } = await sql<{ organisation_id: string; reason: string }>`
      select organisation_id, reason from money_pause where organisation_id in ('*', 'org_third') order by 1`.execute(
      db,
    );
    expect(rows).toEqual([
      { organisation_id: '*', reason: 'ask [erased] first' },
      { organisation_id: 'org_third', reason: EMAIL },
    ]);
  });
});

describe('the audit log of the whole installation', () => {
  it('says no name either, behind the wall, and stays as it was otherwise', async () => {
    const { db, pool } = database;
    await pool.query('call wall_organisations(true)');
    const detail = (who: string): string => JSON.stringify({ why: `ask ${who} first`, n: 17 });
    for (const organisation of ['*', 'installation', 'org_third']) {
      await sql`insert into audit (organisation_id, at, subject, subject_id, actor, what, detail)
        values (${organisation}, now(), 'system', 'shared', 'operator:test', ${`told ${EMAIL}`}, ${detail(EMAIL)}::jsonb)`.execute(
        db,
      );
    }
    const request = { organisationId: ORG, customerEmail: EMAIL };
    const counts = { 'audit.what': 2, 'audit.detail': 2 };
    expect((await lookForCustomer(open().db, request)).left.rows).toMatchObject(counts);
    const counted = await eraseCustomer(open().db, {
      ...{ ...request, actor: 'operator:test', now: new Date('2026-11-24T12:00:00Z') },
      dryRun: true,
    });
    expect(counted.rows).toMatchObject(counts);
    const done = await erase(open());
    expect(done.rows).toMatchObject(counts);
    expect(done.left.rows).toEqual({});
    const { rows } = await sql<{ organisation_id: string; what: string; detail: unknown }>`
      select organisation_id, what, detail from audit where subject_id = 'shared' order by organisation_id`.execute(
      db,
    );
    const gone = { what: 'told [erased]', detail: { why: 'ask [erased] first', n: 17 } };
    expect(rows).toEqual([
      { organisation_id: '*', ...gone },
      { organisation_id: 'installation', ...gone },
      { organisation_id: 'org_third', what: `told ${EMAIL}`, detail: JSON.parse(detail(EMAIL)) },
    ]);
  });

  it('is changed by nobody who works for one organisation and does not say so', async () => {
    const { rows } = await database.pool.query<{ place: string; part: number }>(
      `select ctid::text as place, tableoid as part from audit where organisation_id = '*' limit 1`,
    );
    const [row] = rows;
    await expect(
      open().pool.query(
        `select erase_value('*', 'audit', 'what', '${row?.place}', ${row?.part}, '[erased]')`,
      ),
    ).rejects.toThrow('works for another organisation');
  });
});

describe('a file', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'forestall-look-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const person = personOf([EMAIL]);
  const body = Buffer.from(`{"to":"${EMAIL.replace('@', '\\u0040')}"}`).toString('hex');
  const dump = [
    'COPY public.inbox_event (organisation_id, event_id, body) FROM stdin;',
    `o\tevt_1\t\\\\x${body}`,
    'o\tevt_2\t\\\\x7b7d',
    '\\.',
    'COPY public.decision (id, inputs) FROM stdin;',
    `1\t{"who": "${EMAIL.replace('@', '\\\\u0040')}"}`,
    `2\t{"who": "n${EMAIL}"}`,
    '\\.',
    '',
  ].join('\n');

  it('is a dump: told by table and column', async () => {
    const path = join(folder, 'dump.sql');
    await writeFile(path, dump);
    const found = { 'inbox_event.body': 1, 'decision.inputs': 1 };
    expect(await lookInFile(path, person)).toEqual(found);
    await writeFile(`${path}.gz`, gzipSync(dump));
    expect(await lookInFile(`${path}.gz`, person)).toEqual(found);
  });

  it('is a log: told by lines', async () => {
    const path = join(folder, 'worker.log');
    await writeFile(path, `{"msg":"to ${encodeURIComponent(EMAIL)}"}\n{"msg":"to nobody"}\n`);
    expect(await lookInFile(path, person)).toEqual({ line: 1 });
  });

  it('that is not there, or packed by pg_dump, is said to be', async () => {
    await expect(lookInFile(join(folder, 'none'), person)).rejects.toThrow('cannot be read');
    const path = join(folder, 'packed');
    await writeFile(path, 'PGDMP\u0001');
    await expect(lookInFile(path, person)).rejects.toThrow('pg_restore -f');
  });
});
