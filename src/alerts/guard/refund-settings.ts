/** What a merchant may decide about refunds beyond the policy, and the limits that are ours. */

import type { SamePartRule } from '../ledger/same-dispute.ts';
import type { OtherLayers } from './guard-layers.ts';
import type { GuardSettings } from './guard-settings.ts';
import { DEFAULT_GUARDS } from './guard-settings.ts';

/** Settings of the refund stage. */
export interface RefundSettings {
  /** One network reports the same part of a charge twice: the policy's `same_part`. */
  readonly samePart: SamePartRule;
  /** No refund is sent when less than this is left before the deadline, in milliseconds. */
  readonly guardMs: number;
  /** What is above any policy: caps, second person, breaker. */
  readonly guards: GuardSettings;
  /** What holds besides them, above and below the organisation. */
  readonly layers?: OtherLayers | undefined;
}

/**
 * Time kept for what follows the refund: its answer (10 s), one look-up, and the declaration with
 * its repeats under a full rate budget (100 a minute).
 */
export const GUARD_MS = 15 * 60_000;

/** The cautious values: whatever is not plainly a full refund of an untouched charge, a person sees. */
export const DEFAULT_REFUND_SETTINGS: RefundSettings = {
  samePart: 'REVIEW',
  guardMs: GUARD_MS,
  guards: DEFAULT_GUARDS,
};
