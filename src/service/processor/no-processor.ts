/**
 * No processor at all (`FORESTALL_PROCESSOR=none`): nothing can be asked and nothing moves, so every
 * refund is held for a person.
 */
import type { Processor } from '../wire/processor.ts';
import { CAUTIOUS_CAPABILITIES } from '../wire/processor.ts';

/** Creates the processor that offers nothing. */
export function createNoProcessor(): Processor {
  return {
    name: 'none',
    capabilities: async () => CAUTIOUS_CAPABILITIES,
    searchCharges: async () => ({ kind: 'not_offered' }),
    readCharge: async () => ({ kind: 'not_offered' }),
    findRefund: async () => ({ kind: 'not_offered' }),
    refund: async () => ({ kind: 'rejected', failureCode: 'no_processor', failureClass: 'ours' }),
    voidCharge: async () => 'not_offered',
    cancelSubscription: async () => 'not_offered',
  };
}
