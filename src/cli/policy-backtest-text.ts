/**
 * What `forestall policy backtest` prints for people. Pure.
 */
import { formatMoney } from '../kernel/money.ts';
import type { Answer, BacktestResult, Changed, Sums, Tally } from '../policy/backtest.ts';
import { table } from './orders-text.ts';

/** Changed decisions listed unless all are asked for. */
const LISTED_MAX = 20;

/** What is told beside the figures. */
export interface BacktestAbout {
  readonly policy: { readonly name: string; readonly version: string };
  readonly against: { readonly name: string; readonly version: string } | null;
  readonly tookMs: number;
  readonly all: boolean;
}

export function showBacktest(result: BacktestResult, about: BacktestAbout): string {
  const { policy, against, tookMs } = about;
  const versus =
    against === null ? 'what was decided then' : `${against.name} (version ${against.version})`;
  const listed = about.all ? result.changed : result.changed.slice(0, LISTED_MAX);
  const unlisted = result.changed.length - listed.length;
  return [
    `${policy.name} (version ${policy.version}) against ${versus}: ${result.alerts} alerts replayed in ${(tookMs / 1000).toFixed(1)} s.`,
    ...(result.olderRows === 0
      ? []
      : [
          `${result.olderRows} of them were decided by an earlier version of Forestall, which stored neither items, customer nor history: conditions about those are unknown.`,
        ]),
    'Caps, the breaker and approvals stand above any policy and are not replayed.',
    '',
    table([['', 'Then', 'Now'], ...figures(result)]),
    '',
    result.changed.length === 0
      ? 'No decision changed.'
      : `${result.changed.length} decisions changed.`,
    ...(listed.length === 0 ? [] : [table([CHANGE_HEAD, ...listed.map(changeRow)])]),
    ...(unlisted === 0 ? [] : [`… and ${unlisted} more; --all lists them, --json has them.`]),
  ].join('\n');
}

function figures({ was, is }: BacktestResult): (string | number)[][] {
  const row = (label: string, read: (tally: Tally) => string | number): (string | number)[] => [
    label,
    read(was),
    read(is),
  ];
  const guards = [...new Set([...Object.keys(was.heldByGuard), ...Object.keys(is.heldByGuard)])];
  return [
    row('Refunds', ({ refunds }) => refunds),
    row('  money', ({ refunded }) => sumsText(refunded)),
    row('Disputes accepted', ({ accepted }) => accepted),
    row('  money', ({ acceptedMoney }) => sumsText(acceptedMoney)),
    row('Reviews', ({ reviews }) => reviews),
    row('  money', ({ reviewedMoney }) => sumsText(reviewedMoney)),
    row('  then a refund', ({ fallbackRefund }) => fallbackRefund),
    row('  then accepted', ({ fallbackAccept }) => fallbackAccept),
    row('  without a fallback', ({ withoutFallback }) => withoutFallback),
    ...guards
      .sort()
      .map((guard) => row(`  held: ${guard}`, ({ heldByGuard }) => heldByGuard[guard] ?? 0)),
    row('Nothing to decide', ({ nothing }) => nothing),
    row('Deadlines at risk', ({ deadlinesAtRisk }) => deadlinesAtRisk),
    row('Fees', ({ fees }) => sumsText(fees)),
  ];
}

function sumsText(sums: Sums): string {
  const parts = Object.entries(sums)
    .filter(([, amountMinor]) => amountMinor !== 0)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([currency, amountMinor]) => formatMoney({ amountMinor, currency }));
  return parts.length === 0 ? '-' : parts.join(', ');
}

const CHANGE_HEAD = ['Alert', 'Decided', 'Amount', 'Then', 'Now', 'By'];

function changeRow({ alertId, decidedAt, amount, was, is }: Changed): string[] {
  return [
    alertId,
    decidedAt.slice(0, 10),
    amount === null ? '-' : formatMoney(amount),
    answerText(was),
    answerText(is),
    is.guard ?? is.rule ?? 'otherwise',
  ];
}

/** With the fallback's day and hour: two reviews may differ in nothing else. */
function answerText({ action, fallback, fallbackAt }: Answer): string {
  if (fallback === null) return action;
  const at = fallbackAt === null ? '' : ` ${fallbackAt.slice(5, 16).replace('T', ' ')}`;
  return `${action}, then ${fallback}${at}`;
}
