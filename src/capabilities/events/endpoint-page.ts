/** One endpoint: what it is sent, each delivery with its attempts, and what can be done about it. */
import type { RequestHandler, Router } from 'express';
import { z } from 'zod';
import { byOperator, writeAudit } from '../../base/audit/audit.store.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import type { Html } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import { plainly, proven } from '../../surface/access/needs.ts';
import { isAtLeast } from '../../surface/access/role.ts';
import type { DescriptionEntry } from '../../surface/view/description-list.ts';
import { descriptionList } from '../../surface/view/description-list.ts';
import { emptyState } from '../../surface/view/empty-state.ts';
import { choiceField } from '../../surface/view/fields.ts';
import { alertPath } from '../../surface/view/links.ts';
import { csrfField } from '../../surface/view/shell.ts';
import { nextPage, numeric, table } from '../../surface/view/table.ts';
import { moment, momentOr, secondsMoment } from '../../surface/view/time.ts';
import { LIMIT_DEFAULT } from '../../surface/web/query.ts';
import { route } from '../../surface/web/reply.ts';
import type { PageContext, Visit } from '../../surface/web/visit.ts';
import { goTo, page, readListQuery, send, sendError } from '../../surface/web/visit.ts';
import type { DeliveryItem } from './delivery.store.ts';
import { listDeliveries, noteTest, sendAgain, sendGivenUp } from './delivery.store.ts';
import type { EndpointAct, EndpointChange, EndpointItem } from './endpoint.store.ts';
import { changeEndpoint, editEndpoint, listEndpoints, ROTATION_DAYS } from './endpoint.store.ts';
import {
  ADD_REFUSALS,
  actOf,
  askedFor,
  attemptEnd,
  attemptsTable,
  deliveryPath,
  deliveryState,
  ENDPOINTS_PATH,
  endpointForm,
  endpointPath,
  endpointState,
  nextTry,
  readWish,
  secretBanner,
  waiting,
  wishOf,
} from './endpoint-parts.ts';

const listQuery = z.strictObject({
  state: z.enum(['PENDING', 'DELIVERED', 'GIVEN_UP']).optional(),
  before: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER).optional(),
  done: z.enum(['test', 'again', 'on', 'off', 'changed']).optional(),
});

const ONE = `${ENDPOINTS_PATH}/:id`;

export function registerEndpoint(router: Router, context: PageContext, form: RequestHandler): void {
  const asProven = (act: OnEndpoint): RequestHandler =>
    page(context, proven('administrator', ENDPOINTS_PATH), (visit) => on(visit, act));
  const asPlain = (act: OnEndpoint): RequestHandler =>
    page(context, plainly('administrator'), (visit) => on(visit, act));
  route(router, ONE, { get: page(context, 'viewer', (visit) => on(visit, (at) => show(at, {}))) });
  route(router, `${ONE}/change`, {
    get: asProven(showChange),
    post: [form, asProven(change)],
  });
  for (const name of ['on', 'off', 'remove', 'rotate'] as const)
    route(router, `${ONE}/${name}`, { post: [form, asProven((at) => act(at, name))] });
  route(router, `${ONE}/test`, { post: [form, asPlain(test)] });
  route(router, `${ONE}/given-up`, { post: [form, asPlain(againAll)] });
  route(router, `${ONE}/deliveries/:seq`, {
    get: page(context, 'viewer', (visit) => on(visit, showDelivery)),
    post: [form, asPlain(again)],
  });
}

interface At {
  readonly visit: Visit;
  readonly endpoint: EndpointItem;
}
type OnEndpoint = (at: At) => Promise<void>;

const NONE = {
  title: 'No such endpoint',
  message: 'It was removed, or never was.',
  next: { path: ENDPOINTS_PATH, words: 'All endpoints' },
};

async function on(visit: Visit, act: OnEndpoint): Promise<void> {
  const { db, organisationId } = visit.options;
  const id = String(visit.request.params['id']);
  const [endpoint] = await listEndpoints(db, organisationId, id);
  if (endpoint === undefined) sendError(visit, 404, NONE);
  else await act({ visit, endpoint });
}

