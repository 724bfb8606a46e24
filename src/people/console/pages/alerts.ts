/** All alerts: searched, filtered, kept as views, exported. Every filter is in the address. */

import type { RequestHandler, Router } from 'express';
import { CASE_STATES } from '../../../alerts/cases/case-state.ts';
import { HOLD_REASONS } from '../../../alerts/cases/hold-reason.ts';
import { readRowFacts, SORTED_MAX } from '../../../alerts/list/alert-order.store.ts';
import type { NamedThing } from '../../../alerts/list/search-others.store.ts';
import { findNamed } from '../../../alerts/list/search-others.store.ts';
import { readCustomerNames } from '../../../alerts/review/review-customers.store.ts';
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import { saidCount } from '../../../base/kernel/said-count.ts';
import { CARD_SCHEMES } from '../../../service/wire/alert.ts';
import { programmeWords, schemeWords } from '../../../service/wire/code-words.ts';
import { ENROLMENT_TYPES } from '../../../service/wire/enrolment.ts';
import { plainly } from '../../../surface/access/needs.ts';
import { isAtLeast } from '../../../surface/access/role.ts';
import { emptyState } from '../../../surface/view/empty-state.ts';
import { choiceField, inputField } from '../../../surface/view/fields.ts';
import { icon } from '../../../surface/view/icon.ts';
import { alertPath } from '../../../surface/view/links.ts';
import { isOffered, pagePath } from '../../../surface/view/page-link.ts';
import { csrfField } from '../../../surface/view/shell.ts';
import { STATE_WORDS } from '../../../surface/view/words.ts';
import type { AlertsPageQuery } from '../../../surface/web/alerts-query.ts';
import { alertsPageQuery, alertsText, columnsOf } from '../../../surface/web/alerts-query.ts';
import { alertSearchQuery, makeCursor, read } from '../../../surface/web/query.ts';
import { route } from '../../../surface/web/reply.ts';
import type { PageContext, Visit } from '../../../surface/web/visit.ts';
import {
  fieldOf,
  fieldsOf,
  goTo,
  noteExport,
  page,
  readListQuery,
  send,
} from '../../../surface/web/visit.ts';
import { streamCsv } from '../alert-csv.ts';
import type { SortedAlerts } from '../alert-search.ts';
import { findSortedAlerts, storeQueryOf } from '../alert-search.ts';
import { aboveSearch, keeping } from '../page-parts.ts';
import { alertTable, columnForm, sumLine } from './alert-table.ts';
import { severalBar } from './review-several.ts';

/** The tabs above the list, as the query names them. */
const TABS = { open: 'Open', HUMAN: 'Needs a decision', closed: 'Over', all: 'All' } as const;

export function registerAlerts(router: Router, context: PageContext, form: RequestHandler): void {
  route(router, '/alerts', { get: page(context, 'viewer', show) });
  route(router, '/alerts/columns', {
    post: [form, page(context, plainly('viewer'), storeColumns)],
  });
  route(router, '/alerts.csv', { get: page(context, 'reviewer', exportCsv) });
}

async function show(visit: Visit): Promise<void> {
  const { options } = visit;
  const { db, organisationId } = options;
  const query = readListQuery(visit, alertsPageQuery);
  if (query === undefined) return;
  const { q } = query;
  const [found, known, kept] = await Promise.all([
    findSortedAlerts(db, organisationId, query),
    q === undefined ? [] : findNamed(db, organisationId, q),
    readColumns(visit),
  ]);
  const named = known.filter(({ kind }) => isOffered(NAMED_PAGES[kind]));
  const target = query.go === undefined ? undefined : onlyOne(found, named, q);
  if (target !== undefined) return goTo(visit, target);
  const ids = found.items.map(({ alertId }) => alertId);
  const current = alertsText(query);
  const isFiltered = !/^state=\w+$/.test(current);
  const [facts, views] = await Promise.all([
    readRowFacts(db, organisationId, ids),
    aboveSearch(visit, { path: '/alerts', query: current, isFiltered }),
  ]);
  const orders = [...facts.values()].map(({ orderReference }) => orderReference);
  const customers = await readCustomerNames(db, organisationId, orders);
  const columns = columnsOf(query.columns ?? kept);
  const mayDecide = isAtLeast(visit.who.role, 'reviewer');
  const body = html`<div class="list-page"><div class="bar"><h1>Alerts</h1>${found.items.length > 0 && sumLine(found.sum)}<a class="button plain small" href="/alerts.csv?${csvText(query)}" download>Export as CSV</a></div>
<div class="which">${tabs(query)}${views}${filterForm(query)}${keeping !== undefined && columnForm(csrfField(visit.csrfToken), { columns, back: current })}</div>
${namedLinks(named)}
<section id="results" aria-live="polite">${found.items.length > 0 && html`${mayDecide && severalBar('')}${alertTable({ query, items: found.items, facts, customers, columns, mayDecide, now: visit.now })}`}
${below(found, query)}</section></div>`;
  send(visit, { title: 'Alerts', active: '/alerts', body, isWide: true });
}

