/**
 * Figures that are kept as rows change (migration 0015), so that a scrape costs the same however many cases
 * and refunds are kept: read, and added up.
 */
import { sql } from 'kysely';
import type { Db } from '../base/db/database.ts';
import { takenChanges } from '../base/db/taken-changes.ts';
import type { FigureMeasure } from './figure.table.ts';

/** How many, and how much: minor units, or milliseconds. */
export interface Figure {
  readonly label: string;
  readonly count: number;
  readonly amount: number;
}

/** Reads every figure, by measure. What was not added up yet is in them. */
export async function readFigures(
  db: Db,
  organisationId: string,
): Promise<(measure: FigureMeasure) => readonly Figure[]> {
  const { rows } = await sql<Figure & { readonly measure: FigureMeasure }>`
    select measure, label, sum(count)::bigint as count, sum(amount)::bigint as amount
    from (
      select measure, label, count, amount from figure where organisation_id = ${organisationId}
      union all
      select measure, label, count, amount from figure_change where organisation_id = ${organisationId}
    ) as kept
    group by measure, label order by measure, label`.execute(db);
  return (measure) => rows.filter((row) => row.measure === measure);
}

/** Changes added up in one statement. */
const BATCH = 10_000;

/** Adds the changes up, in one statement. Returns how many. */
export async function addUpFigures(db: Db, organisationId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with ${takenChanges({ table: 'figure_change', organisationId, lock: 'figures', max: BATCH })}, kept as (
      insert into figure as f (organisation_id, measure, label, count, amount)
      select ${organisationId}, measure, label, sum(count), sum(amount) from moved group by measure, label
      on conflict (organisation_id, measure, label)
        do update set count = f.count + excluded.count, amount = f.amount + excluded.amount
    )
    select count(*) as count from moved`.execute(db);
  return rows[0]?.count ?? 0;
}
