/** The steps of the refund stage, by the state they act on. */
import type { CaseSteps } from '../cases/case-runner.ts';
import { createDecidedRefundStep } from './decided-refund-step.ts';
import { createRefundingStep } from './refunding-step.ts';
import type { SagaDeps } from './saga-deps.ts';

/** Creates the steps of the refund stage. */
export function createRefundSteps(deps: SagaDeps): CaseSteps {
  return {
    DECIDED_REFUND: createDecidedRefundStep(deps),
    REFUNDING: createRefundingStep(deps),
  };
}
