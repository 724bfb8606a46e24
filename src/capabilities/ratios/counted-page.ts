/** What a reading of a programme counts of a month: each notice, dispute and answer behind the number. */
import type { Router } from 'express';
import { z } from 'zod';
import { readCustomerNames } from '../../alerts/review/review-customers.store.ts';
import type { Html, HtmlValue } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import { emptyState } from '../../surface/view/empty-state.ts';
import { alertPath } from '../../surface/view/links.ts';
import { amount } from '../../surface/view/money.ts';
import { pageLink } from '../../surface/view/page-link.ts';
import { nextPage, numeric, table } from '../../surface/view/table.ts';
import { cursorOf, LIMIT_DEFAULT, nextCursor, plainText } from '../../surface/web/query.ts';
import { route } from '../../surface/web/reply.ts';
import type { PageContext, Visit } from '../../surface/web/visit.ts';
import { page, readListQuery, send, sendError } from '../../surface/web/visit.ts';
import type { Cockpit } from './cockpit.ts';
import { readCockpit } from './cockpit.ts';
import { countedMeasures } from './figures.ts';
import { dayText, lastDayOf } from './months.ts';
import { dayNumber } from './pace.ts';
import type { Programme } from './programme.ts';
import { depsOf, readScopes, scopeQuery, wantedOf } from './ratios-page.ts';
import type { CountedItem, PeriodCount } from './roll-up.store.ts';
import { readCountedItems, readCounts } from './roll-up.store.ts';
import type { Measure } from './roll-up.table.ts';
import type { Scope } from './scope.ts';
import { scopeOf } from './scope.ts';
import { monthWords, numberText, percentText, scopeWords } from './words.ts';

const countedQuery = z.strictObject({
  ...scopeQuery.shape,
  programme: plainText,
  reading: plainText,
  /** Not asked of a programme that looks back over days. */
  month: z.string().regex(/^[12]\d{3}-(?:0[1-9]|1[0-2])$/),
  cursor: cursorOf(z.tuple([z.iso.date(), plainText, plainText])).optional(),
});
type CountedQuery = z.infer<typeof countedQuery>;

export function registerCounted(router: Router, context: PageContext): void {
  route(router, '/ratios/counted', { get: page(context, 'viewer', show) });
}

/** What counts: the sums of each period, and a page of rows with their customers. */
interface Counted {
  readonly own: readonly PeriodCount[];
  readonly items: readonly CountedItem[];
  readonly customers: ReadonlyMap<string, string>;
}

async function show(visit: Visit): Promise<void> {
  const query = readListQuery(visit, countedQuery, 'Begin at the page Ratios.');
  if (query === undefined) return;
  const scope = scopeOf(...wantedOf(query), await readScopes(visit));
  const deps = depsOf(visit);
  const programme = deps.programmes.find(({ id }) => id === query.programme);
  const reading = programme?.readings.find(({ name }) => name === query.reading);
  if (scope === undefined || programme === undefined || reading === undefined) {
    return sendError(visit, 404, {
      title: 'There is nothing of that name',
      message: 'No programme counts it so. Begin at the page Ratios.',
    });
  }
  const { db, organisationId } = deps;
  const measures = countedMeasures(reading.counts, programme.dated_by?.[0]);
  const days = daysOf(programme, query, visit.now);
  const readCounted = async (): Promise<Counted> => {
    const grain = programme.rolling_days === undefined ? 'month' : 'day';
    const counts = await readCounts(db, { organisationId, scope, grain, from: days.from });
    const { scheme } = programme;
    const own = counts.filter(
      (each) =>
        measures.includes(each.measure) &&
        each.period <= days.to &&
        (scheme === 'ANY' || deps.schemeOf(each.brand) === scheme),
    );
    const brands = scheme === 'ANY' ? undefined : [...new Set(own.map(({ brand }) => brand))];
    const wanted = { organisationId, scope, ...days, measures, brands, limit: LIMIT_DEFAULT };
    const items = await readCountedItems(db, { ...wanted, after: query.cursor });
    const orders = items.map(({ orderReference }) => orderReference);
    return { own, items, customers: await readCustomerNames(db, organisationId, orders) };
  };
  const [{ own, items, customers }, cockpit] = await Promise.all([
    readCounted(),
    readCockpit(deps, scope, visit.now),
  ]);
  const period =
    programme.rolling_days === undefined
      ? monthWords(query.month)
      : `${programme.rolling_days} days`;
  const body = html`<p class="crumbs"><a href="${ratiosPath(scope)}">Ratios</a></p><h1>${programme.name}: what counts, ${period}</h1>
<p>${sentence(cockpit, { programme, query, own })}</p>
<p class="quiet">${reading.name}: ${reading.says}. Each stands under the day on which it was received.</p>
${items.length === 0 ? emptyState('Nothing counts.', 'No notice, dispute or answer of this period is counted by this reading.') : itemTable(items, customers)}
${nextPage('/ratios/counted', {
  programme: programme.id,
  reading: reading.name,
  month: query.month,
  of: scope.kind === 'organisation' ? null : `${scope.kind}:${scope.id}`,
  cursor: nextCursor(items, LIMIT_DEFAULT, (last) => [last.day, last.source, last.id]),
})}`;
  send(visit, { title: 'What counts', active: '/ratios', body });
}

