/**
 * Signing in, with a token or at the identity provider; proving it again before money moves; signing
 * out. Wrong attempts are counted by whatever way they came; see `attempt.store.ts`.
 */
import type { Request, RequestHandler, Response, Router } from 'express';
import { byOperator, writeAudit } from '../../base/audit/audit.store.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { callerAddress } from '../../base/http/caller-address.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { messageOf } from '../../base/kernel/errors.ts';
import { html } from '../../base/kernel/html.ts';
import { renderPlain } from '../view/shell.ts';
import { homesOf, mayChange, readCookie } from '../web/auth.ts';
import type { DoorOptions } from '../web/ports.ts';
import { route } from '../web/reply.ts';
import type { PageContext, Visit } from '../web/visit.ts';
import { fieldOf, frameOf, isOwnForm, localPath, page, sendHtml } from '../web/visit.ts';
import { addressKey } from './attempt.store.ts';
import { plainly, withNeeds } from './needs.ts';
import { OIDC_CALLBACK } from './oidc.ts';
import { keepFlow, OIDC_FLOW_MS, takeFlow } from './oidc-flow.store.ts';
import type { OperatorRow } from './operator.store.ts';
import { findByAccount, findByToken, TOKEN_HOLDER } from './operator.store.ts';
import { hashSecret, sameSecret } from './secret.ts';
import type { SessionHolder } from './session.store.ts';
import { confirmSession, endSession, startSession } from './session.store.ts';
import { beginAttempt, sendForm } from './sign-in-attempt.ts';
import { confirmIdentityPage } from './sign-in-page.ts';

type Door = PageContext<DoorOptions>;

const WRONG_TOKEN = 'That is not a token of this console.';

/** Registers everything under `/login`, `/confirm` and `/logout`. `form` reads a form's body. */
export function registerSignIn(router: Router, context: Door, form: RequestHandler): void {
  route(router, '/login', {
    get: (request, response) => sendForm(context, { request, response, status: 200 }),
    post: [form, withNeeds((request, response) => signIn(context, request, response), 'anybody')],
  });
  route(router, '/confirm', {
    get: page(context, 'viewer', async (visit) => sendConfirm(visit, 200, undefined)),
    post: [form, page(context, plainly('viewer'), (visit) => confirm(context, visit))],
  });
  route(router, '/logout', {
    post: [form, withNeeds((request, response) => signOut(context, request, response), 'anybody')],
  });
  if (context.oidc === undefined) return;
  route(router, '/login/oidc', {
    get: (request, response) => goToProvider(context, request, response),
  });
  route(router, OIDC_CALLBACK, {
    get: (request, response) => comeBack(context, request, response),
  });
}

async function signIn(context: Door, request: Request, response: Response): Promise<void> {
  if (!isOwnForm(request)) {
    const fault = 'Sign in from the console itself.';
    return sendForm(context, { request, response, status: 403, fault });
  }
  const attempt = await beginAttempt(context, { request, response });
  if (attempt === undefined) return;
  const found = await holderOf(context.options, fieldOf(request, 'token') ?? '');
  if (found === undefined) {
    await attempt.failed();
    return sendForm(context, { request, response, status: 401, fault: WRONG_TOKEN });
  }
  await attempt.forgive();
  await letIn(context, response, found);
  response.redirect(303, localPath(fieldOf(request, 'next')));
}

interface Holder {
  readonly holder: SessionHolder;
  readonly name: string;
  /** The organisation for which they are entered. */
  readonly home: string;
}

async function holderOf(options: DoorOptions, given: string): Promise<Holder | undefined> {
  const { db, organisationId: home, token } = options;
  if (sameSecret(given, token)) {
    return { holder: { operatorId: null, consoleToken: token }, name: TOKEN_HOLDER, home };
  }
  const row = await findByToken(db, homesOf(options), given);
  return row === undefined ? undefined : holderFor(row);
}

function holderFor(row: OperatorRow): Holder {
  return { holder: { operatorId: row.id }, name: row.name, home: row.organisation_id };
}

/** Begins the session, with a new id in any case, and writes down that it began. */
async function letIn(
  { options, auth }: Door,
  response: Response,
  { holder, name, home }: Holder,
): Promise<void> {
  const { db, clock } = options;
  const now = nowDate(clock);
  const id = await startSession(db, home, { holder, now });
  await inTransaction(db, async (trx) => {
    await writeAudit(trx, {
      organisationId: home,
      at: now,
      ...byOperator(name),
      what: 'signed in',
    });
  });
  response.append('set-cookie', auth.cookieOf(id));
}

function sendConfirm(visit: Visit<DoorOptions>, status: number, fault: string | undefined): void {
  const { request, response, context } = visit;
  const next = localPath(request.query['next'] ?? fieldOf(request, 'next'));
  const form = { fault, next, hasProvider: context.oidc !== undefined };
  sendHtml(response, status, confirmIdentityPage(frameOf(visit), form));
}

