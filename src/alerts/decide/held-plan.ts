/** When a held case is looked at next, and which are held by choice. Pure. */
import type { CaseRow } from '../cases/case.store.ts';
import { planHeldCase } from './commit-decision.ts';

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
