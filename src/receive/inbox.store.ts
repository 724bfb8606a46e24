/**
 * All SQL of the inbox: events arrive in one statement per flush, and are found again by their id.
 */
import type { Kysely, Transaction } from 'kysely';
import { sql } from 'kysely';
import type { Pool, QueryConfig } from 'pg';
import type { Database } from '../db/database.ts';
import { assertInvariant } from '../kernel/errors.ts';
import { dataKeysOf } from '../seal/carried-keys.ts';
import type { DataKeys } from '../seal/data-keys.ts';
import type { Delivery } from './delivery.ts';
import { hashOf } from './delivery.ts';
import { insertSealed } from './inbox-sealed.store.ts';
import { placeOfEvent, sealBody } from './sealed-body.ts';

/** A delivery with its identity, ready to store. */
export interface InboxDelivery extends Delivery {
  readonly eventId: string;
}

/** Deliveries of one flush; they share their moment and their COMMIT. */
export interface InboxBatch {
  readonly organisationId: string;
  readonly receivedAt: Date;
  /** Sorted by event id, each id once. */
  readonly deliveries: readonly InboxDelivery[];
  /** With one to seal with, bodies are stored sealed. */
  readonly dataKeys?: DataKeys | undefined;
}

/** Most deliveries in one batch: below the step of the sequence that numbers them. */
export const BATCH_ITEMS_MAX = 256;

const INSERT_DELIVERIES = `
  with drawn as materialized (
    select nextval('inbox_seq') as base
  ), incoming as materialized (
    select t.*, drawn.base + t.place as seq
    from drawn, unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::float8[], $8::int4[], $9::int4[])
      with ordinality as t (event_id, subscription, delivery_id, secret_id, signed_at, from_byte, byte_count, place)
  ), fresh as (
    insert into inbox_id (event_id, organisation_id, body_hash, received_at, seq)
    select event_id, $1::text, sha256(substring($10::bytea from from_byte for byte_count)), $2::timestamptz, seq
    from incoming
    on conflict do nothing
    returning event_id, seq
  ), stored as (
    insert into inbox_event (seq, received_at, organisation_id, event_id, subscription, delivery_id, secret_id, signed_at, body)
    select fresh.seq, $2::timestamptz, $1::text, fresh.event_id, subscription, delivery_id, secret_id,
           to_timestamp(signed_at), substring($10::bytea from from_byte for byte_count)
    from fresh join incoming using (seq)
  ), work as (
    insert into inbox_work (seq, received_at, organisation_id, event_id)
    select seq, $2::timestamptz, $1::text, event_id from fresh
  )
  select incoming.event_id,
         (select known.body_hash from inbox_id known where known.event_id = incoming.event_id) as body_hash
  from incoming left join fresh using (seq) where fresh.seq is null`;

/** The same for one delivery, which then costs hardly more than a plain insert. */
const INSERT_DELIVERY = `
  with fresh as (
    insert into inbox_id (event_id, organisation_id, body_hash, received_at, seq)
    values ($3::text, $1::text, sha256($8::bytea), $2::timestamptz, nextval('inbox_seq'))
    on conflict do nothing
    returning seq
  ), stored as (
    insert into inbox_event (seq, received_at, organisation_id, event_id, subscription, delivery_id, secret_id, signed_at, body)
    select seq, $2::timestamptz, $1::text, $3::text, $4::text, $5::text, $6::text, to_timestamp($7::float8), $8::bytea
    from fresh
  ), work as (
    insert into inbox_work (seq, received_at, organisation_id, event_id)
    select seq, $2::timestamptz, $1::text, $3::text from fresh
  )
  select $3::text as event_id, (select known.body_hash from inbox_id known where known.event_id = $3::text) as body_hash
  where not exists (select from fresh)`;

/** An event that had been stored before, with the hash of its first body. */
export interface KnownDelivery {
  readonly eventId: string;
  /** Null when it was stored by somebody else only just now: see {@link readBodyHashes}. */
  readonly bodyHash: Buffer | null;
}

/**
 * Stores the events that are new, and puts each on the work list of apply, in one statement.
 *
 * The caller sorts by event id: two processes that insert the same ids in opposite order would wait
 * for each other. Bodies travel as one `bytea` with offsets, which spares the server the parsing of
 * an array of them. The statement is prepared once per connection: planning
 * it anew costs more than a lone event's insert.
 *
 * @returns those that had been stored before; the others were new
 */
