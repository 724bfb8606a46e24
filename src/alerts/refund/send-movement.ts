/**
 * Sends a movement: the one place from which money moves.
 *
 * Durable before the call: the key, and `SENT` with a lease. Durable after it: what the processor
 * said, or nothing, in which case the lease runs out and the row becomes `UNKNOWN`. Between the two
 * the lease is read again, right before the socket write, and the call ends with the lease.
 *
 * The case that waits for the movement goes on in the transaction that settles it: what follows when it is through, came to
 * nothing, or is in doubt ({@link judgeRefunding}).
 */

import type { Trx } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { cutWaitMs } from '../../base/kernel/backoff.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { crashPoint } from '../../base/kernel/crash-point.ts';
import { messageOf } from '../../base/kernel/errors.ts';
import { traced } from '../../base/kernel/trace.ts';
import { withinTime } from '../../base/kernel/within-time.ts';
import type { ProcessorCapabilities, RefundOutcome } from '../../service/wire/processor.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { moveCase, replanCase, StaleClaimError } from '../cases/case.store.ts';
import { readPolicyFallback } from '../cases/case-decision.store.ts';
import type { Hold } from '../cases/hold-case.ts';
import { holdCase } from '../cases/hold-case.ts';
import { noteRefusal } from '../guard/processor-breaker.store.ts';
import { lockCharge, readLedger } from '../ledger/ledger.store.ts';
import type { Ledger, Movement } from '../ledger/ledger.ts';
import type { OurMovementRow } from '../ledger/movement.store.ts';
import { mayStillSend } from '../ledger/movement-lease.store.ts';
import { releaseOf, requestOf } from '../ledger/movement-request.ts';
import type { Settlement } from '../ledger/settle-movement.ts';
import { declareIfCovered, settleIn } from '../ledger/settle-movement.ts';
import { tellConsequences } from '../ledger/tell-consequences.ts';
import { lookUp } from './look-up.ts';
import { ruleRefusal } from './refusal.ts';
import type { SagaDeps } from './saga-deps.ts';

/** A waiting case looks again by itself this often, in milliseconds; its movement's moves wake it at once. */
const LOOK_MS = 10 * 60_000;

/** How a movement is sent. */
export interface SendContext {
  /** The case that waits for it, held by this worker; undefined: the movement's own runner repeats it. */
  readonly claim: CaseRow | undefined;
  readonly capabilities: ProcessorCapabilities;
  /** Nothing was sent before, or a look-up proved that it did not execute. */
  readonly provenAbsent: boolean;
  /** What other movements of the charge are shown as: an answer with one of these is no answer to this request. */
  readonly taken: ReadonlySet<string>;
  /** Ends the call early; its answer is then unknown. */
  readonly signal: AbortSignal;
}

/** Sends a row that this worker has just committed as `SENT`, and writes what became of it. */
export async function sendMovement(
  deps: SagaDeps,
  sent: OurMovementRow,
  context: SendContext,
): Promise<void> {
  const { clock } = deps;
  await crashPoint('refund.marked_sent');
  const leaseUntilMs = sent.lease_until?.getTime() ?? 0;
  const standing = await mayStillSend(deps.db, sent, nowDate(clock));
  if (standing === 'lease_lost') return;
  if (standing === 'paused') return await stopUnsent(deps, sent, context);
  await crashPoint('refund.cleared');
  // Once more without an await before the call: a process may have slept through its own query.
  const leftMs = leaseUntilMs - clock.nowMs();
  if (leftMs <= 0) return;
  const about = { alertId: sent.alert_id, attributes: { 'forestall.movement_id': sent.id } };
  const outcome = await withinTime(leftMs, context.signal, (signal) =>
    traced('processor refund', about, () => callProcessor(deps, sent, signal)),
  );
  await crashPoint('refund.answered');
  const settlement = await settlementOf(deps, sent, { ...context, outcome });
  await crashPoint('refund.understood');
  await settleMovement(deps, sent, { ...context, settlement });
}

/** The kill switch came between the commit and the call: this request never left. */
async function stopUnsent(
  deps: SagaDeps,
  sent: OurMovementRow,
  context: SendContext,
): Promise<void> {
  const isRepeat = sent.sent_at?.getTime() !== sent.first_sent_at?.getTime();
  // An earlier request under this key may have executed, so it is asked for again.
  const settlement: Settlement = isRepeat
    ? { to: 'UNKNOWN', reason: 'refunds were paused' }
    : { to: 'NOT_SENT', failureCode: 'paused' };
  await settleMovement(deps, sent, { ...context, settlement });
}

/** Commits what became of a movement, and continues with the case that waits for it. */
export async function settleMovement(
  deps: SagaDeps,
  from: OurMovementRow,
  context: Pick<SendContext, 'claim' | 'capabilities'> & { readonly settlement: Settlement },
): Promise<void> {
  let state: string;
  try {
    state = await settleOnce(deps, from, context);
  } catch (error) {
    // The case has moved on meanwhile: what became of the money is written all the same.
    if (!(error instanceof StaleClaimError) || context.claim === undefined) throw error;
    state = await settleOnce(deps, from, { ...context, claim: undefined });
  }
  await crashPoint('refund.settled');
  deps.log.info(
    { movementId: from.id, alertId: from.alert_id, state },
    `refund ${state.toLowerCase()}`,
  );
}

