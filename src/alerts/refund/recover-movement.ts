/**
 * What a movement does by itself when its answer is missing: ask the processor, and do what the rule
 * says. A repeat carries the same key, and everything that forbids money is asked again before it.
 */

import { nowDate } from '../../base/kernel/clock.ts';
import { LEASE_MS } from '../../base/kernel/limits.ts';
import type { ProcessorCapabilities, ProcessorCharge } from '../../service/wire/processor.ts';
import { CAUTIOUS_CAPABILITIES } from '../../service/wire/processor.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { isPaused } from '../guard/pause.store.ts';
import { awaitsRecoveryCheck } from '../guard/recovery-check.store.ts';
import { allocate } from '../ledger/allocate.ts';
import type { Ledger } from '../ledger/ledger.ts';
import {
  disputeOf,
  isAccepted,
  missingMinor,
  otherReferences,
  roomMinor,
} from '../ledger/ledger.ts';
import type { OurMovementRow } from '../ledger/movement.store.ts';
import { moveMovement } from '../ledger/movement.store.ts';
import type { Claimed } from '../ledger/movement-lease.store.ts';
import { casesWaitingFor, releaseMovement } from '../ledger/movement-lease.store.ts';
import type { Settlement } from '../ledger/settle-movement.ts';
import { withLedger } from '../ledger/with-ledger.ts';
import { checkAlert, guardAtMs, hasTimeLeft, readSiblings } from './check-alert.ts';
import { lookUp } from './look-up.ts';
import { deadlinesOf } from './retry-ladder.ts';
import type { SagaDeps } from './saga-deps.ts';
import { ledgerDeps } from './saga-deps.ts';
import { sendMovement, settleMovement } from './send-movement.ts';
import type { UnansweredRefund } from './unknown-rule.ts';
import { NEVER_EXECUTED, nextLookMs, provenAtMs, ruleUnknown } from './unknown-rule.ts';

/** Plans the next look at a movement that stays as it is, and releases it. */
export async function replanMovement(
  deps: SagaDeps,
  held: OurMovementRow,
  plan: { readonly nextActionAt: Date | null; readonly counts: boolean },
): Promise<void> {
  await releaseMovement(deps.db, held, {
    attempts: held.attempts + (plan.counts ? 1 : 0),
    nextActionAt: plan.nextActionAt,
    now: nowDate(deps.clock),
  });
}

/** `UNKNOWN`: ask the processor, and do what the rule says. */
export async function resolveUnknown(
  deps: SagaDeps,
  held: Claimed<OurMovementRow>,
  signal: AbortSignal,
): Promise<void> {
  const capabilities = await deps.processor.capabilities(signal);
  // What it offers is not known, so nothing can be concluded: asked again, for as long as it takes.
  if (capabilities === undefined) return await lookLater(deps, held);
  const answer = await lookUp(deps, held, signal);
  const subject = unansweredOf(deps, held);
  const nowMs = deps.clock.nowMs();
  const ruling = ruleUnknown(subject, answer, { capabilities, nowMs, random: Math.random() });
  const settle = (settlement: Settlement): Promise<void> =>
    settleMovement(deps, held, { claim: undefined, capabilities, settlement });
  switch (ruling.kind) {
    case 'settle':
      return await settle({ to: ruling.to, refund: ruling.refund });
    case 'rejected': {
      const { failureCode, failureClass } = ruling;
      return await settle({ to: 'REJECTED', failureCode, failureClass });
    }
    case 'human': {
      const { kind: _, ...why } = ruling;
      return await settle({ to: 'HUMAN', ...why });
    }
    case 'wait':
      return await replanMovement(deps, held, {
        nextActionAt: new Date(ruling.untilMs),
        counts: true,
      });
    case 'resend': {
      const isProven =
        answer.kind === 'absent' && nowMs > provenAtMs(subject.sentAtMs, capabilities);
      return await sendAgain(deps, held, { capabilities, isProven, signal });
    }
  }
}

function unansweredOf(deps: SagaDeps, held: Claimed<OurMovementRow>): UnansweredRefund {
  const firstSentAtMs = (held.first_sent_at ?? held.created_at).getTime();
  const { nextMs, lastWaitingMs } = deadlinesOf(held.deadlines, deps.clock.nowMs());
  return {
    amountMinor: held.amount_minor,
    currency: held.currency,
    firstSentAtMs,
    sentAtMs: held.sent_at?.getTime() ?? firstSentAtMs,
    tries: held.attempts + 1,
    guardAtMs: lastWaitingMs === null ? null : guardAtMs(lastWaitingMs, deps.settings.guardMs),
    deadlineMs: nextMs,
  };
}

/** Up the ladder, and no later than a moment at which the ruling changes. */
async function lookLater(deps: SagaDeps, held: Claimed<OurMovementRow>): Promise<void> {
  // Only how long to wait follows from it here.
  const capabilities = (await deps.processor.capabilities()) ?? CAUTIOUS_CAPABILITIES;
  const nextMs = nextLookMs(unansweredOf(deps, held), {
    capabilities,
    nowMs: deps.clock.nowMs(),
    random: Math.random(),
  });
  await replanMovement(deps, held, { nextActionAt: new Date(nextMs), counts: true });
}

