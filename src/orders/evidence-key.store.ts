/**
 * The secret under which an organisation's evidence is hashed. It never changes: hashes of today
 * are compared with those of next year. Where data keys are set it is stored sealed under one.
 */
import type { KeyObject } from 'node:crypto';
import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { dataKeysOf } from '../base/db/carried-keys.ts';
import type { Db, Trx } from '../base/db/database.ts';
import { inTransaction } from '../base/db/transaction.ts';
import type { DataKeys } from '../base/kernel/data-keys.ts';
import type { SealPlace } from '../base/seal/seal.ts';
import { openStoredSecret, resealedSecret, sealSecret } from '../base/seal/stored-secret.ts';
import type { HashedElement } from './payment-elements.ts';

const SECRET_BYTES = 32;

/** What hashing takes. */
export interface EvidenceKey {
  /** Means the organisation in the index. */
  readonly number: number;
  /** Made once for many values: from bytes a key is made again for each, at six times the cost of the hash. */
  readonly secret: KeyObject;
}

function placeOf(organisationId: string): SealPlace {
  return { organisationId, table: 'evidence_key', column: 'secret', row: [] };
}

/** The organisation's secret; undefined before its first order. */
export async function findEvidenceKey(
  db: Db,
  organisationId: string,
): Promise<EvidenceKey | undefined> {
  const row = await db
    .selectFrom('evidence_key')
    .select(['number', 'secret', 'key_id'])
    .where('organisation_id', '=', organisationId)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { number, secret: bytes, key_id: keyId } = row;
  const opened = openStoredSecret(dataKeysOf(db), placeOf(organisationId), { bytes, keyId });
  return { number, secret: createSecretKey(opened) };
}

/** The same, made where there is none. */
export async function evidenceKeyOf(
  trx: Trx,
  organisationId: string,
  now: Date,
): Promise<EvidenceKey> {
  const known = await findEvidenceKey(trx, organisationId);
  if (known !== undefined) return known;
  const place = placeOf(organisationId);
  const { bytes, keyId } = sealSecret(dataKeysOf(trx), place, randomBytes(SECRET_BYTES));
  await trx
    .insertInto('evidence_key')
    .values({ organisation_id: organisationId, made_at: now, secret: bytes, key_id: keyId })
    .onConflict((conflict) => conflict.column('organisation_id').doNothing())
    .execute();
  const made = await findEvidenceKey(trx, organisationId);
  if (made === undefined) throw new TypeError('An evidence key was stored and is not there.');
  return made;
}

/** Seals the secret under the key that seals now, or opens it where none does. */
export async function resealEvidenceKey(
  db: Db,
  organisationId: string,
  keys: DataKeys,
): Promise<void> {
  await inTransaction(db, async (trx) => {
    const row = await trx
      .selectFrom('evidence_key')
      .select(['secret', 'key_id'])
      .where('organisation_id', '=', organisationId)
      .forUpdate()
      .executeTakeFirst();
    const kept =
      row &&
      resealedSecret(keys, placeOf(organisationId), { bytes: row.secret, keyId: row.key_id });
    if (kept === undefined) return;
    await trx
      .updateTable('evidence_key')
      .set({ secret: kept.bytes, key_id: kept.keyId })
      .where('organisation_id', '=', organisationId)
      .execute();
  });
}

/**
 * A value as it is stored: the first eight bytes of its HMAC-SHA-256, as PostgreSQL writes a `bigint`. Two
 * values of ten million agree by chance with a probability of one in 370,000.
 */
export function hashElement(
  { secret }: EvidenceKey,
  element: HashedElement,
  value: string,
): string {
  const digest = createHmac('sha256', secret)
    .update(JSON.stringify([element, value]))
    .digest();
  return digest.readBigInt64BE(0).toString();
}