function actAt({ visit, endpoint }: At): EndpointAct & { readonly id: string } {
  return { ...actOf(visit), id: endpoint.id };
}

const DONE = {
  test: 'A test event is on its way. It stands first in the list when it got its position; load the page again.',
  again: 'It is sent again.',
  on: 'Switched on. It is sent what it missed.',
  off: 'Switched off. Its events are kept for 90 days.',
  changed: 'Changed.',
} as const;

async function show(at: At, { secret }: { readonly secret?: string }): Promise<void> {
  const { visit, endpoint } = at;
  const query = readListQuery(visit, listQuery);
  if (query === undefined) return;
  const { db, organisationId } = visit.options;
  const { state, before, done } = query;
  const deliveries = await listDeliveries(db, {
    organisationId,
    endpointId: endpoint.id,
    state,
    before,
    limit: LIMIT_DEFAULT,
  });
  const path = endpointPath(endpoint.id);
  const last = deliveries.length < LIMIT_DEFAULT ? undefined : deliveries.at(-1);
  const body = html`<p><a href="${ENDPOINTS_PATH}">Endpoints</a></p><h1>${endpoint.name}</h1>
${done !== undefined && html`<p class="banner done" role="status">${DONE[done]}</p>`}
${secret !== undefined && html`${secretBanner(secret, path)}<p class="quiet">The secret before signs too for ${ROTATION_DAYS} days: exchange it in that time.</p>`}
${aboutEndpoint(endpoint)}${buttons(at)}
<h2>Deliveries</h2>
<form action="${path}" method="get" class="card"><div class="filters">${choiceField(
    'state',
    'State',
    {
      value: state,
      entries: [
        ['PENDING', 'waits'],
        ['DELIVERED', 'taken'],
        ['GIVEN_UP', 'given up'],
      ],
    },
  )}</div><p class="actions"><button class="small">Apply</button></p></form>
${deliveries.length === 0 ? emptyState('Nothing was sent yet.', state === undefined ? 'Events that happen from now on stand here.' : html`<a href="${path}">Show all deliveries</a>`) : deliveryList(at, deliveries)}
${last !== undefined && nextPage(path, { ...(state === undefined ? {} : { state }), before: String(last.seq) })}`;
  send(visit, { title: endpoint.name, active: ENDPOINTS_PATH, body });
}

function aboutEndpoint(endpoint: EndpointItem): Html {
  const list: DescriptionEntry[] = [
    ['State', endpointState(endpoint)],
    ['Address', html`<code>${endpoint.url}</code>`],
    ['Is sent', askedFor(endpoint)],
    ['E-mail address of the customer', endpoint.with_email ? 'sent too' : 'not sent'],
    ['Waiting', String(waiting(endpoint))],
    ['Given up', String(endpoint.given_up)],
    ['Took one last', momentOr(endpoint.delivered_at, 'never')],
    [
      'Pauses until',
      endpoint.quiet_until !== null &&
        endpoint.state === 'ON' &&
        secondsMoment(endpoint.quiet_until),
    ],
    [
      'Added',
      html`${moment(endpoint.created_at)} <span class="quiet">by ${endpoint.created_by}</span>`,
    ],
  ];
  return descriptionList(list);
}

function buttons({ visit, endpoint }: At): Html | false {
  if (!isAtLeast(visit.who.role, 'administrator')) return false;
  const path = endpointPath(endpoint.id);
  const button = (name: string, words: string): Html =>
    html`<form method="post" action="${path}/${name}">${csrfField(visit.csrfToken)}<button class="plain small">${words}</button></form>`;
  const isOn = endpoint.state === 'ON';
  const isOurs = endpoint.kept_by === 'console';
  return html`<div class="actions">${isOn && button('test', 'Send a test event')}${endpoint.given_up > 0 && button('given-up', `Send ${endpoint.given_up} given up again`)}${isOn ? button('off', 'Switch off') : button('on', 'Switch on')}${isOurs && html`<a class="button plain small" href="${path}/change">Change, new secret, remove…</a>`}</div>
${!isOurs && html`<p class="quiet">It stands in the file that FORESTALL_ENDPOINTS names: what it is sent, its secrets and whether it is there are said there.</p>`}`;
}

