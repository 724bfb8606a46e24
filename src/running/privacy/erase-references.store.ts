/** All SQL by which references that name a person are found and replaced. */
import { sql } from 'kysely';
import type { Db, Trx } from '../../base/db/database.ts';
import type { OrderRef } from './erase.store.ts';

/** Why a reference has still to be there. */
export type ReferenceNeed = 'alert' | 'money' | 'order' | 'event' | 'evidence';

/** Why the reference has to stay for now, the reason without an end first; undefined: it may go. */
export async function neededReference(
  db: Db,
  { organisationId, now }: { readonly organisationId: string; readonly now: Date },
  reference: string,
): Promise<{ readonly why: ReferenceNeed; readonly until: string | null } | undefined> {
  const { rows } = await sql<{ why: ReferenceNeed; until: Date | null }>`
    select why, until from reference_needed(${organisationId}, ${reference}, ${now})
    order by until desc nulls first, why limit 1`.execute(db);
  const [row] = rows;
  return row && { why: row.why, until: row.until?.toISOString() ?? null };
}

/** Orders that go by one of these references. */
export async function ordersCalled(
  db: Db,
  organisationId: string,
  references: readonly string[],
): Promise<OrderRef[]> {
  const { rows } = await sql<OrderRef>`
    select integration_id as "integrationId", reference_id as "referenceId" from order_record
    where organisation_id = ${organisationId} and reference_id = any(${references}::text[])`.execute(
    db,
  );
  return rows;
}

/** What these orders and their charges are called. */
export async function ownReferences(
  db: Db,
  organisationId: string,
  orders: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ reference: string }>`
    select unnest(${orders}::text[]) as reference
    union select reference from charge
    where organisation_id = ${organisationId} and order_reference = any(${orders}::text[])
    union select unnest(array[reference, given, alias]) from order_nested_reference
    where organisation_id = ${organisationId} and order_reference = any(${orders}::text[])`.execute(
    db,
  );
  return new Set(rows.map(({ reference }) => reference));
}

/** Puts each word in the place of its reference. False: one of them is needed, and nothing was changed. */
export async function replaceReferences(
  trx: Trx,
  change: {
    readonly organisationId: string;
    readonly words: ReadonlyMap<string, string>;
    readonly now: Date;
  },
): Promise<boolean> {
  const { rows } = await sql<{ changed: string | null }>`
    select erase_references(${change.organisationId}, ${[...change.words.keys()]}::text[], ${[...change.words.values()]}::text[], ${change.now}) as changed`.execute(
    trx,
  );
  return rows[0] !== undefined && rows[0].changed !== null;
}

/** The references of a value: itself, or the parts of a list as PostgreSQL writes it. */
export function usedAsReference(column: string, value: string): readonly string[] {
  if (column !== 'charge_references') return [value];
  const parts = value.slice(1, -1).match(/"(?:\\.|[^"\\])*"|[^,]+/g) ?? [];
  return parts.map((part) =>
    part.startsWith('"') ? part.slice(1, -1).replaceAll(/\\(.)/g, '$1') : part,
  );
}
