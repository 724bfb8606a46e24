/** What came of the alerts and lookups of a period: counts, money, and charts. */

import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import type { Money } from '../../../base/kernel/money.ts';
import type { ActivityFigure } from '../../../books/insights/activity.store.ts';
import type { ActivityMeasure } from '../../../books/insights/insights.table.ts';
import type { LookupSummary } from '../../../books/insights/lookup-figures.store.ts';
import type { OpenFigures } from '../../../books/insights/today.store.ts';
import type { WindowName } from '../view/chart.ts';
import { chart, valuesFor, WINDOWS, windowTabs } from '../view/chart.ts';
import { sums } from '../view/money.ts';

export interface Outcomes {
  readonly stretches: readonly Date[];
  readonly activity: readonly ActivityFigure[];
  readonly lookups: LookupSummary;
  readonly lookupActivity: readonly { at: Date; lookups: number; deflected: number }[];
}

/** Endings that count as resolved by us or by the network. */
const REFUNDED: readonly ActivityMeasure[] = ['closed:DECLARED_REFUND', 'closed:RECONCILED_RDR'];
const ACCEPTED: readonly ActivityMeasure[] = ['closed:DECLARED_ACCEPT'];
const OTHERWISE: readonly ActivityMeasure[] = [
  'closed:CLOSED_REMOTE',
  'closed:CLOSED_INVALID',
  'closed:CONFLICT',
];

export function outcomeSection(window: WindowName, outcomes: Outcomes, figures: OpenFigures): Html {
  const { activity, stretches, lookups, lookupActivity } = outcomes;
  const count = (measures: readonly ActivityMeasure[]): number =>
    activity
      .filter(({ measure }) => measures.includes(measure))
      .reduce((sum, row) => sum + row.count, 0);
  const line = (measures: readonly ActivityMeasure[]): number[] =>
    valuesFor(
      stretches,
      activity.filter(({ measure }) => measures.includes(measure)),
      (row) => row.count,
    );
  return html`<div class="bar"><h2>What came of it: ${WINDOWS[window].label}</h2>${windowTabs('/', window)}</div>
<dl class="figures">
<div><dt>Received</dt><dd>${count(['received'])}</dd></div>
<div><dt>Refunded</dt><dd>${count(REFUNDED)}</dd><dd class="note">${count(['closed:RECONCILED_RDR'])} of them by the network</dd></div>
<div><dt>Accepted</dt><dd>${count(ACCEPTED)}</dd></div>
<div><dt>Ended otherwise</dt><dd>${count(OTHERWISE)}</dd><dd class="note">resolved elsewhere, withdrawn, conflict</dd></div>
<div${count(['missed']) > 0 && html` class="alarm"`}><dt>Missed</dt><dd>${count(['missed'])}</dd></div>
<div><dt>Money refunded by us</dt><dd class="small">${sums(moneyOf(activity))}</dd>${figures.reversed > 0 && html`<dd class="note">${figures.reversed} failed later, ever</dd>`}</div>
<div><dt>Sales protected</dt><dd class="small">${sums(lookups.protectedMoney)}</dd><dd class="note">disputes deflected by our answers</dd></div>
<div><dt>Lookups</dt><dd>${lookups.all.lookups}</dd><dd class="note">${lookups.all.answered} answered</dd></div>
<div><dt>Deflection rate</dt><dd>${lookups.deflectionPercent === null ? html`<span class="quiet">–</span>` : `${lookups.deflectionPercent} %`}</dd><dd class="note">${lookups.all.deflected} of ${lookups.all.deflected + lookups.all.notDeflected} decided</dd></div>
</dl>
<div class="columns">${chart({
    title: 'Alerts',
    stretches,
    series: [
      { label: 'received', values: line(['received']) },
      { label: 'refunded', values: line(REFUNDED) },
      { label: 'accepted', values: line(ACCEPTED) },
    ],
  })}${chart({
    title: 'Lookups',
    stretches,
    series: [
      { label: 'lookups', values: valuesFor(stretches, lookupActivity, (row) => row.lookups) },
      { label: 'deflected', values: valuesFor(stretches, lookupActivity, (row) => row.deflected) },
    ],
  })}</div>`;
}

/** Our confirmed refunds, by currency. */
function moneyOf(activity: readonly ActivityFigure[]): Money[] {
  const byCurrency = new Map<string, number>();
  for (const { measure, currency, amountMinor } of activity) {
    if (measure !== 'refund') continue;
    byCurrency.set(currency, (byCurrency.get(currency) ?? 0) + amountMinor);
  }
  return [...byCurrency]
    .map(([currency, amountMinor]) => ({ currency, amountMinor }))
    .sort((a, b) => (a.currency < b.currency ? -1 : 1));
}
