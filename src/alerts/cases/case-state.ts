/**
 * The states of a case (one alert on its way to an answer) and the moves between them: one table,
 * from which the type, the store's check, the SQL and the tests are derived.
 */

/** What may be found at the service in any state after the first. */
const ENDS = ['CLOSED_REMOTE', 'CLOSED_INVALID', 'CONFLICT'] as const;

export const CASE_TRANSITIONS = {
  RECEIVED: [
    'MATCHED',
    'UNMATCHED',
    'AMBIGUOUS',
    'HUMAN',
    'RECONCILED_RDR',
    'CLOSED_REMOTE',
    'CLOSED_INVALID',
  ],
  MATCHED: ['DECIDED_REFUND', 'DECIDED_ACCEPT', 'HUMAN', 'RECONCILED_RDR', ...ENDS],
  UNMATCHED: ['MATCHED', 'AMBIGUOUS', 'DECIDED_ACCEPT', 'HUMAN', 'RECONCILED_RDR', ...ENDS],
  AMBIGUOUS: ['MATCHED', 'UNMATCHED', 'DECIDED_ACCEPT', 'HUMAN', 'RECONCILED_RDR', ...ENDS],
  /** Held for a person, with a fallback where there is one, and an alarm before the deadline in any case. */
  HUMAN: [
    'MATCHED',
    'DECIDED_REFUND',
    'DECIDED_ACCEPT',
    'DECLARE_REFUND',
    'RECONCILED_RDR',
    ...ENDS,
  ],
  DECIDED_REFUND: ['REFUNDING', 'DECLARE_REFUND', 'DECIDED_ACCEPT', 'HUMAN', ...ENDS],
  /** To `DECLARE_REFUND` when the charge turns out to have been refunded: accepting would be false. */
  DECIDED_ACCEPT: ['DECLARE_ACCEPT', 'DECLARE_REFUND', 'HUMAN', ...ENDS],
  REFUNDING: ['DECLARE_REFUND', 'DECIDED_ACCEPT', 'DECLARE_ACCEPT', 'HUMAN', ...ENDS],
  DECLARE_REFUND: ['DECLARED_REFUND', 'HUMAN', ...ENDS],
  DECLARE_ACCEPT: ['DECLARED_ACCEPT', 'HUMAN', ...ENDS],
  DECLARED_REFUND: [],
  DECLARED_ACCEPT: [],
  /** Resolved by somebody else before we acted. */
  CLOSED_REMOTE: [],
  /** Withdrawn or invalid at the service. */
  CLOSED_INVALID: [],
  /** The network refunded: its money is a movement of the kind `network`; no call was made, none ever is. */
  RECONCILED_RDR: [],
  /** The remote outcome contradicts our ledger: a person must look. */
  CONFLICT: [],
} as const satisfies Record<string, readonly string[]>;

export type CaseState = keyof typeof CASE_TRANSITIONS;

export const CASE_STATES = Object.keys(CASE_TRANSITIONS).filter(isCaseState);

/** Whether `value` names a state. */
export function isCaseState(value: string): value is CaseState {
  return Object.hasOwn(CASE_TRANSITIONS, value);
}

/** Whether nothing more can happen to a case in this state. */
export function isTerminal(state: CaseState): boolean {
  return CASE_TRANSITIONS[state].length === 0;
}

/** Whether the table allows the move. Staying is no move and always allowed while open. */
export function mayCaseBecome(from: CaseState, to: CaseState): boolean {
  const targets: readonly string[] = CASE_TRANSITIONS[from];
  return (from === to && targets.length > 0) || targets.includes(to);
}
