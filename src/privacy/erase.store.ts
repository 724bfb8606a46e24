/**
 * All SQL of erasure: whose orders there are, and every place in which somebody is named.
 *
 * Tables and columns come from the inventory, never from outside.
 */
import type { Kysely, Transaction } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import type { PersonalColumn } from './inventory.ts';
import type { ColumnKind } from './inventory-entry.ts';

/** An order of the person. */
export interface OwnOrder {
  readonly integrationId: string;
  readonly referenceId: string;
  readonly body: unknown;
  readonly submitted: unknown;
  /** It, or a part of it, has still to be sent. */
  readonly isUnderWay: boolean;
}

/** The orders that carry this e-mail address, locked. */
export async function lockOrdersOf(
  trx: Transaction<Database>,
  organisationId: string,
  email: string,
): Promise<OwnOrder[]> {
  const { rows } = await sql<{
    integration_id: string;
    reference_id: string;
    body: unknown;
    submitted: unknown;
    under_way: boolean;
  }>`
    select o.integration_id, o.reference_id, o.body, o.submitted,
           o.state in ('HELD', 'WAITING', 'CHECKING') or exists (
             select from order_push p
             where p.organisation_id = o.organisation_id and p.integration_id = o.integration_id
               and p.reference_id = o.reference_id and p.state = 'DUE') as under_way
    from order_record o
    where o.organisation_id = ${organisationId}
      and (lower(o.body->>'customer_email') = lower(${email}) or lower(o.body->>'order_email') = lower(${email}))
    order by o.seq
    for update of o`.execute(trx);
  return rows.map((row) => ({
    integrationId: row.integration_id,
    referenceId: row.reference_id,
    body: row.body,
    submitted: row.submitted,
    isUnderWay: row.under_way,
  }));
}

/** Replaces what an order says. What it said first stays recognisable by its hash. */
export async function replaceOrder(
  trx: Transaction<Database>,
  organisationId: string,
  order: Omit<OwnOrder, 'isUnderWay'>,
): Promise<void> {
  await sql`
    update order_record
    set body = ${JSON.stringify(order.body)}::jsonb, submitted = ${JSON.stringify(order.submitted)}::jsonb,
        difference = null, warnings = '[]'
    where organisation_id = ${organisationId} and integration_id = ${order.integrationId}
      and reference_id = ${order.referenceId}`.execute(trx);
}

/** Deletes the hashes by which a person's refunds are counted and a customer is blocked. */
export async function deleteIdentities(
  trx: Transaction<Database>,
  organisationId: string,
  identities: readonly string[],
): Promise<number> {
  if (identities.length === 0) return 0;
  const counted = await trx
    .deleteFrom('refund_customer')
    .where('organisation_id', '=', organisationId)
    .where('identity', 'in', identities)
    .executeTakeFirst();
  const blocked = await trx
    .deleteFrom('blocked_customer')
    .where('organisation_id', '=', organisationId)
    .where('identity', 'in', identities)
    .executeTakeFirst();
  return Number(counted.numDeletedRows + blocked.numDeletedRows);
}

/** Where a value stands. */
export interface Found {
  readonly place: string;
  readonly part: string;
  readonly value: unknown;
}

/** Rows of a column that name the person, locked; at most `limit`. */
export async function findNamed(
  trx: Transaction<Database>,
  where: PersonalColumn & { readonly organisationId: string; readonly limit: number },
  identifiers: readonly string[],
): Promise<Found[]> {
  const patterns = identifiers.map((identifier) => patternOf(identifier, where.kind));
  const column = sql.ref(where.column);
  const text = where.kind === 'bytes' ? sql`encode(${column}, 'escape')` : sql`${column}::text`;
  const { rows } = await sql<Found>`
    select ctid::text as place, tableoid::text as part, ${column} as value
    from ${sql.table(where.table)}
    where organisation_id = ${where.organisationId} and lower(${text}) like any(${patterns}::text[])
    limit ${where.limit} for update`.execute(trx);
  return rows;
}

/** Admits, until the transaction ends, that words inside audit rows are replaced (migration 0008). */
export async function admitErasure(trx: Transaction<Database>): Promise<void> {
  await sql`select set_config('forestall.erasing', 'on', true)`.execute(trx);
}

/** Puts a value in the place of another. */
export async function replaceValue(
  trx: Transaction<Database>,
  where: PersonalColumn & Pick<Found, 'place' | 'part'>,
  value: string | Buffer,
): Promise<void> {
  await sql`
    update ${sql.table(where.table)} set ${sql.ref(where.column)} = ${value}${CASTS[where.kind]}
    where ctid = ${where.place}::tid and tableoid = ${where.part}::oid`.execute(trx);
}

const CASTS: Readonly<Record<ColumnKind, ReturnType<typeof sql>>> = {
  text: sql`::text`,
  json: sql`::jsonb`,
  bytes: sql`::bytea`,
};

/** How many rows of a column name the person. */
export async function countNamed(
  db: Kysely<Database>,
  where: PersonalColumn & { readonly organisationId: string },
  identifiers: readonly string[],
): Promise<number> {
  const patterns = identifiers.map((identifier) => patternOf(identifier, where.kind));
  const column = sql.ref(where.column);
  const text = where.kind === 'bytes' ? sql`encode(${column}, 'escape')` : sql`${column}::text`;
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from ${sql.table(where.table)}
    where organisation_id = ${where.organisationId} and lower(${text}) like any(${patterns}::text[])`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}

/** A LIKE pattern for the identifier as Postgres prints the column, in lower case. */
function patternOf(identifier: string, kind: ColumnKind): string {
  const printed = PRINTED[kind](identifier.toLowerCase());
  return `%${printed.replaceAll(/[\\%_]/g, '\\$&')}%`;
}

const PRINTED: Readonly<Record<ColumnKind, (text: string) => string>> = {
  text: (text) => text,
  json: (text) => JSON.stringify(text).slice(1, -1),
  bytes: escapeBytes,
};

/** What `encode(…, 'escape')` makes of the text's bytes. */
function escapeBytes(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) => {
      if (byte === 0x5c) return '\\\\';
      return byte === 0 || byte >= 0x80
        ? `\\${byte.toString(8).padStart(3, '0')}`
        : String.fromCharCode(byte);
    })
    .join('');
}
