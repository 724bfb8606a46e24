/**
 * The pages for people: sign in, the list, one alert, and the confirmation in front of a decision.
 */
import type { Request, RequestHandler, Response, Router } from 'express';
import express from 'express';
import type { OperatorAction } from '../cases/operator-decision.ts';
import { readAlertDetail } from '../insights/alert-detail.store.ts';
import { listAlerts } from '../insights/alert-list.store.ts';
import { readOperations } from '../insights/operations.store.ts';
import { readOverview } from '../insights/overview.store.ts';
import type { Clock } from '../kernel/clock.ts';
import { nowDate } from '../kernel/clock.ts';
import { notify } from '../notify/notification.store.ts';
import { listFindings } from '../reconcile/finding.store.ts';
import { alertPage } from './alert-page.ts';
import { orderOf } from './api.ts';
import type { Auth } from './auth.ts';
import { isCrossSite, mayChange } from './auth.ts';
import { confirmPage } from './confirm-page.ts';
import { createFailureLimit, FAILURES_MAX } from './failure-limit.ts';
import { listPage } from './list-page.ts';
import { errorPage, loginPage } from './page-shell.ts';
import type { ConsoleOptions } from './ports.ts';
import {
  alertIdOf,
  alertListQuery,
  decisionBody,
  decisionOf,
  makeCursor,
  read,
  statesOf,
} from './query.ts';
import { route } from './reply.ts';
import type { Session, Sessions } from './session.ts';
import { sameSecret } from './session.ts';

/** Largest form, in bytes: a note of 500 characters, escaped. */
const FORM_BYTES_MAX = 16 * 1024;

/** Findings shown above the list; `/api/findings` lists them all. */
const FINDINGS_SHOWN = 10;

/** What the pages share. */
export interface PageContext {
  readonly options: ConsoleOptions;
  readonly auth: Auth;
  readonly sessions: Sessions;
}

/** Makes the router of all pages. */
export function createPages(context: PageContext): Router {
  const router = express.Router();
  // No parser for forms is mounted: a form is a short text, read field by field.
  const form = express.text({ limit: FORM_BYTES_MAX, type: 'application/x-www-form-urlencoded' });
  route(router, '/login', {
    get: (_request, response) => sendPage(response, 200, loginPage(undefined)),
    post: [form, loginHandler(context)],
  });
  route(router, '/logout', { post: [form, logoutHandler(context)] });
  route(router, '/', { get: withSession(context, showList) });
  route(router, '/alerts/:id', { get: withSession(context, showAlert) });
  route(router, '/alerts/:id/decide', { get: withSession(context, showConfirmation) });
  route(router, '/alerts/:id/decision', { post: [form, withSession(context, decide)] });
  return router;
}

/** Answers with a page. */
export function sendPage(response: Response, status: number, page: string): void {
  response.status(status).type('html').send(page);
}

interface Visit {
  readonly options: ConsoleOptions;
  readonly request: Request;
  readonly response: Response;
  readonly session: Session;
  readonly now: Date;
}

/** Lets people with a session in, and sends everybody else to the sign-in form. */
function withSession(
  { options, auth }: PageContext,
  show: (visit: Visit) => Promise<void>,
): RequestHandler {
  return async (request, response) => {
    const caller = auth.callerOf(request);
    if (caller?.kind !== 'person') {
      response.redirect(303, '/login');
      return;
    }
    const isChange = request.method === 'POST';
    if (isChange && !mayChange(request, caller, fieldOf(request, 'csrf_token'))) {
      const message = 'The form is too old or came from elsewhere. Load the page again.';
      sendPage(response, 403, errorPage('Not accepted', message));
      return;
    }
    const { session } = caller;
    await show({ options, request, response, session, now: nowDate(options.clock) });
  };
}

/** One field of the form that was sent, or undefined. */
function fieldOf(request: Request, name: string): string | undefined {
  const body: unknown = request.body;
  return typeof body === 'string' ? (new URLSearchParams(body).get(name) ?? undefined) : undefined;
}

/** A field that may be left empty. */
function filledField(request: Request, name: string): string | undefined {
  const text = fieldOf(request, name);
  return text === '' ? undefined : text;
}

function loginHandler({ options, auth, sessions }: PageContext): RequestHandler {
  const failures = createFailureLimit(options.clock);
  return async (request, response) => {
    const address = request.socket.remoteAddress ?? '';
    const waitSeconds = failures.waitSeconds(address);
    if (isCrossSite(request)) {
      sendPage(response, 403, errorPage('Not accepted', 'Sign in from the console itself.'));
    } else if (waitSeconds > 0) {
      response.set('retry-after', String(waitSeconds));
      const minutes = Math.ceil(waitSeconds / 60);
      sendPage(response, 429, loginPage(`Too many attempts. Try again in ${minutes} min.`));
    } else if (sameSecret(fieldOf(request, 'token') ?? '', options.token)) {
      response.set('set-cookie', auth.cookieOf(sessions.start())).redirect(303, '/');
    } else {
      if (failures.fail(address)) await reportGuessing(options);
      sendPage(response, 401, loginPage('That is not the token.'));
    }
  };
}

