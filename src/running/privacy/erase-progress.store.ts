/**
 * How far an erasure came, so that one that was broken off continues from there. Written in the transaction
 * of each slice that changed something. Whom it is about is there as a hash only.
 */
import { hash } from 'node:crypto';
import { z } from 'zod';
import type { Db } from '../../base/db/database.ts';
import { readNamedValue, writeNamedValue } from '../../base/jobs/named-value.store.ts';

/** The fact that holds it. */
const ERASURE = 'erasure';

const progressSchema = z.object({
  key: z.string(),
  /** Columns that are done. */
  done: z.array(z.string()),
  /** The column under way, and the page that is next. */
  column: z.string(),
  page: z.int().min(0),
  /** Rows erased so far, by `table.column`. */
  rows: z.record(z.string(), z.int()),
});

export type ErasureProgress = z.infer<typeof progressSchema>;

/** What makes it the same erasure: the same names are looked for. */
export function erasureKey(organisationId: string, identifiers: readonly string[]): string {
  return hash('sha256', JSON.stringify([organisationId, [...identifiers].sort()]));
}

export async function readProgress(
  db: Db,
  organisationId: string,
  key: string,
): Promise<ErasureProgress> {
  const known = progressSchema.safeParse(await readNamedValue(db, organisationId, ERASURE));
  return known.success && known.data.key === key
    ? known.data
    : { key, done: [], column: '', page: 0, rows: {} };
}

export async function writeProgress(
  db: Db,
  organisationId: string,
  { progress, now }: { readonly progress: ErasureProgress; readonly now: Date },
): Promise<void> {
  await writeNamedValue(db, { organisationId, name: ERASURE, value: progress, at: now });
}

export async function forgetProgress(db: Db, organisationId: string): Promise<void> {
  await db
    .deleteFrom('fact')
    .where('organisation_id', '=', organisationId)
    .where('name', '=', ERASURE)
    .execute();
}
