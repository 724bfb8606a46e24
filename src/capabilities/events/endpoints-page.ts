/** Endpoints: who is told of events, whether they take them, and one more. */
import type { RequestHandler, Router } from 'express';
import type { Html } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import { proven } from '../../surface/access/needs.ts';
import { isAtLeast } from '../../surface/access/role.ts';
import { emptyState } from '../../surface/view/empty-state.ts';
import { numeric, table } from '../../surface/view/table.ts';
import { momentOr } from '../../surface/view/time.ts';
import { route } from '../../surface/web/reply.ts';
import type { PageContext, Visit } from '../../surface/web/visit.ts';
import { page, send } from '../../surface/web/visit.ts';
import type { EndpointItem } from './endpoint.store.ts';
import { addEndpoint, listEndpoints } from './endpoint.store.ts';
import { registerEndpoint } from './endpoint-page.ts';
import {
  ADD_REFUSALS,
  actOf,
  askedFor,
  ENDPOINTS_PATH,
  endpointForm,
  endpointPath,
  endpointState,
  readWish,
  secretBanner,
  waiting,
} from './endpoint-parts.ts';

export function registerEndpoints(
  router: Router,
  context: PageContext,
  form: RequestHandler,
): void {
  route(router, ENDPOINTS_PATH, {
    get: page(context, 'viewer', (visit) => show(visit, {})),
    post: [form, page(context, proven('administrator', ENDPOINTS_PATH), add)],
  });
  registerEndpoint(router, context, form);
}

interface Notice {
  readonly fault?: string;
  /** Shown once, never again. */
  readonly added?: { readonly id: string; readonly secret: string };
}

async function show(visit: Visit, { fault, added }: Notice): Promise<void> {
  const { db, organisationId } = visit.options;
  const endpoints = await listEndpoints(db, organisationId);
  const mayChange = isAtLeast(visit.who.role, 'administrator');
  const body = html`<h1>Endpoints</h1>
${fault !== undefined && html`<p class="banner error" role="alert">${fault}</p>`}
${added !== undefined && secretBanner(added.secret, endpointPath(added.id))}
<p class="quiet">Systems of yours that are told what happens to an alert, by signed webhooks. Each gets every event at least once, those of an alert in their order.</p>
${endpoints.length === 0 ? emptyState('No endpoint yet.', mayChange ? 'Add your shop, your ERP or your support desk below.' : 'An administrator adds them here.') : list(endpoints)}
${mayChange && html`<h2>Add an endpoint</h2>${endpointForm(visit, { path: ENDPOINTS_PATH, button: 'Add the endpoint' })}`}`;
  send(visit, {
    status: fault === undefined ? 200 : 400,
    title: 'Endpoints',
    active: ENDPOINTS_PATH,
    body,
  });
}

function list(endpoints: readonly EndpointItem[]): Html {
  return table({
    label: 'Endpoints',
    columns: [
      'Name',
      'State',
      numeric('Waiting'),
      numeric('Given up'),
      'Took one last',
      'Events',
      'Address',
    ],
    rows: endpoints.map((each) => [
      html`<a href="${endpointPath(each.id)}">${each.name}</a>`,
      endpointState(each),
      String(waiting(each)),
      String(each.given_up),
      momentOr(each.delivered_at, 'never'),
      askedFor(each),
      html`<code>${URL.parse(each.url)?.host ?? each.url}</code>`,
    ]),
  });
}

async function add(visit: Visit): Promise<void> {
  const wish = readWish(visit);
  if (typeof wish === 'string') return await show(visit, { fault: wish });
  const added = await addEndpoint(visit.options.db, wish, actOf(visit));
  if (typeof added === 'string') return await show(visit, { fault: ADD_REFUSALS[added] });
  await show(visit, { added });
}
