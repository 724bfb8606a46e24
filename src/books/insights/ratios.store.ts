/**
 * Fraud and dispute notices per month against our own payments: what card schemes watch.
 *
 * Counted are notices that are not revoked. The base is the payments of the month that our orders and
 * the processor's search told us of, so a ratio is as good as the order feed is complete; a refund takes
 * a dispute (TC15) away, never a fraud report (TC40), which is why both are shown.
 */
import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../../base/db/database.ts';

/** Months that are shown, the current one included. */
export const RATIO_MONTHS = 6;

/** One month of one scheme. */
export interface MonthRatio {
  /** The month's beginning, UTC. */
  readonly month: Date;
  readonly scheme: string;
  readonly fraudReports: number;
  readonly disputes: number;
  readonly revoked: number;
  /** Payments of the month known to us, with this brand of card. */
  readonly payments: number;
}

interface NoticeRow {
  readonly month: Date;
  readonly scheme: string;
  readonly fraudReports: number;
  readonly disputes: number;
  readonly revoked: number;
}

interface PaymentRow {
  readonly month: Date;
  readonly scheme: string;
  readonly payments: number;
}

/** Reads the last {@link RATIO_MONTHS} months, newest first; only schemes with notices. */
export async function readRatios(
  db: Kysely<Database>,
  organisationId: string,
  now: Date,
): Promise<MonthRatio[]> {
  const from = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - RATIO_MONTHS + 1, 1));
  const notices = await sql<NoticeRow>`
    select date_trunc('month', coalesce(fraud_reported_at, created_at), 'UTC') as month,
      coalesce(scheme, 'OTHER') as scheme,
      count(*) filter (where is_revoked is not true and notice_type = 'FRAUD_NOTICE') as "fraudReports",
      count(*) filter (where is_revoked is not true and notice_type = 'DISPUTE_NOTICE') as disputes,
      count(*) filter (where is_revoked) as revoked
    from scheme_notice
    where organisation_id = ${organisationId} and coalesce(fraud_reported_at, created_at) >= ${from}
    group by 1, 2 order by 1 desc, 2`.execute(db);
  if (notices.rows.length === 0) return [];
  const payments = await readPayments(db, organisationId, { from, now });
  return notices.rows.map((row) => ({
    ...row,
    payments:
      payments.find(
        (other) => other.scheme === row.scheme && other.month.getTime() === row.month.getTime(),
      )?.payments ?? 0,
  }));
}

/** Payments are counted anew after this time, in milliseconds: months hold many, and change slowly. */
const PAYMENTS_KEPT_MS = 10 * 60_000;

interface KeptPayments {
  readonly organisationId: string;
  readonly countedAtMs: number;
  readonly rows: readonly PaymentRow[];
}

/** The last count of each database; counting a month of a large merchant takes long. */
const kept = new WeakMap<Kysely<Database>, KeptPayments>();

async function readPayments(
  db: Kysely<Database>,
  organisationId: string,
  { from, now }: { readonly from: Date; readonly now: Date },
): Promise<readonly PaymentRow[]> {
  const last = kept.get(db);
  const ageMs = last === undefined ? Number.POSITIVE_INFINITY : now.getTime() - last.countedAtMs;
  if (last?.organisationId === organisationId && ageMs < PAYMENTS_KEPT_MS) return last.rows;
  const { rows } = await sql<PaymentRow>`
    select date_trunc('month', authorised_at, 'UTC') as month, coalesce(card_brand, 'OTHER') as scheme,
      count(*) as payments
    from charge where organisation_id = ${organisationId} and authorised_at >= ${from}
    group by 1, 2`.execute(db);
  kept.set(db, { organisationId, countedAtMs: now.getTime(), rows });
  return rows;
}
