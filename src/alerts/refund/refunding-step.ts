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
import type { CaseStep } from '../cases/case-runner.ts';
import type { Hold } from '../cases/hold-case.ts';
import { holdCase } from '../cases/hold-case.ts';
import { declareIfCovered } from '../ledger/declare-covered.ts';
import type { Ledger, Movement } from '../ledger/ledger.ts';
import { claimOfAlert, isCovered } from '../ledger/ledger.ts';
import type { OurMovementRow } from '../ledger/movement.store.ts';
import type { MovementState } from '../ledger/movement-state.ts';
import { openLedger } from '../ledger/open-ledger.ts';
import { readLedgerView } from '../ledger/unchanged.store.ts';
import type { OpenedLedger } from '../ledger/with-ledger.ts';
import { waitUnchanged, withLedger } from '../ledger/with-ledger.ts';
import { ruleRefusal } from './refusal.ts';
import type { SagaDeps } from './saga-deps.ts';
import { ledgerDeps } from './saga-deps.ts';

/** A waiting case looks again by itself this often, in milliseconds; its movement's moves wake it at once. */
const LOOK_MS = 10 * 60_000;

/** Creates the step for `REFUNDING`. */
export function createRefundingStep(deps: SagaDeps): CaseStep {
  return async (claim, signal) => {
    const { db, organisationId } = deps;
    const charge = { organisationId, chargeReference: claim.charge_reference ?? '' };
    const view = await readLedgerView(db, charge);
    const { ledger } = view;
    const own = claimOfAlert(ledger, claim.alert_id);
    const state = ledger.movements.find(({ id }) => id === claim.movement_id)?.state;
    const waited = await waitUnchanged(ledgerDeps(deps), {
      ...{ claim, charge, view, signal },
      waitsOn: ({ pendingCounts }) =>
        UNDER_WAY.has(state) && !isCovered(ledger, own, pendingCounts),
      nextLook: (now) => lookAgainAt(claim, now),
    });
    if (waited === true) return;
    const judge = async (trx: Trx, opened: Opened, pendingCounts: boolean): Promise<void> =>
      await judgeRefunding(trx, claim, { ...opened, pendingCounts });
    const first = waited.kind === 'unavailable' ? undefined : waited;
    if (first !== undefined) {
      const asked = { charge, alertId: claim.alert_id, first, signal };
      const { kind } = await withLedger(ledgerDeps(deps), asked, (trx, opened) =>
        judge(trx, opened, opened.answer.capabilities.pendingCounts),
      );
      if (kind === 'done') return;
    }
    // Without an answer the rows alone are judged; before it declares, the next step asks again.
    await inTransaction(db, async (trx) => {
      const now = nowDate(deps.clock);
      const { samePart } = deps.settings;
      const opened = { ledger: await openLedger(trx, { charge, samePart, now }), now };
      await judge(trx, opened, CAUTIOUS_CAPABILITIES.pendingCounts);
    });
  };
}

type Opened = Pick<OpenedLedger, 'ledger' | 'now'>;

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
