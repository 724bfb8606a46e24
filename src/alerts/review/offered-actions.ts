/**
 * What a person may do about an open case right now, by its state and its charge's ledger: the console
 * offers exactly these, and what is impossible says why when it is asked for all the same. Pure.
 */
import type { CaseState } from '../cases/case-state.ts';
import { isTerminal } from '../cases/case-state.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { claimOfAlert, disputeOf, isOurs, mayHaveExecuted } from '../ledger/ledger.ts';
import type { OperatorAction } from './operator-decision.ts';
import { CHANGEABLE } from './operator-decision.ts';
import { answerToAccept, mayRefundSome, standingFor } from './persons-verdict.ts';

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
export function offeredActions(about: OfferedFor): readonly OperatorAction[] {
  const { state, alertId, ledger } = about;
  const statements = ledger === undefined ? [] : statementsAbout(ledger, alertId);
  if (isTerminal(state)) return statements;
  if (!CHANGEABLE.includes(state)) return ['RETRY', ...statements];
  const offered = actionsOn(about, statements);
  // It is to be accepted already.
  return state === 'DECIDED_ACCEPT' ? offered.filter((each) => each !== 'ACCEPT_DISPUTE') : offered;
}

function actionsOn(
  about: OfferedFor,
  statements: readonly OperatorAction[],
): readonly OperatorAction[] {
  const { alertId, ledger, isBeforeDeadline } = about;
  if (ledger === undefined) {
    const { isTimeLeft = isBeforeDeadline } = about;
    const refund: OperatorAction[] = isTimeLeft ? ['REFUND'] : [];
    return [...refund, 'ACCEPT_DISPUTE', 'NOT_OURS', 'RETRY'];
  }
  if (standingFor({ ledger, alertId }).underWay !== null) return ['RETRY', ...statements];
  return [...decisionsAbout(ledger, about), ...placements(ledger, alertId), ...statements, 'RETRY'];
}

function decisionsAbout(
  ledger: Ledger,
  { alertId, isBeforeDeadline, isTimeLeft = isBeforeDeadline }: OfferedFor,
): OperatorAction[] {
  const on = { ledger, alertId, isTimeLeft };
  const { isCovered, isAccepted, missingMinor } = standingFor(on);
  if (isCovered) return isBeforeDeadline ? ['REFUND'] : [];
  const { kind } = answerToAccept(on);
  const mayRefund = isBeforeDeadline && mayRefundSome(on);
  return [
    ...(mayRefund ? ['REFUND' as const] : []),
    ...(kind === 'refuse' ? [] : ['ACCEPT_DISPUTE' as const]),
    ...(kind === 'accept' ? ['NOT_OURS' as const] : []),
    ...(missingMinor > 0 && !isAccepted ? ['REFUNDED_OUTSIDE' as const] : []),
  ];
}

/** Joining another dispute, or being one of its own, while neither money nor an answer depends on it. */
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
