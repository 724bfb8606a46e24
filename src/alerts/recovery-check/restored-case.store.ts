/** Open cases whose charge is known: those a forgotten refund may belong to. */

import type { Db } from '../../base/db/database.ts';
import type { CaseRow } from '../cases/case.store.ts';

export type ChargedCase = CaseRow & { readonly charge_reference: string };

/** Which cases; what is left out does not matter. */
export interface ChargedCaseQuery {
  readonly organisationId: string;
  readonly limit: number;
  readonly afterId?: string;
  /** Only these alerts. */
  readonly alertIds?: readonly string[];
  readonly chargeReference?: string;
  /** Only those whose deadline comes after. */
  readonly dueAfter?: Date;
}

/** A page of them, by alert; each with its charge. */
export async function openCasesWithCharge(
  db: Db,
  { organisationId, limit, afterId, alertIds, chargeReference, dueAfter }: ChargedCaseQuery,
): Promise<ChargedCase[]> {
  let query = db
    .selectFrom('alert_case')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where('is_open', '=', true)
    .where('charge_reference', 'is not', null)
    .orderBy('alert_id')
    .limit(limit);
  if (afterId !== undefined) query = query.where('alert_id', '>', afterId);
  if (alertIds !== undefined) query = query.where('alert_id', 'in', alertIds);
  if (chargeReference !== undefined) query = query.where('charge_reference', '=', chargeReference);
  if (dueAfter !== undefined) query = query.where('deadline_at', '>', dueAfter);
  const rows = await query.execute();
  return rows.flatMap((row) =>
    row.charge_reference === null ? [] : [{ ...row, charge_reference: row.charge_reference }],
  );
}
