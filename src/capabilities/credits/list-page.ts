/** Credits: alerts whose price can be claimed back, what was asked for and granted, and the export for the provider. */
import type { RequestHandler, Router } from 'express';
import { z } from 'zod';
import type { CostModel } from '../../alerts/costs/cost-model.ts';
import { costs } from '../../alerts/costs/setting.ts';
import type { AlertRowFacts } from '../../alerts/list/alert-order.store.ts';
import { readRowFacts } from '../../alerts/list/alert-order.store.ts';
import { readCustomerNames } from '../../alerts/review/review-customers.store.ts';
import type { Html } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import { programmeWords } from '../../service/wire/code-words.ts';
import { ENROLMENT_TYPES } from '../../service/wire/enrolment.ts';
import { plainly } from '../../surface/access/needs.ts';
import { isAtLeast } from '../../surface/access/role.ts';
import { coded } from '../../surface/view/codes.ts';
import { emptyState } from '../../surface/view/empty-state.ts';
import { choiceField, inputField } from '../../surface/view/fields.ts';
import { alertPath } from '../../surface/view/links.ts';
import { currentFormats } from '../../surface/view/locale.ts';
import { amount, moneyText } from '../../surface/view/money.ts';
import { csrfField } from '../../surface/view/shell.ts';
import { nextPage, sortLinks, table } from '../../surface/view/table.ts';
import { moment, timeLeft } from '../../surface/view/time.ts';
import { spokenName } from '../../surface/view/words.ts';
import { cursorOf, LIMIT_DEFAULT, nextCursor, plainText, read } from '../../surface/web/query.ts';
import { route } from '../../surface/web/reply.ts';
import type { PageContext, Visit } from '../../surface/web/visit.ts';
import { fieldOf, goTo, noteExport, page, send, sendError } from '../../surface/web/visit.ts';
import { claimsCsv } from './claim-csv.ts';
import { registerClaim } from './claim-page.ts';
import type { ClaimedAlerts, ClaimItem, ClaimSort } from './credit-claim.store.ts';
import {
  CLAIM_SORTS,
  CLAIMS_SORTED_MAX,
  countClaimable,
  countClaims,
  listClaims,
  listSortedClaims,
  markSent,
} from './credit-claim.store.ts';
import type { ClaimState } from './credit-claim.table.ts';
import { CLAIM_STATES, CLASS_NAMES, CREDIT_CLASSES } from './credit-claim.table.ts';
import { invoiceForm, registerInvoice } from './invoice-page.ts';
import { claimPath } from './of-alert.ts';

/** Claims in one export; a larger one is cut by day. */
const EXPORT_MAX = 50_000;

const filterShape = {
  state: z.enum(CLAIM_STATES).optional(),
  class: z.enum(CLASS_NAMES).optional(),
  network: z.enum(ENROLMENT_TYPES).optional(),
  from: z.iso.date().regex(/^[12]/).optional(),
  to: z.iso.date().regex(/^[12]/).optional(),
};
const filterQuery = z.strictObject({
  ...filterShape,
  sort: z.enum(CLAIM_SORTS).optional(),
  cursor: cursorOf(z.tuple([z.string().max(60), plainText])).optional(),
});
type Filter = z.infer<typeof filterQuery>;

export function registerCredits(router: Router, context: PageContext, form: RequestHandler): void {
  route(router, '/credits', { get: page(context, 'viewer', show) });
  route(router, '/credits.csv', { get: page(context, 'reviewer', exportCsv) });
  route(router, '/credits/sent', { post: [form, page(context, plainly('reviewer'), send_)] });
  registerInvoice(router, context);
  registerClaim(router, context, form);
}

/** The query without the fields that a form sent empty; undefined after the faults were answered. */
function readFilter(visit: Visit, given: Iterable<[string, unknown]>): Filter | undefined {
  const filled = [...given].filter(([, value]) => value !== '');
  const query = read(filterQuery, Object.fromEntries(filled));
  if (query.ok) return query.value;
  const message = query.faults.map((fault) => fault.message).join(' ');
  sendError(visit, 400, { title: 'That list does not exist', message });
  return undefined;
}

