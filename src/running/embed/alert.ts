/**
 * One alert as the embedding program reads it: the rows of every stage under the names that lists use, without what only
 * the workers need (leases, versions, the plan of the next step's repeats).
 */
import type { AlertTable } from '../../alerts/apply/entity.table.ts';
import type { CaseState } from '../../alerts/cases/case-state.ts';
import type { DecisionAction, FallbackAction } from '../../alerts/decide/decision.table.ts';
import type { SideAction } from '../../alerts/decide/policy.ts';
import type { DeclarationState } from '../../alerts/declare/declaration.table.ts';
import type { MovementRow } from '../../alerts/ledger/movement.store.ts';
import type { MovementKind, MovementState } from '../../alerts/ledger/movement-state.ts';
import type { AlertDetail } from '../../alerts/list/alert-detail.store.ts';
import type { CapabilitiesOfAlert } from '../../capabilities/of-alert.ts';
import type { FailureClass } from '../../service/wire/processor.ts';

/** What the service says of an alert. Amounts in minor units. */
export interface AlertFacts {
  readonly status: string;
  readonly enrolmentType: string | null;
  readonly enrolmentId: string | null;
  readonly merchantId: string | null;
  readonly deadlineAt: Date | null;
  readonly amountMinor: number | null;
  readonly currency: string | null;
  readonly authorisedAt: Date | null;
  readonly authorisationCode: string | null;
  readonly acquirerReferenceNumber: string | null;
  readonly descriptor: string | null;
  readonly cardBin: string | null;
  readonly cardLast4: string | null;
  readonly cardIssuer: string | null;
  readonly cardScheme: string | null;
  readonly networkId: string | null;
  readonly reasonCode: string | null;
  readonly refundOutcome: string | null;
  readonly subscriptionCancelOutcome: string | null;
  readonly note: string | null;
  readonly createdAt: Date | null;
  readonly updatedAt: Date;
  readonly firstSeenAt: Date;
  readonly changedAt: Date;
  /** All of it as received, under the service's own names. */
  readonly snapshot: Readonly<Record<string, unknown>>;
}

/** Where an alert is on its way to an answer. */
export interface AlertCase {
  readonly state: CaseState;
  readonly isOpen: boolean;
  readonly openedAt: Date;
  readonly deadlineAt: Date;
  /** When it is next acted on; never null while it is open. */
  readonly nextActionAt: Date | null;
  readonly lastError: string | null;
  readonly chargeReference: string | null;
  /** The complaint it belongs to; null: not known yet, or a person must say. */
  readonly disputeId: string | null;
  /** Why it waits for a person. */
  readonly holdReason: string | null;
  /** What follows at `fallbackAt`, if it is not decided until then. */
  readonly fallbackAction: FallbackAction | null;
  readonly fallbackAt: Date | null;
  /** When a refund that was refused or not sent is tried again. */
  readonly retryAt: Date | null;
  readonly missedAt: Date | null;
  readonly closedAt: Date | null;
  readonly changedAt: Date;
}

/** Which charge an alert is about. */
export interface AlertMatch {
  readonly outcome: 'single' | 'none' | 'several';
  readonly chargeReference: string | null;
  readonly tier: string | null;
  readonly evidence: unknown;
  readonly candidates: unknown;
  readonly matchedAt: Date;
  /** Points of the best candidate, and how far the next is behind it. */
  readonly score: number | null;
  readonly margin: number | null;
  readonly runnerUp: string | null;
  /** The best candidate's sign, where none is strong enough. */
  readonly weakSign: string | null;
  /** `matcher`, or `operator:<name>` of the person who chose. */
  readonly matchedBy: string;
}

