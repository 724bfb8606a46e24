/** All alerts: searched, filtered, kept as views, exported. Every filter stands in the address. */
import type { RequestHandler, Router } from 'express';
import { CASE_STATES } from '../../../alerts/cases/case-state.ts';
import { writeAudit } from '../../../base/audit/audit.store.ts';
import { inTransaction } from '../../../base/db/transaction.ts';
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import type { AlertListPage } from '../../../books/insights/alert-list.store.ts';
import { CARD_SCHEMES } from '../../../service/wire/alert.ts';
import { ENROLMENT_TYPES } from '../../../service/wire/enrolment.ts';
import { streamCsv } from '../alert-csv.ts';
import { findAlerts, storeQueryOf } from '../alert-search.ts';
import type { AlertSearchQuery } from '../query.ts';
import { alertSearchQuery, makeCursor, read } from '../query.ts';
import { route } from '../reply.ts';
import type { SavedView } from '../saved-view.store.ts';
import { deleteView, listViews, saveView } from '../saved-view.store.ts';
import { choiceField, inputField } from '../view/fields.ts';
import { csrfField } from '../view/shell.ts';
import { moment } from '../view/time.ts';
import { STATE_WORDS } from '../view/words.ts';
import type { PageContext, Visit } from '../visit.ts';
import { fieldOf, filledField, page, send, sendError } from '../visit.ts';
import { caseList, emptyState } from './case-list.ts';

/** The tabs above the list, as the query names them. */
const TABS = { open: 'Open', HUMAN: 'Needs a decision', closed: 'Over', all: 'All' } as const;

/** Characters of a view's name. */
const VIEW_NAME_MAX = 60;

export function registerAlerts(router: Router, context: PageContext, form: RequestHandler): void {
  route(router, '/alerts', { get: page(context, 'viewer', show) });
  route(router, '/alerts.csv', { get: page(context, 'reviewer', exportCsv) });
  route(router, '/views', { post: [form, page(context, 'viewer', keepView)] });
  route(router, '/views/delete', { post: [form, page(context, 'viewer', dropView)] });
}

/** The query without the fields that a form sent empty; undefined after the faults were answered. */
function readQuery(visit: Visit): AlertSearchQuery | undefined {
  const given = Object.entries(visit.request.query).filter(([, value]) => value !== '');
  const query = read(alertSearchQuery, Object.fromEntries(given));
  if (query.ok) return query.value;
  const message = query.faults.map((fault) => fault.message).join(' ');
  sendError(visit, 400, { title: 'That list does not exist', message });
  return undefined;
}

async function show(visit: Visit): Promise<void> {
  const { options, who, now } = visit;
  const { db, organisationId } = options;
  const query = readQuery(visit);
  if (query === undefined) return;
  const found = await findAlerts(db, organisationId, query);
  const views = await listViews(db, { organisationId, operator: who.name });
  const body = html`<div class="bar"><h1>Alerts</h1><a class="button plain small" href="/alerts.csv?${queryString(query)}" download>Export as CSV</a></div>
${tabs(query)}${viewList(visit, views, query)}${filterForm(query)}
<section id="results" aria-live="polite">${results(found, query, now)}</section>
<p class="quiet">As of ${moment(now)}.</p>`;
  send(visit, { title: 'Alerts', active: '/alerts', body });
}

function results(found: AlertListPage, query: AlertSearchQuery, now: Date): Html {
  const { items, next } = found;
  const onward =
    next === null
      ? ''
      : `/alerts?${queryString(query, { cursor: makeCursor([next.deadlineText, next.alertId]) })}`;
  const isCutShort = next !== null && items.length < query.limit;
  return html`${items.length === 0 && next === null && nothing(query)}
${items.length > 0 && caseList(items, now)}
${
  isCutShort &&
  html`<p class="banner info">So far ${items.length === 0 ? 'nothing was' : `${items.length} were`} found. There are more alerts to look through. <a href="${onward}&amp;deep=yes">Look further</a></p>`
}
${next !== null && !isCutShort && html`<p><a class="button plain" href="${onward}" rel="next">Next page</a></p>`}`;
}

function nothing(query: AlertSearchQuery): Html {
  const isPlain = queryString({ ...query, state: 'open' }) === 'state=open';
  if (isPlain && query.state === 'open') {
    return emptyState(
      'No alert is open.',
      'New ones appear here by themselves as soon as the service reports them.',
    );
  }
  return emptyState(
    'No alert is in this list.',
    html`Widen the filter, or <a href="/alerts?state=all">show all alerts</a>.`,
  );
}

/** The query as it stands in an address, without the cursor unless one is given. */
function queryString(query: AlertSearchQuery, extra: Record<string, string> = {}): string {
  const { cursor: _cursor, limit, deep: _deep, ...fields } = query;
  const parts = Object.entries({ ...fields, ...(limit === 50 ? {} : { limit }), ...extra });
  const text = new URLSearchParams();
  for (const [name, value] of parts) if (value !== undefined) text.set(name, String(value));
  return text.toString();
}

function tabs(query: AlertSearchQuery): Html {
  return html`<nav aria-label="State"><ul class="tabs">${Object.entries(TABS).map(
    ([state, label]) =>
      html`<li><a href="/alerts?${queryString(query, { state })}"${state === query.state && html` aria-current="page"`}>${label}</a></li>`,
  )}</ul></nav>`;
}

