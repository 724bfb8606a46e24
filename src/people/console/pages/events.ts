/** The events inbox: what the service sent, what lies in quarantine and why, and taking it up again. */
import type { RequestHandler, Router } from 'express';
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import type { EventDetail } from '../../../books/insights/event-detail.store.ts';
import { readEventDetail } from '../../../books/insights/event-detail.store.ts';
import type { EventListItem, QuarantineItem } from '../../../books/insights/event-list.store.ts';
import { listEvents, listQuarantine } from '../../../books/insights/event-list.store.ts';
import { isAtLeast } from '../access/role.ts';
import { eventIdOf, eventListQuery, makeCursor, read } from '../query.ts';
import { route } from '../reply.ts';
import { csrfField } from '../view/shell.ts';
import { nextPage, tabLinks, table } from '../view/table.ts';
import { moment } from '../view/time.ts';
import type { PageContext, Visit } from '../visit.ts';
import { page, send, sendError } from '../visit.ts';
import { facts } from './case-facts.ts';
import { alertPath, emptyState } from './case-list.ts';

/** Bytes of a body that are shown. */
const SHOWN_BYTES_MAX = 64 * 1024;

export function registerEvents(router: Router, context: PageContext, form: RequestHandler): void {
  route(router, '/events', { get: page(context, 'viewer', show) });
  route(router, '/events/:id', { get: page(context, 'viewer', showEvent) });
  route(router, '/events/:id/replay', { post: [form, page(context, 'reviewer', replay)] });
}

async function show(visit: Visit): Promise<void> {
  const query = read(eventListQuery, { ...visit.request.query });
  if (!query.ok) {
    const message = query.faults.map((fault) => fault.message).join(' ');
    sendError(visit, 400, { title: 'That list does not exist', message });
    return;
  }
  const { state, limit, cursor } = query.value;
  const { db, organisationId } = visit.options;
  const list = { organisationId, limit };
  let found: { body: Html; cursor: string | null };
  if (state === 'quarantined') {
    const beforeId = cursor?.length === 1 ? cursor[0] : undefined;
    const items = await listQuarantine(db, { ...list, beforeId });
    const last = items.length === limit ? items.at(-1) : undefined;
    found = {
      body: quarantineTable(items),
      cursor: last === undefined ? null : makeCursor([last.id]),
    };
  } else {
    const after = cursor?.length === 2 ? { receivedText: cursor[0], seq: cursor[1] } : undefined;
    const items = await listEvents(db, { ...list, after });
    const last = items.length === limit ? items.at(-1) : undefined;
    found = {
      body: eventTable(items),
      cursor: last === undefined ? null : makeCursor([last.receivedText, last.seq]),
    };
  }
  const body = html`<h1>Events</h1>
${tabLinks('State', state, [
  ['all', 'All', '/events'],
  ['quarantined', 'Quarantine', '/events?state=quarantined'],
])}
${found.body}${nextPage('/events', { state, cursor: found.cursor })}`;
  send(visit, { title: 'Events', active: '/events', body });
}

function eventPath(eventId: string): string {
  return `/events/${encodeURIComponent(eventId)}`;
}

function eventTable(items: readonly EventListItem[]): Html {
  if (items.length === 0) {
    return emptyState(
      'No event has arrived yet.',
      'Point the service’s webhook at the address where Forestall listens for them; System shows whether it does.',
    );
  }
  return table({
    label: 'Events, newest first',
    columns: ['Event', 'Received', 'Type', 'About', 'State', { heading: 'Bytes', numeric: true }],
    rows: items.map((item) => [
      html`<a href="${eventPath(item.eventId)}">${item.eventId}</a>`,
      moment(item.receivedAt),
      item.type,
      about(item.objectId),
      html`<span class="state ${STATE_TONES[item.state]}">${item.state}</span>`,
      item.bytes,
    ]),
  });
}

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
  return html`<p class="crumbs"><a href="/events">All events</a></p><h1>Event ${eventId}</h1>
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
