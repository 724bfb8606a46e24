/** `forestall policy shadow-report`: what the shadow would have done on a day, beside what happened. */
import { nowDate } from '../../base/kernel/clock.ts';
import { describeCommand } from '../../surface/terminal/command.ts';
import { readDay } from '../../surface/terminal/option-values.ts';
import { dayBefore } from './shadow-report.job.ts';
import { findShadowReport, readShadowPairs } from './shadow-report.store.ts';
import { compareShadow, showShadow } from './shadow-report.ts';

export const shadowReportCommand = describeCommand<{ readonly date?: string }>({
  usage: 'policy shadow-report',
  says: 'what the shadow would have done about the alerts that closed on a day',
  options: (command) =>
    command.option('--date <day>', 'YYYY-MM-DD, UTC (default: yesterday)', readDay),
  examples: ['forestall policy shadow-report'],
  run:
    ({ date }) =>
    async ({ db, clock, organisationId }) => {
      const about = { organisationId, day: date ?? dayBefore(nowDate(clock)) };
      // A day that is not over, or that no worker saw the end of, is compared now.
      const report =
        (await findShadowReport(db, about)) ??
        compareShadow(about.day, await readShadowPairs(db, about));
      return { data: report, text: showShadow(report) };
    },
});
