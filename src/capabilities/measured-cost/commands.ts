/** `forestall policy economics`: what refunding, accepting and reviewing cost, by segment, from the installation's own outcomes. */
import { nowDate } from '../../base/kernel/clock.ts';
import { formatMoney } from '../../base/kernel/money.ts';
import { costs } from '../../books/costs/setting.ts';
import type { CapabilityCommand } from '../../surface/terminal/command.ts';
import { describeCommand } from '../../surface/terminal/command.ts';
import { readMoment } from '../../surface/terminal/option-values.ts';
import type { Economics, Figure, Segment } from './economics.ts';
import { ECONOMICS_DAYS, readEconomics } from './read-economics.ts';

interface Flags {
  readonly from?: Date;
  readonly to?: Date;
  readonly rows?: boolean;
}

const economics = describeCommand<Flags>({
  usage: 'policy economics',
  says: 'what refunding, accepting and reviewing cost, by segment, from your own outcomes',
  options: (command) =>
    command
      .option(
        '--from <time>',
        `alerts opened from then on (default: ${ECONOMICS_DAYS} days ago)`,
        readMoment,
      )
      .option('--to <time>', 'and before then', readMoment)
      .option('--rows', 'name the alerts behind each figure'),
  examples: ['forestall policy economics'],
  run:
    ({ from, to, rows = false }) =>
    async ({ db, clock, organisationId, settings }) => {
      const scope = { organisationId, from, to, now: nowDate(clock) };
      const data = await readEconomics(db, settings.of(costs), scope);
      return { data, text: showEconomics(data, rows) };
    },
});

export const costCommands: readonly CapabilityCommand[] = [economics];

export function showEconomics({ currency, segments, leftOut }: Economics, rows: boolean): string {
  if (segments.length === 0) {
    return 'No alert is over in this time, so there is nothing to compare.';
  }
  const left =
    leftOut.length === 0
      ? []
      : [`Left out: ${leftOut.length} alerts whose amount has no rate to ${currency}.`];
  return [...segments.map((segment) => showSegment(segment, { currency, rows })), ...left].join(
    '\n\n',
  );
}

interface Shown {
  readonly currency: string;
  readonly rows: boolean;
}

function showSegment(segment: Segment, { currency, rows }: Shown): string {
  const money = (amountMinor: number): string => formatMoney({ amountMinor, currency });
  const { costMinor, cheapest, breakEvenMinor } = segment;
  const { merchantId, network, band, alerts, refunded, accepted, reviewed, unanswered } = segment;
  const figure = (name: string, shown: Figure): string[] => [
    `  ${name} ${Math.round(shown.value * 100)} % (${sourceText(shown)})`,
    ...(rows && shown.rows.length > 0 ? [`    ${shown.rows.join(' ')}`] : []),
  ];
  const count = (name: string, ids: readonly string[]): string[] =>
    rows && ids.length > 0 ? [`  ${name}: ${ids.join(' ')}`] : [];
  const breakEven =
    breakEvenMinor === null
      ? 'refunding is cheaper than accepting at any amount'
      : `refunding is cheaper than accepting up to ${money(breakEvenMinor)}`;
  return [
    `${merchantId ?? 'no merchant'}, ${network}, ${band} ${currency}: ${alerts.length} alerts of ${money(segment.averageMinor)} on average`,
    `  ${refunded.length} refunded, ${accepted.length} accepted, ${unanswered.length} unanswered; ${reviewed.length} decided by people`,
    `  one alert costs: refund ${money(costMinor.refund)}, accept ${money(costMinor.accept)}, review ${money(costMinor.review)} -> ${cheapest}`,
    `  ${breakEven}`,
    ...figure('becomes a dispute after acceptance:', segment.disputeAfterAccept),
    ...figure('becomes a dispute after a refund:', segment.disputeAfterRefund),
    ...figure('disputes won:', segment.winRate),
    ...figure('reviews that refund:', segment.reviewRefundRate),
    ...assumedText(segment),
    ...count('refunded', refunded),
    ...count('accepted', accepted),
    ...count('unanswered', unanswered),
    ...count('decided by people', reviewed),
  ].join('\n');
}

function sourceText({ source, rows, of }: Figure): string {
  if (source === 'observed') return `${rows.length} of ${of.length}`;
  const why = `${of.length} are too few to count`;
  return source === 'model' ? `your cost model; ${why}` : `ASSUMED; ${why}, and nothing is set`;
}

function assumedText({ assumed }: Segment): string[] {
  const terms = Object.entries(assumed).map(([name, value]) => `${name} ${value}`);
  if (terms.length === 0) return [];
  return [`  assumed, neither counted nor set in FORESTALL_COSTS: ${terms.join('; ')}`];
}