/** The token must be the one of the person whose session it is. */
async function confirm(context: Door, visit: Visit<DoorOptions>): Promise<void> {
  const { request, response, caller, who, now, options } = visit;
  const { id: sessionId } = caller.session;
  const attempt = await beginAttempt(context, { request, response, sessionId });
  if (attempt === undefined) return;
  const found = await holderOf(options, fieldOf(request, 'token') ?? '');
  const isSame = found !== undefined && found.holder.operatorId === who.operatorId;
  if (!isSame) {
    await attempt.failed();
    return sendConfirm(visit, 401, 'That is not your token.');
  }
  await attempt.forgive();
  const { operatorId, home: organisationId } = who;
  await confirmSession(
    options.db,
    { organisationId, idHash: hashSecret(sessionId) },
    { operatorId, now },
  );
  response.redirect(303, localPath(fieldOf(request, 'next')));
}

async function signOut(
  { auth, options }: Door,
  request: Request,
  response: Response,
): Promise<void> {
  const caller = auth.callerOf(request);
  const token = fieldOf(request, 'csrf_token');
  if (caller?.kind === 'person' && mayChange(request, caller, token)) {
    await endSession(options.db, caller.session.home, caller.session.id);
    response.set('set-cookie', auth.cookieOf(undefined));
  }
  response.redirect(303, '/login');
}

/** Ties the way back to the browser that set out. Lax: the way back begins at the provider. */
function stateCookie(options: DoorOptions): { name: string; attributes: string } {
  const isSecure = options.secureCookies === true;
  return {
    name: isSecure ? '__Host-forestall_oidc' : 'forestall_oidc',
    attributes: `; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`,
  };
}

async function goToProvider(context: Door, request: Request, response: Response): Promise<void> {
  const { options, oidc, auth } = context;
  if (oidc === undefined) return;
  const caller = auth.callerOf(request);
  const again = request.query['again'] === '1' && caller?.kind === 'person';
  try {
    const { url, state, nonce, codeVerifier } = await oidc.begin(again);
    await keepFlow(options.db, {
      organisationId: options.organisationId,
      state,
      nonce,
      codeVerifier,
      nextPath: localPath(request.query['next']),
      confirms: again ? hashSecret(caller.session.id) : null,
      address: addressKey(callerAddress(request)),
      now: nowDate(options.clock),
    });
    const { name, attributes } = stateCookie(options);
    response.set('set-cookie', `${name}=${state}${attributes}; Max-Age=${OIDC_FLOW_MS / 1_000}`);
    response.redirect(303, url);
  } catch (error) {
    options.log.warn({ reason: messageOf(error) }, 'the identity provider cannot be used');
    const fault =
      'The identity provider does not answer. Sign in with a token, or try again later.';
    sendForm(context, { request, response, status: 502, fault });
  }
}

async function comeBack(context: Door, request: Request, response: Response): Promise<void> {
  const { options, oidc } = context;
  if (oidc === undefined) return;
  const attempt = await beginAttempt(context, { request, response });
  if (attempt === undefined) return;
  const { db, organisationId } = options;
  const { name, attributes } = stateCookie(options);
  const state = readCookie(request.headers.cookie, name) ?? '';
  const now = nowDate(options.clock);
  const flow = await takeFlow(db, organisationId, { state, now });
  response.append('set-cookie', `${name}=${attributes}; Max-Age=0`);
  try {
    if (flow === undefined) throw new Error('no sign-in of this browser is under way');
    const account = await oidc.finish(new URL(request.originalUrl, 'http://localhost').search, {
      state,
      nonce: flow.nonce,
      codeVerifier: flow.code_verifier,
      again: flow.confirms !== null,
    });
    const row = await findByAccount(db, { homes: homesOf(options), now, ...account });
    if (row === undefined) {
      await attempt.forgive();
      const fault = 'You are no operator of this console yet. Ask an administrator to add you.';
      return sendForm(context, { request, response, status: 403, fault });
    }
    if (flow.confirms === null) {
      await letIn(context, response, holderFor(row));
    } else {
      const session = { organisationId: row.organisation_id, idHash: flow.confirms };
      const isSame = await confirmSession(db, session, { operatorId: row.id, now });
      if (!isSame) throw new Error('somebody else signed in at the provider');
    }
    await attempt.forgive();
    sendOnward(context, response, flow.next_path);
  } catch (error) {
    options.log.warn({ reason: messageOf(error) }, 'a sign-in at the identity provider failed');
    await attempt.failed();
    const fault = 'The sign-in at the identity provider did not succeed. Begin again.';
    sendForm(context, { request, response, status: 401, fault });
  }
}

/** A page in between: a redirect that began at the provider would not carry the strict cookie. */
function sendOnward({ assets, options }: Door, response: Response, path: string): void {
  const frame = { assets, now: nowDate(options.clock) };
  const body = html`<p>Signed in. <a href="${path}">Go on</a></p>`;
  sendHtml(response, 200, renderPlain(frame, { title: 'Signed in', body, refresh: path }));
}
