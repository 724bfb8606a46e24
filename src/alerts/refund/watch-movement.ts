/**
 * Looks after movements that the processor has accepted: pending ones until they settle, confirmed ones
 * while they may still fail, and those that wait for a person, in case time answers the question.
 *
 * In the last hour before a deadline of the dispute nothing is looked at less often than every 30 s.
 */
import { nowDate } from '../../base/kernel/clock.ts';
import { LAST_HOUR_MS } from '../../base/kernel/limits.ts';
import { formatMoney } from '../../base/kernel/money.ts';
import { notify } from '../../base/notify/notification.store.ts';
import type {
  Answer,
  ProcessorCapabilities,
  ProcessorRefund,
} from '../../service/wire/processor.ts';
import { CAUTIOUS_CAPABILITIES } from '../../service/wire/processor.ts';
import type { OurMovementRow } from '../ledger/movement.store.ts';
import type { Claimed } from '../ledger/movement-lease.store.ts';
import { HELD_LOOKUP_MS, settlementShown, WATCH_MS } from '../ledger/settle-movement.ts';
import { guardAtMs } from './check-alert.ts';
import { lookUp } from './look-up.ts';
import { replanMovement } from './recover-movement.ts';
import { deadlinesOf, nextTryMs, waitMaxMs } from './retry-ladder.ts';
import type { SagaDeps } from './saga-deps.ts';
import { settleMovement } from './send-movement.ts';
import { NEVER_EXECUTED, provenAtMs } from './unknown-rule.ts';

/** Most refunds that fail do so within days (a closed card account); a look a day, or an hour, until then. In milliseconds. */
const WATCH_DAILY_MS = 10 * WATCH_MS;

/** A bank may take a month to send a refund back, and a closed account longer: the looks are rarer then, in milliseconds. */
const WATCH_LATE_MS = 35 * WATCH_MS;

/** The looks between these two, in milliseconds. */
const LATE_LOOK_MS = 5 * WATCH_MS;

/** A dispute of the payment may come for half a year; after this a confirmed one is not watched, in milliseconds. */
const WATCH_LAST_MS = 180 * WATCH_MS;

/** The looks until then, in milliseconds. */
const LAST_LOOK_MS = 15 * WATCH_MS;

/** `PENDING`: settled, failed, or a person after days. At the guard time a person is notified. */
export async function pollPending(
  deps: SagaDeps,
  held: Claimed<OurMovementRow>,
  signal: AbortSignal,
): Promise<void> {
  if (await settleAsShown(deps, held, await lookUp(deps, held, signal))) return;
  const now = nowDate(deps.clock);
  const endsMs = (held.first_sent_at ?? held.created_at).getTime() + WATCH_DAILY_MS;
  if (now.getTime() >= endsMs) {
    const capabilities = (await deps.processor.capabilities(signal)) ?? CAUTIOUS_CAPABILITIES;
    const settlement = { to: 'HUMAN', reason: 'pending for too long' } as const;
    return await settleMovement(deps, held, { claim: undefined, capabilities, settlement });
  }
  const { nextMs, lastWaitingMs } = deadlinesOf(held.deadlines, now.getTime());
  const guardMs = lastWaitingMs === null ? null : guardAtMs(lastWaitingMs, deps.settings.guardMs);
  if (guardMs !== null && now.getTime() >= guardMs) await tellPending(deps, held, now);
  await lookAgain(deps, held, { deadlineMs: nextMs, momentsMs: [endsMs, guardMs] });
}

