/** Small facts that outlive a process, by name: when the last poll was, up to which hour figures are added up. */
import type { Db } from '../db/database.ts';
import { anyOf } from '../db/text-array.ts';

/** The fact's value, or undefined when nobody wrote it yet. Callers check its shape. */
export async function readFact(db: Db, organisationId: string, name: string): Promise<unknown> {
  const row = await db
    .selectFrom('fact')
    .select('value')
    .where('organisation_id', '=', organisationId)
    .where('name', '=', name)
    .executeTakeFirst();
  return row?.value;
}

/** The values of those facts that somebody wrote, by name. */
export async function readFacts(
  db: Db,
  organisationId: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, unknown>> {
  const rows = await db
    .selectFrom('fact')
    .select(['name', 'value'])
    .where('organisation_id', '=', organisationId)
    .where('name', 'in', names)
    .execute();
  return new Map(rows.map(({ name, value }) => [name, value]));
}

/** A fact, and when it was written. */
export interface KnownFact {
  readonly value: unknown;
  readonly at: Date;
}

/** Those facts of many organisations that somebody wrote, by organisation and by name. */
export async function readFactsOfMany(
  db: Db,
  organisationIds: readonly string[],
  names: readonly string[],
): Promise<ReadonlyMap<string, ReadonlyMap<string, KnownFact>>> {
  const rows = await db
    .selectFrom('fact')
    .select(['organisation_id', 'name', 'value', 'changed_at'])
    .where('organisation_id', '=', anyOf(organisationIds))
    .where('name', 'in', names)
    .execute();
  return new Map(
    [...Map.groupBy(rows, (row) => row.organisation_id)].map(([id, own]) => [
      id,
      new Map(own.map(({ name, value, changed_at: at }) => [name, { value, at }])),
    ]),
  );
}

/** The moment that a fact is about; undefined when nobody wrote it yet. */
export async function readMoment(
  db: Db,
  organisationId: string,
  name: string,
): Promise<Date | undefined> {
  return momentOf(await readFact(db, organisationId, name));
}

/** The moment that a fact's value is; undefined where it is none. */
export function momentOf(value: unknown): Date | undefined {
  return typeof value === 'string' ? new Date(value) : undefined;
}

/** A fact as it is written. */
export interface NewFact {
  readonly organisationId: string;
  readonly name: string;
  readonly value: unknown;
  readonly at: Date;
}

/** Writes the fact over its former value. */
export async function writeFact(
  db: Db,
  { organisationId, name, at, ...fact }: NewFact,
): Promise<void> {
  const value = JSON.stringify(fact.value);
  await db
    .insertInto('fact')
    .values({ organisation_id: organisationId, name, value, changed_at: at })
    .onConflict((conflict) =>
      conflict.columns(['organisation_id', 'name']).doUpdateSet({ value, changed_at: at }),
    )
    .execute();
}

/** Takes the fact away, where it is. */
export async function deleteFact(db: Db, organisationId: string, name: string): Promise<void> {
  await db
    .deleteFrom('fact')
    .where('organisation_id', '=', organisationId)
    .where('name', '=', name)
    .execute();
}
