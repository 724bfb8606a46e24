/**
 * Who looks at a held case. A claim keeps two people from working on the same review; it lapses by
 * itself, so that one who went home does not hold up others.
 */
import type { Selectable } from 'kysely';
import type { Db, Trx } from '../../base/db/database.ts';
import { personOf } from '../cases/person.ts';
import type { ReviewClaimTable } from './review.table.ts';

/** A claim as read. */
export type ReviewClaim = Selectable<ReviewClaimTable>;

/** How long a claim holds when nothing happens, in milliseconds; claiming again renews it. */
export const CLAIM_MS = 30 * 60_000;

/** An alert's review at a moment. */
export interface ReviewKey {
  readonly organisationId: string;
  readonly alertId: string;
  readonly now: Date;
}

/** The claim that holds now, or undefined. */
export async function findClaim(
  db: Db,
  { organisationId, alertId, now }: ReviewKey,
): Promise<ReviewClaim | undefined> {
  return await db
    .selectFrom('review_claim')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where('alert_id', '=', alertId)
    .where('claimed_until', '>', now)
    .executeTakeFirst();
}

/** The claim of somebody else that holds now, or undefined. Call it under the case's lock. */
export async function claimOfAnother(
  trx: Trx,
  key: ReviewKey,
  operator: string,
): Promise<ReviewClaim | undefined> {
  const claim = await findClaim(trx, key);
  return claim === undefined || personOf(claim.operator) === personOf(operator) ? undefined : claim;
}

/** Writes or renews the claim. Returns until when it holds. */
export async function writeClaim(
  trx: Trx,
  { organisationId, alertId, now }: ReviewKey,
  operator: string,
): Promise<Date> {
  const until = new Date(now.getTime() + CLAIM_MS);
  const values = { operator, claimed_at: now, claimed_until: until };
  await trx
    .insertInto('review_claim')
    .values({ organisation_id: organisationId, alert_id: alertId, ...values })
    .onConflict((conflict) => conflict.columns(['organisation_id', 'alert_id']).doUpdateSet(values))
    .execute();
  return until;
}

/** Ends whatever claim there is. */
export async function dropClaim(
  trx: Trx,
  { organisationId, alertId }: Omit<ReviewKey, 'now'>,
): Promise<void> {
  await trx
    .deleteFrom('review_claim')
    .where('organisation_id', '=', organisationId)
    .where('alert_id', '=', alertId)
    .execute();
}
