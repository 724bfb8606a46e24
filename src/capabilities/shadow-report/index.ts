/** What a shadow would have done, beside what happened: a report of each day, a page and a command. */
import type { Capability } from '../../surface/capability.ts';
import { createShadowReports } from './shadow-report.job.ts';
import { shadowReportTable } from './shadow-report.table.ts';

/** How often it looks whether a day is over, in milliseconds. */
const IDLE_MS = 60_000;

export const shadowReport: Capability = {
  name: 'shadow-report',
  tables: [shadowReportTable],
  loops: ({ db, clock, organisationId }) => {
    const { runOnce } = createShadowReports({ db, clock, organisationId });
    return [{ name: 'shadow-report', runOnce, idleMs: IDLE_MS }];
  },
};
