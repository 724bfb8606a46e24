/**
 * All SQL of the quarantine: signed deliveries that have no effect until a person looks.
 *
 * Every row comes with a warning to a person, once per reason and day, in the same transaction.
 */

import { dataKeysOf } from '../../base/db/carried-keys.ts';
import type { Db, Trx } from '../../base/db/database.ts';
import { maskBody } from '../../base/kernel/card-number.ts';
import { notify } from '../../base/notify/notification.store.ts';
import { hashOf } from './delivery.ts';
import { openBody, placeOfQuarantined, sealBody } from './sealed-body.ts';

/** A delivery to be quarantined. */
export interface NewQuarantine {
  readonly organisationId: string;
  readonly eventId: string;
  /** Where its body lies in the inbox; left out when `body` is given. */
  readonly seq?: number;
  /** Its bytes, where the inbox does not hold them. */
  readonly body?: Buffer;
  readonly reason: string;
  /** More about the reason; no content of the event. */
  readonly detail?: string;
  readonly at: Date;
}

/** Quarantines a delivery and warns a person. */
export async function insertQuarantine(trx: Trx, row: NewQuarantine): Promise<void> {
  await storeQuarantined(trx, row);
  await notify(trx, {
    organisationId: row.organisationId,
    dedupeKey: `quarantine:${row.reason}:${row.at.toISOString().slice(0, 10)}`,
    kind: 'event_quarantined',
    severity: 'warning',
    text: `Event ${row.eventId.slice(0, 80)} was signed but could not be used (${row.reason}). It is kept and had no effect; look at the quarantined events. Later ones of today with the same reason are not announced again.`,
    at: row.at,
  });
}

async function storeQuarantined(trx: Trx, row: NewQuarantine): Promise<void> {
  const keys = dataKeysOf(trx);
  const isSealed = row.body !== undefined && keys?.sealing !== undefined;
  const masked = row.body === undefined ? undefined : maskBody(row.body);
  const { id } = await trx
    .insertInto('quarantine')
    .values({
      organisation_id: row.organisationId,
      event_id: row.eventId,
      seq: row.seq ?? null,
      body: isSealed ? null : (masked ?? null),
      body_hash: row.body === undefined ? null : hashOf(row.body),
      reason: row.reason,
      detail: row.detail ?? '',
      quarantined_at: row.at,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  if (!isSealed || masked === undefined) return;
  // A sealed body is bound to its row, whose number is only known now.
  const { body, keyId } = sealBody(keys, placeOfQuarantined(row.organisationId, id), masked);
  await trx
    .updateTable('quarantine')
    .set({ body, key_id: keyId })
    .where('organisation_id', '=', row.organisationId)
    .where('id', '=', id)
    .execute();
}

/** Whether these very bytes already lie in quarantine for this event and reason. */
export async function isQuarantined(
  db: Db,
  row: {
    readonly organisationId: string;
    readonly eventId: string;
    readonly reason: string;
    readonly body: Buffer;
  },
): Promise<boolean> {
  const found = await db
    .selectFrom('quarantine')
    .select('id')
    .where('organisation_id', '=', row.organisationId)
    .where('event_id', '=', row.eventId)
    .where('reason', '=', row.reason)
    // Rows from before there was a hash hold the bytes as they came.
    .where((eb) => eb.or([eb('body_hash', '=', hashOf(row.body)), eb('body', '=', row.body)]))
    .executeTakeFirst();
  return found !== undefined;
}

/** A body that only the quarantine holds. */
export interface UnstoredBody {
  readonly id: number;
  readonly body: Buffer;
  /** Of the body as it came. */
  readonly bodyHash: Buffer;
  readonly receivedAt: Date;
}

/** The body of an event that the inbox itself could not take, while it lies in quarantine; or undefined. */
export async function findUnstoredBody(
  trx: Trx,
  organisationId: string,
  eventId: string,
): Promise<UnstoredBody | undefined> {
  const row = await trx
    .selectFrom('quarantine')
    .select(['id', 'body', 'key_id', 'body_hash', 'quarantined_at'])
    .where('organisation_id', '=', organisationId)
    .where('event_id', '=', eventId)
    .where('reason', '=', 'store_failed')
    .where('resolved_at', 'is', null)
    .orderBy('id')
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined || row.body === null) return undefined;
  const stored = { body: row.body, keyId: row.key_id };
  const body = openBody(dataKeysOf(trx), placeOfQuarantined(organisationId, row.id), stored);
  const bodyHash = row.body_hash ?? hashOf(body);
  return { id: row.id, body, bodyHash, receivedAt: row.quarantined_at };
}

/** Marks what is open about the stored event as dealt with. */
export async function resolveQuarantineOf(
  trx: Trx,
  organisationId: string,
  resolved: { readonly seq: number; readonly by: string; readonly at: Date },
): Promise<void> {
  await trx
    .updateTable('quarantine')
    .set({ resolved_at: resolved.at, resolved_by: resolved.by })
    .where('organisation_id', '=', organisationId)
    .where('seq', '=', resolved.seq)
    .where('resolved_at', 'is', null)
    .execute();
}

/**
 * Marks one row as dealt with: a person looked, and nothing more is to be done.
 *
 * @returns false when there is no such row open
 */
export async function resolveQuarantine(
  db: Db,
  row: { readonly organisationId: string; readonly id: number },
  resolved: { readonly by: string; readonly at: Date },
): Promise<boolean> {
  const result = await db
    .updateTable('quarantine')
    .set({ resolved_at: resolved.at, resolved_by: resolved.by })
    .where('organisation_id', '=', row.organisationId)
    .where('id', '=', row.id)
    .where('resolved_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}
