/**
 * Which side actions follow from an alert and its decisions. Pure.
 *
 * A subscription is cancelled on every fraud or cancellation alert, also when nothing is refunded: the
 * customer must not be billed again. The rest is what the policy's rule names under `also`.
 */
import { claimSourceOf } from '../cases/claim.ts';
import type { SideAction, SideActionKind } from '../decide/policy.ts';
import type { CancelChoice } from '../guard/guard-settings.ts';

/** A decision, reduced to what side actions depend on. */
export interface DecidedSideActions {
  readonly action: 'REFUND' | 'ACCEPT_DISPUTE' | 'REVIEW' | 'NONE';
  readonly byOperator: boolean;
  /** A guard stopped what the policy had proposed. */
  readonly guarded: boolean;
  readonly sentence: string;
  readonly wanted: readonly SideAction[];
}

/** What is known when side actions are planned. */
export interface SideActionFacts {
  readonly alertId: string;
  readonly enrolmentType: string | null;
  readonly reasonCode: string | null;
  /** The case's decisions, oldest first; none for what the network resolved by itself. */
  readonly decisions: readonly DecidedSideActions[];
  readonly charge: string | null;
  /** The charge belongs to a subscription, as the order or the processor said. */
  readonly subscribed: boolean;
  /** Its reference where it is known: the processor's, or the order's own. */
  readonly subscription: string | null;
  readonly order: string | null;
  /** Hashed identities of the customer. */
  readonly customer: readonly string[];
  readonly cancelSubscriptions: CancelChoice;
}

/** One side action to be done. */
export interface PlannedSideAction {
  readonly kind: SideActionKind;
  readonly subject: string;
  /** `policy`; `alert` or `network` for what is done without being asked. */
  readonly cause: 'policy' | 'alert' | 'network';
  readonly detail: Readonly<Record<string, unknown>>;
}

/** Done at once, also while a person decides: waiting would defeat them, and both can be undone. */
const AT_ONCE: readonly SideActionKind[] = ['notify', 'stop_fulfilment'];

/**
 * Reason codes that are plainly neither fraud nor a cancellation: authorisation, processing and the
 * other consumer disputes. An alert without a code, or with one that is not known, counts as fraud,
 * because not billing again is the side on which to err.
 */
const OTHER_REASONS =
  /^(?:1[12]\.\d+|13\.[1345689]|4808|4812|4831|4834|4842|4846|4850|4855|4859|4860)$/;

/** Plans. What cannot be done to anything (no subscription, no order, no customer) is left out. */
export function planSideActions(facts: SideActionFacts): PlannedSideAction[] {
  const wanted = facts.decisions.flatMap((decision) => dueOf(decision, facts.decisions));
  const byPolicy = wanted.flatMap(({ action, sentence }) => place(facts, action, sentence));
  return unique([...byPolicy, ...byItself(facts)]);
}

function dueOf(
  { wanted, action, guarded, sentence }: DecidedSideActions,
  all: readonly DecidedSideActions[],
): { readonly action: SideAction; readonly sentence: string }[] {
  const isAnswered = action === 'REFUND' || action === 'ACCEPT_DISPUTE';
  const answeredLater = all.some(
    (later) => later.byOperator && (later.action === 'REFUND' || later.action === 'ACCEPT_DISPUTE'),
  );
  return wanted
    .filter(({ kind }) => {
      if (isAnswered || answeredLater) return true;
      return guarded ? kind === 'notify' : AT_ONCE.includes(kind);
    })
    .map((each) => ({ action: each, sentence }));
}

function place(facts: SideActionFacts, action: SideAction, sentence: string): PlannedSideAction[] {
  const { alertId, order, customer } = facts;
  const cause = 'policy' as const;
  switch (action.kind) {
    case 'cancel_subscription':
      return cancellation(facts, cause);
    case 'stop_fulfilment':
      return order === null ? [] : [{ kind: action.kind, subject: order, cause, detail: {} }];
    case 'block_customer': {
      const [subject] = customer;
      const detail = { identities: customer, order };
      return subject === undefined ? [] : [{ kind: action.kind, subject, cause, detail }];
    }
    case 'notify':
      return [
        { kind: action.kind, subject: alertId, cause, detail: { text: action.text ?? sentence } },
      ];
  }
}

function byItself(facts: SideActionFacts): PlannedSideAction[] {
  const { cancelSubscriptions, reasonCode, enrolmentType } = facts;
  // A promise of support may be about one delivery only: with a claim, the policy names what else is done.
  const isClaim = claimSourceOf(enrolmentType) !== undefined;
  if (cancelSubscriptions === 'never' || isClaim) return [];
  const isOther = reasonCode !== null && OTHER_REASONS.test(reasonCode);
  if (cancelSubscriptions === 'fraud_and_cancellation' && isOther) return [];
  return cancellation(facts, enrolmentType === 'NETB_RDR' ? 'network' : 'alert');
}

/**
 * The subject is the charge: which subscription it belongs to is asked at the processor when it is
 * cancelled, because an order's own reference need not be the processor's.
 */
function cancellation(
  { charge, subscribed, subscription }: SideActionFacts,
  cause: PlannedSideAction['cause'],
): PlannedSideAction[] {
  if (charge === null || !subscribed) return [];
  return [{ kind: 'cancel_subscription', subject: charge, cause, detail: { subscription } }];
}

/** The policy's wish comes before what is done by itself. */
function unique(planned: readonly PlannedSideAction[]): PlannedSideAction[] {
  const byKey = new Map<string, PlannedSideAction>();
  for (const each of planned) {
    const key = `${each.kind} ${each.subject}`;
    if (!byKey.has(key)) byKey.set(key, each);
  }
  return [...byKey.values()];
}
