/** Makes the open cases of a charge due whose money has moved. */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Trx } from '../../base/db/database.ts';
import { wake } from '../../base/jobs/wake.store.ts';
import { wokenMark } from '../../base/jobs/woken-row.ts';

/** A charge whose money has moved. */
export interface MovedCharge {
  readonly reference: string;
  readonly now: Date;
  /** The alert whose case continues in this very transaction, and need not be woken. */
  readonly holder?: string | undefined;
}

/**
 * Makes open cases of a charge due now: their refund has moved. A case that a step is looking at right now
 * is looked at again afterwards: the step may have read before this.
 */
export async function wakeCasesOfCharge(
  trx: Trx,
  organisationId: string,
  charge: MovedCharge,
): Promise<void> {
  await wakingCases(organisationId, charge).execute(trx);
  await wake(trx, 'case');
}

/**
 * The same as a part of another statement: a row for each case. Cases that are due already are written too:
 * a row that is locked is not claimed, and a step that began before this transaction ends would read what was
 * before it, and plan its next look far away.
 */
export function wakingCases(
  organisationId: string,
  { reference, now, holder }: MovedCharge,
): RawBuilder<unknown> {
  return sql`update alert_case set
      next_action_at = least(next_action_at, ${now}::timestamptz),
      changed_at = ${wokenMark(now, 'alert_case')}
    where organisation_id = ${organisationId} and charge_reference = ${reference} and is_open
      and alert_id <> ${holder ?? ''}
    returning alert_id`;
}
