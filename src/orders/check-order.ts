/**
 * Reads an order back and brings both sides into line: takes its id, marks what an update can repair,
 * reports what none can, and sends the order again when the service does not have it.
 */
import { writeAudit } from '../base/audit/audit.store.ts';
import type { Trx } from '../base/db/database.ts';
import { inTransaction } from '../base/db/transaction.ts';
import { wake } from '../base/jobs/wake.store.ts';
import { backoffMs } from '../base/kernel/backoff.ts';
import { nowDate } from '../base/kernel/clock.ts';
import { notify } from '../base/notify/notification.store.ts';
import type { Order } from '../service/wire/order.ts';
import { alarmNoAccess } from './access-alarm.ts';
import type { CallFailure } from './call-failure.ts';
import { failureOf } from './call-failure.ts';
import { compareWithRemote } from './compare.ts';
import { isErased } from './erased-order.ts';
import type { FeedDeps } from './feed-deps.ts';
import { ACCESS_RETRY_MS, ORDER_RETRY, randomOf } from './feed-deps.ts';
import { FEED_TOPIC } from './intake-news.ts';
import type { OrderKey } from './nested-reference.store.ts';
import type { OrderRow } from './order.store.ts';
import { keyOfRow, lockOrders, updateOrder } from './order.store.ts';
import type { PushRow } from './order-push.store.ts';
import { clearMarks, findParts, markParts, postponeParts } from './order-push.store.ts';
import { explainRefusal } from './order-refusal.ts';

/** Rounds of "it is there" and "it is not" after which a person is notified. */
const DOUBTS_ALARM = 5;

/** Reads `order` back and settles it. Returns the failure when the service gave no answer. */
export async function checkOrder(
  deps: FeedDeps,
  order: OrderKey,
): Promise<CallFailure | undefined> {
  // What is marked after this may be newer than the answer, and stays.
  const marked = await findParts(deps.db, order);
  let remote: Order | undefined;
  try {
    remote = await deps.orders.findByReferenceId(order.referenceId, {
      integrationId: order.integrationId,
      signal: deps.signal,
    });
  } catch (thrown) {
    const failure = failureOf(thrown);
    if (failure.kind !== 'not_now') await postpone(deps, order, failure);
    return failure;
  }
  await inTransaction(deps.db, async (trx) => {
    const [row] = await lockOrders(trx, order.organisationId, [order]);
    if (row === undefined || (row.state !== 'CHECKING' && row.state !== 'CREATED')) return;
    if (isErased(row)) await leaveErased(trx, deps, { row, remote, marked });
    else if (remote === undefined) await sendAgain(trx, deps, row);
    else await settle(trx, deps, { row, remote, marked });
  });
  return undefined;
}

/** An order, what the service holds of it, and what was marked before it was asked. */
interface ReadBack {
  readonly row: OrderRow;
  readonly remote: Order | undefined;
  readonly marked: readonly PushRow[];
}

/** What the service holds is not compared, and an order it has erased as well is not created again. */
async function leaveErased(
  trx: Trx,
  deps: FeedDeps,
  { row, remote, marked }: ReadBack,
): Promise<void> {
  const now = nowDate(deps.clock);
  const { attempts, dueAt } = nextUpdate(deps, { row, remote, now });
  if (remote === undefined) await clearMarks(trx, keyOfRow(row), marked);
  else await postponeParts(trx, keyOfRow(row), dueAt);
  await updateOrder(trx, keyOfRow(row), {
    state: 'CREATED',
    ...(remote === undefined ? {} : { order_id: remote.id }),
    attempts,
    next_attempt_at: laterThan(row, now),
    reason: null,
    error_code: null,
    changed_at: now,
  });
  if (attempts === DOUBTS_ALARM) await alarmHidden(trx, row, now);
}

/** The service has it: compare, repair what an update can, report what is left. */
async function settle(
  trx: Trx,
  deps: FeedDeps,
  { row, remote, marked }: ReadBack & { readonly remote: Order },
): Promise<void> {
  const now = nowDate(deps.clock);
  const order = keyOfRow(row);
  const { parts, fixed } = compareWithRemote(row.body, remote);
  const parked = (await findParts(trx, order)).filter((push) => push.state === 'PARKED');
  const waiting = parts.filter((part) => !parked.some((push) => push.part === part));
  await clearMarks(
    trx,
    order,
    marked.filter(({ part }) => !parts.includes(part)),
  );
  const { attempts, dueAt } = nextUpdate(deps, { row, remote, now });
  await markParts(trx, order, { parts: waiting, source: 'repair', now, dueAt });
  await updateOrder(trx, order, {
    state: 'CREATED',
    order_id: remote.id,
    attempts,
    next_attempt_at: laterThan(row, now),
    reason: null,
    error_code: null,
    difference: fixed.length === 0 ? null : JSON.stringify(fixed),
    settled_at: row.settled_at ?? now,
    changed_at: now,
  });
  if (fixed.length > 0) await reportDifference(trx, { row, fixed, now });
  if (attempts === DOUBTS_ALARM) await alarmHidden(trx, row, now);
  if (waiting.length > 0) await wake(trx, FEED_TOPIC);
}

