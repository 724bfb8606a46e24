/** Charges that are held back after a look before acting, because the processor could not be asked about them. */
import type { Transaction } from 'kysely';
import { z } from 'zod';
import type { Database } from '../../base/db/database.ts';
import { writeFact } from '../../base/jobs/fact.store.ts';

/** The fact that names them. */
export const WITHHELD = 'reconcile_first_withheld';

const withheldSchema = z.record(z.string(), z.string());

/** Charges that the processor could not be asked about, each with the reason. */
export type Withheld = ReadonlyMap<string, string>;

/** Reads the fact's value. */
export function withheldOf(value: unknown): Withheld {
  return new Map(Object.entries(withheldSchema.safeParse(value).data ?? {}));
}

/** Holds exactly these charges back. Call it under `lockAlive`. */
export async function writeWithheld(
  trx: Transaction<Database>,
  organisationId: string,
  { withheld, now }: { readonly withheld: Withheld; readonly now: Date },
): Promise<void> {
  if (withheld.size > 0) {
    const value = Object.fromEntries(withheld);
    await writeFact(trx, { organisationId, name: WITHHELD, value, at: now });
    return;
  }
  await trx
    .deleteFrom('fact')
    .where('organisation_id', '=', organisationId)
    .where('name', '=', WITHHELD)
    .execute();
}
