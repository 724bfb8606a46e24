/** One stored event with its bytes, and what it changed. */
import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import { dataKeysOf } from '../../base/db/carried-keys.ts';
import type { Db } from '../../base/db/database.ts';
import type { EntityChangeTable } from '../apply/entity.table.ts';
import type { QuarantineTable } from './inbox.table.ts';
import { openBody, placeOfEvent, placeOfQuarantined } from './sealed-body.ts';

export interface StoredEvent {
  readonly eventId: string;
  readonly receivedAt: Date;
  readonly signedAt: Date | null;
  readonly deliveryId: string | null;
  readonly subscription: string | null;
  readonly body: Buffer | null;
}

export interface EventDetail {
  readonly event: StoredEvent | undefined;
  readonly quarantine: readonly Selectable<QuarantineTable>[];
  readonly changes: readonly Selectable<EntityChangeTable>[];
}

/** Rows of each kind that are read. */
const ROWS_MAX = 50;

/** Reads it; undefined when nothing is stored under this id. */
export async function readEventDetail(
  db: Db,
  organisationId: string,
  eventId: string,
): Promise<EventDetail | undefined> {
  const { rows } = await sql<StoredEvent & { readonly keyId: string | null }>`
    select i.event_id as "eventId", i.received_at as "receivedAt", e.signed_at as "signedAt",
      e.delivery_id as "deliveryId", e.subscription, e.body, e.key_id as "keyId"
    from inbox_id i
    left join inbox_event e on e.received_at = i.received_at and e.seq = i.seq and e.organisation_id = i.organisation_id
    where i.organisation_id = ${organisationId} and i.event_id = ${eventId}`.execute(db);
  const quarantine = await db
    .selectFrom('quarantine')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where('event_id', '=', eventId)
    .orderBy('id')
    .limit(ROWS_MAX)
    .execute();
  if (rows.length === 0 && quarantine.length === 0) return undefined;
  const changes = await db
    .selectFrom('entity_change')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where('event_id', '=', eventId)
    .orderBy('id')
    .limit(ROWS_MAX)
    .execute();
  return {
    event: rows.map((row) => openEvent(db, organisationId, row))[0],
    quarantine: quarantine.map((row) => openQuarantined(db, row)),
    changes,
  };
}

function openEvent(
  db: Db,
  organisationId: string,
  { keyId, ...event }: StoredEvent & { readonly keyId: string | null },
): StoredEvent {
  if (event.body === null) return event;
  const place = placeOfEvent(organisationId, event.eventId);
  return { ...event, body: openBody(dataKeysOf(db), place, { body: event.body, keyId }) };
}

function openQuarantined(db: Db, row: Selectable<QuarantineTable>): Selectable<QuarantineTable> {
  if (row.body === null) return row;
  const place = placeOfQuarantined(row.organisation_id, row.id);
  const stored = { body: row.body, keyId: row.key_id };
  return { ...row, key_id: null, body: openBody(dataKeysOf(db), place, stored) };
}
