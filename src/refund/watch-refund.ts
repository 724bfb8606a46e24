/**
 * Looks after refunds that the processor has accepted: pending ones until they settle, confirmed ones
 * while they may still fail, and those that wait for a person, in case time answers the question.
 */
import { nowDate } from '../kernel/clock.ts';
import { guardAtMs } from './examine.ts';
import { lookUp } from './look-up.ts';
import { CAUTIOUS_CAPABILITIES } from './processor.ts';
import { replanRefund, settleRejected } from './recover-refund.ts';
import type { RefundRow } from './refund.store.ts';
import { casesOfRefund } from './refund-cases.store.ts';
import { nextTryMs } from './retry-ladder.ts';
import type { SagaDeps } from './saga-deps.ts';
import { HELD_LOOKUP_MS, settleRefund, WATCH_MS } from './settle-refund.ts';

/** Refunds that fail do so within days (a closed card account); after this nobody watches, in milliseconds. */
const WATCH_TOTAL_MS = 10 * 24 * 60 * 60_000;

/** `PENDING`: settled, failed, or a person when the guard time has come and it may not be declared. */
export async function pollPending(
  deps: SagaDeps,
  held: RefundRow,
  signal: AbortSignal,
): Promise<void> {
  const answer = await lookUp(deps, held, signal);
  if (answer.kind === 'found' && answer.value.status === 'succeeded') {
    return void (await settleRefund(deps, held, { to: 'CONFIRMED', refund: answer.value }));
  }
  if (answer.kind === 'found' && answer.value.status === 'failed') {
    return await settleRejected(deps, held, answer.value.failureCode ?? 'failed');
  }
  const nowMs = deps.clock.nowMs();
  const endsMs = await pendingEndsMs(deps, held);
  if (nowMs >= endsMs) {
    return void (await settleRefund(deps, held, { to: 'HUMAN', reason: 'pending for too long' }));
  }
  const nextMs = nextTryMs(held.attempts + 1, {
    nowMs,
    random: Math.random(),
    momentsMs: [endsMs],
  });
  await replanRefund(deps, held, { nextActionAt: new Date(nextMs), counts: true });
}

/** When a pending refund is a person's business: before the first deadline, or after days. */
async function pendingEndsMs(deps: SagaDeps, held: RefundRow): Promise<number> {
  const sentMs = held.first_sent_at?.getTime() ?? held.created_at.getTime();
  const lastMs = sentMs + WATCH_TOTAL_MS;
  const { pendingCounts } = (await deps.processor.capabilities()) ?? CAUTIOUS_CAPABILITIES;
  if (pendingCounts) return lastMs;
  const waiting = await casesOfRefund(deps.db, held, ['REFUNDING']);
  const guards = waiting.map(({ deadline_at }) =>
    guardAtMs(deadline_at.getTime(), deps.settings.guardMs),
  );
  return Math.min(lastMs, ...guards);
}

/** `HUMAN`: still asked for, hourly, because a late answer settles it without a person. */
export async function lookAtHeld(
  deps: SagaDeps,
  held: RefundRow,
  signal: AbortSignal,
): Promise<void> {
  const answer = await lookUp(deps, held, signal);
  if (answer.kind === 'found') {
    const { value } = answer;
    if (value.status === 'failed') {
      return await settleRejected(deps, held, value.failureCode ?? 'failed');
    }
    const isSame = value.amountMinor === held.amount_minor && value.currency === held.currency;
    if (value.status === 'succeeded' && isSame) {
      return void (await settleRefund(deps, held, { to: 'CONFIRMED', refund: value }));
    }
  }
  const now = nowDate(deps.clock);
  const endsMs = (held.first_sent_at ?? held.created_at).getTime() + WATCH_TOTAL_MS;
  const nextActionAt = now.getTime() >= endsMs ? null : new Date(now.getTime() + HELD_LOOKUP_MS);
  await replanRefund(deps, held, { nextActionAt, counts: true });
}

/** `CONFIRMED`: watched daily while the processor may still fail it. */
export async function watchConfirmed(
  deps: SagaDeps,
  held: RefundRow,
  signal: AbortSignal,
): Promise<void> {
  const answer = await lookUp(deps, held, signal);
  if (answer.kind === 'found' && answer.value.status === 'failed') {
    const failureCode = answer.value.failureCode ?? 'failed';
    return void (await settleRefund(deps, held, { to: 'REVERSED', failureCode }));
  }
  const now = nowDate(deps.clock);
  const endsMs = (held.confirmed_at ?? held.changed_at).getTime() + WATCH_TOTAL_MS;
  const nextActionAt = now.getTime() >= endsMs ? null : new Date(now.getTime() + WATCH_MS);
  await replanRefund(deps, held, { nextActionAt, counts: false });
}
