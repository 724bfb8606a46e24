/** Orders: what the service holds of them, what is still to be sent, how ready they are for each programme. */
import type { Router } from 'express';
import { z } from 'zod';
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import { readOrder } from '../../../orders/order.store.ts';
import type { NewestReadiness, OrderListItem } from '../../../orders/order-list.store.ts';
import {
  listOrders,
  listWaitingParts,
  readNewestReadiness,
} from '../../../orders/order-list.store.ts';
import type { OrderState } from '../../../orders/order-state.ts';
import { PROGRAMME_TITLES } from '../../../orders/programme.ts';
import { descriptionList } from '../../../surface/view/description-list.ts';
import { emptyState } from '../../../surface/view/empty-state.ts';
import { currentFormats } from '../../../surface/view/locale.ts';
import { amount } from '../../../surface/view/money.ts';
import { pageLink } from '../../../surface/view/page-link.ts';
import { nextPage, numeric, tabLinks, table } from '../../../surface/view/table.ts';
import { moment, momentOr } from '../../../surface/view/time.ts';
import {
  cursorOf,
  LIMIT_DEFAULT,
  nextCursor,
  plainText,
  read,
} from '../../../surface/web/query.ts';
import { route } from '../../../surface/web/reply.ts';
import type { PageContext, Visit } from '../../../surface/web/visit.ts';
import { goTo, page, readListQuery, send, sendError } from '../../../surface/web/visit.ts';
import { onOrders } from '../page-parts.ts';

const STATES = ['HELD', 'WAITING', 'CHECKING', 'CREATED', 'REFUSED'] as const;

const STATE_WORDS: Readonly<Record<OrderState, readonly [text: string, tone: string]>> = {
  HELD: ['waits for you', 'warn'],
  WAITING: ['to be sent', ''],
  CHECKING: ['being checked', ''],
  CREATED: ['at the service', 'good'],
  REFUSED: ['refused', 'bad'],
};

const orderQuery = z.strictObject({
  state: z.enum(['all', ...STATES]).default('all'),
  find: plainText.optional(),
  cursor: cursorOf(z.tuple([z.int().min(1)])).optional(),
});

export function registerOrders(router: Router, context: PageContext): void {
  route(router, '/orders', { get: page(context, 'viewer', show) });
  route(router, '/orders/:reference', { get: page(context, 'viewer', showOrder) });
}

async function show(visit: Visit): Promise<void> {
  const { options } = visit;
  const { db, organisationId } = options;
  const query = readListQuery(visit, orderQuery, 'Begin without a cursor.');
  if (query === undefined) return;
  const { state, cursor, find } = query;
  if (find !== undefined) return goTo(visit, `/orders/${encodeURIComponent(find)}`);
  const [readiness, parts, items] = await Promise.all([
    readNewestReadiness(db, organisationId),
    onOrders(visit),
    listOrders(db, {
      organisationId,
      state: state === 'all' ? undefined : state,
      beforeSeq: cursor?.[0],
      limit: LIMIT_DEFAULT,
    }),
  ]);
  const body = html`<h1>Orders</h1>
<h2>Readiness of the newest ${currentFormats().count(readiness[0]?.orders ?? 0)}</h2>${readinessTable(readiness)}
${parts}
<div class="bar"><h2>Orders, newest first</h2><form action="/orders" method="get"><label class="hidden" for="find-order">Open an order by its reference</label><input id="find-order" name="find" type="search" placeholder="Open by reference" maxlength="300"></form></div>
${tabLinks('State', state, [['all', 'All', '/orders'], ...STATES.map((name) => [name, STATE_WORDS[name][0], `/orders?state=${name}`] as const)])}
${list(items)}
${nextPage('/orders', { state, cursor: nextCursor(items, LIMIT_DEFAULT, (last) => [last.seq]) })}`;
  send(visit, { title: 'Orders', active: '/orders', body });
}

