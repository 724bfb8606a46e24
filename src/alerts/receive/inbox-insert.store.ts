/** Stores the events of one flush, in one statement, and puts each on the work list of apply. */
import type { Pool } from 'pg';
import type { FixedQuery } from '../../base/db/preparing-client.ts';
import { float8Array, int4Array, textArray } from '../../base/db/text-array.ts';
import type { DataKeys } from '../../base/kernel/data-keys.ts';
import { assertInvariant } from '../../base/kernel/errors.ts';
import type { Delivery } from './delivery.ts';
import { BODY_HASH_BYTES } from './delivery.ts';
import { placeOfEvent, sealBody } from './sealed-body.ts';

/** A delivery with its identity, ready to store. */
export interface InboxDelivery extends Delivery {
  readonly eventId: string;
  /** The body's SHA-256, see `hashOf`. */
  readonly bodyHash: Buffer;
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
const BATCH_ITEMS_MAX = 256;

/** Without a key, the arrays of types and of object ids are null, and so are their columns in every row. */
const INSERT_DELIVERIES = `
  with drawn as materialized (
    select nextval('inbox_seq') as base
  ), incoming as materialized (
    select t.*, drawn.base + t.place as seq
    from drawn, unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::float8[], $8::int4[], $9::int4[], $12::text[], $13::text[])
      with ordinality as t (event_id, subscription, delivery_id, secret_id, signed_at, from_byte, byte_count, event_type, object_id, place)
  ), fresh as (
    insert into inbox_id (event_id, organisation_id, body_hash, received_at, seq)
    select event_id, $1::text, substring($10::bytea from ((place - 1) * ${BODY_HASH_BYTES} + 1)::int for ${BODY_HASH_BYTES}), $2::timestamptz, seq
    from incoming
    on conflict do nothing
    returning event_id, seq
  ), stored as (
    insert into inbox_event (seq, received_at, organisation_id, event_id, subscription, delivery_id, secret_id, signed_at, body, key_id, event_type, object_id)
    select fresh.seq, $2::timestamptz, $1::text, fresh.event_id, subscription, delivery_id, secret_id,
           to_timestamp(signed_at), substring($14::bytea from from_byte for byte_count), $11::text, event_type, object_id
    from fresh join incoming using (seq)
  ), work as (
    insert into inbox_work (seq, received_at, organisation_id, event_id)
    select seq, $2::timestamptz, $1::text, event_id from fresh
  )
  select incoming.event_id,
         (select known.body_hash from inbox_id known
          where known.event_id = incoming.event_id and known.organisation_id = $1::text) as body_hash
  from incoming left join fresh using (seq) where fresh.seq is null`;

/** The same for one delivery that is not sealed, which then costs hardly more than a plain insert. */
const INSERT_DELIVERY = `
  with fresh as (
    insert into inbox_id (event_id, organisation_id, body_hash, received_at, seq)
    values ($3::text, $1::text, $9::bytea, $2::timestamptz, nextval('inbox_seq'))
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
  select $3::text as event_id,
         (select known.body_hash from inbox_id known
          where known.event_id = $3::text and known.organisation_id = $1::text) as body_hash
  where not exists (select from fresh)`;

/** An event that had been stored before, with the hash of its first body. */
export interface KnownDelivery {
  readonly eventId: string;
  /** Null when it was stored by somebody else only just now: see `readBodyHashes`. */
  readonly bodyHash: Buffer | null;
}

/**
 * Stores the events that are new, and puts each on the work list of apply, in one statement.
 *
 * The caller sorts by event id: two processes that insert the same ids in opposite order would wait
 * for each other. Bodies travel as one `bytea` with offsets, which spares the server the parsing of
 * an array of them. The statement is prepared from its first use on: planning it again costs more than a
 * lone event's insert.
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

function statementOf(batch: InboxBatch, first: InboxDelivery): FixedQuery {
  const { dataKeys, deliveries } = batch;
  if (dataKeys?.sealing !== undefined) return insertMany(batch, sealBodies(batch, dataKeys));
  return deliveries.length === 1
    ? insertOne(batch, first)
    : insertMany(batch, { bodies: deliveries.map(({ body }) => body) });
}

function insertOne(
  { organisationId, receivedAt }: InboxBatch,
  delivery: InboxDelivery,
): FixedQuery {
  const { eventId, subscription, deliveryId, secretId, signedAtSeconds, body, bodyHash } = delivery;
  return {
    isFixed: true,
    text: INSERT_DELIVERY,
    values: [
      organisationId,
      receivedAt,
      eventId,
      subscription,
      deliveryId,
      secretId,
      signedAtSeconds,
      body,
      bodyHash,
    ],
  };
}

/** Bodies as they are to be stored, in the order of their deliveries. */
interface StorableBodies {
  readonly bodies: readonly Buffer[];
  /** For sealed ones: with which key, and what each is about, which SQL cannot read any more. */
  readonly sealed?: {
    readonly keyId: string | null;
    readonly types: readonly (string | null)[];
    readonly objectIds: readonly (string | null)[];
  };
}

function sealBodies({ organisationId, deliveries }: InboxBatch, keys: DataKeys): StorableBodies {
  const rows = deliveries.map(({ eventId, body }) =>
    sealBody(keys, placeOfEvent(organisationId, eventId), body),
  );
  return {
    bodies: rows.map(({ body }) => body),
    sealed: {
      keyId: keys.sealing?.id ?? null,
      types: rows.map(({ subject }) => subject?.type ?? null),
      objectIds: rows.map(({ subject }) => subject?.objectId ?? null),
    },
  };
}

function insertMany(
  { organisationId, receivedAt, deliveries }: InboxBatch,
  { bodies, sealed }: StorableBodies,
): FixedQuery {
  const texts = (pick: (delivery: InboxDelivery) => string | null): Buffer =>
    textArray(deliveries.map(pick));
  const lengths = bodies.map((body) => body.length);
  let next = 1;
  const offsets = lengths.map((length) => {
    next += length;
    return next - length;
  });
  return {
    isFixed: true,
    text: INSERT_DELIVERIES,
    values: [
      organisationId,
      receivedAt,
      texts((delivery) => delivery.eventId),
      texts((delivery) => delivery.subscription),
      texts((delivery) => delivery.deliveryId),
      texts((delivery) => delivery.secretId),
      float8Array(deliveries.map((delivery) => delivery.signedAtSeconds)),
      int4Array(offsets),
      int4Array(lengths),
      Buffer.concat(deliveries.map((delivery) => delivery.bodyHash)),
      sealed?.keyId ?? null,
      sealed === undefined ? null : textArray(sealed.types),
      sealed === undefined ? null : textArray(sealed.objectIds),
      // Last: the driver makes its message larger by half of what it holds for whatever comes after them.
      Buffer.concat(bodies),
    ],
  };
}
