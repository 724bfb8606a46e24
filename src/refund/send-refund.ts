/**
 * Sends a refund: the one place from which money moves.
 *
 * Durable before the call: the key, and `SENT` with a lease. Durable after it: what the processor
 * said, or nothing, in which case the lease runs out and the row becomes `UNKNOWN`. Between the two
 * the lease is read again, right before the socket write, and the call ends with the lease.
 */
import type { Transaction } from 'kysely';
import type { CaseRow } from '../cases/case.store.ts';
import { StaleClaimError } from '../cases/case.store.ts';
import type { HoldReason } from '../cases/hold-reason.ts';
import type { Database } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import { acceptedAlerts } from '../declare/declaration.store.ts';
import { guardRefund } from '../guard/check-refund.ts';
import { isPaused } from '../guard/pause.store.ts';
import { nowDate } from '../kernel/clock.ts';
import { crashPoint } from '../kernel/crash-point.ts';
import { messageOf } from '../kernel/errors.ts';
import { LEASE_MS } from '../kernel/limits.ts';
import { traced } from '../kernel/trace.ts';
import { mustLookFirst } from '../resume/resume.store.ts';
import { refundedOf } from './assess-charge.ts';
import { lookUpOwnRefund, REASON } from './examine.ts';
import { pageIfNeeded } from './page-refund.ts';
import type { ProcessorRefund, RefundOutcome, RefundRequest } from './processor.ts';
import type { ChargeKey, RefundRow } from './refund.store.ts';
import { lockCharge, lockRefundOfCharge, moveRefund } from './refund.store.ts';
import { holdsRefundLease } from './refund-lease.store.ts';
import type { SagaDeps } from './saga-deps.ts';
import type { Settlement } from './settle-refund.ts';
import { HELD_LOOKUP_MS, settleRefund } from './settle-refund.ts';

/** For which case a refund is sent, and what its alert is worth. */
export interface Sponsor {
  readonly owner: CaseRow;
  readonly byOperator: boolean;
  readonly alertMinor: number;
  /** Nothing was sent before, or a look-up proved that it did not execute. */
  readonly provenAbsent: boolean;
  /** Ends the call early; its answer is then unknown. */
  readonly signal: AbortSignal;
}

/**
 * Sends the refund in `held`, an `INTENT` or an `UNKNOWN` that may be repeated. Everything that
 * `examine` asks has been asked.
 */
export async function sendRefund(deps: SagaDeps, held: RefundRow, sponsor: Sponsor): Promise<void> {
  const { db, clock } = deps;
  const sent = await inTransaction(db, (trx) => commitSent(trx, held, { deps, sponsor }));
  await crashPoint('K15');
  if (sent === undefined) return;
  await crashPoint('K7');
  const leaseUntilMs = sent.lease_until?.getTime() ?? 0;
  if (!(await holdsRefundLease(db, sent, nowDate(clock)))) return;
  if (await isPaused(db, sent.organisation_id)) return await stopUnsent(deps, held, sent);
  await crashPoint('K8');
  // Once more without an await before the call: a process may have slept through its own query.
  const leftMs = leaseUntilMs - clock.nowMs();
  if (leftMs <= 0) return;
  const signal = AbortSignal.timeout(leftMs);
  const about = { alertId: sent.alert_id, attributes: { 'forestall.refund_id': sent.id } };
  const outcome = await traced('processor refund', about, () =>
    callProcessor(deps, sent, AbortSignal.any([signal, sponsor.signal])),
  );
  await crashPoint('K9');
  const settlement = await settlementOf(deps, sent, { outcome, alertMinor: sponsor.alertMinor });
  await crashPoint('K10');
  await settleRefund(deps, sent, settlement);
}

