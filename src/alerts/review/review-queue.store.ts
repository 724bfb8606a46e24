/**
 * The review queue: held cases by the time left to decide, with who looks at them and what happens when nobody
 * does. That time ends where Forestall acts by itself, hours before the deadline where a fallback is set.
 * Walked by place in an index, so that a page costs the same among a million alerts.
 */
import type { Kysely, Transaction } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../../base/db/database.ts';

/** One review. */
export interface Review {
  readonly alertId: string;
  readonly deadlineAt: Date;
  /** When Forestall acts by itself, or the deadline where it does not. */
  readonly actsAt: Date;
  /** The same with microseconds, for the next page. */
  readonly actsText: string;
  readonly holdReason: string | null;
  readonly amountMinor: number | null;
  readonly currency: string | null;
  readonly chargeReference: string | null;
  readonly fallbackAction: 'REFUND' | 'ACCEPT_DISPUTE' | null;
  readonly fallbackAt: Date | null;
  readonly claimedBy: string | null;
  readonly claimedUntil: Date | null;
  readonly comments: number;
}

/** Which reviews. */
export interface ReviewQuery {
  readonly organisationId: string;
  readonly now: Date;
  readonly limit: number;
  /** Begin after this one. */
  readonly after?: { readonly actsText: string; readonly alertId: string } | undefined;
  /** Only this alert. */
  readonly alertId?: string | undefined;
}

/** As the index has it. */
const ACTS_AT = sql<Date>`least(c.fallback_at, c.deadline_at)`;

/** Reads a page of the queue, least time left first. Shadow decisions wait for nobody. */
export async function listReviews(db: Kysely<Database>, query: ReviewQuery): Promise<Review[]> {
  const { organisationId, now, limit, after, alertId } = query;
  let rows = db
    .selectFrom('alert_case as c')
    .leftJoin('alert as a', (join) =>
      join.onRef('a.organisation_id', '=', 'c.organisation_id').onRef('a.id', '=', 'c.alert_id'),
    )
    .leftJoin('review_claim as r', (join) =>
      join
        .onRef('r.organisation_id', '=', 'c.organisation_id')
        .onRef('r.alert_id', '=', 'c.alert_id')
        .on('r.claimed_until', '>', now),
    )
    .select([
      'c.alert_id as alertId',
      'c.deadline_at as deadlineAt',
      'c.hold_reason as holdReason',
      'a.amount_minor as amountMinor',
      'a.currency',
      'c.charge_reference as chargeReference',
      'c.fallback_action as fallbackAction',
      'c.fallback_at as fallbackAt',
      'r.operator as claimedBy',
      'r.claimed_until as claimedUntil',
      ACTS_AT.as('actsAt'),
      sql<string>`to_char(${ACTS_AT} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`.as(
        'actsText',
      ),
      sql<number>`(select count(*) from review_comment k
        where k.organisation_id = c.organisation_id and k.alert_id = c.alert_id)`.as('comments'),
    ])
    .where('c.organisation_id', '=', organisationId)
    .where('c.state', '=', 'HUMAN')
    .where('c.hold_reason', 'is distinct from', 'shadow_mode')
    .orderBy(ACTS_AT)
    .orderBy('c.alert_id')
    .limit(limit);
  if (alertId !== undefined) rows = rows.where('c.alert_id', '=', alertId);
  if (after !== undefined) {
    rows = rows.where(
      sql<boolean>`(${ACTS_AT}, c.alert_id) > (${after.actsText}::timestamptz, ${after.alertId})`,
    );
  }
  return await rows.execute();
}

/** What somebody wrote about an alert. */
export interface ReviewComment {
  readonly operator: string;
  readonly text: string;
  readonly at: Date;
}

/** Keeps what somebody wrote about an alert. */
export async function insertComment(
  trx: Transaction<Database>,
  about: { readonly organisationId: string; readonly alertId: string; readonly now: Date },
  { operator, text }: Pick<ReviewComment, 'operator' | 'text'>,
): Promise<void> {
  await trx
    .insertInto('review_comment')
    .values({
      organisation_id: about.organisationId,
      alert_id: about.alertId,
      operator,
      text,
      at: about.now,
    })
    .execute();
}

/** Comments shown of one alert, the first ones: a person reads no more. */
const COMMENTS_MAX = 200;

/** What people wrote about an alert, oldest first. */
export async function listComments(
  db: Kysely<Database>,
  organisationId: string,
  alertId: string,
): Promise<ReviewComment[]> {
  return await db
    .selectFrom('review_comment')
    .select(['operator', 'text', 'at'])
    .where('organisation_id', '=', organisationId)
    .where('alert_id', '=', alertId)
    .orderBy('id')
    .limit(COMMENTS_MAX)
    .execute();
}
