/**
 * Records orders inside the merchant's own database transaction, so that an order is in the feed
 * exactly when it is in the shop: commit stores both, rollback neither.
 *
 * The merchant's connection must be one to the same database, of a user who may write to Forestall's tables. Its
 * search path is ours while a call lasts, and theirs again when it resolves. Nothing is begun, committed or released
 * here.
 */
import type { DatabaseConnection, Driver, Transaction } from 'kysely';
import { Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from 'kysely';
import { carryKeys } from '../base/db/carried-keys.ts';
import type { Database } from '../base/db/database.ts';
import { carrySchema, DEFAULT_SCHEMA, searchPathOf } from '../base/db/schemas.ts';
import { ORGANISATION_SETTING, PATH_SETTING } from '../base/db/session-limits.ts';
import type { OrderChangeInput, OrderInput } from '../service/wire/order-input.ts';
import type { ChangeResult } from './change-order.ts';
import { ForeignHandle } from './foreign-handle.ts';
import type { ForeignTransaction, RunQuery } from './foreign-query.ts';
import { runOn } from './foreign-query.ts';
import { recordOrders } from './intake.ts';
import type { IntakeContext } from './intake-context.ts';
import type { IntakeResult } from './intake-result.ts';
import { recordChange } from './order-changes.ts';

/** Orders inside a transaction that somebody else began, and commits or rolls back. */
export interface OrdersWithin {
  /**
   * Takes orders in. Results are in the order of `orders`. Await it before you ask anything else on the same
   * transaction.
   */
  accept(orders: readonly OrderInput[]): Promise<readonly IntakeResult[]>;
  /** Changes an order that was taken in before, in this transaction or an earlier one. Await it too. */
  change(referenceId: string, change: OrderChangeInput): Promise<ChangeResult>;
}

/** What is known of the installation, and where its tables are. */
export interface WithinContext extends IntakeContext {
  /** @default 'forestall' */
  readonly schema?: string;
}

/** @throws {TypeError} for a Kysely handle that is no transaction */
export function ordersWithin(
  transaction: ForeignTransaction,
  context: WithinContext,
): OrdersWithin {
  const run = runOn(transaction);
  const { integrationId } = context;
  return {
    accept: (orders) => withForeign(run, context, (trx) => recordOrders(trx, context, orders)),
    change: (referenceId, change) =>
      withForeign(run, context, (trx) =>
        recordChange(trx, context, { referenceId, integrationId, change }),
      ),
  };
}

/** Runs our own statements on a connection that somebody else opened and will close. */
async function withForeign<Result>(
  executeQuery: RunQuery,
  context: WithinContext,
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
    plugins: [
      new ForeignHandle(),
      ...carryKeys(context.dataKeys),
      ...carrySchema(context.schema ?? DEFAULT_SCHEMA),
    ],
    dialect: {
      createAdapter: (): PostgresAdapter => new PostgresAdapter(),
      createDriver: (): Driver => driver,
      createIntrospector: (db): PostgresIntrospector => new PostgresIntrospector(db),
      createQueryCompiler: (): PostgresQueryCompiler => new PostgresQueryCompiler(),
    },
  });
  return await foreign
    .transaction()
    .execute(async (trx) => await underOurSettings(trx, context, () => work(trx)));
}

interface Settings {
  readonly path: string;
  readonly organisation: string;
}

/**
 * Where it fails inside the database the transaction is aborted, and takes no statement: going back to a savepoint
 * from before the call, or its end, then restores what was set.
 */
async function underOurSettings<Result>(
  trx: Transaction<Database>,
  { schema = DEFAULT_SCHEMA, organisationId }: WithinContext,
  work: () => Promise<Result>,
): Promise<Result> {
  const { rows } = await sql<Settings>`
    with theirs as materialized (
      select current_setting(${PATH_SETTING}::text) as path,
        coalesce(current_setting(${ORGANISATION_SETTING}::text, true), '') as organisation)
    select path, organisation, set_config(${PATH_SETTING}::text, ${searchPathOf(schema)}::text, true),
      set_config(${ORGANISATION_SETTING}::text, ${organisationId}::text, true)
    from theirs`.execute(trx);
  const [theirs] = rows;
  if (theirs === undefined) throw new TypeError('The transaction gave no rows.');
  const restore = (): Promise<unknown> =>
    sql`
    select set_config(${PATH_SETTING}::text, ${theirs.path}::text, true),
      set_config(${ORGANISATION_SETTING}::text, ${theirs.organisation}::text, true)`.execute(trx);
  let result: Result;
  try {
    result = await work();
  } catch (error) {
    await restore().catch(() => undefined);
    throw error;
  }
  await restore();
  return result;
}
