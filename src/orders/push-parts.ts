/**
 * Sends what of one created order the service does not hold yet: all due parts in one update.
 *
 * An update is all or nothing, so one that is refused is halved until the part that causes it is
 * alone; that one is parked with the reason, the others are sent. An update without an answer may
 * still take effect later, after a newer one: the order is read back once that has become
 * impossible.
 */
import type { RawBuilder } from 'kysely';
import type { Trx } from '../base/db/database.ts';
import { inTransaction } from '../base/db/transaction.ts';
import { backoffMs } from '../base/kernel/backoff.ts';
import { nowDate } from '../base/kernel/clock.ts';
import { notify } from '../base/notify/notification.store.ts';
import type { AccessTrouble } from './access-alarm.ts';
import { alarmNoAccess } from './access-alarm.ts';
import type { CallFailure } from './call-failure.ts';
import { failureOf } from './call-failure.ts';
import type { HeldLease } from './drain-lease.ts';
import { isErased, withoutErased } from './erased-order.ts';
import type { FeedDeps } from './feed-deps.ts';
import { ACCESS_RETRY_MS, ORDER_RETRY, randomOf } from './feed-deps.ts';
import type { OrderKey } from './nested-reference.store.ts';
import type { OrderRow } from './order.store.ts';
import { keyOfRow, lockOrders, updateOrder } from './order.store.ts';
import { updateFor } from './order-part.ts';
import type { DuePart, OrderWithParts } from './order-push.store.ts';
import { failParts, findDueParts, settleMarks } from './order-push.store.ts';
import { explainRefusal } from './order-refusal.ts';
import { objectionOf } from './record-answer.ts';

/** No request lives longer than this, in milliseconds: after it, what was read back is final. */
const VERIFY_AFTER_MS = 120_000;

/** Requests of the saga's parts go before others in the budget's queue. */
const SAGA_PRIORITY = 0;

/** How sending the parts of one order ended. */
export interface PushEnd {
  /** Requests the service answered. */
  readonly answered: number;
  readonly failure: CallFailure | undefined;
}

/** What is known already, and what ends with the order. */
interface PushContext {
  /** The order as it was just read. */
  readonly whole?: OrderWithParts | undefined;
  /** The lease of a round that has no other order. */
  readonly ends?: HeldLease;
}

/** Sends the due parts of `order`. */
export async function pushParts(
  deps: FeedDeps,
  order: OrderKey,
  { whole, ends }: PushContext = {},
): Promise<PushEnd> {
  const found = whole ?? (await findDueParts(deps.db, order, nowDate(deps.clock)));
  const orderId = found?.row.state === 'CREATED' ? found.row.order_id : null;
  if (found === undefined || orderId === null || found.parts.length === 0) {
    return { answered: 0, failure: undefined };
  }
  return await sendSome(deps, { ...found, orderId, ends });
}

interface Push {
  readonly row: OrderRow;
  readonly orderId: string;
  readonly parts: readonly DuePart[];
  /** Given back with the last statement. */
  readonly ends?: HeldLease | undefined;
}

async function sendSome(deps: FeedDeps, push: Push): Promise<PushEnd> {
  const { row, orderId, parts } = push;
  const changed = updateFor(
    row.body,
    parts.map(({ part }) => part),
  );
  const update = isErased(row) ? withoutErased(changed) : changed;
  try {
    if (Object.keys(update).length > 0) {
      await deps.orders.update(orderId, update, {
        signal: deps.signal,
        ...(parts.some(({ source }) => source === 'saga') ? { priority: SAGA_PRIORITY } : {}),
      });
    }
  } catch (thrown) {
    return await meetFailure(deps, push, failureOf(thrown));
  }
  const verifyAt = new Date(deps.clock.nowMs() + VERIFY_AFTER_MS);
  const settle = (alsoWrites?: RawBuilder<unknown>): Promise<void> =>
    settleMarks(deps.db, keyOfRow(row), { marks: parts, verifyAt, alsoWrites });
  await (push.ends === undefined ? settle() : push.ends.endWith(settle));
  return { answered: 1, failure: undefined };
}

