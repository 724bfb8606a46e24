/**
 * The steps of a case whose answer is owed: send it while the alert is open, read the alert whenever
 * something is unclear.
 *
 * Durable before the call: what is owed, and that it is about to be sent. An answer may be sent again
 * (it only declares), but never without a read in between, and never for an RDR alert.
 */

import { inTransaction } from '../../base/db/transaction.ts';
import { backoffMs } from '../../base/kernel/backoff.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { crashPoint } from '../../base/kernel/crash-point.ts';
import { InvariantError, messageOf } from '../../base/kernel/errors.ts';
import { withinTime } from '../../base/kernel/within-time.ts';
import type { AlertActed, AlertRead, DeclaredAction } from '../cases/alert-service.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { readPolicyFallback } from '../cases/case-decision.store.ts';
import { postponeCase } from '../cases/case-plan.store.ts';
import type { CaseStep, CaseSteps } from '../cases/case-runner.ts';
import type { Hold } from '../cases/hold-case.ts';
import { conflictCase, holdCase } from '../cases/hold-case.ts';
import { recordKeyAccepted, recordKeyRefused } from '../guard/declare-health.store.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { SagaDeps } from '../refund/saga-deps.ts';
import { readAlert } from '../refund/saga-deps.ts';
import type { ClaimedMoney } from './check-cover.ts';
import { checkCover } from './check-cover.ts';
import { meaningOf } from './classify-answer.ts';
import { createDecidedAcceptStep } from './decided-accept-step.ts';
import type { DeclarationRow } from './declaration.store.ts';
import { markDeclarationSent } from './declaration.store.ts';
import { finishDeclaration, refuseDeclaration } from './finish-declaration.ts';
import type { OwedView } from './owed.store.ts';
import { readOwed } from './owed.store.ts';

/** Waits between attempts: seconds, because the deadline runs on; the budget keeps the rate. */
const AGAIN = { baseMs: 1_000, maxMs: 60_000 };

/** In shadow mode an owed answer waits, and is looked at this often, in milliseconds. */
const SHADOW_LOOK_MS = 5 * 60_000;

/** Of an alert that we hold no copy of nothing is known. */
const NOTHING_CLAIMED: ClaimedMoney = { amountMinor: null, currency: null };

/** An owed answer, with everything its step needs. */
export interface Owed {
  readonly claim: CaseRow;
  readonly declaration: DeclarationRow;
}

interface Sending extends Owed {
  /** Ends the call early; the next step then reads before it sends again. */
  readonly signal: AbortSignal;
}

/** Creates the steps of the declare stage. */
export function createDeclareSteps(deps: SagaDeps): CaseSteps {
  return {
    DECIDED_ACCEPT: createDecidedAcceptStep(deps),
    DECLARE_REFUND: createDeclareStep(deps, 'REFUND'),
    DECLARE_ACCEPT: createDeclareStep(deps, 'ACCEPT_DISPUTE'),
  };
}

function createDeclareStep(deps: SagaDeps, action: DeclaredAction): CaseStep {
  return async (claim, signal) => {
    if (deps.shadow)
      return await again(deps, claim, { error: 'shadow mode', waitMs: SHADOW_LOOK_MS });
    const view = await readOwed(deps.db, claim);
    const { declaration } = view;
    if (declaration?.action !== action) {
      throw new InvariantError(
        `Case ${claim.alert_id} owes ${action}, but no such answer is stored.`,
      );
    }
    const owed = { claim, declaration, signal };
    if (isStillOpen(deps, owed, view)) return await sendIfTrue(deps, owed, view);
    const read = await readAlert(deps, claim, signal);
    await onRead(deps, owed, read);
  };
}

/**
 * Our own copy shows an alert open that this process saw open a moment ago, before it refunded: the
 * first answer needs no other read, because one that comes too late is refused.
 */
function isStillOpen(
  { clock, openAlerts }: SagaDeps,
  { claim, declaration }: Owed,
  { alert }: OwedView,
): boolean {
  const isFirst = declaration.attempts === 0 && declaration.state === 'DUE';
  if (!isFirst || !openAlerts.wasSeenOpen(claim.alert_id, clock.nowMs())) return false;
  return alert?.status === 'ACTION_REQUIRED' && alert.enrolmentType !== 'NETB_RDR';
}

async function onRead(deps: SagaDeps, owed: Sending, read: AlertRead): Promise<void> {
  const { claim, declaration } = owed;
  if (read.kind === 'not_found') return await hold(deps, claim, 'alert_missing');
  if (read.kind !== 'found') return await withoutAnswer(deps, claim, read);
  const { alert } = read;
  if (alert.enrolmentType === 'NETB_RDR') return await refuseRdr(deps, claim);
  const meaning = meaningOf(alert, declaration.action, declaration.attempts > 0);
  if (meaning !== 'send') return await finishDeclaration(deps, owed, { alert, meaning });
  await sendIfTrue(deps, owed, { alert });
}

