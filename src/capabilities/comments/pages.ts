/** What people wrote about an alert and laid beside it, the form to do so, and who is called by it. */

import { listComments } from '../../alerts/review/review-queue.store.ts';
import { counted } from '../../base/kernel/counted.ts';
import type { Html } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import { plainly } from '../../surface/access/needs.ts';
import { listPeople } from '../../surface/access/operator.store.ts';
import { isAtLeast } from '../../surface/access/role.ts';
import type { CapabilityPages } from '../../surface/capability.ts';
import { icon } from '../../surface/view/icon.ts';
import { alertPath } from '../../surface/view/links.ts';
import { csrfField } from '../../surface/view/shell.ts';
import { moment } from '../../surface/view/time.ts';
import { alertActOf, endAct } from '../../surface/web/alert-act.ts';
import { fileOf } from '../../surface/web/attached-file.ts';
import { createFileForm } from '../../surface/web/file-form.ts';
import { alertIdOf, NOTE_LENGTH_MAX, note, read } from '../../surface/web/query.ts';
import { route } from '../../surface/web/reply.ts';
import type { Visit } from '../../surface/web/visit.ts';
import { filledField, page, sendError } from '../../surface/web/visit.ts';
import type { Attachment } from './attachment.store.ts';
import { ATTACHMENT_BYTES_MAX, listAttachments, readAttachment } from './attachment.store.ts';
import type { CommentRefusal } from './comment.ts';
import { attachToAlert, COMMENT_REFUSALS, commentOnAlert } from './comment.ts';
import { commentCall } from './comment-call.ts';
import { listMentions, markMentionsSeen } from './mention.store.ts';

export const commentsPages: CapabilityPages = {
  register(router, context, form): void {
    const withFile = createFileForm(context.auth, form, ATTACHMENT_BYTES_MAX);
    route(router, '/alerts/:id/comment', {
      post: [withFile, page(context, plainly('reviewer'), comment)],
    });
    route(router, '/alerts/:id/files/:file', { get: page(context, 'viewer', sendFile) });
  },
  belowCase: async (visit, { alertId, back }) => ({
    title: 'Comments',
    body: html`${await commentList(visit, alertId)}${commentForm(visit, alertId, back)}`,
  }),
  onSeveral: [
    {
      name: 'comment',
      button: 'Comment…',
      command: 'Comment on the ticked ones',
      effect: 'The same comment is written on each of them.',
      title: (count, sum) => `Comment on ${counted(count, 'review')}: ${sum}?`,
      note: { label: 'Comment', isNeeded: true },
      carryOut: async ({ options, who, now }, { alertId, text }) => {
        const { db, organisationId } = options;
        const act = { organisationId, alertId, operator: who.name, now };
        return wordsOf(await commentOnAlert(db, act, text));
      },
    },
  ],
  forPerson: callBanner,
  api: [commentCall],
};

function wordsOf(refusal: CommentRefusal | undefined): string | undefined {
  return refusal === undefined ? undefined : COMMENT_REFUSALS[refusal];
}

/** The comments and the files, oldest first. Reading them clears the call. */
async function commentList({ options, request, who, now }: Visit, alertId: string): Promise<Html> {
  const { db, organisationId } = options;
  const [comments, files] = await Promise.all([
    listComments(db, organisationId, alertId),
    listAttachments(db, organisationId, alertId),
  ]);
  // A page that refreshes itself is not read by a person.
  if (comments.length > 0 && request.get('x-background') === undefined) {
    await markMentionsSeen(db, { organisationId, alertId, operator: who.name, now });
  }
  if (comments.length === 0 && files.length === 0) {
    return html`<p class="quiet">Nobody has written anything.</p>`;
  }
  return html`<ol class="plain-list comments">${comments.map(
    ({ operator, text, at }) =>
      html`<li><p class="quiet small-text"><strong>${operator}</strong> ${moment(at)}</p><p>${text}</p></li>`,
  )}${files.map((file) => fileLine(alertId, file))}</ol>`;
}