function readinessTable(readiness: readonly NewestReadiness[]): Html {
  if ((readiness[0]?.orders ?? 0) === 0) {
    return emptyState(
      'No order has been recorded.',
      html`Send orders to <code>POST /api/orders</code>, or import a file with <code>forestall orders import</code>. Without them alerts find no charge of yours.`,
    );
  }
  return table({
    label: 'Readiness by programme',
    columns: ['Programme', numeric('Ready'), numeric('Share'), 'Missing most often'],
    rows: readiness.map(({ programme, orders, ready, missing }) => [
      PROGRAMME_TITLES[programme],
      `${currentFormats().count(ready)} of ${currentFormats().count(orders)}`,
      html`${Math.floor((ready * 100) / orders)} %<meter class="meter" min="0" max="${orders}" value="${ready}" aria-label="Ready for ${PROGRAMME_TITLES[programme]}"></meter>`,
      missing.length === 0
        ? html`<span class="quiet">nothing</span>`
        : missing
            .slice(0, 3)
            .map((gap) => `${gap.field} (${gap.orders})`)
            .join(', '),
    ]),
  });
}

function orderPath(reference: string): string {
  return `/orders/${encodeURIComponent(reference)}`;
}

function stateBadge(state: OrderState): Html {
  const [text, tone] = STATE_WORDS[state];
  return html`<span class="state ${tone}">${text}</span>`;
}

function list(items: readonly OrderListItem[]): Html {
  if (items.length === 0) return html`<p class="quiet">No order is in this list.</p>`;
  return table({
    label: 'Orders',
    columns: [
      'Order',
      'State',
      numeric('Total'),
      'Ready for',
      'Accepted',
      numeric('Still to send'),
      'Reason',
    ],
    rows: items.map((item) => [
      html`<a href="${orderPath(item.referenceId)}">${item.referenceId}</a>`,
      stateBadge(item.state),
      amount(item.totalMinor, item.currency),
      `${item.ready.length} of ${Object.keys(PROGRAMME_TITLES).length}`,
      moment(item.acceptedAt),
      item.waitingParts,
      item.reason === null ? '' : html`<span class="long">${item.reason}</span>`,
    ]),
  });
}

async function showOrder(visit: Visit): Promise<void> {
  const { db, organisationId } = visit.options;
  const reference = read(plainText, visit.request.params['reference']);
  const row = reference.ok
    ? await readOrder(db, organisationId, { referenceId: reference.value })
    : undefined;
  if (row === undefined) {
    return sendError(visit, 404, { title: 'No such order', message: 'Check its reference.' });
  }
  const parts = await listWaitingParts(db, row);
  const transactions = row.body.transactions ?? [];
  const body = html`<p class="crumbs"><a href="/orders">All orders</a></p><h1>Order ${row.reference_id}</h1>
<p>${stateBadge(row.state)} ${row.reason}</p>
<div class="columns"><section class="card"><h2>At the service</h2>${descriptionList([
    ['Id there', row.order_id],
    ['Integration', row.integration_id],
    ['Accepted', moment(row.accepted_at)],
    ['Settled', row.settled_at !== null && moment(row.settled_at)],
    ['Next attempt', row.next_attempt_at !== null && momentOr(row.next_attempt_at, '')],
    ['Error', row.error_code],
    ['Differs in', row.difference?.join(', ')],
    ['Warnings', row.warnings.join('; ')],
    [
      'Charges',
      transactions.length > 0 &&
        html`${transactions.map(({ reference_id: charge }) => html`${pageLink('/charges/:reference', html`<code>${charge}</code>`, { reference: charge })} `)}`,
    ],
  ])}</section><section class="card"><h2>Readiness</h2><ul class="plain-list">${Object.entries(
    PROGRAMME_TITLES,
  ).map(([programme, title]) => {
    const missing = row.missing[programme] ?? [];
    const isReady = row.ready.includes(programme);
    return html`<li class="${isReady ? 'for' : 'against'}">${title}${missing.length > 0 && html` <span class="quiet">lacks ${missing.join(', ')}</span>`}</li>`;
  })}</ul></section></div>
${
  parts.length > 0 &&
  html`<h2>Still to be sent</h2>${table({
    label: 'Parts still to be sent',
    columns: ['Part', 'State', 'From', 'Next attempt', 'Reason'],
    rows: parts.map((part) => [
      html`<code>${part.part}</code>`,
      part.state === 'PARKED' ? 'waits for you' : 'to be sent',
      part.source,
      moment(part.next_attempt_at),
      part.reason,
    ]),
  })}`
}
<details class="fold"><summary>What the service shall hold</summary><pre tabindex="0">${JSON.stringify(row.body, null, 2)}</pre></details>`;
  send(visit, { title: `Order ${row.reference_id}`, active: '/orders', body });
}
