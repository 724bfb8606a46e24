/**
 * All SQL of the inbox but the storing of a flush (`inbox-insert.store.ts`) and the work list
 * (`inbox-work.store.ts`): lone events, finding one again by its id, partitions.
 */
import { sql } from 'kysely';
import { dataKeysOf } from '../../base/db/carried-keys.ts';
import type { Db, Trx } from '../../base/db/database.ts';
import type { InboxDelivery } from './inbox-insert.store.ts';
import { placeOfEvent, sealBody } from './sealed-body.ts';

/**
 * Stores one event without work to do: it is quarantined by the caller, in the same transaction.
 *
 * @returns its sequence number, or undefined when its id had been stored before
 */
export async function insertIdleDelivery(
  trx: Trx,
  organisationId: string,
  stored: { readonly delivery: InboxDelivery; readonly receivedAt: Date },
): Promise<number | undefined> {
  const { delivery, receivedAt } = stored;
  const id = await trx
    .insertInto('inbox_id')
    .values({
      event_id: delivery.eventId,
      organisation_id: organisationId,
      body_hash: delivery.bodyHash,
      received_at: receivedAt,
      seq: sql<number>`nextval('inbox_seq')`,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('seq')
    .executeTakeFirst();
  if (id === undefined) return undefined;
  const place = placeOfEvent(organisationId, delivery.eventId);
  const { body, keyId, subject } = sealBody(dataKeysOf(trx), place, delivery.body);
  await trx
    .insertInto('inbox_event')
    .values({
      seq: id.seq,
      received_at: receivedAt,
      organisation_id: organisationId,
      event_id: delivery.eventId,
      subscription: delivery.subscription,
      delivery_id: delivery.deliveryId,
      secret_id: delivery.secretId,
      signed_at: new Date(delivery.signedAtSeconds * 1_000),
      body,
      key_id: keyId,
      event_type: subject?.type ?? null,
      object_id: subject?.objectId ?? null,
    })
    .execute();
  return id.seq;
}

/** Puts another body in the place of a stored event's, sealed where bodies are. Its hash stays the first one's. */
export async function replaceBody(
  trx: Trx,
  organisationId: string,
  event: {
    readonly eventId: string;
    readonly seq: number;
    readonly receivedAt: Date;
    readonly body: Buffer;
  },
): Promise<void> {
  const place = placeOfEvent(organisationId, event.eventId);
  const { body, keyId, subject } = sealBody(dataKeysOf(trx), place, event.body);
  await trx
    .updateTable('inbox_event')
    .set({
      body,
      key_id: keyId,
      event_type: subject?.type ?? null,
      object_id: subject?.objectId ?? null,
    })
    .where('received_at', '=', event.receivedAt)
    .where('seq', '=', event.seq)
    .where('organisation_id', '=', organisationId)
    .execute();
}

/** The hashes of the first bodies of these events; an unknown id is absent. */
export async function readBodyHashes(
  db: Db,
  organisationId: string,
  eventIds: readonly string[],
): Promise<ReadonlyMap<string, Buffer>> {
  if (eventIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('inbox_id')
    .select(['event_id', 'body_hash'])
    .where('event_id', '=', sql<string>`any(${eventIds}::text[])`)
    .where('organisation_id', '=', organisationId)
    .execute();
  return new Map(rows.map((row) => [row.event_id, row.body_hash]));
}

/** Where a stored event lies, or undefined. */
export async function findInboxEvent(
  db: Db,
  organisationId: string,
  eventId: string,
): Promise<{ readonly seq: number; readonly receivedAt: Date } | undefined> {
  const row = await db
    .selectFrom('inbox_id')
    .select(['seq', 'received_at'])
    .where('event_id', '=', eventId)
    .where('organisation_id', '=', organisationId)
    .executeTakeFirst();
  return row === undefined ? undefined : { seq: row.seq, receivedAt: row.received_at };
}

/** How far ahead partitions are made: a quarter, so that weeks without a moment to make one do no harm. */
const PARTITION_WEEKS_AHEAD = 13;

/**
 * Creates the partitions of this week and of the weeks ahead. Called at start and daily: rows that arrive
 * without one go to the default partition, which can only be deleted from, not dropped.
 *
 * Nothing waits for it for more than a moment: while somebody reads the inbox for long, as a dump does,
 * it makes none, and is called again.
 *
 * @param now what counts as now; by default the database's own time
 * @returns for how many weeks it made none for that reason
 */
export async function ensureInboxPartitions(db: Db, now?: Date): Promise<number> {
  const moment = now === undefined ? sql`now()` : sql`${now}::timestamptz`;
  const { rows } = await sql<{ missing: number }>`
    select ensure_inbox_partitions(${moment}, ${PARTITION_WEEKS_AHEAD}) as missing`.execute(db);
  return rows[0]?.missing ?? 0;
}
