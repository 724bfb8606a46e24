/**
 * Holds a case for a person, and closes a case that the service has closed: the two ways in which any
 * step ends without acting.
 */
import type { Trx } from '../../base/db/database.ts';
import { cutWaitMs } from '../../base/kernel/backoff.ts';
import { utcWords } from '../../base/kernel/instant.ts';
import { notify } from '../../base/notify/notification.store.ts';
import type { FallbackAction } from '../decide/decision.table.ts';
import type { CaseRow } from './case.store.ts';
import { moveCase } from './case.store.ts';
import type { PlannedFallback } from './case-decision.store.ts';
import { readCaseDecider, readPolicyFallback } from './case-decision.store.ts';
import type { HoldReason } from './hold-reason.ts';
import { HOLD_REASONS } from './hold-reason.ts';

/** How a case is held. */
export interface Hold {
  readonly reason: HoldReason;
  readonly now: Date;
  /**
   * What happens without a decision in time. `keep` leaves the case's fallback, or gives back the policy's where a person's
   * decision had taken it away; `none` removes it,
   * where carrying it out would be wrong or loop; otherwise the one given.
   */
  readonly fallback: 'keep' | 'none' | 'ACCEPT_DISPUTE' | PlannedFallback;
  /** What an `ACCEPT_DISPUTE` would say. */
  readonly answerNote?: string;
  readonly detail?: Record<string, unknown>;
  /** When what was refused, or not sent, is tried again. @default not by itself */
  readonly againAt?: Date | null;
}

/** A held case whose deadline has passed is looked at again this often, in milliseconds. */
const EXPIRED_LOOK_MS = 24 * 60 * 60_000;

/** A fallback that has no moment of its own fires when this share of the whole window is left. */
const FALLBACK_SHARE_LEFT = 0.25;

/** A fallback that was due and could not be carried out comes again after this time, in milliseconds. */
const FALLBACK_AGAIN_MS = 5 * 60_000;

/** In these states a hold can be the work of the very fallback that it plans. */
const ANSWERING: ReadonlySet<CaseRow['state']> = new Set([
  'DECIDED_ACCEPT',
  'DECLARE_ACCEPT',
  'DECLARE_REFUND',
]);

/** Moves the case to `HUMAN` and tells a person. */
export async function holdCase(trx: Trx, claim: CaseRow, hold: Hold): Promise<CaseRow> {
  const { reason, now, againAt = null } = hold;
  const fallback = fallbackOf(claim, await withPolicys(trx, claim, hold));
  const held = await moveCase(trx, claim, {
    to: 'HUMAN',
    now,
    nextActionAt: firstLook(claim, {
      plan: planWhileHeld(claim.deadline_at, fallback.fallback_at, now),
      againAt,
      now,
    }),
    what: 'held for a person',
    detail: { reason, ...hold.detail },
    set: {
      hold_reason: reason,
      retry_at: againAt,
      ...fallback,
      ...(hold.answerNote === undefined ? {} : { answer_note: hold.answerNote }),
    },
  });
  await notify(trx, {
    organisationId: claim.organisation_id,
    dedupeKey: `hold:${claim.alert_id}:${reason}`,
    kind: 'case_held',
    severity: 'warning',
    alertId: claim.alert_id,
    text: `Alert ${claim.alert_id} needs a decision before ${utcWords(claim.deadline_at)}. ${HOLD_REASONS[reason]}`,
    at: now,
  });
  return held;
}

/** A person's decision had taken the policy's fallback away; where it could not be carried out, that is back. */
async function withPolicys(trx: Trx, claim: CaseRow, hold: Hold): Promise<Hold> {
  if (hold.fallback !== 'keep' || claim.fallback_action !== null) return hold;
  if ((await readCaseDecider(trx, claim)) === undefined) return hold;
  return { ...hold, fallback: await readPolicyFallback(trx, claim) };
}

function fallbackOf(
  claim: CaseRow,
  { fallback, now }: Hold,
): { fallback_action: FallbackAction | null; fallback_at: Date | null } {
  if (fallback === 'none') return { fallback_action: null, fallback_at: null };
  const { action, at } = plannedOf(claim, fallback);
  // A refund that could not be made is no way out of holding the case because of it.
  if (action === null || action === 'REFUND') return { fallback_action: null, fallback_at: null };
  // A moment planned for an earlier deadline may lie behind the one of today.
  const isInTime = at !== null && at < claim.deadline_at;
  const moment = isInTime ? at : fallbackMoment(claim, now);
  return { fallback_action: action, fallback_at: notAtOnce(claim, moment, now) };
}

