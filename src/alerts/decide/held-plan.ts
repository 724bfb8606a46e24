/** When a held case is looked at next, and which are held by choice. Pure. */
import { LAST_HOUR_MS, LAST_HOUR_WAIT_MS } from '../../base/kernel/limits.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { planWhileHeld } from '../cases/hold-case.ts';

/** How often a held case is looked at again, whatever woke it or not, in milliseconds. */
const LOOK_MS = 60 * 60_000;

/** A policy, or a person, wants these looked at by people, whatever the money does meanwhile. */
const HELD_BY_CHOICE: ReadonlySet<string | null> = new Set([
  'policy_review',
  'policy_error',
  'shadow_mode',
  'approval_declined',
  'declaration_refused',
]);

/** Whether money that has gone back is not declared by itself. */
export function isHeldByChoice(holdReason: string | null): boolean {
  return HELD_BY_CHOICE.has(holdReason);
}

/** The next look at a case that stays held: a moment that is planned, or as usual. After the deadline a fallback is void. */
export function nextLook(claim: CaseRow, now: Date): Date {
  const isOver = claim.deadline_at <= now;
  const next = [claim.fallback_at, claim.retry_at].filter(
    (at): at is Date => at !== null && at > now,
  );
  const ahead = next.length === 0 ? null : new Date(Math.min(...next.map((at) => at.getTime())));
  return planHeldCase({ deadlineAt: claim.deadline_at, fallbackAt: isOver ? null : ahead, now });
}

/**
 * The earliest of what a held case waits for: every hour at least, because the charge may change, and
 * every 30 s in the last hour. After the deadline daily.
 */
export function planHeldCase(plan: {
  readonly deadlineAt: Date;
  readonly fallbackAt: Date | null;
  readonly againMs?: number | null;
  readonly now: Date;
}): Date {
  const { deadlineAt, fallbackAt, now } = plan;
  const next = planWhileHeld(deadlineAt, fallbackAt, now);
  if (now >= deadlineAt) return next;
  const leftMs = deadlineAt.getTime() - now.getTime();
  const usualMs =
    leftMs <= LAST_HOUR_MS ? LAST_HOUR_WAIT_MS : Math.min(LOOK_MS, leftMs - LAST_HOUR_MS);
  const again = new Date(now.getTime() + Math.min(usualMs, plan.againMs ?? usualMs));
  return again < next ? again : next;
}
