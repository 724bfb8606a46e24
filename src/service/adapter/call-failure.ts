/** How a call of an adapter fails, with what that proves. */
import type { Refusal } from './outcome.ts';
import type { ProviderEnd } from './provider-call.ts';
import { reasonFor } from './provider-call.ts';

/** A call that did not bring what it was made for. */
export class CallFailure extends Error {
  readonly end: ProviderEnd;
  /** The provider's own word. */
  readonly code: string | null;
  /** Set only where the provider's words prove that nothing was executed. */
  readonly refusal: Refusal | null;
  /** The provider's words say that the object does not exist: the 404 of a gateway is no proof. */
  readonly isMissing: boolean;

  /** A text is the reason why nothing was learnt. */
  constructor(
    end: ProviderEnd | string,
    words: {
      readonly code?: string | null;
      readonly refusal?: Refusal | null;
      isMissing?: boolean;
    } = {},
  ) {
    const known: ProviderEnd = typeof end === 'string' ? { kind: 'silence', reason: end } : end;
    super(reasonFor(known, words.code));
    this.name = 'CallFailure';
    this.end = known;
    this.code = words.code ?? null;
    this.refusal = words.refusal ?? null;
    this.isMissing = words.isMissing ?? false;
  }
}
