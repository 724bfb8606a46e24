/**
 * Before a process works: whether it holds every key that rows may need; and while it works: that it
 * seals with its own, so that no key is removed that is still used.
 */

import { dataKeysOf } from '../db/carried-keys.ts';
import type { Db, Installation } from '../db/database.ts';
import type { DataKeys } from '../kernel/data-keys.ts';
import { ConfigError, InvariantError } from '../kernel/errors.ts';
import { knownDataKeys } from './data-key.store.ts';
import { openBytes } from './seal.ts';
import type { SealNoter } from './seal-noter.ts';
import { createSealNoter, noteDataKey, placeOfCheck } from './seal-noter.ts';

/** How long a key counts as in use after a process last said so, in seconds: several times said. */
export const IN_USE_SECONDS = 300;

/** What is wrong with the keys for this database: one line each, with the next step. */
export async function dataKeyFaults(
  db: Db,
  organisationId: string,
  keys: DataKeys | undefined,
): Promise<string[]> {
  const known = await knownDataKeys(db, organisationId);
  return known.flatMap(({ keyId, checkValue }) => {
    if (keys?.byId.has(keyId) !== true) {
      return `The database holds values sealed under data key ${keyId}, which FORESTALL_DATA_KEYS does not name. Add it; "forestall reseal" shows when it is needed no more.`;
    }
    try {
      openBytes(keys, placeOfCheck(organisationId, keyId), { keyId, bytes: checkValue });
      return [];
    } catch (error) {
      if (!(error instanceof InvariantError)) throw error;
      return `FORESTALL_DATA_KEYS names another key as ${keyId} than the one under which the database holds values. Put the right one in.`;
    }
  });
}

/** The keys of a process, checked against the database before they are used. */
export interface KeyAdmission {
  /**
   * Refuses to work without a key that rows may need, and notes the one that this process seals with,
   * now and every minute. On a schema from before sealing it does nothing: call it again once migrated.
   *
   * @throws {ConfigError} naming the keys that are missing or wrong, never their values
   */
  admit(): Promise<void>;
  /**
   * The same for keys that are about to take the place of those that this process holds.
   *
   * @throws {ConfigError} naming the keys that are missing or wrong, never their values
   */
  admitNext(keys: DataKeys): Promise<void>;
  /** Ends the noting. */
  stop(): void;
}

/** Whose keys, in which database. */
export interface AdmissionScope extends Pick<Installation, 'db' | 'log' | 'organisationId'> {
  /** Notes for all organisations of the process. @default one for this organisation alone */
  readonly noter?: SealNoter | undefined;
}

export function createKeyAdmission({
  db,
  organisationId,
  log,
  noter,
}: AdmissionScope): KeyAdmission {
  const noting = noter ?? createSealNoter({ db, log });
  const admitKeys = async (keys: DataKeys | undefined): Promise<void> => {
    const faults = await dataKeyFaults(db, organisationId, keys);
    if (faults.length > 0) throw new ConfigError(faults.join('\n'));
    await noteDataKey(db, organisationId, keys);
  };
  return {
    admitNext: admitKeys,
    async admit(): Promise<void> {
      if (!(await noting.knowsDataKeys())) return;
      await admitKeys(dataKeysOf(db));
      noting.add(organisationId);
    },
    stop: () => noting.remove(organisationId),
  };
}
