/** The webhook log: every delivery with its verdict and what it changed, and the alerts to which none came first. */
import type { Router } from 'express';
import type { z } from 'zod';
import {
  COUNTED_MAX,
  countFoundByPoll,
  listFoundByPoll,
} from '../../../alerts/list/found-by-poll.store.ts';
import type { MinuteQuery } from '../../../alerts/receive/delivery-minute.store.ts';
import {
  countVerdicts,
  listDeliveryMinutes,
  TAKEN,
} from '../../../alerts/receive/delivery-minute.store.ts';
import { listEvents, listQuarantine } from '../../../alerts/receive/event-list.store.ts';
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import type { Formats } from '../../../surface/view/locale.ts';
import { formatsOf } from '../../../surface/view/locale.ts';
import { nextPage, tabLinks } from '../../../surface/view/table.ts';
import { LIMIT_MAX, makeCursor, nextCursor, webhookLogQuery } from '../../../surface/web/query.ts';
import { route } from '../../../surface/web/reply.ts';
import type { PageContext, Visit } from '../../../surface/web/visit.ts';
import { page, readListQuery, send } from '../../../surface/web/visit.ts';
import {
  eventRow,
  foundRow,
  foundTable,
  logTable,
  minuteRow,
  quarantineTable,
  verdictName,
} from './delivery-tables.ts';

/** More than there are verdicts: a page ends between two minutes. */
const VERDICTS_MAX = 20;

const DAY_MS = 24 * 60 * 60_000;

export function registerEvents(router: Router, context: PageContext): void {
  route(router, '/events', { get: page(context, 'viewer', show) });
}

async function show(visit: Visit): Promise<void> {
  const query = readListQuery(visit, webhookLogQuery);
  if (query === undefined) return;
  const { state } = query;
  const { db, organisationId } = visit.options;
  const since = new Date(visit.now.getTime() - DAY_MS);
  const [verdicts, polled, found] = await Promise.all([
    countVerdicts(db, organisationId, since),
    countFoundByPoll(db, organisationId, since),
    readLog(visit, query),
  ]);
  const body = html`<h1>Webhook log</h1>
${lastDay({ verdicts, polled }, formatsOf(visit.request, visit.options.locale))}
${tabLinks('Verdict', state, [
  ['all', 'All deliveries', '/events'],
  ['accepted', 'Accepted', '/events?state=accepted'],
  ['repeats', 'Repeats', '/events?state=repeats'],
  ['refused', 'Refused', '/events?state=refused'],
  ['quarantined', 'Quarantine', '/events?state=quarantined'],
  ['polled', 'Found by polling', '/events?state=polled'],
])}
${found.body}${nextPage('/events', { state, cursor: found.cursor })}`;
  send(visit, { title: 'Webhook log', active: '/events', body });
}

interface LastDay {
  readonly verdicts: readonly { readonly verdict: string; readonly count: number }[];
  readonly polled: { readonly found: number; readonly undelivered: number };
}

/** The deliveries of the last 24 hours by verdict, and what came without one. */
function lastDay({ verdicts, polled }: LastDay, formats: Formats): Html {
  const countOf = (name: string): number =>
    verdicts.find(({ verdict }) => verdict === name)?.count ?? 0;
  const refused = verdicts.filter(({ verdict }) => !TAKEN.includes(verdict));
  const sum = refused.reduce((total, { count }) => total + count, 0);
  return html`<dl class="figures"><div><dt>Accepted, 24 h</dt><dd>${formats.count(countOf('accepted'))}</dd></div>
<div><dt>Repeats, 24 h</dt><dd>${formats.count(countOf('repeat'))}</dd><dd class="note">nothing was done twice</dd></div>
<div${sum > 0 && html` class="attention"`}><dt>Refused, 24 h</dt><dd>${formats.count(sum)}</dd>${sum > 0 && html`<dd class="note">${refused.map(({ verdict, count }, index) => `${index > 0 ? ', ' : ''}${verdictName(verdict)} ${formats.count(count)}`)}</dd>`}</div>
<div${polled.undelivered > 0 && html` class="attention"`}><dt>By polling, 24 h</dt><dd>${formats.count(polled.found)}${polled.found === COUNTED_MAX && ' or more'}</dd>${polled.found > 0 && html`<dd class="note">${formats.count(polled.undelivered)} without a delivery</dd>`}</div></dl>`;
}

