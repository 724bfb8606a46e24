/** The figures of an operator: who works, what waits, what is refused, how much of each limit is used. */
import { sql } from 'kysely';
import { lastWebhookAt } from '../alerts/reconcile/poll-target.store.ts';
import { RECONCILE_FACTS } from '../alerts/reconcile/reconcile-facts.ts';
import type { EventStanding } from '../alerts/signals/processor-event.store.ts';
import { readEventStanding } from '../alerts/signals/processor-event.store.ts';
import type { Db } from '../base/db/database.ts';
import { ALL_ORGANISATIONS } from '../base/db/for-organisation.ts';
import { anyOf } from '../base/db/text-array.ts';
import { readMoment } from '../base/jobs/fact.store.ts';
import { assertInvariant } from '../base/kernel/errors.ts';
import { LOG_ONLY } from '../base/notify/notification.store.ts';
import type { OpenCounts } from './many-figures.store.ts';
import { readOpenCounts } from './many-figures.store.ts';

export interface WorkerAge {
  readonly workerId: string;
  readonly role: string;
  /** Seconds since it last did. */
  readonly ageSeconds: number;
}

export interface Undelivered {
  readonly waiting: number;
  /** Age of the oldest in seconds; 0 without any. */
  readonly oldestSeconds: number;
  /** Given up after the last attempt. */
  readonly givenUp: number;
  /** Written to the log only in the last day, because no channel was set. */
  readonly loggedOnly: number;
}

export interface Operations extends OpenCounts {
  readonly workers: readonly WorkerAge[];
  /** Events stored and not applied yet. */
  readonly inboxWaiting: number;
  /** Age of the oldest of them in seconds; 0 without any. */
  readonly inboxLagSeconds: number;
  readonly processorEvents: EventStanding;
  readonly notifications: Undelivered;
  readonly lastWebhookAt: Date | null;
  /** The end of the last poll that read the whole list. */
  readonly lastPollAt: Date | null;
}

export interface Scope {
  readonly organisationId: string;
  readonly now: Date;
}

/** Processes silent for longer than this are gone and no longer shown, in milliseconds. */
const WORKER_SHOWN_MS = 24 * 60 * 60_000;

export async function readOperations(db: Db, scope: Scope): Promise<Operations> {
  const { organisationId, now } = scope;
  return {
    workers: await readWorkers(db, { organisationIds: [organisationId], now }),
    ...(await readInbox(db, scope)),
    ...(await readOpen(db, scope)),
    processorEvents: await readEventStanding(db, organisationId),
    notifications: await readUndelivered(db, scope),
    lastPollAt: await readLastPoll(db, scope),
  };
}

async function readOpen(db: Db, { organisationId, now }: Scope): Promise<OpenCounts> {
  const scope = { organisationIds: [organisationId], labels: [organisationId], now };
  const counts = (await readOpenCounts(db, scope)).get(organisationId);
  assertInvariant(counts !== undefined, 'Nothing was counted of the organisation asked about.');
  return counts;
}

/** Processes that have reported themselves, for one of the organisations or for all. */
export async function readWorkers(
  db: Db,
  { organisationIds, now }: { readonly organisationIds: readonly string[]; readonly now: Date },
): Promise<WorkerAge[]> {
  const rows = await db
    .selectFrom('worker_heartbeat')
    .select(['worker_id', 'role', 'seen_at'])
    .where('organisation_id', '=', anyOf([...organisationIds, ALL_ORGANISATIONS]))
    .where('seen_at', '>', new Date(now.getTime() - WORKER_SHOWN_MS))
    .orderBy('worker_id')
    .execute();
  return rows.map(({ worker_id: workerId, role, seen_at: seenAt }) => ({
    workerId,
    role,
    ageSeconds: secondsSince(seenAt, now),
  }));
}

export async function readInbox(
  db: Db,
  { organisationId, now }: Scope,
): Promise<Pick<Operations, 'inboxWaiting' | 'inboxLagSeconds' | 'lastWebhookAt'>> {
  const waiting = await db
    .selectFrom('inbox_work')
    .select([sql<number>`count(*)`.as('count'), sql<Date | null>`min(received_at)`.as('oldest')])
    .where('organisation_id', '=', organisationId)
    .executeTakeFirstOrThrow();
  return {
    inboxWaiting: waiting.count,
    inboxLagSeconds: waiting.oldest === null ? 0 : secondsSince(waiting.oldest, now),
    lastWebhookAt: (await lastWebhookAt(db, organisationId)) ?? null,
  };
}

/** Messages written to the log only are counted for so long, in milliseconds. */
const LOGGED_MS = 24 * 60 * 60_000;

export async function readUndelivered(
  db: Db,
  { organisationId, now }: Scope,
): Promise<Undelivered> {
  const row = await db
    .selectFrom('notification')
    .select(sql<number>`count(next_attempt_at)`.as('waiting'))
    .select(sql<number>`count(*) filter (where next_attempt_at is null)`.as('givenUp'))
    .select(
      sql<Date | null>`min(created_at) filter (where next_attempt_at is not null)`.as('oldest'),
    )
    .where('organisation_id', '=', organisationId)
    .where('sent_at', 'is', null)
    .executeTakeFirstOrThrow();
  const { logged } = await db
    .selectFrom('notification')
    .select(sql<number>`count(*)`.as('logged'))
    .where('organisation_id', '=', organisationId)
    .where('sent_at', '>', new Date(now.getTime() - LOGGED_MS))
    .where('channel', '=', LOG_ONLY)
    .executeTakeFirstOrThrow();
  return {
    waiting: row.waiting,
    oldestSeconds: row.oldest === null ? 0 : secondsSince(row.oldest, now),
    givenUp: row.givenUp,
    loggedOnly: logged,
  };
}

/** The end of the last poll that read the whole list; null before the first. */
export async function readLastPoll(db: Db, scope: Scope): Promise<Date | null> {
  return (await readMoment(db, scope.organisationId, RECONCILE_FACTS.lastPollAt)) ?? null;
}

/** Whole seconds from `then` to `now`, never negative. */
export function secondsSince(then: Date, now: Date): number {
  return Math.max(0, Math.floor((now.getTime() - then.getTime()) / 1_000));
}
