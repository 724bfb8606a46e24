/**
 * What a person may do about an open case right now, by its state and its charge's ledger: the console
 * offers exactly these, and what is impossible says why when it is asked for all the same. Pure.
 */
import type { CaseState } from '../cases/case-state.ts';
import { isTerminal } from '../cases/case-state.ts';
import { isToldSum, objectionToAccept } from '../ledger/accept-objection.ts';
import type { Ledger } from '../ledger/ledger.ts';
import {
  claimOfAlert,
  disputeOf,
  isAccepted,
  isCovered,
  isOurs,
  mayHaveExecuted,
  missingMinor,
  unsettledFor,
} from '../ledger/ledger.ts';
import { whyUndecided } from '../ledger/place.store.ts';
import type { OperatorAction } from './operator-decision.ts';
import { CHANGEABLE } from './operator-decision.ts';
import { mayRefundSome } from './refund-now.ts';

/** What is looked at. */
export interface OfferedFor {
  readonly state: CaseState;
  readonly alertId: string;
  readonly isBeforeDeadline: boolean;
  /** Enough time is left to send money. @default as before the deadline */
  readonly isTimeLeft?: boolean;
  /** Undefined: no charge is known. */
  readonly ledger: Ledger | undefined;
}

/** The actions a person may take. */
export function offeredActions(of: OfferedFor): readonly OperatorAction[] {
  const { state, alertId, ledger } = of;
  const statements = ledger === undefined ? [] : statementsAbout(ledger, alertId);
  if (isTerminal(state)) return statements;
  if (!CHANGEABLE.includes(state)) return ['RETRY', ...statements];
  const offered = actionsOn(of, statements);
  // It is to be accepted already.
  return state === 'DECIDED_ACCEPT' ? offered.filter((each) => each !== 'ACCEPT_DISPUTE') : offered;
}

function actionsOn(
  of: OfferedFor,
  statements: readonly OperatorAction[],
): readonly OperatorAction[] {
  const { alertId, ledger, isBeforeDeadline } = of;
  if (ledger === undefined) {
    const { isTimeLeft = isBeforeDeadline } = of;
    const refund: OperatorAction[] = isTimeLeft ? ['REFUND'] : [];
    return [...refund, 'ACCEPT_DISPUTE', 'NOT_OURS', 'RETRY'];
  }
  const { disputeId } = claimOfAlert(ledger, alertId);
  const isUnderWay = unsettledFor(ledger, disputeId) !== undefined;
  if (isUnderWay) return ['RETRY', ...statements];
  return [...decisionsAbout(ledger, of), ...placements(ledger, alertId), ...statements, 'RETRY'];
}

function decisionsAbout(
  ledger: Ledger,
  { alertId, isBeforeDeadline, isTimeLeft = isBeforeDeadline }: OfferedFor,
): OperatorAction[] {
  const claim = claimOfAlert(ledger, alertId);
  const { disputeId } = claim;
  if (isCovered(ledger, claim, false)) return isBeforeDeadline ? ['REFUND'] : [];
  const dispute = disputeOf(ledger, disputeId);
  const isUndecided = whyUndecided(ledger, alertId, 'REVIEW') !== undefined;
  const isDenied = disputeId !== null && isAccepted(ledger, disputeId);
  const objection = objectionToAccept(ledger, disputeId);
  const isPossible = mayRefundSome(ledger, { alertId, isTimeLeft });
  const mayRefund = isBeforeDeadline && isPossible && !isUndecided && !isDenied;
  const isMissing = dispute !== undefined && missingMinor(ledger, dispute) > 0;
  return [
    ...(mayRefund ? ['REFUND' as const] : []),
    ...(objection === undefined || isToldSum(objection) ? ['ACCEPT_DISPUTE' as const] : []),
    ...(objection === undefined ? ['NOT_OURS' as const] : []),
    ...(isMissing && !isDenied ? ['REFUNDED_OUTSIDE' as const] : []),
  ];
}

/** Joining another dispute, or standing alone, while neither money nor an answer depends on it. */
function placements(ledger: Ledger, alertId: string): OperatorAction[] {
  const { disputeId } = claimOfAlert(ledger, alertId);
  const own = disputeOf(ledger, disputeId);
  const others = ledger.disputes.filter(({ id }) => id !== disputeId);
  const isUnplaced = own === undefined && ledger.unplaced.some((each) => each.alertId === alertId);
  if (isUnplaced) return others.length > 0 ? ['JOIN_DISPUTE', 'SEPARATE_DISPUTE'] : [];
  if (own === undefined || rests(ledger, own.id)) return [];
  const isShared = own.alerts.length > 1;
  const canJoin = others.some(({ id }) => !rests(ledger, id));
  return [
    ...(canJoin ? ['JOIN_DISPUTE' as const] : []),
    ...(isShared ? ['SEPARATE_DISPUTE' as const] : []),
  ];
}

/** Money, or an answer said or on its way, depends on the dispute. */
export function rests({ movements, disputes }: Ledger, disputeId: string): boolean {
  const isPaid = movements.some(
    (each) => mayHaveExecuted(each) && each.covers.some((cover) => cover.disputeId === disputeId),
  );
  const dispute = disputes.find(({ id }) => id === disputeId);
  return (
    isPaid || (dispute?.alerts.some((each) => each.isAccepted || each.isRefundDeclared) ?? false)
  );
}

/** What only a person may know of a request without an answer. */
function statementsAbout({ movements, disputes }: Ledger, alertId: string): OperatorAction[] {
  const disputeId = disputes.find(({ alerts }) =>
    alerts.some((each) => each.alertId === alertId),
  )?.id;
  const isUnknown = movements.some(
    (each) =>
      isOurs(each) &&
      (each.state === 'UNKNOWN' || each.state === 'HUMAN') &&
      each.disputeId === disputeId,
  );
  return isUnknown ? ['DID_EXECUTE', 'DID_NOT_EXECUTE'] : [];
}
