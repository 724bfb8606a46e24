/** What a capability answers programs about the books: properties of `forestall.books`. */
import type { Db } from '../base/db/database.ts';

/** What the answers are found with. */
export interface AskedBooks {
  readonly db: Db;
  readonly organisationId: string;
}

/** The capability says in its own type which property answers what. */
export type BookQuestions = (asked: AskedBooks) => object;
