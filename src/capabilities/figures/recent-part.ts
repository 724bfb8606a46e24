/** The outcome of alerts lately, on today's page. */
import type { Html } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import type { Money } from '../../base/kernel/money.ts';
import type { OnToday, RecentTime } from '../../surface/on-today.ts';
import { chart, valuesFor } from '../../surface/view/chart.ts';
import { sums } from '../../surface/view/money.ts';
import type { Visit } from '../../surface/web/visit.ts';
import type { ActivityFigure } from './activity.store.ts';
import { countReversed, readActivity } from './activity.store.ts';
import type { ActivityMeasure } from './figures.table.ts';

/** Endings that count as resolved by us or by the network. */
const REFUNDED: readonly ActivityMeasure[] = ['closed:DECLARED_REFUND', 'closed:RECONCILED_RDR'];
const ACCEPTED: readonly ActivityMeasure[] = ['closed:DECLARED_ACCEPT'];
const OTHERWISE: readonly ActivityMeasure[] = [
  'closed:CLOSED_REMOTE',
  'closed:CLOSED_INVALID',
  'closed:CONFLICT',
];

export async function figuresOnToday(
  { options }: Visit,
  { from, stretches, stretchHours }: RecentTime,
): Promise<OnToday> {
  const { db, organisationId } = options;
  const [activity, reversed] = await Promise.all([
    readActivity(db, { organisationId, from, stretchHours }),
    countReversed(db, organisationId),
  ]);
  const line = (measures: readonly ActivityMeasure[]): number[] =>
    valuesFor(
      stretches,
      activity.filter(({ measure }) => measures.includes(measure)),
      (row) => row.count,
    );
  return {
    figures: figuresOf(activity, reversed),
    chart: chart({
      title: 'Alerts',
      stretches,
      series: [
        { label: 'received', values: line(['received']) },
        { label: 'refunded', values: line(REFUNDED) },
        { label: 'accepted', values: line(ACCEPTED) },
      ],
    }),
  };
}

function figuresOf(activity: readonly ActivityFigure[], reversed: number): Html {
  const count = (measures: readonly ActivityMeasure[]): number =>
    activity
      .filter(({ measure }) => measures.includes(measure))
      .reduce((sum, row) => sum + row.count, 0);
  return html`<div><dt>Received</dt><dd>${count(['received'])}</dd></div>
<div><dt>Refunded</dt><dd>${count(REFUNDED)}</dd><dd class="note">${count(['closed:RECONCILED_RDR'])} of them by the network</dd></div>
<div><dt>Accepted</dt><dd>${count(ACCEPTED)}</dd></div>
<div><dt>Ended otherwise</dt><dd>${count(OTHERWISE)}</dd><dd class="note">resolved elsewhere, withdrawn, conflict</dd></div>
<div${count(['missed']) > 0 && html` class="alarm"`}><dt>Missed</dt><dd>${count(['missed'])}</dd></div>
<div><dt>Money refunded by us</dt><dd class="small">${sums(moneyOf(activity))}</dd>${reversed > 0 && html`<dd class="note">${reversed} failed later, ever</dd>`}</div>
`;
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