async function settleOnce(
  deps: SagaDeps,
  from: OurMovementRow,
  { claim, capabilities, settlement }: Parameters<typeof settleMovement>[2],
): Promise<string> {
  const { organisation_id: organisationId, charge_reference: chargeReference } = from;
  const charge = { organisationId, chargeReference };
  const { asyncRefunds, pendingCounts } = capabilities;
  return await inTransaction(deps.db, async (trx) => {
    const now = nowDate(deps.clock);
    // Locked a second time in this step: the call lay between, and no transaction is open during one.
    await lockCharge(trx, charge, settlement.to === 'CONFIRMED' ? { read_at: now } : {});
    const row = await settleIn(trx, from, {
      settlement,
      now,
      asyncRefunds,
      holder: claim?.alert_id,
    });
    await noteRefusal(trx, { organisationId, settlement, now });
    // Read a second time in this step: others may have moved meanwhile, and no statement sees its own move.
    const after = await readLedger(trx, charge);
    const before = asItWas(after, from);
    await tellConsequences(trx, { charge, before, after, pendingCounts, now });
    if (claim !== undefined) {
      const view = { ledger: after, pendingCounts, isJustSettled: true };
      await judgeRefunding(trx, claim, { ...view, now });
    }
    return row.state;
  });
}

/** The ledger before the movement was settled. */
function asItWas(after: Ledger, { id, state }: OurMovementRow): Ledger {
  const movements = after.movements.map((each) => (each.id === id ? { ...each, state } : each));
  return { ...after, movements };
}

/** Calls the processor. Whatever is not a clear answer is `unknown`, never "failed". */
async function callProcessor(
  { processor }: SagaDeps,
  sent: OurMovementRow,
  signal: AbortSignal,
): Promise<RefundOutcome> {
  try {
    if (sent.kind === 'refund') return await processor.refund(requestOf(sent), signal);
    const voided = await processor.voidCharge(sent.charge_reference, sent.idempotency_key, signal);
    if (voided === 'voided') return { kind: 'confirmed', refund: releaseOf(sent) };
    if (voided === 'unknown') return { kind: 'unknown', reason: 'void unanswered' };
    const isOffered = voided !== 'not_offered';
    return {
      kind: 'rejected',
      failureCode: isOffered ? 'void_failed' : 'void_not_offered',
      failureClass: isOffered ? 'retry' : 'final',
    };
  } catch (error) {
    return { kind: 'unknown', reason: messageOf(error) };
  }
}

async function settlementOf(
  deps: SagaDeps,
  sent: OurMovementRow,
  { outcome, provenAbsent, taken }: SendContext & { readonly outcome: RefundOutcome },
): Promise<Settlement> {
  switch (outcome.kind) {
    case 'confirmed':
    case 'pending': {
      const { refund } = outcome;
      const isSame = refund.amountMinor === sent.amount_minor && refund.currency === sent.currency;
      if (!isSame) return { to: 'UNKNOWN', reason: 'the processor answered another amount' };
      if (refund.chargeReference !== sent.charge_reference) {
        return { to: 'UNKNOWN', reason: 'the processor answered with a refund of another charge' };
      }
      if (sent.kind === 'refund' && taken.has(refund.reference)) {
        return {
          to: 'UNKNOWN',
          reason: 'the processor answered with another refund of the charge',
        };
      }
      return { to: outcome.kind === 'confirmed' ? 'CONFIRMED' : 'PENDING', refund };
    }
    case 'unknown':
      return { to: 'UNKNOWN', reason: outcome.reason };
    case 'rejected':
      return provenAbsent
        ? { to: 'REJECTED', failureCode: outcome.failureCode, failureClass: outcome.failureClass }
        : await refusedRepeat(deps, sent, outcome);
  }
}

/** A repeat was refused: the first request under the key may have executed, so it is looked up. */
async function refusedRepeat(
  deps: SagaDeps,
  sent: OurMovementRow,
  { failureCode, failureClass }: Extract<RefundOutcome, { kind: 'rejected' }>,
): Promise<Settlement> {
  const signal = AbortSignal.timeout(
    Math.max(1, (sent.lease_until?.getTime() ?? 0) - deps.clock.nowMs()),
  );
  const answer = await lookUp(deps, sent, signal);
  if (answer.kind === 'absent') return { to: 'REJECTED', failureCode, failureClass };
  if (answer.kind !== 'found') {
    return { to: 'UNKNOWN', reason: `refused (${failureCode}), and could not be looked up` };
  }
  const { value } = answer;
  if (value.status === 'failed') return { to: 'REJECTED', failureCode, failureClass };
  const isSame = value.amountMinor === sent.amount_minor && value.currency === sent.currency;
  return isSame
    ? { to: value.status === 'pending' ? 'PENDING' : 'CONFIRMED', refund: value }
    : { to: 'UNKNOWN', reason: 'another amount stands under our key' };
}

