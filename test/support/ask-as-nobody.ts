/**
 * Asks each statement of the program a second time for no organisation, behind the wall, on the rows that the test has
 * at that moment: it must see nothing, change nothing, and be refused where it would add something. `test/wall/main.ts`
 * has this loaded, and reads what is noted. What a replay did is rolled back.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import pg from 'pg';
import { expect, inject } from 'vitest';
import { INVENTORY } from '../../src/running/privacy/inventory.ts';
import { TEMPLATE } from './database.ts';

/** How a statement fared when nobody asked. */
export interface Asked {
  /** The file that asks it, below `src/`. */
  readonly file: string;
  /** Every store on the way to it. */
  readonly stores: readonly string[];
  readonly text: string;
  /**
   * `nothing`: no row, or only rows that say so · `refused` · `seen`: what was shown, or how many rows were changed ·
   * `asked before`: the text was, by this file or another one.
   */
  readonly outcome: 'nothing' | 'refused' | 'seen' | 'not asked' | 'asked before';
  readonly detail: string;
}

const MARK = Symbol.for('forestall.test.asked-as-nobody');
const FRAMES = 100;
/** New rows are refused by the wall, or by rights that the application does not have at all. */
const INSUFFICIENT_PRIVILEGE = '42501';
/** A rule about money that stands before the wall: what it says of a charge, whoever asks has said itself. */
const CHECK_VIOLATION = '23514';
/** A replay waits for nobody. */
const BEGIN = `begin; set local role forestall_app; set local forestall.organisation = ''; set local lock_timeout = 500`;

