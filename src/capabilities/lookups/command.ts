/** `forestall lookups`: why lookups were not answered or did not deflect, the outcome, and the feed's delay. */
import { InvalidArgumentError } from 'commander';
import { nowDate } from '../../base/kernel/clock.ts';
import { formatMoney } from '../../base/kernel/money.ts';
import { describeCommand } from '../../surface/terminal/command.ts';
import { CAUSES } from './cause.ts';
import { feedDelayText, readFeedDelay } from './feed-delay.ts';
import type { CauseCount } from './lookup-cause.store.ts';
import { countCauses } from './lookup-cause.store.ts';
import type { CauseSum } from './sum-causes.ts';
import { sumCauses } from './sum-causes.ts';

const DAY_MS = 86_400_000;

export const lookupsCommand = describeCommand<{ readonly days: number }>({
  usage: 'lookups',
  options: (command) => command.option('--days <count>', 'lookups of so many days', readDays, 30),
  examples: ['forestall lookups', 'forestall lookups --days 90 --json'],
  run:
    ({ days }) =>
    async ({ db, clock, organisationId }) => {
      const from = new Date(nowDate(clock).getTime() - days * DAY_MS);
      const [causes, feed] = await Promise.all([
        countCauses(db, organisationId, from),
        readFeedDelay(db, organisationId, from),
      ]);
      return { data: { from, causes, feed }, text: showCauses(causes, feedDelayText(feed)) };
    },
});

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
