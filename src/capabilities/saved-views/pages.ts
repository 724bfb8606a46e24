/** Saved searches of a page: kept under a name by one person, and shared with all when they say so. */

import type { Html } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import { plainly } from '../../surface/access/needs.ts';
import type { CapabilityPages } from '../../surface/capability.ts';
import { icon } from '../../surface/view/icon.ts';
import { csrfField } from '../../surface/view/shell.ts';
import { route } from '../../surface/web/reply.ts';
import type { SearchPath, ShownSearch } from '../../surface/web/search-page.ts';
import { searchText } from '../../surface/web/search-page.ts';
import type { Visit } from '../../surface/web/visit.ts';
import { fieldOf, filledField, goTo, page, sendError } from '../../surface/web/visit.ts';
import { deleteView, listViews, readKept, saveView } from './saved-view.store.ts';

/** Characters of a view's name. */
const VIEW_NAME_MAX = 60;

export const savedViewsPages: CapabilityPages = {
  register(router, context, form): void {
    route(router, '/views', { post: [form, page(context, plainly('viewer'), addView)] });
    route(router, '/views/delete', { post: [form, page(context, plainly('viewer'), dropView)] });
  },
  aboveSearch: viewsOf,
  keeping: {
    read: async (visit, name) => await readKept(visit.options.db, ownerOf(visit), name),
    write: async (visit, kept) => {
      await saveView(visit.options.db, ownerOf(visit), { ...kept, now: visit.now });
    },
  },
};

/** The saved searches of a page, and the form to keep the one that is shown. */
async function viewsOf(
  visit: Visit,
  { path, query: current, isFiltered }: ShownSearch,
): Promise<Html> {
  const owner = ownerOf(visit);
  const views = await listViews(visit.options.db, { ...owner, page: path });
  const isKept = views.some(({ query }) => query === current);
  return html`${
    views.length > 0 &&
    html`<nav aria-label="Saved views"><ul class="tabs">${views.map((view) => {
      const { id, name, query, operator, is_shared: isShared } = view;
      const isHere = query === current;
      return html`<li><a href="${path}?${query}"${isHere && html` aria-current="page"`}>${icon('bookmark')} ${name}${isShared && html` <span class="quiet">${operator === owner.operator ? 'shared' : `by ${operator}`}</span>`}</a>${
        isHere &&
        operator === owner.operator &&
        html`<form method="post" action="/views/delete">${csrfField(visit.csrfToken)}<input type="hidden" name="id" value="${id}"><input type="hidden" name="page" value="${path}"><button class="plain small">Forget ${name}</button></form>`
      }</li>`;
    })}</ul></nav>`
  }${
    isFiltered &&
    !isKept &&
    html`<details class="fold"><summary>Keep this view</summary><form method="post" action="/views" class="actions">${csrfField(visit.csrfToken)}<input type="hidden" name="page" value="${path}"><input type="hidden" name="query" value="${current}"><div><label class="hidden" for="view">Name of the view</label><input id="view" name="name" maxlength="${VIEW_NAME_MAX}" placeholder="Name of the view" required></div><label class="inline"><input type="checkbox" name="shared" value="yes"><span>for everybody</span></label><button class="small">Keep</button></form></details>`
  }`;
}

function ownerOf({ options, who }: Visit): { organisationId: string; operator: string } {
  return { organisationId: options.organisationId, operator: who.name };
}

function pageOf(request: Visit['request']): SearchPath {
  return fieldOf(request, 'page') === '/reviews' ? '/reviews' : '/alerts';
}

async function addView(visit: Visit): Promise<void> {
  const { options, now, request } = visit;
  const name = filledField(request, 'name')?.slice(0, VIEW_NAME_MAX);
  const on = pageOf(request);
  const query = searchText(on, fieldOf(request, 'query') ?? '');
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