async function reportGuessing(options: {
  readonly db: ConsoleOptions['db'];
  readonly clock: Clock;
  readonly log: ConsoleOptions['log'];
  readonly organisationId: string;
}): Promise<void> {
  const { db, clock, log, organisationId } = options;
  const at = nowDate(clock);
  log.warn({ attempts: FAILURES_MAX }, 'console sign-in closed for an address');
  await notify(db, {
    organisationId,
    dedupeKey: `console_guessing:${at.toISOString().slice(0, 13)}`,
    kind: 'console_guessing',
    severity: 'warning',
    text: `Somebody tried ${FAILURES_MAX} wrong console tokens. Further attempts from there are refused for a while. If it was none of you, check who can reach the console's port.`,
    at,
  });
}

function logoutHandler({ auth, sessions }: PageContext): RequestHandler {
  return (request, response) => {
    const caller = auth.callerOf(request);
    const token = fieldOf(request, 'csrf_token');
    if (caller?.kind === 'person' && mayChange(request, caller, token)) {
      sessions.end(caller.session.id);
      response.set('set-cookie', auth.cookieOf(undefined));
    }
    response.redirect(303, '/login');
  };
}

async function showList({ options, request, response, session, now }: Visit): Promise<void> {
  const { db, organisationId } = options;
  const query = read(alertListQuery, { ...request.query });
  if (!query.ok) {
    const message = query.faults.map((fault) => fault.message).join(' ');
    sendPage(response, 400, errorPage('That list does not exist', message));
    return;
  }
  const { state, limit, cursor } = query.value;
  const items = await listAlerts(db, {
    organisationId,
    states: statesOf(state),
    order: orderOf(state),
    limit,
    after: cursor === undefined ? undefined : { deadlineText: cursor[0], alertId: cursor[1] },
  });
  const last = items.length === limit ? items.at(-1) : undefined;
  const page = listPage({
    items,
    state,
    next: last === undefined ? null : makeCursor([last.deadlineText, last.alertId]),
    overview: await readOverview(db, organisationId),
    operations: await readOperations(db, { organisationId, now }),
    findings: await listFindings(db, { organisationId, state: 'open', limit: FINDINGS_SHOWN }),
    now,
    csrfToken: session.csrfToken,
  });
  sendPage(response, 200, page);
}

async function showAlert({ options, request, response, session, now }: Visit): Promise<void> {
  const alertId = alertIdOf(request);
  const detail =
    alertId === undefined
      ? undefined
      : await readAlertDetail(options.db, options.organisationId, alertId);
  if (alertId === undefined || detail === undefined) {
    sendPage(response, 404, errorPage('No such alert', 'Check the id.'));
    return;
  }
  const decided = request.query['decided'] === '1';
  const { csrfToken } = session;
  sendPage(response, 200, alertPage({ alertId, detail, now, csrfToken, decided }));
}

async function showConfirmation(visit: Visit): Promise<void> {
  const { request, response } = visit;
  const reading = read(decisionBody, { action: request.query['action'] });
  if (!reading.ok) {
    const message = 'Choose an action on the page of the alert.';
    sendPage(response, 400, errorPage('No such action', message));
    return;
  }
  await sendConfirmation(visit, { status: 200, action: reading.value.action });
}

async function sendConfirmation(
  { options, request, response, session, now }: Visit,
  how: {
    readonly status: number;
    readonly action: OperatorAction;
    readonly fault?: string;
  },
): Promise<void> {
  const alertId = alertIdOf(request);
  const detail =
    alertId === undefined
      ? undefined
      : await readAlertDetail(options.db, options.organisationId, alertId);
  if (alertId === undefined || detail === undefined) {
    sendPage(response, 404, errorPage('No such alert', 'Check the id.'));
    return;
  }
  const { action, fault } = how;
  const { csrfToken } = session;
  const page = confirmPage({ alertId, action, detail, now, csrfToken, fault });
  sendPage(response, how.status, page);
}

const OUTCOME_STATUS = { not_found: 404, conflict: 409, refused: 422 } as const;

async function decide(visit: Visit): Promise<void> {
  const { options, request, response } = visit;
  const alertId = alertIdOf(request);
  const reading = read(decisionBody, {
    action: fieldOf(request, 'action'),
    note: filledField(request, 'note')?.replaceAll('\r\n', '\n'),
    charge_reference: filledField(request, 'charge_reference')?.trim(),
  });
  if (alertId === undefined || !reading.ok) {
    const faults = reading.ok ? [] : reading.faults;
    const message = faults.map((fault) => fault.message).join(' ') || 'Check the id.';
    sendPage(response, alertId === undefined ? 404 : 400, errorPage('Not accepted', message));
    return;
  }
  const { action } = reading.value;
  const { organisationId } = options;
  const by = { organisationId, alertId, operator: 'console' };
  const outcome = await options.decide(decisionOf(reading.value, by));
  if (outcome.ok) {
    response.redirect(303, `/alerts/${encodeURIComponent(alertId)}?decided=1`);
    return;
  }
  const { reason, message } = outcome;
  await sendConfirmation(visit, { status: OUTCOME_STATUS[reason], action, fault: message });
}
