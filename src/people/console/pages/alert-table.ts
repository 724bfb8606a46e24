/**
 * Alerts as a dense table: one line each, headings that sort, the columns that a person chose, and what the list adds up to.
 */
import { isTerminal } from '../../../alerts/cases/case-state.ts';
import type { AlertListItem } from '../../../alerts/list/alert-list.store.ts';
import type { AlertRowFacts, AlertSort, ListSum } from '../../../alerts/list/alert-order.store.ts';
import { SORTED_MAX } from '../../../alerts/list/alert-order.store.ts';
import { counted } from '../../../base/kernel/counted.ts';
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import type { Money } from '../../../base/kernel/money.ts';
import { programmeWords } from '../../../service/wire/code-words.ts';
import { coded, shortReason } from '../../../surface/view/codes.ts';
import { alertPath } from '../../../surface/view/links.ts';
import { currentFormats } from '../../../surface/view/locale.ts';
import { amount, moneyText } from '../../../surface/view/money.ts';
import { moment, shortTimeLeft } from '../../../surface/view/time.ts';
import { nextText, spokenName, stateBadge } from '../../../surface/view/words.ts';
import type { AlertColumn, AlertsPageQuery } from '../../../surface/web/alerts-query.ts';
import { ALERT_COLUMNS_SHOWN, alertsText } from '../../../surface/web/alerts-query.ts';

export interface TableContent {
  readonly query: AlertsPageQuery;
  readonly items: readonly AlertListItem[];
  readonly facts: ReadonlyMap<string, AlertRowFacts>;
  /** By the reference of their order. */
  readonly customers: ReadonlyMap<string, string>;
  readonly columns: readonly AlertColumn[];
  /** Rows can be ticked: something can be done with several. */
  readonly mayDecide: boolean;
  readonly now: Date;
}

interface ColumnWords {
  readonly heading: string;
  /** What the heading sorts by, and in which direction first. */
  readonly sort?: AlertSort;
}

/** Customers are sealed one by one, so that no order of the database knows them. */
export const COLUMN_WORDS: Readonly<Record<AlertColumn, ColumnWords>> = {
  date: { heading: 'Received', sort: '-received' },
  customer: { heading: 'Customer' },
  card: { heading: 'Card', sort: 'card' },
  reason: { heading: 'Reason' },
  descriptor: { heading: 'Descriptor' },
  issuer: { heading: 'Issuer' },
  programme: { heading: 'Programme' },
  outcome: { heading: 'Outcome', sort: 'outcome' },
  who: { heading: 'Decided by', sort: 'who' },
  deadline: { heading: 'Deadline', sort: 'deadline' },
};

export function alertTable(content: TableContent): Html {
  const { columns, items, mayDecide } = content;
  const [first, ...others] = [...columns];
  return html`<div class="table list" tabindex="0" role="region" aria-label="Alerts"><table class="rows dense" data-queue data-list>
<thead><tr>${mayDecide && html`<th scope="col" class="col-pick"><input type="checkbox" data-pick-all aria-label="Tick all that are shown" hidden></th>`}${first !== undefined && head(content, first)}${sortHead(content, { name: 'amount', heading: 'Amount', sort: '-amount' })}${others.map((column) => head(content, column))}</tr></thead>
<tbody>${items.map((item) => row(content, item))}</tbody></table></div>`;
}

function head(content: TableContent, column: AlertColumn): Html {
  const { heading, sort } = COLUMN_WORDS[column];
  if (sort === undefined) return html`<th scope="col" class="col-${column}">${heading}</th>`;
  return sortHead(content, { name: column, heading, sort });
}

/** A heading that leads to the same list in its order, and to the reverse of that. */
function sortHead(
  { query }: Pick<TableContent, 'query'>,
  column: { readonly name: string; readonly heading: string; readonly sort: AlertSort },
): Html {
  const { name, heading, sort: first } = column;
  const word = first.replace('-', '');
  const isSorted = query.sort === word || query.sort === `-${word}`;
  const sort = isSorted && query.sort === first ? reverseOf(first) : first;
  const direction = query.sort?.startsWith('-') === true ? 'descending' : 'ascending';
  return html`<th scope="col" class="col-${name}${name === 'amount' && ' number'}"${isSorted && html` aria-sort="${direction}"`}><a class="sort" href="/alerts?${alertsText(query, { sort })}">${heading}</a></th>`;
}

function reverseOf(sort: AlertSort): string {
  return sort.startsWith('-') ? sort.slice(1) : `-${sort}`;
}