interface Found {
  readonly body: Html;
  readonly cursor: string | null;
}

type LogQuery = z.infer<typeof webhookLogQuery>;

async function readLog(visit: Visit, query: LogQuery): Promise<Found> {
  const { state } = query;
  if (state === 'quarantined') return await readQuarantine(visit, query);
  if (state === 'polled') return await readPolled(visit, query);
  if (state === 'refused') return await readMinutes(visit, query, { except: TAKEN });
  if (state === 'repeats') return await readMinutes(visit, query, { verdicts: ['repeat'] });
  return await readEvents(visit, query);
}

async function readQuarantine({ options }: Visit, { limit, cursor }: LogQuery): Promise<Found> {
  const { db, organisationId } = options;
  const first = cursor?.length === 1 ? cursor[0] : undefined;
  const beforeId = typeof first === 'number' ? first : undefined;
  const items = await listQuarantine(db, { organisationId, limit, beforeId });
  return { body: quarantineTable(items), cursor: nextCursor(items, limit, (last) => [last.id]) };
}

/** Alerts that polling found before any webhook told of them. */
async function readPolled({ options }: Visit, { limit, cursor }: LogQuery): Promise<Found> {
  const { db, organisationId } = options;
  const after = cursor?.length === 2 ? { foundText: cursor[0], id: cursor[1] } : undefined;
  const items = await listFoundByPoll(db, { organisationId, limit, after });
  return {
    body: foundTable(items),
    cursor: nextCursor(items, limit, (last) => [last.foundText, last.id]),
  };
}

/** Whole minutes of repeats or refusals: a page ends between two of them. */
async function readMinutes(
  { options, now }: Visit,
  { limit, cursor }: LogQuery,
  which: Pick<MinuteQuery, 'verdicts' | 'except'>,
): Promise<Found> {
  const { db, organisationId } = options;
  const first = cursor?.length === 1 ? cursor[0] : undefined;
  const before = typeof first === 'string' ? new Date(first) : new Date(now.getTime() + DAY_MS);
  const page = { organisationId, from: new Date(0), before, ...which };
  const items = await listDeliveryMinutes(db, { ...page, limit: limit + VERDICTS_MAX });
  const end = items[limit - 1]?.minute;
  const isCut = items.length > limit && end !== undefined;
  const shown = isCut ? items.filter(({ minute }) => minute >= end) : items;
  const cursorText = isCut ? `${end.toISOString().slice(0, -1)}000Z` : null;
  return {
    body: logTable(shown.map(minuteRow)),
    cursor: cursorText === null ? null : makeCursor([cursorText]),
  };
}

/** Stored events; among all, with the repeats, the refusals and what polling found in the same stretch of time. */
async function readEvents(visit: Visit, { state, limit, cursor }: LogQuery): Promise<Found> {
  const { options, now } = visit;
  const { db, organisationId } = options;
  const after = cursor?.length === 2 ? { receivedText: cursor[0], seq: cursor[1] } : undefined;
  const items = await listEvents(db, { organisationId, limit, after });
  const last = items.length === limit ? items.at(-1) : undefined;
  const rows = items.map((item) => ({ at: item.receivedAt, cells: eventRow(item) }));
  if (state === 'all') {
    const end = after === undefined ? now.getTime() + DAY_MS : Date.parse(after.receivedText);
    const from = last?.receivedAt ?? new Date(0);
    const range = { organisationId, from, before: new Date(end), limit: LIMIT_MAX };
    const [minutes, polled] = await Promise.all([
      listDeliveryMinutes(db, { ...range, except: ['accepted'] }),
      listFoundByPoll(db, range),
    ]);
    rows.push(...minutes.map((row) => ({ at: row.last_at, cells: minuteRow(row) })));
    rows.push(...polled.map((row) => ({ at: row.foundAt, cells: foundRow(row) })));
    rows.sort((one, other) => other.at.getTime() - one.at.getTime());
  }
  return {
    body: logTable(rows.map(({ cells }) => cells)),
    cursor: nextCursor(items, limit, (last) => [last.receivedText, last.seq]),
  };
}
