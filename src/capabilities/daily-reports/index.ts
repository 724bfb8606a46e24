/** Daily reports: each UTC day in figures that must add up, made at night and kept. */
import { nowDate } from '../../base/kernel/clock.ts';
import type { Capability } from '../../surface/capability.ts';
import { makeDailyReports } from './daily-report.job.ts';
import { dailyReportTable } from './daily-report.table.ts';

export const dailyReports: Capability = {
  name: 'daily-reports',
  tables: [dailyReportTable],
  beforeRetention: ({ db, organisationId, clock }) => [
    {
      name: 'report',
      run: async () => ({
        days: await makeDailyReports(db, { organisationId, now: nowDate(clock) }),
      }),
    },
  ],
};
