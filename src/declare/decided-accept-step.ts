/**
 * The step of a case decided as `ACCEPT_DISPUTE`: it may be said only of a charge whose money has not
 * moved and cannot move any more (I3).
 *
 * The processor is asked first, because somebody else may have refunded. Then, under the charge's lock,
 * our own refund is looked at and the answer is stored; from that moment no refund can be sent.
 */
import type { Transaction } from 'kysely';
import { readAlertFacts } from '../cases/alert-facts.store.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { moveCase, postponeCase, replanCase } from '../cases/case.store.ts';
import { readCaseDecision } from '../cases/case-decision.store.ts';
import type { CaseStep } from '../cases/case-runner.ts';
import type { Hold } from '../cases/hold-case.ts';
import { holdCase } from '../cases/hold-case.ts';
import type { Database } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import { backoffMs } from '../kernel/backoff.ts';
import { nowDate } from '../kernel/clock.ts';
import { crashPoint } from '../kernel/crash-point.ts';
import type { Refunded } from '../refund/assess-charge.ts';
import { refundedOf } from '../refund/assess-charge.ts';
import { guardAtMs } from '../refund/examine.ts';
import type { ProcessorCharge } from '../refund/processor.ts';
import { CAUTIOUS_CAPABILITIES } from '../refund/processor.ts';
import type { ChargeKey, RefundRow } from '../refund/refund.store.ts';
import {
  insertRefund,
  lockCharge,
  lockRefundOfCharge,
  moveRefund,
} from '../refund/refund.store.ts';
import { casesOfRefund } from '../refund/refund-cases.store.ts';
import { coversAlert, isDeclarable } from '../refund/refund-cover.ts';
import { MONEY_AT_STAKE } from '../refund/refund-state.ts';
import { declareRefunded } from '../refund/reserve-refund.ts';
import type { SagaDeps } from '../refund/saga-deps.ts';
import { bookExternal } from '../refund/settle-refund.ts';
import type { AcceptGrounds } from './accept-grounds.ts';
import { acceptGroundsOf, CHOSEN } from './accept-grounds.ts';
import { oweDeclaration } from './declaration.store.ts';

const ASK_AGAIN = { baseMs: 2_000, maxMs: 2 * 60_000 };

/** How soon the case looks again while a refund of its charge is under way, in milliseconds. */
const LOOK_MS = 30_000;

/** Somebody else's refund that reaches the alert's amount, with what the charge was captured for. */
interface EnoughRefunded extends Refunded {
  readonly capturedMinor: number;
  readonly currency: string;
}

/** Makes the step for `DECIDED_ACCEPT`. */
export function createDecidedAcceptStep(deps: SagaDeps): CaseStep {
  return async (claim, signal) => {
    const decision = await readCaseDecision(deps.db, claim);
    if (deps.shadow || decision?.shadow === true) {
      const hold: Hold = { reason: 'shadow_mode', fallback: 'none', now: nowDate(deps.clock) };
      await inTransaction(deps.db, (trx) => holdCase(trx, claim, hold));
      return;
    }
    const alert = await readAlertFacts(deps.db, deps.organisationId, claim.alert_id);
    const alertMinor = alert?.amountMinor ?? null;
    const reference = claim.charge_reference;
    if (reference === null) {
      await inTransaction(deps.db, (trx) => accept(trx, claim, { deps, grounds: CHOSEN }));
      return;
    }
    const look = await lookAtCharge(deps, { claim, reference, alertMinor }, signal);
    if (look === 'later') return;
    await crashPoint('K5');
    const charge = { organisationId: deps.organisationId, chargeReference: reference };
    await inTransaction(deps.db, (trx) =>
      decideUnderLock(trx, claim, { deps, charge, alertMinor, ...look }),
    );
    await crashPoint('K15');
  };
}

interface Subject {
  readonly claim: CaseRow;
  readonly reference: string;
  readonly alertMinor: number | null;
}

/** What the processor shows of the charge. */
interface ChargeLook {
  /** Somebody refunded, and enough. */
  readonly external: EnoughRefunded | undefined;
  readonly grounds: AcceptGrounds;
}

const UNSEEN: ChargeLook = { external: undefined, grounds: CHOSEN };

/** Looks at the charge at the processor. `later`: it cannot be asked, and there is time. */
async function lookAtCharge(
  deps: SagaDeps,
  { claim, reference, alertMinor }: Subject,
  signal: AbortSignal,
): Promise<ChargeLook | 'later'> {
  const answer = await deps.processor.readCharge(reference, signal);
  if (answer.kind === 'found') {
    const { value } = answer;
    return { external: enoughRefunded(value, alertMinor), grounds: acceptGroundsOf(value) };
  }
  if (answer.kind !== 'unavailable' || isPastGuard(deps, claim)) return UNSEEN;
  const now = nowDate(deps.clock);
  const retryAt = new Date(now.getTime() + backoffMs(claim.attempts + 1, ASK_AGAIN));
  await postponeCase(deps.db, claim, { now, retryAt, error: answer.reason });
  return 'later';
}

function enoughRefunded(
  charge: ProcessorCharge,
  alertMinor: number | null,
): EnoughRefunded | undefined {
  const refunded = refundedOf(charge);
  if (alertMinor === null || alertMinor <= 0 || refunded.settledMinor < alertMinor) {
    return undefined;
  }
  return { ...refunded, capturedMinor: charge.amountMinor, currency: charge.currency };
}

