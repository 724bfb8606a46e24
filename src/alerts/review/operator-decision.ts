/**
 * What a person decides about an alert, or says about its money: one entry, taken under the charge's
 * lock and the case's row lock, so of two people one wins and the other is refused.
 *
 * A person chooses within the rules about money, never around them: the steps that follow check
 * everything again. What is impossible says why.
 */
import { byOperator, writeAudit } from '../../base/audit/audit.store.ts';
import type { Db, Trx } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { readAlertCopy } from '../cases/alert-copy.store.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { lockCase } from '../cases/case.store.ts';
import { readCaseDecision } from '../cases/case-decision.store.ts';
import { caseEtag } from '../cases/case-etag.ts';
import type { CaseState } from '../cases/case-state.ts';
import { isTerminal } from '../cases/case-state.ts';
import type { AmountLimits } from '../guard/guard-settings.ts';
import { lockCharge, readLedger } from '../ledger/ledger.store.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { claimOfAnother, dropClaim } from './claim.store.ts';
import { insertComment } from './review-queue.store.ts';

/** What a person may ask for. */
export const OPERATOR_ACTIONS = [
  'REFUND',
  'ACCEPT_DISPUTE',
  'RETRY',
  'REFUNDED_OUTSIDE',
  'DID_EXECUTE',
  'DID_NOT_EXECUTE',
  'JOIN_DISPUTE',
  'SEPARATE_DISPUTE',
  'NOT_OURS',
] as const;
export type OperatorAction = (typeof OPERATOR_ACTIONS)[number];

/** A person's decision. */
export interface OperatorDecision {
  readonly organisationId: string;
  readonly alertId: string;
  readonly action: OperatorAction;
  readonly note: string;
  /** The person's name, as the audit log shows it. */
  readonly operator: string;
  /** `REFUND`: the charge the alert is about, where the match left it open. */
  readonly chargeReference?: string;
  /** `REFUND` of a charge that is named: the person knows that its card digits are not the alert's. @default false */
  readonly otherCard?: boolean;
  /**
   * `REFUND`: how much; absent: what is missing. `REFUNDED_OUTSIDE`: how much went back. `DID_EXECUTE`: how
   * much, where it is not what was asked for.
   */
  readonly amountMinor?: number;
  /** `ACCEPT_DISPUTE`: accepted although this much went back, as the person was shown. */
  readonly despiteMinor?: number;
  /** `REFUNDED_OUTSIDE`, `DID_EXECUTE`: where the money can be found. */
  readonly reference?: string;
  /** `JOIN_DISPUTE`: the dispute it is the same as. */
  readonly disputeId?: string;
  /** {@link caseEtag} of the case as the person saw it; another one by now is refused. */
  readonly seen?: string;
  /** Above these amounts a second person must say the same. @default no limit */
  readonly approvalAboveMinor?: AmountLimits | undefined;
  readonly now: Date;
}

