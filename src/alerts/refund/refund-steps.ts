/**
 * The steps of the refund stage, by the state they act on.
 *
 * A case decided as `REFUND`: ask the service and the processor, then, under the charge's lock, reserve what is missing;
 * after the commit, send it (`send-movement.ts`). The movement with its key, and the case in `REFUNDING`, are durable before
 * the processor is called.
 *
 * A case that waits for a movement of ours: it is judged under the charge's lock, so that a movement which moves meanwhile
 * cannot wake a case that is about to sleep. Most looks find everything as it was: they only note the reading, which fails
 * where the ledger has changed meanwhile, and lock nothing.
 */

import type { Trx } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { crashPoint } from '../../base/kernel/crash-point.ts';
import { assertInvariant, InvariantError } from '../../base/kernel/errors.ts';
import { createId } from '../../base/kernel/ids.ts';
import { LEASE_MS } from '../../base/kernel/limits.ts';
import type { ProcessorCapabilities } from '../../service/wire/processor.ts';
import { CAUTIOUS_CAPABILITIES } from '../../service/wire/processor.ts';
import type { RemoteAlert } from '../cases/alert-service.ts';
import type { CaseRow } from '../cases/case.store.ts';
import type { CaseDecision } from '../cases/case-decision.store.ts';
import { readPolicyFallback } from '../cases/case-decision.store.ts';
import { postponeCase } from '../cases/case-plan.store.ts';
import type { CaseStep, CaseSteps } from '../cases/case-runner.ts';
import type { Hold } from '../cases/hold-case.ts';
import { closeRemote, conflictCase, holdCase } from '../cases/hold-case.ts';
import type { HoldReason } from '../cases/hold-reason.ts';
import { writeCustomer } from '../guard/caps.store.ts';
import type { SendingStanding } from '../guard/check-movement.ts';
import { guardMovement, lockForSending } from '../guard/check-movement.ts';
import { sentForComplaint } from '../guard/complaint-sum.ts';
import type { ChargeKey } from '../ledger/ledger.store.ts';
import type { Ledger, Movement } from '../ledger/ledger.ts';
import {
  claimOfAlert,
  isCovered,
  isOurs,
  mayHaveExecuted,
  otherReferences,
} from '../ledger/ledger.ts';
import type { OurMovementRow } from '../ledger/movement.store.ts';
import { findMovement, insertMovement, moveMovement } from '../ledger/movement.store.ts';
import { movementKey, nextRound } from '../ledger/movement-key.ts';
import type { MovementState } from '../ledger/movement-state.ts';
import { declareCovered } from '../ledger/settle-movement.ts';
import { readLedgerView } from '../ledger/unchanged.store.ts';
import type { Verdict } from '../ledger/verdict.ts';
import { shownNow, verdict } from '../ledger/verdict.ts';
import type { OpenedLedger } from '../ledger/with-ledger.ts';
import { openLedger, waitUnchanged, withLedger } from '../ledger/with-ledger.ts';
import { askAgain, askAgainIn, nextWaitMs } from './ask-again.ts';
import type { AlertCheck, NoOpenAlert } from './check-alert.ts';
import { checkAlert, hasTimeLeft, readSiblings } from './check-alert.ts';
import { acceptChargedBack, holdOf } from './no-refund.ts';
import type { SagaDeps } from './saga-deps.ts';
import { ledgerDeps } from './saga-deps.ts';
import type { SendContext } from './send-movement.ts';
import {
  attachCase,
  holdRefused,
  judgeRefunding,
  lookAgainAt,
  sendMovement,
} from './send-movement.ts';
import { provenAtMs } from './unknown-rule.ts';
import { waitsForOthers } from './wait-for-others.ts';

/** Creates the steps of the refund stage. */
export function createRefundSteps(deps: SagaDeps): CaseSteps {
  return {
    DECIDED_REFUND: createDecidedRefundStep(deps),
    REFUNDING: createRefundingStep(deps),
  };
}

const SHADOW = { reason: 'shadow_mode', fallback: 'none' } as const;

