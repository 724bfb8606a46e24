/** What a month's alerts cost and saved, on the page of figures. */

import { costs } from '../../alerts/costs/setting.ts';
import type { Html } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import type { FiguresOfMonth, OfMonth, OutcomeFigure } from '../../surface/of-month.ts';
import { named } from '../../surface/view/bars.ts';
import type { Formats } from '../../surface/view/locale.ts';
import { numeric, stackedTable } from '../../surface/view/table.ts';
import { moment } from '../../surface/view/time.ts';
import type { Visit } from '../../surface/web/visit.ts';
import { recentEconomics } from './recent-economics.ts';
import type { EndedAlerts, Savings } from './savings.ts';
import { computeSavings } from './savings.ts';
import type { Share } from './share.ts';
import { shareText, verdictText } from './words.ts';

export async function savingsOfMonth(
  visit: Visit,
  { figures, formats }: FiguresOfMonth,
): Promise<OfMonth> {
  const model = visit.settings.of(costs);
  const ended = byMerchant(figures, 'merchant');
  const { whole, currency, to } = await recentEconomics(visit);
  const again = byMerchant(figures, 'again');
  const savings = computeSavings(model, ended, { again, shares: whole ?? undefined });
  const verdict = whole === null ? undefined : verdictText(whole, currency);
  return { section: shown(savings, { formats, verdict, dispute: whole?.dispute, to }) };
}

function byMerchant(
  figures: readonly OutcomeFigure[],
  wanted: 'merchant' | 'again',
): readonly EndedAlerts[] {
  return figures
    .filter(({ dimension }) => dimension === wanted)
    .map(({ label, ...figure }) => {
      const [merchantId = '', network = ''] = label.split(' ');
      return { ...figure, merchantId, network };
    });
}

/** Where the number of disputes avoided comes from. */
const BY = { observed: '', model: ', by your cost model', assumed: ' (assumed)' } as const;

interface Shown {
  readonly formats: Formats;
  readonly verdict: string | undefined;
  readonly dispute: Share | undefined;
  /** When the shares were counted. */
  readonly to: Date;
}

function shown(savings: Savings, { formats, verdict, dispute, to }: Shown): Html {
  const { currency } = savings;
  const sum = (amountMinor: number): Html =>
    html`<span class="money">${formats.money({ amountMinor, currency })}</span>`;
  const cost = (amountMinor: number): Html => named('Cost', sum(amountMinor));
  const saved = (amountMinor: number): Html => named('Saved', sum(amountMinor));
  const balance = savings.balanceMinor;
  const terms = Object.entries(savings.assumed);
  return html`<section class="card spaced"><h2>Costs and savings <span class="quiet">estimate, ${currency}</span></h2>
${stackedTable({
  label: 'Costs and savings of the month',
  columns: ['What', numeric('Cost'), numeric('Saved')],
  rows: [
    [`Price of ${formats.count(savings.alerts)} alerts`, cost(savings.alertFeesMinor), ''],
    ['Refunded, by us and by the network', cost(savings.refundedMinor), ''],
    [
      `Chargeback fees of ${formats.count(savings.avoided)} disputes avoided${BY[dispute?.source ?? 'assumed']}`,
      '',
      saved(savings.avoidedFeesMinor),
    ],
    ['People’s time on them', '', saved(savings.avoidedTimeMinor)],
    ['What would have been lost of their amounts', '', saved(savings.avoidedLossMinor)],
    [
      html`<strong>${balance < 0 ? 'Cost more than it saved' : 'Saved more than it cost'}</strong>`,
      balance < 0 ? html`<strong>${cost(-balance)}</strong>` : '',
      balance < 0 ? '' : html`<strong>${saved(balance)}</strong>`,
    ],
  ],
})}
${verdict !== undefined && html`<p>Refund or accept, over a year, counted ${moment(to)}: <strong>${verdict}</strong>. <a href="/costs">By segment</a></p>`}
<p class="quiet">By your cost model (<code>FORESTALL_COSTS</code>); fines of card programmes are left out. ${savings.unconverted > 0 && html`${formats.count(savings.unconverted)} refunded alerts have a currency without a rate in the model: their amounts are not in here. `}${terms.length > 0 && html`Assumed, because nothing is set: ${terms.map(([name, value], index) => `${index > 0 ? '; ' : ''}${name.replaceAll('_', ' ')} ${value}`)}. `}Disputes avoided: as many as come after accepting, ${dispute === undefined ? 'of which none was counted' : shareText(dispute)}.</p></section>`;
}
