/**
 * Guarantee: what runs often is prepared, once per connection and within bounds, and a migration beneath
 * it, an error or a new connection changes nothing for the caller.
 */
import type { EventEmitter } from 'node:events';
import type pg from 'pg';
import { describe, expect, it } from 'vitest';
import {
  createStatementNames,
  PREPARED_FROM_USE,
  PREPARED_TEXTS_MAX,
} from '../../../src/base/db/preparing-client.ts';
import { createTestDatabase } from '../../support/database.ts';

/** The name at the use from which on a text is prepared. */
function nameAfterUses(text: string, nameOf = createStatementNames()): string | undefined {
  for (let use = 1; use < PREPARED_FROM_USE; use++) expect(nameOf(text)).toBeUndefined();
  return nameOf(text);
}

describe('which texts are prepared', () => {
  it('are those that come a fifth time, each under a name of its own that stays', () => {
    const nameOf = createStatementNames();
    const name = nameAfterUses('select id from alert where id = $1', nameOf);
    expect(name).toBeDefined();
    expect(nameOf('select id from alert where id = $1')).toBe(name);
    expect(nameAfterUses('\n  with taken as (delete from t) select 1', nameOf)).not.toBe(name);
  });

  it('have names made of them, which no other process gives to another text', () => {
    // printf 'select id from alert where id = $1' | sha256sum
    expect(nameAfterUses('select id from alert where id = $1')).toBe(
      'forestall_eeb124a4d40be11d628ee50291da8f6bc3d98b69',
    );
  });

  it('are at once those that say so, a star or not', () => {
    expect(createStatementNames()('select t.* from unnest($1) t', true)).toMatch(/^forestall_/);
  });

  it.each([
    ['a star, because a migration may add a column', 'select * from alert where id = $1'],
    ['a star of a table', 'select "t".* from "alert" as "t" where id = $1'],
    ['a star behind returning', 'update alert set id = $1 returning *'],
    [
      'a star of what was changed',
      'with moved as (update a set b = $1 returning b) select moved.* from moved',
    ],
    [
      'a star behind a bracket',
      'select (a).*, count(*) from (select * from alert) as a where $1 = 1 group by a',
    ],
    ['a command without a plan', 'set local lock_timeout = 1'],
  ])('are not those with %s', (_why, text) => {
    expect(nameAfterUses(text)).toBeUndefined();
  });

  it.each([
    ['a count', 'select count(*) as found from alert where id = $1'],
    [
      'a part of the statement',
      'with due as (select * from alert where id = $1) select id from due',
    ],
    ['a subquery', 'select a.id from (select * from alert where id = $1) as a'],
    [
      'a text, a quoted name, and a comment',
      `select '(*', '''*', "*" from t -- * (\n where id = $1`,
    ],
  ])('are those with a star in %s: the answer has named columns', (_where, text) => {
    expect(nameAfterUses(text)).toMatch(/^forestall_/);
  });

  it('are so many and no more', () => {
    const nameOf = createStatementNames();
    const names = Array.from({ length: PREPARED_TEXTS_MAX + 1 }, (_, index) =>
      nameAfterUses(`select ${index} where 1 = $1`, nameOf),
    );
    expect(new Set(names).size).toBe(PREPARED_TEXTS_MAX + 1);
    expect(names.at(-1)).toBeUndefined();
    expect(nameOf('select 0 where 1 = $1')).toBe(names[0]);
  });
});