/** The kill switch came between the commit and the call: this request never left. */
async function stopUnsent(deps: SagaDeps, held: RefundRow, sent: RefundRow): Promise<void> {
  if (held.first_sent_at !== null) {
    // An earlier request under this key may have executed, so it is asked for again.
    await settleRefund(deps, sent, { to: 'UNKNOWN', reason: 'refunds were paused' });
    return;
  }
  await inTransaction(deps.db, async (trx) => {
    const { organisation_id: organisationId, charge_reference: chargeReference } = sent;
    await lockCharge(trx, { organisationId, chargeReference });
    await moveRefund(trx, sent, {
      to: 'REJECTED',
      now: nowDate(deps.clock),
      nextActionAt: null,
      what: 'not sent',
      detail: { reason: 'paused' },
      set: { failure_code: 'paused', first_sent_at: null, sent_at: null },
    });
  });
}

/** The request as it goes out, the same at every repeat. */
export function requestOf(refund: RefundRow): RefundRequest {
  return {
    idempotencyKey: refund.idempotency_key,
    chargeReference: refund.charge_reference,
    alertId: refund.alert_id,
    reason: REASON,
    amountMinor: refund.amount_minor,
    currency: refund.currency,
  };
}

interface SendContext {
  readonly deps: SagaDeps;
  readonly sponsor: Sponsor;
}

/** Moves the row to `SENT`, or ends it when one of the last checks forbids the call. */
async function commitSent(
  trx: Transaction<Database>,
  held: RefundRow,
  { deps, sponsor }: SendContext,
): Promise<RefundRow | undefined> {
  const charge = { organisationId: held.organisation_id, chargeReference: held.charge_reference };
  await lockCharge(trx, charge);
  const current = await lockRefundOfCharge(trx, charge);
  if (current === undefined || current.version !== held.version) {
    throw new StaleClaimError(`Refund ${held.id} moved on before it was sent.`);
  }
  // Restored or taken over within this very step: the lease ends, and the row is looked at anew.
  if (await mustLookFirst(trx, charge)) return undefined;
  const now = nowDate(deps.clock);
  const refusal = await lastRefusal(trx, current, { charge, deps, sponsor, now });
  if (refusal !== undefined) {
    // Without proof that an earlier request came to nothing, "rejected" would be a guess.
    const settled = sponsor.provenAbsent;
    const row = await moveRefund(trx, current, {
      to: settled ? 'REJECTED' : 'HUMAN',
      now,
      nextActionAt: settled ? null : new Date(now.getTime() + HELD_LOOKUP_MS),
      what: 'not sent',
      detail: { reason: refusal },
      set: { failure_code: refusal },
    });
    await pageIfNeeded(trx, current, { row, now });
    return undefined;
  }
  const until = new Date(now.getTime() + LEASE_MS);
  return await moveRefund(trx, current, {
    to: 'SENT',
    now,
    nextActionAt: until,
    lease: { owner: deps.workerId, until },
    what: current.first_sent_at === null ? 'refund sent' : 'refund sent again, same key',
    detail: { key: current.idempotency_key },
    set: { sent_at: now, first_sent_at: current.first_sent_at ?? now },
  });
}

interface RefusalContext extends SendContext {
  readonly charge: ChargeKey;
  readonly now: Date;
}

async function lastRefusal(
  trx: Transaction<Database>,
  refund: RefundRow,
  { deps, sponsor, charge, now }: RefusalContext,
): Promise<HoldReason | undefined> {
  if (refund.network_alert_id !== null) return 'network_refunded';
  const accepted = await acceptedAlerts(trx, charge);
  const forbidding = sponsor.byOperator
    ? accepted.includes(sponsor.owner.alert_id)
    : accepted.length > 0;
  if (forbidding) return 'another_alert_accepted';
  if (refund.first_sent_at !== null) {
    return (await isPaused(trx, refund.organisation_id)) ? 'paused' : undefined;
  }
  return await guardRefund(trx, refund, {
    owner: sponsor.owner,
    settings: deps.settings.guards,
    now,
  });
}

