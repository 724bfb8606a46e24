/** What the service and the processor of the sandbox know of a run, and what must hold of it. No table of ours is asked. */

/** One alert, with all that became of it. */
export interface AlertBook {
  readonly id: string;
  readonly createdMs: number;
  readonly amountMinor: number;
  readonly refunds: readonly { readonly atMs: number; readonly amountMinor: number }[];
  /** Answers that the service took. */
  readonly answers: readonly { readonly atMs: number; readonly action: string }[];
}

/** All of it. */
export interface Books {
  readonly alerts: readonly AlertBook[];
  /** Ids of the events that the receiver answered 200. */
  readonly taken: readonly string[];
}

/** What is wrong; each list is to be empty. */
export interface Verdict {
  /** Answered 200, and not in the database. */
  readonly lost: readonly string[];
  readonly refundedTwice: readonly string[];
  /** Refunded was said of what was not, or something else of what was. */
  readonly falseAnswers: readonly string[];
  readonly unanswered: readonly string[];
}

/** Compares. Every alert is one that the policy refunds. Pure. */
export function judge({ alerts, taken }: Books, stored: ReadonlySet<string>): Verdict {
  const idsOf = (isWrong: (alert: AlertBook) => boolean): string[] =>
    alerts.filter(isWrong).map(({ id }) => id);
  return {
    lost: taken.filter((id) => !stored.has(id)),
    refundedTwice: idsOf(({ refunds }) => refunds.length > 1),
    falseAnswers: idsOf(isAnsweredFalsely),
    unanswered: idsOf(({ answers }) => answers.length === 0),
  };
}

function isAnsweredFalsely({ amountMinor, refunds, answers }: AlertBook): boolean {
  if (answers.length > 1) return true;
  return answers.some(
    ({ atMs, action }) =>
      action !== 'REFUND' ||
      !refunds.some((refund) => refund.atMs <= atMs && refund.amountMinor === amountMinor),
  );
}

/**
 * The longest time without a refund between two moments, in milliseconds; the time before the first and after the last
 * one counts as well. Pure.
 */
export function longestPause({ alerts }: Books, fromMs: number, untilMs: number): number {
  const moments = alerts
    .flatMap(({ refunds }) => refunds.map(({ atMs }) => atMs))
    .filter((atMs) => atMs > fromMs && atMs < untilMs)
    .sort((a, b) => a - b);
  const all = [fromMs, ...moments, untilMs];
  return Math.max(...all.slice(1).map((atMs, place) => atMs - (all[place] ?? atMs)));
}
