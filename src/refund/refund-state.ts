/**
 * The states of a refund and the moves between them: one table, from which the type, the check in
 * the store and the tests are derived.
 *
 * `SENT` never goes straight back: a request whose answer is missing is `UNKNOWN` until the
 * processor has been asked, because a request that timed out may still execute.
 */

export const REFUND_TRANSITIONS = {
  /** Key stored, nothing sent. */
  INTENT: ['SENT', 'EXTERNAL', 'REJECTED', 'HUMAN'],
  /** A request may be under way until the lease ends. */
  SENT: ['CONFIRMED', 'PENDING', 'REJECTED', 'UNKNOWN'],
  /** The answer is missing; only the processor's look-up, or a safe repeat of the same key, resolves it. */
  UNKNOWN: ['CONFIRMED', 'PENDING', 'REJECTED', 'SENT', 'HUMAN'],
  /** Accepted by the processor, not settled. */
  PENDING: ['CONFIRMED', 'REJECTED', 'HUMAN'],
  CONFIRMED: ['REVERSED'],
  /** The processor said no; no money moved. Only an operator may start anew, with a new key. */
  REJECTED: ['INTENT', 'EXTERNAL'],
  /** Cannot be resolved without a person; later look-ups may still settle it. */
  HUMAN: ['CONFIRMED', 'PENDING', 'REJECTED'],
  /** Failed at the processor after it had been confirmed: a declaration built on it is now false. */
  REVERSED: [],
  /** Somebody else had refunded: we move nothing. */
  EXTERNAL: [],
} as const satisfies Record<string, readonly string[]>;

export type RefundState = keyof typeof REFUND_TRANSITIONS;

/** States in which money has moved, may have moved, or still may. I3: no `ACCEPT_DISPUTE` then. */
export const MONEY_AT_STAKE: readonly RefundState[] = [
  'SENT',
  'UNKNOWN',
  'PENDING',
  'CONFIRMED',
  'EXTERNAL',
  'HUMAN',
];

/** Between these a refund is still being tried under the same key: its attempts are counted on. */
const TRYING: ReadonlySet<RefundState> = new Set(['INTENT', 'SENT', 'UNKNOWN']);

/** Whether the count of fruitless attempts goes on over the move; every other move starts it anew. */
export function isSameTry(from: RefundState, to: RefundState): boolean {
  return from === to || (TRYING.has(from) && TRYING.has(to));
}

/** Whether the table allows the move. */
export function mayRefundBecome(from: RefundState, to: RefundState): boolean {
  const targets: readonly string[] = REFUND_TRANSITIONS[from];
  return targets.includes(to);
}