function viewList(visit: Visit, views: readonly SavedView[], query: AlertSearchQuery): Html {
  const current = queryString(query);
  const isFiltered = !/^state=\w+$/.test(current);
  return html`${
    views.length > 0 &&
    html`<nav aria-label="Saved views"><ul class="tabs">${views.map(
      ({ id, name, query: saved }) =>
        html`<li><a href="/alerts?${saved}"${saved === current && html` aria-current="page"`}>${name}</a>${
          saved === current &&
          html`<form method="post" action="/views/delete">${csrfField(visit.csrfToken)}<input type="hidden" name="id" value="${id}"><button class="plain small">Forget ${name}</button></form>`
        }</li>`,
    )}</ul></nav>`
  }${
    isFiltered &&
    views.every(({ query: saved }) => saved !== current) &&
    html`<details class="fold"><summary>Keep this view</summary><form method="post" action="/views" class="actions">${csrfField(visit.csrfToken)}<input type="hidden" name="query" value="${current}"><div><label class="hidden" for="view">Name of the view</label><input id="view" name="name" maxlength="${VIEW_NAME_MAX}" placeholder="Name of the view" required></div><button class="small">Keep</button></form></details>`
  }`;
}

function filterForm(query: AlertSearchQuery): Html {
  const { state, limit, cursor, deep, q, ...rest } = query;
  const isOpen = q !== undefined || Object.values(rest).some((value) => value !== undefined);
  return html`<details class="fold"${isOpen && html` open`}><summary>Search and filter</summary>
<form action="/alerts" method="get" class="card">
<div class="filters">
${inputField({ name: 'q', label: 'Search', value: q, hint: 'id, last 4, ARN, charge, order, e-mail' })}
${choiceField('state', 'State', { value: state, entries: stateEntries(), isOpen: false })}
${choiceField('programme', 'Programme', { value: rest.programme, entries: named(ENROLMENT_TYPES) })}
${choiceField('scheme', 'Card scheme', { value: rest.scheme, entries: named(CARD_SCHEMES) })}
${inputField({ name: 'min', label: 'Amount from', value: rest.min, hint: '10.00' })}
${inputField({ name: 'max', label: 'Amount to', value: rest.max, hint: '500.00' })}
${inputField({ name: 'currency', label: 'Currency', value: rest.currency, hint: 'USD' })}
${inputField({ name: 'reason', label: 'Reason code', value: rest.reason, hint: '10.4' })}
${inputField({ name: 'issuer', label: 'Issuer', value: rest.issuer })}
${inputField({ name: 'descriptor', label: 'Descriptor begins with', value: rest.descriptor })}
${inputField({ name: 'from', label: 'Received from (UTC)', value: rest.from, type: 'date' })}
${inputField({ name: 'to', label: 'Received to (UTC)', value: rest.to, type: 'date' })}
${choiceField('missed', 'Missed', { value: rest.missed, entries: [['yes', 'only missed']] })}
</div><p class="actions"><button class="small">Apply</button><a class="button plain small" href="/alerts?state=${state}">Clear</a></p></form></details>`;
}

type Entries = readonly (readonly [string, string])[];

function named(words: readonly string[]): Entries {
  return words.map((word) => [word, word]);
}

function stateEntries(): Entries {
  return [
    ...Object.entries({ open: 'open', closed: 'over', all: 'all' }),
    ...CASE_STATES.map((state) => [state, STATE_WORDS[state][0]] as const),
  ];
}

async function exportCsv(visit: Visit): Promise<void> {
  const { options, who, now, response } = visit;
  const { db, organisationId } = options;
  const query = readQuery(visit);
  if (query === undefined) return;
  await inTransaction(db, async (trx) => {
    await writeAudit(trx, {
      organisationId,
      at: now,
      subject: 'operator',
      subjectId: who.name,
      actor: `operator:${who.name}`,
      what: 'exported alerts',
      detail: { state: query.state },
    });
  });
  await streamCsv(db, response, await storeQueryOf(db, organisationId, query));
}

async function keepView(visit: Visit): Promise<void> {
  const { options, who, now, request, response } = visit;
  const name = filledField(request, 'name')?.slice(0, VIEW_NAME_MAX);
  const given = Object.fromEntries(new URLSearchParams(fieldOf(request, 'query') ?? ''));
  const query = read(alertSearchQuery, given);
  if (name === undefined || !query.ok) {
    const message = 'Name the view, and keep only what the page offers.';
    sendError(visit, 400, { title: 'Not kept', message });
    return;
  }
  const text = queryString(query.value);
  const owner = { organisationId: options.organisationId, operator: who.name };
  if (await saveView(options.db, owner, { name, query: text, now })) {
    response.redirect(303, `/alerts?${text}`);
  } else {
    sendError(visit, 409, {
      title: 'Not kept',
      message: 'You have too many views. Forget one first.',
    });
  }
}

async function dropView({ options, who, request, response }: Visit): Promise<void> {
  const owner = { organisationId: options.organisationId, operator: who.name };
  const id = Number(fieldOf(request, 'id'));
  if (Number.isSafeInteger(id)) await deleteView(options.db, owner, id);
  response.redirect(303, '/alerts');
}
