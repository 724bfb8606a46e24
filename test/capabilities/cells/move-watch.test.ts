/**
 * Guarantee: a process that cannot find out which organisations are on a move works for none; once it knows, a
 * database that is away changes nothing; and a command that another user runs counts as running.
 */
import { hostname } from 'node:os';
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import { afterEach, expect, it, vi } from 'vitest';
import type { Database } from '../../../src/base/db/database.ts';
import type { WakeBus } from '../../../src/base/jobs/wake.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import { isGone } from '../../../src/capabilities/cells/move-organisation.ts';
import { watchMoves } from '../../../src/capabilities/cells/move-watch.ts';

const log = createLog({ level: 'silent' });
const off = (): void => undefined;
const wakeBus: WakeBus = {
  on: () => off,
  serve: () => off,
  isServed: () => false,
  emit: off,
  stop: () => Promise.resolve(),
};
const arriving = { organisation_id: 'org_1', direction: 'IN', state: 'ARRIVING', other: 'a' };

afterEach(() => void vi.restoreAllMocks());

/** A database that answers what is asked with these rows. */
function answering(answer: (sql: string) => readonly object[]): Kysely<Database> {
  class Driver extends DummyDriver {
    override async acquireConnection(): Promise<DatabaseConnection> {
      const connection = await super.acquireConnection();
      const executeQuery = async <Row>({ sql }: CompiledQuery): Promise<QueryResult<Row>> => ({
        rows: answer(sql) as Row[],
      });
      return Object.assign(connection, { executeQuery });
    }
  }
  return new Kysely<Database>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new Driver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
}

it('does not begin where moves may not be read', async () => {
  const db = answering((sql) => {
    if (sql.includes('to_regclass')) return [{ found: true }];
    throw new Error('permission denied for table organisation_move');
  });
  await expect(watchMoves({ db, wakeBus, log })).rejects.toThrow(/nothing is started.*roles\.sql/);
});

it('keeps what it knew while the database is away', async () => {
  let isAway = false;
  const db = answering((sql) => {
    if (isAway) throw new Error('gone');
    return sql.includes('to_regclass') ? [{ found: true }] : [arriving];
  });
  const moves = await watchMoves({ db, wakeBus, log });
  isAway = true;
  await moves.refresh();
  expect(moves.away('org_1')).toMatchObject({ state: 'ARRIVING' });
  moves.stop();
});

it.each([
  ['ESRCH', true],
  ['EPERM', false],
])('a command whose process answers %s is gone: %j', (code, gone) => {
  vi.spyOn(process, 'kill').mockImplementation(() => {
    throw Object.assign(new Error(code), { code });
  });
  expect(isGone(`${hostname()}:4711`)).toBe(gone);
});
