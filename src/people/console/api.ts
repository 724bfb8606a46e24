/** The JSON API under `/api`, for programs: alerts, decisions, findings, events. */
import type { RequestHandler, Response, Router } from 'express';
import express from 'express';
import type { z } from 'zod';
import { readAlertDetail } from '../../alerts/list/alert-detail.store.ts';
import { listEvents, listQuarantine } from '../../alerts/receive/event-list.store.ts';
import { listFindings } from '../../base/findings/finding.store.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { EVENT_KINDS } from '../../capabilities/event-kinds.ts';
import { readOfAlert } from '../../capabilities/of-alert.ts';
import { CAPABILITY_API } from '../../capabilities/pages.ts';
import type { Auth } from '../../surface/web/auth.ts';
import { isFresh, mayDo, operatorOf } from '../../surface/web/auth.ts';
import type { ConsoleOptions, DecideOutcome } from '../../surface/web/ports.ts';
import type { Reading } from '../../surface/web/query.ts';
import {
  alertIdOf,
  alertSearchQuery,
  decisionBody,
  decisionOf,
  eventIdOf,
  eventListQuery,
  findingListQuery,
  makeCursor,
  NEEDS_PROOF,
  nextCursor,
  read,
} from '../../surface/web/query.ts';
import type { Methods } from '../../surface/web/reply.ts';
import {
  askForProof,
  jsonBody,
  NOT_FOUND,
  route,
  sendFault,
  sendJson,
} from '../../surface/web/reply.ts';
import { findAlerts } from './alert-search.ts';
import {
  alertDetailJson,
  alertItemJson,
  eventJson,
  findingJson,
  quarantineJson,
} from './api-json.ts';
import { addMatchRoutes } from './api-match.ts';
import { createReviewRouter } from './api-reviews.ts';

const OUTCOME_STATUS = { not_found: 404, conflict: 409, refused: 422 } as const;
const OUTCOME_CODE = { not_found: 'NOT_FOUND', conflict: 'CONFLICT', refused: 'REFUSED' } as const;

/** Creates the router; the caller mounts it behind authentication. */
export function createApiRouter(options: ConsoleOptions, auth: Auth): Router {
  const router = express.Router();
  route(router, '/alerts', { get: listAlertsHandler(options) });
  route(router, '/alerts/:id', { get: alertHandler(options) });
  route(router, '/alerts/:id/decision', { post: [jsonBody, decisionHandler(options, auth)] });
  addMatchRoutes(router, options, auth);
  route(router, '/findings', { get: findingsHandler(options) });
  route(router, '/events', { get: eventsHandler(options) });
  route(router, '/events/:id/replay', { post: replayHandler(options, auth) });
  router.use(createReviewRouter(options, auth));
  addCapabilityCalls(router, options, auth);
  return router;
}

/** What capabilities describe. All methods of a path are registered together: another one is answered 405. */
function addCapabilityCalls(router: Router, options: ConsoleOptions, auth: Auth): void {
  const work = { options, eventKinds: EVENT_KINDS };
  const paths = new Map<string, Methods>();
  for (const each of CAPABILITY_API) {
    const [method = '', path = ''] = each.call.split(' ');
    const handler = each.handler(work, auth);
    const own = method === 'GET' ? { get: handler } : { post: [jsonBody, handler] };
    paths.set(path, { ...paths.get(path), ...own });
  }
  for (const [path, methods] of paths) {
    route(router, path.replace(/^\/api/, '').replaceAll(/\{(\w+)\}/g, ':$1'), methods);
  }
}

function listAlertsHandler({ db, organisationId }: ConsoleOptions): RequestHandler {
  return async (request, response) => {
    const query = readOrRefuse(response, read(alertSearchQuery, { ...request.query }));
    if (query === undefined) return;
    const { items, next } = await findAlerts(db, organisationId, query);
    sendJson(response, 200, {
      items: items.map(alertItemJson),
      next_cursor: next === null ? null : makeCursor([next.deadlineText, next.alertId]),
    });
  };
}

function alertHandler({ db, organisationId }: ConsoleOptions): RequestHandler {
  return async (request, response) => {
    const id = alertIdOf(request);
    const detail = id === undefined ? undefined : await readAlertDetail(db, organisationId, id);
    if (id === undefined || detail === undefined) sendFault(response, 404, NOT_FOUND);
    else {
      const { json } = await readOfAlert(db, organisationId, id);
      sendJson(response, 200, alertDetailJson(detail, json));
    }
  };
}

