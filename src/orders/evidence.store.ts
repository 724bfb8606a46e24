/** All SQL that keeps the evidence index. (How payments are compared: `alerts/evidence/`.) */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Db, Trx } from '../base/db/database.ts';
import { keptText } from '../base/db/kept-text.ts';
import type { EvidenceKey } from './evidence-key.store.ts';
import { hashElement } from './evidence-key.store.ts';
import { textsFor } from './foreign-handle.ts';
import type { OrderRow } from './order.store.ts';
import type { PaymentElements } from './payment-elements.ts';
import { HASHED_ELEMENTS } from './payment-elements.ts';
import { HISTORY_TRAITS, packTraits } from './traits.ts';

/** Columns besides the reference, which names the row. */
const COLUMNS = [
  ...HASHED_ELEMENTS.map((name) => [name, 'bigint'] as const),
  ['day', 'date'],
  ['traits', 'integer'],
  ['organisation', 'smallint'],
  ['descriptor', 'text'],
  ['country', 'text'],
] as const;

/** Adds payments to the index, or completes those it has: nothing known is replaced by nothing. */
export async function storePayments(
  trx: Trx,
  key: EvidenceKey,
  payments: readonly PaymentElements[],
): Promise<void> {
  if (payments.length === 0) return;
  const rows = payments.map((payment) => rowOf(key, payment));
  const arrays = NAMES.map((_name, place) => {
    const texts = rows.map((row) => row[place] ?? null);
    return sql`${textsFor(trx, texts)}::text[]`;
  });
  await sql`${INSERT} from unnest(${sql.join(arrays)}) ${MERGE}`.execute(trx);
}

function setOf(name: (typeof COLUMNS)[number][0]): RawBuilder<unknown> | undefined {
  const column = sql.ref(name);
  const added = sql.ref(`excluded.${name}`);
  if (name === 'organisation') return undefined;
  if (name === 'day') return sql`${column} = ${added}`;
  if (name === 'traits')
    return sql`traits = excluded.traits | (known.traits & ${sql.lit(HISTORY_TRAITS)})`;
  return sql`${column} = coalesce(${added}, ${sql.ref(`known.${name}`)})`;
}

const NAMES = [...COLUMNS.map(([name]) => name), 'reference'];
const LIST = sql.join(NAMES.map((name) => sql.ref(name)));

const INSERT = keptText(sql`
    insert into payment_evidence as known (${LIST})
    select ${sql.join(COLUMNS.map(([name, type]) => sql`${sql.ref(`r.${name}`)}::${sql.raw(type)}`))}, r.reference`);

/** What becomes of a payment that is known. */
const MERGE = keptText(sql`as r(${LIST})
    on conflict (hashtextextended(reference, organisation)) do update set ${sql.join(
      COLUMNS.flatMap(([name]) => setOf(name) ?? []),
    )}`);

function rowOf(key: EvidenceKey, payment: PaymentElements): (string | null)[] {
  const hashes = HASHED_ELEMENTS.map((name) => {
    const value = payment.values[name];
    return value === null ? null : hashElement(key, name, value);
  });
  const { day, traits, descriptor, country, reference } = payment;
  return [
    ...hashes,
    day,
    String(packTraits(traits)),
    String(key.number),
    descriptor,
    country,
    reference,
  ];
}

/** Deletes the payments of these e-mail addresses. Returns how many rows went. */
export async function erasePayments(
  trx: Trx,
  key: EvidenceKey,
  emails: readonly string[],
): Promise<number> {
  const deleted = await sql`
    delete from payment_evidence where ${isTheirs(key, emails)}`.execute(trx);
  return Number(deleted.numAffectedRows ?? 0n);
}

/** How many rows {@link erasePayments} would delete. */
export async function countPayments(
  db: Db,
  key: EvidenceKey,
  emails: readonly string[],
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from payment_evidence where ${isTheirs(key, emails)}`.execute(db);
  return rows[0]?.count ?? 0;
}

function isTheirs(key: EvidenceKey, emails: readonly string[]): RawBuilder<boolean> {
  const hashes = emails.map((email) => hashElement(key, 'email', email));
  return sql<boolean>`organisation = ${key.number} and email = any(${hashes}::bigint[])`;
}

/** Deletes payments of days before `before`, at most `limit`. Returns how many rows went. */
export async function deleteOldPayments(
  db: Db,
  organisation: number,
  { before, limit }: { readonly before: Date; readonly limit: number },
): Promise<number> {
  const day = before.toISOString().slice(0, 10);
  const deleted = await sql`
    delete from payment_evidence where ctid = any(array(
      select ctid from payment_evidence where day < ${day}::date and organisation = ${organisation} limit ${limit}))`.execute(
    db,
  );
  return Number(deleted.numAffectedRows ?? 0n);
}

/** Orders that an older version stored, after a place in the line; locked, so that none is erased meanwhile. */
export async function readOrdersAfter(
  trx: Trx,
  organisationId: string,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<StoredOrder[]> {
  const { rows } = await sql<StoredOrder>`
    select seq, integration_id, reference_id, body from order_record
    where organisation_id = ${organisationId} and seq > ${after} order by seq limit ${limit} for share`.execute(
    trx,
  );
  return rows;
}

/** An order's body, as stored, with its place in the line. */
type StoredOrder = Pick<OrderRow, 'seq' | 'integration_id' | 'reference_id' | 'body'>;
