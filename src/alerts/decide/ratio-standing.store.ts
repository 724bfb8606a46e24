/**
 * The state of the ratios of the schemes' programmes, for the policy: the books write it, a decision reads it.
 *
 * The rows lie here, because a decision may read nothing of the books.
 */
import type { Kysely, RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Database, Nullable, Timestamp } from '../../base/db/database.ts';

declare module '../../base/db/database.ts' {
  interface Database {
    ratio_standing: RatioStandingTable;
  }
}

interface RatioStandingTable {
  organisation_id: string;
  /** Empty: the whole organisation. */
  merchant_id: string;
  scheme: string;
  ratio_percent: Nullable<number>;
  headroom: Nullable<number>;
  line: Nullable<string>;
  /** Counted this month by the reading of the line. */
  counted: Nullable<number>;
  /** Items still to come this month, and between which counts 9 times of 10. */
  ahead_expected: Nullable<number>;
  ahead_low: Nullable<number>;
  ahead_high: Nullable<number>;
  measured_at: Timestamp;
}

/** What a policy is told of a ratio. */
export interface RatioInputs {
  /** Per cent of this month, by the reading that counts most. Null: no base. */
  readonly percent: number | null;
  /** Items until the nearest line that is not crossed; 0: crossed. Null: no line, or no base. */
  readonly headroom: number | null;
  readonly line: string | null;
  /** ISO 8601. */
  readonly measuredAt: string;
}

/** A standing to be written. */
export interface RatioStanding extends Omit<RatioInputs, 'measuredAt'> {
  readonly merchantId: string;
  readonly scheme: string;
  /** Counted this month by the reading of the line. Null: no line. */
  readonly counted: number | null;
  /** Items that the forecast still expects this month, with what comes 9 times of 10. Null: it does not know. */
  readonly ahead: { readonly expected: number; readonly low: number; readonly high: number } | null;
}

/** Replaces what was written before. */
export async function writeStandings(
  db: Kysely<Database>,
  organisationId: string,
  { standings, now }: { readonly standings: readonly RatioStanding[]; readonly now: Date },
): Promise<void> {
  for (const { merchantId, scheme, percent, headroom, line, counted, ahead } of standings) {
    const values = {
      ratio_percent: percent,
      ...{ headroom, line, counted },
      ahead_expected: ahead?.expected ?? null,
      ahead_low: ahead?.low ?? null,
      ahead_high: ahead?.high ?? null,
      measured_at: now,
    };
    await db
      .insertInto('ratio_standing')
      .values({ organisation_id: organisationId, merchant_id: merchantId, scheme, ...values })
      .onConflict((conflict) =>
        conflict.columns(['organisation_id', 'merchant_id', 'scheme']).doUpdateSet(values),
      )
      .execute();
  }
}

/** All that are fresh, of the organisation and its merchants. */
export async function readStandings(
  db: Kysely<Database>,
  organisationId: string,
  now: Date,
): Promise<RatioStanding[]> {
  const rows = await db
    .selectFrom('ratio_standing')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where('measured_at', '>=', new Date(now.getTime() - FRESH_MS))
    .execute();
  return rows.map((row) => ({
    merchantId: row.merchant_id,
    scheme: row.scheme,
    percent: row.ratio_percent,
    headroom: row.headroom,
    line: row.line,
    counted: row.counted,
    ahead:
      row.ahead_expected === null || row.ahead_low === null || row.ahead_high === null
        ? null
        : { expected: row.ahead_expected, low: row.ahead_low, high: row.ahead_high },
  }));
}

/** The standing of an alert `a`: its merchant's, or that of the organisation. A selection of at most one row. */
export function standingOfAlert(organisationId: string): RawBuilder<RatioInputs> {
  return sql<RatioInputs>`
    select ratio_percent as percent, headroom, line, measured_at as "measuredAt" from ratio_standing
    where organisation_id = ${organisationId} and scheme = a.card_scheme
      and merchant_id in ('', a.merchant_id)
    order by merchant_id desc limit 1`;
}

/** Older than this it is not known any more. */
const FRESH_MS = 24 * 3_600_000;

/** The standing while it is fresh. */
export function freshStanding(standing: RatioInputs | null, nowMs: number): RatioInputs | null {
  if (standing === null) return null;
  return nowMs - Date.parse(standing.measuredAt) <= FRESH_MS ? standing : null;
}
