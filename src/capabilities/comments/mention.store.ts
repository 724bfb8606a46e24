/** Who was called into a comment by `@name`, and has not seen it yet. */
import type { Selectable } from 'kysely';
import type { Db, Trx } from '../../base/db/database.ts';
import type { ReviewMentionTable } from './review.table.ts';

/** Mentions shown to one person: the newest. */
const MENTIONS_MAX = 20;

/** Somebody who is called. */
export type Mention = Pick<
  Selectable<ReviewMentionTable>,
  'alert_id' | 'operator' | 'mentioned_by' | 'at'
>;

export async function insertMentions(
  trx: Trx,
  mentions: readonly Omit<Selectable<ReviewMentionTable>, 'seen_at'>[],
): Promise<void> {
  if (mentions.length > 0)
    await trx
      .insertInto('review_mention')
      .values([...mentions])
      .execute();
}

/** What a person has not seen yet, newest first. */
export async function listMentions(
  db: Db,
  organisationId: string,
  operator: string,
): Promise<Mention[]> {
  return await db
    .selectFrom('review_mention')
    .select(['alert_id', 'operator', 'mentioned_by', 'at'])
    .where('organisation_id', '=', organisationId)
    .where('operator', '=', operator)
    .where('seen_at', 'is', null)
    .orderBy('at', 'desc')
    .limit(MENTIONS_MAX)
    .execute();
}

/** The person has seen what was written about the alert. */
export async function markMentionsSeen(
  db: Db,
  of: {
    readonly organisationId: string;
    readonly alertId: string;
    readonly operator: string;
    readonly now: Date;
  },
): Promise<void> {
  await db
    .updateTable('review_mention')
    .set({ seen_at: of.now })
    .where('organisation_id', '=', of.organisationId)
    .where('operator', '=', of.operator)
    .where('alert_id', '=', of.alertId)
    .where('seen_at', 'is', null)
    .execute();
}
