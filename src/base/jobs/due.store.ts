/**
 * Asks in one statement which loops have something due. Each loop tells, beside its claim, under which
 * condition its claim would find a row; conditions must be answered from an index.
 */
import type { Kysely, RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../db/database.ts';

/** Whether a round at this moment would find something, as a condition in SQL. */
export type DueCondition = (now: Date) => RawBuilder<boolean>;

/** The answers, in the order of the conditions. */
export async function readDue(
  db: Kysely<Database>,
  conditions: readonly DueCondition[],
  now: Date,
): Promise<readonly boolean[]> {
  if (conditions.length === 0) return [];
  const { rows } = await sql<{ due: boolean[] }>`
    select ${dueArray(conditions, now)} as due`.execute(db);
  return rows[0]?.due ?? [];
}

/** The same as a part of another statement. */
export function dueArray(conditions: readonly DueCondition[], now: Date): RawBuilder<boolean[]> {
  return sql`array[${sql.join(conditions.map((condition) => condition(now)))}]::boolean[]`;
}

/** Whether one condition holds: a round that mostly finds nothing begins with it. */
export async function isDueNow(
  db: Kysely<Database>,
  condition: DueCondition,
  now: Date,
): Promise<boolean> {
  const [due = false] = await readDue(db, [condition], now);
  return due;
}
