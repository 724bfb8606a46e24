/**
 * Delivers webhooks: one attempt, then the ladder of retries, then `FAILED`; endpoints that keep
 * failing are disabled and their owner is told.
 */
import { messageOf } from '../../base/kernel/errors.ts';
import { WEBHOOK_RETRY_DELAYS_MS } from '../../service/wire/limits.ts';
import { WEBHOOK_TARGET } from '../fault-rule.ts';
import type { PlantedFault } from '../faults.ts';
import { LATE_MS_DEFAULT } from '../http/faulty.ts';
import type { SandboxContext } from '../sandbox-context.ts';
import { isoIn, nowIso, scheduleIn } from '../sandbox-context.ts';
import type { Subscription } from '../state/accounts.ts';
import type { DeliveryAttempt, DeliveryRecord, EventRecord } from '../state/deliveries.ts';
import type { Outgoing } from './outgoing.ts';
import { bend, prepare } from './outgoing.ts';
import { send } from './send.ts';

interface Job {
  readonly delivery: DeliveryRecord;
  readonly event: EventRecord;
  readonly subscription: Subscription;
}

/** Deliveries that a `reorder` fault holds until the next one to the subscription has gone. */
export type HeldDeliveries = Map<string, string>;

/** Runs the attempt that is due. */
export async function deliver(
  context: SandboxContext,
  deliveryId: string,
  held: HeldDeliveries,
): Promise<void> {
  const job = findJob(context, deliveryId);
  if (job === undefined) return;
  if (job.subscription.status === 'DISABLED') {
    job.delivery.attempts.push(noAttempt(context, 'the subscription is disabled'));
    job.delivery.next_attempt_at = null;
    job.delivery.status = 'FAILED';
    return;
  }
  const fault = takeFault(context, job);
  if (fault !== undefined && postpone(context, job, { fault, held })) return;
  const outgoing = bend(prepare(context, job), fault);
  const result = await attempt(context, outgoing, fault);
  if (fault?.kind === 'duplicate') await attempt(context, outgoing, fault);
  finish(context, job, result);
  release(context, job, held);
}

function findJob(context: SandboxContext, deliveryId: string): Job | undefined {
  const delivery = context.state.deliveries.get(deliveryId);
  if (delivery === undefined || delivery.status !== 'PENDING') return undefined;
  const event = context.state.events.get(delivery.event_id);
  const subscription = context.state.subscriptions.get(delivery.subscription_id);
  return event === undefined || subscription === undefined
    ? undefined
    : { delivery, event, subscription };
}

function takeFault(context: SandboxContext, job: Job): PlantedFault | undefined {
  return context.faults.take({
    target: WEBHOOK_TARGET,
    text: () => job.event.body.toString(),
    eventType: job.event.type,
    attempt: job.delivery.attempts.length + 1,
  });
}

/** Whether the fault keeps the attempt from being made now. */
function postpone(
  context: SandboxContext,
  job: Job,
  by: { readonly fault: PlantedFault; readonly held: HeldDeliveries },
): boolean {
  const { delivery } = job;
  const lateMs = by.fault.late_ms ?? LATE_MS_DEFAULT;
  switch (by.fault.kind) {
    case 'lose':
      delivery.status = 'LOST';
      delivery.next_attempt_at = null;
      delivery.attempts.push({ ...noAttempt(context, 'lost on purpose'), fault: 'lose' });
      return true;
    case 'reorder':
      by.held.set(job.subscription.id, delivery.id);
      break;
    case 'delay':
      break;
    default:
      return false;
  }
  delivery.next_attempt_at = isoIn(context, lateMs);
  scheduleIn(context, lateMs, { kind: 'deliver_webhook', subject: delivery.id });
  return true;
}

/** Lets a held delivery go, once another one has overtaken it. */
function release(context: SandboxContext, job: Job, held: HeldDeliveries): void {
  const waiting = held.get(job.subscription.id);
  if (waiting === undefined) return;
  held.delete(job.subscription.id);
  if (waiting === job.delivery.id) return;
  context.timers.cancel('deliver_webhook', waiting);
  scheduleIn(context, 0, { kind: 'deliver_webhook', subject: waiting });
}

interface AttemptResult {
  readonly ok: boolean;
  readonly attempt: DeliveryAttempt;
}

async function attempt(
  context: SandboxContext,
  outgoing: Outgoing,
  fault: PlantedFault | undefined,
): Promise<AttemptResult> {
  const kind = fault?.kind ?? null;
  const at = nowIso(context);
  if (kind === 'drop_before') {
    return { ok: false, attempt: { ...noAttempt(context, 'not sent on purpose'), fault: kind } };
  }
  try {
    const { status, text } = await send(context, outgoing);
    const ok = status >= 200 && status < 300 && kind !== 'drop_after';
    return { ok, attempt: { at, http_status: status, answer: text, error: null, fault: kind } };
  } catch (error) {
    return { ok: false, attempt: { ...noAttempt(context, messageOf(error)), at, fault: kind } };
  }
}

function noAttempt(context: SandboxContext, why: string): DeliveryAttempt {
  return { at: nowIso(context), http_status: null, answer: null, error: why, fault: null };
}

/** Books an attempt: done, again later, or given up. */
function finish(context: SandboxContext, job: Job, result: AttemptResult): void {
  const { delivery, subscription } = job;
  delivery.attempts.push(result.attempt);
  delivery.next_attempt_at = null;
  if (result.ok) {
    delivery.status = 'SUCCEEDED';
    subscription.failed_in_a_row = 0;
    return;
  }
  const waitMs = WEBHOOK_RETRY_DELAYS_MS[delivery.attempts.length - 1];
  if (waitMs !== undefined) {
    delivery.next_attempt_at = isoIn(context, waitMs);
    scheduleIn(context, waitMs, { kind: 'deliver_webhook', subject: delivery.id });
    return;
  }
  delivery.status = 'FAILED';
  subscription.failed_in_a_row += 1;
  if (subscription.failed_in_a_row >= context.settings.disableAfterFailedDeliveries) {
    disable(context, subscription);
  }
}

function disable(context: SandboxContext, subscription: Subscription): void {
  subscription.status = 'DISABLED';
  const organisation = context.state.organisations.get(subscription.owner_id);
  context.state.notices.push({
    at: nowIso(context),
    to: organisation?.owner_email ?? `owner of ${subscription.owner_id}`,
    subject: `Webhook endpoint ${subscription.url} was disabled because it kept failing`,
  });
}
