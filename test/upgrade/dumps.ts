/**
 * The dumps: what was played before each was made, so what must become of it. Written by hand from
 * fill.ts and fill-refunds.ts.
 */

/** Where an alert ends, how often its charge is refunded, how much in all, and what is said of it. */
/** State, refunds, their sum, and what the service was told; null: nothing. */
type End = readonly [string, number, number, string | null];

export interface LedgerShown {
  readonly kind: string;
  readonly state: string;
  readonly status: string;
  readonly captured: number;
  readonly moved: number;
  readonly disputed: number;
  readonly covered: number;
  /** Alerts whose case names the dispute and, where there is one row, the movement. */
  readonly named: number;
  readonly hasKey: boolean;
}

export interface Dump {
  readonly version: string;
  /** By the part the alert plays. Amounts are the prices, and what support refunded. */
  readonly ends: Readonly<Record<string, End>>;
  /**
   * What the row of `refund` became, by the part of the alert it was made for: its movements, the dispute
   * each is for, and what of it answers that dispute.
   */
  readonly ledgers: Readonly<Record<string, readonly LedgerShown[]>>;
  readonly rows: Readonly<Record<string, number>>;
  /** Parts whose charge is then alerted once more, and where that alert ends. */
  readonly late: Readonly<Record<string, End>>;
}

function movement(kind: string, state: string, minor: number): LedgerShown {
  const amounts = { captured: minor, moved: minor, disputed: minor, covered: minor };
  const hasKey = kind === 'refund' || kind === 'void';
  return { kind, state, status: 'captured', ...amounts, named: 1, hasKey };
}

export const FIRST: Dump = {
  version: '0.1.0',
  ends: {
    refunded: ['DECLARED_REFUND', 1, 2_900, 'REFUNDED'],
    accepted: ['DECLARED_ACCEPT', 0, 0, 'NOT_REFUNDED'],
    rdr: ['RECONCILED_RDR', 0, 0, 'REFUNDED'],
    // Held; the policy's fallback answers four hours before the deadline, also where somebody has claimed it.
    held: ['DECLARED_REFUND', 1, 6_450, 'REFUNDED'],
    claimed: ['DECLARED_REFUND', 1, 6_450, 'REFUNDED'],
    unmatched: ['DECLARED_ACCEPT', 0, 0, 'NOT_REFUNDED'],
    owed: ['DECLARED_REFUND', 1, 1_290, 'REFUNDED'],
    unknown_executed: ['DECLARED_REFUND', 1, 2_900, 'REFUNDED'],
    unknown_lost: ['DECLARED_REFUND', 1, 2_900, 'REFUNDED'],
    received: ['DECLARED_REFUND', 1, 2_900, 'REFUNDED'],
  },
  ledgers: {
    refunded: [movement('refund', 'CONFIRMED', 2_900)],
    // The network refunded it by itself.
    rdr: [movement('network', 'CONFIRMED', 2_900)],
    owed: [movement('refund', 'CONFIRMED', 1_290)],
    unknown_executed: [movement('refund', 'UNKNOWN', 2_900)],
    unknown_lost: [movement('refund', 'UNKNOWN', 2_900)],
  },
  rows: {
    alert_case: 9,
    inbox_work: 1,
    quarantine: 1,
    order_record: 10,
    console_operator: 1,
    review_comment: 1,
    refund: 5,
  },
  late: {},
};

export const BEFORE_THE_LEDGER: Dump = {
  version: '0.2.0',
  ends: {
    // It failed after it had been declared, and a person was told: nothing is refunded anew by itself.
    reversed: ['DECLARED_REFUND', 0, 0, 'REFUNDED'],
    external_whole: ['DECLARED_REFUND', 1, 2_900, 'REFUNDED'],
    // Support's part is older than the alert: only a person's word that names it makes it the answer.
    external_part: ['HUMAN', 1, 1_000, null],
    topped_up: ['DECLARED_REFUND', 2, 2_900, 'REFUNDED'],
    voided: ['DECLARED_REFUND', 0, 0, 'REFUNDED'],
    human: ['DECLARED_REFUND', 1, 2_900, 'REFUNDED'],
    // Not at the processor, and no request of it can still execute: proven, and sent under a new key.
    human_lost: ['DECLARED_REFUND', 1, 2_900, 'REFUNDED'],
    rejected: ['DECLARED_ACCEPT', 0, 0, 'NOT_REFUNDED'],
    pending: ['DECLARED_REFUND', 1, 2_900, 'REFUNDED'],
    // One refund for both.
    twin: ['DECLARED_REFUND', 1, 2_900, 'REFUNDED'],
    other_twin: ['DECLARED_REFUND', 1, 2_900, 'REFUNDED'],
    under_way: ['DECLARED_REFUND', 1, 2_900, 'REFUNDED'],
    not_sent: ['DECLARED_REFUND', 1, 2_900, 'REFUNDED'],
  },
  ledgers: {
    reversed: [movement('refund', 'REVERSED', 2_900)],
    external_whole: [movement('external', 'CONFIRMED', 2_900)],
    // The alert is about what support had refunded of 2 900.
    external_part: [{ ...movement('external', 'CONFIRMED', 1_000), captured: 2_900 }],
    topped_up: [
      { ...movement('external', 'CONFIRMED', 1_000), captured: 2_900, disputed: 2_900 },
      { ...movement('refund', 'CONFIRMED', 1_900), captured: 2_900, disputed: 2_900 },
    ],
    // Never captured, so there was nothing to claim or to move.
    voided: [{ ...movement('void', 'CONFIRMED', 0), status: 'authorised' }],
    human: [movement('refund', 'HUMAN', 2_900)],
    human_lost: [movement('refund', 'HUMAN', 2_900)],
    rejected: [movement('refund', 'REJECTED', 2_900)],
    pending: [movement('refund', 'PENDING', 2_900)],
    // It came first; the other had joined its refund.
    other_twin: [{ ...movement('refund', 'CONFIRMED', 2_900), named: 2 }],
    under_way: [movement('refund', 'SENT', 2_900)],
    not_sent: [movement('refund', 'NOT_SENT', 2_900)],
  },
  rows: { alert_case: 13, order_record: 12, refund: 12 },
  late: {
    external_whole: ['DECLARED_REFUND', 1, 2_900, 'REFUNDED'],
    topped_up: ['DECLARED_REFUND', 2, 2_900, 'REFUNDED'],
    voided: ['DECLARED_REFUND', 0, 0, 'REFUNDED'],
    twin: ['DECLARED_REFUND', 1, 2_900, 'REFUNDED'],
    human: ['DECLARED_REFUND', 1, 2_900, 'REFUNDED'],
    // Held, and let through before the deadline.
    rejected: ['DECLARED_ACCEPT', 0, 0, 'NOT_REFUNDED'],
    reversed: ['DECLARED_ACCEPT', 0, 0, 'NOT_REFUNDED'],
  },
};
