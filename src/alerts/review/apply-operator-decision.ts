/** Every action of a person, by its name. */
import { createOperatorDecision } from './operator-decision.ts';
import { decideAccept, decideNotOurs, decideRefund, retry } from './operator-money.ts';
import { joinDispute, separateDispute } from './operator-placements.ts';
import { didExecute, didNotExecute, refundedOutside } from './operator-statements.ts';

/** Takes a person's decision. Refusals are written to the audit log too. */
export const applyOperatorDecision = createOperatorDecision({
  REFUND: decideRefund,
  ACCEPT_DISPUTE: decideAccept,
  RETRY: retry,
  REFUNDED_OUTSIDE: refundedOutside,
  DID_EXECUTE: didExecute,
  DID_NOT_EXECUTE: didNotExecute,
  JOIN_DISPUTE: joinDispute,
  SEPARATE_DISPUTE: separateDispute,
  NOT_OURS: decideNotOurs,
});
