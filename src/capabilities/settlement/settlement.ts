/**
 * Compares the debits of a settlement file with the network's own refunds (RDR): by acquirer reference
 * number, then by amount. Pure.
 *
 * Reference numbers are used again after a while, so one that several alerts carry goes to the alert of
 * the same amount, then to the one nearest in time; each alert answers for one debit.
 */
import type { Money } from '../../base/kernel/money.ts';
import { formatMoney } from '../../base/kernel/money.ts';

const DAY_LENGTH = 'YYYY-MM-DD'.length;
const DAY_MS = 24 * 60 * 60_000;

export interface SettlementRow extends Money {
  readonly line: number;
  readonly acquirerReferenceNumber: string;
  /** ISO 8601, a day or a moment in UTC; null where the file has none. */
  readonly date: string | null;
}

/** An alert of the network's own refund programme, with what we know of its charge. */
export interface SettledAlert {
  readonly alertId: string;
  readonly acquirerReferenceNumber: string;
  readonly amountMinor: number | null;
  readonly currency: string | null;
  readonly status: string;
  readonly refundOutcome: string | null;
  readonly chargeReference: string | null;
  readonly createdAt: Date | null;
  /** Our own refund on the same charge; null without one that moved money. */
  readonly ownRefund: (Money & { readonly id: string }) | null;
}

/** What can be wrong with a debit, or with an alert that has none. */
export type SettlementProblemKind =
  | 'unmatched'
  | 'debited_twice'
  | 'amount_differs'
  | 'not_refunded_by_network'
  | 'refunded_on_top'
  | 'not_in_file';

export interface SettlementProblem {
  readonly kind: SettlementProblemKind;
  /** Null where the file has no such line. */
  readonly line: number | null;
  readonly acquirerReferenceNumber: string;
  readonly alertId: string | null;
  readonly sentence: string;
}

export interface SettlementResult {
  readonly rows: number;
  readonly matched: number;
  /** What the matched debits come to, by currency. */
  readonly matchedMoney: readonly Money[];
  readonly problems: readonly SettlementProblem[];
}

/** Compares. `alerts` are those with a reference number of the file, or of its days. */
export function matchSettlement(
  rows: readonly SettlementRow[],
  alerts: readonly SettledAlert[],
): SettlementResult {
  const byReference = Map.groupBy(alerts, (alert) => alert.acquirerReferenceNumber);
  const used = new Set<string>();
  const sums = new Map<string, number>();
  const problems: SettlementProblem[] = [];
  let matched = 0;
  // Exact amounts choose first, so that a wrong one never takes the alert of a right one.
  const inOrder = [...rows].sort((a, b) => rankOf(a, byReference) - rankOf(b, byReference));
  for (const row of inOrder) {
    const candidates = byReference.get(row.acquirerReferenceNumber) ?? [];
    const alert = choose(
      row,
      candidates.filter(({ alertId }) => !used.has(alertId)),
    );
    if (alert === undefined) {
      problems.push(candidates.length === 0 ? unmatched(row) : debitedTwice(row, candidates));
      continue;
    }
    used.add(alert.alertId);
    const found = problemsOf(row, alert);
    problems.push(...found);
    if (found.some(({ kind }) => kind !== 'refunded_on_top')) continue;
    matched += 1;
    sums.set(row.currency, (sums.get(row.currency) ?? 0) + row.amountMinor);
  }
  problems.push(...notInFile(rows, alerts, used));
  problems.sort(
    (a, b) => (a.line ?? Number.MAX_SAFE_INTEGER) - (b.line ?? Number.MAX_SAFE_INTEGER),
  );
  const matchedMoney = [...sums].map(([currency, amountMinor]) => ({ currency, amountMinor }));
  return { rows: rows.length, matched, matchedMoney, problems };
}

function rankOf(row: SettlementRow, alerts: ReadonlyMap<string, readonly SettledAlert[]>): number {
  const candidates = alerts.get(row.acquirerReferenceNumber) ?? [];
  return candidates.some((alert) => isSameAmount(row, alert)) ? 0 : 1;
}

function isSameAmount(row: SettlementRow, alert: SettledAlert): boolean {
  return row.amountMinor === alert.amountMinor && row.currency === alert.currency;
}