function decisionHandler(options: ConsoleOptions, auth: Auth): RequestHandler {
  const { organisationId, decide, clock } = options;
  return async (request, response) => {
    const alertId = alertIdOf(request);
    if (alertId === undefined) return sendFault(response, 404, NOT_FOUND);
    const body = readOrRefuse(response, read(decisionBody, request.body));
    const caller = auth.callerOf(request);
    if (body === undefined || caller === undefined) return;
    const movesMoney = NEEDS_PROOF.has(body.action);
    const verb = movesMoney ? 'alerts:refund' : 'alerts:decide';
    if (!mayDo(response, caller, verb)) return;
    if (movesMoney && !isFresh(caller, nowDate(clock), verb)) {
      return askForProof(response, caller);
    }
    const operator = operatorOf(caller);
    sendOutcome(response, await decide(decisionOf(body, { organisationId, alertId, operator })));
  };
}

function findingsHandler({ db, organisationId }: ConsoleOptions): RequestHandler {
  return async (request, response) => {
    const query = readOrRefuse(response, read(findingListQuery, { ...request.query }));
    if (query === undefined) return;
    const { state, limit, cursor } = query;
    const rows = await listFindings(db, { organisationId, state, limit, beforeId: cursor?.[0] });
    sendJson(response, 200, pageOf(rows, { limit, show: findingJson, place: (last) => [last.id] }));
  };
}

type EventQuery = z.infer<typeof eventListQuery>;

function eventsHandler(options: ConsoleOptions): RequestHandler {
  return async (request, response) => {
    const query = readOrRefuse(response, read(eventListQuery, { ...request.query }));
    if (query === undefined) return;
    const page =
      query.state === 'quarantined'
        ? await quarantinePage(options, query)
        : await inboxPage(options, query);
    if (page !== undefined) return sendJson(response, 200, page);
    const message = 'cursor belongs to another list. Begin without it.';
    sendFault(response, 400, { code: 'INVALID_REQUEST', message, field: 'cursor' });
  };
}

/** Undefined when the cursor is one of the other list. */
async function quarantinePage(
  { db, organisationId }: ConsoleOptions,
  { limit, cursor }: EventQuery,
): Promise<Page | undefined> {
  if (cursor?.length === 2) return undefined;
  const items = await listQuarantine(db, { organisationId, limit, beforeId: cursor?.[0] });
  return pageOf(items, { limit, show: quarantineJson, place: (last) => [last.id] });
}

/** Undefined when the cursor is one of the other list. */
async function inboxPage(
  { db, organisationId }: ConsoleOptions,
  { limit, cursor }: EventQuery,
): Promise<Page | undefined> {
  if (cursor?.length === 1) return undefined;
  const after = cursor === undefined ? undefined : { receivedText: cursor[0], seq: cursor[1] };
  const items = await listEvents(db, { organisationId, limit, after });
  return pageOf(items, { limit, show: eventJson, place: (last) => [last.receivedText, last.seq] });
}

interface Page {
  readonly items: readonly unknown[];
  /** Null on the last page. */
  readonly next_cursor: string | null;
}

function pageOf<Item>(
  items: readonly Item[],
  how: {
    readonly limit: number;
    readonly show: (item: Item) => unknown;
    readonly place: (last: Item) => readonly (string | number)[];
  },
): Page {
  return { items: items.map(how.show), next_cursor: nextCursor(items, how.limit, how.place) };
}

function replayHandler(options: ConsoleOptions, auth: Auth): RequestHandler {
  const { organisationId, replayEvent } = options;
  return async (request, response) => {
    const eventId = eventIdOf(request);
    const caller = auth.callerOf(request);
    if (eventId === undefined || caller === undefined) return sendFault(response, 404, NOT_FOUND);
    const operator = operatorOf(caller);
    sendOutcome(response, await replayEvent({ organisationId, eventId, operator }));
  };
}

function sendOutcome(response: Response, outcome: DecideOutcome): void {
  if (outcome.ok) {
    sendJson(response, 202, { accepted: true });
    return;
  }
  const { reason, message } = outcome;
  sendFault(response, OUTCOME_STATUS[reason], { code: OUTCOME_CODE[reason], message });
}

/** The value, or undefined after the faults were answered with 400. */
function readOrRefuse<Value>(response: Response, reading: Reading<Value>): Value | undefined {
  if (reading.ok) return reading.value;
  sendFault(response, 400, ...reading.faults);
  return undefined;
}