describe('a prepared statement', () => {
  const TEXT = 'select id, $1::int as given from thing order by id';

  async function openOne() {
    const database = await createTestDatabase({ maxConnections: 1 });
    await database.pool.query('create table thing (id int primary key)');
    await database.pool.query('insert into thing values (7)');
    const ask = async (given: unknown): Promise<unknown> =>
      (await database.pool.query(TEXT, [given])).rows;
    for (let use = 0; use < PREPARED_FROM_USE + 1; use++) {
      expect(await ask(use)).toEqual([{ id: 7, given: use }]);
    }
    const prepared = async (): Promise<unknown> => {
      const { rows } = await database.pool.query(
        "select statement from pg_prepared_statements where name like 'forestall%'",
      );
      return rows;
    };
    return { database, ask, prepared };
  }

  it('is kept by the connection, and again by the next one', async () => {
    const { database, ask, prepared } = await openOne();
    expect(await prepared()).toEqual([{ statement: TEXT }]);
    await expect(
      database.pool.query('select pg_terminate_backend(pg_backend_pid())'),
    ).rejects.toThrow();
    expect(await ask(1)).toEqual([{ id: 7, given: 1 }]);
    expect(await prepared()).toEqual([{ statement: TEXT }]);
    await database.drop();
  });

  it('whose parts have stars goes on when a column is added to their table', async () => {
    const { database, prepared } = await openOne();
    const text = `with changed as (update thing set id = id where id = $1 returning *)
      select c.id, (select count(*) from thing) as things from changed as c`;
    const ask = async (): Promise<unknown> => (await database.pool.query(text, [7])).rows;
    for (let use = 0; use < PREPARED_FROM_USE + 1; use++) await ask();
    expect(await prepared()).toContainEqual({ statement: text });
    await database.pool.query("alter table thing add column name text not null default ''");
    expect(await ask()).toEqual([{ id: 7, things: 1 }]);
    await database.drop();
  });

  it('continues after a column was added, after an error, and in a transaction that failed', async () => {
    const { database, ask } = await openOne();
    await database.pool.query("alter table thing add column name text not null default ''");
    expect(await ask(2)).toEqual([{ id: 7, given: 2 }]);
    await expect(ask('no number')).rejects.toThrow(/invalid input syntax/);
    expect(await ask(3)).toEqual([{ id: 7, given: 3 }]);
    const client = await database.pool.connect();
    await client.query('begin');
    await expect(client.query(TEXT, ['no number'])).rejects.toThrow();
    await expect(client.query(TEXT, [4])).rejects.toThrow(/aborted/);
    await client.query('rollback');
    client.release();
    expect(await ask(5)).toEqual([{ id: 7, given: 5 }]);
    await database.drop();
  });
});

/** One connection with a table, on which messages of the server are counted. */
async function openOneConnection(messages: readonly string[]) {
  const database = await createTestDatabase({ maxConnections: 1 });
  await database.pool.query('create table thing (id int primary key)');
  const client = await database.pool.connect();
  const connection: EventEmitter = Reflect.get(client, 'connection');
  let counted = 0;
  for (const message of messages) {
    connection.on(message, () => {
      counted += 1;
    });
  }
  return { database, client, count: () => counted };
}