/** The step of a case decided as `REFUND`. */
function createDecidedRefundStep(deps: SagaDeps): CaseStep {
  return async (claim, signal) => {
    const reference = claim.charge_reference;
    const obstacle = obstacleTo(deps, claim);
    if (obstacle !== undefined) return await hold(deps, claim, obstacle);
    const check = asDecided(await checkAlert(deps, claim, signal));
    if (check.kind !== 'open') return await withoutOpenAlert(deps, claim, check);
    const { decision } = check.grounds;
    if (decision === undefined || reference === null) {
      return await hold(deps, claim, { reason: 'no_decision' });
    }
    if (decision.shadow) return await hold(deps, claim, SHADOW);
    const { unread, mark } = await readSiblings(deps, check.grounds, signal);
    if (unread !== undefined) {
      return await askAgain(deps, claim, { reason: 'service_unavailable', error: unread });
    }
    const charge = { organisationId: deps.organisationId, chargeReference: reference };
    const { alert_id: alertId } = claim;
    const ahead = (): Promise<void> => crashPoint('refund.examined');
    const acted = await withLedger(
      ledgerDeps(deps),
      { charge, alertId, mark, withKey: true, ahead, signal },
      (trx, opened) => actUnderLock(trx, { deps, claim, decision, alert: check.alert, ...opened }),
    );
    if (acted.kind === 'unavailable') {
      const { reason: error } = acted;
      return await askAgain(deps, claim, { reason: 'processor_unavailable', error });
    }
    const { result: sent } = acted;
    if (sent === undefined) return;
    await sendMovement(deps, sent.movement, { ...sent, provenAbsent: true, signal });
  };
}

/** Why nothing is asked about the case. */
function obstacleTo(
  { shadow }: SagaDeps,
  { decision_id, charge_reference }: CaseRow,
): Obstacle | undefined {
  if (shadow) return SHADOW;
  if (decision_id === null) return { reason: 'no_decision' };
  return charge_reference === null ? { reason: 'no_charge' } : undefined;
}

type Obstacle = Pick<Hold, 'reason'> & { readonly fallback?: Hold['fallback'] };

/** The alert is open and says otherwise than when it was decided. */
interface Changed {
  readonly kind: 'changed';
  readonly changed: readonly string[];
}

function asDecided(check: AlertCheck): AlertCheck | Changed {
  const changed = check.kind === 'open' ? check.grounds.changed : [];
  return changed.length === 0 ? check : { kind: 'changed', changed };
}

/** The alert says otherwise than when it was matched and decided: both are done again, before money goes. */
async function matchAnew(
  deps: SagaDeps,
  claim: CaseRow,
  changed: readonly string[],
): Promise<void> {
  const now = nowDate(deps.clock);
  await inTransaction(deps.db, async (trx) => {
    const fallback = await readPolicyFallback(trx, claim);
    const again = { fallback, againAt: now, detail: { changed } };
    await holdCase(trx, claim, { reason: 'alert_changed', ...again, now });
  });
}

async function withoutOpenAlert(
  deps: SagaDeps,
  claim: CaseRow,
  check: NoOpenAlert | Changed,
): Promise<void> {
  const now = nowDate(deps.clock);
  switch (check.kind) {
    case 'closed': {
      const { status, refundOutcome } = check.alert;
      await inTransaction(deps.db, (trx) =>
        closeRemote(trx, claim, { status, refundOutcome, now }),
      );
      return;
    }
    case 'rdr':
      await inTransaction(deps.db, (trx) =>
        conflictCase(trx, claim, {
          now,
          text: `Alert ${claim.alert_id} was decided as a refund, but the network has refunded it (RDR). Nothing was sent. Check the charge.`,
          detail: { enrolment_type: 'NETB_RDR' },
        }),
      );
      return;
    case 'changed':
      return await matchAnew(deps, claim, check.changed);
    case 'hold':
      return await hold(deps, claim, { reason: check.reason });
    case 'later':
      return await askAgain(deps, claim, { reason: 'service_unavailable', error: check.reason });
  }
}

