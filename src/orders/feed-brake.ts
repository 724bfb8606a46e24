/**
 * Stops sending an integration's orders when the service refuses most of them for one reason, and asks
 * a person; one order is tried at growing intervals, and once it is taken the others follow.
 */
import { writeAudit } from '../base/audit/audit.store.ts';
import { inTransaction } from '../base/db/transaction.ts';
import { wake } from '../base/jobs/wake.store.ts';
import { nowDate } from '../base/kernel/clock.ts';
import { ConfigError } from '../base/kernel/errors.ts';
import { notify } from '../base/notify/notification.store.ts';
import { DUPLICATE_ORDER_CODES } from '../service/wire/error-codes.ts';
import type { CallFailure } from './call-failure.ts';
import { failureOf } from './call-failure.ts';
import type { HeldLease } from './drain-lease.ts';
import type { FeedBrake } from './feed-brake.store.ts';
import {
  findProbe,
  findStopped,
  hastenProbe,
  isAnyWaiting,
  lockStopped,
  noteProbe,
  readProbe,
  releaseIntegration,
  requeueRefused,
  stopIntegration,
} from './feed-brake.store.ts';
import type { FeedDeps } from './feed-deps.ts';
import { FEED_TOPIC } from './intake-news.ts';
import type { WaitingOrder } from './order.store.ts';
import { objectionOf, recordAnswer, recordRefused } from './record-answer.ts';
import type { CommonRefusal } from './refusal-window.ts';

/** The first wait before an order is tried, and the longest, in milliseconds. */
const PROBE_FIRST_MS = 60_000;
const PROBE_MAX_MS = 60 * 60_000;

/** How long an integration continues past its refusals when somebody has said so, in milliseconds. */
const PASSING_MS = 24 * 60 * 60_000;

/** Stops the integration. Returns false when it continues because somebody has said so. */
export async function stopFeed(deps: FeedDeps, common: CommonRefusal): Promise<boolean> {
  const { organisationId } = deps;
  const { integrationId, code, referenceId, reason, at } = common;
  return await inTransaction(deps.db, async (trx) => {
    const nextProbeAt = new Date(at.getTime() + PROBE_FIRST_MS);
    if (!(await stopIntegration(trx, organisationId, { ...common, nextProbeAt }))) return false;
    await notify(trx, {
      organisationId,
      dedupeKey: `feed.stopped:${integrationId}:${code}:${at.toISOString()}`,
      kind: 'feed_stopped',
      severity: 'error',
      text: `The service refuses most orders of integration ${integrationId} with ${code}, for example ${referenceId}. They are not sent any more. ${reason} One is tried now and then; once it is taken, all others follow. Remove the cause, hand corrected orders in again, and run "forestall orders resume ${integrationId}".`,
      at,
    });
    await writeAudit(trx, {
      organisationId,
      at,
      subject: 'system',
      subjectId: integrationId,
      what: 'order feed stopped: most orders refused for one reason',
      detail: { code, example: referenceId },
    });
    return true;
  });
}

/** What trying came to. */
export interface ProbeEnd {
  readonly tried: number;
  /** Requests the service answered. */
  readonly answered: number;
  /** Set when there was no answer about the order. */
  readonly failure?: { readonly failure: CallFailure; readonly order: WaitingOrder };
}

/** Tries one order of each stopped integration whose time has come. */
export async function probeStopped(deps: FeedDeps, lease: HeldLease): Promise<ProbeEnd> {
  let tried = 0;
  let answered = 0;
  for (const brake of await findStopped(deps.db, deps.organisationId)) {
    const now = nowDate(deps.clock);
    if (brake.next_probe_at > now) continue;
    if (deps.signal?.aborted === true || !(await lease.hold())) break;
    // What was under way when the integration was stopped waits with the others.
    await inTransaction(deps.db, (trx) => requeueRefused(trx, brake, now));
    const seq = await findProbe(deps.db, brake, now);
    if (seq === undefined) {
      if (!(await isAnyWaiting(deps.db, brake))) await letGo(deps, brake, 'no order of it waits');
      continue;
    }
    const nextProbeAt = new Date(now.getTime() + waitAfter(brake.probes + 1));
    await noteProbe(deps.db, brake, { seq, at: now, nextProbeAt });
    // Read after the note: who corrects the order meanwhile has seen it, or has been waited for.
    const order = await readProbe(deps.db, brake, seq);
    if (order === undefined) continue;
    tried += 1;
    const failure = await tryOrder(deps, brake, order);
    if (failure !== undefined) return { tried, answered, failure: { failure, order } };
    answered += 1;
  }
  return { tried, answered };
}

