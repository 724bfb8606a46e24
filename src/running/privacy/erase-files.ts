/** Erases what capabilities keep of a customer in files that no walk over columns can read. */
import type { Db } from '../../base/db/database.ts';
import { CAPABILITIES } from '../../capabilities/index.ts';
import type { CustomerErasure } from '../../surface/capability.ts';

/** Erases, or counts. Returns how many rows there were, by table; nothing where there was none. */
export async function eraseFiles(
  db: Db,
  erasure: CustomerErasure,
): Promise<Readonly<Record<string, number>>> {
  const rows: Record<string, number> = {};
  for (const { erase } of CAPABILITIES) {
    if (erase !== undefined) Object.assign(rows, await erase(db, erasure));
  }
  return rows;
}