interface Decided extends OpenedLedger {
  readonly deps: SagaDeps;
  readonly claim: CaseRow;
  readonly decision: CaseDecision;
  readonly alert: RemoteAlert;
}

/** A movement whose request is to go out, with the case that waits for it. */
interface ToSend extends Pick<SendContext, 'capabilities' | 'taken'> {
  readonly movement: OurMovementRow;
  readonly claim: CaseRow;
}

async function actUnderLock(trx: Trx, decided: Decided): Promise<ToSend | undefined> {
  const { deps, claim, decision, alert, ledger, answer, shown } = decided;
  const { disputeId } = claimOfAlert(ledger, claim.alert_id);
  const { amountMinor, currency } = alert;
  const { samePart } = deps.settings;
  const { capabilities, processor } = answer;
  const allowed = verdict(
    {
      ledger,
      claim: { alertId: claim.alert_id, disputeId, amountMinor, currency },
      ...{ pendingCounts: capabilities.pendingCounts, samePart },
      ...{ processor, movementId: claim.movement_id },
    },
    { ...decision, action: 'REFUND', by: decision.byOperator ? 'person' : 'policy' },
    {
      charge: shownNow(shown, answer.kind !== 'not_offered'),
      refusesOverRefund: capabilities.refusesOverRefund,
      isTimeLeft: hasTimeLeft(deps, claim, { alert, capabilities }),
    },
  );
  return await actOnVerdict(trx, { ...decided, verdict: allowed });
}

interface Judged extends Decided {
  readonly verdict: Verdict;
}

async function actOnVerdict(trx: Trx, judged: Judged): Promise<ToSend | undefined> {
  const { claim, ledger, verdict, now, deps } = judged;
  switch (verdict.kind) {
    case 'covered':
      await declareCovered(trx, claim, { ledger, movementId: verdict.movementId, now });
      return undefined;
    case 'under_way':
      await attachCase(trx, claim, { movementId: verdict.movementId, now });
      return undefined;
    case 'wait':
      await askAgainIn(trx, claim, { deps, ...verdict });
      return undefined;
    case 'accept':
      await acceptChargedBack(trx, claim, now);
      return undefined;
    case 'hold':
      await holdCase(trx, claim, { ...holdOf(verdict.reason, now), now });
      return undefined;
    case 'refund':
    case 'void':
      return await reserve(trx, { ...judged, verdict });
    case 'open':
      throw new InvariantError(`Nothing was decided about the refund of alert ${claim.alert_id}.`);
  }
}

type MovingVerdict = Extract<Verdict, { kind: 'refund' | 'void' }>;

async function reserve(
  trx: Trx,
  judged: Judged & { readonly verdict: MovingVerdict },
): Promise<ToSend | undefined> {
  const { deps, claim, charge, ledger, verdict, now } = judged;
  // Restored or taken over within this very step: nothing leaves before everything was asked.
  const standing = await lockForSending(trx, charge);
  if (standing.awaitsCheck) {
    const retryAt = new Date(now.getTime() + nextWaitMs(claim));
    await postponeCase(trx, claim, { now, retryAt, error: 'reconciling first' });
    return undefined;
  }
  if (await waitsForOthers(trx, claim, judged)) return undefined;
  const { capabilities, sentThrough, processor } = judged.answer;
  const { currency } = ledger;
  assertInvariant(currency !== null, 'Money is to move on a charge whose currency is not known.');
  const { movement, refusal, layer } = await reserveMovement(
    trx,
    {
      kind: verdict.kind,
      amountMinor: verdict.kind === 'refund' ? verdict.amountMinor : 0,
      currency,
      disputeId: verdict.disputeId,
    },
    {
      ...{ deps, charge, ledger, claim, standing, now },
      operator: judged.decision.operator,
      ...{ capabilities, sentThrough, processor },
      takenKeys: keysOf(judged),
    },
  );
  if (refusal !== undefined) {
    // Why nothing was sent now counts, not how an earlier request of the movement ended.
    const unsent = { state: 'NOT_SENT', failure_code: refusal, failure_class: null } as const;
    const { round } = movement;
    const held = { movement: { ...unsent, round }, settings: deps.settings, layer, now };
    await holdRefused(trx, claim, held);
    return undefined;
  }
  const waiting = await attachCase(trx, claim, { movementId: movement.id, now, keepLease: true });
  const taken = otherReferences(ledger, movement.id);
  return { movement, claim: waiting, capabilities, taken };
}

