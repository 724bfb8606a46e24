/** One stored event: what it changed, its bytes as they came, and taking it up again. */
import type { RequestHandler, Router } from 'express';
import type { EventDetail } from '../../../alerts/receive/event-detail.store.ts';
import { readEventDetail } from '../../../alerts/receive/event-detail.store.ts';
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import { plainly } from '../../../surface/access/needs.ts';
import { isAtLeast } from '../../../surface/access/role.ts';
import { descriptionList } from '../../../surface/view/description-list.ts';
import { csrfField } from '../../../surface/view/shell.ts';
import { moment } from '../../../surface/view/time.ts';
import { eventIdOf } from '../../../surface/web/query.ts';
import { route } from '../../../surface/web/reply.ts';
import type { PageContext, Visit } from '../../../surface/web/visit.ts';
import { goTo, page, send, sendError } from '../../../surface/web/visit.ts';
import { about, eventPath } from './delivery-tables.ts';

/** Bytes of a body that are shown. */
const SHOWN_BYTES_MAX = 64 * 1024;

export function registerEvent(router: Router, context: PageContext, form: RequestHandler): void {
  route(router, '/events/:id', { get: page(context, 'viewer', showEvent) });
  route(router, '/events/:id/replay', { post: [form, page(context, plainly('reviewer'), replay)] });
}

async function showEvent(visit: Visit): Promise<void> {
  const { db, organisationId } = visit.options;
  const eventId = eventIdOf(visit.request);
  const detail =
    eventId === undefined ? undefined : await readEventDetail(db, organisationId, eventId);
  if (eventId === undefined || detail === undefined) {
    return sendError(visit, 404, { title: 'No such event', message: 'Check its id.' });
  }
  const body = eventBody(visit, eventId, detail);
  send(visit, { title: `Event ${eventId}`, active: '/events', body });
}

function eventBody(visit: Visit, eventId: string, detail: EventDetail): Html {
  const { event, quarantine, changes } = detail;
  const isReviewer = isAtLeast(visit.who.role, 'reviewer');
  return html`<p class="crumbs"><a href="/events">All deliveries</a></p><h1>Event ${eventId}</h1>
${quarantine.map((row) => html`<p class="banner ${row.resolved_at === null ? '' : 'done'}">In quarantine since ${moment(row.quarantined_at)}: ${row.reason.replaceAll('_', ' ')}. ${row.detail}${row.resolved_at !== null && html` Dealt with by ${row.resolved_by}.`}</p>`)}
<div class="card">${descriptionList([
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
  const { options, request, who } = visit;
  const eventId = eventIdOf(request);
  if (eventId === undefined) {
    return sendError(visit, 404, { title: 'No such event', message: 'Check its id.' });
  }
  const { organisationId } = options;
  const outcome = await options.replayEvent({ organisationId, eventId, operator: who.name });
  if (outcome.ok) goTo(visit, eventPath(eventId));
  else sendError(visit, 409, { title: 'Not taken up', message: outcome.message });
}
