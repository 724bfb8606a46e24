/**
 * Seals single values with AES-256-GCM and opens them again. Pure, except for the nonces.
 *
 * Each value has a nonce of its own, 96 random bits, and is bound to its place: organisation, table,
 * column and row are in the authenticated data, so that a value moved to another place does not open.
 * Random nonces are safe for 2³² values under one key; rotate long before.
 *
 * In a `bytea` column: nonce, ciphertext, tag; the row's `key_id` names the key. In a `jsonb` column:
 * the JSON string `sealed:<key_id>:<base64 of the same>`, where an unsealed value is an object.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { DataKey, DataKeys } from '../kernel/data-keys.ts';
import { ConfigError, InvariantError } from '../kernel/errors.ts';

/** Where a value is. */
export interface SealPlace {
  readonly organisationId: string;
  readonly table: string;
  readonly column: string;
  /** What names the row within its organisation and table. */
  readonly row: readonly string[];
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** How much longer a sealed `bytea` is. */
export const SEAL_BYTES = NONCE_BYTES + TAG_BYTES;

const JSON_PREFIX = 'sealed:';

/** The authenticated data of a place. As JSON, so that no two places read the same. */
function contextOf({ organisationId, table, column, row }: SealPlace): Buffer {
  return Buffer.from(JSON.stringify(['forestall', organisationId, table, column, ...row]));
}

/** Seals bytes. */
export function sealBytes(key: DataKey, place: SealPlace, plain: Uint8Array): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key.bytes, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(contextOf(place));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/**
 * Opens bytes.
 *
 * @throws {ConfigError} when this process does not hold the key
 * @throws {InvariantError} when a byte was changed, or the value belongs to another place
 */
export function openBytes(
  keys: DataKeys | undefined,
  place: SealPlace,
  { keyId, bytes }: { keyId: string; bytes: Buffer },
): Buffer {
  const key = keyOf(keys, keyId);
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const tag = bytes.subarray(bytes.length - TAG_BYTES);
  try {
    if (bytes.length < SEAL_BYTES) throw new RangeError('shorter than a nonce and a tag');
    const decipher = createDecipheriv('aes-256-gcm', key.bytes, nonce, {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(contextOf(place)).setAuthTag(tag);
    const plain = decipher.update(bytes.subarray(NONCE_BYTES, bytes.length - TAG_BYTES));
    return Buffer.concat([plain, decipher.final()]);
  } catch (error) {
    throw new InvariantError(
      `A value of ${place.table}.${place.column} does not open under data key ${keyId}: it was changed, or belongs to another row. Restore the row ${place.row.join('/').slice(0, 80)} from a backup.`,
      { cause: error },
    );
  }
}

function keyOf(keys: DataKeys | undefined, keyId: string): DataKey {
  const key = keys?.byId.get(keyId);
  if (key !== undefined) return key;
  throw new ConfigError(
    `A value is sealed under data key ${keyId}, which FORESTALL_DATA_KEYS does not name here. Add the key and start again.`,
  );
}

/** What is written into a `jsonb` column: the value as JSON, sealed where there is a key. */
export function sealJson(key: DataKey | undefined, place: SealPlace, json: string): string {
  if (key === undefined) return json;
  const sealed = sealBytes(key, place, Buffer.from(json));
  return JSON.stringify(`${JSON_PREFIX}${key.id}:${sealed.toString('base64')}`);
}

/** The key under which a value of a `jsonb` column is sealed; undefined when it is not. */
export function keyIdOfJson(value: unknown): string | undefined {
  if (typeof value !== 'string' || !value.startsWith(JSON_PREFIX)) return undefined;
  return value.slice(JSON_PREFIX.length, value.indexOf(':', JSON_PREFIX.length));
}

/**
 * The value of a `jsonb` column, opened where it is sealed.
 *
 * @throws as {@link openBytes}
 */
export function openJson<Value>(
  keys: DataKeys | undefined,
  place: SealPlace,
  value: Value | string,
): Value {
  if (typeof value !== 'string') return value;
  const keyId = keyIdOfJson(value);
  if (keyId === undefined) {
    throw new InvariantError(
      `${place.table}.${place.column} holds a text that is no sealed value.`,
    );
  }
  const bytes = Buffer.from(value.slice(JSON_PREFIX.length + keyId.length + 1), 'base64');
  const opened: Value = JSON.parse(openBytes(keys, place, { keyId, bytes }).toString('utf8'));
  return opened;
}
