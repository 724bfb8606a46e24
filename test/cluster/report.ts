/** What a run of the cluster bench found, as a table. */
import type { Verdict } from './books.ts';

/** One failure. */
export interface Round {
  readonly kind: string;
  /** The longest time without a refund, from the beginning of the failure until the cluster was whole again, in milliseconds. */
  readonly pauseMs: number;
  /** From the failure until another was the primary, in milliseconds. */
  readonly takenOverMs: number;
  /** What did not go as it should, besides the verdict. */
  readonly problem?: string;
}

/** A whole run. */
export interface Run {
  readonly rounds: readonly Round[];
  readonly verdict: Verdict;
  readonly alerts: number;
  readonly taken: number;
  /** Deliveries that were told to come again. */
  readonly refused: number;
  readonly reinitialised: number;
}

/** Whether all is as promised. */
export function isGood({ rounds, verdict }: Run): boolean {
  return (
    rounds.length > 0 &&
    rounds.every(({ problem }) => problem === undefined) &&
    Object.values(verdict).every((list: readonly string[]) => list.length === 0)
  );
}

const seconds = (ms: number): string => (ms / 1_000).toFixed(1);

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function lineOf(kind: string, rounds: readonly Round[]): string {
  const pauses = rounds.map(({ pauseMs }) => pauseMs);
  // None where it went wrong before.
  const taken = rounds.map(({ takenOverMs }) => takenOverMs).filter((ms) => !Number.isNaN(ms));
  const problems = rounds.filter(({ problem }) => problem !== undefined).length;
  return [
    kind.padEnd(24),
    String(rounds.length).padStart(6),
    ...[medianOf(taken), Math.max(...taken), medianOf(pauses), Math.max(...pauses)].map((ms) =>
      seconds(ms).padStart(9),
    ),
    String(problems).padStart(9),
  ].join(' ');
}

/** The table, and what was lost, refunded twice, answered falsely or not at all. */
export function tableOf(run: Run): string {
  const { rounds, verdict, alerts, taken, refused, reinitialised } = run;
  const kinds = [...new Set(rounds.map(({ kind }) => kind))];
  const { lost, refundedTwice, falseAnswers, unanswered } = verdict;
  return [
    '                                 another primary, s  no refund for, s',
    'failure                  rounds    median     worst    median     worst  problems',
    ...kinds.map((kind) =>
      lineOf(
        kind,
        rounds.filter((round) => round.kind === kind),
      ),
    ),
    ...(rounds.length === 0 ? [] : [lineOf('all', rounds)]),
    '',
    `${alerts} alerts; ${taken} deliveries answered 200, ${refused} told to come again`,
    `answered 200 and missing ${lost.length}; refunded twice ${refundedTwice.length}; false answers ${falseAnswers.length}; not answered ${unanswered.length}`,
    `members copied anew because they could not follow: ${reinitialised}`,
    ...rounds.flatMap(({ kind, problem }, place) =>
      problem === undefined ? [] : [`round ${place + 1} (${kind}): ${problem}`],
    ),
    ...Object.entries(verdict).flatMap(([what, ids]: [string, readonly string[]]) =>
      ids.length === 0 ? [] : [`${what}: ${ids.slice(0, 20).join(' ')}`],
    ),
  ].join('\n');
}
