/** The figures of an operator: who works, what waits, what is refused, how much of each limit is used. */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { lastWebhookAt } from '../alerts/reconcile/poll-target.store.ts';
import { RECONCILE_FACTS } from '../alerts/reconcile/reconcile-facts.ts';
import type { Db } from '../base/db/database.ts';
import { ALL_ORGANISATIONS } from '../base/db/for-organisation.ts';
import { anyOf, eachOf } from '../base/db/text-array.ts';
import { readMoment } from '../base/jobs/named-value.store.ts';
import { assertInvariant } from '../base/kernel/errors.ts';
import { LOG_ONLY } from '../base/notify/notification.store.ts';
import type { OpenCounts } from './label-figures.store.ts';
import { readOpenCounts } from './label-figures.store.ts';

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
  readonly notifications: Undelivered;
  readonly lastWebhookAt: Date | null;
  /** The end of the last poll that read the whole list. */
  readonly lastPollAt: Date | null;
}

export interface Scope {
  readonly organisationId: string;
  readonly now: Date;
}

/** Organisations, and the moment for which they are read. */
export interface OrganisationsScope {
  readonly organisationIds: readonly string[];
  readonly now: Date;
}

/** Processes silent for longer than this are gone and no longer shown, in milliseconds. */
const WORKER_SHOWN_MS = 24 * 60 * 60_000;

export async function readOperations(db: Db, scope: Scope): Promise<Operations> {
  const { organisationId, now } = scope;
  return {
    workers: await readWorkers(db, { organisationIds: [organisationId], now }),
    ...(await readWaiting(db, scope)),
    lastWebhookAt: (await lastWebhookAt(db, organisationId)) ?? null,
    ...(await readOpen(db, scope)),
    lastPollAt: (await readMoment(db, organisationId, RECONCILE_FACTS.lastPollAt)) ?? null,
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

type Waiting = Pick<Operations, 'inboxWaiting' | 'inboxLagSeconds' | 'notifications'>;

async function readWaiting(db: Db, { organisationId, now }: Scope): Promise<Waiting> {
  const { rows } = await sql<WaitingRow>`
    select ${WAITING_COLUMNS} from ${eachOf([organisationId])} as o (id) ${waitingIn(now)}`.execute(
    db,
  );
  const [row] = rows;
  assertInvariant(row !== undefined, 'Nothing was counted of the organisation asked about.');
  return waitingOf(row, now);
}

/** Events stored and not applied, and messages that were not taken. */
export interface WaitingRow {
  readonly inboxWaiting: number;
  readonly inboxOldest: Date | null;
  readonly messagesWaiting: number;
  readonly messagesOldest: Date | null;
  readonly messagesGivenUp: number;
  /** Those that wait although a channel was asked. */
  readonly messagesRefused: number;
  readonly messagesLogged: number;
}

export const WAITING_COLUMNS: RawBuilder<unknown> = sql`
  i.waiting as "inboxWaiting", i.oldest as "inboxOldest", n.waiting as "messagesWaiting", n.oldest as "messagesOldest",
  n.given_up as "messagesGivenUp", n.refused as "messagesRefused", l.logged as "messagesLogged"`;

/** Messages written to the log only are counted for so long, in milliseconds. */
const LOGGED_MS = 24 * 60 * 60_000;

/** What {@link WAITING_COLUMNS} are of, behind a `from` of organisations, `o (id)`. */
export function waitingIn(now: Date): RawBuilder<unknown> {
  return sql`
    cross join lateral (
      select count(*) as waiting, min(received_at) as oldest from inbox_work where organisation_id = o.id) as i
    cross join lateral (
      select count(next_attempt_at) as waiting, count(*) filter (where next_attempt_at is null) as given_up,
        min(created_at) filter (where next_attempt_at is not null) as oldest,
        count(last_error) filter (where next_attempt_at is not null) as refused
      from notification where organisation_id = o.id and sent_at is null) as n
    cross join lateral (
      select count(*) as logged from notification
      where organisation_id = o.id and sent_at > ${new Date(now.getTime() - LOGGED_MS)} and channel = ${LOG_ONLY}) as l`;
}

export function waitingOf(row: WaitingRow, now: Date): Waiting {
  const ageOf = (at: Date | null): number => (at === null ? 0 : secondsSince(at, now));
  return {
    inboxWaiting: row.inboxWaiting,
    inboxLagSeconds: ageOf(row.inboxOldest),
    notifications: {
      waiting: row.messagesWaiting,
      oldestSeconds: ageOf(row.messagesOldest),
      givenUp: row.messagesGivenUp,
      loggedOnly: row.messagesLogged,
    },
  };
}

/** Whole seconds from `then` to `now`, never negative. */
export function secondsSince(then: Date, now: Date): number {
  return Math.max(0, Math.floor((now.getTime() - then.getTime()) / 1_000));
}