export async function insertDeliveries(
  pool: Pool,
  batch: InboxBatch,
): Promise<readonly KnownDelivery[]> {
  const { deliveries } = batch;
  assertInvariant(deliveries.length <= BATCH_ITEMS_MAX, 'A batch is larger than its numbers.');
  const [first] = deliveries;
  if (first === undefined) return [];
  const { rows } = await pool.query<{ event_id: string; body_hash: Buffer | null }>(
    statementOf(batch, first),
  );
  return rows.map((row) => ({ eventId: row.event_id, bodyHash: row.body_hash }));
}

function statementOf(batch: InboxBatch, first: InboxDelivery): QueryConfig {
  const { dataKeys, deliveries } = batch;
  if (dataKeys?.sealing !== undefined) return insertSealed(batch, dataKeys);
  return deliveries.length === 1 ? insertOne(batch, first) : insertMany(batch);
}

function insertOne(batch: InboxBatch, delivery: InboxDelivery): QueryConfig {
  const { eventId, subscription, deliveryId, secretId, signedAtSeconds, body } = delivery;
  return {
    name: 'forestall_insert_delivery',
    text: INSERT_DELIVERY,
    values: [
      batch.organisationId,
      batch.receivedAt,
      eventId,
      subscription,
      deliveryId,
      secretId,
      signedAtSeconds,
      body,
    ],
  };
}

function insertMany({ organisationId, receivedAt, deliveries }: InboxBatch): QueryConfig {
  const { bytes, offsets, lengths } = joinBodies(deliveries);
  return {
    name: 'forestall_insert_deliveries',
    text: INSERT_DELIVERIES,
    values: [
      organisationId,
      receivedAt,
      deliveries.map((delivery) => delivery.eventId),
      deliveries.map((delivery) => delivery.subscription),
      deliveries.map((delivery) => delivery.deliveryId),
      deliveries.map((delivery) => delivery.secretId),
      deliveries.map((delivery) => delivery.signedAtSeconds),
      offsets,
      lengths,
      bytes,
    ],
  };
}

/** One buffer of all bodies, with where each begins, counted from 1. */
function joinBodies(deliveries: readonly InboxDelivery[]): {
  readonly bytes: Buffer;
  readonly offsets: readonly number[];
  readonly lengths: readonly number[];
} {
  const offsets: number[] = [];
  const lengths: number[] = [];
  const parts: Buffer[] = [];
  let next = 1;
  for (const { body } of deliveries) {
    offsets.push(next);
    lengths.push(body.length);
    parts.push(body);
    next += body.length;
  }
  return { bytes: Buffer.concat(parts), offsets, lengths };
}

/**
 * Stores one event without work to do: it is quarantined by the caller, in the same transaction.
 *
 * @returns its sequence number, or undefined when its id had been stored before
 */
export async function insertIdleDelivery(
  trx: Transaction<Database>,
  organisationId: string,
  stored: { readonly delivery: InboxDelivery; readonly receivedAt: Date },
): Promise<number | undefined> {
  const { delivery, receivedAt } = stored;
  const id = await trx
    .insertInto('inbox_id')
    .values({
      event_id: delivery.eventId,
      organisation_id: organisationId,
      body_hash: hashOf(delivery.body),
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

/** The hashes of the first bodies of these events; an unknown id is absent. */
export async function readBodyHashes(
  db: Kysely<Database>,
  eventIds: readonly string[],
): Promise<ReadonlyMap<string, Buffer>> {
  if (eventIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('inbox_id')
    .select(['event_id', 'body_hash'])
    .where('event_id', '=', sql<string>`any(${eventIds}::text[])`)
    .execute();
  return new Map(rows.map((row) => [row.event_id, row.body_hash]));
}

/** Where a stored event lies, or undefined. */
export async function findInboxEvent(
  db: Kysely<Database>,
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

/**
 * Makes the partitions of this month and the next. Called at start and daily: rows that arrive
 * without one go to the default partition, which can only be deleted from, not dropped.
 *
 * @param now what counts as now; by default the database's own time
 */
export async function ensureInboxPartitions(db: Kysely<Database>, now?: Date): Promise<void> {
  const moment = now === undefined ? sql`now()` : sql`${now}::timestamptz`;
  await sql`select ensure_inbox_partition(${moment}), ensure_inbox_partition(${moment} + interval '1 month')`.execute(
    db,
  );
}
