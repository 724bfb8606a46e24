/** The webhook log: every delivery with its verdict, what it changed, and taking it up again. */
import type { RequestHandler, Router } from 'express';
import type { z } from 'zod';
import type { MinuteQuery } from '../../../alerts/receive/delivery-minute.store.ts';
import {
  countVerdicts,
  listDeliveryMinutes,
} from '../../../alerts/receive/delivery-minute.store.ts';
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import type { EventDetail } from '../../../books/insights/event-detail.store.ts';
import { readEventDetail } from '../../../books/insights/event-detail.store.ts';
import type { EventListItem, QuarantineItem } from '../../../books/insights/event-list.store.ts';
import { listEvents, listQuarantine } from '../../../books/insights/event-list.store.ts';
import { isAtLeast } from '../access/role.ts';
import { eventIdOf, LIMIT_MAX, makeCursor, read, webhookLogQuery } from '../query.ts';
import { route } from '../reply.ts';
import type { Formats } from '../view/locale.ts';
import { formatsOf } from '../view/locale.ts';
import { csrfField } from '../view/shell.ts';
import { nextPage, tabLinks, table } from '../view/table.ts';
import { moment } from '../view/time.ts';
import type { PageContext, Visit } from '../visit.ts';
import { page, send, sendError } from '../visit.ts';
import { facts } from './case-facts.ts';
import { alertPath, emptyState } from './case-list.ts';
import type { DeliveryMinute } from './delivery-tables.ts';
import { minuteNote, verdictBadge, verdictName } from './delivery-tables.ts';

/** Bytes of a body that are shown. */
const SHOWN_BYTES_MAX = 64 * 1024;

/** More than there are verdicts: a page ends between two minutes. */
const VERDICTS_MAX = 20;

/** Verdicts of deliveries that were not refused. */
const TAKEN: readonly string[] = ['accepted', 'repeat'];

const DAY_MS = 24 * 60 * 60_000;

export function registerEvents(router: Router, context: PageContext, form: RequestHandler): void {
  route(router, '/events', { get: page(context, 'viewer', show) });
  route(router, '/events/:id', { get: page(context, 'viewer', showEvent) });
  route(router, '/events/:id/replay', { post: [form, page(context, 'reviewer', replay)] });
}

async function show(visit: Visit): Promise<void> {
  const query = read(webhookLogQuery, { ...visit.request.query });
  if (!query.ok) {
    const message = query.faults.map((fault) => fault.message).join(' ');
    sendError(visit, 400, { title: 'That list does not exist', message });
    return;
  }
  const { state } = query.value;
  const { db, organisationId } = visit.options;
  const since = new Date(visit.now.getTime() - DAY_MS);
  const [verdicts, found] = await Promise.all([
    countVerdicts(db, organisationId, since),
    readLog(visit, query.value),
  ]);
  const body = html`<h1>Webhook log</h1>
${lastDay(verdicts, formatsOf(visit.request, visit.options.locale))}
${tabLinks('Verdict', state, [
  ['all', 'All deliveries', '/events'],
  ['accepted', 'Accepted', '/events?state=accepted'],
  ['repeats', 'Repeats', '/events?state=repeats'],
  ['refused', 'Refused', '/events?state=refused'],
  ['quarantined', 'Quarantine', '/events?state=quarantined'],
])}
${found.body}${nextPage('/events', { state, cursor: found.cursor })}`;
  send(visit, { title: 'Webhook log', active: '/events', body });
}

/** The deliveries of the last 24 hours by verdict. */
function lastDay(
  verdicts: readonly { readonly verdict: string; readonly count: number }[],
  formats: Formats,
): Html {
  const countOf = (name: string): number =>
    verdicts.find(({ verdict }) => verdict === name)?.count ?? 0;
  const refused = verdicts.filter(({ verdict }) => !TAKEN.includes(verdict));
  const sum = refused.reduce((total, { count }) => total + count, 0);
  return html`<dl class="figures"><div><dt>Accepted, 24 h</dt><dd>${formats.count(countOf('accepted'))}</dd></div>
<div><dt>Repeats, 24 h</dt><dd>${formats.count(countOf('repeat'))}</dd><dd class="note">nothing was done twice</dd></div>
<div${sum > 0 && html` class="attention"`}><dt>Refused, 24 h</dt><dd>${formats.count(sum)}</dd>${sum > 0 && html`<dd class="note">${refused.map(({ verdict, count }, index) => `${index > 0 ? ', ' : ''}${verdictName(verdict)} ${formats.count(count)}`)}</dd>`}</div></dl>`;
}

