/**
 * What a person decides about an alert: `REFUND`, `ACCEPT_DISPUTE`, or `RETRY` what got stuck.
 *
 * Taken under the case's row lock, so of two people one wins and the other is told so (F90). A person
 * chooses within the rules about money, never around them: the steps that follow check everything again.
 */
import type { Kysely, Transaction } from 'kysely';
import { writeAudit } from '../audit/audit.store.ts';
import type { Database } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import type { RefundRow } from '../refund/refund.store.ts';
import { findRefundOfCharge, lockCharge, rearmRefund } from '../refund/refund.store.ts';
import { coversAlert, isDeclarable } from '../refund/refund-cover.ts';
import { declareRefunded } from '../refund/reserve-refund.ts';
import { claimOfAnother, dropClaim } from '../review/claim.store.ts';
import { readAlertFacts } from './alert-facts.store.ts';
import type { CaseRow } from './case.store.ts';
import { lockCase, moveCase } from './case.store.ts';
import { insertOperatorDecision } from './case-decision.store.ts';
import type { CaseState } from './case-state.ts';
import { isTerminal } from './case-state.ts';
import { holdsMoneyElsewhere, writeOperatorMatch } from './operator-match.store.ts';
import { seenMark } from './seen.ts';

/** What a person may ask for. */
export const OPERATOR_ACTIONS = ['REFUND', 'ACCEPT_DISPUTE', 'RETRY'] as const;
export type OperatorAction = (typeof OPERATOR_ACTIONS)[number];

/** A person's decision. */
export interface OperatorDecision {
  readonly organisationId: string;
  readonly alertId: string;
  readonly action: OperatorAction;
  readonly note: string;
  /** The person's name, as the audit log shows it. */
  readonly operator: string;
  /** The charge the alert is about, where the match left it open. */
  readonly chargeReference?: string;
  /** {@link seenMark} of the case as the person saw it; another one by now is refused. */
  readonly seen?: string;
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
  too_late: 'The deadline has passed; nothing is refunded any more.',
  refund_under_way: 'The charge was refunded, or a refund of it is under way.',
  refund_elsewhere: 'For this alert a refund of another charge was begun. Settle that one first.',
} as const;
export type OperatorRefusal = keyof typeof OPERATOR_REFUSALS;

/** How it ended. */
export type OperatorResult =
  | { readonly ok: true; readonly state: CaseState }
  | { readonly ok: false; readonly reason: OperatorRefusal };

/** States in which a person's decision is awaited or may replace what is planned. */
export const DECIDABLE: readonly CaseState[] = ['HUMAN', 'UNMATCHED', 'AMBIGUOUS', 'MATCHED'];

/** Takes a person's decision. Refusals are written to the audit log too. */
export async function applyOperatorDecision(
  db: Kysely<Database>,
  decision: OperatorDecision,
): Promise<OperatorResult> {
  return await inTransaction(db, async (trx) => {
    const { organisationId, alertId } = decision;
    const reference = await chargeOf(trx, decision);
    // The charge's lock comes before the row's, as everywhere.
    if (reference !== null) await lockCharge(trx, { organisationId, chargeReference: reference });
    const current = await lockCase(trx, organisationId, alertId);
    if (current === undefined) return { ok: false, reason: 'not_found' };
    const another = await claimOfAnother(trx, decision, decision.operator);
    const result =
      another === undefined
        ? await decide(trx, current, { decision, reference })
        : refuse('claimed_by_another');
    if (result.ok) await dropClaim(trx, decision);
    await recordAttempt(trx, current, { decision, result });
    return result;
  });
}

async function chargeOf(
  trx: Transaction<Database>,
  { organisationId, alertId, chargeReference }: OperatorDecision,
): Promise<string | null> {
  if (chargeReference !== undefined) return chargeReference;
  const row = await trx
    .selectFrom('alert_case')
    .select('charge_reference')
    .where('organisation_id', '=', organisationId)
    .where('alert_id', '=', alertId)
    .executeTakeFirst();
  return row?.charge_reference ?? null;
}

interface Asked {
  readonly decision: OperatorDecision;
  readonly reference: string | null;
}

async function decide(
  trx: Transaction<Database>,
  current: CaseRow,
  { decision, reference }: Asked,
): Promise<OperatorResult> {
  const { organisationId, action } = decision;
  if (isTerminal(current.state)) return refuse('closed');
  const alert = await readAlertFacts(trx, organisationId, current.alert_id);
  if (alert?.enrolmentType === 'NETB_RDR') return refuse('rdr');
  const refund =
    reference === null
      ? undefined
      : await findRefundOfCharge(trx, { organisationId, chargeReference: reference });
  const subject = { decision, reference, refund, alertMinor: alert?.amountMinor ?? null };
  if (action === 'RETRY') return await retry(trx, current, subject);
  if (!DECIDABLE.includes(current.state)) return refuse('already_decided');
  if (decision.seen !== undefined && decision.seen !== seenMark(current)) return refuse('stale');
  return action === 'REFUND'
    ? await decideRefund(trx, current, subject)
    : await decideAccept(trx, current, subject);
}

function refuse(reason: OperatorRefusal): OperatorResult {
  return { ok: false, reason };
}