/**
 * Where the answer itself led to the hold, a fallback that is due would lead here again at once, for as long as the same
 * speaks against it: it comes again in a while.
 */
function notAtOnce({ state, deadline_at: deadlineAt }: CaseRow, moment: Date, now: Date): Date {
  if (moment > now || !ANSWERING.has(state)) return moment;
  const nowMs = now.getTime();
  return new Date(nowMs + cutWaitMs(FALLBACK_AGAIN_MS, deadlineAt.getTime(), nowMs));
}

function plannedOf(claim: CaseRow, fallback: Exclude<Hold['fallback'], 'none'>): PlannedFallback {
  if (typeof fallback === 'object') return fallback;
  const action = fallback === 'keep' ? claim.fallback_action : fallback;
  return { action, at: claim.fallback_at };
}

function fallbackMoment(claim: CaseRow, now: Date): Date {
  const windowMs = claim.deadline_at.getTime() - claim.opened_at.getTime();
  const moment = claim.deadline_at.getTime() - Math.max(0, windowMs) * FALLBACK_SHARE_LEFT;
  return new Date(Math.max(moment, now.getTime()));
}

/** As planned, or when it is tried again; within 30 s in the last hour before the deadline. */
function firstLook(
  { deadline_at: deadlineAt }: CaseRow,
  { plan, againAt, now }: { plan: Date; againAt: Date | null; now: Date },
): Date {
  const next = againAt !== null && againAt < plan ? againAt : plan;
  const [nextMs, nowMs] = [next.getTime(), now.getTime()];
  return new Date(nowMs + cutWaitMs(nextMs - nowMs, deadlineAt.getTime(), nowMs));
}

/** When a held case is looked at next: at its fallback, at its deadline, and daily after that. */
export function planWhileHeld(deadlineAt: Date, fallbackAt: Date | null, now: Date): Date {
  if (fallbackAt !== null) return fallbackAt > now ? fallbackAt : now;
  return deadlineAt > now ? deadlineAt : new Date(now.getTime() + EXPIRED_LOOK_MS);
}

/** What the service shows of a closed alert. */
export interface RemoteEnd {
  readonly status: string;
  readonly refundOutcome: string | null;
  readonly now: Date;
  /** A refund of ours on this charge remains although the alert is closed. */
  readonly refundStands?: boolean;
}

/** Closes a case whose alert was resolved or withdrawn before we answered it. */
export async function closeRemote(trx: Trx, claim: CaseRow, end: RemoteEnd): Promise<CaseRow> {
  const { status, refundOutcome, now } = end;
  const invalid = status === 'INVALID';
  const closed = await moveCase(trx, claim, {
    to: invalid ? 'CLOSED_INVALID' : 'CLOSED_REMOTE',
    now,
    what: invalid ? 'withdrawn at the service' : 'resolved by somebody else',
    actor: 'service',
    detail: { status, outcome: refundOutcome, refund_stands: end.refundStands ?? false },
  });
  if (end.refundStands === true) {
    await notify(trx, {
      organisationId: claim.organisation_id,
      dedupeKey: `refund_stands:${claim.alert_id}`,
      kind: 'refund_stands',
      severity: 'warning',
      alertId: claim.alert_id,
      text: `Alert ${claim.alert_id} ended as ${status} after its charge had been refunded. The refund stands; nothing was reversed. Check the charge at the processor.`,
      at: now,
    });
  }
  return closed;
}

/** Ends a case whose remote outcome contradicts our books, and pages a person. */
export async function conflictCase(
  trx: Trx,
  claim: CaseRow,
  conflict: { readonly now: Date; readonly text: string; readonly detail: Record<string, unknown> },
): Promise<CaseRow> {
  const ended = await moveCase(trx, claim, {
    to: 'CONFLICT',
    now: conflict.now,
    what: 'remote outcome contradicts our books',
    detail: conflict.detail,
  });
  await notify(trx, {
    organisationId: claim.organisation_id,
    dedupeKey: `conflict:${claim.alert_id}`,
    kind: 'conflict',
    severity: 'error',
    alertId: claim.alert_id,
    text: conflict.text,
    at: conflict.now,
  });
  return ended;
}
