/**
 * Asks in one statement which loops have something due. Each loop tells, as well as its claim, under which
 * condition its claim would find a row; conditions must be answered from an index.
 */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Db } from '../db/database.ts';

/**
 * Whether a round at this moment would find something of an organisation, as a condition in SQL. The
 * organisation is a value or a column: one statement may ask for many. `db` only helps to write SQL.
 */
export type DueCondition = (
  now: Date,
  organisation: RawBuilder<string>,
  db: Db,
) => RawBuilder<boolean>;

/** Whose loop, and when. */
export interface DueScope {
  readonly organisationId: string;
  readonly now: Date;
}

/** Holds where one of the conditions does. */
export function anyDue(conditions: readonly DueCondition[]): DueCondition {
  return (...asked) =>
    sql<boolean>`(${sql.join(
      conditions.map((each) => each(...asked)),
      sql` or `,
    )})`;
}

/** The answers for one organisation, in the order of the conditions. */
export async function readDue(
  db: Db,
  { organisationId, now }: DueScope,
  conditions: readonly DueCondition[],
): Promise<readonly boolean[]> {
  if (conditions.length === 0) return [];
  const { rows } = await sql<{ due: boolean[] }>`
    select ${dueArray(db, conditions, { now, organisation: sql`${organisationId}::text` })} as due`.execute(
    db,
  );
  return rows[0]?.due ?? [];
}

/** The answers for those of many organisations that have something due; the others are left out. */
export async function readAllDue(
  db: Db,
  { organisationIds, now }: { readonly organisationIds: readonly string[]; readonly now: Date },
  conditions: readonly DueCondition[],
): Promise<ReadonlyMap<string, readonly boolean[]>> {
  if (conditions.length === 0 || organisationIds.length === 0) return new Map();
  const asked = { now, organisation: sql<string>`asking.organisation` };
  // Without "offset 0" each condition would be answered twice: to choose the row, and to show it.
  const { rows } = await sql<{ organisation: string; due: boolean[] }>`
    select asking.organisation, answer.due
    from unnest(${organisationIds}::text[]) as asking (organisation),
      lateral (select ${dueArray(db, conditions, asked)} as due offset 0) as answer
    where true = any(answer.due)`.execute(db);
  return new Map(rows.map(({ organisation, due }) => [organisation, due]));
}

/** The answers as a part of another statement. */
export function dueArray(
  db: Db,
  conditions: readonly DueCondition[],
  { now, organisation }: { readonly now: Date; readonly organisation: RawBuilder<string> },
): RawBuilder<boolean[]> {
  const answers = conditions.map((condition) => condition(now, organisation, db));
  return sql`array[${sql.join(answers)}]::boolean[]`;
}

/** Whether one condition holds: a round that mostly finds nothing begins with it. */
export async function isDueNow(db: Db, scope: DueScope, condition: DueCondition): Promise<boolean> {
  const [due = false] = await readDue(db, scope, [condition]);
  return due;
}