interface Found {
  readonly body: Html;
  readonly cursor: string | null;
}

type LogQuery = z.infer<typeof webhookLogQuery>;

async function readLog(visit: Visit, query: LogQuery): Promise<Found> {
  const { state } = query;
  if (state === 'quarantined') return await readQuarantine(visit, query);
  if (state === 'refused') return await readMinutes(visit, query, { except: TAKEN });
  if (state === 'repeats') return await readMinutes(visit, query, { verdicts: ['repeat'] });
  return await readEvents(visit, query);
}

async function readQuarantine({ options }: Visit, { limit, cursor }: LogQuery): Promise<Found> {
  const { db, organisationId } = options;
  const first = cursor?.length === 1 ? cursor[0] : undefined;
  const beforeId = typeof first === 'number' ? first : undefined;
  const items = await listQuarantine(db, { organisationId, limit, beforeId });
  const last = items.length === limit ? items.at(-1) : undefined;
  return {
    body: quarantineTable(items),
    cursor: last === undefined ? null : makeCursor([last.id]),
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

/** Stored events; among all deliveries, with the repeats and refusals of the same stretch of time. */
async function readEvents(visit: Visit, { state, limit, cursor }: LogQuery): Promise<Found> {
  const { options, now } = visit;
  const { db, organisationId } = options;
  const after = cursor?.length === 2 ? { receivedText: cursor[0], seq: cursor[1] } : undefined;
  const items = await listEvents(db, { organisationId, limit, after });
  const last = items.length === limit ? items.at(-1) : undefined;
  const rows = items.map((item) => ({ at: item.receivedAt, cells: eventRow(item) }));
  if (state === 'all') {
    const end = after === undefined ? now.getTime() + DAY_MS : Date.parse(after.receivedText);
    const minutes = await listDeliveryMinutes(db, {
      organisationId,
      except: ['accepted'],
      from: last?.receivedAt ?? new Date(0),
      before: new Date(end),
      limit: LIMIT_MAX,
    });
    rows.push(...minutes.map((row) => ({ at: row.last_at, cells: minuteRow(row) })));
    rows.sort((one, other) => other.at.getTime() - one.at.getTime());
  }
  return {
    body: logTable(rows.map(({ cells }) => cells)),
    cursor: last === undefined ? null : makeCursor([last.receivedText, last.seq]),
  };
}

function eventPath(eventId: string): string {
  return `/events/${encodeURIComponent(eventId)}`;
}

type LogRow = readonly (Html | string | number | null | false)[];

function logTable(rows: readonly LogRow[]): Html {
  if (rows.length === 0) {
    return emptyState(
      'No delivery of this kind.',
      'Point the service’s webhook at the address where Forestall listens for them; System shows whether it does.',
    );
  }
  const list = table({
    label: 'Deliveries, newest first',
    columns: ['Received', 'Verdict', { heading: 'Number', numeric: true }, 'Event', 'What it did'],
    rows,
  });
  return html`<div class="stacked">${list}</div>`;
}

function eventRow(item: EventListItem): LogRow {
  return [
    html`<a href="${eventPath(item.eventId)}">${moment(item.receivedAt)}</a>`,
    html`<span class="state ${STATE_TONES[item.state]}">${STATE_NAMES[item.state]}</span>`,
    1,
    html`${item.type ?? 'not readable'} ${item.objectId !== null && about(item.objectId)}`,
    effectOf(item),
  ];
}

/** What the event changed, or why nothing yet. */
function effectOf({ state, reason, changed }: EventListItem): Html | string {
  if (state === 'quarantined') return `kept without effect: ${reason?.replaceAll('_', ' ')}`;
  if (changed.length === 0) return state === 'waiting' ? 'not applied yet' : 'nothing new';
  return html`${changed.map(({ entity, id, accepted }) => html`${entity.replaceAll('_', ' ')} ${about(id)}${!accepted && ' (late, without effect)'} `)}`;
}

function minuteRow(row: DeliveryMinute): LogRow {
  const state = row.verdict === 'repeat' ? 'repeats' : 'refused';
  return [
    html`<a href="/events?state=${state}">${moment(row.last_at)}</a>`,
    verdictBadge(row.verdict),
    row.count,
    row.count === 1 ? 'one delivery' : 'within one minute',
    minuteNote(row),
  ];
}

const STATE_NAMES = {
  applied: 'accepted',
  waiting: 'accepted, waiting',
  quarantined: 'in quarantine',
} as const;

const STATE_TONES = { applied: 'good', waiting: '', quarantined: 'warn' } as const;

function about(id: string | null): Html | string | null {
  return id?.startsWith('netalrt_') === true ? html`<a href="${alertPath(id)}">${id}</a>` : id;
}

function quarantineTable(items: readonly QuarantineItem[]): Html {
  if (items.length === 0) {
    return emptyState(
      'Nothing is in quarantine.',
      'Deliveries that are signed and cannot be understood would wait here for you.',
    );
  }
  return table({
    label: 'Quarantine, newest first',
    columns: ['Event', 'Since', 'Reason', 'Detail', 'State'],
    rows: items.map((item) => [
      html`<a href="${eventPath(item.eventId)}">${item.eventId}</a>`,
      moment(item.quarantinedAt),
      item.reason.replaceAll('_', ' '),
      html`<span class="long">${item.detail}</span>`,
      item.resolvedAt === null
        ? html`<span class="state warn">open</span>`
        : html`dealt with by ${item.resolvedBy}, ${moment(item.resolvedAt)}`,
    ]),
  });
}

async function showEvent(visit: Visit): Promise<void> {
  const { db, organisationId } = visit.options;
  const eventId = eventIdOf(visit.request);
  const detail =
    eventId === undefined ? undefined : await readEventDetail(db, organisationId, eventId);
  if (eventId === undefined || detail === undefined) {
    sendError(visit, 404, { title: 'No such event', message: 'Check its id.' });
    return;
  }
  const body = eventBody(visit, eventId, detail);
  send(visit, { title: `Event ${eventId}`, active: '/events', body });
}

function eventBody(visit: Visit, eventId: string, detail: EventDetail): Html {
  const { event, quarantine, changes } = detail;
  const isReviewer = isAtLeast(visit.who.role, 'reviewer');
  return html`<p class="crumbs"><a href="/events">All deliveries</a></p><h1>Event ${eventId}</h1>
${quarantine.map((row) => html`<p class="banner ${row.resolved_at === null ? '' : 'done'}">In quarantine since ${moment(row.quarantined_at)}: ${row.reason.replaceAll('_', ' ')}. ${row.detail}${row.resolved_at !== null && html` Dealt with by ${row.resolved_by}.`}</p>`)}
<div class="card">${facts([
    ['Received', event !== undefined && moment(event.receivedAt)],
    ['Signed', event?.signedAt != null && moment(event.signedAt)],
    ['Delivery', event?.deliveryId],
    ['Subscription', event?.subscription],
    [
      'Changed',
      changes.length > 0 &&
        html`${changes.map((change) => html`${change.entity.replaceAll('_', ' ')} ${about(change.entity_id)}${!change.accepted && ' (late, without effect)'} `)}`,
    ],
  ])}</div>
${
  isReviewer &&
  html`<form method="post" action="${eventPath(eventId)}/replay" class="actions">${csrfField(visit.csrfToken)}<button class="plain">Take it up again</button></form>
<p class="quiet">Applied once more as if it had just arrived; nothing is refunded or declared twice.</p>`
}
<h2>As received</h2>${isReviewer ? rawBody(event?.body ?? quarantine[0]?.body ?? null) : html`<p class="quiet">Raw bodies take the role reviewer: they may name customers.</p>`}`;
}

/** The bytes as text: as JSON where they are, with whatever cannot be shown replaced. */
function rawBody(body: Buffer | null): Html {
  if (body === null) return html`<p class="quiet">The body is no longer kept.</p>`;
  const text = body.subarray(0, SHOWN_BYTES_MAX).toString('utf8');
  return html`<pre tabindex="0">${indented(text)}</pre>${body.length > SHOWN_BYTES_MAX && html`<p class="quiet">${body.length} bytes; the first ${SHOWN_BYTES_MAX} are shown.</p>`}`;
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

async function replay(visit: Visit): Promise<void> {
  const { options, request, response, who } = visit;
  const eventId = eventIdOf(request);
  if (eventId === undefined) {
    sendError(visit, 404, { title: 'No such event', message: 'Check its id.' });
    return;
  }
  const { organisationId } = options;
  const outcome = await options.replayEvent({ organisationId, eventId, operator: who.name });
  if (outcome.ok) response.redirect(303, eventPath(eventId));
  else sendError(visit, 409, { title: 'Not taken up', message: outcome.message });
}
