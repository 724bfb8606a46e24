/** All SQL of `order_import`: how far the import of a file came. */
import type { Selectable } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import type { OrderImportTable } from '../order.table.ts';

export type ImportRow = Selectable<OrderImportTable>;

/** Which file of which organisation. */
export interface ImportKey {
  readonly organisationId: string;
  readonly fileKey: string;
}

/** How far an unfinished import came; undefined when there is none. */
export async function findUnfinished(db: Db, key: ImportKey): Promise<ImportRow | undefined> {
  return await db
    .selectFrom('order_import')
    .selectAll()
    .where('organisation_id', '=', key.organisationId)
    .where('file_key', '=', key.fileKey)
    .where('finished_at', 'is', null)
    .executeTakeFirst();
}

/** Counts of an import. */
export interface ImportCounts {
  readonly linesDone: number;
  readonly accepted: number;
  readonly unchanged: number;
  readonly rejected: number;
}

/** Notes the progress. */
export async function saveProgress(
  db: Db,
  key: ImportKey,
  progress: ImportCounts & {
    readonly fileName: string;
    readonly now: Date;
    readonly done: boolean;
  },
): Promise<void> {
  const { now, done } = progress;
  const set = {
    file_name: progress.fileName,
    lines_done: progress.linesDone,
    accepted: progress.accepted,
    unchanged: progress.unchanged,
    rejected: progress.rejected,
    changed_at: now,
    finished_at: done ? now : null,
  };
  await db
    .insertInto('order_import')
    .values({
      organisation_id: key.organisationId,
      file_key: key.fileKey,
      started_at: now,
      ...set,
    })
    .onConflict((conflict) => conflict.columns(['organisation_id', 'file_key']).doUpdateSet(set))
    .execute();
}