/** 1 minute, 2, 4, … an hour. */
function waitAfter(probes: number): number {
  return Math.min(PROBE_MAX_MS, PROBE_FIRST_MS * 2 ** Math.min(probes, 16));
}

async function tryOrder(
  deps: FeedDeps,
  brake: FeedBrake,
  order: WaitingOrder,
): Promise<CallFailure | undefined> {
  try {
    const result = await deps.orders.create([order.body], { signal: deps.signal });
    const refusal = result.errors[0]?.code;
    // The same again: the order waits on.
    if (refusal === brake.error_code) return undefined;
    await recordAnswer(deps, [order], result);
    const isThere = DUPLICATE_ORDER_CODES.some((code) => code === refusal);
    if (result.results.length > 0 || isThere) await letGo(deps, brake, 'an order of it was taken');
    return undefined;
  } catch (thrown) {
    const failure = failureOf(thrown);
    if (failure.kind !== 'content') return failure;
    if (failure.error.code !== brake.error_code) {
      await recordRefused(deps, order, objectionOf(failure.error));
    }
    return undefined;
  }
}

async function letGo(deps: FeedDeps, brake: FeedBrake, why: string): Promise<void> {
  const { organisationId } = deps;
  const integrationId = brake.integration_id;
  const at = nowDate(deps.clock);
  await inTransaction(deps.db, async (trx) => {
    if ((await lockStopped(trx, { organisationId, integrationId })) === undefined) return;
    await releaseIntegration(trx, brake);
    await requeueRefused(trx, brake, at);
    await notify(trx, {
      organisationId,
      dedupeKey: `feed.resumed:${integrationId}:${at.toISOString()}`,
      kind: 'feed_resumed',
      severity: 'info',
      text: `Orders of integration ${integrationId} are sent again: ${why}.`,
      at,
    });
    await writeAudit(trx, {
      organisationId,
      at,
      subject: 'system',
      subjectId: integrationId,
      what: 'order feed resumed',
      detail: { why },
    });
    await wake(trx, FEED_TOPIC);
  });
}

/** What a person says about a stopped integration. */
export interface ResumeRequest extends Pick<FeedDeps, 'db' | 'organisationId'> {
  readonly integrationId: string;
  /** Sends all orders, whatever is refused, for a day. Otherwise one is tried at once. */
  readonly anyway: boolean;
  readonly now: Date;
  readonly actor: string;
}

/**
 * Has an order of a stopped integration tried at once, or all of them sent anyway.
 *
 * @throws {ConfigError} when the integration is not stopped
 */
export async function resumeFeed(request: ResumeRequest): Promise<void> {
  const { organisationId, integrationId, anyway, now, actor } = request;
  await inTransaction(request.db, async (trx) => {
    const brake = await lockStopped(trx, { organisationId, integrationId });
    if (brake === undefined) {
      throw new ConfigError(
        `The orders of integration ${integrationId} are not stopped. See "forestall orders status".`,
      );
    }
    if (anyway) {
      await releaseIntegration(trx, brake, new Date(now.getTime() + PASSING_MS));
      await requeueRefused(trx, brake, now);
    } else {
      await hastenProbe(trx, brake, now);
    }
    await writeAudit(trx, {
      organisationId,
      at: now,
      subject: 'system',
      subjectId: integrationId,
      actor,
      what: anyway ? 'order feed resumed, whatever is refused' : 'an order is to be tried at once',
    });
    await wake(trx, FEED_TOPIC);
  });
}
