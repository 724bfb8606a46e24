/**
 * All SQL of the charge index: what alerts are matched against.
 *
 * Every candidate comes from an indexed equality, so that a match among a million charges stays a
 * matter of milliseconds.
 */
import type {
  Expression,
  ExpressionBuilder,
  Insertable,
  Kysely,
  SqlBool,
  Transaction,
} from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import type { AlertFacts } from './alert-facts.ts';
import type { ChargeRecord } from './charge-record.ts';
import { recordOfRow } from './charge-record.ts';
import type { ChargeTable } from './match.table.ts';
import type { MatchSettings } from './match-settings.ts';
import { CANDIDATES_MAX } from './match-settings.ts';
import { mergeCandidates } from './merge-candidates.ts';

const MS_PER_DAY = 86_400_000;

/** What the index knows that could be meant. */
export interface CandidateSearch {
  readonly charges: readonly ChargeRecord[];
  /** False when there were more than {@link CANDIDATES_MAX}: then nothing can be called the only one. */
  readonly complete: boolean;
}

/** Charges that share a key with the alert: reference, ARN, code with last 4, or card with amount. */
export async function findCandidateCharges(
  db: Kysely<Database>,
  organisationId: string,
  about: { readonly alert: AlertFacts; readonly settings: MatchSettings },
): Promise<CandidateSearch> {
  const { alert, settings } = about;
  // One statement for all keys; each part has its own limit, so each is wrapped as a table.
  const parts = keyConditions(alert, settings).map((condition, key) =>
    db
      .selectFrom((eb) =>
        eb
          .selectFrom('charge')
          .selectAll()
          .select(sql.lit(key).as('key'))
          .where('organisation_id', '=', organisationId)
          .where(condition)
          .limit(CANDIDATES_MAX + 1)
          .as('found'),
      )
      .selectAll(),
  );
  const [first, ...rest] = parts;
  if (first === undefined) return { charges: [], complete: true };
  const rows = await rest.reduce((all, part) => all.unionAll(part), first).execute();
  const counts = parts.map((_, key) => rows.filter((row) => row.key === key).length);
  return {
    charges: [...new Map(rows.map((row) => [row.reference, recordOfRow(row)])).values()],
    complete: counts.every((count) => count <= CANDIDATES_MAX),
  };
}

type Condition = (eb: ExpressionBuilder<Database, 'charge'>) => Expression<SqlBool>;

/** One condition per key the alert has; each is served by an index of its own. */
function keyConditions(alert: AlertFacts, settings: MatchSettings): Condition[] {
  const { reference, arn, authorisationCode, cardLast4, amountMinor, currency, day } = alert;
  const conditions: Condition[] = [];
  if (reference !== null) conditions.push((eb) => eb('reference', '=', reference));
  if (arn !== null) conditions.push((eb) => eb('acquirer_reference_number', '=', arn));
  if (cardLast4 === null) return conditions;
  if (authorisationCode !== null) {
    conditions.push((eb) =>
      eb.and([eb('authorisation_code', '=', authorisationCode), eb('card_last4', '=', cardLast4)]),
    );
  }
  if (amountMinor !== null && currency !== null && day !== null) {
    const from = new Date((day - settings.exactWindowDays) * MS_PER_DAY);
    const until = new Date((day + settings.exactWindowDays + 1) * MS_PER_DAY);
    conditions.push((eb) =>
      eb.and([
        eb('card_last4', '=', cardLast4),
        eb('amount_minor', '=', amountMinor),
        eb('currency', '=', currency),
        eb.or([
          eb('authorised_at', 'is', null),
          eb.and([eb('authorised_at', '>=', from), eb('authorised_at', '<', until)]),
        ]),
      ]),
    );
  }
  return conditions;
}

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
 * @returns the charges that are new or now say more, to be given to `rematchWaiting`
 */
export async function recordCharges(
  trx: Transaction<Database>,
  organisationId: string,
  news: { readonly charges: readonly ChargeRecord[]; readonly now: Date },
): Promise<ChargeRecord[]> {
  // Sorted by reference: two processes that store the same charges must not lock each other out.
  const records = mergeCandidates(news.charges).map(({ charge }) => charge);
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
    reference: record.reference,
    order_reference: record.orderReference,
    integration_id: record.integrationId,
    source: record.source,
    amount_minor: record.amountMinor,
    currency: record.currency,
    authorised_at: record.authorisedAt,
    settled_at: record.settledAt,
    // Codes are compared without regard to case, so the index holds one case only.
    authorisation_code: record.authorisationCode?.trim().toUpperCase() ?? null,
    acquirer_reference_number: record.acquirerReferenceNumber,
    card_bin: record.cardBin,
    card_last4: record.cardLast4,
    card_brand: record.cardBrand,
    descriptor: record.descriptor,
    subscription_reference: record.subscriptionReference,
  };
}
