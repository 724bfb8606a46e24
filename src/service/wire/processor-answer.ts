/** How a processor's answers are told apart. */

/** The words of {@link FailureClass}. */
export const FAILURE_CLASSES = ['retry', 'ours', 'final', 'done'] as const;

/**
 * What a refusal means for what comes next. Every refusal proves that nothing executed.
 *
 * - `retry`: not enough balance, or refused before execution by a rate or lock where the provider says
 *   so. Tried again until the policy's fallback is due.
 * - `ours`: bad credentials, missing right, malformed request, unknown account. Tried again like
 *   `retry`; several in a row stop all sending and call a person.
 * - `final`: too old to refund, charge disputed, method not refundable, instrument gone. The policy's
 *   fallback applies, at its own moment.
 * - `done`: already refunded. Looked up again before anything is concluded.
 *
 * A refusal whose class is absent or unknown is `retry`.
 */
export type FailureClass = (typeof FAILURE_CLASSES)[number];

/** An answer to a question the processor may not offer. `unavailable`: ask again later. */
export type Answer<Value> =
  | { readonly kind: 'found'; readonly value: Value }
  | { readonly kind: 'absent' }
  | { readonly kind: 'not_offered' }
  | { readonly kind: 'unavailable'; readonly reason: string };