/** What was decided, by whom and why. */
export interface AlertDecided {
  readonly id: number;
  readonly action: DecisionAction;
  /** What to refund; null unless the action is `REFUND`. */
  readonly amountMinor: number | null;
  readonly currency: string | null;
  readonly fallbackAction: FallbackAction | null;
  readonly fallbackAt: Date | null;
  /** `policy`, `guard`, `fallback` or `operator:<name>`. */
  readonly decidedBy: string;
  readonly policyVersion: string | null;
  readonly rule: string | null;
  readonly guard: string | null;
  /** Why, as a person reads it. */
  readonly sentence: string;
  /** Every fact that it was decided by. */
  readonly inputs: unknown;
  readonly shadow: boolean;
  readonly decidedAt: Date;
  readonly sideActions: readonly SideAction[];
}

/** Money that went back, or may have. */
export interface AlertMovement {
  readonly id: string;
  readonly kind: MovementKind;
  readonly state: MovementState;
  readonly chargeReference: string | null;
  readonly disputeId: string | null;
  readonly alertId: string | null;
  readonly amountMinor: number;
  readonly currency: string;
  /** Under which it was sent; null: not ours. */
  readonly idempotencyKey: string | null;
  readonly processorReference: string | null;
  /** Not ours: `processor`, the RDR alert's id, or `operator:<name>`. */
  readonly observedFrom: string | null;
  readonly failureCode: string | null;
  readonly failureClass: FailureClass | null;
  readonly sentAt: Date | null;
  readonly confirmedAt: Date | null;
  /** When the processor says that somebody else made it. */
  readonly movedAt: Date | null;
  readonly createdAt: Date;
  readonly changedAt: Date;
}

/** What the service was told, and what came of it. */
export interface AlertDeclaration {
  readonly action: 'REFUND' | 'ACCEPT_DISPUTE';
  readonly note: string;
  readonly movementId: string | null;
  /** Accepted although this much went back: a person was shown the sum. */
  readonly despiteMinor: number;
  readonly state: DeclarationState;
  readonly attempts: number;
  readonly firstSentAt: Date | null;
  readonly settledAt: Date | null;
  readonly remoteOutcome: string | null;
}

/** What the service sent about it. */
export interface AlertChange {
  readonly changedAt: Date;
  readonly source: 'webhook' | 'poll';
  readonly eventId: string | null;
  /** False when it told nothing new, as an older snapshot after a newer one. */
  readonly accepted: boolean;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>>;
}

/** One step that Forestall or a person took. */
export interface AlertStep {
  readonly at: Date;
  readonly subject: string;
  readonly subjectId: string;
  /** `forestall`, `operator:<name>`, `service` or `processor`. */
  readonly actor: string;
  readonly what: string;
  readonly fromState: string | null;
  readonly toState: string | null;
  /** Ids, codes and amounts only. */
  readonly detail: Readonly<Record<string, unknown>>;
}

/** Everything known about one alert. */
export interface Alert extends CapabilitiesOfAlert {
  readonly alertId: string;
  /** Undefined while only its case is known. */
  readonly alert: AlertFacts | undefined;
  readonly case: AlertCase | undefined;
  /** The match in force, or the last attempt. */
  readonly match: AlertMatch | undefined;
  /** The decision in force. */
  readonly decision: AlertDecided | undefined;
  /** All of them, oldest first. */
  readonly decisions: readonly AlertDecided[];
  /** The movement that the case waits for, or was answered with. */
  readonly movement: AlertMovement | undefined;
  /** Every movement for the alert's dispute, oldest first; without one, what the alert itself caused. */
  readonly movements: readonly AlertMovement[];
  readonly declaration: AlertDeclaration | undefined;
  /** What the service sent, oldest first. */
  readonly changes: readonly AlertChange[];
  /** What was done, oldest first. */
  readonly audit: readonly AlertStep[];
  /** Other alerts about the same charge. */
  readonly twins: readonly string[];
}

type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;
type Spelled<Row, Name extends keyof Row & string> = {
  readonly [Each in Name as Camel<Each>]: Row[Each];
};

