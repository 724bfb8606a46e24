/** All SQL of claims for a refund, up to the moment at which their case is open. */
import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import type { DueCondition } from '../../base/jobs/due.store.ts';
import { wake } from '../../base/jobs/wake.store.ts';
import type { DueQuery } from './processor-event.store.ts';
import { SIGNAL_TOPIC } from './processor-event.store.ts';
import type { RefundClaimTable } from './signal.table.ts';

export type RefundClaimRow = Selectable<RefundClaimTable>;

/** Stores a claim, due at once. False: one of the same source and reference is there. */
export async function insertClaim(
  db: Db,
  claim: Omit<RefundClaimRow, 'next_action_at' | 'attempts'>,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('refund_claim')
    .values({ ...claim, next_action_at: claim.opened_at })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows === 0n) return false;
  await wake(db, SIGNAL_TOPIC);
  return true;
}

/** One claim, or undefined. */
export async function findClaim(
  db: Db,
  organisationId: string,
  id: string,
): Promise<RefundClaimRow | undefined> {
  return await db
    .selectFrom('refund_claim')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Whether a claim is to become a case now. */
export const hasDueClaims: DueCondition = (now, organisation) => sql<boolean>`exists (
    select from refund_claim where organisation_id = ${organisation} and next_action_at <= ${now})`;

/** Takes due claims, the oldest first; no other process takes them until then. */
export async function claimDueClaims(
  db: Db,
  { organisationId, now, until, limit }: DueQuery,
): Promise<RefundClaimRow[]> {
  const { rows } = await sql<RefundClaimRow>`
    update refund_claim r set next_action_at = ${until}, attempts = r.attempts + 1
    from (select id from refund_claim where organisation_id = ${organisationId} and next_action_at <= ${now}
      order by next_action_at limit ${limit} for update skip locked) due
    where r.organisation_id = ${organisationId} and r.id = due.id
    returning r.*`.execute(db);
  return rows;
}

/** Plans the next try; null: its case is open. */
export async function planClaim(
  db: Db,
  { organisation_id, id }: Pick<RefundClaimRow, 'organisation_id' | 'id'>,
  nextActionAt: Date | null,
): Promise<void> {
  await db
    .updateTable('refund_claim')
    .set({ next_action_at: nextActionAt })
    .where('organisation_id', '=', organisation_id)
    .where('id', '=', id)
    .where('next_action_at', 'is not', null)
    .execute();
}
