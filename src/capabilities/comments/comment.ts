/**
 * Writing a comment on an alert and adding a file to it, whatever state the alert is in and no matter who holds it.
 * What a person wrote stays in its own table, out of the audit log.
 */
import { lockCase } from '../../alerts/cases/case.store.ts';
import { insertComment } from '../../alerts/review/review-queue.store.ts';
import { byOperator, writeAudit } from '../../base/audit/audit.store.ts';
import type { Db, Trx } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { createId } from '../../base/kernel/ids.ts';
import { notify } from '../../base/notify/notification.store.ts';
import type { AlertAct } from '../../surface/web/alert-act.ts';
import type { AttachedFile } from '../../surface/web/attached-file.ts';
import { ATTACHMENTS_MAX, insertAttachment, listAttachments } from './attachment.store.ts';
import { insertMentions } from './mention.store.ts';
import { mentionedIn } from './mentioned.ts';

/** Why an act is refused, with the sentence the person reads. */
export const COMMENT_REFUSALS = {
  not_found: 'There is no such alert.',
  too_many_files: 'There are 20 files beside this alert already, and no more may be added.',
} as const;
export type CommentRefusal = keyof typeof COMMENT_REFUSALS;

/**
 * Anyone who is called by `@name` is informed, without what was written.
 *
 * @param act with the people who may be called
 * @returns why it was refused; undefined when it was not
 */
export async function commentOnAlert(
  db: Db,
  act: AlertAct & { readonly people?: readonly string[] },
  text: string,
): Promise<CommentRefusal | undefined> {
  const { organisationId, alertId, operator, now, people = [] } = act;
  return await inTransaction(db, async (trx) => {
    if ((await lockCase(trx, organisationId, alertId)) === undefined) return 'not_found';
    const commentId = await insertComment(trx, act, { operator, text });
    await record(trx, act, 'commented');
    const called = mentionedIn(text, people).filter((name) => name !== operator);
    const about = { organisation_id: organisationId, comment_id: commentId, alert_id: alertId };
    await insertMentions(
      trx,
      called.map((name) => ({ ...about, operator: name, mentioned_by: operator, at: now })),
    );
    for (const name of called) {
      await notify(trx, {
        organisationId,
        dedupeKey: `review_mention:${commentId}:${name}`,
        kind: 'review_mention',
        severity: 'info',
        alertId,
        text: `${name}: ${operator} calls you in a comment on alert ${alertId}. Read it on the alert's page.`,
        at: now,
      });
    }
    return undefined;
  });
}

/** Adds a file to an alert. Its name stays out of the audit log, as comments do. Returns why it was refused. */
export async function attachToAlert(
  db: Db,
  act: AlertAct,
  { fileName, body }: AttachedFile,
): Promise<CommentRefusal | undefined> {
  const { organisationId, alertId, operator, now } = act;
  return await inTransaction(db, async (trx) => {
    if ((await lockCase(trx, organisationId, alertId)) === undefined) return 'not_found';
    const known = await listAttachments(trx, organisationId, alertId);
    if (known.length >= ATTACHMENTS_MAX) return 'too_many_files';
    const about = { organisation_id: organisationId, alert_id: alertId, operator, at: now };
    await insertAttachment(trx, { ...about, id: createId('att'), file_name: fileName, body });
    await record(trx, act, 'attached a file');
    return undefined;
  });
}

async function record(
  trx: Trx,
  { organisationId, alertId, operator, now }: AlertAct,
  what: string,
): Promise<void> {
  await writeAudit(trx, { organisationId, at: now, ...byOperator(operator), alertId, what });
}