/** Calls the processor. Whatever is not a clear answer is `unknown`, never "failed". */
async function callProcessor(
  { processor }: SagaDeps,
  sent: RefundRow,
  signal: AbortSignal,
): Promise<RefundOutcome> {
  try {
    if (sent.kind === 'refund') return await processor.refund(requestOf(sent), signal);
    const voided = await processor.voidCharge(sent.charge_reference, sent.idempotency_key, signal);
    if (voided === 'voided') return { kind: 'confirmed', refund: releaseOf(sent) };
    if (voided === 'unknown') return { kind: 'unknown', reason: 'void unanswered' };
    return {
      kind: 'rejected',
      failureCode: voided === 'not_offered' ? 'void_not_offered' : 'void_failed',
      failureClass: voided === 'not_offered' ? 'final' : 'retry',
    };
  } catch (error) {
    return { kind: 'unknown', reason: messageOf(error) };
  }
}

/** A released authorisation, in the shape of a refund of nothing. */
export function releaseOf(refund: RefundRow): ProcessorRefund {
  return {
    reference: refund.charge_reference,
    idempotencyKey: refund.idempotency_key,
    chargeReference: refund.charge_reference,
    status: 'succeeded',
    failureCode: null,
    amountMinor: 0,
    currency: refund.currency,
    createdAt: null,
  };
}

async function settlementOf(
  deps: SagaDeps,
  sent: RefundRow,
  { outcome, alertMinor }: { readonly outcome: RefundOutcome; readonly alertMinor: number },
): Promise<Settlement> {
  switch (outcome.kind) {
    case 'confirmed':
    case 'pending': {
      const { refund } = outcome;
      const isSame = refund.amountMinor === sent.amount_minor && refund.currency === sent.currency;
      if (!isSame) return { to: 'UNKNOWN', reason: 'the processor answered another amount' };
      return { to: outcome.kind === 'confirmed' ? 'CONFIRMED' : 'PENDING', refund };
    }
    case 'unknown':
      return { to: 'UNKNOWN', reason: outcome.reason };
    case 'rejected':
      return await rejectionOf(deps, sent, { failureCode: outcome.failureCode, alertMinor });
  }
}

/**
 * A refusal is believed only after a look: "already refunded" may mean our own earlier request, or
 * somebody else's refund, and then the alert is answered with it.
 */
export async function rejectionOf(
  deps: SagaDeps,
  refund: RefundRow,
  { failureCode, alertMinor }: { readonly failureCode: string; readonly alertMinor: number | null },
): Promise<Settlement> {
  if (refund.kind === 'void') return { to: 'REJECTED', failureCode };
  const signal = AbortSignal.timeout(LEASE_MS);
  const [own, charge] = await Promise.all([
    lookUpOwnRefund(deps, requestOf(refund), signal),
    deps.processor.readCharge(refund.charge_reference, signal),
  ]);
  if (own.kind === 'unavailable' || charge.kind === 'unavailable') {
    return { to: 'UNKNOWN', reason: `refused (${failureCode}), and could not be checked` };
  }
  if (own.kind === 'found' && own.value.status !== 'failed') {
    const to = own.value.status === 'pending' ? 'PENDING' : 'CONFIRMED';
    const isSame =
      own.value.amountMinor === refund.amount_minor && own.value.currency === refund.currency;
    return isSame
      ? { to, refund: own.value }
      : { to: 'UNKNOWN', reason: 'another amount stands under our key' };
  }
  if (charge.kind !== 'found' || alertMinor === null) return { to: 'REJECTED', failureCode };
  const external = refundedOf(charge.value);
  if (external.settledMinor >= alertMinor) return { to: 'REJECTED', failureCode, external };
  const isPartly = external.settledMinor + external.pendingMinor > 0;
  return { to: 'REJECTED', failureCode: isPartly ? 'partly_refunded' : failureCode };
}