function deliveryList({ visit, endpoint }: At, deliveries: readonly DeliveryItem[]): Html {
  const { now } = visit;
  const maySend = maySendAgain(visit, endpoint);
  return table({
    label: 'Deliveries',
    columns: [
      numeric('Event'),
      'Type',
      'State',
      'Last attempt',
      numeric('Attempts'),
      'Next try',
      'Happened',
      'What it says',
      ...(maySend ? ['Again'] : []),
    ],
    rows: deliveries.map((each) => {
      const last = each.attempts.at(-1);
      return [
        html`<a href="${deliveryPath(endpoint.id, each.seq)}">${String(each.seq)}</a>`,
        html`<code>${each.type}</code>`,
        deliveryState(each),
        last === undefined ? html`<span class="quiet">none</span>` : attemptEnd(last),
        String(each.attempts.length),
        nextTry(each, { endpoint, now }),
        moment(each.at),
        each.sentence,
        // What was taken can be sent again from its own page: there it is not done by a slip.
        ...(maySend ? [each.state !== 'DELIVERED' && againForm(visit, endpoint, each)] : []),
      ];
    }),
  });
}

function maySendAgain({ who }: Visit, { state }: EndpointItem): boolean {
  return isAtLeast(who.role, 'administrator') && state === 'ON';
}

function againForm({ csrfToken }: Visit, { id }: EndpointItem, { seq }: DeliveryItem): Html {
  return html`<form method="post" action="${deliveryPath(id, seq)}">${csrfField(csrfToken)}<button class="small" aria-label="Send event ${seq} again">Send again</button></form>`;
}

async function deliveryOf({ visit, endpoint }: At): Promise<DeliveryItem | undefined> {
  const seq = Number(visit.request.params['seq']);
  if (!Number.isSafeInteger(seq) || seq < 1) return undefined;
  const { db, organisationId } = visit.options;
  const [found] = await listDeliveries(db, {
    organisationId,
    endpointId: endpoint.id,
    seq,
    limit: 1,
  });
  return found;
}

const NO_DELIVERY = {
  title: 'No such delivery',
  message: 'This endpoint was not sent the event, or it is older than 90 days.',
};

async function showDelivery(at: At): Promise<void> {
  const { visit, endpoint } = at;
  const found = await deliveryOf(at);
  if (found === undefined) return sendError(visit, 404, NO_DELIVERY);
  const path = endpointPath(endpoint.id);
  const body = html`<p><a href="${ENDPOINTS_PATH}">Endpoints</a> › <a href="${path}">${endpoint.name}</a></p><h1>Event ${String(found.seq)}: ${found.type}</h1>
<p>${found.sentence}</p>
${descriptionList([
  ['State', deliveryState(found)],
  ['Next try', nextTry(found, { endpoint, now: visit.now })],
  ['Happened', secondsMoment(found.at)],
  [
    'Alert',
    found.alert_id !== null &&
      html`<a href="${alertPath(found.alert_id)}"><code>${found.alert_id}</code></a>`,
  ],
])}
${maySendAgain(visit, endpoint) && html`<div class="actions">${againForm(visit, endpoint, found)}</div>`}
<h2>Attempts</h2>
${found.attempts.length === 0 ? emptyState('It was not tried yet.', 'The first attempt comes within two seconds where the endpoint is on and nothing of the same alert waits before it.') : attemptsTable(found.attempts)}`;
  send(visit, { title: `Event ${found.seq}`, active: ENDPOINTS_PATH, body });
}

/** Something that a person did to an endpoint, with its row of the audit log. */
async function noted(
  at: At,
  what: string,
  work: (trx: Parameters<Parameters<typeof inTransaction>[1]>[0]) => Promise<unknown>,
): Promise<void> {
  const { visit, endpoint } = at;
  const { options, now, who } = visit;
  const { organisationId } = options;
  await inTransaction(options.db, async (trx) => {
    await work(trx);
    const detail = { endpoint: endpoint.id, name: endpoint.name };
    await writeAudit(trx, { organisationId, at: now, ...byOperator(who.name), what, detail });
  });
}