function daysOf(
  { rolling_days }: Programme,
  { month }: CountedQuery,
  now: Date,
): { readonly from: string; readonly to: string } {
  if (rolling_days === undefined) return { from: `${month}-01`, to: lastDayOf(month) };
  const today = dayNumber(now);
  return { from: dayText(today - rolling_days + 1), to: dayText(today) };
}

function ratiosPath({ kind, id }: Scope): string {
  return kind === 'organisation'
    ? '/ratios'
    : `/ratios?${new URLSearchParams({ of: `${kind}:${id}` })}`;
}

/** `16 counted of 225 payments, 7.11 %, for the organisation.` */
function sentence(
  cockpit: Cockpit,
  listed: {
    readonly programme: Programme;
    readonly query: CountedQuery;
    readonly own: readonly PeriodCount[];
  },
): string {
  const { programme, query, own } = listed;
  const period = `${query.month}-01`;
  const counted = own
    .filter((each) => programme.rolling_days !== undefined || each.period === period)
    .reduce((sum, { count }) => sum + count, 0);
  const head = `${numberText(counted)} counted`;
  const whose = `for ${scopeWords(cockpit.scope)}.`;
  const reading = cockpit.programmes
    .find((view) => view.programme === programme)
    ?.readings.find((each) => each.reading.name === query.reading);
  const isNow = query.month === cockpit.months.at(-1) || programme.rolling_days !== undefined;
  if (!isNow || reading === undefined || reading.base === null) return `${head} ${whose}`;
  return `${head} of ${numberText(reading.base)} payments, ${percentText(reading.ratioPercent)}, ${whose}`;
}

/** What a row is, in words. */
const KINDS: Readonly<Partial<Record<Measure, string>>> = {
  fraud: 'fraud report',
  dispute: 'dispute',
  dispute_of_fraud: 'dispute about fraud',
  rdr_out: 'refunded by RDR',
  rdr_fraud: 'refunded by RDR, with a fraud report',
};

const SOURCES = {
  notice: 'notice',
  representment: 'representment',
  alert: 'alert',
} as const;

const none = html`<span class="quiet">–</span>`;

function itemTable(items: readonly CountedItem[], customers: ReadonlyMap<string, string>): Html {
  return table({
    label: 'What counts',
    columns: ['Received', 'What', numeric('Amount'), 'Customer', 'Card', 'Told by', 'Payment'],
    rows: items.map((item): HtmlValue[] => [
      html`<time datetime="${item.day}">${item.day}</time>`,
      KINDS[item.measure] ?? item.measure,
      amount(item.amountMinor, item.currency === '' ? null : item.currency),
      customers.get(item.orderReference ?? '') ?? none,
      item.cardLast4 === null ? none : `····\u00a0${item.cardLast4}`,
      source(item),
      item.chargeReference === null
        ? html`<span class="quiet">not in our books</span>`
        : pageLink('/charges/:reference', item.chargeReference, {
            reference: item.chargeReference,
          }),
    ]),
  });
}

/** Where it was told; a notice has no page of its own. */
function source({ source: kind, id }: CountedItem): Html {
  const word = SOURCES[kind];
  if (kind === 'notice') return html`${word} <code>${id}</code>`;
  return kind === 'alert'
    ? html`<a href="${alertPath(id)}">${word}</a>`
    : pageLink('/representments/:id', word, { id });
}
