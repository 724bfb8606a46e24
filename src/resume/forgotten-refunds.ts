/**
 * Asks the processor about the charge of every open case, and books what stands there under our own key
 * although our rows do not know it: refunds of the time that a restored database has lost.
 *
 * Nothing is sent. What our rows know to be under way, or over, is left to the refund's own loop.
 */
import type { Transaction } from 'kysely';
import { readAlertFacts } from '../cases/alert-facts.store.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { lockCase } from '../cases/case.store.ts';
import { holdCase } from '../cases/hold-case.ts';
import type { Database } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import { nowDate } from '../kernel/clock.ts';
import { messageOf } from '../kernel/errors.ts';
import { LEASE_MS } from '../kernel/limits.ts';
import type { ChargeVerdict } from '../refund/assess-charge.ts';
import { assessCharge } from '../refund/assess-charge.ts';
import { lookUpOwnRefund, REASON } from '../refund/examine.ts';
import { CAUTIOUS_CAPABILITIES } from '../refund/processor.ts';
import type { ChargeKey, RefundRow } from '../refund/refund.store.ts';
import {
  findRefundOfCharge,
  insertRefund,
  lockCharge,
  lockRefundOfCharge,
  refundKey,
} from '../refund/refund.store.ts';
import { coversAlert, isDeclarable } from '../refund/refund-cover.ts';
import { bookOurs, declareRefunded } from '../refund/reserve-refund.ts';
import type { SagaDeps } from '../refund/saga-deps.ts';
import type { ChargedCase } from './restored-case.store.ts';
import { openCasesWithCharge } from './restored-case.store.ts';

/** A charge about which the processor gave no answer. */
export interface Unanswered {
  readonly chargeReference: string;
  readonly reason: string;
}

/** How far a look has come. */
export interface LookProgress {
  /** Alerts up to and including this one have been looked at. */
  afterId: string;
  looked: number;
  booked: number;
  /** Among those: which have to be looked at again, by alert. */
  readonly unanswered: Map<string, Unanswered>;
  /** When every alert had been looked at once, in milliseconds since 1970. */
  throughAtMs: number | undefined;
}

/** The beginning of a look. */
export function startProgress(): LookProgress {
  return { afterId: '', looked: 0, booked: 0, unanswered: new Map(), throughAtMs: undefined };
}

/** Cases of a page, looked at together. */
const PAGE = 4;

/**
 * Goes on with the look: past every alert once, then again to those about whose charge the processor gave
 * no answer. One that is asked in vain holds up no other. Returns why it is not finished, or undefined.
 */
export async function bookForgottenRefunds(
  deps: SagaDeps,
  progress: LookProgress,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { db, organisationId, clock } = deps;
  if (progress.throughAtMs !== undefined) return await lookAgain(deps, progress, signal);
  for (;;) {
    const page = { organisationId, afterId: progress.afterId, limit: PAGE };
    const rows = await openCasesWithCharge(db, page);
    const ends = await lookAtCases(deps, rows, signal);
    const silent = [...ends.values()].find((end) => end.kind === 'unanswered');
    // No time was left for this page: the next round begins with it.
    if (silent !== undefined && signal.aborted) return silent.reason;
    note(progress, rows, ends);
    progress.looked += rows.length;
    progress.afterId = rows.at(-1)?.alert_id ?? progress.afterId;
    if (rows.length < PAGE) break;
  }
  progress.throughAtMs = clock.nowMs();
  return firstReason(progress);
}

async function lookAgain(
  deps: SagaDeps,
  progress: LookProgress,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { db, organisationId } = deps;
  const left = [...progress.unanswered.keys()];
  for (let place = 0; place < left.length && !signal.aborted; place += PAGE) {
    const alertIds = left.slice(place, place + PAGE);
    const rows = await openCasesWithCharge(db, { organisationId, alertIds, limit: PAGE });
    const ends = await lookAtCases(deps, rows, signal);
    for (const alertId of alertIds) progress.unanswered.delete(alertId);
    note(progress, rows, ends);
  }
  return firstReason(progress);
}

function note(
  progress: LookProgress,
  rows: readonly ChargedCase[],
  ends: ReadonlyMap<string, LookEnd>,
): void {
  for (const { alert_id: alertId, charge_reference: chargeReference } of rows) {
    const end = ends.get(alertId) ?? CLEAR;
    if (end.kind === 'booked') progress.booked += 1;
    if (end.kind !== 'unanswered') continue;
    progress.unanswered.set(alertId, { chargeReference, reason: end.reason });
  }
}

function firstReason({ unanswered }: LookProgress): string | undefined {
  return [...unanswered.values()][0]?.reason;
}

