/**
 * Looks after held cases: closes what the service has closed, matches again what waits for a charge,
 * asks again what could not be asked, carries out the fallback when its moment has come, and keeps a
 * plan in any case, also after the deadline.
 *
 * Each branch ends in one transaction that moves the case; run again from the start it finds the
 * same cause or the case gone.
 */
import { z } from 'zod';
import { inTransaction } from '../../base/db/transaction.ts';
import { backoffMs } from '../../base/kernel/backoff.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { utcWords } from '../../base/kernel/instant.ts';
import { notify } from '../../base/notify/notification.store.ts';
import { CAUTIOUS_CAPABILITIES } from '../../service/wire/processor.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { moveCase, replanCase } from '../cases/case.store.ts';
import { postponeCase } from '../cases/case-plan.store.ts';
import type { CaseStep } from '../cases/case-runner.ts';
import { isOver } from '../cases/claim.ts';
import { processorAt } from '../cases/routed-processor.ts';
import { declareIfCovered } from '../ledger/settle-movement.ts';
import { openLedger } from '../ledger/with-ledger.ts';
import { waitsForCharge } from '../match/waiting.store.ts';
import { closeHeldCase } from './close-case.ts';
import { commitDecision, createDecideStep } from './decide.job.ts';
import { decide, decideFallback } from './decide.ts';
import type { DecideDeps } from './decide-deps.ts';
import type { StoredDecision } from './decision.store.ts';
import { findDecision } from './decision.store.ts';
import type { Decision } from './decision.ts';
import type { CaseFacts } from './facts.ts';
import type { HeldFacts } from './gather-facts.ts';
import { gatherFacts, merchantsIn } from './gather-facts.ts';
import { unknownValues } from './guards.ts';
import { isHeldByChoice, nextLook, planHeldCase } from './held-plan.ts';
import { accountOf } from './money-state.ts';
import type { PolicyAnswer } from './policy.ts';
import { REFUND_AMOUNTS } from './policy.ts';
import { isStillHeld } from './quick-look.ts';

/** The one who decided relied on what the alert no longer says. */
const ALERT_CHANGED = 'alert_changed';

/** Waits between questions to a processor that does not answer: soon at first, then every few minutes. */
const ASK_AGAIN = { baseMs: 15_000, maxMs: 5 * 60_000 };

/** Creates the step for `HUMAN`. */
export function createHeldStep(deps: DecideDeps): CaseStep {
  const wholeLook = createWholeLook(deps, createDecideStep(deps));
  return async function heldStep(claim, signal): Promise<void> {
    if (!(await isStillHeld(deps, claim, signal))) await wholeLook(claim, signal);
  };
}

/** The look that asks everything again. `redecide` is the step of matched cases. */
function createWholeLook(deps: DecideDeps, redecide: CaseStep): CaseStep {
  return async function wholeLook(claim, signal): Promise<void> {
    const { facts, whole } = await gatherFacts(deps, claim, signal);
    if (facts.alert.status === 'RESOLVED' || facts.alert.status === 'INVALID') {
      return await closeHeldCase(deps, { claim, facts }, signal);
    }
    const now = nowDate(deps.clock);
    if (isOver(claim, now)) return await plan(deps, claim);
    if (isMoneyBack(claim, facts)) return await declareHeld(deps, claim);
    const held = await matchAgain(deps, { claim, facts }, signal);
    if (held === undefined) return;
    if (held !== claim) return await redecide(held, signal);
    const so = { claim, facts, whole, stored: await decisionOf(deps, claim) };
    const isAnew = isTriedAgain(so, now) ? isOldPolicy(deps, so) : isJudgedAnew(deps, so);
    if (await isAnew) {
      return await redecide(claim, signal);
    }
    await carryOn(deps, so, now);
  };
}

/** Where it was not asked that people look at it whatever the money does. */
function isMoneyBack(claim: CaseRow, facts: CaseFacts): boolean {
  return accountOf(facts).isCovered && facts.mode === 'live' && !isHeldByChoice(claim.hold_reason);
}

async function carryOn(deps: DecideDeps, held: Held, now: Date): Promise<void> {
  await (isTriedAgain(held, now) ? tryAgain(deps, held.claim) : waitOn(deps, held));
}