async function show(visit: Visit): Promise<void> {
  const { options, now, settings } = visit;
  const { db, organisationId } = options;
  const filter = readFilter(visit, Object.entries(visit.request.query));
  if (filter === undefined) return;
  const { cursor: after, sort = 'alert', ...wanted } = filter;
  const model = settings.of(costs);
  const listing = { organisationId, ...wanted, sort, limit: LIMIT_DEFAULT };
  const [counts, claimable, { items, isCut }] = await Promise.all([
    countClaims(db, organisationId),
    countClaimable(db, organisationId, model.merchants.size > 0),
    listSortedClaims(db, { ...listing, after }),
  ]);
  const facts = await readRowFacts(
    db,
    organisationId,
    items.map(({ alert_id: alertId }) => alertId),
  );
  const orders = [...facts.values()].map(({ orderReference }) => orderReference);
  const customers = await readCustomerNames(db, organisationId, orders);
  const text = queryText(wanted);
  const context = { text, sort, now, facts, customers };
  const body = html`<div class="bar"><h1>Credits</h1><a class="button plain small" href="/credits.csv?${text}" download>Export for the provider</a></div>
<p class="quiet">Alerts that should not be paid, found in our own books. Each is claimed once, with the rows that show why. A claim is found when its alert is over; it ends with its window.</p>
${figures(counts, claimable, model)}
${filterForm(wanted)}
<h2>Claims</h2>
${items.length === 0 ? nothing(text) : list(items, context)}
${isCut && html`<p class="banner info">Listed are the ${currentFormats().count(CLAIMS_SORTED_MAX)} claims whose alerts came first; there may be more. Narrow the filter, or export the list.</p>`}
${nextPage('/credits', { ...Object.fromEntries(new URLSearchParams(text)), sort: filter.sort ?? null, cursor: nextCursor(items, LIMIT_DEFAULT, (last) => [last.key, last.alert_id]) })}
${sendForm(visit, wanted, items)}
<h2>Compare an invoice</h2>${invoiceForm(visit)}`;
  send(visit, { title: 'Credits', active: '/credits', body });
}

function queryText(filter: Omit<Filter, 'cursor' | 'sort'>): string {
  const text = new URLSearchParams();
  for (const [name, value] of Object.entries(filter))
    if (value !== undefined) text.set(name, value);
  return text.toString();
}

function nothing(text: string): Html {
  return text === ''
    ? emptyState(
        'Nothing to claim.',
        'Duplicates, alerts about refunded or charged back payments and the like appear here by themselves.',
      )
    : emptyState(
        'No claim is in this list.',
        html`Widen the filter, or <a href="/credits">show all claims</a>.`,
      );
}

/** How a state is coloured; the word is always there. */
const TONES: Readonly<Record<ClaimState, string>> = {
  OPEN: 'warn',
  SENT: '',
  GRANTED: 'good',
  REFUSED: 'bad',
  EXPIRED: 'bad',
};

function claimBadge(state: ClaimState): Html {
  return html`<span class="state ${TONES[state]}">${state.toLowerCase()}</span>`;
}

type Counts = Awaited<ReturnType<typeof countClaims>>;

/** The price of so many alerts, as the cost model has it; of more than were looked at what it is at least. */
function priceOf(
  claimable: readonly ClaimedAlerts[],
  { state, claims }: { readonly state: ClaimState; readonly claims: number },
  model: CostModel,
): string {
  const all = claimable.filter((each) => each.state === state);
  const priced = all.reduce((sum, { count }) => sum + count, 0);
  const minor = all.reduce((sum, { network, merchantId, count }) => {
    const { alertFeeMinor } = model.merchants.get(merchantId ?? '') ?? model.terms;
    return sum + count * (alertFeeMinor[network?.split('_')[0] ?? ''] ?? 0);
  }, 0);
  const text = moneyText({ amountMinor: minor, currency: model.currency });
  return priced < claims ? `at least ${text}` : text;
}

function figures(counts: Counts, claimable: readonly ClaimedAlerts[], model: CostModel): Html {
  const assumed =
    model.terms.assumed.alert_fee === undefined ? '' : ' (an assumed price: set FORESTALL_COSTS)';
  const countOf = (state: ClaimState): number =>
    counts.reduce((sum, each) => (each.state === state ? sum + each.count : sum), 0);
  const price = (state: ClaimState): string =>
    priceOf(claimable, { state, claims: countOf(state) }, model);
  const sumOf: Partial<Record<ClaimState, string>> = {
    OPEN: `${price('OPEN')} to claim${assumed}`,
    SENT: `${price('SENT')} asked for, no answer yet`,
  };
  return html`<dl class="figures">${CLAIM_STATES.map(
    (state) =>
      html`<div><dt><a href="/credits?state=${state}">${state[0]}${state.slice(1).toLowerCase()}</a></dt><dd>${currentFormats().count(countOf(state))}</dd>${countOf(state) > 0 && html`<dd class="note">${sumOf[state] ?? NOTES[state]}</dd>`}</div>`,
  )}</dl>`;
}

const NOTES: Partial<Record<ClaimState, string>> = {
  EXPIRED: 'nobody sent them in time',
};

function filterForm({
  state,
  class: reason,
  network,
  from,
  to,
}: Omit<Filter, 'cursor' | 'sort'>): Html {
  const isOpen = [state, reason, network, from, to].some((value) => value !== undefined);
  return html`<details class="fold"${isOpen && html` open`}><summary>Filter</summary><form action="/credits" method="get" class="card"><div class="filters">
${choiceField('state', 'State', { value: state, entries: CLAIM_STATES.map((each) => [each, each.toLowerCase()]) })}
${choiceField('class', 'Reason', { value: reason, entries: Object.entries(CREDIT_CLASSES) })}
${choiceField('network', 'Programme', { value: network, entries: ENROLMENT_TYPES.map((each) => [each, programmeWords(each)]) })}
${inputField({ name: 'from', label: 'Alert from (UTC)', value: from, type: 'date' })}
${inputField({ name: 'to', label: 'Alert to (UTC)', value: to, type: 'date' })}
</div><p class="actions"><button class="small">Apply</button><a class="button plain small" href="/credits">Clear</a></p></form></details>`;
}