/** These columns of a row, spelled as the library spells names. */
function spelled<Row extends object, Name extends keyof Row & string>(
  row: Row,
  names: readonly Name[],
): Spelled<Row, Name> {
  const camel = (name: string): string =>
    name.replaceAll(/_([a-z0-9])/g, (_whole, letter: string) => letter.toUpperCase());
  const entries = names.map((name) => [camel(name), row[name]]);
  // biome-ignore lint/nursery/noUnsafeTypeAssertion: the type spells each name by the same rule.
  return Object.fromEntries(entries) as Spelled<Row, Name>;
}

/** The alert of its rows. */
export function alertOf(
  alertId: string,
  detail: AlertDetail,
): Omit<Alert, keyof CapabilitiesOfAlert> {
  const { alert, case: row, match, declaration, movement } = detail;
  const decisions = detail.decisions.map((each) => spelled(each, DECISION));
  return {
    alertId,
    alert: alert && spelled(alert, FACTS),
    case: row && spelled(row, CASE),
    match: match && spelled(match, MATCH),
    decision: decisions.find(({ id }) => id === row?.decision_id),
    decisions,
    movement: movement && spelled(movement, MOVEMENT),
    movements: detail.movements.map((each) => spelled(each, MOVEMENT)),
    declaration: declaration && spelled(declaration, DECLARATION),
    changes: detail.changes.map((each) => spelled(each, CHANGE)),
    audit: detail.audit.map((each) => spelled(each, STEP)),
    twins: detail.twins,
  };
}

const FACTS = [
  ...(['status', 'enrolment_type', 'enrolment_id', 'merchant_id', 'deadline_at'] as const),
  ...(['amount_minor', 'currency', 'authorised_at', 'authorisation_code'] as const),
  ...(['acquirer_reference_number', 'descriptor', 'card_bin', 'card_last4'] as const),
  ...(['card_issuer', 'card_scheme', 'network_id', 'reason_code', 'refund_outcome'] as const),
  ...(['subscription_cancel_outcome', 'note', 'created_at', 'updated_at'] as const),
  ...(['first_seen_at', 'changed_at', 'snapshot'] as const),
] satisfies readonly (keyof AlertTable)[];

const CASE = [
  ...(['state', 'is_open', 'opened_at', 'deadline_at', 'next_action_at', 'last_error'] as const),
  ...(['charge_reference', 'dispute_id', 'hold_reason', 'fallback_action'] as const),
  ...(['fallback_at', 'retry_at', 'missed_at', 'closed_at', 'changed_at'] as const),
];

const MATCH = [
  ...(['outcome', 'charge_reference', 'tier', 'evidence', 'candidates', 'matched_at'] as const),
  ...(['score', 'margin', 'runner_up', 'weak_sign', 'matched_by'] as const),
];

const DECISION = [
  ...(['id', 'action', 'amount_minor', 'currency', 'fallback_action', 'fallback_at'] as const),
  ...(['decided_by', 'policy_version', 'rule', 'guard', 'sentence', 'inputs'] as const),
  ...(['shadow', 'decided_at', 'side_actions'] as const),
];

const MOVEMENT = [
  ...(['id', 'kind', 'state', 'charge_reference', 'dispute_id', 'alert_id'] as const),
  ...(['amount_minor', 'currency', 'idempotency_key', 'processor_reference'] as const),
  ...(['observed_from', 'failure_code', 'failure_class', 'sent_at', 'confirmed_at'] as const),
  ...(['moved_at', 'created_at', 'changed_at'] as const),
] satisfies readonly (keyof MovementRow)[];

const DECLARATION = [
  ...(['action', 'note', 'movement_id', 'despite_minor', 'state', 'attempts'] as const),
  ...(['first_sent_at', 'settled_at', 'remote_outcome'] as const),
];

const CHANGE = ['changed_at', 'source', 'event_id', 'accepted', 'before', 'after'] as const;

const STEP = [
  ...(['at', 'subject', 'subject_id', 'actor', 'what', 'from_state', 'to_state'] as const),
  'detail' as const,
];
