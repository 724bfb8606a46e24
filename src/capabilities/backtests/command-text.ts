/** What `forestall policy backtest` prints for people. Pure. */
import type { ReplayPart } from '../../alerts/decide/replay-reader.ts';
import { counted } from '../../base/kernel/counted.ts';
import { formatMoney } from '../../base/kernel/money.ts';
import type { PastAnswer } from '../../policy/past-decision.ts';
import { table } from '../../surface/terminal/lined-up.ts';
import { wrapWords } from '../../surface/terminal/wrap-words.ts';
import type { BacktestResult, Changed, Tally } from './backtest.ts';
import type { RuleTally, Sums } from './rule-tally.ts';

/** Changed decisions listed unless all are asked for. */
const LISTED_MAX = 20;

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
    `${policy.name} (version ${policy.version}) against ${versus}: ${counted(result.alerts, 'alert')} replayed in ${(tookMs / 1000).toFixed(1)} s.`,
    ...(result.olderRows === 0
      ? []
      : [
          `${result.olderRows} of them were decided by an earlier version of Forestall, which stored neither items, customer nor history: conditions about those are unknown.`,
        ]),
    'Caps, the breaker and approvals stand above any policy and are not replayed.',
    '',
    table([['', 'Then', 'Now'], ...figures(result)]),
    '',
    ...rulesText(result.rules),
    ...(result.parts ?? []).flatMap(partText),
    result.changed.length === 0
      ? 'No decision changed.'
      : `${result.changed.length} decisions changed.`,
    ...(listed.length === 0 ? [] : [table([CHANGE_HEAD, ...listed.map(changeRow)])]),
    ...(unlisted === 0 ? [] : [`… and ${unlisted} more; --all lists them, --json has them.`]),
  ].join('\n');
}

/** What a capability says of it. */
function partText({ title, lines }: ReplayPart): string[] {
  return [
    title,
    ...lines.flatMap(({ label, says }) =>
      wrapWords(`${label}: ${says}`, WIDTH - 2).map((line, index) =>
        index === 0 ? `  ${line}` : `${INDENT}${line}`,
      ),
    ),
    '',
  ];
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

/** What fits into a terminal that was not widened. */
const WIDTH = 80;

const INDENT = '    ';

/** Narrowest column of names; a longer name is on a line of its own. */
const NAME_WIDTH_MIN = 16;

type Side = RuleTally['was'];

const RULE_FIGURES: Readonly<Record<string, (side: Side) => number>> = {
  Alerts: ({ alerts }) => alerts,
  Refunds: ({ refunds }) => refunds,
  Accepted: ({ accepted }) => accepted,
  Reviews: ({ reviews }) => reviews,
};

/** Who decided how many, then and now; money below the row that moved it. */
function rulesText(rules: readonly RuleTally[]): string[] {
  if (rules.length === 0) return [];
  const columns = Object.entries(RULE_FIGURES).map(([heading, read]) => [
    heading,
    ...pairs(rules.map(({ was, is }) => [read(was), read(is)])),
  ]);
  const widths = columns.map((cells) => Math.max(...cells.map(({ length }) => length)));
  const line = (name: string, place: number): string => {
    const cells = columns.map((column, index) =>
      (column[place] ?? '').padStart(widths[index] ?? 0),
    );
    return [name.padEnd(nameWidth), ...cells].join('  ');
  };
  const numbers = widths.reduce((sum, width) => sum + 2 + width, 0);
  const longest = Math.max(...['Then → now', ...rules.map(ruleName)].map(({ length }) => length));
  const nameWidth = Math.min(longest, Math.max(NAME_WIDTH_MIN, WIDTH - numbers));
  const rows = rules.flatMap((rule, index) => {
    const name = ruleName(rule);
    const isLong = name.length > nameWidth;
    return [
      ...(isLong ? wrapWords(name, WIDTH) : []),
      line(isLong ? '' : name, index + 1),
      ...moneyLines(rule),
    ];
  });
  return [line('Then → now', 0), ...rows, ''];
}

function ruleName({ kind, name }: RuleTally): string {
  return kind === 'otherwise' ? 'otherwise' : `${kind} ${name}`;
}

/** `5 → 0` and `12 → 3`, with the arrows below each other. */
function pairs(values: readonly (readonly [number, number])[]): string[] {
  const width = Math.max(...values.map(([, is]) => String(is).length));
  return values.map(([was, is]) => `${was} → ${String(is).padStart(width)}`);
}

function moneyLines({ was, is }: RuleTally): string[] {
  const then = sumsText(was.refunded);
  const now = sumsText(is.refunded);
  if (then === '-' && now === '-') return [];
  const lines = wrapWords(`refunded ${then} → ${now}`, WIDTH - INDENT.length);
  return lines.map((line) => `${INDENT}${line}`);
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
function answerText({ action, fallback, fallbackAt }: PastAnswer): string {
  if (fallback === null) return action;
  const at = fallbackAt === null ? '' : ` ${fallbackAt.slice(5, 16).replace('T', ' ')}`;
  return `${action}, then ${fallback}${at}`;
}