async function test(at: At): Promise<void> {
  const { visit, endpoint } = at;
  const { options, now, who } = visit;
  const about = { organisationId: options.organisationId, endpointId: endpoint.id, now };
  if (endpoint.state !== 'ON')
    return sendError(visit, 409, {
      title: 'Not sent',
      message: 'The endpoint is off. Switch it on first.',
    });
  await noted(at, 'sent a test event', (trx) =>
    noteTest(trx, { ...about, name: endpoint.name, by: `operator:${who.name}` }),
  );
  goTo(visit, `${endpointPath(endpoint.id)}?done=test`);
}

async function again(at: At): Promise<void> {
  const { visit, endpoint } = at;
  const found = await deliveryOf(at);
  if (found === undefined) return sendError(visit, 404, NO_DELIVERY);
  const about = {
    organisationId: visit.options.organisationId,
    endpointId: endpoint.id,
    seq: found.seq,
    now: visit.now,
  };
  let isSent: boolean | undefined;
  await noted(at, `asked for event ${found.seq} to be sent again`, async (trx) => {
    isSent = await sendAgain(trx, about);
  });
  if (isSent === true) goTo(visit, `${endpointPath(endpoint.id)}?done=again`);
  else
    sendError(visit, 409, {
      title: 'Not sent again',
      message: 'It is under way just now, or the endpoint is off.',
      next: { path: deliveryPath(endpoint.id, found.seq), words: 'Back to the delivery' },
    });
}

async function againAll(at: At): Promise<void> {
  const { visit, endpoint } = at;
  const about = {
    organisationId: visit.options.organisationId,
    endpointId: endpoint.id,
    now: visit.now,
  };
  await noted(at, 'asked for events that were given up to be sent again', (trx) =>
    sendGivenUp(trx, about),
  );
  goTo(visit, `${endpointPath(endpoint.id)}?done=again`);
}

async function act(at: At, change: EndpointChange): Promise<void> {
  const { visit, endpoint } = at;
  const changed = await changeEndpoint(visit.options.db, change, actAt(at));
  if (changed === undefined)
    return sendError(visit, 409, {
      ...NONE,
      title: 'Not changed',
      message: 'An endpoint of the settings is changed there.',
    });
  if (changed.secret !== undefined) return await show(at, { secret: changed.secret });
  if (change === 'remove') goTo(visit, ENDPOINTS_PATH);
  else goTo(visit, `${endpointPath(endpoint.id)}?done=${change === 'on' ? 'on' : 'off'}`);
}

async function showChange(at: At, fault?: string): Promise<void> {
  const { visit, endpoint } = at;
  const path = endpointPath(endpoint.id);
  const body = html`<p><a href="${ENDPOINTS_PATH}">Endpoints</a> › <a href="${path}">${endpoint.name}</a></p><h1>Change ${endpoint.name}</h1>
${fault !== undefined && html`<p class="banner error" role="alert">${fault}</p>`}
${endpointForm(visit, { path: `${path}/change`, wish: wishOf(endpoint), button: 'Save' })}
<h2>New secret</h2><form method="post" action="${path}/rotate" class="card">${csrfField(visit.csrfToken)}<p>The secret before signs too for ${ROTATION_DAYS} days. One that was exchanged within them ends at once.</p><p class="actions"><button>Make a new secret</button></p></form>
<h2>Remove</h2><form method="post" action="${path}/remove" class="card">${csrfField(visit.csrfToken)}<p>What it was not sent yet is not sent. To keep it, switch the endpoint off.</p><p class="actions"><button>Remove ${endpoint.name}</button></p></form>`;
  send(visit, {
    status: fault === undefined ? 200 : 400,
    title: `Change ${endpoint.name}`,
    active: ENDPOINTS_PATH,
    body,
  });
}

async function change(at: At): Promise<void> {
  const { visit, endpoint } = at;
  const wish = readWish(visit);
  if (typeof wish === 'string') return await showChange(at, wish);
  const changed = await editEndpoint(visit.options.db, wish, actAt(at));
  if (typeof changed === 'string') return await showChange(at, ADD_REFUSALS[changed]);
  if (!changed) return sendError(visit, 409, { ...NONE, title: 'Not changed' });
  goTo(visit, `${endpointPath(endpoint.id)}?done=changed`);
}
