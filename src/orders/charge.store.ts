/**
 * All SQL that keeps the charge index: what alerts are matched against. (How candidates are found in
 * it: `alerts/match/candidate.store.ts`.)
 */
import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import { snakeCased } from '../base/db/case-names.ts';
import type { Db, Trx } from '../base/db/database.ts';
import { keptText } from '../base/db/kept-text.ts';
import type { ChargeTable } from './charge.table.ts';
import { CHARGE_COLUMNS } from './charge.table.ts';
import type { ChargeRecord } from './charge-record.ts';
import { mergeRecords, recordOfRow } from './charge-record.ts';
import { textsFor } from './foreign-handle.ts';

/** One charge, or undefined. */
export async function findCharge(
  db: Db,
  organisationId: string,
  reference: string,
): Promise<ChargeRecord | undefined> {
  const { rows } = await sql<
    Selectable<ChargeTable>
  >`select ${CHARGE_COLUMNS.of('charge')} from charge
    where organisation_id = ${organisationId} and reference = ${reference}`.execute(db);
  const [row] = rows;
  return row === undefined ? undefined : recordOfRow(row);
}

/** Those of the charges that are known, by reference. */
export async function findCharges(
  db: Db,
  organisationId: string,
  references: readonly string[],
): Promise<ReadonlyMap<string, ChargeRecord>> {
  if (references.length === 0) return new Map();
  const rows = await db
    .selectFrom('charge')
    .select(CHARGE_COLUMNS.names)
    .where('organisation_id', '=', organisationId)
    .where('reference', 'in', references)
    .execute();
  return new Map(rows.map((row) => [row.reference, recordOfRow(row)]));
}

/** Columns that are filled from either source. */
const MERGED_COLUMNS = [
  'order_reference',
  'integration_id',
  'amount_minor',
  'currency',
  'authorised_at',
  'settled_at',
  'authorisation_code',
  'acquirer_reference_number',
  'card_bin',
  'card_last4',
  'card_brand',
  'descriptor',
  'subscription_reference',
  'is_failed',
] as const;

/**
 * Adds charges to the index, or completes those it has: the processor's word counts before the order
 * feed's, and nothing known is replaced by nothing. Call it in the transaction that stores the order.
 *
 * @returns the charges that are new or now say more, for whom it may concern: see `ChargesKnown`
 */
export async function recordCharges(
  trx: Trx,
  organisationId: string,
  news: { readonly charges: readonly ChargeRecord[]; readonly now: Date },
): Promise<ChargeRecord[]> {
  // Sorted by reference: two processes that store the same charges must not lock each other out.
  const records = oneEach(news.charges);
  if (records.length === 0) return [];
  const rows = records.map((record) => ({ ...columnsOf(record), organisation_id: organisationId }));
  const arrays = COLUMNS.map(([name]) => {
    const texts = rows.map((row) => textOf(row[name]));
    return sql`${textsFor(trx, texts)}::text[]`;
  });
  const stored = await sql<Omit<Selectable<ChargeTable>, 'known_at'>>`
    insert into charge (${NAMES}, known_at)
    select ${CAST}, ${news.now}::timestamptz from unnest(${sql.join(arrays)}) with ordinality as r(${NAMES}, place)
    order by place ${MERGE}`.execute(trx);
  return stored.rows.map(recordOfRow);
}

/**
 * Takes out of the index what an order says no longer: references stay, and nothing to match or count them by.
 * Those that another order names, the processor has shown, or a case is about, are left alone. (The application deletes no charge.)
 */
export async function forgetCharges(
  trx: Trx,
  organisationId: string,
  gone: {
    readonly integrationId: string;
    readonly orderReference: string;
    readonly references: readonly string[];
  },
): Promise<void> {
  const { integrationId, orderReference, references } = gone;
  await sql`
    update charge c set order_reference = null, integration_id = null, authorised_at = null, settled_at = null,
      authorisation_code = null, acquirer_reference_number = null, card_bin = null, card_last4 = null, card_brand = null,
      descriptor = null, subscription_reference = null
    where c.organisation_id = ${organisationId} and c.reference = any(${textsFor(trx, references)}::text[])
      and c.integration_id = ${integrationId} and c.order_reference = ${orderReference} and c.source = 'order'
      and not exists (select from order_nested_reference n
        where n.organisation_id = c.organisation_id and n.integration_id = ${integrationId}
          and n.kind = 'transaction' and n.reference = c.reference)
      and not exists (select from alert_case k
        where k.organisation_id = c.organisation_id and k.charge_reference = c.reference)
      and not exists (select from charge_account k
        where k.organisation_id = c.organisation_id and k.charge_reference = c.reference)`.execute(
    trx,
  );
}

