/**
 * What the shadow would have done, beside what happened: one day's alerts, compared. Pure.
 *
 * The shadow is either the whole installation (`FORESTALL_MODE=shadow`), compared with what people did,
 * or a second policy (`FORESTALL_SHADOW_POLICY`), compared with what the live one decided.
 */
import { formatMoney } from '../../base/kernel/money.ts';

export type ShadowAction = 'REFUND' | 'ACCEPT_DISPUTE' | 'REVIEW' | 'NONE';

export interface ShadowPair {
  readonly alertId: string;
  readonly shadow: 'installation' | 'policy';
  readonly would: ShadowAction;
  readonly wouldMinor: number | null;
  /** Null: not answered. */
  readonly did: ShadowAction | null;
  readonly didMinor: number | null;
  readonly currency: string | null;
  /** The rule that would have applied, and why. */
  readonly rule: string | null;
  readonly sentence: string;
}

/** `review`: one side asks a person, so there is no answer to compare. */
export type ShadowVerdict = 'same' | 'different' | 'review';

export interface ShadowReport {
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string;
  /** Alerts that closed on that day and that the shadow had decided. */
  readonly alerts: number;
  readonly same: number;
  readonly different: number;
  readonly review: number;
  /** Minor units by currency. */
  readonly wouldRefundMinor: Readonly<Record<string, number>>;
  readonly didRefundMinor: Readonly<Record<string, number>>;
  /** What is not the same, up to {@link ROWS_MAX}. */
  readonly rows: readonly (ShadowPair & { readonly verdict: ShadowVerdict })[];
}

/** Rows kept in a report: more than a person reads in a day. */
export const ROWS_MAX = 1_000;

/** Whether both sides did the same. A refund of another amount is another answer. */
export function verdictOf({ would, wouldMinor, did, didMinor }: ShadowPair): ShadowVerdict {
  if (would === 'REVIEW' || would === 'NONE' || did === 'REVIEW') return 'review';
  if (would !== did) return 'different';
  const isOtherAmount =
    would === 'REFUND' && wouldMinor !== null && didMinor !== null && wouldMinor !== didMinor;
  return isOtherAmount ? 'different' : 'same';
}

export function compareShadow(day: string, pairs: readonly ShadowPair[]): ShadowReport {
  const judged = pairs.map((pair) => ({ ...pair, verdict: verdictOf(pair) }));
  const count = (verdict: ShadowVerdict): number =>
    judged.filter((pair) => pair.verdict === verdict).length;
  return {
    day,
    alerts: pairs.length,
    same: count('same'),
    different: count('different'),
    review: count('review'),
    wouldRefundMinor: sumOf(pairs, ({ would, wouldMinor }) =>
      would === 'REFUND' ? wouldMinor : 0,
    ),
    didRefundMinor: sumOf(pairs, ({ did, didMinor }) => (did === 'REFUND' ? didMinor : 0)),
    rows: judged.filter(({ verdict }) => verdict !== 'same').slice(0, ROWS_MAX),
  };
}

function sumOf(
  pairs: readonly ShadowPair[],
  amount: (pair: ShadowPair) => number | null,
): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const pair of pairs) {
    const minor = amount(pair) ?? 0;
    if (pair.currency === null || minor === 0) continue;
    sums[pair.currency] = (sums[pair.currency] ?? 0) + minor;
  }
  return sums;
}

/** The report in a few lines, as people read it. */
export function summariseShadow(report: ShadowReport): string {
  const { day, alerts, same, different, review } = report;
  return [
    `Shadow report of ${day}: of ${alerts} alerts that closed, ${same} would have been answered the same, ${different} differently, and ${review} left to a person.`,
    `The shadow would have refunded ${moneyOf(report.wouldRefundMinor)}; ${moneyOf(report.didRefundMinor)} was refunded.`,
    `"forestall policy shadow-report --date ${day}" shows each difference.`,
  ].join(' ');
}

/** The report with each difference. */
export function showShadow(report: ShadowReport): string {
  const rows = report.rows.map((row) => {
    const would = `${row.would}${amountOf(row.wouldMinor, row)}`;
    const did = row.did === null ? 'no answer' : `${row.did}${amountOf(row.didMinor, row)}`;
    return `${row.verdict.padEnd(9)}  ${row.alertId}  would ${would}, was ${did}\n           ${row.sentence}`;
  });
  return [summariseShadow(report), ...rows].join('\n');
}

function amountOf(minor: number | null, { currency }: ShadowPair): string {
  if (minor === null || minor === 0 || currency === null) return '';
  return ` ${formatMoney({ amountMinor: minor, currency })}`;
}

function moneyOf(sums: Readonly<Record<string, number>>): string {
  const parts = Object.entries(sums).map(([currency, amountMinor]) =>
    formatMoney({ currency, amountMinor }),
  );
  return parts.length === 0 ? 'nothing' : parts.join(' and ');
}
