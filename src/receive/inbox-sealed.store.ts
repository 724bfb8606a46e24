/**
 * The inbox's storing statement for sealed bodies: the same as in `inbox.store.ts`, except that the
 * hash of the body and what it is about are worked out before it is sealed.
 */
import type { QueryConfig } from 'pg';
import type { DataKeys } from '../seal/data-keys.ts';
import type { Delivery } from './delivery.ts';
import { hashOf } from './delivery.ts';
import { placeOfEvent, sealBody } from './sealed-body.ts';

const HASH_BYTES = 32;

const INSERT_SEALED = `
  with drawn as materialized (
    select nextval('inbox_seq') as base
  ), incoming as materialized (
    select t.*, drawn.base + t.place as seq
    from drawn, unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::float8[], $8::int4[], $9::int4[], $12::text[], $13::text[])
      with ordinality as t (event_id, subscription, delivery_id, secret_id, signed_at, from_byte, byte_count, event_type, object_id, place)
  ), fresh as (
    insert into inbox_id (event_id, organisation_id, body_hash, received_at, seq)
    select event_id, $1::text, substring($11::bytea from ((place - 1) * ${HASH_BYTES} + 1)::int for ${HASH_BYTES}), $2::timestamptz, seq
    from incoming
    on conflict do nothing
    returning event_id, seq
  ), stored as (
    insert into inbox_event (seq, received_at, organisation_id, event_id, subscription, delivery_id, secret_id, signed_at, body, key_id, event_type, object_id)
    select fresh.seq, $2::timestamptz, $1::text, fresh.event_id, subscription, delivery_id, secret_id,
           to_timestamp(signed_at), substring($10::bytea from from_byte for byte_count), $14::text, event_type, object_id
    from fresh join incoming using (seq)
  ), work as (
    insert into inbox_work (seq, received_at, organisation_id, event_id)
    select seq, $2::timestamptz, $1::text, event_id from fresh
  )
  select incoming.event_id,
         (select known.body_hash from inbox_id known where known.event_id = incoming.event_id) as body_hash
  from incoming left join fresh using (seq) where fresh.seq is null`;

/** What is stored together. */
export interface SealedBatch {
  readonly organisationId: string;
  readonly receivedAt: Date;
  readonly deliveries: readonly (Delivery & { readonly eventId: string })[];
}

/** The statement with its values. */
export function insertSealed(
  { organisationId, receivedAt, deliveries }: SealedBatch,
  keys: DataKeys,
): QueryConfig {
  const sealed = deliveries.map(({ eventId, body }) =>
    sealBody(keys, placeOfEvent(organisationId, eventId), body),
  );
  const lengths = sealed.map(({ body }) => body.length);
  let next = 1;
  const offsets = lengths.map((length) => {
    next += length;
    return next - length;
  });
  return {
    name: 'forestall_insert_sealed',
    text: INSERT_SEALED,
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
      Buffer.concat(sealed.map(({ body }) => body)),
      Buffer.concat(deliveries.map(({ body }) => hashOf(body))),
      sealed.map(({ subject }) => subject?.type ?? null),
      sealed.map(({ subject }) => subject?.objectId ?? null),
      keys.sealing?.id ?? null,
    ],
  };
}
