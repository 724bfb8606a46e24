/**
 * The steps of a case whose answer is owed: send it while the alert is open, read the alert whenever
 * something is unclear.
 *
 * Durable before the call: what is owed, and that it is about to be sent. An answer may be sent again
 * (it only declares), but never without a read in between, and never for an RDR alert.
 *
 * `REFUND` is sent only while it is true of the alert (L4). What the alert shows then ends the case: declared, closed by
 * somebody else, contradicting, or unclear.
 */

import type { Trx } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { backoffMs } from '../../base/kernel/backoff.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { crashPoint } from '../../base/kernel/crash-point.ts';
import { InvariantError, messageOf } from '../../base/kernel/errors.ts';
import { utcWords } from '../../base/kernel/instant.ts';
import { withinTime } from '../../base/kernel/within-time.ts';
import { notify } from '../../base/notify/notification.store.ts';
import type {
  AlertActed,
  AlertRead,
  AlertSnapshot,
  DeclaredAction,
  RemoteAlert,
} from '../cases/alert-service.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { moveCase } from '../cases/case.store.ts';
import { readPolicyFallback } from '../cases/case-decision.store.ts';
import { postponeCase } from '../cases/case-plan.store.ts';
import type { CaseStep, CaseSteps } from '../cases/case-runner.ts';
import { isClaimId } from '../cases/claim.ts';
import type { Hold } from '../cases/hold-case.ts';
import { closeRemote, conflictCase, holdCase } from '../cases/hold-case.ts';
import type { HoldReason } from '../cases/hold-reason.ts';
import { processorAt } from '../cases/routed-processor.ts';
import { recordKeyAccepted, recordKeyRefused } from '../guard/declare-health.store.ts';
import { readLedger } from '../ledger/ledger.store.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { claimOfAlert, isCovered } from '../ledger/ledger.ts';
import { withLedger } from '../ledger/with-ledger.ts';
import type { SagaDeps } from '../refund/saga-deps.ts';
import { ledgerDeps, readAlert } from '../refund/saga-deps.ts';
import { createDecidedAcceptStep } from './decided-accept-step.ts';
import type { DeclarationRow } from './declaration.store.ts';
import { markDeclarationSent, settleDeclaration } from './declaration.store.ts';
import type { OwedView } from './owed.store.ts';
import { readOwed } from './owed.store.ts';

/** Waits between attempts: seconds, because the deadline runs on; the budget keeps the rate. */
const AGAIN = { baseMs: 1_000, maxMs: 60_000 };

/** In shadow mode an owed answer waits, and is looked at this often, in milliseconds. */
const SHADOW_LOOK_MS = 5 * 60_000;

/** Of an alert that we hold no copy of nothing is known. */
const NOTHING_CLAIMED: ClaimedMoney = { amountMinor: null, currency: null };

