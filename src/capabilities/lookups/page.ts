/** Lookups: how often networks asked, what we could answer, and how many disputes that deflected. */
import { z } from 'zod';
import type { Html, HtmlValue } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import { plainCode, programmeWords } from '../../service/wire/code-words.ts';
import type { CapabilityPages } from '../../surface/capability.ts';
import {
  chart,
  stretchesOf,
  valuesFor,
  WINDOWS,
  windowField,
  windowTabs,
} from '../../surface/view/chart.ts';
import { coded } from '../../surface/view/codes.ts';
import { emptyState } from '../../surface/view/empty-state.ts';
import { amount, sums } from '../../surface/view/money.ts';
import { nextPage, numeric, table } from '../../surface/view/table.ts';
import { momentOr } from '../../surface/view/time.ts';
import {
  cursorOf,
  LIMIT_DEFAULT,
  microsecondMoment,
  nextCursor,
  plainText,
} from '../../surface/web/query.ts';
import { route } from '../../surface/web/reply.ts';
import type { Visit } from '../../surface/web/visit.ts';
import { page, readListQuery, send } from '../../surface/web/visit.ts';
import { CAUSES } from './cause.ts';
import type { FeedDelay } from './feed-delay.ts';
import { feedDelayText, readFeedDelay } from './feed-delay.ts';
import type { CauseCount, JudgedLookup } from './lookup-cause.store.ts';
import { countCauses, readCauses } from './lookup-cause.store.ts';
import { readLookupPeriod } from './lookup-figures.store.ts';
import { listLookups } from './lookup-list.store.ts';
import { lookupsOfMonth, lookupsOnToday } from './recent-part.ts';
import { sumCauses } from './sum-causes.ts';

const lookupQuery = z.strictObject({
  window: windowField.default('7d'),
  cursor: cursorOf(z.tuple([microsecondMoment, plainText])).optional(),
});

export const lookupsPages: CapabilityPages = {
  menu: { path: '/lookups', label: 'Lookups', group: 'Network', icon: 'scan-search' },
  register(router, context): void {
    route(router, '/lookups', { get: page(context, 'viewer', show) });
  },
  onToday: lookupsOnToday,
  ofMonth: lookupsOfMonth,
};

async function show(visit: Visit): Promise<void> {
  const { options, now } = visit;
  const { db, organisationId } = options;
  const query = readListQuery(visit, lookupQuery, 'Begin without a cursor.');
  if (query === undefined) return;
  const { window } = query;
  const stretches = stretchesOf(window, now);
  const from = stretches[0] ?? now;
  const { stretchHours } = WINDOWS[window];
  const { cursor } = query;
  const after = cursor === undefined ? undefined : { createdText: cursor[0], id: cursor[1] };
  const [{ summary, stretches: activity }, items, causes, delay] = await Promise.all([
    readLookupPeriod(db, { organisationId, from, stretchHours }),
    listLookups(db, { organisationId, limit: LIMIT_DEFAULT, after }),
    countCauses(db, organisationId, from),
    readFeedDelay(db, organisationId, from),
  ]);
  const judged = await readCauses(
    db,
    organisationId,
    items.map(({ id }) => id),
  );
  const body = html`<div class="bar"><h1>Lookups and deflection</h1>${windowTabs('/lookups', window)}</div>
<p class="quiet">A network asks for order data before a dispute is filed. A good answer can deflect it: no dispute, no refund.</p>
${figures(summary)}
${chart({
  title: 'Lookups',
  stretches,
  series: [
    { label: 'lookups', values: valuesFor(stretches, activity, (row) => row.lookups) },
    { label: 'deflected', values: valuesFor(stretches, activity, (row) => row.deflected) },
  ],
})}
<h2>By type</h2>${byType(summary)}
<h2>Why they failed</h2>${causeTable(causes)}
<h2>How fast orders are known</h2>${delayPart(delay)}
<h2>Newest first</h2>${list(items, judged)}
${nextPage('/lookups', { window, cursor: cursorAfter(items) })}`;
  send(visit, { title: 'Lookups', active: '/lookups', body });
}

type Summary = Awaited<ReturnType<typeof readLookupPeriod>>['summary'];
type Items = Awaited<ReturnType<typeof listLookups>>;

function cursorAfter(items: Items): string | null {
  return nextCursor(items, LIMIT_DEFAULT, (last) => [last.createdText, last.id]);
}