/** Columns of a charge besides `known_at`. They travel as an array each, in a statement that never changes. */
const COLUMNS = [
  ['organisation_id', 'text'],
  ['reference', 'text'],
  ['source', 'text'],
  ['order_reference', 'text'],
  ['integration_id', 'text'],
  ['amount_minor', 'bigint'],
  ['currency', 'text'],
  ['authorised_at', 'timestamptz'],
  ['settled_at', 'timestamptz'],
  ['authorisation_code', 'text'],
  ['acquirer_reference_number', 'text'],
  ['card_bin', 'text'],
  ['card_last4', 'text'],
  ['card_brand', 'text'],
  ['descriptor', 'text'],
  ['subscription_reference', 'text'],
  ['is_failed', 'boolean'],
] as const;

const NAMES = keptText(sql.join(COLUMNS.map(([name]) => sql.ref(name))));
const CAST = keptText(
  sql.join(COLUMNS.map(([name, type]) => sql`${sql.ref(name)}::${sql.raw(type)}`)),
);

/** What becomes of a charge that is known. */
const MERGE = keptText(sql`
    on conflict (organisation_id, reference) do update set ${sql.join(
      MERGED_COLUMNS.map((name) => sql`${sql.ref(name)} = ${mergedColumn(name)}`),
    )},
      source = case when charge.source = 'processor' then charge.source else excluded.source end
    -- A charge that one order has named stays with it: another's claim says nothing about it.
    where (excluded.source = 'processor' or charge.order_reference is null or excluded.order_reference is null
        or (charge.order_reference, charge.integration_id) is not distinct from (excluded.order_reference, excluded.integration_id))
      and (${sql.join(MERGED_COLUMNS.map((name) => comparable(name, sql.ref(`charge.${name}`))))})
        is distinct from (${sql.join(MERGED_COLUMNS.map((name) => comparable(name, mergedColumn(name))))})
    returning ${sql.join(COLUMNS.map(([name]) => sql.ref(`charge.${name}`)))}`);

function textOf(value: string | number | boolean | null): string | null {
  return value === null ? null : String(value);
}

function oneEach(charges: readonly ChargeRecord[]): ChargeRecord[] {
  const byReference = new Map<string, ChargeRecord>();
  for (const record of charges) {
    const known = byReference.get(record.reference);
    if (known !== undefined && isAnotherClaim(known, record)) continue;
    byReference.set(record.reference, known === undefined ? record : mergeRecords(known, record));
  }
  return [...byReference.values()].sort((a, b) => (a.reference < b.reference ? -1 : 1));
}

/** A charge that one order has named stays with it; the same choice in SQL is `recordCharges`. */
function isAnotherClaim(known: ChargeRecord, record: ChargeRecord): boolean {
  const [first, other] = [known, record].map((each) => each.orderReference);
  return (
    record.source === 'order' &&
    typeof first === 'string' &&
    typeof other === 'string' &&
    (first !== other || known.integrationId !== record.integrationId)
  );
}

/** The same choice as `mergeRecords`, in SQL. */
function mergedColumn(name: (typeof MERGED_COLUMNS)[number]): ReturnType<typeof sql> {
  const known = sql.ref(`charge.${name}`);
  const added = sql.ref(`excluded.${name}`);
  return sql`case when charge.source = 'processor' and excluded.source = 'order'
    then coalesce(${known}, ${added}) else coalesce(${added}, ${known}) end`;
}

/** That an attempt succeeded is no news about one that was not said to have failed. */
function comparable(
  name: (typeof MERGED_COLUMNS)[number],
  value: ReturnType<typeof sql>,
): ReturnType<typeof sql> {
  return name === 'is_failed' ? sql`coalesce(${value}, false)` : value;
}

function columnsOf(
  record: ChargeRecord,
): Record<
  Exclude<(typeof COLUMNS)[number][0], 'organisation_id'>,
  string | number | boolean | null
> {
  return {
    ...snakeCased({ ...record, isFailed: record.isFailed ?? null }),
    // Codes are compared without regard to case, so the index holds one case only.
    authorisation_code: record.authorisationCode?.trim().toUpperCase() ?? null,
  };
}
