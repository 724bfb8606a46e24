/** `forestall policy economics`: what refunding, accepting and reviewing cost, by segment, from the installation's own outcomes. */

import { costs } from '../../alerts/costs/setting.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { counted } from '../../base/kernel/counted.ts';
import { formatMoney } from '../../base/kernel/money.ts';
import type { CapabilityCommand } from '../../surface/terminal/command.ts';
import { describeCommand } from '../../surface/terminal/command.ts';
import { readMoment } from '../../surface/terminal/option-values.ts';
import type { Economics, Segment } from './economics.ts';
import type { EconomicsReport } from './read-economics.ts';
import { ECONOMICS_DAYS, readEconomics } from './read-economics.ts';
import { SHARE_NAMES, SHARE_WORDS, segmentName, shareText, verdictText } from './words.ts';

interface Flags {
  readonly from?: Date;
  readonly to?: Date;
  readonly rows?: boolean;
}

const economics = describeCommand<Flags>({
  usage: 'policy economics',
  says: 'refund or accept: what each costs, by segment, from your own outcomes',
  options: (command) =>
    command
      .option(
        '--from <time>',
        `alerts opened from then on (default: ${ECONOMICS_DAYS} days ago)`,
        readMoment,
      )
      .option('--to <time>', 'and before then', readMoment)
      .option('--rows', 'name the alerts behind the figures'),
  examples: ['forestall policy economics'],
  run:
    ({ from, to, rows = false }) =>
    async ({ db, clock, organisationId, settings }) => {
      const scope = { organisationId, from, to, now: nowDate(clock) };
      const found = await readEconomics(db, settings.of(costs), scope);
      return { data: withWords(found), text: showEconomics(found, rows) };
    },
});

/** Each verdict also as people read it. */
function withWords(economics: EconomicsReport): object {
  const said = (segment: Segment): object => ({
    says: verdictText(segment, economics.currency),
    ...segment,
  });
  const { whole, segments } = economics;
  return { ...economics, whole: whole && said(whole), segments: segments.map(said) };
}

export const costCommands: readonly CapabilityCommand[] = [economics];

export function showEconomics(
  { currency, whole, segments, leftOut }: Economics,
  rows: boolean,
): string {
  if (whole === null) return 'No alert is over in this time, so there is nothing to compare.';
  const left =
    leftOut.length === 0
      ? []
      : [`Left out: ${counted(leftOut.length, 'alert')} whose amount has no rate to ${currency}.`];
  const all = [whole, ...segments].map((segment) => showSegment(segment, { currency, rows }));
  return [...all, ...left].join('\n\n');
}

interface Shown {
  readonly currency: string;
  readonly rows: boolean;
}

function showSegment(segment: Segment, { currency, rows }: Shown): string {
  const money = (amountMinor: number): string => formatMoney({ amountMinor, currency });
  const { costMinor, reviewMinor, ratioMinor, refunded, accepted, reviewed, unanswered } = segment;
  const named = (name: string, ids: readonly string[]): string[] =>
    rows && ids.length > 0 ? [`  ${name}: ${ids.join(' ')}`] : [];
  return [
    `${segmentName(segment, currency)}: ${verdictText(segment, currency)}`,
    `  ${counted(segment.units, 'complaint')} of ${money(segment.averageMinor)} on average: ${refunded.length} alerts refunded, ${accepted.length} accepted, ${unanswered.length} unanswered; ${reviewed.length} decided by people`,
    `  one costs: refund ${money(costMinor.refund)}, accept ${money(costMinor.accept)} (${money(ratioMinor)} of it for the ratio), review ${money(reviewMinor)}`,
    ...SHARE_NAMES.map((name) => `  ${SHARE_WORDS[name]}: ${shareText(segment[name])}`),
    ...segment.packs.map(
      ({ version, won, lost, open }) =>
        `  contested with version ${version} of the pack: ${won} won, ${lost} lost, ${open} open`,
    ),
    ...assumedText(segment),
    ...named('refunded', refunded),
    ...named('accepted', accepted),
    ...named('unanswered', unanswered),
    ...named('decided by people', reviewed),
  ].join('\n');
}

function assumedText({ assumed }: Segment): string[] {
  const terms = Object.entries(assumed).map(([name, value]) => `${name} ${value}`);
  if (terms.length === 0) return [];
  return [`  assumed, neither counted nor set in FORESTALL_COSTS: ${terms.join('; ')}`];
}