/** The case waits for the movement. It moves once more in this step: that it waits is durable before anything is sent. */
export async function attachCase(
  trx: Trx,
  claim: CaseRow,
  to: { readonly movementId: string; readonly now: Date; readonly keepLease?: boolean },
): Promise<CaseRow> {
  const { movementId, now, keepLease = false } = to;
  return await moveCase(trx, claim, {
    to: 'REFUNDING',
    now,
    nextActionAt: lookAgainAt(claim, now),
    what: keepLease ? 'money reserved' : 'waits for the refund under way',
    detail: { movement: movementId },
    set: { movement_id: movementId, hold_reason: null },
    keepLease,
  });
}

export function lookAgainAt(claim: CaseRow, now: Date): Date {
  return new Date(now.getTime() + cutWaitMs(LOOK_MS, claim.deadline_at.getTime(), now.getTime()));
}

/** What a waiting case is judged by. */
interface RefundingView {
  readonly ledger: Ledger;
  readonly pendingCounts: boolean;
  /** The movement was settled just now, and the charge not read since. */
  readonly isJustSettled?: boolean;
  readonly now: Date;
}

/** Goes on with a case that waits, by what became of its movement. The charge is locked. */
export async function judgeRefunding(
  trx: Trx,
  claim: CaseRow,
  { ledger, pendingCounts, isJustSettled = false, now }: RefundingView,
): Promise<void> {
  if ((await declareIfCovered(trx, claim, { ledger, pendingCounts, now })) !== undefined) return;
  const movement = ledger.movements.find(({ id }) => id === claim.movement_id);
  if (movement === undefined) {
    await holdCase(trx, claim, { reason: 'no_charge', fallback: 'keep', now });
    return;
  }
  // "Already refunded": the charge is read again before anything is concluded.
  if (isJustSettled && movement.state === 'REJECTED' && movement.failureClass === 'done') {
    return await replanCase(trx, claim, { now, nextActionAt: now });
  }
  await afterMovement(trx, claim, { movement, now });
}

async function afterMovement(
  trx: Trx,
  claim: CaseRow,
  after: {
    readonly movement: Movement;
    readonly now: Date;
  },
): Promise<void> {
  const { movement, now } = after;
  const hold = async (reason: Hold['reason']): Promise<void> =>
    void (await holdCase(trx, claim, { reason, fallback: 'keep', now }));
  switch (movement.state) {
    case 'SENT':
    case 'UNKNOWN':
    case 'PENDING':
      return await replanCase(trx, claim, { now, nextActionAt: lookAgainAt(claim, now) });
    case 'HUMAN':
      return await hold('refund_unresolved');
    case 'REVERSED':
      return await hold('refund_reversed');
    case 'CONFIRMED':
      return await hold('not_declarable');
    case 'REJECTED':
    case 'NOT_SENT': {
      const { state, round, failureCode, failureClass } = movement;
      const refused = { state, round, failure_code: failureCode, failure_class: failureClass };
      return await holdRefused(trx, claim, { movement: refused, now });
    }
  }
}

function againAt(claim: CaseRow, againMs: number | null, now: Date): Date | null {
  if (againMs === null) return null;
  return new Date(now.getTime() + cutWaitMs(againMs, claim.deadline_at.getTime(), now.getTime()));
}

type RefusedRow = Pick<OurMovementRow, 'state' | 'failure_code' | 'failure_class' | 'round'>;

/** The movement came to nothing: the case is held, and tried again where the cause may pass. */
export async function holdRefused(
  trx: Trx,
  claim: CaseRow,
  refused: {
    readonly movement: RefusedRow;
    /** Whose guard it was, where it is not the organisation's. */
    readonly layer?: string | undefined;
    readonly now: Date;
  },
): Promise<void> {
  const { movement, layer, now } = refused;
  const { failure_code: code, failure_class: failureClass, round } = movement;
  const state = movement.state === 'NOT_SENT' ? 'NOT_SENT' : 'REJECTED';
  const acceptsFinal = claim.when_refused === 'ACCEPT_DISPUTE';
  const ruling = ruleRefusal(
    { state, code, failureClass, round },
    { acceptsFinal, random: Math.random() },
  );
  const detail = { code, class: failureClass, ...(layer === undefined ? {} : { layer }) };
  if (ruling.accepts) {
    await moveCase(trx, claim, {
      to: 'DECIDED_ACCEPT',
      now,
      nextActionAt: now,
      what: 'refund refused for good, dispute accepted by policy',
      detail,
    });
    return;
  }
  await holdCase(trx, claim, {
    reason: ruling.reason,
    // What a person decided must not outlast what the policy planned.
    fallback: claim.fallback_action === null ? await readPolicyFallback(trx, claim) : 'keep',
    againAt: againAt(claim, ruling.againMs, now),
    now,
    detail,
  });
}