/**
 * Looked up because an update did not find it, and shown under the same id: the next update may not find it
 * either, and is sent ever later.
 */
function nextUpdate(
  deps: FeedDeps,
  found: { readonly row: OrderRow; readonly remote: Order | undefined; readonly now: Date },
): { readonly attempts: number; readonly dueAt: Date } {
  const { row, remote, now } = found;
  if (row.state !== 'CHECKING' || row.order_id === null || row.order_id !== remote?.id) {
    return { attempts: 0, dueAt: now };
  }
  const waitMs = backoffMs(row.attempts, { ...ORDER_RETRY, ...randomOf(deps) });
  return { attempts: row.attempts, dueAt: new Date(now.getTime() + waitMs) };
}

async function alarmHidden(trx: Trx, row: OrderRow, now: Date): Promise<void> {
  await notify(trx, {
    organisationId: row.organisation_id,
    dedupeKey: `feed.hidden:${row.integration_id}:${row.reference_id}`,
    kind: 'order_in_doubt',
    severity: 'error',
    text: `The service shows order ${row.reference_id} and does not find it for an update (404). Check that the key may change orders of integration ${row.integration_id}; the update is tried again by itself.`,
    at: now,
  });
}

/** When to read back once more: an update that got no answer while this was read has asked for it. */
function laterThan({ next_attempt_at }: OrderRow, now: Date): Date | null {
  return next_attempt_at !== null && next_attempt_at > now ? next_attempt_at : null;
}

async function reportDifference(
  trx: Trx,
  found: { readonly row: OrderRow; readonly fixed: readonly string[]; readonly now: Date },
): Promise<void> {
  const { row, fixed, now } = found;
  await writeAudit(trx, {
    organisationId: row.organisation_id,
    at: now,
    subject: 'order',
    subjectId: row.reference_id,
    what: 'the service holds this order with another content',
    fromState: row.state,
    toState: 'CREATED',
    detail: { integration_id: row.integration_id, fields: fixed },
  });
  await notify(trx, {
    organisationId: row.organisation_id,
    dedupeKey: `feed.differs:${row.integration_id}:${row.reference_id}`,
    kind: 'order_differs',
    severity: 'error',
    text: `The service holds order ${row.reference_id} with another content in ${fixed.join(', ')}. No update can change these; find out who sent it first.`,
    at: now,
  });
}

/** The service surely has none: it is created again, with everything that happened since. */
async function sendAgain(trx: Trx, deps: FeedDeps, row: OrderRow): Promise<void> {
  const now = nowDate(deps.clock);
  const attempts = row.attempts + 1;
  const waitMs = backoffMs(attempts, { ...ORDER_RETRY, ...randomOf(deps) });
  await updateOrder(trx, keyOfRow(row), {
    state: 'WAITING',
    order_id: null,
    attempts,
    next_attempt_at: new Date(now.getTime() + waitMs),
    changed_at: now,
  });
  await writeAudit(trx, {
    organisationId: row.organisation_id,
    at: now,
    subject: 'order',
    subjectId: row.reference_id,
    what: 'the service does not have this order; it is sent again',
    fromState: row.state,
    toState: 'WAITING',
    detail: { integration_id: row.integration_id },
  });
  if (attempts === DOUBTS_ALARM) {
    await notify(trx, {
      organisationId: row.organisation_id,
      dedupeKey: `feed.doubt:${row.integration_id}:${row.reference_id}`,
      kind: 'order_in_doubt',
      severity: 'error',
      text: `The service says order ${row.reference_id} exists and does not find it. Check that the key reads integration ${row.integration_id}.`,
      at: now,
    });
  }
}

async function postpone(deps: FeedDeps, order: OrderKey, failure: CallFailure): Promise<void> {
  const now = nowDate(deps.clock);
  await inTransaction(deps.db, async (trx) => {
    const [row] = await lockOrders(trx, order.organisationId, [order]);
    if (row === undefined || row.next_attempt_at === null || row.state === 'WAITING') return;
    const attempts = row.attempts + 1;
    const waitMs =
      failure.kind === 'unknown'
        ? backoffMs(attempts, { ...ORDER_RETRY, ...randomOf(deps) })
        : ACCESS_RETRY_MS;
    await updateOrder(trx, order, {
      attempts,
      error_code: failure.error.code,
      next_attempt_at: new Date(now.getTime() + waitMs),
      changed_at: now,
    });
    if (failure.kind === 'unknown') return;
    const { code } = failure.error;
    const about = { type: row.type, integrationId: row.integration_id, body: row.body };
    const reason = explainRefusal(about, { code, message: failure.error.errors[0]?.message });
    await alarmNoAccess(trx, { organisationId: row.organisation_id, code, reason, now });
  });
}
