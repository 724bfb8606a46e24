/**
 * The keys under which columns are sealed, as the setting `FORESTALL_DATA_KEYS` names them.
 *
 * One or more `key_id:base64 of 32 bytes`, a comma or a line between. The first seals, all of them
 * open. With the word `open` in the first place nothing is sealed any more, and what was is still read.
 */
import { ConfigError } from './errors.ts';

/** One key. */
export interface DataKey {
  /** Is in clear next to every value sealed under it. */
  readonly id: string;
  /** 32 bytes: AES-256. */
  readonly bytes: Buffer;
}

/** All keys of a process. */
export interface DataKeys {
  /** Seals what is written; undefined: nothing is sealed any more. */
  readonly sealing: DataKey | undefined;
  /** Every key by its id, the sealing one first. */
  readonly byId: ReadonlyMap<string, DataKey>;
}

/** Length of a key in bytes. */
const KEY_BYTES = 32;

/** Keys at once: one that seals, and those whose rows are still being sealed again. */
const KEYS_MAX = 8;

/** First in the list: open what is sealed, seal nothing. */
const OPEN_ONLY = 'open';

const KEY_ID = /^[a-z0-9][a-z0-9_-]{0,31}$/;
const BASE64_OF_32 = /^[A-Za-z0-9+/]{43}=$/;

/**
 * Reads the setting.
 *
 * @throws {ConfigError} saying which entry is wrong, by its place, never by its value
 */
export function parseDataKeys(text: string): DataKeys {
  const entries = text.split(/,|\r?\n/);
  const isOpenOnly = entries[0] === OPEN_ONLY;
  const keys = (isOpenOnly ? entries.slice(1) : entries).map(readKey);
  if (keys.length === 0) throw new ConfigError('names no key after "open"');
  if (keys.length > KEYS_MAX) throw new ConfigError(`names more than ${KEYS_MAX} keys`);
  refuseRepeats(keys);
  return {
    sealing: isOpenOnly ? undefined : keys[0],
    byId: new Map(keys.map((key) => [key.id, key])),
  };
}

function readKey(entry: string, index: number): DataKey {
  const place = `entry ${index + 1}`;
  const [id = '', encoded, ...rest] = entry.split(':');
  if (encoded === undefined || rest.length > 0) {
    throw new ConfigError(`${place} is not key_id:base64 of ${KEY_BYTES} bytes`);
  }
  if (!KEY_ID.test(id) || id === OPEN_ONLY) {
    throw new ConfigError(
      `${place} has a key_id that is none: at most 32 of a-z, 0-9, "-" and "_", and not "open"`,
    );
  }
  const bytes = Buffer.from(encoded, 'base64');
  // Written back, so that neither a stray bit nor a character that Node skips goes unseen.
  if (!BASE64_OF_32.test(encoded) || bytes.toString('base64') !== encoded) {
    throw new ConfigError(
      `${place} is not the base64 of ${KEY_BYTES} bytes; make one with: openssl rand -base64 32`,
    );
  }
  if (new Set(bytes).size === 1) throw new ConfigError(`${place} is one byte repeated, and no key`);
  return { id, bytes };
}

function refuseRepeats(keys: readonly DataKey[]): void {
  for (const [index, key] of keys.entries()) {
    for (const other of keys.slice(0, index)) {
      if (other.id === key.id) throw new ConfigError('names one key_id twice');
      if (other.bytes.equals(key.bytes)) throw new ConfigError('holds the same key under two ids');
    }
  }
}

/** The texts under which a key would be the same secret as another setting. */
export function textsOfKeys(keys: DataKeys | undefined): readonly string[] {
  const all = keys === undefined ? [] : [...keys.byId.values()];
  return all.flatMap(({ bytes }) => [
    bytes.toString('base64'),
    bytes.toString('hex'),
    bytes.toString('utf8'),
  ]);
}
