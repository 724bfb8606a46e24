/** `forestall lookups`: why lookups were not answered or did not deflect, what came of it, and the feed's delay. */
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { nowDate } from '../../base/kernel/clock.ts';
import { formatMoney } from '../../base/kernel/money.ts';
import { CAUSES } from '../../books/lookups/cause.ts';
import { feedDelayText, readFeedDelay } from '../../books/lookups/feed-delay.ts';
import type { CauseCount } from '../../books/lookups/lookup-cause.store.ts';
import { countCauses } from '../../books/lookups/lookup-cause.store.ts';
import type { CauseSum } from '../../books/lookups/sum-causes.ts';
import { sumCauses } from '../../books/lookups/sum-causes.ts';
import { print } from '../../surface/terminal/print.ts';
import { runOn } from './lifecycle.ts';
import type { OpenOrdersContext } from './orders.ts';

const DAY_MS = 86_400_000;

export function registerLookups(program: Command, openContext: OpenOrdersContext): void {
  program
    .command('lookups')
    .option('--days <count>', 'lookups of so many days', readDays, 30)
    .option('--json', 'print JSON')
    .action(async (flags: { readonly days: number; readonly json?: boolean }) => {
      await runOn(openContext, async ({ db, clock, organisationId }) => {
        const from = new Date(nowDate(clock).getTime() - flags.days * DAY_MS);
        const [counts, delay] = await Promise.all([
          countCauses(db, organisationId, from),
          readFeedDelay(db, organisationId, from),
        ]);
        print(
          flags,
          { from, causes: counts, feed: delay },
          showCauses(counts, feedDelayText(delay)),
        );
      });
    });
}

function readDays(text: string): number {
  const days = Number(text);
  if (!Number.isInteger(days) || days < 1 || days > 400) {
    throw new InvalidArgumentError('Give a whole number of days, 1 to 400.');
  }
  return days;
}

function showCauses(counts: readonly CauseCount[], delay: string): string {
  const sums = sumCauses(counts);
  const none = 'No lookup failed in this time, or none is judged yet.';
  return [...(sums.length === 0 ? [none] : sums.map(showCause)), '', delay].join('\n');
}

function showCause({ cause, lookups, disputed, refunded, open, money }: CauseSum): string {
  const amounts = money.map((sum) => formatMoney(sum)).join(', ');
  const cost = `${disputed} disputed, ${refunded} refunded, ${open} with an open alert${amounts === '' ? '' : `: ${amounts}`}`;
  return `${CAUSES[cause].title}: ${lookups} (${cost})\n  ${CAUSES[cause].next}`;
}
