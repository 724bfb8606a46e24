/**
 * Asks each statement of the program a second time for no organisation, behind the wall, on the rows that the test has
 * at that moment: it must see nothing, change nothing, and be refused where it would add something. `test/wall/main.ts`
 * has this loaded, and reads what is noted. What a replay did is rolled back.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import pg from 'pg';
import { inject } from 'vitest';
import { INVENTORY } from '../../src/running/privacy/inventory.ts';
import { TEMPLATE } from './database.ts';

/** How a statement fared when nobody asked. */
export interface Asked {
  /** The file that asks it, below `src/`. */
  readonly file: string;
  /** Every store on the way to it. */
  readonly stores: readonly string[];
  readonly text: string;
  /** `nothing`: no row, or only rows that say so · `refused` · `seen`: what was shown, or how many rows were changed. */
  readonly outcome: 'nothing' | 'refused' | 'seen' | 'not asked';
  readonly detail: string;
}

const MARK = Symbol.for('forestall.test.asked-as-nobody');
const FRAMES = 100;
/** New rows are refused by the wall, or by rights that the application does not have at all. */
const INSUFFICIENT_PRIVILEGE = '42501';
/** A rule about money that stands before the wall: what it says of a charge, whoever asks has said itself. */
const CHECK_VIOLATION = '23514';
/** A replay waits for nobody. */
const BEGIN = `begin; set local role forestall_app; set local forestall.organisation = ''; set local lock_timeout = 2000`;

const TABLES = new RegExp(`\\b(?:${Object.keys(INVENTORY).join('|')})\\b`);
const STATEMENT = /^\s*(?:select|insert|update|delete|with)\b/i;

const prototype = pg.Client.prototype as unknown as {
  query: (...args: unknown[]) => unknown;
  [MARK]?: true;
};
const plain = prototype.query;
const clients = new Map<string, Promise<pg.Client>>();
const seen = new Set<string>();

/** The file of the program that asks, a store where one does; undefined: a test asks. */
function asker(): Pick<Asked, 'file' | 'stores'> | undefined {
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
    const isOwn = changed === 0 && isDeepStrictEqual(rows, await shownWithoutRows(text, values));
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
  const asked: Asked = { ...statement, ...outcome };
  const folder = process.env['FORESTALL_TEST_NOBODY'] ?? '.';
  appendFileSync(join(folder, `${process.pid}.jsonl`), `${JSON.stringify(asked)}\n`);
}

if (prototype[MARK] === undefined && process.env['FORESTALL_TEST_NOBODY'] !== undefined) {
  prototype[MARK] = true;
  prototype.query = function (this: { connectionParameters: object }, ...args: unknown[]): unknown {
    const [first, second] = args;
    const config = typeof first === 'object' && first !== null ? first : { text: first };
    const text = Reflect.get(config, 'text');
    const result = plain.apply(this, args);
    if (typeof text !== 'string' || seen.has(text)) return result;
    if (!STATEMENT.test(text) || !TABLES.test(text)) return result;
    const by = asker();
    if (by === undefined) return result;
    seen.add(text);
    const values = Array.isArray(second) ? second : Reflect.get(config, 'values');
    const own = turn.then(() => replay(this.connectionParameters, { ...by, text }, values));
    turn = own;
    // Its test goes on when nobody asks any more, so that the database is still there. A pool's own `query` calls back.
    return result instanceof Promise ? result.finally(() => own) : result;
  };
}
