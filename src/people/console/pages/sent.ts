/** The outcome of a form that somebody sent and had no answer to. */
import type { RequestHandler, Router } from 'express';
import { html } from '../../../base/kernel/html.ts';
import { plainly } from '../../../surface/access/needs.ts';
import { isFormId, SENT_PATH } from '../../../surface/web/form-id.ts';
import type { DoorOptions } from '../../../surface/web/ports.ts';
import { NOT_FOUND, route, sendFault, sendJson } from '../../../surface/web/reply.ts';
import { findForm, settleForm } from '../../../surface/web/sent-form.store.ts';
import { sentWords } from '../../../surface/web/sent-form.ts';
import type { PageContext, Visit } from '../../../surface/web/visit.ts';
import { fieldOf, page, send, sendError } from '../../../surface/web/visit.ts';

export function registerSent<Options extends DoorOptions>(
  router: Router,
  context: PageContext<Options>,
  form: RequestHandler,
): void {
  route(router, SENT_PATH, { post: [form, page(context, plainly('viewer'), settle)] });
  route(router, `${SENT_PATH}/:id`, { get: page(context, 'viewer', show) });
}

async function show(visit: Visit<DoorOptions>): Promise<void> {
  const { options, request, who } = visit;
  const id = request.params['id'];
  if (!isFormId(id)) {
    return sendError(visit, 404, { title: 'No such form', message: 'Check the address.' });
  }
  const { db, organisationId } = options;
  const found = await findForm(db, { organisationId, id, operator: who.name });
  const body = html`<h1>What you sent</h1><p>${sentWords(found)}</p>
<p class="actions"><a class="button plain" href="${SENT_PATH}/${id}">Look again</a> <a class="button plain" href="/">To today’s page</a></p>`;
  send(visit, { title: 'What you sent', body });
}

/** For the script of a page: the outcome of a form, for good. One that has not come is refused when it comes. */
async function settle(visit: Visit<DoorOptions>): Promise<void> {
  const { options, request, response, who, now } = visit;
  const id = fieldOf(request, 'id');
  if (!isFormId(id)) return sendFault(response, 404, NOT_FOUND);
  const { db, organisationId } = options;
  const found = await settleForm(db, { organisationId, id, operator: who.name, now });
  sendJson(response, 200, { state: found?.state ?? null, words: sentWords(found).toString() });
}