/** A refund that was decided, and whose time has come again or whose doubt is gone. */
function isTriedAgain({ claim, facts, stored }: Held, now: Date): boolean {
  if (stored?.action !== 'REFUND' || claim.hold_reason === ALERT_CHANGED) return false;
  const isResolved =
    claim.hold_reason === 'refund_unresolved' && accountOf(facts).underWay === null;
  return isResolved || isDue(claim.retry_at, now);
}

/** The merchant wants something else by now: what was not sent yet is decided by that. A person's word remains. */
async function isOldPolicy(deps: DecideDeps, { whole, stored }: Held): Promise<boolean> {
  if (stored?.policy_version == null || stored.decided_by.startsWith('operator:')) return false;
  const { version } = deps.currentPolicy(merchantsIn(await whole()));
  return version !== stored.policy_version;
}

function isDue(at: Date | null, now: Date): boolean {
  return at !== null && at <= now;
}

/** The money has gone back while the alert waited: `REFUND` is the truth. */
async function declareHeld(deps: DecideDeps, claim: CaseRow): Promise<void> {
  const { organisationId, db, clock } = deps;
  const charge = { organisationId, chargeReference: claim.charge_reference ?? '' };
  const processor = await processorAt(deps.processor, charge.chargeReference);
  const capabilities = (await processor.capabilities()) ?? CAUTIOUS_CAPABILITIES;
  const now = nowDate(clock);
  const isDeclared = await inTransaction(db, async (trx) => {
    const samePart = deps.samePart ?? 'REVIEW';
    const ledger = await openLedger(trx, { charge, capabilities, samePart, now });
    const { pendingCounts } = capabilities;
    return (await declareIfCovered(trx, claim, { ledger, pendingCounts, now })) !== undefined;
  });
  if (!isDeclared) await plan(deps, claim);
}

/** What was refused, or not sent, is tried again under the decision in force. */
async function tryAgain(deps: DecideDeps, claim: CaseRow): Promise<void> {
  const now = nowDate(deps.clock);
  await moveCase(deps.db, claim, {
    to: 'DECIDED_REFUND',
    now,
    nextActionAt: now,
    what: 'the refund is tried again',
    set: { retry_at: null },
  });
}

interface Held extends HeldFacts {
  readonly claim: CaseRow;
  readonly stored: StoredDecision | undefined;
}

const storedAlert = z.object({
  facts: z.object({
    alert: z.object({ amountMinor: z.number().nullable(), currency: z.string().nullable() }),
  }),
});

/**
 * Whether the hold is judged again: values that are known by now, an alert that was corrected, or a guard
 * that no longer speaks. What a person decided remains, and so does a review that the policy asks for.
 */
async function isJudgedAnew(
  deps: DecideDeps,
  { claim, facts, whole, stored }: Held,
): Promise<boolean> {
  if (isNowKnown(claim, facts) || claim.hold_reason === ALERT_CHANGED) return true;
  if (stored === undefined || stored.decided_by.startsWith('operator:')) return false;
  const before = storedAlert.safeParse(stored.inputs).data?.facts.alert;
  const { amountMinor, currency } = facts.alert;
  if (
    before !== undefined &&
    (before.amountMinor !== amountMinor || before.currency !== currency)
  ) {
    return true;
  }
  if (stored.guard === null || stored.guard !== claim.hold_reason) return false;
  if (facts.charge.kind === 'unavailable') return false;
  const all = await whole();
  return decide(deps.currentPolicy(merchantsIn(all)), all).guard !== stored.guard;
}

/** Nothing new is known: the fallback if it is due, another try, or simply the next look. */
async function waitOn(deps: DecideDeps, held: Held): Promise<void> {
  const { claim, facts } = held;
  if (isDue(claim.fallback_at, nowDate(deps.clock))) return await fallBack(deps, held);
  if (facts.charge.kind === 'unavailable') return await askLater(deps, claim, facts.charge.reason);
  if (claim.hold_reason === 'search_unanswered') {
    return await askLater(deps, claim, 'the search of the processor did not answer');
  }
  return await plan(deps, claim);
}

/** The processor still cannot be asked: later, and no later than the fallback or the deadline. */
async function askLater(deps: DecideDeps, claim: CaseRow, error: string): Promise<void> {
  const now = nowDate(deps.clock);
  const ahead = claim.fallback_at !== null && claim.fallback_at > now ? claim.fallback_at : null;
  const retryAt = planHeldCase({
    deadlineAt: claim.deadline_at,
    fallbackAt: ahead,
    againMs: backoffMs(claim.attempts + 1, ASK_AGAIN),
    now,
  });
  await postponeCase(deps.db, claim, { now, retryAt, error });
}

