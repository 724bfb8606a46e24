/** The stored reports, one a UTC day. */

import type { ReconcileReport } from '../../alerts/reconcile/report.ts';
import type { Db } from '../../base/db/database.ts';

/** Stores the report of a day over an earlier one. */
export async function writeDailyReport(
  db: Db,
  daily: { readonly organisationId: string; readonly day: string; readonly at: Date },
  report: ReconcileReport,
): Promise<void> {
  const columns = { made_at: daily.at, report: JSON.stringify(report) };
  await db
    .insertInto('daily_report')
    .values({ organisation_id: daily.organisationId, day: daily.day, ...columns })
    .onConflict((conflict) => conflict.columns(['organisation_id', 'day']).doUpdateSet(columns))
    .execute();
}

/** The report of a day (`YYYY-MM-DD`), or the latest; undefined when there is none. */
export async function readDailyReport(
  db: Db,
  organisationId: string,
  day?: string,
): Promise<{ readonly day: string; readonly report: ReconcileReport } | undefined> {
  let query = db
    .selectFrom('daily_report')
    .select(['day', 'report'])
    .where('organisation_id', '=', organisationId);
  if (day !== undefined) query = query.where('day', '=', day);
  return await query.orderBy('day', 'desc').limit(1).executeTakeFirst();
}

/** The days of which there is a report, from `day` on, oldest first. */
export async function reportedDays(
  db: Db,
  organisationId: string,
  fromDay: string,
): Promise<string[]> {
  const rows = await db
    .selectFrom('daily_report')
    .select('day')
    .where('organisation_id', '=', organisationId)
    .where('day', '>=', fromDay)
    .orderBy('day')
    .execute();
  return rows.map((row) => row.day);
}
