/** Writes yesterday's shadow report once a day, and tells people of it. Any number may run at once. */
import type { Installation } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { notify } from '../../base/notify/notification.store.ts';
import { findShadowReport, readShadowPairs, writeShadowReport } from './shadow-report.store.ts';
import { compareShadow, summariseShadow } from './shadow-report.ts';

export type ShadowReportDeps = Pick<Installation, 'db' | 'clock' | 'organisationId'>;

const DAY_MS = 24 * 3_600_000;
const DAY_LENGTH = 'YYYY-MM-DD'.length;

/** The day before the one of `now`, UTC. */
export function dayBefore(now: Date): string {
  return new Date(now.getTime() - DAY_MS).toISOString().slice(0, DAY_LENGTH);
}

/** Creates the round. Returns 1 when a report was written. */
export function createShadowReports(deps: ShadowReportDeps): { runOnce(): Promise<number> } {
  let lookedAt = '';
  return {
    async runOnce(): Promise<number> {
      const day = dayBefore(nowDate(deps.clock));
      if (day === lookedAt) return 0;
      const written = await writeReport(deps, day);
      lookedAt = day;
      return written ? 1 : 0;
    },
  };
}

async function writeReport(
  { db, clock, organisationId }: ShadowReportDeps,
  day: string,
): Promise<boolean> {
  const about = { organisationId, day };
  if ((await findShadowReport(db, about)) !== undefined) return false;
  const pairs = await readShadowPairs(db, about);
  // Nothing closed that a shadow had decided: no report, and no empty message is sent.
  if (pairs.length === 0) return false;
  const report = compareShadow(day, pairs);
  const now = nowDate(clock);
  return await inTransaction(db, async (trx) => {
    if (!(await writeShadowReport(trx, organisationId, { report, now }))) return false;
    await notify(trx, {
      organisationId,
      dedupeKey: `shadow_report:${day}`,
      kind: 'shadow_report',
      severity: 'info',
      text: summariseShadow(report),
      at: now,
    });
    return true;
  });
}
