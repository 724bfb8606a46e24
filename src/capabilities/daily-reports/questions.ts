/** What a program may ask about daily reports. */
import type { ReconcileReport } from '../../alerts/reconcile/report.ts';
import type { AskedBooks } from '../../surface/book-questions.ts';
import { readDailyReport } from './daily-report.store.ts';

export interface DailyReportQuestions {
  /** The stored report of a UTC day `YYYY-MM-DD`, of the latest without one; undefined when there is none. */
  dailyReport(day?: string): Promise<ReconcileReport | undefined>;
}

export function dailyReportQuestions({ db, organisationId }: AskedBooks): DailyReportQuestions {
  return {
    dailyReport: async (day) => (await readDailyReport(db, organisationId, day))?.report,
  };
}