function row(content: TableContent, item: AlertListItem): Html {
  const { columns, mayDecide } = content;
  const { alertId } = item;
  const facts = content.facts.get(alertId);
  const reference = facts?.orderReference ?? null;
  const customer = reference === null ? undefined : content.customers.get(reference);
  const named = spokenName(item, customer);
  const [first, ...others] = columns;
  const cell = (column: AlertColumn): Html =>
    html`<td class="at-${column}">${CELLS[column]({ item, facts, customer, now: content.now })}</td>`;
  return html`<tr data-alert="${alertId}">${mayDecide && html`<td class="pick">${item.state === 'HUMAN' && html`<input type="checkbox" form="several" name="id" value="${alertId}" aria-label="Tick ${named}"${item.amountMinor !== null && html` data-minor="${item.amountMinor}" data-currency="${item.currency}"`}>`}</td>`}${first !== undefined && cell(first)}<th scope="row" class="number"><a href="${alertPath(alertId)}" title="${alertId}" aria-label="${named}">${amount(item.amountMinor, item.currency)}</a></th>${others.map(cell)}</tr>`;
}

interface CellOf {
  readonly item: AlertListItem;
  readonly facts: AlertRowFacts | undefined;
  readonly customer: string | undefined;
  readonly now: Date;
}

const none = html`<span class="quiet">–</span>`;

const CELLS: Readonly<Record<AlertColumn, (cell: CellOf) => Html>> = {
  date: ({ item }) => moment(item.openedAt),
  customer: ({ customer, item }) =>
    customer === undefined
      ? none
      : html`<span title="${item.chargeReference === null ? `${customer}, of the likeliest charge` : customer}">${customer}${item.chargeReference === null && html` <span class="quiet">?</span>`}</span>`,
  card: ({ item }) => (item.cardLast4 === null ? none : html`···· ${item.cardLast4}`),
  reason: ({ item }) => (item.reasonCode === null ? none : shortReason(item.reasonCode)),
  descriptor: ({ item }) => html`${item.descriptor ?? none}`,
  issuer: ({ item }) => html`${item.cardIssuer ?? none}`,
  programme: ({ item }) =>
    item.enrolmentType === null ? none : coded(item.enrolmentType, programmeWords),
  outcome: ({ item }) =>
    html`<span title="${nextText(item)}">${stateBadge(item.state)}${item.missedAt !== null && html` <strong class="state bad">missed</strong>`}</span>`,
  who: ({ facts }) => whoDecided(facts?.decidedBy ?? null),
  deadline: ({ item, now }) =>
    isTerminal(item.state) ? moment(item.deadlineAt) : shortTimeLeft(item.deadlineAt, now),
};

const DECIDERS: Readonly<Record<string, string>> = {
  policy: 'policy',
  guard: 'safeguard',
  fallback: 'fallback',
};

/** `Noor`, `policy`. */
export function whoDecided(by: string | null): Html {
  if (by === null) return none;
  return by.startsWith('operator:')
    ? html`<strong>${by.slice('operator:'.length)}</strong>`
    : html`${DECIDERS[by] ?? by}`;
}

/** How many there are, and how much that is in each currency. */
export function sumLine({ count, sums, without, isCut }: ListSum): Html {
  const words = sums.map((money: Money) => moneyText(money));
  const all = [...words, ...(without === 0 ? [] : [`${formatted(without)} without an amount`])];
  const howMany = isCut
    ? `The first ${formatted(SORTED_MAX)} by deadline`
    : counted(count, 'alert').replace(/^\d+/, formatted(count));
  return html`<p class="list-sum"><span class="quiet">${howMany}:</span> ${all.join(' + ') || 'none'}</p>`;
}

function formatted(count: number): string {
  return currentFormats().count(count);
}

/** The form that chooses the columns; they are kept for the person. */
export function columnForm(
  csrf: Html,
  { columns, back }: { readonly columns: readonly AlertColumn[]; readonly back: string },
): Html {
  return html`<details class="pick"><summary>Columns</summary><form method="post" action="/alerts/columns" class="sheet">${csrf}<input type="hidden" name="back" value="${back}">
${ALERT_COLUMNS_SHOWN.map(
  (column) =>
    html`<label class="inline"><input type="checkbox" name="column" value="${column}"${columns.includes(column) && html` checked`}><span>${COLUMN_WORDS[column].heading}</span></label>`,
)}<p class="actions"><button class="small">Keep for me</button></p></form></details>`;
}
