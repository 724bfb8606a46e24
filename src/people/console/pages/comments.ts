/** What people wrote about an alert, and the form to write more. */
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import { isAtLeast } from '../access/role.ts';
import { NOTE_LENGTH_MAX } from '../query.ts';
import { csrfField } from '../view/shell.ts';
import { moment } from '../view/time.ts';
import type { Visit } from '../visit.ts';
import { alertPath } from './case-list.ts';
import type { CaseView } from './case-view.ts';

/** The comments, oldest first. */
export async function commentList(
  _visit: Visit,
  { comments }: Pick<CaseView, 'comments'>,
): Promise<Html> {
  if (comments.length === 0) return html`<p class="quiet">Nobody has written anything.</p>`;
  return html`<ol class="plain-list comments">${comments.map(
    ({ operator, text, at }) =>
      html`<li><p class="quiet small-text"><strong>${operator}</strong> ${moment(at)}</p><p>${text}</p></li>`,
  )}</ol>`;
}

/** The form for a comment; anybody from reviewer up may write one, on any alert. */
export function commentForm(
  { csrfToken, who }: Visit,
  { alertId }: Pick<CaseView, 'alertId'>,
  back: string,
): Html | false {
  if (!isAtLeast(who.role, 'reviewer')) return false;
  return html`<form method="post" action="${alertPath(alertId)}/comment">${csrfField(csrfToken)}<input type="hidden" name="back" value="${back}">
<label for="comment">Comment</label><textarea id="comment" name="text" rows="2" maxlength="${NOTE_LENGTH_MAX}" required data-key="m"></textarea>
<p class="actions"><button class="plain small">Add the comment</button></p></form>`;
}