interface Repeat {
  readonly capabilities: ProcessorCapabilities;
  /** It is proven that no earlier request executed; otherwise its living key protects the repeat. */
  readonly isProven: boolean;
  readonly signal: AbortSignal;
}

/** The request did not execute, or its key still protects a repeat: everything is asked again. */
async function sendAgain(
  deps: SagaDeps,
  held: Claimed<OurMovementRow>,
  repeat: Repeat,
): Promise<void> {
  const { capabilities, isProven, signal } = repeat;
  if (deps.shadow || (await isPaused(deps.db, held.organisation_id))) {
    return await lookLater(deps, held);
  }
  const wanted = await isStillWanted(deps, held, signal);
  if (wanted === 'later') return await lookLater(deps, held);
  if (wanted === 'no') return await giveUp(deps, held, repeat);
  const charge = { organisationId: held.organisation_id, chargeReference: held.charge_reference };
  const asked = { charge, alertId: held.alert_id, signal };
  const done = await withLedger(ledgerDeps(deps), asked, async (trx, opened) => {
    const { ledger, answer, shown, now } = opened;
    if (answer.kind === 'absent') return 'later';
    const state = ledger.movements.find(({ id }) => id === held.id)?.state;
    if (state !== held.state) return 'moved';
    if (await awaitsRecoveryCheck(trx, charge)) return 'later';
    if (isShownDisputed(shown, held) || !isStillMissing(ledger, held)) return 'not_now';
    const until = new Date(now.getTime() + LEASE_MS);
    const sent = await moveMovement(trx, held, {
      to: 'SENT',
      now,
      nextActionAt: until,
      lease: { owner: deps.workerId, until },
      what: 'refund sent again, same key',
      detail: { key: held.idempotency_key },
      set: { sent_at: now, proven_at: new Date(provenAtMs(now.getTime(), capabilities)) },
    });
    return { sent, taken: otherReferences(ledger, held.id) };
  });
  const outcome = done.kind === 'done' ? done.result : 'later';
  if (outcome === 'moved') return;
  if (outcome === 'later') return await lookLater(deps, held);
  if (outcome === 'not_now') return await giveUp(deps, held, repeat);
  await sendMovement(deps, outcome.sent, {
    claim: undefined,
    capabilities,
    provenAbsent: isProven,
    taken: outcome.taken,
    signal,
  });
}

/** A dispute was opened since the first request: what is refunded now is paid twice. */
function isShownDisputed(shown: ProcessorCharge | undefined, { kind }: OurMovementRow): boolean {
  return kind === 'refund' && shown?.disputed === true;
}

/**
 * No answer denies the dispute (L5), since it was sent no money of the network became known that may be this charge's, and
 * were it refused now, all of it would still be missing and have room (L1, L3): somebody else may have refunded meanwhile.
 */
function isStillMissing(ledger: Ledger, held: OurMovementRow): boolean {
  const { id: own, dispute_id: disputeId, kind, sent_at: sentAt, amount_minor: amountMinor } = held;
  const movements = ledger.movements.filter(({ id }) => id !== own);
  const { ledger: without } = allocate({ ...ledger, movements });
  const dispute = disputeOf(without, disputeId);
  if (dispute === undefined || isAccepted(ledger, dispute.id)) return false;
  const sinceMs = (sentAt ?? held.created_at).getTime();
  const doubts = [ledger.networkInDoubt, ledger.acceptanceInDoubt];
  if (doubts.some((doubt) => doubt !== null && doubt.knownAtMs > sinceMs)) return false;
  if (kind === 'void') return true;
  return Math.min(missingMinor(without, dispute), roomMinor(without)) >= amountMinor;
}

/** It is not wanted any more, or it may not be made. Without proof that nothing executed, "refused" would be a guess. */
async function giveUp(
  deps: SagaDeps,
  held: OurMovementRow,
  { capabilities, isProven }: Repeat,
): Promise<void> {
  const settlement: Settlement = isProven
    ? { to: 'REJECTED', failureCode: NEVER_EXECUTED, failureClass: 'retry' }
    : { to: 'HUMAN', reason: 'not_wanted_any_more' };
  await settleMovement(deps, held, { claim: undefined, capabilities, settlement });
}

/** Whether an alert that waits for it is still open, with time left. */
async function isStillWanted(
  deps: SagaDeps,
  held: OurMovementRow,
  signal: AbortSignal,
): Promise<'yes' | 'no' | 'later'> {
  let answer: 'no' | 'later' = 'no';
  for (const owner of await casesWaitingFor(deps.db, held)) {
    const wish = await wishOf(deps, owner, signal);
    if (wish === 'yes') return 'yes';
    if (wish === 'later') answer = 'later';
  }
  return answer;
}

async function wishOf(
  deps: SagaDeps,
  owner: CaseRow,
  signal: AbortSignal,
): Promise<'yes' | 'no' | 'later'> {
  if (owner.decision_id === null) return 'no';
  const check = await checkAlert(deps, owner, signal);
  if (check.kind === 'later') return 'later';
  // It says otherwise than when it was decided: whether it still wants this is decided anew.
  if (check.kind === 'open' && check.grounds.changed.length > 0) return 'no';
  if (check.kind !== 'open' || !hasTimeLeft(deps, owner, { alert: check.alert })) return 'no';
  return (await readSiblings(deps, check.grounds, signal)).unread === undefined ? 'yes' : 'later';
}