/** Why a decision is refused, with the sentence the person reads. HTTP status 404 or 409. */
export const OPERATOR_REFUSALS = {
  not_found: 'There is no such alert.',
  closed: 'The alert is closed already.',
  rdr: 'The network refunded this alert by itself; it is never answered.',
  already_decided: 'The alert has been decided already and is being worked on.',
  claimed_by_another: 'Somebody else has claimed this review. Ask them to hand it back.',
  stale: 'The case has changed since you loaded the page. Look at it again, then decide.',
  charge_needed: 'No charge is known for this alert. Name the charge to refund.',
  other_charge:
    'The alert is not about that charge. Only a refund may name another one; choose the charge first.',
  other_card:
    'That charge was paid with other card digits than the alert says. A wallet or a renewed card shows other digits: look at both payments, and confirm that it is another card.',
  too_late: 'The deadline has passed; nothing is refunded any more.',
  too_little_time:
    'Too little time is left before the deadline to refund safely. Accept the dispute, or say what went back outside.',
  disputed:
    'A dispute is open at the processor: a refund would be paid twice. Accept the alert; where the dispute is over, choose "Try again", which asks the processor anew.',
  nothing_to_refund:
    'The payment was declined, released or never captured, so nothing can be refunded. Accept the dispute; "Try again" asks the processor anew.',
  whole_authorisation:
    'The payment is authorised and not captured. Only all of it can be released, which is no answer to a part.',
  remainder_too_small:
    'Less is left of the charge than would have to go back. Name an amount that is left, or accept the dispute.',
  refund_under_way:
    'A refund for this dispute is under way. Wait until it has settled or failed; a request without an answer can be settled with "It did execute" or "It did not execute".',
  refund_elsewhere: 'For this alert a refund of another charge was begun. Settle that one first.',
  dispute_unclear:
    'Another complaint about this charge is known. Say first whether this alert is the same one or another.',
  dispute_accepted:
    'Another alert about the same dispute was answered ACCEPT_DISPUTE, so nothing may be refunded for it.',
  money_went_back:
    'The money for this alert has gone back. Choose Refund: Forestall then declares it without moving money.',
  part_went_back:
    'A part of the money has gone back. To accept all the same, confirm the sum that may be paid twice.',
  no_such_movement: 'There is no refund of this dispute whose outcome is unknown.',
  may_still_execute:
    'The request may still be executed by the processor. Wait until its lifetime is over, then say that it did not execute.',
  reference_needed: 'Name the reference under which the money can be found.',
  reference_counted:
    'Money under this reference counts already, for this alert or another. One refund answers one complaint: look at what went back, or name another reference.',
  reference_failed:
    'The refund under this reference failed, so nothing went back by it. Look at what went back, or name another reference.',
  reference_other_amount:
    'The processor shows another amount under this reference. Name the amount that it shows.',
  amount_needed: 'Name the amount, in minor units, above zero and at most what is missing.',
  second_person:
    'Noted. The amount is above the limit for one person: it takes effect when another person says the same.',
  no_such_dispute: 'There is no such dispute on this charge.',
  money_rests:
    'Money or an answer depends on this dispute already, so it can no longer be joined or separated.',
} as const;
export type OperatorRefusal = keyof typeof OPERATOR_REFUSALS;

/** How it ended. */
export type OperatorResult =
  | { readonly ok: true; readonly state: CaseState }
  | { readonly ok: false; readonly reason: OperatorRefusal };

/** States in which a person's decision is awaited or may replace what is planned. */
export const DECIDABLE: readonly CaseState[] = ['HUMAN', 'UNMATCHED', 'AMBIGUOUS', 'MATCHED'];

/** The same, and an acceptance that was decided and not said yet: it waits for the processor. */
export const CHANGEABLE: readonly CaseState[] = [...DECIDABLE, 'DECIDED_ACCEPT'];

/** What a decision is taken on. The charge is locked, where one is known. */
export interface DecisionSubject {
  readonly decision: OperatorDecision;
  /** Null: no charge is known. */
  readonly reference: string | null;
  /** Undefined: no charge is known. */
  readonly ledger: Ledger | undefined;
}

/** Carries one action out, or refuses it. */
export type DecideAction = (
  trx: Trx,
  current: CaseRow,
  subject: DecisionSubject,
) => Promise<OperatorResult>;

/** Takes a person's decision. Refusals are written to the audit log too. */
export function createOperatorDecision(
  actions: Readonly<Record<OperatorAction, DecideAction>>,
): (db: Db, decision: OperatorDecision) => Promise<OperatorResult> {
  return (db, decision) =>
    inTransaction(db, async (trx) => {
      const { organisationId, alertId } = decision;
      const reference = await chargeOf(trx, decision);
      // The charge's lock comes before the row's, as everywhere.
      if (reference !== null) await lockCharge(trx, { organisationId, chargeReference: reference });
      const current = await lockCase(trx, organisationId, alertId);
      if (current === undefined) return refuse('not_found');
      const refusal = await generalRefusal(trx, current, decision);
      const result =
        refusal === undefined
          ? await actions[decision.action](trx, current, await subjectOf(trx, decision, reference))
          : refuse(refusal);
      if (result.ok) {
        await dropClaim(trx, decision);
        await storeReason(trx, decision);
      }
      await recordAttempt(trx, current, { decision, result });
      return result;
    });
}

