/**
 * Writes down what the service answered to a batch: created, there already, refused, or unknown.
 *
 * Two transactions, the created orders first. A process killed between the answer and the first or
 * between the two sends the remaining orders again and gets `DUPLICATE_ORDER`, which only leads to
 * a comparison.
 */
import type { Trx } from '../base/db/database.ts';
import { inTransaction } from '../base/db/transaction.ts';
import { wake } from '../base/jobs/wake.store.ts';
import { backoffMs } from '../base/kernel/backoff.ts';
import { nowDate } from '../base/kernel/clock.ts';
import { crashPoint } from '../base/kernel/crash-point.ts';
import { notify } from '../base/notify/notification.store.ts';
import type { ServiceError } from '../service/client/service-error.ts';
import { DUPLICATE_ORDER_CODES } from '../service/wire/error-codes.ts';
import type { OrderCreateResult } from '../service/wire/order.ts';
import { alarmNoAccess } from './access-alarm.ts';
import { compareWithRemote } from './compare.ts';
import type { FeedDeps } from './feed-deps.ts';
import { ORDER_RETRY, randomOf } from './feed-deps.ts';
import { FEED_TOPIC } from './intake-news.ts';
import type { WaitingOrder } from './order.store.ts';
import { markParts } from './order-push.store.ts';
import type { Objection } from './order-refusal.ts';
import { explainRefusal } from './order-refusal.ts';
import type { UnsentOrder } from './order-sending.store.ts';
import { markCreated, markUnsent } from './order-sending.store.ts';
import type { Fate } from './read-create-result.ts';
import { readCreateResult } from './read-create-result.ts';
import type { Outcome } from './refusal-window.ts';

/** Records the answer to `batch`. */
export async function recordAnswer(
  deps: FeedDeps,
  batch: readonly WaitingOrder[],
  result: OrderCreateResult,
): Promise<Outcome[]> {
  await crashPoint('orders.answered');
  const fates = readCreateResult(batch, result);
  await recordCreated(deps, fates);
  const at = nowDate(deps.clock);
  const taken = fates.flatMap((fate) =>
    fate.kind === 'created' ? takenOutcome(fate.order, at) : [],
  );
  if (taken.length === fates.length) return taken;
  await crashPoint('orders.created_stored');
  const others = await recordOthers(deps, fates);
  return [...taken, ...others.flatMap((order) => outcomesOf(order, at))];
}

function takenOutcome(
  order: Pick<UnsentOrder, 'integration_id' | 'reference_id'>,
  at: Date,
): Outcome {
  const { integration_id, reference_id } = order;
  return { integrationId: integration_id, code: null, referenceId: reference_id, reason: '', at };
}

/** Empty for an order whose fate is not known. */
function outcomesOf(order: UnsentOrder, at: Date): Outcome[] {
  if (order.state === 'WAITING') return [];
  const taken = takenOutcome(order, at);
  return order.state === 'CHECKING'
    ? [taken]
    : [{ ...taken, code: order.error_code, reason: order.reason }];
}

async function recordCreated(deps: FeedDeps, fates: readonly Fate<WaitingOrder>[]): Promise<void> {
  const { organisationId } = deps;
  const sent = new Map<string, WaitingOrder>();
  const created = fates.flatMap((fate) => {
    if (fate.kind !== 'created') return [];
    const { integration_id, reference_id, version } = fate.order;
    sent.set(nameOf(fate.order), fate.order);
    return { integration_id, reference_id, version, order_id: fate.orderId };
  });
  if (created.length === 0) return;
  const now = nowDate(deps.clock);
  await inTransaction(deps.db, async (trx) => {
    const moved = await markCreated(trx, organisationId, { created, now });
    for (const order of moved) {
      const before = sent.get(nameOf(order))?.body;
      const { parts } = compareWithRemote(order.body, before);
      await markParts(
        trx,
        { organisationId, integrationId: order.integration_id, referenceId: order.reference_id },
        { parts, source: parts.some(isMoney) ? 'saga' : 'merchant', now },
      );
    }
    if (moved.length > 0) await wake(trx, FEED_TOPIC);
  });
}

/** Money goes first, no matter who reported it. */
function isMoney(part: string): boolean {
  return part.startsWith('refunds/');
}

async function recordOthers(
  deps: FeedDeps,
  fates: readonly Fate<WaitingOrder>[],
): Promise<UnsentOrder[]> {
  const now = nowDate(deps.clock);
  const orders = fates.flatMap((fate) => {
    if (fate.kind === 'created') return [];
    return fate.kind === 'refused'
      ? outcomeOf(fate.order, fate.error, now)
      : later(deps, fate.order, 'UNMENTIONED');
  });
  await inTransaction(deps.db, async (trx) => {
    await markUnsent(trx, deps.organisationId, { orders, now });
    await alarmRefused(trx, deps, orders);
    await wake(trx, FEED_TOPIC);
  });
  return orders;
}

