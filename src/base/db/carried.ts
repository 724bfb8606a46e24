/**
 * A value that a database handle carries: anyone who is given a `Kysely`, or a transaction of it, finds the
 * value there, and nothing global holds it. It changes no query and no result.
 */
import type {
  KyselyPlugin,
  PluginTransformResultArgs,
  QueryResult,
  RootOperationNode,
  UnknownRow,
} from 'kysely';

/** Subclassed by what is carried, so that each kind is found by its class. */
export abstract class Carried implements KyselyPlugin {
  transformQuery({ node }: { readonly node: RootOperationNode }): RootOperationNode {
    return node;
  }
  transformResult({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    return Promise.resolve(result);
  }
}
