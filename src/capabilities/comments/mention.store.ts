/** Who was called into a comment by `@name`, and has not seen it yet. */
import type { Db, Trx } from '../../base/db/database.ts';
import type { AlertAct } from '../../surface/web/alert-act.ts';
import type { ReviewMention } from './mention.table.ts';

/** Mentions shown to one person: the newest. */
const MENTIONS_MAX = 20;

/** Somebody who is called. */
export type Mention = Pick<ReviewMention, 'alert_id' | 'operator' | 'mentioned_by' | 'at'>;

export async function insertMentions(
  trx: Trx,
  mentions: readonly Omit<ReviewMention, 'seen_at'>[],
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
  { organisationId, alertId, operator, now }: AlertAct,
): Promise<void> {
  await db
    .updateTable('review_mention')
    .set({ seen_at: now })
    .where('organisation_id', '=', organisationId)
    .where('operator', '=', operator)
    .where('alert_id', '=', alertId)
    .where('seen_at', 'is', null)
    .execute();
}
