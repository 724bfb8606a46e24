/** What the doctor reads of our rows. */
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';

/** The last webhook that was accepted, and which secret it was signed with; undefined before the first. */
export async function lastVerifiedWebhook(
  db: Db,
  organisationId: string,
): Promise<{ readonly receivedAt: Date; readonly secretId: string } | undefined> {
  const row = await db
    .selectFrom('inbox_event')
    .select(['received_at', 'secret_id'])
    .where('organisation_id', '=', organisationId)
    .orderBy('received_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? undefined : { receivedAt: row.received_at, secretId: row.secret_id };
}

/** Open findings by severity. */
export async function openFindings(
  db: Db,
  organisationId: string,
): Promise<{ readonly errors: number; readonly warnings: number }> {
  return await db
    .selectFrom('finding')
    .select([
      sql<number>`(count(*) filter (where severity = 'error'))::int`.as('errors'),
      sql<number>`(count(*) filter (where severity = 'warning'))::int`.as('warnings'),
    ])
    .where('organisation_id', '=', organisationId)
    .where('closed_at', 'is', null)
    .executeTakeFirstOrThrow();
}

/** Messages to people that a channel has refused and that are tried again. */
export async function undelivered(
  db: Db,
  organisationId: string,
): Promise<{ readonly waiting: number }> {
  return await db
    .selectFrom('notification')
    .select(
      sql<number>`(count(*) filter (where attempts > 0 and next_attempt_at is not null))::int`.as(
        'waiting',
      ),
    )
    .where('organisation_id', '=', organisationId)
    .where('sent_at', 'is', null)
    .executeTakeFirstOrThrow();
}