/** An owed answer, with everything its step needs. */
interface Owed {
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

/** What an alert claims. */
interface ClaimedMoney {
  readonly amountMinor: number | null;
  readonly currency: string | null;
}

/** Whether the answer may be sent. */
type CoverCheck =
  | { readonly kind: 'covered' }
  | { readonly kind: 'missing'; readonly reason: HoldReason }
  /** The processor could not be asked. */
  | { readonly kind: 'later'; readonly reason: string };

/** What the processor showed this lately is taken as shown now, in milliseconds. */
const FRESH_MS = 15_000;

/**
 * Whether `REFUND` is true of the alert that the case is about right now (L4): its dispute is covered, as the processor was
 * seen to show within the last seconds.
 */
export async function checkCover(
  deps: SagaDeps,
  about: {
    readonly claim: CaseRow;
    readonly money: ClaimedMoney;
    /** As it was just read. */
    readonly ledger: Ledger | undefined;
  },
  signal: AbortSignal,
): Promise<CoverCheck> {
  const { claim, money } = about;
  const { organisationId, db, clock } = deps;
  const charge = { organisationId, chargeReference: claim.charge_reference ?? '' };
  const stored = about.ledger ?? (await readLedger(db, charge));
  const processor = await processorAt(deps.processor, charge.chargeReference);
  const capabilities = await processor.capabilities(signal);
  if (capabilities === undefined) {
    return { kind: 'later', reason: 'the processor did not say what it offers' };
  }
  const { pendingCounts } = capabilities;
  const ageMs = clock.nowMs() - (stored.readAtMs ?? 0);
  // One that lies ahead was read before the clock was set back, it is not known how long ago.
  if (ageMs >= 0 && ageMs <= FRESH_MS) return judge(stored, { claim, money, pendingCounts });
  const asked = { charge, alertId: claim.alert_id, signal };
  const read = await withLedger(ledgerDeps(deps), asked, async (_, { ledger }) =>
    judge(ledger, { claim, money, pendingCounts }),
  );
  return read.kind === 'done' ? read.result : { kind: 'later', reason: read.reason };
}

function judge(
  ledger: Ledger,
  about: { readonly claim: CaseRow; readonly money: ClaimedMoney; readonly pendingCounts: boolean },
): CoverCheck {
  const { claim, money, pendingCounts } = about;
  const { disputeId } = claimOfAlert(ledger, claim.alert_id);
  if (isCovered(ledger, { disputeId, ...money }, pendingCounts)) return { kind: 'covered' };
  const movement = ledger.movements.find(({ id }) => id === claim.movement_id);
  switch (movement?.state) {
    case 'REVERSED':
    case 'REJECTED':
      return { kind: 'missing', reason: 'refund_reversed' };
    case 'PENDING':
    case 'HUMAN':
    case 'UNKNOWN':
      return { kind: 'missing', reason: 'refund_unresolved' };
    default:
      return { kind: 'missing', reason: 'not_declarable' };
  }
}

/** What follows from the alert as it is now. */
export type AlertMeaning =
  /** Still open: the answer is still owed. */
  | 'send'
  /** Shows the outcome we owe. */
  | 'declared'
  /** Somebody resolved it before we sent anything, in a way our books allow. */
  | 'closed_remote'
  | 'closed_invalid'
  /** Shows an outcome our books contradict. */
  | 'conflict'
  /** Neither open nor readable: a person looks. */
  | 'unclear';

/**
 * What the alert's state means for an answer we owe: one pure table (faults 2.5, "422 INVALID_ACTION" and its neighbours).
 *
 * @param sent whether we sent that action at least once
 */
export function meaningOf(alert: RemoteAlert, action: DeclaredAction, sent: boolean): AlertMeaning {
  /** The outcome that each action leads to (specification, Alert status). */
  const outcomeOf = { REFUND: 'REFUNDED', ACCEPT_DISPUTE: 'NOT_REFUNDED' } as const;
  // INVALID outranks any outcome the alert may carry.
  if (alert.status === 'INVALID') return 'closed_invalid';
  if (alert.status === 'ACTION_REQUIRED') return 'send';
  if (alert.status !== 'RESOLVED') return 'unclear';
  const { refundOutcome } = alert;
  if (action === 'REFUND') {
    if (refundOutcome === outcomeOf.REFUND) return 'declared';
    return refundOutcome === outcomeOf.ACCEPT_DISPUTE ? 'conflict' : 'unclear';
  }
  if (!sent) return 'closed_remote';
  if (refundOutcome === outcomeOf.ACCEPT_DISPUTE) return 'declared';
  // We refunded nothing and said so, yet it shows a refund.
  return refundOutcome === outcomeOf.REFUND ? 'conflict' : 'unclear';
}

/** Whose outcome the alert shows: ours if we sent it and the note does not say otherwise. */
function isOurs(declaration: DeclarationRow, alert: RemoteAlert): boolean {
  return declaration.attempts > 0 && (alert.note === null || alert.note === declaration.note);
}

type Meaning = Exclude<AlertMeaning, 'send'>;

/** What the alert shows. */
interface Found {
  readonly alert: RemoteAlert;
  readonly meaning: Meaning;
  /** The alert as our answer was answered with it: not on its row yet. */
  readonly object?: AlertSnapshot['object'];
}

/** Writes the end in one transaction: alert, declaration, case, audit, and the page where one is due. */
async function finishDeclaration(deps: SagaDeps, owed: Owed, found: Found): Promise<void> {
  const { claim, declaration } = owed;
  const { alert, meaning, object } = found;
  await crashPoint('declaration.understood');
  const now = nowDate(deps.clock);
  await inTransaction(deps.db, async (trx) => {
    if (object !== undefined) await deps.applyAlertSnapshot(object, { trx });
    if (meaning === 'unclear') {
      await holdCase(trx, claim, { reason: 'alert_status_unknown', fallback: 'none', now });
      return;
    }
    const ours = meaning === 'declared' && isOurs(declaration, alert);
    await settleDeclaration(trx, declaration, {
      state: ours ? 'DONE' : 'ELSEWHERE',
      remoteOutcome: alert.refundOutcome,
      // The answer to a claim of our own says nothing about the service's key.
      keyAccepted: object !== undefined && !isClaimId(claim.alert_id),
      now,
    });
    await endCase(trx, owed, { alert, meaning, ours, now });
  });
  await crashPoint('declaration.finished');
}

interface End {
  readonly alert: RemoteAlert;
  readonly meaning: Exclude<Meaning, 'unclear'>;
  readonly ours: boolean;
  readonly now: Date;
}

async function endCase(
  trx: Trx,
  { claim, declaration }: Owed,
  { alert, meaning, ours, now }: End,
): Promise<void> {
  const { status, refundOutcome } = alert;
  switch (meaning) {
    case 'declared':
      await moveCase(trx, claim, {
        to: declaration.action === 'REFUND' ? 'DECLARED_REFUND' : 'DECLARED_ACCEPT',
        now,
        what: ours ? 'declared' : 'shows our outcome, declared by somebody else',
        detail: { outcome: refundOutcome, note: declaration.note },
      });
      return;
    case 'conflict':
      await conflictCase(trx, claim, {
        now,
        text: `Alert ${claim.alert_id} shows ${refundOutcome ?? 'no outcome'}, but our books say ${declaration.action} (${declaration.note}). Check the charge at the processor and the alert in the service's dashboard.`,
        detail: { status, outcome: refundOutcome, owed: declaration.action },
      });
      return;
    case 'closed_remote':
    case 'closed_invalid': {
      const refundStands = declaration.action === 'REFUND';
      await closeRemote(trx, claim, { status, refundOutcome, now, refundStands });
      return;
    }
  }
}

/** The service will not take the answer: no more sending, the timer runs on, a person is paged. */
async function refuseDeclaration(
  deps: SagaDeps,
  { claim, declaration }: Owed,
  code: string,
): Promise<void> {
  const now = nowDate(deps.clock);
  await inTransaction(deps.db, async (trx) => {
    const end = { state: 'REFUSED', remoteOutcome: null, keyAccepted: false, now } as const;
    await settleDeclaration(trx, declaration, end);
    const detail = { code };
    await holdCase(trx, claim, { reason: 'declaration_refused', fallback: 'none', now, detail });
    await notify(trx, {
      organisationId: claim.organisation_id,
      dedupeKey: `declaration_refused:${claim.alert_id}:${code}`,
      kind: 'declaration_refused',
      severity: 'error',
      alertId: claim.alert_id,
      text: `The service refuses ${declaration.action} on alert ${claim.alert_id} (${code}). Answer it in the service's dashboard before ${utcWords(claim.deadline_at)}, or decide again.`,
      at: now,
    });
  });
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
