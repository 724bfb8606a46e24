import type { Kysely, Transaction } from 'kysely';

/**
 * Every table of the database. A table joins this type in the `x.table.ts` beside the code that owns it, so that
 * this folder knows none of them.
 */
// biome-ignore lint/suspicious/noEmptyInterface: filled where the tables live
export interface Database {}

/** A connection, or a transaction, to every table. */
export type Db = Kysely<Database>;
/** Where the statements must stand in one transaction. */
export type Trx = Transaction<Database>;