function choose(row: SettlementRow, candidates: readonly SettledAlert[]): SettledAlert | undefined {
  const distance = ({ createdAt }: SettledAlert): number =>
    row.date === null || createdAt === null
      ? 0
      : Math.abs(Date.parse(row.date) - createdAt.getTime());
  return [...candidates].sort(
    (a, b) =>
      Number(isSameAmount(row, b)) - Number(isSameAmount(row, a)) || distance(a) - distance(b),
  )[0];
}

function problemsOf(row: SettlementRow, alert: SettledAlert): SettlementProblem[] {
  const { alertId, ownRefund } = alert;
  const about = placeOf(row, alertId);
  const problems: SettlementProblem[] = [];
  if (alert.status === 'INVALID' || alert.refundOutcome !== 'REFUNDED') {
    const shown = `${alert.status}${alert.refundOutcome === null ? '' : `, ${alert.refundOutcome}`}`;
    problems.push({
      ...about,
      kind: 'not_refunded_by_network',
      sentence: `${formatMoney(row)} was debited for alert ${alertId}, which the service shows as ${shown}. Ask the acquirer to return it.`,
    });
  } else if (!isSameAmount(row, alert)) {
    const { amountMinor, currency } = alert;
    const expected =
      amountMinor === null || currency === null
        ? 'an unknown amount'
        : formatMoney({ amountMinor, currency });
    problems.push({
      ...about,
      kind: 'amount_differs',
      sentence: `${formatMoney(row)} was debited for alert ${alertId}, which is about ${expected}. Ask the acquirer for the difference.`,
    });
  }
  if (ownRefund !== null) {
    problems.push({
      ...about,
      kind: 'refunded_on_top',
      sentence: `The network took ${formatMoney(row)} for alert ${alertId}, and our refund ${ownRefund.id} paid ${formatMoney(ownRefund)} on the same charge ${alert.chargeReference ?? ''}. Contest the debit with the refund's reference.`,
    });
  }
  return problems;
}

function placeOf(
  row: SettlementRow,
  alertId: string | null,
): Pick<SettlementProblem, 'line' | 'acquirerReferenceNumber' | 'alertId'> {
  return { line: row.line, acquirerReferenceNumber: row.acquirerReferenceNumber, alertId };
}

function unmatched(row: SettlementRow): SettlementProblem {
  return {
    ...placeOf(row, null),
    kind: 'unmatched',
    sentence: `${formatMoney(row)} was debited, and no alert of the network's refund programme carries this reference number. Ask the acquirer what it is for.`,
  };
}

function debitedTwice(row: SettlementRow, candidates: readonly SettledAlert[]): SettlementProblem {
  const alertId = candidates[0]?.alertId ?? null;
  return {
    ...placeOf(row, alertId),
    kind: 'debited_twice',
    sentence: `${formatMoney(row)} was debited once more for alert ${alertId ?? ''}. Ask the acquirer to return it.`,
  };
}

/** What the dates of a file span: its last day as a whole. Undefined: it has none. */
export function daysOf(
  rows: readonly SettlementRow[],
): { readonly from: Date; readonly until: Date } | undefined {
  const dates = rows.flatMap(({ date }) => date ?? []);
  if (dates.length === 0) return undefined;
  let from = Number.POSITIVE_INFINITY;
  let until = Number.NEGATIVE_INFINITY;
  for (const date of dates) {
    const ms = Date.parse(date);
    from = Math.min(from, ms);
    until = Math.max(until, ms + (date.length === DAY_LENGTH ? DAY_MS : 1));
  }
  return { from: new Date(from), until: new Date(until) };
}

/** Refunds of the network within the days of the file that it does not show. */
function notInFile(
  rows: readonly SettlementRow[],
  alerts: readonly SettledAlert[],
  used: ReadonlySet<string>,
): SettlementProblem[] {
  const days = daysOf(rows);
  if (days === undefined) return [];
  return alerts
    .filter(({ alertId, status, refundOutcome }) => {
      return !used.has(alertId) && status === 'RESOLVED' && refundOutcome === 'REFUNDED';
    })
    .filter(({ createdAt }) => {
      return createdAt !== null && createdAt >= days.from && createdAt < days.until;
    })
    .map(({ alertId, acquirerReferenceNumber }) => ({
      kind: 'not_in_file' as const,
      line: null,
      acquirerReferenceNumber,
      alertId,
      sentence: `The network refunded alert ${alertId}, and the file has no debit for it. It may stand in the next file.`,
    }));
}
