/** Charges that are held back after a recovery check, because the processor could not be asked about them. */
import { z } from 'zod';
import type { Trx } from '../../base/db/database.ts';
import { writeNamedValue } from '../../base/jobs/named-value.store.ts';

/** The fact that names them. */
export const UNCHECKED = 'reconcile_first_withheld';

const uncheckedSchema = z.record(z.string(), z.string());

/** Charges that the processor could not be asked about, each with the reason. */
export type UncheckedCharges = ReadonlyMap<string, string>;

/** Reads the fact's value. */
export function uncheckedChargesOf(value: unknown): UncheckedCharges {
  return new Map(Object.entries(uncheckedSchema.safeParse(value).data ?? {}));
}

/** Holds exactly these charges back. Call it under `lockAlive`. */
export async function writeUncheckedCharges(
  trx: Trx,
  organisationId: string,
  { unchecked, now }: { readonly unchecked: UncheckedCharges; readonly now: Date },
): Promise<void> {
  if (unchecked.size > 0) {
    const value = Object.fromEntries(unchecked);
    await writeNamedValue(trx, { organisationId, name: UNCHECKED, value, at: now });
    return;
  }
  await trx
    .deleteFrom('fact')
    .where('organisation_id', '=', organisationId)
    .where('name', '=', UNCHECKED)
    .execute();
}