describe('the columns of a prepared statement', () => {
  const TEXT = `select id, $1::text as word, now()::timestamptz as at, 1.50::numeric as exact, '{"a": [1]}'::jsonb as tree,
    null::int as none from thing where id < $2::int order by id`;

  /** PostgreSQL tells of each statement that asks: its columns, or that it has none. */
  async function openTold() {
    const { database, client, count } = await openOneConnection(['rowDescription', 'noData']);
    await client.query('insert into thing values (7), (8)');
    return { database, client, told: count };
  }

  it('are told once by each connection, and read as ever from then on', async () => {
    const { database, client, told } = await openTold();
    const answers: pg.QueryResult[] = [];
    for (let use = 0; use < PREPARED_FROM_USE + 3; use++) {
      answers.push(await client.query(TEXT, ['so', 9]));
    }
    expect(told()).toBe(PREPARED_FROM_USE);
    const row = { word: 'so', at: expect.any(Date), exact: '1.50', tree: { a: [1] }, none: null };
    for (const { rows, rowCount, command, fields } of answers) {
      expect(rows).toEqual([
        { id: 7, ...row },
        { id: 8, ...row },
      ]);
      expect({ rowCount, command }).toEqual({ rowCount: 2, command: 'SELECT' });
      expect(fields.map(({ name }) => name)).toEqual([
        ...['id', 'word', 'at', 'exact', 'tree', 'none'],
      ]);
    }
    const none = await client.query(TEXT, ['so', 0]);
    expect([none.rows, none.rowCount, none.fields.length]).toEqual([[], 0, 6]);
    expect(told()).toBe(PREPARED_FROM_USE);
    client.release();
    await database.drop();
  });

  it('are those of the statement, whatever is sent in front of it, and after an error too', async () => {
    const { database, client, told } = await openTold();
    const once = async (word: unknown, most: unknown): Promise<unknown> => {
      await client.query('begin');
      try {
        return (
          await client.query('select id, $1::int as given from thing where id < $2', [word, most])
        ).rows;
      } finally {
        await client.query('rollback');
      }
    };
    for (let use = 0; use < PREPARED_FROM_USE + 3; use++) {
      expect(await once(use, 8)).toEqual([{ id: 7, given: use }]);
      await expect(once('no number', 8)).rejects.toThrow(/invalid input syntax/);
    }
    const before = told();
    expect(await once(1, 9)).toEqual([
      { id: 7, given: 1 },
      { id: 8, given: 1 },
    ]);
    expect(told()).toBe(before);
    client.release();
    await database.drop();
  });

  it('of a change are none, and its rows are counted', async () => {
    const { database, client, told } = await openTold();
    for (let use = 0; use < PREPARED_FROM_USE + 3; use++) {
      const { rowCount, rows, command } = await client.query(
        'update thing set id = id where id < $1',
        [9],
      );
      expect({ rowCount, rows, command }).toEqual({ rowCount: 2, rows: [], command: 'UPDATE' });
    }
    expect(told()).toBe(PREPARED_FROM_USE);
    client.release();
    await database.drop();
  });

  it('are read as the one says who asks, whoever asked before', async () => {
    const { database, client } = await openTold();
    const text = 'select id from thing where id < $1';
    const types = { getTypeParser: () => (value: string) => `read ${value}` };
    for (let use = 0; use < PREPARED_FROM_USE + 3; use++) {
      const own = await client.query({ text, values: [8], types });
      expect(own.rows).toEqual([{ id: 'read 7' }]);
      expect((await client.query(text, [8])).rows).toEqual([{ id: 7 }]);
      expect((await client.query({ text, values: [8], rowMode: 'array' })).rows).toEqual([[7]]);
    }
    client.release();
    await database.drop();
  });

  it('that have changed their types are refused, not read as what they were', async () => {
    const { database, client } = await openTold();
    const ask = async (): Promise<unknown> =>
      (await client.query('select id from thing where id < $1', [8])).rows;
    for (let use = 0; use < PREPARED_FROM_USE + 3; use++) expect(await ask()).toEqual([{ id: 7 }]);
    await client.query('alter table thing alter column id type bigint');
    await expect(ask()).rejects.toThrow('cached plan must not change result type');
    client.release();
    await database.drop();
  });
});

