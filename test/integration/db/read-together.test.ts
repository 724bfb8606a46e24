/** Guarantee: what is read together keeps its plans from their first use, and leaves the connection as it was. */
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Db } from '../../../src/base/db/database.ts';
import { PREPARED_FROM_USE } from '../../../src/base/db/preparing-client.ts';
import { readTogether } from '../../../src/base/db/read-together.ts';
import { useTestDatabase } from '../../support/database.ts';

const database = useTestDatabase();

interface Plans {
  readonly kept: number;
  readonly anew: number;
}

/** How the connection has planned a statement, by a word in its text. */
async function plansOf(db: Db, word: string): Promise<Plans | undefined> {
  const { rows } = await sql<Plans>`
    select generic_plans as kept, custom_plans as anew from pg_prepared_statements
    where statement like ${`%${word}%`} and statement not like '%pg_prepared_statements%'`.execute(
    db,
  );
  return rows[0];
}

const settingIn = async (db: Db) =>
  (await sql<{ plan_cache_mode: string }>`show plan_cache_mode`.execute(db)).rows[0]
    ?.plan_cache_mode;

/** Reads until the statement is prepared, and so many times more. */
async function readOften(
  times: number,
  word: string,
  through: (read: (db: Db) => Promise<unknown>) => Promise<unknown>,
) {
  for (let use = 1; use < PREPARED_FROM_USE + times; use++)
    await through((db) =>
      sql`select count(*) as ${sql.ref(word)} from fact where organisation_id = ${'org_a'}`.execute(
        db,
      ),
    );
}

/** One connection that chooses its plans as PostgreSQL does by itself: the tests' server keeps all of them. */
async function onConnection(work: (db: Db) => Promise<void>): Promise<void> {
  await database.db.connection().execute(async (db) => {
    await sql`set plan_cache_mode = auto`.execute(db);
    await work(db);
    await sql`reset plan_cache_mode`.execute(db);
  });
}

describe('on one connection', () => {
  it('a plan is kept from its first use', async () => {
    await onConnection(async (db) => {
      await readOften(3, 'together', async (read) => await readTogether(db, read));
      expect(await plansOf(db, 'together')).toEqual({ kept: 3, anew: 0 });
    });
  });

  it('control: apart, it is made anew at first', async () => {
    await onConnection(async (db) => {
      await readOften(3, 'apart', async (read) => await read(db));
      const plans = await plansOf(db, 'apart');
      expect(plans?.kept).toBe(0);
      expect(plans?.anew).toBeGreaterThanOrEqual(3);
    });
  });

  it('nothing of it stays behind, whatever became of the read', async () => {
    await onConnection(async (db) => {
      expect(await readTogether(db, settingIn)).toBe('force_generic_plan');
      await expect(
        readTogether(db, async () => await Promise.reject(new Error('not read'))),
      ).rejects.toThrow('not read');
      expect(await settingIn(db)).toBe('auto');
    });
  });
});
