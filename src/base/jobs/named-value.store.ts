/** Small values that outlive a process, each under a name: when the last poll was, up to which hour figures are added up. */
import type { Db } from '../db/database.ts';
import { anyOf } from '../db/text-array.ts';

/** The value, or undefined when it was not written yet. Callers check its shape. */
export async function readNamedValue(
  db: Db,
  organisationId: string,
  name: string,
): Promise<unknown> {
  const row = await db
    .selectFrom('fact')
    .select('value')
    .where('organisation_id', '=', organisationId)
    .where('name', '=', name)
    .executeTakeFirst();
  return row?.value;
}

/** The values of these names that somebody wrote, by name. */
export async function readNamedValues(
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

/** A value, and when it was written. */
export interface KnownValue {
  readonly value: unknown;
  readonly at: Date;
}

/** The values of many organisations that somebody wrote, by organisation and by name. */
export async function readNamedValuesByOrganisation(
  db: Db,
  organisationIds: readonly string[],
  names: readonly string[],
): Promise<ReadonlyMap<string, ReadonlyMap<string, KnownValue>>> {
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

/** The moment that a value holds; undefined when it was not written yet. */
export async function readMoment(
  db: Db,
  organisationId: string,
  name: string,
): Promise<Date | undefined> {
  return momentOf(await readNamedValue(db, organisationId, name));
}

/** The value as a moment; undefined where it is none. */
export function momentOf(value: unknown): Date | undefined {
  return typeof value === 'string' ? new Date(value) : undefined;
}

/** A value as it is written. */
export interface NewNamedValue {
  readonly organisationId: string;
  readonly name: string;
  readonly value: unknown;
  readonly at: Date;
}

/** Writes the value over the former one. */
export async function writeNamedValue(
  db: Db,
  { organisationId, name, at, ...named }: NewNamedValue,
): Promise<void> {
  const value = JSON.stringify(named.value);
  await db
    .insertInto('fact')
    .values({ organisation_id: organisationId, name, value, changed_at: at })
    .onConflict((conflict) =>
      conflict.columns(['organisation_id', 'name']).doUpdateSet({ value, changed_at: at }),
    )
    .execute();
}

/** Deletes the value, if there is one. */
export async function deleteNamedValue(
  db: Db,
  organisationId: string,
  name: string,
): Promise<void> {
  await db
    .deleteFrom('fact')
    .where('organisation_id', '=', organisationId)
    .where('name', '=', name)
    .execute();
}
