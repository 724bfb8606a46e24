/**
 * Records orders inside the merchant's own database transaction, so that an order is in the feed
 * exactly when it is in the shop: commit stores both, rollback neither.
 *
 * The merchant's connection must reach Forestall's tables (same database, tables on the search path).
 * Works with Kysely and with `pg`; nothing is begun, committed or released here.
 */
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult, Transaction } from 'kysely';
import { Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import type { Database } from '../base/db/database.ts';
import { carryKeys } from '../base/seal/carried-keys.ts';
import type { ChangeResult } from './change-order.ts';
import { ForeignHandle } from './foreign-handle.ts';
import { recordOrders } from './intake.ts';
import type { IntakeContext } from './intake-context.ts';
import type { IntakeResult } from './intake-result.ts';
import { recordChange } from './order-changes.ts';

/** What is used of a Kysely transaction, whatever its tables. */
export interface KyselyTransactionLike {
  readonly isTransaction: boolean;
  /** A plugin that renames columns would rename ours as well. */
  withoutPlugins(): {
    executeQuery<Row>(query: CompiledQuery<Row>): Promise<QueryResult<Row>>;
  };
}

/** What is used of a connected `pg` client that is inside a transaction. */
export interface PgClientLike {
  query(text: string, values: unknown[]): Promise<PgResultLike>;
}

/** A Kysely transaction, or a `pg` client on which one was begun. */
export type ForeignTransaction = KyselyTransactionLike | PgClientLike;

export interface PgResultLike {
  readonly command: string;
  readonly rowCount: number | null;
  /** A list; `pg` types its elements as any. */
  readonly rows: unknown;
}

/** Orders inside a transaction that somebody else began, and commits or rolls back. */
export interface OrdersWithin {
  /** Takes orders in. Results stand in the order of `orders`. */
  accept(orders: readonly unknown[]): Promise<readonly IntakeResult[]>;
  /** Changes an order that was taken in before, in this transaction or an earlier one. */
  change(referenceId: string, change: unknown): Promise<ChangeResult>;
}

/** @throws {TypeError} for a Kysely handle that is no transaction */
export function ordersWithin(
  transaction: ForeignTransaction,
  context: IntakeContext,
): OrdersWithin {
  const run = 'isTransaction' in transaction ? runOnKysely(transaction) : runOnPg(transaction);
  const { dataKeys, integrationId } = context;
  return {
    accept: (orders) => withForeign(run, dataKeys, (trx) => recordOrders(trx, context, orders)),
    change: (referenceId, change) =>
      withForeign(run, dataKeys, (trx) =>
        recordChange(trx, context, { referenceId, integrationId, change }),
      ),
  };
}

type RunQuery = DatabaseConnection['executeQuery'];

function runOnKysely(trx: KyselyTransactionLike): RunQuery {
  if (!trx.isTransaction) {
    throw new TypeError('Orders must be recorded inside a transaction. Pass the transaction.');
  }
  const plain = trx.withoutPlugins();
  return <Row>(query: CompiledQuery): Promise<QueryResult<Row>> => plain.executeQuery<Row>(query);
}

function runOnPg(client: PgClientLike): RunQuery {
  return async (query) => {
    const { command, rowCount, rows } = await client.query(query.sql, [...query.parameters]);
    if (!Array.isArray(rows)) throw new TypeError('The client gave no rows. Pass a client of pg.');
    const counts = command === 'INSERT' || command === 'UPDATE' || command === 'DELETE';
    return { rows, ...(counts ? { numAffectedRows: BigInt(rowCount ?? 0) } : {}) };
  };
}

/** Runs our own statements on a connection that somebody else opened and will close. */
async function withForeign<Result>(
  executeQuery: RunQuery,
  dataKeys: IntakeContext['dataKeys'],
  work: (trx: Transaction<Database>) => Promise<Result>,
): Promise<Result> {
  const connection: DatabaseConnection = {
    executeQuery,
    streamQuery: () => {
      throw new TypeError('A foreign transaction cannot stream.');
    },
  };
  const nothing = async (): Promise<void> => undefined;
  const driver: Driver = {
    init: nothing,
    acquireConnection: async () => connection,
    beginTransaction: nothing,
    commitTransaction: nothing,
    rollbackTransaction: nothing,
    releaseConnection: nothing,
    destroy: nothing,
  };
  const foreign = new Kysely<Database>({
    plugins: [new ForeignHandle(), ...carryKeys(dataKeys)],
    dialect: {
      createAdapter: (): PostgresAdapter => new PostgresAdapter(),
      createDriver: (): Driver => driver,
      createIntrospector: (db): PostgresIntrospector => new PostgresIntrospector(db),
      createQueryCompiler: (): PostgresQueryCompiler => new PostgresQueryCompiler(),
    },
  });
  return await foreign.transaction().execute(work);
}