interface Subject extends Asked {
  readonly refund: RefundRow | undefined;
  readonly alertMinor: number | null;
}

async function decideRefund(
  trx: Transaction<Database>,
  current: CaseRow,
  { decision, reference, refund, alertMinor }: Subject,
): Promise<OperatorResult> {
  const { now, operator } = decision;
  if (reference === null) return refuse('charge_needed');
  if (current.deadline_at <= now) return refuse('too_late');
  if (refund !== undefined && !mayJoin(refund, alertMinor)) return refuse('refund_under_way');
  if (await holdsMoneyElsewhere(trx, current, reference)) return refuse('refund_elsewhere');
  const decisionId = await insertOperatorDecision(trx, { ...decision, action: 'REFUND' });
  const matched = await withCharge(trx, current, { decision, reference });
  await moveCase(trx, matched, {
    to: 'DECIDED_REFUND',
    now,
    nextActionAt: now,
    what: 'decided REFUND',
    actor: `operator:${operator}`,
    set: { decision_id: decisionId, ...NO_LONGER_HELD },
  });
  return { ok: true, state: 'DECIDED_REFUND' };
}

/** A charge whose refund is not begun, was refused, or suffices for this alert too. */
function mayJoin(refund: RefundRow, alertMinor: number | null): boolean {
  if (refund.state === 'INTENT' || refund.state === 'REJECTED') return true;
  return isDeclarable(refund, false) && coversAlert(refund, alertMinor);
}

const NO_LONGER_HELD = { hold_reason: null, fallback_action: null, fallback_at: null };

/** The case with the charge a person named, or as it is. Unmatched cases become `MATCHED` by it. */
async function withCharge(
  trx: Transaction<Database>,
  current: CaseRow,
  { decision, reference }: { readonly decision: OperatorDecision; readonly reference: string },
): Promise<CaseRow> {
  const isOpenQuestion = current.state === 'UNMATCHED' || current.state === 'AMBIGUOUS';
  if (!isOpenQuestion && current.charge_reference === reference) return current;
  const matchId = await writeOperatorMatch(trx, current, {
    ...decision,
    chargeReference: reference,
  });
  const { now, operator } = decision;
  return await moveCase(trx, current, {
    to: isOpenQuestion ? 'MATCHED' : current.state,
    now,
    nextActionAt: now,
    what: 'charge named by a person',
    actor: `operator:${operator}`,
    detail: { charge: reference },
    set: { match_id: matchId, charge_reference: reference, refund_id: null },
  });
}

async function decideAccept(
  trx: Transaction<Database>,
  current: CaseRow,
  { decision, refund }: Subject,
): Promise<OperatorResult> {
  // What is refused, cancelled or failed leaves the dispute to be accepted; all else has money in it.
  if (refund !== undefined && refund.state !== 'REJECTED') return refuse('refund_under_way');
  const { now, operator } = decision;
  const decisionId = await insertOperatorDecision(trx, { ...decision, action: 'ACCEPT_DISPUTE' });
  await moveCase(trx, current, {
    to: 'DECIDED_ACCEPT',
    now,
    nextActionAt: now,
    what: 'decided ACCEPT_DISPUTE',
    actor: `operator:${operator}`,
    set: { decision_id: decisionId, ...NO_LONGER_HELD },
  });
  return { ok: true, state: 'DECIDED_ACCEPT' };
}

/** Goes on where it got stuck: declare what stands, ask about what is open, or look at it all again. */
async function retry(
  trx: Transaction<Database>,
  current: CaseRow,
  { decision, refund, alertMinor }: Subject,
): Promise<OperatorResult> {
  const { now, operator } = decision;
  if (refund !== undefined) await rearmRefund(trx, refund, now);
  if (current.state !== 'HUMAN') {
    await moveCase(trx, current, {
      to: current.state,
      now,
      nextActionAt: now,
      what: 'tried again',
      actor: `operator:${operator}`,
    });
    return { ok: true, state: current.state };
  }
  if (refund !== undefined && isDeclarable(refund, false) && coversAlert(refund, alertMinor)) {
    await declareRefunded(trx, current, { refund, now });
    return { ok: true, state: 'DECLARE_REFUND' };
  }
  const isFree = refund === undefined || refund.state === 'REJECTED';
  const to = isFree && current.charge_reference !== null ? 'MATCHED' : 'HUMAN';
  await moveCase(trx, current, {
    to,
    now,
    nextActionAt: now,
    what: 'tried again',
    actor: `operator:${operator}`,
    ...(to === 'MATCHED' ? { set: NO_LONGER_HELD } : {}),
  });
  return { ok: true, state: to };
}

async function recordAttempt(
  trx: Transaction<Database>,
  current: CaseRow,
  { decision, result }: { readonly decision: OperatorDecision; readonly result: OperatorResult },
): Promise<void> {
  await writeAudit(trx, {
    organisationId: decision.organisationId,
    at: decision.now,
    subject: 'operator',
    subjectId: decision.operator,
    alertId: decision.alertId,
    actor: `operator:${decision.operator}`,
    what: result.ok ? `asked for ${decision.action}` : `${decision.action} refused`,
    fromState: current.state,
    toState: result.ok ? result.state : current.state,
    ...(result.ok ? {} : { detail: { reason: result.reason } }),
  });
}
