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
import { OIDC_FLOW_MS, storeFlow, takeFlow } from './oidc-flow.store.ts';
import type { OperatorRow } from './operator.store.ts';
import { findByAccount, findByToken, openTokenLink, TOKEN_HOLDER } from './operator.store.ts';
import { hashSecret, sameSecret } from './secret.ts';
import type { SessionHolder } from './session.store.ts';
import { confirmSession, endSession, startSession } from './session.store.ts';
import { beginAttempt, sendForm } from './sign-in-attempt.ts';
import type { LinkPage } from './sign-in-page.ts';
import { confirmIdentityPage, linkPage } from './sign-in-page.ts';

type Door = PageContext<DoorOptions>;

const LINK_USED =
  'This link was used already, is older than three days, or never was one. If you did not use it yourself, tell an administrator: somebody else has your token. They make you a new one.';
const WRONG_TOKEN = 'That is not a token of this console.';
const TOKEN_ENDED = 'This token has ended. Ask an administrator for a new one.';
const TOKEN_OF_PROGRAM =
  'This token is of a program, which sends it with its requests. Sign in with one of a person.';

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
  route(router, '/token/:link', {
    get: (_request, response) => sendLink(context, response, { status: 200 }),
    post: [form, withNeeds((request, response) => openLink(context, request, response), 'anybody')],
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
  if (!('holder' in found)) {
    await attempt.failed('token');
    return sendForm(context, { request, response, status: 401, fault: found.fault });
  }
  await attempt.forgive();
  await letIn(context, { request, response }, found);
  response.redirect(303, localPath(fieldOf(request, 'next')));
}

interface Holder {
  readonly holder: SessionHolder;
  readonly name: string;
  /** The organisation for which they are entered. */
  readonly home: string;
}

async function holderOf(
  options: DoorOptions,
  given: string,
): Promise<Holder | { readonly fault: string }> {
  const { db, clock, organisationId: home, token } = options;
  if (sameSecret(given, token)) {
    return { holder: { operatorId: null, consoleToken: token }, name: TOKEN_HOLDER, home };
  }
  const found = await findByToken(db, homesOf(options), { token: given, now: nowDate(clock) });
  if (!found.ok) return { fault: found.reason === 'ended' ? TOKEN_ENDED : WRONG_TOKEN };
  if (found.row.may !== null) return { fault: TOKEN_OF_PROGRAM };
  return holderFor(found.row, { token: given });
}

function holderFor(
  { id: operatorId, name, organisation_id: home }: OperatorRow,
  proof: { readonly token: string } | { readonly account: string },
): Holder {
  return { holder: { operatorId, proof }, name, home };
}

/** Begins the session, with a new id in any case, and writes down that it began. */
async function letIn(
  { options, auth }: Door,
  { request, response }: { readonly request: Request; readonly response: Response },
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
      detail: { address: callerAddress(request) },
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
  const holder = 'holder' in found ? found.holder : undefined;
  const session = { organisationId: who.home, idHash: hashSecret(sessionId) };
  const isSame =
    holder?.operatorId === who.operatorId &&
    (await confirmSession(options.db, session, { holder, now }));
  if (!isSame) {
    await attempt.failed('confirm');
    return sendConfirm(visit, 401, 'fault' in found ? found.fault : 'That is not your token.');
  }
  await attempt.forgive();
  response.redirect(303, localPath(fieldOf(request, 'next')));
}

/** A page with a button: what only looks at a link, as a chat does, uses nothing up. */
function sendLink(
  { assets, options }: Door,
  response: Response,
  { status, ...page }: { readonly status: number } & LinkPage,
): void {
  const frame = { assets, now: nowDate(options.clock) };
  sendHtml(response, status, linkPage(frame, page));
}

/** Shows the token to anyone who has its link, once. */
async function openLink(context: Door, request: Request, response: Response): Promise<void> {
  const { db, clock } = context.options;
  if (!isOwnForm(request)) {
    const fault = 'Open the link itself, and press the button there.';
    return sendLink(context, response, { status: 403, fault });
  }
  const attempt = await beginAttempt(context, { request, response });
  if (attempt === undefined) return;
  const link = String(request.params['link']);
  const shown = await openTokenLink(db, { link, now: nowDate(clock) });
  if (shown === undefined) {
    await attempt.failed('link');
    return sendLink(context, response, { status: 404, fault: LINK_USED });
  }
  await attempt.forgive();
  sendLink(context, response, { status: 200, shown });
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
    await storeFlow(options.db, {
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
      await context.refusals.note(callerAddress(request), 'provider');
      const fault = 'You are no operator of this console yet. Ask an administrator to add you.';
      return sendForm(context, { request, response, status: 403, fault });
    }
    const found = holderFor(row, { account: account.subject });
    if (flow.confirms === null) {
      await letIn(context, { request, response }, found);
    } else {
      const session = { organisationId: row.organisation_id, idHash: flow.confirms };
      const isSame = await confirmSession(db, session, { holder: found.holder, now });
      if (!isSame) throw new Error('somebody else signed in at the provider');
    }
    await attempt.forgive();
    sendOnward(context, response, flow.next_path);
  } catch (error) {
    options.log.warn({ reason: messageOf(error) }, 'a sign-in at the identity provider failed');
    await attempt.failed('provider');
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
