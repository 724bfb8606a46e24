/**
 * All SQL that keeps the charge index: what alerts are matched against. (How candidates are found in
 * it: `alerts/match/candidate.store.ts`.)
 */
import type { Insertable, Kysely, Transaction } from 'kysely';
import { sql } from 'kysely';
import { snakeCased } from '../base/db/case-names.ts';
import type { Database } from '../base/db/database.ts';
import type { ChargeTable } from './charge.table.ts';
import type { ChargeRecord } from './charge-record.ts';
import { mergeRecords, recordOfRow } from './charge-record.ts';

/** One charge, or undefined. */
export async function findCharge(
  db: Kysely<Database>,
  organisationId: string,
  reference: string,
): Promise<ChargeRecord | undefined> {
  const row = await db
    .selectFrom('charge')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where('reference', '=', reference)
    .executeTakeFirst();
  return row === undefined ? undefined : recordOfRow(row);
}

/** Those of the charges that are known, by reference. */
export async function findCharges(
  db: Kysely<Database>,
  organisationId: string,
  references: readonly string[],
): Promise<ReadonlyMap<string, ChargeRecord>> {
  if (references.length === 0) return new Map();
  const rows = await db
    .selectFrom('charge')
    .selectAll()
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
] as const;

/**
 * Adds charges to the index, or completes those it has: the processor's word counts before the order
 * feed's, and nothing known is replaced by nothing. Call it in the transaction that stores the order.
 *
 * @returns the charges that are new or now say more, for whom it may concern: see `ChargesKnown`
 */
export async function recordCharges(
  trx: Transaction<Database>,
  organisationId: string,
  news: { readonly charges: readonly ChargeRecord[]; readonly now: Date },
): Promise<ChargeRecord[]> {
  // Sorted by reference: two processes that store the same charges must not lock each other out.
  const records = oneEach(news.charges);
  if (records.length === 0) return [];
  const merged = Object.fromEntries(MERGED_COLUMNS.map((name) => [name, mergedColumn(name)]));
  const before = sql.join(MERGED_COLUMNS.map((name) => sql.ref(`charge.${name}`)));
  const after = sql.join(MERGED_COLUMNS.map(mergedColumn));
  const rows = await trx
    .insertInto('charge')
    .values(
      records.map((record) => ({
        ...columnsOf(record),
        organisation_id: organisationId,
        known_at: news.now,
      })),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['organisation_id', 'reference'])
        .doUpdateSet({
          ...merged,
          source: sql`case when charge.source = 'processor' then charge.source else excluded.source end`,
        })
        .where(sql<boolean>`(${before}) is distinct from (${after})`),
    )
    .returningAll()
    .execute();
  return rows.map(recordOfRow);
}

function oneEach(charges: readonly ChargeRecord[]): ChargeRecord[] {
  const byReference = new Map<string, ChargeRecord>();
  for (const record of charges) {
    const known = byReference.get(record.reference);
    byReference.set(record.reference, known === undefined ? record : mergeRecords(known, record));
  }
  return [...byReference.values()].sort((a, b) => (a.reference < b.reference ? -1 : 1));
}

/** The same choice as `mergeRecords`, in SQL. */
function mergedColumn(name: (typeof MERGED_COLUMNS)[number]): ReturnType<typeof sql> {
  const known = sql.ref(`charge.${name}`);
  const added = sql.ref(`excluded.${name}`);
  return sql`case when charge.source = 'processor' and excluded.source = 'order'
    then coalesce(${known}, ${added}) else coalesce(${added}, ${known}) end`;
}

function columnsOf(
  record: ChargeRecord,
): Omit<Insertable<ChargeTable>, 'organisation_id' | 'known_at'> {
  return {
    ...snakeCased(record),
    // Codes are compared without regard to case, so the index holds one case only.
    authorisation_code: record.authorisationCode?.trim().toUpperCase() ?? null,
  };
}
