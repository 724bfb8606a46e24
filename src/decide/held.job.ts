/**
 * Looks after held cases: closes what the service has closed, matches again what waits for a charge,
 * asks again what could not be asked, carries out the fallback when its moment has come, and keeps a
 * plan in any case, also after the deadline.
 *
 * Each branch ends in one transaction that moves the case; run again from the start it finds the
 * same cause or the case gone.
 */
import { z } from 'zod';
import type { CaseRow } from '../cases/case.store.ts';
import { moveCase, postponeCase, replanCase } from '../cases/case.store.ts';
import type { CaseStep } from '../cases/case-runner.ts';
import { inTransaction } from '../db/transaction.ts';
import { backoffMs } from '../kernel/backoff.ts';
import { nowDate } from '../kernel/clock.ts';
import { WAITING_REASONS } from '../match/waiting.store.ts';
import { notify } from '../notify/notification.store.ts';
import { closeHeldCase } from './close-case.ts';
import { againMs, commitDecision, planHeldCase } from './commit-decision.ts';
import type { DecideDeps } from './decide.job.ts';
import { decideFallback } from './decide.ts';
import type { StoredDecision } from './decision.store.ts';
import { findDecision } from './decision.store.ts';
import type { Decision } from './decision.ts';
import type { DecisionFacts } from './facts.ts';
import { gatherFacts } from './gather-facts.ts';
import { unknownValues } from './guards.ts';
import type { PolicyAnswer } from './policy.ts';
import { REFUND_AMOUNTS } from './policy.ts';

const HOLDS_FOR_CHARGE: readonly (string | null)[] = WAITING_REASONS;

/** Waits between questions to a processor that does not answer: soon at first, then every few minutes. */
const ASK_AGAIN = { baseMs: 15_000, maxMs: 5 * 60_000 };

/** Makes the step for `HUMAN`. `redecide` is the step of matched cases. */
export function createHeldStep(deps: DecideDeps, redecide: CaseStep): CaseStep {
  return async function heldStep(claim, signal): Promise<void> {
    const facts = await gatherFacts(deps, claim, signal);
    if (facts.alert.status === 'RESOLVED' || facts.alert.status === 'INVALID') {
      return await closeHeldCase(deps, claim, facts);
    }
    if (claim.deadline_at <= nowDate(deps.clock)) return await plan(deps, claim);
    const held = await matchAgain(deps, { claim, facts }, signal);
    if (held === undefined) return;
    // Another outcome of the match, or values that are known by now: the hold is judged anew.
    return held !== claim || isNowKnown(claim, facts)
      ? await redecide(held, signal)
      : await waitOn(deps, { claim, facts, again: () => redecide(claim, signal) });
  };
}

/** Nothing new is known: the fallback if it is due, another try, or simply the next look. */
async function waitOn(
  deps: DecideDeps,
  held: {
    readonly claim: CaseRow;
    readonly facts: DecisionFacts;
    readonly again: () => Promise<void>;
  },
): Promise<void> {
  const { claim, facts } = held;
  if (claim.fallback_at !== null && claim.fallback_at <= nowDate(deps.clock)) {
    return await fallBack(deps, claim, facts);
  }
  if (!mayRetry(claim, await decisionOf(deps, claim))) return await plan(deps, claim);
  return facts.charge.kind === 'unavailable'
    ? await askLater(deps, claim, facts.charge.reason)
    : await held.again();
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
  { claim, facts }: { readonly claim: CaseRow; readonly facts: DecisionFacts },
  signal: AbortSignal,
): Promise<CaseRow | undefined> {
  const waits =
    HOLDS_FOR_CHARGE.includes(claim.hold_reason) ||
    // Held before it was ever matched, because its status was not known then.
    (claim.match_id === null && facts.alert.status === 'ACTION_REQUIRED');
  if (!waits) return claim;
  const { moved, claim: now } = await deps.rematch(claim, signal);
  return moved ? undefined : now;
}

function isNowKnown(claim: CaseRow, { alert }: DecisionFacts): boolean {
  return claim.hold_reason === 'alert_value_unknown' && unknownValues(alert).length === 0;
}

/** Only what a decision of this stage held may be decided anew; an operator's word stands. */
function mayRetry(claim: CaseRow, decision: StoredDecision | undefined): boolean {
  return (
    claim.hold_reason === 'processor_unavailable' && decision?.guard === 'processor_unavailable'
  );
}

async function decisionOf(deps: DecideDeps, claim: CaseRow): Promise<StoredDecision | undefined> {
  return claim.decision_id === null ? undefined : await findDecision(deps.db, claim.decision_id);
}

/** Carries out the fallback, or, where the guards forbid it, removes it and calls a person. */
async function fallBack(deps: DecideDeps, claim: CaseRow, facts: DecisionFacts): Promise<void> {
  const stored = await decisionOf(deps, claim);
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
  return { action: 'REFUND', amount: parsed.success ? parsed.data.fallback.answer.amount : 'full' };
}

const storedFallback = z.object({
  fallback: z.object({
    answer: z.object({ action: z.literal('REFUND'), amount: z.enum(REFUND_AMOUNTS) }),
  }),
});

async function dropFallback(deps: DecideDeps, claim: CaseRow, decision: Decision): Promise<void> {
  const now = nowDate(deps.clock);
  await inTransaction(deps.db, async (trx) => {
    await moveCase(trx, claim, {
      to: 'HUMAN',
      now,
      nextActionAt: planHeldCase({
        deadlineAt: claim.deadline_at,
        fallbackAt: null,
        againMs: againMs(claim.hold_reason, false),
        now,
      }),
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
      text: `The fallback of alert ${claim.alert_id} could not be carried out. ${decision.sentence} Decide before ${claim.deadline_at.toISOString()}.`,
      at: now,
    });
  });
}

/** Keeps the case where it is, with its next look. After the deadline a fallback is void. */
async function plan(deps: DecideDeps, claim: CaseRow): Promise<void> {
  const now = nowDate(deps.clock);
  const isOver = claim.deadline_at <= now;
  const ahead = claim.fallback_at !== null && claim.fallback_at > now ? claim.fallback_at : null;
  const nextActionAt = planHeldCase({
    deadlineAt: claim.deadline_at,
    fallbackAt: isOver ? null : ahead,
    againMs: againMs(claim.hold_reason, false),
    now,
  });
  await inTransaction(deps.db, async (trx) => {
    if (!isOver || claim.fallback_at === null) {
      await replanCase(trx, claim, { now, nextActionAt });
      return;
    }
    await moveCase(trx, claim, {
      to: 'HUMAN',
      now,
      nextActionAt,
      what: 'the deadline passed, and the fallback with it',
      set: { fallback_action: null, fallback_at: null },
    });
  });
}
