/** Files beside an alert: kept in the database, sealed where this process has a key to seal with. */
import { dataKeysOf } from '../../base/db/carried-keys.ts';
import type { Db, Trx } from '../../base/db/database.ts';
import { placeOfFile } from '../../base/seal/file-place.ts';
import type { SealPlace } from '../../base/seal/seal.ts';
import { openBytes, sealBytes } from '../../base/seal/seal.ts';
import type { ReviewAttachment } from './attachment.table.ts';
import { reviewAttachment } from './attachment.table.ts';

/** Files of one alert, at most. */
export const ATTACHMENTS_MAX = 20;

/** Bytes of a file, at most; the table holds it too. */
export const ATTACHMENT_BYTES_MAX = 2 * 1024 * 1024;

/** A file without its bytes. */
export type Attachment = Pick<
  ReviewAttachment,
  'id' | 'operator' | 'file_name' | 'byte_count' | 'at'
>;

/** The place of a file's bytes. */
function placeOf(organisationId: string, id: string): SealPlace {
  return placeOfFile(reviewAttachment.name, { organisationId, id });
}

/** Keeps a file. */
export async function insertAttachment(
  trx: Trx,
  file: Omit<ReviewAttachment, 'key_id' | 'byte_count'>,
): Promise<void> {
  const key = dataKeysOf(trx)?.sealing;
  const { organisation_id: organisationId, id, body } = file;
  const sealed = key === undefined ? body : sealBytes(key, placeOf(organisationId, id), body);
  await trx
    .insertInto('review_attachment')
    .values({ ...file, body: sealed, key_id: key?.id ?? null, byte_count: body.length })
    .execute();
}

/** The files of an alert, oldest first. */
export async function listAttachments(
  db: Db,
  organisationId: string,
  alertId: string,
): Promise<Attachment[]> {
  return await db
    .selectFrom('review_attachment')
    .select(['id', 'operator', 'file_name', 'byte_count', 'at'])
    .where('organisation_id', '=', organisationId)
    .where('alert_id', '=', alertId)
    .orderBy('at')
    .orderBy('id')
    .limit(ATTACHMENTS_MAX)
    .execute();
}

/**
 * A file with its bytes, or undefined.
 *
 * @throws as `openBytes` where it is sealed
 */
export async function readAttachment(
  db: Db,
  {
    organisationId,
    alertId,
    id,
  }: { readonly organisationId: string; readonly alertId: string; readonly id: string },
): Promise<{ readonly fileName: string; readonly body: Buffer } | undefined> {
  const row = await db
    .selectFrom('review_attachment')
    .select(['file_name', 'body', 'key_id'])
    .where('organisation_id', '=', organisationId)
    .where('alert_id', '=', alertId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { file_name: fileName, body, key_id: keyId } = row;
  if (keyId === null) return { fileName, body };
  const place = placeOf(organisationId, id);
  return { fileName, body: openBytes(dataKeysOf(db), place, { keyId, bytes: body }) };
}
