/** A secret of an organisation as its row holds it: sealed under a data key where some are set, else as it is. */
import type { DataKeys } from '../kernel/data-keys.ts';
import type { SealPlace } from './seal.ts';
import { openBytes, sealBytes } from './seal.ts';

export interface StoredSecret {
  readonly bytes: Buffer;
  /** The data key that it is sealed under; null: none. */
  readonly keyId: string | null;
}

export function sealSecret(
  keys: DataKeys | undefined,
  place: SealPlace,
  secret: Buffer,
): StoredSecret {
  const sealing = keys?.sealing;
  if (sealing === undefined) return { bytes: secret, keyId: null };
  return { bytes: sealBytes(sealing, place, secret), keyId: sealing.id };
}

/** @throws as `openBytes` */
export function openStoredSecret(
  keys: DataKeys | undefined,
  place: SealPlace,
  { bytes, keyId }: StoredSecret,
): Buffer {
  return keyId === null ? bytes : openBytes(keys, place, { keyId, bytes });
}

/** The same under the key that seals now, or opened where none does; undefined: it is so already. */
export function resealedSecret(
  keys: DataKeys,
  place: SealPlace,
  kept: StoredSecret,
): StoredSecret | undefined {
  if (kept.keyId === (keys.sealing?.id ?? null)) return undefined;
  return sealSecret(keys, place, openStoredSecret(keys, place, kept));
}
