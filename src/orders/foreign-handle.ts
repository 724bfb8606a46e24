/**
 * Distinguishes a transaction of the merchant's from one of ours: SQL that is specific to our
 * driver must not reach another.
 */
import { Carried } from '../base/db/carried.ts';
import type { Db } from '../base/db/database.ts';
import { textArray } from '../base/db/text-array.ts';

/** Marks the handle it is given to. */
export class ForeignHandle extends Carried {}

/** Texts as one parameter, as the handle's driver takes them. Write it with a cast to `text[]`. */
export function textsFor(
  db: Pick<Db, 'getExecutor'>,
  values: readonly (string | null)[],
): Buffer | readonly (string | null)[] {
  const isForeign = db.getExecutor().plugins.some((plugin) => plugin instanceof ForeignHandle);
  return isForeign ? values : textArray(values);
}