async function meetFailure(deps: FeedDeps, push: Push, failure: CallFailure): Promise<PushEnd> {
  const { kind, error } = failure;
  deps.log.debug({ err: error, parts: push.parts.length }, 'order update failed');
  switch (kind) {
    case 'not_now':
      return { answered: 0, failure };
    case 'content':
      return await isolate(deps, push, failure);
    case 'missing':
      await checkNow(deps, push.row);
      return { answered: 1, failure: undefined };
    case 'access':
    case 'unknown':
      await retryLater(deps, push, failure);
      return { answered: 0, failure };
    default:
      return kind satisfies never;
  }
}

/** Halves a refused update; a part that is refused alone is parked. */
async function isolate(deps: FeedDeps, push: Push, failure: CallFailure): Promise<PushEnd> {
  const { row, parts } = push;
  if (parts.length === 1) {
    await park(deps, push, failure);
    return { answered: 1, failure: undefined };
  }
  let answered = 1;
  const middle = parts.length >> 1;
  for (const half of [parts.slice(0, middle), parts.slice(middle)]) {
    const end = await sendSome(deps, { ...push, row, parts: half, ends: undefined });
    answered += end.answered;
    if (end.failure !== undefined) return { answered, failure: end.failure };
  }
  return { answered, failure: undefined };
}

async function park(deps: FeedDeps, push: Push, failure: CallFailure): Promise<void> {
  const { row, parts } = push;
  const { error } = failure;
  const now = nowDate(deps.clock);
  const reason = explainRefusal(
    { type: row.type, integrationId: row.integration_id, body: row.body },
    objectionOf(error),
  );
  await inTransaction(deps.db, async (trx) => {
    await failParts(trx, keyOfRow(row), {
      sent: parts,
      failure: { kind: 'parked', code: error.code, reason, now },
    });
    await notify(trx, {
      organisationId: row.organisation_id,
      dedupeKey: `feed.parked:${row.integration_id}:${row.reference_id}:${parts[0]?.part}:${parts[0]?.version}`,
      kind: 'order_update_refused',
      severity: 'error',
      text: `The service refused ${parts[0]?.part ?? 'an update'} of order ${row.reference_id}. ${reason}`,
      at: now,
    });
  });
}

/** The update found no order: read back by reference before anything else. */
async function checkNow(deps: FeedDeps, row: OrderRow): Promise<void> {
  const now = nowDate(deps.clock);
  await inTransaction(deps.db, async (trx) => {
    const [current] = await lockOrders(trx, row.organisation_id, [keyOfRow(row)]);
    if (current?.state !== 'CREATED') return;
    await updateOrder(trx, keyOfRow(row), {
      state: 'CHECKING',
      attempts: current.attempts + 1,
      next_attempt_at: now,
      reason: 'An update found no order under its id; it is looked up by its reference.',
      changed_at: now,
    });
  });
}

async function retryLater(deps: FeedDeps, push: Push, failure: CallFailure): Promise<void> {
  const { row, parts } = push;
  const now = nowDate(deps.clock);
  const unknown = failure.kind === 'unknown';
  const attempts = Math.max(...parts.map((part) => part.attempts)) + 1;
  const waitMs = unknown
    ? backoffMs(attempts, { ...ORDER_RETRY, ...randomOf(deps) })
    : ACCESS_RETRY_MS;
  await inTransaction(deps.db, async (trx) => {
    await lockOrders(trx, row.organisation_id, [keyOfRow(row)]);
    await failParts(trx, keyOfRow(row), {
      sent: parts,
      failure: {
        kind: 'later',
        retryAt: new Date(now.getTime() + waitMs),
        reason: `No clear answer (${failure.error.code}). It is sent again by itself.`,
        now,
      },
    });
    if (unknown) await verifyLater(trx, deps, row);
    else await alarmNoAccess(trx, accessTrouble(row, failure, now));
  });
}

function accessTrouble(row: OrderRow, { error }: CallFailure, now: Date): AccessTrouble {
  const about = { type: row.type, integrationId: row.integration_id, body: row.body };
  const { code } = error;
  const reason = explainRefusal(about, { code, message: error.errors[0]?.message });
  return { organisationId: row.organisation_id, code, reason, now };
}

/** Plans to read the order back when no request of ours can still be under way. */
async function verifyLater(trx: Trx, deps: FeedDeps, row: OrderRow): Promise<void> {
  const [current] = await lockOrders(trx, row.organisation_id, [keyOfRow(row)]);
  if (current?.state !== 'CREATED') return;
  await updateOrder(trx, keyOfRow(row), {
    next_attempt_at: new Date(deps.clock.nowMs() + VERIFY_AFTER_MS),
  });
}
