/** Counts statements: a rule about cost is tested with what is sent, not with time. */
import type { Db } from '../../src/base/db/database.ts';

/** A database, and the number of statements that it has answered. */
export interface Counted {
  readonly db: Db;
  readonly statements: () => number;
}

/** The same database, counting. */
export function countStatements(db: Db): Counted {
  let count = 0;
  const counting = db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      count += 1;
      return result;
    },
  });
  return { db: counting, statements: () => count };
}
