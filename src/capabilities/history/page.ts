/** A charge's history: everything of both networks, the processor, our books and people, in one timeline. */
import type { Router } from 'express';
import type { Account, AccountDispute } from '../../alerts/ledger/account.ts';
import { isUncertain } from '../../alerts/ledger/account.ts';
import type { Html, HtmlValue } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import { plainCode, programmeWords } from '../../service/wire/code-words.ts';
import { actorWords, statesInWords } from '../../surface/view/codes.ts';
import { descriptionList } from '../../surface/view/description-list.ts';
import { alertPath } from '../../surface/view/links.ts';
import { amount, money } from '../../surface/view/money.ts';
import { moment } from '../../surface/view/time.ts';
import { plainText, read } from '../../surface/web/query.ts';
import { route } from '../../surface/web/reply.ts';
import type { PageContext, Visit } from '../../surface/web/visit.ts';
import { page, send, sendError } from '../../surface/web/visit.ts';
import type { ChargeHistory } from './history.store.ts';
import { readChargeHistory } from './history.store.ts';
import type { HistoryEntry } from './history.ts';

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
    return sendError(visit, 404, { title: 'No such charge', message: 'Check its reference.' });
  }
  const title = `Charge ${history.reference}`;
  send(visit, { title, active: '/alerts', body: chargeBody(history) });
}

function chargeBody(history: ChargeHistory): Html {
  const { reference, charge, orderReference, alerts, account, entries } = history;
  const { money: sums } = account;
  const sum = (amountMinor: number | null | undefined): HtmlValue =>
    sums !== undefined && amountMinor != null && money({ amountMinor, currency: sums.currency });
  return html`<p class="crumbs"><a href="/alerts">All alerts</a></p><h1>Charge <code>${reference}</code></h1>
<div class="columns"><section class="card"><h2>The payment</h2>${descriptionList([
    ['Amount', charge !== undefined && amount(charge.amountMinor, charge.currency)],
    [
      'Order',
      orderReference !== null &&
        html`<a href="/orders/${encodeURIComponent(orderReference)}">${orderReference}</a>`,
    ],
    ['Captured', sum(sums?.capturedMinor)],
    ['Given back by us', sum(sums?.oursMinor)],
    ['Given back by others', sum(sums?.othersMinor)],
    ['Uncertain', sums !== undefined && sums.uncertainMinor > 0 && sum(sums.uncertainMinor)],
    ['Left', sum(sums?.leftMinor)],
  ])}</section>
<section class="card"><h2>Its alerts</h2>${
    alerts.length === 0
      ? html`<p class="quiet">No alert is about it.</p>`
      : html`<ul class="plain-list">${alerts.map(
          (alert) =>
            html`<li><a href="${alertPath(alert.id)}">${alert.id}</a> <span class="quiet">${programmeWords(alert.enrolmentType ?? 'unknown programme')} · ${plainCode(alert.status)}${!alert.isMatched && ' · not matched to it by us'}</span></li>`,
        )}</ul>`
  }</section></div>
${accountParts(account)}<h2>History</h2><div class="card">${entries.length === 0 ? html`<p class="quiet">Nothing has happened yet.</p>` : html`<ol class="timeline">${entries.map(entry)}</ol>`}${!history.complete && html`<p class="quiet">There is more than is shown here.</p>`}</div>`;
}

function accountParts({ movements, disputes }: Account): Html {
  if (movements.length === 0 && disputes.length === 0) return html``;
  return html`<div class="columns"><section class="card"><h2>What moved</h2>${
    movements.length === 0
      ? html`<p class="quiet">Nothing went back.</p>`
      : html`<ul class="plain-list">${movements.map((movement) => movementLine(movement, disputes))}</ul>`
  }</section><section class="card"><h2>Its disputes</h2>${
    disputes.length === 0
      ? html`<p class="quiet">No alert is placed in one yet.</p>`
      : html`<ul class="plain-list">${disputes.map(disputeLine)}</ul>`
  }</section></div>`;
}

function movementLine(movement: Account['movements'][number], disputes: Account['disputes']): Html {
  const { amountMinor, currency, kind, state, key, reference, covers } = movement;
  const answers = covers.map((cover) => {
    const alerts = disputes.find(({ id }) => id === cover.disputeId)?.alerts ?? [];
    return html`<br>${money({ amountMinor: cover.amountMinor, currency })} for ${disputeLink(cover.disputeId)} ${alertLinks(alerts)}`;
  });
  return html`<li>${money({ amountMinor, currency })} ${KIND_WORDS[kind]} <span class="quiet">${plainCode(state)}${isUncertain(movement) && ', uncertain'}${key === null && ', not by us'}${reference !== null && html` · <code>${reference}</code>`}</span>${answers.length === 0 ? html`<br><span class="quiet">answers no dispute</span>` : answers}</li>`;
}

const KIND_WORDS: Readonly<Record<Account['movements'][number]['kind'], string>> = {
  refund: 'refund',
  void: 'release of the authorisation',
  external: 'refund by somebody else',
  network: 'refund by the network',
  chargeback: 'chargeback',
};

function disputeLine({ id, amountMinor, currency, ...dispute }: AccountDispute): Html {
  return html`<li id="${id}"><code>${id}</code>: ${money({ amountMinor, currency })}, ${money({ amountMinor: dispute.coveredMinor, currency })} covered, ${money({ amountMinor: dispute.missingMinor, currency })} missing ${alertLinks(dispute.alerts)}${dispute.mentions.map(mention)}</li>`;
}

function mention({ entity, entity_id: id, reason }: AccountDispute['mentions'][number]): Html {
  const name = entity === 'scheme_notice' ? 'scheme notice' : entity;
  return html`<br>${name} <code>${id}</code> <span class="quiet">(${reason})</span>`;
}

function disputeLink(id: string): Html {
  return html`<a href="#${id}"><code>${id}</code></a>`;
}

function alertLinks(alerts: AccountDispute['alerts']): Html {
  return html`<span class="quiet">${alerts.map(({ alertId }) => html`<a href="${alertPath(alertId)}">${alertId}</a> `)}</span>`;
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
  return html`<li class="${KINDS[one.kind] ?? 'step'}"><p class="when">${moment(new Date(one.at))} · ${actorWords(one.actor)}</p><p>${statesInWords(one.text)}${one.amountMinor !== null && html` ${amount(one.amountMinor, one.currency)}`}${alertId !== null && html` <a href="${alertPath(alertId)}">${alertId}</a>`}${one.link !== null && one.link !== 'reference' && html` <span class="quiet">(linked by ${one.link.replaceAll('_', ' ')})</span>`}</p></li>`;
}
