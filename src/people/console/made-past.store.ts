/** All SQL of the mark on a past that was made up, for a demonstration. */
import type { Db } from '../../base/db/database.ts';
import type {} from './made-past.table.ts';

/** Marks it, before the first row of it is written. */
export async function noteMadePast(
  db: Db,
  { organisationId, from, until }: { organisationId: string; from: Date; until: Date },
): Promise<void> {
  const values = { organisation_id: organisationId, from_at: from, until_at: until };
  await db.insertInto('made_past').values(values).execute();
}

/** Reads until when, once: a past is made before any console is opened on it, and never again. */
export function createMadePast(db: Db, organisationId: string): () => Promise<Date | undefined> {
  let asked: Promise<Date | undefined> | undefined;
  const ask = async (): Promise<Date | undefined> => {
    const row = await db
      .selectFrom('made_past')
      .select('until_at')
      .where('organisation_id', '=', organisationId)
      .executeTakeFirst();
    return row?.until_at;
  };
  return () => {
    asked ??= ask().catch((error: unknown) => {
      asked = undefined;
      throw error;
    });
    return asked;
  };
}