/** `REFUND` is said only while it is true (L4); the processor is read again when its word is old. */
async function sendIfTrue(
  deps: SagaDeps,
  owed: Sending,
  { alert, ledger }: { readonly alert: ClaimedMoney | undefined; readonly ledger?: Ledger },
): Promise<void> {
  const { claim, declaration, signal } = owed;
  if (declaration.action === 'REFUND') {
    const money = alert ?? NOTHING_CLAIMED;
    const cover = await checkCover(deps, { claim, money, ledger }, signal);
    if (cover.kind === 'later') return await again(deps, claim, { error: cover.reason });
    if (cover.kind === 'missing') return await hold(deps, claim, cover.reason);
  }
  await send(deps, owed);
}

async function send(deps: SagaDeps, { claim, declaration, signal }: Sending): Promise<void> {
  const { db, clock, alerts } = deps;
  if (!(await markDeclarationSent(db, { claim, declaration }, nowDate(clock)))) return;
  await crashPoint('declaration.marked_sent');
  // Without an await before the call: a process may have slept through its own statement.
  const leftMs = (claim.lease_until?.getTime() ?? 0) - clock.nowMs();
  if (leftMs <= 0) return;
  const { action, note } = declaration;
  const answer = { action, note, deadlineMs: claim.deadline_at.getTime() };
  const acted = await withinTime(leftMs, signal, (within) =>
    alerts.act(claim.alert_id, answer, within),
  ).catch((error: unknown): AlertActed => ({ kind: 'unavailable', reason: messageOf(error) }));
  await crashPoint('declaration.answered');
  const sent = { claim, declaration: { ...declaration, attempts: declaration.attempts + 1 } };
  await onActed(deps, sent, acted);
}

async function onActed(deps: SagaDeps, owed: Owed, acted: AlertActed): Promise<void> {
  const { claim, declaration } = owed;
  switch (acted.kind) {
    case 'answered': {
      const { alert, object } = acted;
      const meaning = meaningOf(alert, declaration.action, true);
      if (meaning !== 'send')
        return await finishDeclaration(deps, owed, { alert, meaning, object });
      await deps.applyAlertSnapshot(object);
      const { db, organisationId, clock } = deps;
      await recordKeyAccepted(db, { organisationId, now: nowDate(clock) });
      // 2xx, and still open: the next step reads before it sends again.
      return await again(deps, claim, { error: 'answered, but the alert is still open' });
    }
    case 'already_resolved':
      return await seeWhoResolved(deps, owed);
    case 'refused':
      return await refuseDeclaration(deps, owed, acted.code);
    case 'unauthorised':
    case 'unavailable':
      return await withoutAnswer(deps, claim, acted);
  }
}

/** `422 INVALID_ACTION`: only the alert itself says whose answer it carries. */
async function seeWhoResolved(deps: SagaDeps, owed: Owed): Promise<void> {
  const { claim, declaration } = owed;
  const leftMs = Math.max(1, (claim.lease_until?.getTime() ?? 0) - deps.clock.nowMs());
  const read = await readAlert(deps, claim, AbortSignal.timeout(leftMs));
  if (read.kind === 'not_found') return await hold(deps, claim, 'alert_missing');
  if (read.kind !== 'found') return await withoutAnswer(deps, claim, read);
  const meaning = meaningOf(read.alert, declaration.action, declaration.attempts > 0);
  if (meaning === 'send')
    return await again(deps, claim, { error: 'refused as resolved, yet open' });
  await finishDeclaration(deps, owed, { alert: read.alert, meaning });
}

async function withoutAnswer(
  deps: SagaDeps,
  claim: CaseRow,
  answer: Extract<AlertRead, { kind: 'unauthorised' | 'unavailable' }>,
): Promise<void> {
  if (answer.kind === 'unavailable') return await again(deps, claim, { error: answer.reason });
  const { organisationId, clock } = deps;
  await recordKeyRefused(deps.db, { organisationId, code: answer.code, now: nowDate(clock) });
  await again(deps, claim, { error: `the service refuses the API key (${answer.code})` });
}

async function again(
  deps: SagaDeps,
  claim: CaseRow,
  next: { readonly error: string; readonly waitMs?: number },
): Promise<void> {
  const now = nowDate(deps.clock);
  const waitMs = next.waitMs ?? backoffMs(claim.attempts + 1, AGAIN);
  const retryAt = new Date(now.getTime() + waitMs);
  await postponeCase(deps.db, claim, { now, retryAt, error: next.error });
}

/** An alert of the network's own refund programme is never answered, whatever our rows say. */
async function refuseRdr(deps: SagaDeps, claim: CaseRow): Promise<void> {
  const text = `Alert ${claim.alert_id} belongs to RDR: the network has refunded, and it is never answered. Check the charge.`;
  const detail = { enrolment_type: 'NETB_RDR' };
  const now = nowDate(deps.clock);
  await inTransaction(deps.db, (trx) => conflictCase(trx, claim, { now, text, detail }));
}

async function hold(deps: SagaDeps, claim: CaseRow, reason: Hold['reason']): Promise<void> {
  const now = nowDate(deps.clock);
  await inTransaction(deps.db, async (trx) => {
    const fallback = await readPolicyFallback(trx, claim);
    await holdCase(trx, claim, { reason, fallback, now });
  });
}