/** After an export: what was open in this list when it was shown is marked as sent. */
function sendForm(
  { who, csrfToken, now }: Visit,
  filter: Omit<Filter, 'cursor' | 'sort'>,
  items: readonly ClaimItem[],
): Html | false {
  const hasOpen = items.some(({ state }) => state === 'OPEN');
  if (!hasOpen || !isAtLeast(who.role, 'reviewer')) return false;
  return html`<h2>After the export</h2><form method="post" action="/credits/sent" class="card">${csrfField(csrfToken)}<input type="hidden" name="shown_at" value="${now.toISOString()}"><input type="hidden" name="query" value="${queryText(filter)}">
<p>Export the list, send the file to your provider, then mark its open claims as sent. Claims that are found meanwhile stay open.</p><p class="actions"><button class="small">Mark the open claims of this list as sent</button></p></form>`;
}

interface RowContext {
  readonly text: string;
  readonly sort: ClaimSort;
  readonly now: Date;
  readonly facts: ReadonlyMap<string, AlertRowFacts>;
  /** By the reference of their order. */
  readonly customers: ReadonlyMap<string, string>;
}

const none = html`<span class="quiet">–</span>`;

function list(items: readonly ClaimItem[], context: RowContext): Html {
  const heading = sortLinks(context.sort, (sort) => {
    const query = new URLSearchParams(context.text);
    query.set('sort', sort);
    return `/credits?${query.toString()}`;
  });
  return table({
    label: 'Credit claims',
    columns: [
      'Claim',
      'State',
      heading('Claim until', 'until'),
      heading('Amount', '-amount', true),
      'Customer',
      'Card',
      heading('Alert came', 'alert'),
      'Programme',
      'Decided by',
      heading('Changed', '-changed'),
    ],
    rows: items.map((row) => {
      const { alert_id: alertId, amount_minor: amountMinor, currency, card_last4: cardLast4 } = row;
      const facts = context.facts.get(alertId);
      const customer = context.customers.get(facts?.orderReference ?? '');
      const named = spokenName({ amountMinor, currency, cardLast4 }, customer);
      return [
        html`<a href="${claimPath(alertId)}" aria-label="${CREDIT_CLASSES[row.class]}: ${named}">${CREDIT_CLASSES[row.class]}</a>`,
        claimBadge(row.state),
        until(row, context.now),
        html`<a href="${alertPath(alertId)}" title="${alertId}" aria-label="Alert of ${named}">${amount(amountMinor, currency)}</a>`,
        customer ?? none,
        cardLast4 === null ? none : `····\u00a0${cardLast4}`,
        moment(row.alerted_at),
        row.network === null ? none : coded(row.network, programmeWords),
        row.changed_by === 'forestall'
          ? html`<span class="quiet">Forestall</span>`
          : row.changed_by,
        moment(row.changed_at),
      ];
    }),
  });
}

function until({ claim_until: end, state }: ClaimItem, now: Date): Html {
  if (end === null) return html`<span class="quiet">no end known</span>`;
  return state === 'OPEN' ? timeLeft(end, now) : moment(end);
}

async function exportCsv(visit: Visit): Promise<void> {
  const { options, response } = visit;
  const { db, organisationId } = options;
  const filter = readFilter(visit, Object.entries(visit.request.query));
  if (filter === undefined) return;
  const { cursor: _cursor, sort: _sort, ...wanted } = filter;
  const claims = await listClaims(db, { organisationId, ...wanted, limit: EXPORT_MAX });
  await noteExport(visit, 'exported credit claims', { claims: claims.length, ...wanted });
  response
    .status(200)
    .set({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="credit-claims.csv"',
    })
    .send(claimsCsv(claims, options.organisation?.name));
}

async function send_(visit: Visit): Promise<void> {
  const { options, who, now, request } = visit;
  const text = fieldOf(request, 'query') ?? '';
  const filter = readFilter(visit, new URLSearchParams(text));
  if (filter === undefined) return;
  const shownAt = new Date(fieldOf(request, 'shown_at') ?? Number.NaN);
  if (Number.isNaN(shownAt.getTime())) {
    return sendError(visit, 400, { title: 'Not marked', message: 'Load the list again.' });
  }
  const { cursor: _cursor, sort: _sort, state: _state, ...wanted } = filter;
  const { organisationId } = options;
  await markSent(options.db, { organisationId, ...wanted, shownAt, operator: who.name, now });
  goTo(visit, '/credits?state=SENT');
}