describe('the beginning of a transaction', () => {
  /** What it costs: the answers that end a round trip. */
  async function openCounted() {
    const { database, client, count } = await openOneConnection(['readyForQuery']);
    const tripsOf = async (work: () => Promise<unknown>): Promise<number> => {
      const before = count();
      await work();
      return count() - before;
    };
    const ids = async (): Promise<unknown> =>
      (await client.query('select id from thing order by id')).rows.map(
        (row: { id: number }) => row.id,
      );
    return { database, client, tripsOf, ids };
  }

  it('travels with the first statement, and the rest is one transaction as ever', async () => {
    const { database, client, tripsOf, ids } = await openCounted();
    const add = (id: number): Promise<unknown> =>
      client.query('insert into thing values ($1)', [id]);
    for (let round = 0; round < PREPARED_FROM_USE + 2; round++) {
      const trips = await tripsOf(async () => {
        await client.query('begin');
        await add(round * 2);
        await add(round * 2 + 1);
        await client.query(round % 2 === 0 ? 'commit' : 'rollback');
      });
      expect(trips).toBe(3);
    }
    expect(await ids()).toEqual([0, 1, 4, 5, 8, 9, 12, 13]);
    client.release();
    await database.drop();
  });

  it('travels with a statement in which a semicolon stands in a comment or in a text', async () => {
    const { database, client, tripsOf } = await openCounted();
    const trips = await tripsOf(async () => {
      await client.query('begin');
      await client.query(
        "insert into thing -- one; and no other\n select $1 where 'a;b' <> '';",
        [1],
      );
      await client.query('commit');
    });
    expect(trips).toBe(2);
    client.release();
    await database.drop();
  });

  it('of one that asks nothing is never sent', async () => {
    const { database, client, tripsOf } = await openCounted();
    for (const end of ['commit', 'rollback', ' ROLLBACK']) {
      const trips = await tripsOf(async () => {
        expect(await client.query('begin')).toMatchObject({ command: 'BEGIN', rows: [] });
        expect(await client.query(end)).toMatchObject({ command: end.trim().toUpperCase() });
      });
      expect(trips).toBe(0);
    }
    client.release();
    await database.drop();
  });

  it('holds when the first statement fails: nothing more is done until the end', async () => {
    const { database, client, ids } = await openCounted();
    for (const bad of ['insert into thing values (1 / $1)', 'insert into nowhere values ($1)']) {
      for (let use = 0; use < PREPARED_FROM_USE + 2; use++) {
        await client.query('begin');
        await expect(client.query(bad, [0])).rejects.toThrow(/division|nowhere/);
        await expect(client.query('insert into thing values ($1)', [1])).rejects.toThrow(/aborted/);
        await client.query('rollback');
      }
    }
    expect(await ids()).toEqual([]);
    client.release();
    await database.drop();
  });

  it.each([
    ['a setting', (client: pg.PoolClient) => client.query("set local lock_timeout = '7s'")],
    ['a savepoint', (client: pg.PoolClient) => client.query('savepoint here')],
    [
      'several statements at once',
      (client: pg.PoolClient) =>
        client.query('insert into thing values (1); insert into thing values (2)'),
    ],
    [
      'a statement with a callback',
      (client: pg.PoolClient) =>
        new Promise((done, fail) => {
          client.query('insert into thing values ($1)', [1], (error) =>
            error ? fail(error) : done(undefined),
          );
        }),
    ],
  ])('stands before %s', async (_what, first) => {
    const { database, client, ids } = await openCounted();
    await client.query('begin');
    await first(client);
    await client.query('insert into thing values ($1)', [3]);
    await client.query('rollback');
    expect(await ids()).toEqual([]);
    await client.query('begin');
    await first(client);
    await client.query('insert into thing values ($1)', [3]);
    await client.query('commit');
    expect(await ids()).toContain(3);
    const { rows } = await client.query("select current_setting('lock_timeout') as kept");
    expect(rows).toEqual([{ kept: '10s' }]);
    client.release();
    await database.drop();
  });

  it('stands before a statement with a name of its own', async () => {
    const { database, client, ids } = await openCounted();
    await client.query('begin');
    await client.query({ name: 'own', text: 'insert into thing values ($1)', values: [1] });
    await client.query('rollback');
    expect(await ids()).toEqual([]);
    client.release();
    await database.drop();
  });

  it('is not believed to be prepared for ever: a connection that lost what it had prepared is not used again', async () => {
    const { database, client } = await openCounted();
    const transaction = async (on: pg.PoolClient): Promise<void> => {
      await on.query('begin');
      await on.query('select $1::int', [1]);
      await on.query('commit');
    };
    await transaction(client);
    await client.query('deallocate all');
    await client.query('begin');
    await expect(client.query('select $1::int', [1])).rejects.toThrow(/does not exist/);
    await client.query('rollback');
    client.release();
    const next = await database.pool.connect();
    await transaction(next);
    expect(next).not.toBe(client);
    next.release();
    await database.drop();
  });
});
