/** Lookups among the outcome of alerts: lately, on today's page, and of a month, on the page of figures. */
import { html } from '../../base/kernel/html.ts';
import type { FiguresOfMonth, OfMonth } from '../../surface/of-month.ts';
import type { OnToday, RecentTime } from '../../surface/on-today.ts';
import { chart, valuesFor } from '../../surface/view/chart.ts';
import { sums } from '../../surface/view/money.ts';
import type { Visit } from '../../surface/web/visit.ts';
import { readLookupPeriod } from './lookup-figures.store.ts';

export async function lookupsOnToday(
  { options }: Visit,
  { from, stretches, stretchHours }: RecentTime,
): Promise<OnToday> {
  const { db, organisationId } = options;
  const period = await readLookupPeriod(db, { organisationId, from, stretchHours });
  const { all, deflectionPercent, protectedMoney } = period.summary;
  return {
    figures: html`<div><dt>Sales protected</dt><dd class="small">${sums(protectedMoney)}</dd><dd class="note">disputes deflected by our answers</dd></div>
<div><dt>Lookups</dt><dd>${all.lookups}</dd><dd class="note">${all.answered} answered</dd></div>
<div><dt>Deflection rate</dt><dd>${deflectionPercent === null ? html`<span class="quiet">–</span>` : `${deflectionPercent} %`}</dd><dd class="note">${all.deflected} of ${all.deflected + all.notDeflected} decided</dd></div>
`,
    chart: chart({
      title: 'Lookups',
      stretches,
      series: [
        { label: 'lookups', values: valuesFor(stretches, period.stretches, (row) => row.lookups) },
        {
          label: 'deflected',
          values: valuesFor(stretches, period.stretches, (row) => row.deflected),
        },
      ],
    }),
  };
}

const HOUR_MS = 60 * 60_000;

export async function lookupsOfMonth(
  { options }: Visit,
  { from, to }: FiguresOfMonth,
): Promise<OfMonth> {
  const { db, organisationId } = options;
  const stretchHours = (to.getTime() - from.getTime()) / HOUR_MS;
  const { summary } = await readLookupPeriod(db, { organisationId, from, to, stretchHours });
  return { deflected: summary.all.deflected };
}
