/** Open cases whose charge is known: those a forgotten refund may belong to. */
import type { Kysely } from 'kysely';
import type { CaseRow } from '../cases/case.store.ts';
import type { Database } from '../db/database.ts';

/** A page of them, by alert; each with its charge. */
export async function openCasesWithCharge(
  db: Kysely<Database>,
  page: { readonly organisationId: string; readonly afterId: string; readonly limit: number },
): Promise<(CaseRow & { readonly charge_reference: string })[]> {
  const rows = await db
    .selectFrom('alert_case')
    .selectAll()
    .where('organisation_id', '=', page.organisationId)
    .where('is_open', '=', true)
    .where('charge_reference', 'is not', null)
    .where('alert_id', '>', page.afterId)
    .orderBy('alert_id')
    .limit(page.limit)
    .execute();
  return rows.flatMap((row) =>
    row.charge_reference === null ? [] : [{ ...row, charge_reference: row.charge_reference }],
  );
}