/** Looks at cases side by side; by alert, how each look ended. */
export async function lookAtCases(
  deps: SagaDeps,
  rows: readonly ChargedCase[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, LookEnd>> {
  const ends = await Promise.all(rows.map((row) => lookAtCase(deps, row, signal)));
  return new Map(rows.map(({ alert_id: alertId }, index) => [alertId, ends[index] ?? CLEAR]));
}

/** How a look at one case ended. */
export type LookEnd =
  | { readonly kind: 'clear' }
  | { readonly kind: 'booked' }
  | { readonly kind: 'unanswered'; readonly reason: string };

const CLEAR: LookEnd = { kind: 'clear' };

async function lookAtCase(deps: SagaDeps, row: ChargedCase, signal: AbortSignal): Promise<LookEnd> {
  const { db, organisationId } = deps;
  const charge = { organisationId, chargeReference: row.charge_reference };
  const existing = await findRefundOfCharge(db, charge);
  if (!mayBeForgotten(existing)) return CLEAR;
  try {
    const verdict = await ask(deps, { row, charge, existing }, signal);
    if (verdict.kind === 'wait') return { kind: 'unanswered', reason: verdict.reason };
    if (verdict.kind !== 'ours') return CLEAR;
    const isBooked = await inTransaction(db, (trx) => book(trx, deps, { row, charge, verdict }));
    return isBooked ? { kind: 'booked' } : CLEAR;
  } catch (error) {
    return { kind: 'unanswered', reason: messageOf(error) };
  }
}

/** Only what was never sent, as far as we know, can have been sent in the time that was lost. */
function mayBeForgotten(refund: RefundRow | undefined): boolean {
  return refund === undefined || refund.state === 'INTENT';
}

interface Subject {
  readonly row: CaseRow;
  readonly charge: ChargeKey;
  readonly existing: RefundRow | undefined;
}

/** `ours`, with the refund; `wait`, when it cannot be asked; anything else: there is none. */
async function ask(
  deps: SagaDeps,
  { row, charge, existing }: Subject,
  signal: AbortSignal,
): Promise<ChargeVerdict> {
  const { processor, settings, db, organisationId } = deps;
  const facts = await readAlertFacts(db, organisationId, row.alert_id);
  const money = { amountMinor: facts?.amountMinor ?? null, currency: facts?.currency ?? null };
  const request = {
    idempotencyKey: existing?.idempotency_key ?? refundKey(charge, 1),
    chargeReference: charge.chargeReference,
    alertId: row.alert_id,
    reason: REASON,
    amountMinor: money.amountMinor ?? 0,
    currency: money.currency ?? '',
  };
  const own = await lookUpOwnRefund(deps, request, signal);
  return assessCharge({
    alert: money,
    decision: { amountMinor: null, byOperator: false },
    own,
    charge: await processor.readCharge(charge.chargeReference, signal),
    capabilities: (await processor.capabilities(signal)) ?? CAUTIOUS_CAPABILITIES,
    rules: settings.rules,
  });
}

type Ours = Extract<ChargeVerdict, { kind: 'ours' }>;

interface Found {
  readonly row: CaseRow;
  readonly charge: ChargeKey;
  readonly verdict: Ours;
}

async function book(
  trx: Transaction<Database>,
  deps: SagaDeps,
  { row, charge, verdict }: Found,
): Promise<boolean> {
  const now = nowDate(deps.clock);
  const lease = { owner: deps.workerId, until: new Date(now.getTime() + LEASE_MS) };
  const { refund, capturedMinor, externalMinor } = verdict;
  await lockCharge(trx, charge);
  const existing = await lockRefundOfCharge(trx, charge);
  if (!mayBeForgotten(existing)) return false;
  // Another amount than intended: the refund's own loop knows what to do about that.
  if (existing !== undefined && existing.amount_minor !== refund.amountMinor) return false;
  const intent =
    existing ??
    (await insertRefund(trx, {
      state: 'INTENT',
      kind: 'refund',
      charge,
      alert_id: row.alert_id,
      currency: refund.currency,
      amount_minor: refund.amountMinor,
      captured_minor: capturedMinor,
      external_minor: externalMinor,
      next_action_at: lease.until,
      lease,
      now,
    }));
  const capabilities = (await deps.processor.capabilities()) ?? CAUTIOUS_CAPABILITIES;
  const booked = await bookOurs(trx, intent, { refund, now, lease, capabilities });
  const mayDeclare = isDeclarable(booked, capabilities.pendingCounts);
  await answerWith(trx, row, { refund: booked, mayDeclare, now });
  return true;
}

/**
 * A case that waits for a person, or is about to deny what happened, answers with the refund instead;
 * all others find it by themselves.
 */
async function answerWith(
  trx: Transaction<Database>,
  { organisation_id: organisationId, alert_id: alertId }: CaseRow,
  booked: { readonly refund: RefundRow; readonly mayDeclare: boolean; readonly now: Date },
): Promise<void> {
  const { refund, mayDeclare, now } = booked;
  const current = await lockCase(trx, organisationId, alertId);
  if (current?.state !== 'HUMAN' && current?.state !== 'DECLARE_ACCEPT') return;
  const reason = 'refunded_before_restore';
  const held =
    current.state === 'HUMAN'
      ? current
      : await holdCase(trx, current, { reason, fallback: 'none', now });
  const facts = await readAlertFacts(trx, organisationId, alertId);
  if (!mayDeclare || !coversAlert(refund, facts?.amountMinor ?? null)) return;
  await declareRefunded(trx, held, { refund, now });
}