/** `HUMAN`: still asked for, because a late answer settles it without a person. */
export async function lookAtHeld(
  deps: SagaDeps,
  held: Claimed<OurMovementRow>,
  signal: AbortSignal,
): Promise<void> {
  const now = nowDate(deps.clock);
  const answer = await lookUp(deps, held, signal);
  if (await settleAsShown(deps, held, answer)) return;
  // Its lifetime is over and it was never there: it did not execute, and never will. What the processor has
  // shown once may have executed, whatever it finds today.
  const capabilities = (await deps.processor.capabilities(signal)) ?? CAUTIOUS_CAPABILITIES;
  const wasShown = held.processor_reference !== null;
  if (answer.kind === 'absent' && !wasShown && now.getTime() > provenMs(held, capabilities)) {
    const settlement = {
      to: 'REJECTED',
      failureCode: NEVER_EXECUTED,
      failureClass: 'retry',
    } as const;
    return await settleMovement(deps, held, { claim: undefined, capabilities, settlement });
  }
  const { nextMs } = deadlinesOf(held.deadlines, now.getTime());
  const ageMs = now.getTime() - (held.first_sent_at ?? held.created_at).getTime();
  const usualMs = ageMs >= WATCH_DAILY_MS ? WATCH_MS : HELD_LOOKUP_MS;
  const maxMs = waitMaxMs(nextMs, now.getTime()) ?? usualMs;
  const lastHourMs = nextMs === null ? Number.POSITIVE_INFINITY : nextMs - LAST_HOUR_MS;
  const atMs = now.getTime() + maxMs;
  const nextAtMs = lastHourMs > now.getTime() ? Math.min(atMs, lastHourMs) : atMs;
  await replanMovement(deps, held, { nextActionAt: new Date(nextAtMs), counts: true });
}

/** Rows of versions before the ledger name no moment; it follows from when they were last sent. */
function provenMs(held: OurMovementRow, capabilities: ProcessorCapabilities): number {
  const sentMs = (held.sent_at ?? held.first_sent_at ?? held.created_at).getTime();
  return held.proven_at?.getTime() ?? provenAtMs(sentMs, capabilities);
}

/** `CONFIRMED`: watched while the processor may still fail it, daily at first. */
export async function watchConfirmed(
  deps: SagaDeps,
  held: OurMovementRow,
  signal: AbortSignal,
): Promise<void> {
  if (await settleAsShown(deps, held, await lookUp(deps, held, signal))) return;
  const now = nowDate(deps.clock);
  const ageMs = now.getTime() - (held.confirmed_at ?? held.changed_at).getTime();
  const nextActionAt = ageMs >= WATCH_LAST_MS ? null : new Date(now.getTime() + lookWaitMs(ageMs));
  await replanMovement(deps, held, { nextActionAt, counts: false });
}

/** The older a confirmed refund, the rarer it fails. */
function lookWaitMs(ageMs: number): number {
  if (ageMs < WATCH_DAILY_MS) return WATCH_MS;
  return ageMs < WATCH_LATE_MS ? LATE_LOOK_MS : LAST_LOOK_MS;
}

/** Settles what the processor shows by now. False: nothing new is shown, or nothing was answered. */
async function settleAsShown(
  deps: SagaDeps,
  held: OurMovementRow,
  answer: Answer<ProcessorRefund>,
): Promise<boolean> {
  const settlement = answer.kind === 'found' ? settlementShown(held, answer.value) : undefined;
  if (settlement === undefined) return false;
  const capabilities = (await deps.processor.capabilities()) ?? CAUTIOUS_CAPABILITIES;
  await settleMovement(deps, held, { claim: undefined, capabilities, settlement });
  return true;
}

async function lookAgain(
  deps: SagaDeps,
  held: OurMovementRow,
  until: { readonly deadlineMs: number | null; readonly momentsMs: readonly (number | null)[] },
): Promise<void> {
  const { deadlineMs, momentsMs } = until;
  const nowMs = deps.clock.nowMs();
  const lastHourMs = deadlineMs === null ? null : deadlineMs - LAST_HOUR_MS;
  const maxMs = waitMaxMs(deadlineMs, nowMs);
  const nextMs = nextTryMs(held.attempts + 1, {
    nowMs,
    random: Math.random(),
    momentsMs: [...momentsMs, lastHourMs],
    maxMs,
  });
  await replanMovement(deps, held, { nextActionAt: new Date(nextMs), counts: true });
}

async function tellPending(deps: SagaDeps, held: OurMovementRow, now: Date): Promise<void> {
  const money = formatMoney({ amountMinor: held.amount_minor, currency: held.currency });
  await notify(deps.db, {
    organisationId: held.organisation_id,
    dedupeKey: `pending:${held.id}`,
    kind: 'refund_pending_late',
    severity: 'error',
    alertId: held.alert_id,
    text: `Refund ${held.id} of ${money} on charge ${held.charge_reference} is accepted by the processor and not settled, and the alert's deadline is near. It is declared as soon as it settles; ask the processor, or answer the alert in the service's dashboard.`,
    at: now,
  });
}