function isPastGuard({ clock, settings }: SagaDeps, claim: CaseRow): boolean {
  return clock.nowMs() >= guardAtMs(claim.deadline_at.getTime(), settings.guardMs);
}

interface UnderLock extends ChargeLook {
  readonly deps: SagaDeps;
  readonly charge: ChargeKey;
  readonly alertMinor: number | null;
}

async function decideUnderLock(
  trx: Transaction<Database>,
  claim: CaseRow,
  { deps, charge, alertMinor, external, grounds }: UnderLock,
): Promise<void> {
  await lockCharge(trx, charge);
  const refund = await lockRefundOfCharge(trx, charge);
  const now = nowDate(deps.clock);
  if (refund !== undefined && MONEY_AT_STAKE.includes(refund.state)) {
    return await besideRefund(trx, claim, { deps, refund, alertMinor });
  }
  if (refund?.state === 'REVERSED') {
    await holdCase(trx, claim, { reason: 'refund_reversed', fallback: 'none', now });
    return;
  }
  if (refund?.state === 'INTENT' && !(await cancelOwnIntent(trx, claim, { deps, refund }))) {
    return await wait(trx, claim, deps);
  }
  if (external === undefined) return await accept(trx, claim, { deps, grounds });
  const booked = await bookFound(trx, claim, { charge, refund, external, now });
  await declareRefunded(trx, claim, { refund: booked, now });
}

/** A refund of ours moves, or has moved, this charge's money: the dispute is not to be accepted. */
async function besideRefund(
  trx: Transaction<Database>,
  claim: CaseRow,
  about: {
    readonly deps: SagaDeps;
    readonly refund: RefundRow;
    readonly alertMinor: number | null;
  },
): Promise<void> {
  const { deps, refund, alertMinor } = about;
  const now = nowDate(deps.clock);
  const { pendingCounts } = (await deps.processor.capabilities()) ?? CAUTIOUS_CAPABILITIES;
  if (isDeclarable(refund, pendingCounts) && coversAlert(refund, alertMinor)) {
    await declareRefunded(trx, claim, { refund, now });
    return;
  }
  const isUnderWay = ['SENT', 'UNKNOWN', 'PENDING'].includes(refund.state);
  if (isUnderWay && !isPastGuard(deps, claim)) return await wait(trx, claim, deps);
  await holdCase(trx, claim, {
    reason: isUnderWay ? 'refund_under_way' : reasonBeside(refund),
    fallback: 'none',
    now,
    detail: { refund: refund.id },
  });
}

function reasonBeside(refund: RefundRow): Hold['reason'] {
  return refund.state === 'HUMAN' ? 'refund_unresolved' : 'not_declarable';
}

async function wait(trx: Transaction<Database>, claim: CaseRow, deps: SagaDeps): Promise<void> {
  const now = nowDate(deps.clock);
  await replanCase(trx, claim, { now, nextActionAt: new Date(now.getTime() + LOOK_MS) });
}

/** An intent that no other alert waits for was this case's own: it is withdrawn, never having been sent. */
async function cancelOwnIntent(
  trx: Transaction<Database>,
  claim: CaseRow,
  { deps, refund }: { readonly deps: SagaDeps; readonly refund: RefundRow },
): Promise<boolean> {
  const others = await casesOfRefund(trx, refund, ['REFUNDING']);
  if (others.some(({ alert_id }) => alert_id !== claim.alert_id)) return false;
  await moveRefund(trx, refund, {
    to: 'REJECTED',
    now: nowDate(deps.clock),
    nextActionAt: null,
    what: 'not sent: the dispute is accepted',
    set: { failure_code: 'another_alert_accepted' },
  });
  return true;
}

async function accept(
  trx: Transaction<Database>,
  claim: CaseRow,
  { deps, grounds }: { readonly deps: SagaDeps; readonly grounds: AcceptGrounds },
): Promise<void> {
  const now = nowDate(deps.clock);
  const creditClaim = claim.credit_claim || grounds.creditClaim;
  await oweDeclaration(trx, {
    organisationId: claim.organisation_id,
    alertId: claim.alert_id,
    action: 'ACCEPT_DISPUTE',
    note: claim.answer_note ?? grounds.note,
    refundId: null,
    creditClaim,
    now,
  });
  await moveCase(trx, claim, {
    to: 'DECLARE_ACCEPT',
    now,
    nextActionAt: now,
    what: 'no money moved; the answer is owed',
    set: {
      hold_reason: null,
      fallback_action: null,
      fallback_at: null,
      credit_claim: creditClaim,
    },
  });
}

async function bookFound(
  trx: Transaction<Database>,
  claim: CaseRow,
  found: {
    readonly charge: ChargeKey;
    readonly refund: RefundRow | undefined;
    readonly external: EnoughRefunded;
    readonly now: Date;
  },
): Promise<RefundRow> {
  const { charge, refund, external, now } = found;
  if (refund !== undefined) {
    const current = (await lockRefundOfCharge(trx, charge)) ?? refund;
    return await bookExternal(trx, current, { ...external, now });
  }
  return await insertRefund(trx, {
    state: 'EXTERNAL',
    kind: 'refund',
    charge,
    alert_id: claim.alert_id,
    external_reference: external.reference,
    amount_minor: 0,
    currency: external.currency,
    captured_minor: external.capturedMinor,
    external_minor: Math.min(external.settledMinor, external.capturedMinor),
    next_action_at: null,
    now,
  });
}