function keysOf({ shown }: Decided): ReadonlySet<string | null> {
  const refunds = shown?.refunds ?? [];
  return new Set(refunds.map(({ idempotencyKey }) => idempotencyKey));
}

/** What is to be reserved. */
interface Wanted {
  readonly kind: 'refund' | 'void';
  readonly amountMinor: number;
  readonly currency: string;
  readonly disputeId: string;
}

/** Where, for which case, when. */
interface ReserveContext {
  readonly deps: SagaDeps;
  readonly charge: ChargeKey;
  readonly ledger: Ledger;
  readonly claim: CaseRow;
  readonly capabilities: ProcessorCapabilities;
  /** Who took the decision in force; undefined: a policy, or its fallback. */
  readonly operator: string | undefined;
  /** Of the charge, read with the caps' lock. */
  readonly standing: SendingStanding;
  /** The merchant whose own processor the request goes through; null: the organisation's. */
  readonly sentThrough: string | null;
  /** The name of the processor. */
  readonly processor: string;
  /** Keys under which there are refunds at the processor. */
  readonly takenKeys: ReadonlySet<string | null>;
  readonly now: Date;
}

/** The movement, and why it was not sent; undefined: its request may go out now. */
interface Reserved {
  readonly movement: OurMovementRow;
  readonly refusal: HoldReason | undefined;
  /** Whose guard it was, where it is not the organisation's. */
  readonly layer?: string | undefined;
}

/**
 * Reserves money on a charge: the movement with its key, in the transaction that decided it. The charge is locked, and the
 * ledger was read under the lock. It is reserved as `SENT`, or, where a guard forbids the request, as `NOT_SENT`.
 *
 * What was tried before for the same dispute and the same amount is tried again as the same movement: under a new key where
 * the last was refused, under the same where nothing was sent. Another amount is another movement.
 */
async function reserveMovement(
  trx: Trx,
  wanted: Wanted,
  context: ReserveContext,
): Promise<Reserved> {
  const { deps, charge, ledger, claim, now } = context;
  const before = triedBefore(ledger, wanted);
  const round = freeRound(context);
  const id = before?.id ?? createId('mv');
  const guarded = await guardMovement(
    trx,
    {
      ...wanted,
      id,
      round,
      sentOnChargeMinor: sentOnCharge(ledger, wanted, id),
      complaintMinor: sentForComplaint(ledger, { ...wanted, except: id }),
      organisationId: charge.organisationId,
      chargeReference: charge.chargeReference,
    },
    {
      ...{ owner: claim, operator: context.operator, standing: context.standing, now },
      settings: deps.settings.guards,
      layers: deps.settings.layers,
    },
  );
  const stored = await store(trx, {
    ...context,
    wanted,
    before,
    id,
    round,
    refusal: guarded.refusal,
    layer: guarded.layer,
    customer: guarded.customer ?? [],
  });
  return { movement: stored, refusal: guarded.refusal, layer: guarded.layer };
}

/** The next key of the charge under which there is nothing at the processor: a restored backup does not know each of its own. */
function freeRound({ charge, ledger, takenKeys }: ReserveContext): number {
  let round = nextRound(ledger.movements.filter(isOurs));
  while (takenKeys.has(movementKey(charge, round))) round += 1;
  return round;
}

/** What refunds of ours for other disputes, or of other amounts, have sent back or may have. */
function sentOnCharge({ movements }: Ledger, { currency }: Wanted, id: string): number {
  return movements
    .filter((each) => isOurs(each) && each.id !== id && each.currency === currency)
    .filter(mayHaveExecuted)
    .reduce((sum, { amountMinor }) => sum + amountMinor, 0);
}

