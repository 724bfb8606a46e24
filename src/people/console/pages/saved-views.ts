/** Saved searches of a page: kept under a name by one person, and shared with all when they say so. */
import type { RequestHandler, Router } from 'express';
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import { plainly } from '../../../surface/access/needs.ts';
import { icon } from '../../../surface/view/icon.ts';
import { csrfField } from '../../../surface/view/shell.ts';
import { read } from '../../../surface/web/query.ts';
import { route } from '../../../surface/web/reply.ts';
import type { PageContext, Visit } from '../../../surface/web/visit.ts';
import { fieldOf, filledField, goTo, page, sendError } from '../../../surface/web/visit.ts';
import { deleteView, listViews, saveView } from '../saved-view.store.ts';
import type { SearchPage } from '../saved-view.table.ts';
import { alertsPageQuery, alertsText } from './alerts-query.ts';
import { filterText, reviewQuery } from './review-query.ts';

/** Characters of a view's name. */
const VIEW_NAME_MAX = 60;

export function registerViews(router: Router, context: PageContext, form: RequestHandler): void {
  route(router, '/views', { post: [form, page(context, plainly('viewer'), keepView)] });
  route(router, '/views/delete', { post: [form, page(context, plainly('viewer'), dropView)] });
}

/** The saved searches of a page, and the form to keep the one that is shown. */
export async function savedViews(
  visit: Visit,
  of: { readonly page: SearchPage; readonly current: string; readonly isFiltered: boolean },
): Promise<Html> {
  const { current, isFiltered } = of;
  const owner = ownerOf(visit);
  const views = await listViews(visit.options.db, { ...owner, page: of.page });
  const isKept = views.some(({ query }) => query === current);
  return html`${
    views.length > 0 &&
    html`<nav aria-label="Saved views"><ul class="tabs">${views.map((view) => {
      const { id, name, query, operator, is_shared: isShared } = view;
      const isHere = query === current;
      return html`<li><a href="${of.page}?${query}"${isHere && html` aria-current="page"`}>${icon('bookmark')} ${name}${isShared && html` <span class="quiet">${operator === owner.operator ? 'shared' : `by ${operator}`}</span>`}</a>${
        isHere &&
        operator === owner.operator &&
        html`<form method="post" action="/views/delete">${csrfField(visit.csrfToken)}<input type="hidden" name="id" value="${id}"><input type="hidden" name="page" value="${of.page}"><button class="plain small">Forget ${name}</button></form>`
      }</li>`;
    })}</ul></nav>`
  }${
    isFiltered &&
    !isKept &&
    html`<details class="fold"><summary>Keep this view</summary><form method="post" action="/views" class="actions">${csrfField(visit.csrfToken)}<input type="hidden" name="page" value="${of.page}"><input type="hidden" name="query" value="${current}"><div><label class="hidden" for="view">Name of the view</label><input id="view" name="name" maxlength="${VIEW_NAME_MAX}" placeholder="Name of the view" required></div><label class="inline"><input type="checkbox" name="shared" value="yes"><span>for everybody</span></label><button class="small">Keep</button></form></details>`
  }`;
}

function ownerOf({ options, who }: Visit): { organisationId: string; operator: string } {
  return { organisationId: options.organisationId, operator: who.name };
}

function pageOf(request: Visit['request']): SearchPage {
  return fieldOf(request, 'page') === '/reviews' ? '/reviews' : '/alerts';
}

/** The query as its page writes it; undefined when the page does not know it. */
function queryOf(on: SearchPage, text: string): string | undefined {
  const given = Object.fromEntries(new URLSearchParams(text));
  if (on === '/reviews') {
    const query = read(reviewQuery, given);
    return query.ok ? filterText(query.value) : undefined;
  }
  const query = read(alertsPageQuery, given);
  return query.ok ? alertsText(query.value) : undefined;
}

async function keepView(visit: Visit): Promise<void> {
  const { options, now, request } = visit;
  const name = filledField(request, 'name')?.slice(0, VIEW_NAME_MAX);
  const on = pageOf(request);
  const query = queryOf(on, fieldOf(request, 'query') ?? '');
  if (name === undefined || query === undefined) {
    const message = 'Name the view, and keep only what the page offers.';
    return sendError(visit, 400, { title: 'Not kept', message });
  }
  const isShared = fieldOf(request, 'shared') === 'yes';
  const view = { name, query, now, page: on, isShared };
  if (await saveView(options.db, ownerOf(visit), view)) {
    goTo(visit, `${on}?${query}`);
  } else {
    sendError(visit, 409, {
      title: 'Not kept',
      message: 'You have too many views. Forget one first.',
    });
  }
}

async function dropView(visit: Visit): Promise<void> {
  const { options, request } = visit;
  const id = Number(fieldOf(request, 'id'));
  if (Number.isSafeInteger(id)) await deleteView(options.db, ownerOf(visit), id);
  goTo(visit, pageOf(request));
}
