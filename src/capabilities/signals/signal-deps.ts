/** What the loop of events and claims is given. */

import type { ClaimSource } from '../../alerts/cases/claim.ts';
import type { SamePartRule } from '../../alerts/ledger/same-dispute.ts';
import type { Installation } from '../../base/db/database.ts';
import type { Processor } from '../../service/wire/processor.ts';

/** Everything it works with. */
export interface SignalDeps extends Installation {
  readonly processor: Pick<Processor, 'name' | 'readCharge' | 'capabilities' | 'findRefund'>;
  /** The sources that the policy in force names in its rules. */
  readonly claimSources: () => readonly ClaimSource[];
  readonly samePart: () => SamePartRule;
}
