/**
 * Says each minute that this process seals with its key, so that no key is removed that is still used: one
 * statement for all organisations of the process.
 */

import { dataKeysOf } from '../db/carried-keys.ts';
import type { Db, Installation } from '../db/database.ts';
import type { DataKey, DataKeys } from '../kernel/data-keys.ts';
import { messageOf } from '../kernel/errors.ts';
import type { SealingKey } from './data-key.store.ts';
import { knowsDataKeys, noteSealing } from './data-key.store.ts';
import type { SealPlace } from './seal.ts';
import { sealBytes } from './seal.ts';

/** How often a process says that it seals, in milliseconds. */
const NOTE_EVERY_MS = 60_000;

const CHECK_TEXT = 'forestall';

/** Notes for as many organisations as were added. */
export interface SealNoter {
  add(organisationId: string): void;
  remove(organisationId: string): void;
  /** Whether the schema can tell of data keys. Asked until it can. */
  knowsDataKeys(): Promise<boolean>;
  /** Notes now. */
  note(): Promise<void>;
}

/** Where the known text of a key is. */
export function placeOfCheck(organisationId: string, keyId: string): SealPlace {
  return { organisationId, table: 'data_key', column: 'check_value', row: [keyId] };
}

/**
 * Notes that this process seals with a key, so that it counts as needed from before its first row on.
 * Nothing to do without a key to seal with.
 */
export async function noteDataKey(
  db: Db,
  organisationId: string,
  keys: DataKeys | undefined,
): Promise<void> {
  const key = keys?.sealing;
  if (key === undefined) return;
  await noteSealing(db, [sealingKeyOf(organisationId, key)]);
}

function sealingKeyOf(organisationId: string, key: DataKey): SealingKey {
  const place = placeOfCheck(organisationId, key.id);
  const checkValue = sealBytes(key, place, Buffer.from(CHECK_TEXT));
  return { organisationId, keyId: key.id, checkValue };
}

/** Creates the noter; the handle acts for all that are added, and carries their keys. */
export function createSealNoter({ db, log }: Pick<Installation, 'db' | 'log'>): SealNoter {
  const organisations = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let isKnown = false;
  const note = async (): Promise<void> => {
    const key = dataKeysOf(db)?.sealing;
    if (key === undefined || organisations.size === 0) return;
    await noteSealing(
      db,
      [...organisations].map((organisationId) => sealingKeyOf(organisationId, key)),
    );
  };
  return {
    note,
    async knowsDataKeys(): Promise<boolean> {
      isKnown ||= await knowsDataKeys(db);
      return isKnown;
    },
    add(organisationId): void {
      organisations.add(organisationId);
      timer ??= setInterval(() => {
        note().catch((error: unknown) => {
          log.warn({ reason: messageOf(error) }, 'the data key in use could not be noted');
        });
      }, NOTE_EVERY_MS).unref();
    },
    remove(organisationId): void {
      organisations.delete(organisationId);
      if (organisations.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    },
  };
}
