/**
 * A database handle carries its data keys: anyone who is given a `Kysely` or a transaction of it can seal
 * and open, and nothing global holds a key. Without keys nothing is installed and nothing costs.
 */
import type { KyselyPlugin } from 'kysely';
import type { DataKeys } from '../kernel/data-keys.ts';
import { Carried } from './carried.ts';
import type { Db } from './database.ts';

/** The keys, or what tells them: they may be exchanged while the handle is in use. */
export type KeySource = DataKeys | (() => DataKeys);

class CarriedKeys extends Carried {
  readonly #source: KeySource;
  constructor(source: KeySource) {
    super();
    this.#source = source;
  }
  get keys(): DataKeys {
    return typeof this.#source === 'function' ? this.#source() : this.#source;
  }
}

/** The plugins of a handle that carries these keys. */
export function carryKeys(keys: KeySource | undefined): KyselyPlugin[] {
  return keys === undefined ? [] : [new CarriedKeys(keys)];
}

/** The keys that a handle, or its transaction, carries at this moment. Ask once for what belongs together. */
export function dataKeysOf(db: Pick<Db, 'getExecutor'>): DataKeys | undefined {
  const carried = db.getExecutor().plugins.find((plugin) => plugin instanceof CarriedKeys);
  return carried?.keys;
}