/** The query of the export: it has an order and columns of its own. */
function csvText({ sort: _sort, columns: _columns, ...query }: AlertsPageQuery): string {
  return alertsText(query);
}

/** The one thing that a search found: it opens at once. */
function onlyOne(
  { items, next }: Pick<SortedAlerts, 'items' | 'next'>,
  named: readonly NamedThing[],
  text: string | undefined,
): string | undefined {
  const [item, another] = items;
  if (item !== undefined && another === undefined && next === null) return alertPath(item.alertId);
  const [first, second] = named;
  const thing = second === undefined || first?.id === text?.trim() ? first : undefined;
  return items.length === 0 && thing !== undefined ? namedPath(thing) : undefined;
}

const NAMED_PAGES = {
  order: '/orders/:reference',
  charge: '/charges/:reference',
  event: '/events/:id',
} as const;

function namedPath({ kind, id }: NamedThing): string {
  return pagePath(NAMED_PAGES[kind], { reference: id, id });
}

function namedLinks(named: readonly NamedThing[]): Html | false {
  if (named.length === 0) return false;
  return html`<p>Also: ${named.map((thing, index) => html`${index > 0 && ', '}${thing.kind} <a href="${namedPath(thing)}">${thing.id}</a>`)}.</p>`;
}

/** Where the list continues, and what it leaves out. */
function below({ items, next, isCut }: SortedAlerts, query: AlertsPageQuery): Html {
  const onward =
    next === null ? '' : `/alerts?${alertsText(query, { cursor: makeCursor([...next]) })}`;
  const isCutShort = next !== null && items.length < query.limit;
  return html`${items.length === 0 && next === null && nothing(query)}
${isCut && html`<p class="banner info">Sorted are the ${SORTED_MAX} alerts of this list that stand first by deadline; there are more. Narrow the filter, or <a href="/alerts?${alertsText({ ...query, sort: undefined })}">show all by deadline</a>.</p>`}
${
  isCutShort &&
  html`<p class="banner info">So far ${items.length === 0 ? 'nothing was' : `${saidCount(items.length)} were`} found. There are more alerts to look through. <a href="${onward}&amp;deep=yes">Look further</a></p>`
}
${next !== null && !isCutShort && html`<p><a class="button plain" href="${onward}" rel="next">Next page</a></p>`}`;
}

function nothing(query: AlertsPageQuery): Html {
  const isPlain = alertsText({ ...query, state: 'open' }) === 'state=open';
  if (isPlain && query.state === 'open') {
    return emptyState(
      'No alert is open.',
      'New ones appear here by themselves as soon as the service reports them.',
    );
  }
  const unknown = unknownWords(query);
  return emptyState(
    'No alert is in this list.',
    html`${unknown.length > 0 && `${unknown.join(' ')} `}Widen the filter, or <a href="/alerts?state=all">show all alerts</a>.`,
  );
}

/** What is asked for and is not known here. The service may know more, so it is looked for anyway. */
function unknownWords({ programme, scheme, held }: AlertsPageQuery): string[] {
  const unless = (known: readonly string[], what: string, value: string | undefined): string[] =>
    value === undefined || known.includes(value) ? [] : [`No ${what} is called ${value} here.`];
  return [
    ...unless(ENROLMENT_TYPES, 'programme', programme),
    ...unless(CARD_SCHEMES, 'card scheme', scheme),
    ...unless(Object.keys(HOLD_REASONS), 'reason for holding', held),
  ];
}

