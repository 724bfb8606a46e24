/** A charge's history: everything of both networks, the processor, our books and people, in one timeline. */
import type { Router } from 'express';
import type { ChargeHistory } from '../../history/history.store.ts';
import { readChargeHistory } from '../../history/history.store.ts';
import type { HistoryEntry } from '../../history/history.ts';
import { plainText, read } from '../query.ts';
import { route } from '../reply.ts';
import type { Html } from '../view/html.ts';
import { html } from '../view/html.ts';
import { amount, money } from '../view/money.ts';
import { moment } from '../view/time.ts';
import type { PageContext, Visit } from '../visit.ts';
import { page, send, sendError } from '../visit.ts';
import { facts } from './case-facts.ts';
import { alertPath } from './case-list.ts';

export function registerCharge(router: Router, context: PageContext): void {
  route(router, '/charges/:reference', { get: page(context, 'viewer', show) });
}

async function show(visit: Visit): Promise<void> {
  const { db, organisationId } = visit.options;
  const reference = read(plainText, visit.request.params['reference']);
  const history = reference.ok
    ? await readChargeHistory(db, organisationId, reference.value)
    : undefined;
  if (history === undefined) {
    sendError(visit, 404, { title: 'No such charge', message: 'Check its reference.' });
    return;
  }
  const title = `Charge ${history.reference}`;
  send(visit, { title, active: '/alerts', body: chargeBody(history) });
}

function chargeBody(history: ChargeHistory): Html {
  const { reference, charge, orderReference, alerts, refund, money: back, entries } = history;
  return html`<p class="crumbs"><a href="/alerts">All alerts</a></p><h1>Charge <code>${reference}</code></h1>
<div class="columns"><section class="card"><h2>The payment</h2>${facts([
    ['Amount', charge !== undefined && amount(charge.amountMinor, charge.currency)],
    [
      'Order',
      orderReference !== null &&
        html`<a href="/orders/${encodeURIComponent(orderReference)}">${orderReference}</a>`,
    ],
    ['Refund', refund?.state],
    [
      'Given back by us',
      back !== undefined && money({ amountMinor: back.oursMinor, currency: back.currency }),
    ],
    [
      'Given back by others',
      back !== undefined && money({ amountMinor: back.othersMinor, currency: back.currency }),
    ],
    ['Another refund', back !== undefined && (back.reserved ? 'cannot be started' : 'is possible')],
  ])}</section>
<section class="card"><h2>Its alerts</h2>${
    alerts.length === 0
      ? html`<p class="quiet">No alert is about it.</p>`
      : html`<ul class="plain-list">${alerts.map(
          (alert) =>
            html`<li><a href="${alertPath(alert.id)}">${alert.id}</a> <span class="quiet">${alert.enrolmentType} · ${alert.status}${!alert.isMatched && ' · not matched to it by us'}</span></li>`,
        )}</ul>`
  }</section></div>
<h2>History</h2><div class="card">${entries.length === 0 ? html`<p class="quiet">Nothing has happened yet.</p>` : html`<ol class="timeline">${entries.map(entry)}</ol>`}${!history.complete && html`<p class="quiet">There is more than is shown here.</p>`}</div>`;
}

const KINDS: Readonly<Partial<Record<HistoryEntry['kind'], string>>> = {
  refund: 'money-step',
  rdr: 'money-step',
  declaration: 'money-step',
  decision: 'decision-step',
  operator: 'person-step',
};

function entry(one: HistoryEntry): Html {
  const { alertId } = one;
  return html`<li class="${KINDS[one.kind] ?? 'step'}"><p class="when">${moment(new Date(one.at))} · ${one.actor}</p><p>${one.text}${one.amountMinor !== null && html` ${amount(one.amountMinor, one.currency)}`}${alertId !== null && html` <a href="${alertPath(alertId)}">${alertId}</a>`}${one.link !== null && one.link !== 'reference' && html` <span class="quiet">(linked by ${one.link.replaceAll('_', ' ')})</span>`}</p></li>`;
}
