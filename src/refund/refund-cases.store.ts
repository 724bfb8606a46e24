/** Cases that wait for a refund: found by the refund they are attached to. */
import type { Kysely, Transaction } from 'kysely';
import type { CaseRow } from '../cases/case.store.ts';
import type { CaseState } from '../cases/case-state.ts';
import type { Database } from '../db/database.ts';
import type { RefundRow } from './refund.store.ts';

/** Cases attached to the refund in one of `states`, the latest deadline first: it has most time. */
export async function casesOfRefund(
  db: Kysely<Database>,
  refund: RefundRow,
  states: readonly CaseState[],
): Promise<CaseRow[]> {
  return await db
    .selectFrom('alert_case')
    .selectAll()
    .where('organisation_id', '=', refund.organisation_id)
    .where('refund_id', '=', refund.id)
    .where('state', 'in', states)
    .orderBy('deadline_at', 'desc')
    .orderBy('alert_id')
    .execute();
}

/** Held cases attached to the refund, locked, with their alerts' amounts. */
export async function lockHeldCasesOfRefund(
  trx: Transaction<Database>,
  refund: RefundRow,
): Promise<{ held: CaseRow; alertMinor: number | null }[]> {
  const rows = await trx
    .selectFrom('alert_case as c')
    .leftJoin('alert as a', (join) =>
      join.onRef('a.organisation_id', '=', 'c.organisation_id').onRef('a.id', '=', 'c.alert_id'),
    )
    .selectAll('c')
    .select('a.amount_minor as alert_minor')
    .where('c.organisation_id', '=', refund.organisation_id)
    .where('c.refund_id', '=', refund.id)
    .where('c.state', '=', 'HUMAN')
    .orderBy('c.alert_id')
    .forUpdate('c')
    .execute();
  return rows.map(({ alert_minor, ...held }) => ({ held, alertMinor: alert_minor }));
}
