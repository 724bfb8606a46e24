/** Which alerts polling must read one by one, and what it needs to know about webhooks. */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import { CLAIM_IDS } from '../cases/claim.ts';

export interface LeftQuery {
  readonly organisationId: string;
  /** Ids on the list that was read. */
  readonly listed: readonly string[];
  /** When that list was asked for: younger cases cannot be missing from it. */
  readonly listedAt: Date;
  /** Alerts known to be gone are asked about again only when last seen gone before this. */
  readonly goneBefore: Date;
  readonly limit: number;
}

/** True for an alert without an open finding that it is gone, last seen at or after `goneBefore`. */
function notSeenGone(
  query: Pick<LeftQuery, 'organisationId' | 'goneBefore'>,
  alertIdColumn: 'a.id' | 'c.alert_id',
): RawBuilder<boolean> {
  return sql<boolean>`not exists (
    select from finding f
    where f.organisation_id = ${query.organisationId} and f.kind = 'alert_not_found'
      and f.subject = 'alert' and f.subject_id = ${sql.ref(alertIdColumn)}
      and f.closed_at is null and f.last_seen_at >= ${query.goneBefore}
  )`;
}

/** Alerts we hold open that the list does not show, nearest deadline first. */
export async function alertsThatLeft(db: Db, query: LeftQuery): Promise<string[]> {
  const rows = await db
    .selectFrom('alert_case as c')
    .select('c.alert_id')
    .where('c.organisation_id', '=', query.organisationId)
    .where('c.is_open', '=', true)
    .where('c.opened_at', '<', query.listedAt)
    // The service knows nothing of our own claims.
    .where('c.alert_id', 'not like', CLAIM_IDS)
    .where((eb) => eb.not(eb('c.alert_id', '=', eb.fn.any(eb.val([...query.listed])))))
    .where(notSeenGone(query, 'c.alert_id'))
    .orderBy('c.deadline_at')
    .orderBy('c.alert_id')
    .limit(query.limit)
    .execute();
  return rows.map((row) => row.alert_id);
}

/** Alerts that only a read can settle: two snapshots of the same rank and time differ. */
export async function alertsInDoubt(
  db: Db,
  query: Pick<LeftQuery, 'organisationId' | 'goneBefore' | 'limit'>,
): Promise<string[]> {
  const rows = await db
    .selectFrom('alert as a')
    .select('a.id')
    .where('a.organisation_id', '=', query.organisationId)
    .where('a.needs_read', '=', true)
    .where('a.id', 'not like', CLAIM_IDS)
    .where(notSeenGone(query, 'a.id'))
    .orderBy('a.id')
    .limit(query.limit)
    .execute();
  return rows.map((row) => row.id);
}

/** A read that receive asked for. */
export interface PollRequest {
  readonly alertId: string;
  readonly requestedAt: Date;
}

/** Reads that receive asked for, oldest first. */
export async function pollRequests(
  db: Db,
  organisationId: string,
  limit: number,
): Promise<PollRequest[]> {
  const rows = await db
    .selectFrom('poll_request')
    .select(['alert_id', 'requested_at'])
    .where('organisation_id', '=', organisationId)
    .orderBy('requested_at')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ alertId: row.alert_id, requestedAt: row.requested_at }));
}

/** Strikes off a request that was served, unless it was made again after `servedAt`. */
export async function dropPollRequest(
  db: Db,
  organisationId: string,
  served: { readonly alertId: string; readonly servedAt: Date },
): Promise<void> {
  await db
    .deleteFrom('poll_request')
    .where('organisation_id', '=', organisationId)
    .where('alert_id', '=', served.alertId)
    .where('requested_at', '<=', served.servedAt)
    .execute();
}

export async function isKnownAlert(
  db: Db,
  organisationId: string,
  alertId: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('alert')
    .select('id')
    .where('organisation_id', '=', organisationId)
    .where('id', '=', alertId)
    .executeTakeFirst();
  return row !== undefined;
}

/** When the last genuine webhook was stored, or undefined when none ever was. */
export async function lastWebhookAt(db: Db, organisationId: string): Promise<Date | undefined> {
  const row = await db
    .selectFrom('inbox_event')
    .select('received_at')
    .where('organisation_id', '=', organisationId)
    .orderBy('received_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.received_at;
}