function figures({ all, deflectionPercent, protectedMoney }: Summary): Html {
  const share = all.lookups === 0 ? null : Math.round((all.answered * 100) / all.lookups);
  return html`<dl class="figures">
<div><dt>Lookups</dt><dd>${all.lookups}</dd></div>
<div><dt>Answered with an order</dt><dd>${all.answered}</dd>${share !== null && html`<dd class="note">${share} %</dd>`}</div>
<div><dt>Deflected</dt><dd>${all.deflected}</dd><dd class="note">${all.pending} not decided yet</dd></div>
<div><dt>Deflection rate</dt><dd>${deflectionPercent === null ? html`<span class="quiet">–</span>` : `${deflectionPercent} %`}</dd><dd class="note">of what was decided</dd></div>
<div><dt>Sales protected</dt><dd class="small">${sums(protectedMoney)}</dd><dd class="note">a network can still take a deflection back</dd></div>
</dl>`;
}

function byType({ types }: Summary): Html {
  if (types.length === 0) {
    return emptyState(
      'No lookup in this period.',
      html`Lookups need enrolments in a receipt or evidence programme, and orders that are ready for it: see <a href="/orders">the readiness of your orders</a>.`,
    );
  }
  return table({
    label: 'Lookups by type',
    columns: ['Type', ...NUMBERS.map(numeric)],
    rows: types.map((row) => [
      coded(row.type, programmeWords),
      row.lookups,
      row.answered,
      row.deflected,
      row.notDeflected,
      row.pending,
    ]),
  });
}

const NUMBERS = ['Lookups', 'Answered', 'Deflected', 'Not deflected', 'Pending'];

function list(items: Items, judged: ReadonlyMap<string, JudgedLookup>): Html {
  if (items.length === 0) return html`<p class="quiet">There is none yet.</p>`;
  return table({
    label: 'Lookups, newest first',
    columns: [
      'Created',
      numeric('Amount'),
      'Type',
      'Answer',
      'Deflection',
      'Cause',
      'Lookup and acquirer reference',
    ],
    rows: items.map((row) => [
      momentOr(row.created_at, 'unknown'),
      amount(row.amount_minor, row.currency),
      row.type === null ? null : coded(row.type, programmeWords),
      statusCell(row.lookup_status),
      statusCell(row.deflection_status),
      causeCell(judged.get(row.id)),
      html`<code>${row.id}</code>${row.acquirer_reference_number !== null && html`<br><span class="quiet">${row.acquirer_reference_number}</span>`}`,
    ]),
  });
}

function statusCell(status: string | null): HtmlValue {
  return status !== null && coded(status, plainCode);
}

function causeTable(counts: readonly CauseCount[]): Html {
  const causes = sumCauses(counts);
  if (causes.length === 0) {
    return html`<p class="quiet">No lookup of this period failed, or none is judged yet: a worker judges them every five minutes.</p>`;
  }
  return table({
    label: 'Why lookups were not answered or did not deflect',
    columns: [
      'Cause',
      numeric('Lookups'),
      numeric('Disputed afterwards'),
      numeric('Refunded'),
      numeric('Alert open'),
      numeric('What it cost'),
      'Next step',
    ],
    rows: causes.map(({ cause, lookups, disputed, refunded, open, money }) => [
      CAUSES[cause].title,
      lookups,
      disputed,
      refunded,
      open,
      money.length === 0 ? '–' : sums(money),
      CAUSES[cause].next,
    ]),
  });
}

function causeCell(judged: JudgedLookup | undefined): Html | string {
  if (judged === undefined) return '–';
  return html`${CAUSES[judged.cause].title} <span class="quiet">${judged.detail}</span>`;
}

const BOUND_WORDS: Readonly<Record<number, string>> = {
  10: '10 s',
  60: '60 s',
  300: '5 min',
  3600: '1 h',
  86400: '1 day',
};

/** The feed's delay as a service level. */
function delayPart(delay: FeedDelay): Html {
  return html`<p><strong>${feedDelayText(delay)}</strong></p>
<p class="quiet">Counted from the moment at which your shop handed the order in. An order that was handed in after the network asked is “${CAUSES.sent_late.title}” above, however fast it was known then.</p>${
    delay.known > 0 &&
    table({
      label: 'Orders by the time until the service knew them',
      columns: ['Known within, of being handed in', numeric('Orders'), numeric('Share')],
      rows: delay.within.map(({ seconds, orders }) => [
        BOUND_WORDS[seconds] ?? `${seconds} s`,
        orders,
        `${(Math.floor((orders * 1_000) / delay.known) / 10).toFixed(1)} %`,
      ]),
    })
  }`;
}