/** Matches again what waits for a charge. Undefined: the case went to `MATCHED`. */
async function matchAgain(
  deps: DecideDeps,
  { claim, facts }: { readonly claim: CaseRow; readonly facts: CaseFacts },
  signal: AbortSignal,
): Promise<CaseRow | undefined> {
  const waits =
    waitsForCharge(claim.hold_reason) ||
    // Held before it was ever matched, because its status was not known then.
    (claim.match_id === null && facts.alert.status === 'ACTION_REQUIRED');
  if (!waits) return claim;
  const { moved, claim: now } = await deps.rematch(claim, signal);
  return moved ? undefined : now;
}

function isNowKnown(claim: CaseRow, { alert }: CaseFacts): boolean {
  return claim.hold_reason === 'alert_value_unknown' && unknownValues(alert).length === 0;
}

async function decisionOf(deps: DecideDeps, claim: CaseRow): Promise<StoredDecision | undefined> {
  return claim.decision_id === null
    ? undefined
    : await findDecision(deps.db, claim.organisation_id, claim.decision_id);
}

/** Carries out the fallback, or, where the guards forbid it, removes it and calls a person. */
async function fallBack(deps: DecideDeps, { claim, whole, stored }: Held): Promise<void> {
  const facts = await whole();
  const answer = fallbackAnswer(claim, stored);
  const decision = decideFallback(answer, facts, stored?.side_actions ?? []);
  if (decision.retry) return await askLater(deps, claim, decision.sentence);
  const now = nowDate(deps.clock);
  if (decision.action === 'REFUND' || decision.action === 'ACCEPT_DISPUTE') {
    await inTransaction(deps.db, (trx) =>
      commitDecision(trx, { claim, facts, decision, policy: undefined, now }),
    );
    return;
  }
  await dropFallback(deps, claim, decision);
}

/** The answer with the amount that the policy named; the case itself stores the action only. */
function fallbackAnswer(claim: CaseRow, stored: StoredDecision | undefined): PolicyAnswer {
  if (claim.fallback_action !== 'REFUND') return { action: 'ACCEPT_DISPUTE' };
  const parsed = storedFallback.safeParse(stored?.inputs);
  if (!parsed.success) return { action: 'REFUND', amount: 'full' };
  const { amount, whenRefused } = parsed.data.fallback.answer;
  return { action: 'REFUND', amount, ...(whenRefused === undefined ? {} : { whenRefused }) };
}

const storedFallback = z.object({
  fallback: z.object({
    answer: z.object({
      action: z.literal('REFUND'),
      amount: z.enum(REFUND_AMOUNTS),
      whenRefused: z.literal('ACCEPT_DISPUTE').optional(),
    }),
  }),
});

async function dropFallback(deps: DecideDeps, claim: CaseRow, decision: Decision): Promise<void> {
  const now = nowDate(deps.clock);
  await inTransaction(deps.db, async (trx) => {
    await moveCase(trx, claim, {
      to: 'HUMAN',
      now,
      nextActionAt: planHeldCase({ deadlineAt: claim.deadline_at, fallbackAt: null, now }),
      what: `the fallback could not be carried out: ${decision.sentence}`,
      detail: { guard: decision.guard },
      set: { fallback_action: null, fallback_at: null },
    });
    await notify(trx, {
      organisationId: claim.organisation_id,
      dedupeKey: `fallback_stopped:${claim.alert_id}`,
      kind: 'fallback_stopped',
      severity: 'error',
      alertId: claim.alert_id,
      text: `The fallback of alert ${claim.alert_id} could not be carried out. ${decision.sentence} Decide before ${utcWords(claim.deadline_at)}.`,
      at: now,
    });
  });
}

/** Keeps the case where it is, with its next look. After the deadline a fallback is void. */
async function plan(deps: DecideDeps, claim: CaseRow): Promise<void> {
  const now = nowDate(deps.clock);
  const nextActionAt = nextLook(claim, now);
  // Either is one statement, and needs no transaction.
  if (claim.deadline_at > now || claim.fallback_at === null) {
    return await replanCase(deps.db, claim, { now, nextActionAt });
  }
  await moveCase(deps.db, claim, {
    to: 'HUMAN',
    now,
    nextActionAt,
    what: 'the deadline passed, and the fallback with it',
    set: { fallback_action: null, fallback_at: null },
  });
}