const TABLES = new RegExp(`\\b(?:${Object.keys(INVENTORY).join('|')})\\b`);
const STATEMENT = /^[\s(]*(?:select|insert|update|delete|with)\b/i;

interface Asking {
  query: (...args: unknown[]) => unknown;
  [MARK]?: true;
}

const prototype = pg.Client.prototype as unknown as Asking;
const poolPrototype = pg.Pool.prototype as unknown as Asking;
const plain = prototype.query;
const plainOfPool = poolPrototype.query;
const clients = new Map<string, Promise<pg.Client>>();
const triedPaths = new Set<string>();
/** The test files in which each text was seen: the same text may be another store's there. */
const filesOf = new Map<string, Set<string>>();

type By = Pick<Asked, 'file' | 'stores'>;
/** Who asks a pool: the connection that it hands the statement to may be one of later. */
const askedPool = new AsyncLocalStorage<{ readonly text: string; readonly by: By }>();

/** The file of the program that asks, a store where one does; undefined: a test asks. */
function asker(): By | undefined {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = FRAMES;
  const { stack = '' } = new Error('where');
  Error.stackTraceLimit = stackTraceLimit;
  const files = [...stack.matchAll(/\/(src|test)\/([\w./-]+\.ts)/g)]
    .map(([, room = '', file = '']) => ({ isOurs: room === 'src', file }))
    .filter(
      ({ file }) => !/^base\/db\/(?!.*\.store\.ts)|^support\/(?:walk|prepared|ask)-/.test(file),
    );
  if (files[0]?.isOurs !== true) return undefined;
  const ours = files.slice(
    0,
    Math.max(
      0,
      files.findIndex(({ isOurs }) => !isOurs),
    ) || undefined,
  );
  const stores = [...new Set(ours.map(({ file }) => file))].filter((file) =>
    file.endsWith('.store.ts'),
  );
  const file = stores[0] ?? ours[0]?.file;
  return file === undefined ? undefined : { file, stores };
}

async function clientFor(connection: object): Promise<pg.Client> {
  const { host, port, database, user, password } = connection as Record<string, string>;
  const key = `${host}:${port}/${database}`;
  const known = clients.get(key);
  if (known !== undefined) return await known;
  const client = new pg.Client({ host, port: Number(port), database, user, password });
  // Its database is dropped when its test file ends.
  client.on('error', () => clients.delete(key));
  const opened = client.connect().then(() => client);
  clients.set(key, opened);
  return await opened;
}

/** A database without a row: what a statement shows there, it may show to nobody. */
let empty: Promise<pg.Client> | undefined;

async function openEmpty(): Promise<pg.Client> {
  const maintenance = new pg.Client({ connectionString: inject('postgresUrl') });
  await maintenance.connect();
  const name = `nobody_${process.pid}`;
  await maintenance.query(`create database ${name} template ${TEMPLATE}`);
  await maintenance.end();
  const url = new URL(inject('postgresUrl'));
  url.pathname = `/${name}`;
  const client = new pg.Client({ connectionString: url.href });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function shownWithoutRows(text: string, values: unknown): Promise<readonly unknown[]> {
  empty ??= openEmpty();
  const client = await empty;
  const ask = (...args: unknown[]): Promise<pg.QueryResult> =>
    Reflect.apply(plain, client, args) as Promise<pg.QueryResult>;
  await ask('begin');
  try {
    return (await ask(text, values)).rows;
  } finally {
    await ask('rollback');
  }
}

/** Whether a row says that there is nothing. */
function isNothing(value: unknown): boolean {
  if (value === null || value === undefined || value === false || value === 0) return true;
  if (value === '' || value === '0') return true;
  if (value instanceof Date || Buffer.isBuffer(value)) return false;
  return typeof value === 'object' && Object.values(value).every(isNothing);
}

/** The same rows, in whichever order: a plan for a table without rows may be another one. */
function isSame(rows: readonly unknown[], others: readonly unknown[]): boolean {
  const sorted = (list: readonly unknown[]): string[] =>
    list.map((row) => JSON.stringify(row)).sort();
  return isDeepStrictEqual(sorted(rows), sorted(others));
}

let turn = Promise.resolve<unknown>(undefined);

type Statement = Omit<Asked, 'outcome' | 'detail'>;
type Outcome = Pick<Asked, 'outcome' | 'detail'>;

/** What a statement does where nobody asks, with what it would show without a row beside it. */
async function outcomeOf(client: pg.Client, text: string, values: unknown): Promise<Outcome> {
  const ask = (...args: unknown[]): Promise<pg.QueryResult> =>
    Reflect.apply(plain, client, args) as Promise<pg.QueryResult>;
  await ask(BEGIN);
  try {
    const { rows, rowCount, command } = await ask(text, values);
    const shown = rows.filter((row) => !isNothing(row));
    const changed = command === 'SELECT' ? 0 : (rowCount ?? 0);
    if (shown.length + changed === 0) return { outcome: 'nothing', detail: '' };
    // A test of an upgrade makes a database of its own, in which no wall stands.
    const { rows: walled } = await ask(
      "select 1 from pg_class where oid = to_regclass('alert_case') and relrowsecurity",
    );
    if (walled.length === 0) return { outcome: 'not asked', detail: 'no wall stands here' };
    const isOwn = changed === 0 && isSame(rows, await shownWithoutRows(text, values));
    const detail = `${command} ${rowCount}: ${JSON.stringify(shown[0] ?? null)}`.slice(0, 400);
    return isOwn ? { outcome: 'nothing', detail: '' } : { outcome: 'seen', detail };
  } catch (error) {
    const code = error instanceof pg.DatabaseError ? error.code : undefined;
    const isRefused = code === INSUFFICIENT_PRIVILEGE || code === CHECK_VIOLATION;
    return isRefused
      ? { outcome: 'refused', detail: '' }
      : { outcome: 'not asked', detail: String(error) };
  } finally {
    await ask('rollback');
  }
}

async function replay(connection: object, statement: Statement, values: unknown): Promise<void> {
  const outcome = await clientFor(connection)
    .then((client) => outcomeOf(client, statement.text, values))
    .catch((error: unknown): Outcome => ({ outcome: 'not asked', detail: String(error) }));
  // Somebody else holds a row: it is asked again when it comes again.
  if (outcome.outcome === 'not asked') {
    triedPaths.delete(statement.text);
    filesOf.delete(statement.text);
  }
  note({ ...statement, ...outcome });
}

function note(asked: Asked): void {
  const folder = process.env['FORESTALL_TEST_NOBODY'] ?? '.';
  appendFileSync(join(folder, `${process.pid}.jsonl`), `${JSON.stringify(asked)}\n`);
}

function textOf(first: unknown): unknown {
  return typeof first === 'object' && first !== null ? Reflect.get(first, 'text') : first;
}

/** Whether a text is one of ours that this test file has not asked yet; it then has. */
function isNewHere(text: unknown): text is string {
  if (typeof text !== 'string') return false;
  const file = expect.getState().testPath ?? '';
  const files = filesOf.get(text);
  if (files?.has(file) === true) return false;
  if (files === undefined && !(STATEMENT.test(text) && TABLES.test(text))) return false;
  filesOf.set(text, (files ?? new Set()).add(file));
  return true;
}

if (prototype[MARK] === undefined && process.env['FORESTALL_TEST_NOBODY'] !== undefined) {
  prototype[MARK] = true;
  poolPrototype.query = function (this: object, ...args: unknown[]): unknown {
    const text = textOf(args[0]);
    const by = typeof text === 'string' && TABLES.test(text) ? asker() : undefined;
    if (typeof text !== 'string' || by === undefined) return plainOfPool.apply(this, args);
    return askedPool.run({ text, by }, () => plainOfPool.apply(this, args));
  };
  prototype.query = function (this: { connectionParameters: object }, ...args: unknown[]): unknown {
    const [first, second] = args;
    const text = textOf(first);
    const result = plain.apply(this, args);
    if (!isNewHere(text)) return result;
    const pooled = askedPool.getStore();
    const by = pooled?.text === text ? pooled.by : asker();
    if (by === undefined) {
      // A test asks: the program may, later.
      filesOf.get(text)?.delete(expect.getState().testPath ?? '');
      return result;
    }
    if (triedPaths.has(text)) {
      note({ ...by, text, outcome: 'asked before', detail: '' });
      return result;
    }
    triedPaths.add(text);
    const values = Array.isArray(second) ? second : Reflect.get(Object(first), 'values');
    const own = turn.then(() => replay(this.connectionParameters, { ...by, text }, values));
    turn = own;
    // Its test goes on when nobody asks any more, so that the database is still there. A pool's own `query` calls back.
    return result instanceof Promise ? result.finally(() => own) : result;
  };
}