function tabs(query: AlertsPageQuery): Html {
  return html`<nav aria-label="State"><ul class="tabs">${Object.entries(TABS).map(
    ([state, label]) =>
      html`<li><a href="/alerts?${alertsText(query, { state })}"${state === query.state && html` aria-current="page"`}>${label}</a></li>`,
  )}</ul></nav>`;
}

function filterForm(query: AlertsPageQuery): Html {
  const { state, limit, cursor, deep, go, q, sort, columns, ...rest } = query;
  const isOpen = q !== undefined || Object.values(rest).some((value) => value !== undefined);
  return html`<details class="fold filter"${isOpen && html` open`}><summary>${icon('filter')}Search and filter</summary>
<form action="/alerts" method="get" class="card">${sort !== undefined && html`<input type="hidden" name="sort" value="${sort}">`}
<div class="filters">
${inputField({ name: 'q', label: 'Search', value: q, hint: 'id, card, amount, ARN, order, e-mail' })}
${choiceField('state', 'State', { value: state, entries: stateEntries(), isOpen: false })}
${choiceField('programme', 'Programme', { value: rest.programme, entries: named(ENROLMENT_TYPES, programmeWords) })}
${choiceField('scheme', 'Card scheme', { value: rest.scheme, entries: named(CARD_SCHEMES, schemeWords) })}
${inputField({ name: 'min', label: 'Amount from', value: rest.min, hint: '10.00' })}
${inputField({ name: 'max', label: 'Amount to', value: rest.max, hint: '500.00' })}
${inputField({ name: 'currency', label: 'Currency', value: rest.currency, hint: 'USD' })}
${inputField({ name: 'reason', label: 'Reason code', value: rest.reason, hint: '10.4' })}
${inputField({ name: 'issuer', label: 'Issuer', value: rest.issuer })}
${inputField({ name: 'descriptor', label: 'Descriptor begins with', value: rest.descriptor })}
${inputField({ name: 'from', label: 'Received from (UTC)', value: rest.from, type: 'date' })}
${inputField({ name: 'to', label: 'Received to (UTC)', value: rest.to, type: 'date' })}
${inputField({ name: 'ended', label: 'Ended on (UTC)', value: rest.ended, type: 'date' })}
${choiceField('held', 'Held for', { value: rest.held, entries: named(Object.keys(HOLD_REASONS).toSorted(), (reason) => reason.replaceAll('_', ' ')) })}
${choiceField('missed', 'Missed', { value: rest.missed, entries: [['yes', 'only missed']] })}
</div><p class="actions"><button class="small">Apply</button><a class="button plain small" href="/alerts?state=${state}">Clear</a></p></form></details>`;
}

type Entries = readonly (readonly [string, string])[];

function named(codes: readonly string[], words: (code: string) => string): Entries {
  return codes.map((code) => [code, words(code)]);
}

function stateEntries(): Entries {
  return [
    ...Object.entries({ open: 'open', closed: 'over', all: 'all' }),
    ...CASE_STATES.map((state) => [state, STATE_WORDS[state][0]] as const),
  ];
}

async function exportCsv(visit: Visit): Promise<void> {
  const { options, response } = visit;
  const { db, organisationId } = options;
  const query = readListQuery(visit, alertSearchQuery);
  if (query === undefined) return;
  await noteExport(visit, 'exported alerts', { state: query.state });
  await streamCsv(options, response, await storeQueryOf(db, organisationId, query));
}

/** Under this name a person's columns are kept; no view that they name can begin with a blank. */
const COLUMNS_KEPT_AS = ' columns';

async function readColumns(visit: Visit): Promise<string | undefined> {
  const kept = await keeping?.read(visit, COLUMNS_KEPT_AS);
  return kept === undefined ? undefined : (new URLSearchParams(kept).get('columns') ?? '');
}

async function storeColumns(visit: Visit): Promise<void> {
  const { request } = visit;
  const chosen = columnsOf(fieldsOf(request, 'column').join('.')).join('.');
  const query = new URLSearchParams({ columns: chosen }).toString();
  await keeping?.write(visit, { name: COLUMNS_KEPT_AS, query });
  const back = read(
    alertsPageQuery,
    Object.fromEntries(new URLSearchParams(fieldOf(request, 'back'))),
  );
  goTo(visit, back.ok ? `/alerts?${alertsText({ ...back.value, columns: undefined })}` : '/alerts');
}
