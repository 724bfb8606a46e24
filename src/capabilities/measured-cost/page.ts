/** Refund or accept: the verdict for all complaints and for each segment, and what it rests on. */
import type { Router } from 'express';
import { counted } from '../../base/kernel/counted.ts';
import type { Html } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import { withIds } from '../../surface/view/codes.ts';
import { saidMoney } from '../../surface/view/locale.ts';
import { numeric, stackedTable } from '../../surface/view/table.ts';
import { moment } from '../../surface/view/time.ts';
import { route } from '../../surface/web/reply.ts';
import type { PageContext, Visit } from '../../surface/web/visit.ts';
import { page, send } from '../../surface/web/visit.ts';
import type { KeptEconomics, KeptSegment } from './kept-economics.store.ts';
import { ECONOMICS_DAYS } from './read-economics.ts';
import { recentEconomics } from './recent-economics.ts';
import { SHARE_NAMES, SHARE_WORDS, segmentName, shareText, verdictText } from './words.ts';

export const COSTS_PATH = '/costs';

export function registerCosts(router: Router, context: PageContext): void {
  route(router, COSTS_PATH, { get: page(context, 'viewer', show) });
}

async function show(visit: Visit): Promise<void> {
  const economics = await recentEconomics(visit);
  const { whole, leftOut, currency, to } = economics;
  const body = html`<h1>Refund or accept</h1>
<p>A refund costs its amount. An accepted dispute costs the amount as often as it comes and is not won back, its fee, and a person’s time. Forestall counts how often, from complaints of the last ${ECONOMICS_DAYS} days; one counts in full once a dispute about it can no longer come, or has come. Counted ${moment(to)}; the night counts again. <code>forestall policy economics</code> counts now.</p>
${whole === null ? html`<p class="quiet">No alert is over yet, so there is nothing to compare.</p>` : verdictCard(whole, currency)}
${segmentTable(economics)}
${leftOut > 0 && html`<p class="quiet">Left out: ${counted(leftOut, 'alert')} whose amount has no rate to ${currency} in <code>FORESTALL_COSTS</code>.</p>`}
<p class="quiet">Each range holds however often you look: the true share is ever outside it in at most 5 of 100 installations. Segments of few cases lean on their siblings. The prices are those of your cost model, <code>FORESTALL_COSTS</code>; the same figures with their alerts: <code>forestall policy economics --rows</code>.</p>`;
  send(visit, { title: 'Refund or accept', active: COSTS_PATH, body });
}

function verdictCard(whole: KeptSegment, currency: string): Html {
  const money = (amountMinor: number): string => saidMoney({ amountMinor, currency });
  const { costMinor, ratioMinor, averageMinor, assumed, packs } = whole;
  const terms = Object.entries(assumed);
  return html`<section class="card spaced"><h2>${capital(verdictText(whole, currency))}</h2>
<p>One complaint of ${money(averageMinor)}, the average of ${counted(whole.units, 'complaint')}, costs ${money(costMinor.refund)} refunded and ${money(costMinor.accept)} accepted, of which ${money(ratioMinor)} for the ratio.</p>
<dl class="facts">${SHARE_NAMES.map((name) => html`<dt>${capital(SHARE_WORDS[name])}</dt><dd>${shareText(whole[name])}</dd>`)}
${packs.map(({ version, won, lost, open }) => html`<dt>Contested with version ${version} of the pack</dt><dd>${won} won, ${lost} lost, ${open} open</dd>`)}</dl>
${terms.length > 0 && html`<p class="quiet">Assumed, neither counted nor set: ${terms.map(([name, value]) => `${name.replaceAll('_', ' ')} ${value}`).join('; ')}.</p>`}</section>`;
}

function segmentTable({ segments, currency }: KeptEconomics): Html {
  if (segments.length === 0) return html``;
  const money = (amountMinor: number): Html =>
    html`<span class="money">${saidMoney({ amountMinor, currency })}</span>`;
  return stackedTable({
    label: 'Refund or accept, by segment',
    columns: [
      'Segment',
      'Verdict',
      numeric('Complaints'),
      numeric('Average'),
      numeric('Refund costs'),
      numeric('Accept costs'),
      'Becomes a dispute after acceptance',
    ],
    rows: segments.map((segment) => [
      withIds(segmentName(segment, currency)),
      verdictText(segment, currency),
      String(segment.units),
      money(segment.averageMinor),
      money(segment.costMinor.refund),
      money(segment.costMinor.accept),
      shareText(segment.dispute),
    ]),
  });
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
