/** `forestall reconcile report`: the stored report of a day. */
import { DatabaseError } from '../../base/kernel/errors.ts';
import { describeCommand } from '../../surface/terminal/command.ts';
import { readDay } from '../../surface/terminal/option-values.ts';
import { isWrong, showReport } from '../../surface/terminal/report-text.ts';
import { readDailyReport } from './daily-report.store.ts';

export const dailyReportCommand = describeCommand<{ readonly date?: string }>({
  usage: 'reconcile report',
  says: 'the stored report of a UTC day; the latest unless one is named',
  options: (command) => command.option('--date <day>', 'YYYY-MM-DD', readDay),
  examples: ['forestall reconcile report'],
  run:
    ({ date }) =>
    async ({ db, organisationId }) => {
      const found = await readDailyReport(db, organisationId, date);
      if (found === undefined) {
        const which = date === undefined ? 'yet' : `of ${date}`;
        throw new DatabaseError(
          `There is no report ${which}. A running worker makes one each night, between one and seven o'clock UTC.`,
        );
      }
      const { day, report } = found;
      return { data: found, text: `Day ${day}. ${showReport(report)}`, isWrong: isWrong(report) };
    },
});