async function subjectOf(
  trx: Trx,
  decision: OperatorDecision,
  reference: string | null,
): Promise<DecisionSubject> {
  const { organisationId } = decision;
  if (reference === null) return { decision, reference, ledger: undefined };
  const ledger = await readLedger(trx, { organisationId, chargeReference: reference });
  return { decision, reference, ledger };
}

/** Actions whose reason is with the decision that they write. */
const KEEPS_ITS_NOTE: ReadonlySet<OperatorAction> = new Set([
  'REFUND',
  'ACCEPT_DISPUTE',
  'NOT_OURS',
]);

/** What a person says about money is evidence later: the reason stays, whichever action it was for. */
async function storeReason(trx: Trx, decision: OperatorDecision): Promise<void> {
  const { action, note, operator } = decision;
  if (note === '' || KEEPS_ITS_NOTE.has(action)) return;
  await insertComment(trx, decision, { operator, text: `Reason for ${action}: ${note}` });
}

async function chargeOf(
  trx: Trx,
  { organisationId, alertId, action, chargeReference }: OperatorDecision,
): Promise<string | null> {
  if (action === 'REFUND' && chargeReference !== undefined) return chargeReference;
  const row = await trx
    .selectFrom('alert_case')
    .select('charge_reference')
    .where('organisation_id', '=', organisationId)
    .where('alert_id', '=', alertId)
    .executeTakeFirst();
  return row?.charge_reference ?? null;
}

/** Says no. */
export function refuse(reason: OperatorRefusal): OperatorResult {
  return { ok: false, reason };
}

async function generalRefusal(
  trx: Trx,
  current: CaseRow,
  decision: OperatorDecision,
): Promise<OperatorRefusal | undefined> {
  const { organisationId, operator, action, seen: seenEtag } = decision;
  const { chargeReference = current.charge_reference } = decision;
  if ((await claimOfAnother(trx, decision, operator)) !== undefined) return 'claimed_by_another';
  if (action !== 'REFUND' && chargeReference !== current.charge_reference) return 'other_charge';
  // What a person knows about a request is heard whatever the case waits for, and after its end too.
  if (action === 'DID_EXECUTE' || action === 'DID_NOT_EXECUTE') return undefined;
  if (isTerminal(current.state)) return 'closed';
  const alert = await readAlertCopy(trx, organisationId, current.alert_id);
  if (alert?.enrolmentType === 'NETB_RDR') return 'rdr';
  if (action === 'RETRY') return undefined;
  if (!CHANGEABLE.includes(current.state)) return 'already_decided';
  if (await isJustAccepted(trx, current)) return 'already_decided';
  return seenEtag !== undefined && seenEtag !== caseEtag(current) ? 'stale' : undefined;
}

/** A person accepted, and it was not tried yet: of two people who decide at once, one is refused. */
async function isJustAccepted(trx: Trx, current: CaseRow): Promise<boolean> {
  if (current.state !== 'DECIDED_ACCEPT' || current.last_error !== null) return false;
  return (await readCaseDecision(trx, current))?.byOperator === true;
}

async function recordAttempt(
  trx: Trx,
  current: CaseRow,
  { decision, result }: { readonly decision: OperatorDecision; readonly result: OperatorResult },
): Promise<void> {
  const { amountMinor, despiteMinor, reference, disputeId } = decision;
  const said = {
    ...(amountMinor === undefined ? {} : { amount_minor: amountMinor }),
    ...(despiteMinor === undefined ? {} : { despite_minor: despiteMinor }),
    ...(reference === undefined ? {} : { reference }),
    ...(disputeId === undefined ? {} : { dispute: disputeId }),
    ...(result.ok ? {} : { reason: result.reason }),
  };
  await writeAudit(trx, {
    organisationId: decision.organisationId,
    at: decision.now,
    ...byOperator(decision.operator),
    alertId: decision.alertId,
    what: result.ok ? `asked for ${decision.action}` : `${decision.action} refused`,
    fromState: current.state,
    toState: result.ok ? result.state : current.state,
    ...(Object.keys(said).length === 0 ? {} : { detail: said }),
  });
}
