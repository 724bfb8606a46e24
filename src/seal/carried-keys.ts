/**
 * A database handle carries its data keys: whoever is given a `Kysely` or a transaction of it can seal
 * and open, and nothing global holds a key. Without keys nothing is installed and nothing costs.
 */
import type {
  Kysely,
  KyselyPlugin,
  PluginTransformResultArgs,
  QueryResult,
  RootOperationNode,
  UnknownRow,
} from 'kysely';
import type { Database } from '../db/database.ts';
import type { DataKeys } from './data-keys.ts';

class CarriedKeys implements KyselyPlugin {
  readonly keys: DataKeys;
  constructor(keys: DataKeys) {
    this.keys = keys;
  }
  transformQuery({ node }: { readonly node: RootOperationNode }): RootOperationNode {
    return node;
  }
  transformResult({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    return Promise.resolve(result);
  }
}

/** The plugins of a handle that carries these keys. */
export function carryKeys(keys: DataKeys | undefined): KyselyPlugin[] {
  return keys === undefined ? [] : [new CarriedKeys(keys)];
}

/** The keys that a handle, or its transaction, carries. */
export function dataKeysOf(db: Pick<Kysely<Database>, 'getExecutor'>): DataKeys | undefined {
  const carried = db.getExecutor().plugins.find((plugin) => plugin instanceof CarriedKeys);
  return carried?.keys;
}
