/**
 * Before a process works: whether it holds every key that rows may need; and while it works: that it
 * seals with its own, so that nobody takes that key for no longer needed.
 */
import type { Kysely } from 'kysely';
import type { Database } from '../db/database.ts';
import type { Installation } from '../db/installation.ts';
import { ConfigError, InvariantError, messageOf } from '../kernel/errors.ts';
import { dataKeysOf } from './carried-keys.ts';
import { knownDataKeys, knowsDataKeys, noteSealing } from './data-key.store.ts';
import type { DataKeys } from './data-keys.ts';
import type { SealPlace } from './seal.ts';
import { openBytes, sealBytes } from './seal.ts';

/** How often a process says that it seals, in milliseconds. */
const NOTE_EVERY_MS = 60_000;

/** How long a key counts as in use after a process last said so, in seconds: several times said. */
export const IN_USE_SECONDS = 300;

const CHECK_TEXT = 'forestall';

function placeOfCheck(organisationId: string, keyId: string): SealPlace {
  return { organisationId, table: 'data_key', column: 'check_value', row: [keyId] };
}

/** What is wrong with the keys for this database: one line each, with the next step. */
export async function dataKeyFaults(
  db: Kysely<Database>,
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

/**
 * Notes that this process seals with a key, so that it counts as needed from before its first row on.
 * Nothing to do without a key to seal with.
 */
export async function noteDataKey(
  db: Kysely<Database>,
  organisationId: string,
  keys: DataKeys | undefined,
): Promise<void> {
  const key = keys?.sealing;
  if (key === undefined) return;
  const place = placeOfCheck(organisationId, key.id);
  const checkValue = sealBytes(key, place, Buffer.from(CHECK_TEXT));
  await noteSealing(db, { organisationId, keyId: key.id, checkValue });
}

/** Keeps watch over the keys of a process. */
export interface KeyKeeper {
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
export type KeeperScope = Pick<Installation, 'db' | 'log' | 'organisationId'>;

/** Creates the keeper. */
export function createKeyKeeper({ db, organisationId, log }: KeeperScope): KeyKeeper {
  let timer: NodeJS.Timeout | undefined;
  const admitKeys = async (keys: DataKeys | undefined): Promise<void> => {
    const faults = await dataKeyFaults(db, organisationId, keys);
    if (faults.length > 0) throw new ConfigError(faults.join('\n'));
    await noteDataKey(db, organisationId, keys);
  };
  return {
    admitNext: admitKeys,
    async admit(): Promise<void> {
      if (!(await knowsDataKeys(db))) return;
      await admitKeys(dataKeysOf(db));
      timer ??= setInterval(() => {
        noteDataKey(db, organisationId, dataKeysOf(db)).catch((error: unknown) => {
          log.warn({ reason: messageOf(error) }, 'the data key in use could not be noted');
        });
      }, NOTE_EVERY_MS).unref();
    },
    stop: () => clearInterval(timer),
  };
}
