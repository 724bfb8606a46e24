/** Writes to the notification outbox, inside the transaction that gives cause to tell somebody. */
import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Db } from '../db/database.ts';
import type { DueCondition } from '../jobs/due.store.ts';
import type { NotificationTable, Severity } from './notification.table.ts';

/** A message for a person. */
export interface NewNotification {
  readonly organisationId: string;
  /** What makes it the same message; written once per key. */
  readonly dedupeKey: string;
  readonly kind: string;
  readonly severity: Severity;
  readonly alertId?: string;
  /** Plain language, with the next step. No card data, no addresses. */
  readonly text: string;
  readonly at: Date;
}

/** Puts the message into the outbox. Returns false when its key was there already. */
export async function notify(db: Db, message: NewNotification): Promise<boolean> {
  const result = await db
    .insertInto('notification')
    .values({
      organisation_id: message.organisationId,
      dedupe_key: message.dedupeKey,
      kind: message.kind,
      severity: message.severity,
      alert_id: message.alertId ?? null,
      text: message.text,
      created_at: message.at,
      next_attempt_at: message.at,
    })
    .onConflict((conflict) => conflict.columns(['organisation_id', 'dedupe_key']).doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Puts several messages into the outbox, in one statement. */
export async function notifyEach(db: Db, messages: readonly NewNotification[]): Promise<void> {
  if (messages.length === 0) return;
  await sql`
    insert into notification (organisation_id, dedupe_key, kind, severity, alert_id, text, created_at, next_attempt_at)
    select m."organisationId", m."dedupeKey", m.kind, m.severity, m."alertId", m.text, m.at, m.at
    from json_to_recordset(${JSON.stringify(messages)}::json) as m("organisationId" text, "dedupeKey" text, kind text,
      severity text, "alertId" text, text text, at timestamptz)
    on conflict (organisation_id, dedupe_key) do nothing`.execute(db);
}

/** A message as it is sent. */
export interface DueNotification {
  readonly id: number;
  readonly kind: string;
  readonly severity: Severity;
  readonly alertId: string | null;
  readonly text: string;
  readonly createdAt: Date;
  /** This attempt's number, from 1. */
  readonly attempt: number;
}

/** Whether a message is to be sent now. */
export const hasDueNotifications: DueCondition = (now, organisation) => sql<boolean>`exists (
    select from notification where organisation_id = ${organisation} and next_attempt_at <= ${now})`;

/** What {@link claimDueNotifications} needs. */
export interface NotificationClaim {
  readonly now: Date;
  readonly organisationId: string;
  readonly limit: number;
  /** When an attempt that never reports back may be repeated. */
  readonly claimedUntil: Date;
}

/**
 * Claims messages whose moment has come, errors first. The claim is the next attempt's moment: a
 * sender that dies after this leaves the message to be sent again.
 */
export async function claimDueNotifications(
  db: Db,
  claim: NotificationClaim,
): Promise<DueNotification[]> {
  const rows = await db
    .with('due', (qb) =>
      qb
        .selectFrom('notification')
        .select('id')
        .where('organisation_id', '=', claim.organisationId)
        .where('next_attempt_at', '<=', claim.now)
        .orderBy(sql`case severity when 'error' then 0 when 'warning' then 1 else 2 end`)
        .orderBy('next_attempt_at')
        .limit(claim.limit)
        .forUpdate()
        .skipLocked(),
    )
    .updateTable('notification as n')
    .from('due')
    .set({ next_attempt_at: claim.claimedUntil, attempts: sql<number>`n.attempts + 1` })
    .where('n.organisation_id', '=', claim.organisationId)
    .whereRef('n.id', '=', 'due.id')
    .returning(['n.id', 'n.kind', 'n.severity', 'n.text', 'n.alert_id as alertId'])
    .returning(['n.created_at as createdAt', 'n.attempts as attempt'])
    .execute();
  return rows.sort((a, b) => a.id - b.id);
}

/** The messages went out: through a channel, in a digest, or to the log alone ({@link LOG_ONLY}). */
export async function markNotificationsSent(
  db: Db,
  { organisationId, ids }: { readonly organisationId: string; readonly ids: readonly number[] },
  arrival: { readonly at: Date; readonly channel: string },
): Promise<void> {
  if (ids.length === 0) return;
  await db
    .updateTable('notification')
    .set({ sent_at: arrival.at, next_attempt_at: null, last_error: null, channel: arrival.channel })
    .where('organisation_id', '=', organisationId)
    .where(sql<boolean>`id = any(${ids}::bigint[])`)
    .execute();
}

/** How much people were sent since a moment: single messages, and whether a digest went. */
export async function readVolume(
  db: Db,
  organisationId: string,
  since: Date,
): Promise<{ readonly single: number; readonly digests: number }> {
  return await db
    .selectFrom('notification')
    .select([
      sql<number>`count(*) filter (where channel <> ${DIGEST})`.as('single'),
      sql<number>`count(distinct sent_at) filter (where channel = ${DIGEST})`.as('digests'),
    ])
    .where('organisation_id', '=', organisationId)
    .where('sent_at', '>', since)
    .executeTakeFirstOrThrow();
}

/** `channel` of messages that went together in one. */
export const DIGEST = 'digest';

/** `channel` of messages that went to the log, because none was set: no person was told. */
export const LOG_ONLY = 'log';

/** What became of a message: told once a channel took it, and not before. */
export type Telling = 'told' | 'logged' | 'waiting' | 'given_up';

/** Reads it of its row. */
export function tellingOf(
  row: Pick<Selectable<NotificationTable>, 'sent_at' | 'channel' | 'next_attempt_at'>,
): Telling {
  if (row.sent_at === null) return row.next_attempt_at === null ? 'given_up' : 'waiting';
  return row.channel === LOG_ONLY ? 'logged' : 'told';
}

/** The attempt failed: when to try again, or null to give up. */
export async function markNotificationFailed(
  db: Db,
  { organisationId, id }: { readonly organisationId: string; readonly id: number },
  failure: { readonly retryAt: Date | null; readonly error: string },
): Promise<void> {
  await db
    .updateTable('notification')
    .set({ next_attempt_at: failure.retryAt, last_error: failure.error.slice(0, 200) })
    .where('organisation_id', '=', organisationId)
    .where('id', '=', id)
    .where('sent_at', 'is', null)
    .execute();
}
