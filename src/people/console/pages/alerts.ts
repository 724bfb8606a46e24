/** All alerts: searched, filtered, kept as views, exported. Every filter stands in the address. */
import type { Router } from 'express';
import { CASE_STATES } from '../../../alerts/cases/case-state.ts';
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import type { AlertListPage } from '../../../books/insights/alert-list.store.ts';
import type { NamedThing } from '../../../books/insights/search-others.store.ts';
import { findNamed } from '../../../books/insights/search-others.store.ts';
import { CARD_SCHEMES } from '../../../service/wire/alert.ts';
import { ENROLMENT_TYPES } from '../../../service/wire/enrolment.ts';
import { emptyState } from '../../../surface/view/empty-state.ts';
import { choiceField, inputField } from '../../../surface/view/fields.ts';
import { alertPath } from '../../../surface/view/links.ts';
import { moment } from '../../../surface/view/time.ts';
import { STATE_WORDS } from '../../../surface/view/words.ts';
import { alertsText } from '../../../surface/web/alerts-query.ts';
import type { AlertSearchQuery } from '../../../surface/web/query.ts';
import { alertSearchQuery, makeCursor } from '../../../surface/web/query.ts';
import { route } from '../../../surface/web/reply.ts';
import type { PageContext, Visit } from '../../../surface/web/visit.ts';
import { goTo, noteExport, page, readListQuery, send } from '../../../surface/web/visit.ts';
import { streamCsv } from '../alert-csv.ts';
import { findAlerts, storeQueryOf } from '../alert-search.ts';
import { aboveSearch } from '../page-parts.ts';
import { caseList } from './case-list.ts';

/** The tabs above the list, as the query names them. */
const TABS = { open: 'Open', HUMAN: 'Needs a decision', closed: 'Over', all: 'All' } as const;

export function registerAlerts(router: Router, context: PageContext): void {
  route(router, '/alerts', { get: page(context, 'viewer', show) });
  route(router, '/alerts.csv', { get: page(context, 'reviewer', exportCsv) });
}

async function show(visit: Visit): Promise<void> {
  const { options, now } = visit;
  const { db, organisationId } = options;
  const query = readListQuery(visit, alertSearchQuery);
  if (query === undefined) return;
  const { q } = query;
  const [found, named] = await Promise.all([
    findAlerts(db, organisationId, query),
    q === undefined ? [] : findNamed(db, organisationId, q),
  ]);
  const target = query.go === undefined ? undefined : onlyOne(found, named, q);
  if (target !== undefined) return goTo(visit, target);
  const current = alertsText(query);
  const isFiltered = !/^state=\w+$/.test(current);
  const views = await aboveSearch(visit, { path: '/alerts', query: current, isFiltered });
  const body = html`<div class="bar"><h1>Alerts</h1><a class="button plain small" href="/alerts.csv?${alertsText(query)}" download>Export as CSV</a></div>
${tabs(query)}${views}${filterForm(query)}
${namedLinks(named)}
<section id="results" aria-live="polite">${results(found, query, now)}</section>
<p class="quiet">As of ${moment(now)}.</p>`;
  send(visit, { title: 'Alerts', active: '/alerts', body });
}

/** The one thing that a search found: it opens at once. */
function onlyOne(
  { items, next }: AlertListPage,
  named: readonly NamedThing[],
  text: string | undefined,
): string | undefined {
  const [item, another] = items;
  if (item !== undefined && another === undefined && next === null) return alertPath(item.alertId);
  const [first, second] = named;
  const thing = second === undefined || first?.id === text?.trim() ? first : undefined;
  return items.length === 0 && thing !== undefined ? namedPath(thing) : undefined;
}

const NAMED_PATHS = { order: '/orders', charge: '/charges', event: '/events' } as const;

function namedPath({ kind, id }: NamedThing): string {
  return `${NAMED_PATHS[kind]}/${encodeURIComponent(id)}`;
}

function namedLinks(named: readonly NamedThing[]): Html | false {
  if (named.length === 0) return false;
  return html`<p>Also: ${named.map((thing, index) => html`${index > 0 && ', '}${thing.kind} <a href="${namedPath(thing)}">${thing.id}</a>`)}.</p>`;
}

function results(found: AlertListPage, query: AlertSearchQuery, now: Date): Html {
  const { items, next } = found;
  const onward =
    next === null
      ? ''
      : `/alerts?${alertsText(query, { cursor: makeCursor([next.deadlineText, next.alertId]) })}`;
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
  const isPlain = alertsText({ ...query, state: 'open' }) === 'state=open';
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

function tabs(query: AlertSearchQuery): Html {
  return html`<nav aria-label="State"><ul class="tabs">${Object.entries(TABS).map(
    ([state, label]) =>
      html`<li><a href="/alerts?${alertsText(query, { state })}"${state === query.state && html` aria-current="page"`}>${label}</a></li>`,
  )}</ul></nav>`;
}

function filterForm(query: AlertSearchQuery): Html {
  const { state, limit, cursor, deep, go, q, ...rest } = query;
  const isOpen = q !== undefined || Object.values(rest).some((value) => value !== undefined);
  return html`<details class="fold"${isOpen && html` open`}><summary>Search and filter</summary>
<form action="/alerts" method="get" class="card">
<div class="filters">
${inputField({ name: 'q', label: 'Search', value: q, hint: 'id, card, amount, ARN, order, e-mail' })}
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
  const { options, response } = visit;
  const { db, organisationId } = options;
  const query = readListQuery(visit, alertSearchQuery);
  if (query === undefined) return;
  await noteExport(visit, 'exported alerts', { state: query.state });
  await streamCsv(options, response, await storeQueryOf(db, organisationId, query));
}