/** A movement for the same dispute and amount that came to nothing. */
function triedBefore({ movements }: Ledger, wanted: Wanted): Movement | undefined {
  return movements.find(
    (each) =>
      isOurs(each) &&
      (each.state === 'REJECTED' || each.state === 'NOT_SENT') &&
      each.disputeId === wanted.disputeId &&
      each.kind === wanted.kind &&
      each.amountMinor === wanted.amountMinor &&
      each.currency === wanted.currency,
  );
}

interface Storing extends ReserveContext {
  readonly wanted: Wanted;
  readonly before: Movement | undefined;
  readonly id: string;
  readonly round: number;
  readonly refusal: HoldReason | undefined;
  readonly layer: string | undefined;
  /** Whose refund it is, for the counts of the caps. */
  readonly customer: readonly string[];
}

async function store(trx: Trx, storing: Storing): Promise<OurMovementRow> {
  const { deps, charge, wanted, before, id, round, refusal, claim, now } = storing;
  const provenAt = new Date(provenAtMs(now.getTime(), storing.capabilities));
  const until = new Date(now.getTime() + LEASE_MS);
  const lease = { owner: deps.workerId, until };
  if (before === undefined) {
    return await insertMovement(trx, {
      ...wanted,
      id,
      charge,
      round,
      state: refusal === undefined ? 'SENT' : 'NOT_SENT',
      alertId: claim.alert_id,
      failureCode: refusal ?? null,
      nextActionAt: refusal === undefined ? until : null,
      ...(refusal === undefined ? { lease, provenAt } : {}),
      holder: claim.alert_id,
      customer: storing.customer,
      sentThrough: storing.sentThrough,
      processor: storing.processor,
      what: refusal === undefined ? 'refund sent' : unsentBy(storing),
      now,
    });
  }
  const row = await findMovement(trx, charge.organisationId, before.id);
  assertInvariant(row !== undefined, `Movement ${before.id} is gone.`);
  if (refusal !== undefined) return await staysUnsent(trx, row, { ...storing, refusal });
  const { organisationId } = charge;
  await writeCustomer(trx, { organisationId, movementId: row.id }, storing.customer);
  return await moveMovement(trx, row, {
    to: 'SENT',
    now,
    holder: claim.alert_id,
    nextActionAt: until,
    lease,
    what: row.state === 'REJECTED' ? 'refund tried again, new key' : 'refund sent',
    detail: { round },
    set: {
      round,
      idempotency_key: movementKey(charge, round),
      alert_id: claim.alert_id,
      failure_code: null,
      failure_class: null,
      processor_reference: null,
      sent_through: storing.sentThrough,
      processor: storing.processor,
      first_sent_at: now,
      sent_at: now,
      proven_at: provenAt,
    },
  });
}

/** It was not sent before, and may not be now: only the reason may be another. */
async function staysUnsent(
  trx: Trx,
  row: OurMovementRow,
  storing: Storing & { readonly refusal: HoldReason },
): Promise<OurMovementRow> {
  const { refusal, now } = storing;
  return await moveMovement(trx, row, {
    to: row.state,
    now,
    nextActionAt: null,
    what: unsentBy(storing),
    set: row.state === 'NOT_SENT' ? { failure_code: refusal } : {},
  });
}

/** Whose guard it was is said where it is not the organisation's. */
function unsentBy({ layer }: Storing): string {
  return layer === undefined ? 'not sent' : `not sent: a guard of the ${layer} holds it`;
}

/** Holds the case, with the policy's fallback unless `as` names another. */
async function hold(deps: SagaDeps, claim: CaseRow, as: Obstacle): Promise<void> {
  const held = { reason: as.reason, fallback: as.fallback ?? 'keep', now: nowDate(deps.clock) };
  await inTransaction(deps.db, (trx) => holdCase(trx, claim, held));
}

/** Its answer is still to come. */
const UNDER_WAY: ReadonlySet<MovementState | undefined> = new Set(['SENT', 'UNKNOWN', 'PENDING']);

/** The step of a case that waits for a movement. */
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
