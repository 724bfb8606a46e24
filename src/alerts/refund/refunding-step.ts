/**
 * The step of a case that waits for a movement of ours, and what follows when it is through, came to
 * nothing, or is in doubt.
 *
 * It is decided under the charge's lock, so that a movement which moves meanwhile cannot wake a case
 * that is about to sleep. Most looks find everything as it was: they only note the reading, which fails
 * where the ledger has changed meanwhile, and lock nothing.
 */
import type { Trx } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { cutWaitMs } from '../../base/kernel/backoff.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { CAUTIOUS_CAPABILITIES } from '../../service/wire/processor.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { moveCase, replanCase } from '../cases/case.store.ts';
import { readPolicyFallback } from '../cases/case-decision.store.ts';
import { postponeCase } from '../cases/case-plan.store.ts';
import type { CaseStep } from '../cases/case-runner.ts';
import type { Hold } from '../cases/hold-case.ts';
import { holdCase } from '../cases/hold-case.ts';
import type { RefundSettings } from '../guard/refund-settings.ts';
import { declareCovered } from '../ledger/declare-covered.ts';
import type { Ledger, Movement } from '../ledger/ledger.ts';
import { claimOfAlert, isCovered, movementBehind } from '../ledger/ledger.ts';
import type { OurMovementRow } from '../ledger/movement.store.ts';
import type { MovementState } from '../ledger/movement-state.ts';
import { openLedger, StaleReadingError } from '../ledger/open-ledger.ts';
import type { ReadingAnswer } from '../ledger/take-reading.ts';
import { readingOf, takeReadingAfter } from '../ledger/take-reading.ts';
import type { LedgerView } from '../ledger/unchanged.store.ts';
import { markOf, readLedgerView, releaseUnchanged } from '../ledger/unchanged.store.ts';
import { changesNothing } from '../ledger/unchanged.ts';
import { ruleRefusal } from './refusal.ts';
import type { SagaDeps } from './saga-deps.ts';

/** A waiting case looks again by itself this often, in milliseconds; its movement's moves wake it at once. */
const LOOK_MS = 10 * 60_000;

/** Creates the step for `REFUNDING`. */
export function createRefundingStep(deps: SagaDeps): CaseStep {
  return async (claim, signal) => {
    const { db, organisationId } = deps;
    const charge = { organisationId, chargeReference: claim.charge_reference ?? '' };
    const view = await readLedgerView(db, charge);
    const reading = await takeReadingAfter(deps, { charge, mark: markOf(view) }, signal);
    if (await isStillUnderWay(deps, claim, { view, reading })) return;
    const isRead = reading.kind !== 'unavailable';
    // Without an answer the rows alone are judged; before it declares, the next step asks again.
    const capabilities = isRead ? reading.capabilities : CAUTIOUS_CAPABILITIES;
    try {
      await inTransaction(db, async (trx) => {
        const now = nowDate(deps.clock);
        const ledger = await openLedger(trx, {
          charge,
          reading: readingOf(reading),
          capabilities,
          samePart: deps.settings.rules.samePart,
          alertId: claim.alert_id,
          now,
        });
        const { pendingCounts } = capabilities;
        await judgeRefunding(trx, claim, { ledger, settings: deps.settings, pendingCounts, now });
      });
    } catch (error) {
      if (!(error instanceof StaleReadingError)) throw error;
      await postponeCase(db, claim, {
        now: nowDate(deps.clock),
        retryAt: nowDate(deps.clock),
        error: error.message,
      });
    }
  };
}

/** The movement is under way as before, and the charge shown as our rows have it: the next look is planned. */
async function isStillUnderWay(
  deps: SagaDeps,
  claim: CaseRow,
  { view, reading }: { readonly view: LedgerView; readonly reading: ReadingAnswer },
): Promise<boolean> {
  const { ledger, version, wasDisputed, isMoneyWaiting } = view;
  const state = ledger.movements.find(({ id }) => id === claim.movement_id)?.state;
  if (reading.kind !== 'read' || isMoneyWaiting || !UNDER_WAY.has(state)) return false;
  const { charge: shown, atMs } = reading.reading;
  const { organisationId } = deps;
  const charge = { organisationId, chargeReference: ledger.chargeReference };
  const { samePart } = deps.settings.rules;
  if (!changesNothing(ledger, { charge, shown, wasDisputed, samePart })) return false;
  const own = claimOfAlert(ledger, claim.alert_id);
  if (isCovered(ledger, own, reading.capabilities.pendingCounts)) return false;
  const now = nowDate(deps.clock);
  const nextActionAt = lookAgainAt(claim, now);
  const readAt = new Date(atMs);
  return await releaseUnchanged(deps.db, claim, { charge, version, readAt, now, nextActionAt });
}

/** Its answer is still to come. */
const UNDER_WAY: ReadonlySet<MovementState | undefined> = new Set(['SENT', 'UNKNOWN', 'PENDING']);

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

function lookAgainAt(claim: CaseRow, now: Date): Date {
  return new Date(now.getTime() + cutWaitMs(LOOK_MS, claim.deadline_at.getTime(), now.getTime()));
}

/** What a waiting case is judged by. */
export interface RefundingView {
  readonly ledger: Ledger;
  readonly settings: RefundSettings;
  readonly pendingCounts: boolean;
  /** The movement was settled just now, and the charge not read since. */
  readonly isJustSettled?: boolean;
  readonly now: Date;
}

/** Goes on with a case that waits, by what became of its movement. The charge is locked. */
export async function judgeRefunding(
  trx: Trx,
  claim: CaseRow,
  { ledger, settings, pendingCounts, isJustSettled = false, now }: RefundingView,
): Promise<void> {
  const own = claimOfAlert(ledger, claim.alert_id);
  if (isCovered(ledger, own, pendingCounts)) {
    const movementId = movementBehind(ledger, own)?.id ?? claim.movement_id;
    await declareCovered(trx, claim, { ledger, movementId, now });
    return;
  }
  const movement = ledger.movements.find(({ id }) => id === claim.movement_id);
  if (movement === undefined) {
    await holdCase(trx, claim, { reason: 'no_charge', fallback: 'keep', now });
    return;
  }
  // "Already refunded": the charge is read again before anything is concluded.
  if (isJustSettled && movement.state === 'REJECTED' && movement.failureClass === 'done') {
    return await replanCase(trx, claim, { now, nextActionAt: now });
  }
  await afterMovement(trx, claim, { movement, settings, now });
}

async function afterMovement(
  trx: Trx,
  claim: CaseRow,
  after: {
    readonly movement: Movement;
    readonly settings: RefundSettings;
    readonly now: Date;
  },
): Promise<void> {
  const { movement, settings, now } = after;
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
      return await holdRefused(trx, claim, { movement: refused, settings, now });
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
    readonly settings: RefundSettings;
    /** Whose guard it was, where it is not the organisation's. */
    readonly layer?: string | undefined;
    readonly now: Date;
  },
): Promise<void> {
  const { movement, settings, layer, now } = refused;
  const { failure_code: code, failure_class: failureClass, round } = movement;
  const state = movement.state === 'NOT_SENT' ? 'NOT_SENT' : 'REJECTED';
  const acceptsFinal =
    settings.rejected === 'ACCEPT_DISPUTE' || claim.when_refused === 'ACCEPT_DISPUTE';
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