/** What the service said about a whole request. */
export function objectionOf({ code, errors, field, message }: ServiceError): Objection {
  const [first] = errors;
  return { code, message: first?.message ?? message, field: first?.field ?? field };
}

function outcomeOf(order: WaitingOrder, objection: Objection, now: Date): UnsentOrder {
  const duplicate = DUPLICATE_ORDER_CODES.some((code) => code === objection.code);
  return {
    ...keyAndVersion(order),
    state: duplicate ? 'CHECKING' : 'REFUSED',
    attempts: duplicate ? order.attempts : 0,
    reason: explainRefusal(
      { type: order.body.type, integrationId: order.integration_id, body: order.body },
      objection,
    ),
    error_code: objection.code,
    next_attempt_at: duplicate ? now.toISOString() : null,
  };
}

/** The order waits and is sent again: whether it arrived is not known, and does not matter. */
function later(deps: FeedDeps, order: WaitingOrder, code: string): UnsentOrder {
  const attempts = order.attempts + 1;
  const waitMs = backoffMs(attempts, { ...ORDER_RETRY, ...randomOf(deps) });
  return {
    ...keyAndVersion(order),
    state: 'WAITING',
    attempts,
    reason: `No clear answer (${code}). It is sent again by itself.`,
    error_code: code,
    next_attempt_at: new Date(deps.clock.nowMs() + waitMs).toISOString(),
  };
}

function keyAndVersion(
  order: WaitingOrder,
): Pick<UnsentOrder, 'integration_id' | 'reference_id' | 'version'> {
  const { integration_id, reference_id, version } = order;
  return { integration_id, reference_id, version };
}

/** Plans the next attempt of a batch whose answer never came. */
export async function recordUnknown(
  deps: FeedDeps,
  batch: readonly WaitingOrder[],
  code: string,
): Promise<void> {
  const orders = batch.map((order) => later(deps, order, code));
  await inTransaction(deps.db, (trx) =>
    markUnsent(trx, deps.organisationId, { orders, now: nowDate(deps.clock) }),
  );
}

/** The service refuses us, not the orders: they keep their place, and a person is notified. */
export async function recordNoAccess(
  deps: FeedDeps,
  batch: readonly WaitingOrder[],
  trouble: { readonly code: string; readonly retryAt: Date },
): Promise<void> {
  const reason = explainRefusal(
    { type: 'COMPLETE', integrationId: batch[0]?.integration_id ?? '' },
    trouble,
  );
  const now = nowDate(deps.clock);
  const orders = batch.map((order) => ({
    ...keyAndVersion(order),
    state: 'WAITING' as const,
    attempts: order.attempts,
    reason,
    error_code: trouble.code,
    next_attempt_at: trouble.retryAt.toISOString(),
  }));
  await inTransaction(deps.db, async (trx) => {
    await markUnsent(trx, deps.organisationId, { orders, now });
    const { organisationId } = deps;
    await alarmNoAccess(trx, { organisationId, code: trouble.code, reason, now });
  });
}

/** The service refused exactly this order. */
export async function recordRefused(
  deps: FeedDeps,
  order: WaitingOrder,
  objection: Objection,
): Promise<Outcome[]> {
  const now = nowDate(deps.clock);
  const orders = [
    { ...outcomeOf(order, objection, now), state: 'REFUSED' as const, next_attempt_at: null },
  ];
  await inTransaction(deps.db, async (trx) => {
    await markUnsent(trx, deps.organisationId, { orders, now });
    await alarmRefused(trx, deps, orders);
  });
  return orders.flatMap((refused) => outcomesOf(refused, now));
}

/** One message per code and hour: a refused import must not become ten thousand messages. */
async function alarmRefused(
  trx: Trx,
  deps: FeedDeps,
  orders: readonly UnsentOrder[],
): Promise<void> {
  const now = nowDate(deps.clock);
  const firsts = new Map<string, UnsentOrder>();
  for (const order of orders) {
    const code = order.error_code ?? '';
    if (order.state === 'REFUSED' && !firsts.has(code)) firsts.set(code, order);
  }
  for (const [code, order] of firsts) {
    await notify(trx, {
      organisationId: deps.organisationId,
      dedupeKey: `feed.refused:${code}:${now.toISOString().slice(0, 13)}`,
      kind: 'order_refused',
      severity: 'error',
      text: `The service refused order ${order.reference_id} (${code}), perhaps others. Run "forestall orders status" for the reasons; send corrected orders again.`,
      at: now,
    });
  }
}

function nameOf(order: { readonly integration_id: string; readonly reference_id: string }): string {
  return JSON.stringify([order.integration_id, order.reference_id]);
}
