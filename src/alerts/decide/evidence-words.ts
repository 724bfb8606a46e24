/** What a policy says of evidence for disputes at the processor. What files it asks; no decision about an alert does. */
import type { Money } from '../../base/kernel/money.ts';

export interface EvidenceWords {
  /** `by_hand`: a person hands each in. `complete`: a pack that lacks nothing goes by itself. */
  readonly file: 'by_hand' | 'complete';
  /** Milliseconds before it is due. @default as the settings say */
  readonly marginMs?: number;
  /** Above it a second person must agree. @default as the settings say */
  readonly secondPersonAbove?: Money;
}