function fileLine(alertId: string, { id, file_name: name, ...file }: Attachment): Html {
  const path = `${alertPath(alertId)}/files/${encodeURIComponent(id)}`;
  return html`<li><p class="quiet small-text"><strong>${file.operator}</strong> ${moment(file.at)}</p><p>${icon('paperclip')} <a href="${path}" download>${name}</a> <span class="quiet">${sizeWords(file.byte_count)}</span></p></li>`;
}

function sizeWords(bytes: number): string {
  return bytes < 1_024 ? `${bytes} bytes` : `${Math.round(bytes / 1_024)} KB`;
}

/** The form for a comment; anybody from reviewer up may write one, on any alert. */
function commentForm({ csrfToken, who }: Visit, alertId: string, back: string): Html | false {
  if (!isAtLeast(who.role, 'reviewer')) return false;
  return html`<form method="post" enctype="multipart/form-data" action="${alertPath(alertId)}/comment">${csrfField(csrfToken)}<input type="hidden" name="back" value="${back}">
<label for="comment">Comment</label><textarea id="comment" name="text" rows="2" maxlength="${NOTE_LENGTH_MAX}" data-key="m" aria-describedby="comment-hint"></textarea>
<p class="quiet small-text" id="comment-hint">@name calls a colleague. A file may have ${ATTACHMENT_BYTES_MAX / 1_024 / 1_024} MB. No card numbers.</p>
<label for="file" class="hidden">File</label><input id="file" name="file" type="file">
<p class="actions"><button class="plain small">Add the comment</button></p></form>`;
}

/** Who calls this person, and where; nothing without a call. */
async function callBanner({ options, who }: Visit): Promise<Html | false> {
  const mentions = await listMentions(options.db, options.organisationId, who.name);
  if (mentions.length === 0) return false;
  return html`<div class="banner info"><ul class="plain-list">${mentions.map(
    ({ alert_id: alertId, mentioned_by: by, at }) =>
      html`<li>${icon('at-sign')} <strong>${by}</strong> calls you in a comment on <a href="${alertPath(alertId)}">${alertId}</a> <span class="quiet">${moment(at)}</span></li>`,
  )}</ul></div>`;
}

async function comment(visit: Visit): Promise<void> {
  const { options, request } = visit;
  const act = alertActOf(visit);
  if (act === undefined) return;
  const file = fileOf(request);
  const given = filledField(request, 'text')?.replaceAll('\r\n', '\n') ?? '';
  const text = read(file === undefined ? note.min(1) : note, given);
  const name = read(note, file?.fileName ?? '');
  if (!text.ok || !name.ok) {
    endAct(visit, 'Write something, without card numbers, in at most 500 characters.', 400);
    return;
  }
  if (file !== undefined) {
    const refusal = await attachToAlert(options.db, act, file);
    if (refusal !== undefined) {
      endAct(visit, wordsOf(refusal));
      return;
    }
  }
  const people = (await listPeople(options.db, options.organisationId)).map((row) => row.name);
  const by = { ...act, people };
  const refusal = text.value === '' ? undefined : await commentOnAlert(options.db, by, text.value);
  endAct(visit, wordsOf(refusal));
}

/** To be stored, never shown by the browser: whatever it holds runs nowhere. */
async function sendFile(visit: Visit): Promise<void> {
  const { options, request, response } = visit;
  const alertId = alertIdOf(request);
  const id = String(request.params['file']);
  const { organisationId } = options;
  const file =
    alertId === undefined
      ? undefined
      : await readAttachment(options.db, { organisationId, alertId, id });
  if (file === undefined) {
    return sendError(visit, 404, { title: 'No such file', message: 'It may have been deleted.' });
  }
  response.attachment(file.fileName);
  response
    .type('application/octet-stream')
    .set('content-security-policy', 'sandbox')
    .send(file.body);
}
