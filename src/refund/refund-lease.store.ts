/**
 * Who works on a refund: claimed rows carry a lease, and nothing is sent by whoever lost it.
 */
import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import type { Lease, RefundRow } from './refund.store.ts';

/** What {@link claimDueRefunds} needs. */
export interface RefundClaim {
  readonly organisationId: string;
  readonly now: Date;
  readonly lease: Lease;
  readonly limit: number;
}

/** Claims refunds whose moment has come and that nobody holds. */
export async function claimDueRefunds(
  db: Kysely<Database>,
  { organisationId, now, lease, limit }: RefundClaim,
): Promise<RefundRow[]> {
  const rows = await db
    .with('due', (qb) =>
      qb
        .selectFrom('refund')
        .select(['organisation_id', 'id'])
        .where('organisation_id', '=', organisationId)
        .where('next_action_at', '<=', now)
        .where((eb) => eb.or([eb('lease_until', 'is', null), eb('lease_until', '<=', now)]))
        .orderBy('next_action_at')
        .orderBy('id')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .updateTable('refund as r')
    .from('due')
    .set({
      lease_owner: lease.owner,
      lease_until: lease.until,
      version: sql<number>`r.version + 1`,
    })
    .whereRef('r.organisation_id', '=', 'due.organisation_id')
    .whereRef('r.id', '=', 'due.id')
    .returningAll('r')
    .execute();
  // Returned in the order of a join, which is the planner's.
  return rows.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Whether the lease is still this holder's: read right before the socket write that moves money. */
export async function holdsRefundLease(
  db: Kysely<Database>,
  held: RefundRow,
  now: Date,
): Promise<boolean> {
  const row = await db
    .selectFrom('refund')
    .select('id')
    .where('organisation_id', '=', held.organisation_id)
    .where('id', '=', held.id)
    .where('state', '=', held.state)
    .where('version', '=', held.version)
    .where('lease_until', '>', now)
    .executeTakeFirst();
  return row !== undefined;
}
