/**
 * The states of a movement of ours and the moves between them: one table, from which the type, the
 * check in the store and the tests are derived. What was observed at the processor or told by the
 * network is `PENDING`, `CONFIRMED` or `REVERSED`, and follows what is seen.
 *
 * `SENT` never goes straight back: a request whose answer is missing is `UNKNOWN` until the
 * processor has been asked, because a request that timed out may still execute.
 */

export const MOVEMENT_TRANSITIONS = {
  /** Reserved, key stored; a request may be under way until the lease ends. */
  SENT: ['CONFIRMED', 'PENDING', 'REJECTED', 'UNKNOWN', 'NOT_SENT'],
  /** The answer is missing; only the processor's look-up, or a safe repeat of the same key, resolves it. */
  UNKNOWN: ['CONFIRMED', 'PENDING', 'REJECTED', 'SENT', 'HUMAN'],
  /** Accepted by the processor, not settled. */
  PENDING: ['CONFIRMED', 'REJECTED', 'HUMAN'],
  CONFIRMED: ['REVERSED'],
  /**
   * The processor refused, or it is proven that the request did not execute: no money moved. A retry
   * is reserved again and carries a new key. Should the processor show it after all, it counts.
   */
  REJECTED: ['SENT', 'CONFIRMED', 'PENDING'],
  /** No request ever left (cap, kill switch, second person, alert closed). Its key may still be used. */
  NOT_SENT: ['SENT'],
  /** Cannot be resolved without a person; later look-ups may still settle it. */
  HUMAN: ['CONFIRMED', 'PENDING', 'REJECTED'],
  /** Failed at the processor after it had been confirmed: a declaration built on it is now false. */
  REVERSED: [],
} as const satisfies Record<string, readonly string[]>;

export type MovementState = keyof typeof MOVEMENT_TRANSITIONS;

/** States of what was observed. */
export type ObservedState = Extract<MovementState, 'PENDING' | 'CONFIRMED' | 'REVERSED'>;

/** `refund` and `void` with a key are ours; a `void` without one was made by somebody else. */
export type MovementKind = 'refund' | 'void' | 'external' | 'network' | 'chargeback';

/** A request of ours may still be unanswered: at most one movement of a charge is in these states (L2). */
export const IN_FLIGHT: readonly MovementState[] = ['SENT', 'UNKNOWN', 'HUMAN'];

/** States of a movement of ours in which its money may have gone back (L1, L3, L5). */
export const MAY_HAVE_EXECUTED: readonly MovementState[] = [
  'SENT',
  'UNKNOWN',
  'PENDING',
  'CONFIRMED',
  'HUMAN',
];

/** Between these a movement is still being tried under the same key: its attempts are counted on. */
const TRYING: ReadonlySet<MovementState> = new Set(['SENT', 'UNKNOWN']);

/** Whether the count of fruitless attempts continues over the move; every other move starts it again. */
export function isSameTry(from: MovementState, to: MovementState): boolean {
  return from === to || (TRYING.has(from) && TRYING.has(to));
}

/** Whether the table allows the move of a movement of ours. */
export function mayMovementBecome(from: MovementState, to: MovementState): boolean {
  const targets: readonly string[] = MOVEMENT_TRANSITIONS[from];
  return targets.includes(to);
}
