/** `forestall policy shadow-report`: what the shadow would have done on a day, beside what happened. */
import type { Command } from 'commander';
import { nowDate } from '../../base/kernel/clock.ts';
import { dayBefore } from './shadow-report.job.ts';
import { findShadowReport, readShadowPairs } from './shadow-report.store.ts';
import { compareShadow, showShadow } from './shadow-report.ts';
import { readDay } from '../../surface/terminal/option-values.ts';
import { print } from '../../surface/terminal/print.ts';
import { runOn } from '../../people/cli/lifecycle.ts';
import type { OpenOrdersContext } from '../../people/cli/orders.ts';

export function registerShadowReport(policy: Command, openContext: OpenOrdersContext): void {
  policy
    .command('shadow-report')
    .description('what the shadow would have done about the alerts that closed on a day')
    .option('--date <day>', 'YYYY-MM-DD, UTC (default: yesterday)', readDay)
    .option('--json', 'print JSON')
    .action(async (flags: { readonly date?: string; readonly json?: boolean }) => {
      await runOn(openContext, async ({ db, clock, organisationId }) => {
        const day = flags.date ?? dayBefore(nowDate(clock));
        const about = { organisationId, day };
        // A day that is not over, or that no worker saw the end of, is compared now.
        const report =
          (await findShadowReport(db, about)) ??
          compareShadow(day, await readShadowPairs(db, about));
        print(flags, report, showShadow(report));
      });
    });
}
