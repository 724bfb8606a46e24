/**
 * The nightly report: one per UTC day, stored. Reports of days without a worker are written later,
 * and days whose sums did not match are counted again, so that their finding closes when the cause
 * is gone.
 */

import { reportOn, TOTALS_KIND } from '../../alerts/reconcile/make-report.ts';
import type { Db } from '../../base/db/database.ts';
import { openSubjects } from '../../base/findings/finding.store.ts';
import { reportedDays, writeDailyReport } from './daily-report.store.ts';

const DAY_MS = 24 * 60 * 60_000;

/** Days made up for at most: what is older is in the rows for anyone who asks. */
const BACK_DAYS = 7;

/** The days to report on, oldest first. Pure. */
export function daysToReport(
  now: Date,
  reported: readonly string[],
  wrong: readonly string[],
): string[] {
  const yesterdayMs = Date.parse(dayOf(now)) - DAY_MS;
  const days = Array.from({ length: BACK_DAYS }, (_, index) =>
    dayOf(new Date(yesterdayMs - (BACK_DAYS - 1 - index) * DAY_MS)),
  );
  const [firstReported] = reported;
  // Before the first report there was no installation to report on, except yesterday's.
  return days.filter((day, index) => {
    const isLast = index === days.length - 1;
    const isMissing = !reported.includes(day) && (isLast || day > (firstReported ?? day));
    return isMissing || wrong.includes(day);
  });
}

/** Writes the reports that are due. Returns their days. */
export async function makeDailyReports(
  db: Db,
  { organisationId, now }: { readonly organisationId: string; readonly now: Date },
): Promise<string[]> {
  const earliest = dayOf(new Date(now.getTime() - (BACK_DAYS + 1) * DAY_MS));
  const reported = await reportedDays(db, organisationId, earliest);
  const open = await openSubjects(db, organisationId, TOTALS_KIND);
  const wrong = open.map((subjectId) => subjectId.split(':')[0] ?? '');
  const days = daysToReport(now, reported, wrong);
  for (const day of days) {
    const from = new Date(`${day}T00:00:00Z`);
    const to = new Date(from.getTime() + DAY_MS);
    const report = await reportOn(db, { organisationId, from, to, now, name: day });
    await writeDailyReport(db, { organisationId, day, at: now }, report);
  }
  return days;
}

/** The UTC day, `YYYY-MM-DD`. */
function dayOf(moment: Date): string {
  return moment.toISOString().slice(0, 10);
}
