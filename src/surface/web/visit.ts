/** A person's request for a page: who it is, what they may do, and how they are answered. */

import { gzipSync } from 'node:zlib';
import type { Request, RequestHandler, Response, Router } from 'express';
import type { z } from 'zod';
import { byOperator, writeAudit } from '../../base/audit/audit.store.ts';
import type { Db } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { holdsCardNumber } from '../../base/kernel/card-number.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { html } from '../../base/kernel/html.ts';
import type { OpenSettings } from '../../base/kernel/setting.ts';
import { openSettings } from '../../base/kernel/setting.ts';
import type { PartHealth } from '../../health/health.ts';
import type { Needs } from '../access/needs.ts';
import { withNeeds } from '../access/needs.ts';
import type { Oidc } from '../access/oidc.ts';
import { RightsError } from '../access/people-change.ts';
import type { Refusals } from '../access/refusals.ts';
import type { Role } from '../access/role.ts';
import { isAtLeast } from '../access/role.ts';
import type { FiguresOfMonth, OfMonth } from '../of-month.ts';
import type { Assets } from '../view/assets.ts';
import { formatsOf, inFormats } from '../view/locale.ts';
import type { MerchantNames } from '../view/merchants.ts';
import type { OffersPage } from '../view/page-link.ts';
import { withPages } from '../view/page-link.ts';
import type { Frame, MenuEntry, PageContent } from '../view/shell.ts';
import { renderPage, renderPlain } from '../view/shell.ts';
import { addressWithin, documentWithin } from './addresses.ts';
import type { Auth, Caller, Identity } from './auth.ts';
import { isCrossSite, isFresh, mayChange } from './auth.ts';
import { SENT_PATH } from './form-id.ts';
import type { ConsoleOptions, DoorOptions } from './ports.ts';
import { read } from './query.ts';
import { noteAnswer, onceOnly } from './sent-form.ts';

/** What all pages share. */
export interface PageContext<Options extends DoorOptions = ConsoleOptions> {
  readonly options: Options;
  readonly auth: Auth;
  readonly assets: Assets;
  readonly menu: readonly MenuEntry[];
  readonly oidc: Oidc | undefined;
  /** What was refused at the door. */
  readonly refusals: Refusals;
  /** Which pages there are. @default every one that is asked about */
  readonly offers?: OffersPage;
  /** The pages are those of all organisations. @default of one */
  readonly isForAll?: boolean;
  /** Names of an organisation's merchants, as far as any capability knows them. */
  readonly merchantNames: (db: Db, organisationId: string) => Promise<MerchantNames>;
  /** What capabilities say of a month. */
  readonly ofMonth: (visit: Visit, month: FiguresOfMonth) => Promise<readonly OfMonth[]>;
}

/** Adds a page's routes. `form` reads the body of a form. */
export type RegisterPage<Options extends DoorOptions = ConsoleOptions> = (
  router: Router,
  context: PageContext<Options>,
  form: RequestHandler,
) => void;

export interface Visit<Options extends DoorOptions = ConsoleOptions> {
  readonly context: PageContext<Options>;
  readonly options: Options;
  readonly request: Request;
  readonly response: Response;
  readonly caller: Caller & { readonly kind: 'person' };
  readonly who: Identity;
  readonly csrfToken: string;
  readonly now: Date;
  /** Those of capabilities. */
  readonly settings: OpenSettings;
  /** How each part of Forestall is. */
  readonly health: readonly PartHealth[];
  /** Until when the rows of a demonstration were made up. */
  readonly madeUntil: Date | undefined;
}

/**
 * Lets people through whose role suffices; sends everybody else to sign in, or says what is missing. Anyone who sends a form
 * that asks for it, and proved too long ago who they are, does so first.
 *
 * @param asked what the page asks. A role alone is for pages that change nothing; a form then asks for the proof.
 */
export function page<Options extends DoorOptions = ConsoleOptions>(
  context: PageContext<Options>,
  asked: Role | Needs,
  show: (visit: Visit<Options>) => Promise<void>,
): RequestHandler {
  const { auth, options } = context;
  const { role } = typeof asked === 'string' ? { role: asked } : asked;
  const handler: RequestHandler = async (request, response) => {
    const caller = auth.callerOf(request);
    if (caller?.kind !== 'person') return sendToSignIn(context, request, response);
    const { who, session } = caller;
    const { csrfToken } = session;
    const now = nowDate(options.clock);
    const { parts: health } = await options.health();
    const { settings = openSettings({}) } = options;
    const about = { context, options, request, response, settings };
    const madeUntil = await options.madePast?.();
    const visit = { ...about, caller, who, csrfToken, now, health, madeUntil };
    if (request.method === 'POST' && !mayChange(request, caller, fieldOf(request, 'csrf_token'))) {
      const message = 'The form is too old or came from elsewhere. Load the page again.';
      sendError(visit, 403, { title: 'Not accepted', message });
    } else if (!isAtLeast(who.role, role)) {
      const message = `This takes the role ${role}; you are ${who.role}. Ask an administrator.`;
      sendError(visit, 403, { title: 'Not for your role', message });
    } else if (isLate(asked, visit)) {
      goToConfirm(visit, backOf(asked, request));
    } else {
      const { offers = EVERY_PAGE } = context;
      await inFormats(formatsOf(request, options.locale), () =>
        onceOnly(
          visit,
          () =>
            withPages(offers, () => show(visit)).catch((error: unknown) =>
              sendRefusal(visit, error),
            ),
          (id) => goTo(visit, `${SENT_PATH}/${id}`),
        ),
      );
    }
  };
  return typeof asked === 'string' ? handler : withNeeds(handler, asked);
}

/** Names of merchants for a page that shows some. */
export async function namesOfMerchants({ context, options }: Visit): Promise<MerchantNames> {
  return await context.merchantNames(options.db, options.organisationId);
}

const EVERY_PAGE: OffersPage = () => true;

/** The database does not let this session do it. @throws whatever else went wrong */
function sendRefusal(visit: Visit<DoorOptions>, error: unknown): void {
  if (!(error instanceof RightsError)) throw error;
  const next = { path: '/confirm', words: 'Confirm who you are' };
  sendError(visit, 403, { title: 'Not done', message: error.message, next });
}

/** Whether the proof is asked for and too long ago. A page whose form will ask for it asks at once. */
function isLate(asked: Role | Needs, { caller, now, request }: Visit<DoorOptions>): boolean {
  const isAsked = typeof asked === 'string' ? request.method === 'POST' : asked.proof === 'always';
  return isAsked && !isFresh(caller, now);
}

/** Where a person continues who had to prove who they are: what they sent is not kept. */
function backOf(asked: Role | Needs, request: Request): string {
  if (request.method !== 'POST') return localPath(request.url);
  return (typeof asked === 'string' ? undefined : asked.back) ?? '/';
}

/**
 * A page is asked for by a person who is not known. The cookie is not sent when the link was on another site, a chat for
 * example: one more navigation, now from our own page, brings it.
 */
export function sendToSignIn(
  context: PageContext<DoorOptions>,
  request: Request,
  response: Response,
): void {
  const { assets, options } = context;
  const path = localPath(request.originalUrl);
  const isForm = request.method === 'POST';
  if (request.get('hx-request') !== undefined) {
    const login = isForm ? signInAfterForm(request) : signInAgain(request);
    response.set('hx-redirect', login).status(401).end();
  } else if (isForm) {
    response.redirect(303, signInAfterForm(request));
  } else if (request.method === 'GET' && request.get('sec-fetch-site') === 'cross-site') {
    const body = html`<p><a href="${path}">Go on to the console</a></p>`;
    const frame = { assets, now: nowDate(options.clock) };
    sendHtml(response, 200, renderPlain(frame, { title: 'Going on', body, refresh: path }));
  } else {
    const isStart = request.method !== 'GET' || path === '/';
    response.redirect(303, isStart ? '/login' : `/login?next=${encodeURIComponent(path)}`);
  }
}

/** Somebody sent a form after the session had ended: they come back to its page, and learn that nothing was done. */
function signInAfterForm(request: Request): string {
  return `/login?lost=1&next=${encodeURIComponent(pageBehind(request))}`;
}

/** The session ended while a page was open: anyone who signs in comes back to it. */
function signInAgain(request: Request): string {
  const page = pageBehind(request);
  return page === '/' ? '/login' : `/login?next=${encodeURIComponent(page)}`;
}

/** The page that sent a request. */
function pageBehind(request: Request): string {
  const from = URL.parse(request.get('hx-current-url') ?? request.get('referer') ?? '');
  return from === null ? '/' : localPath(from.pathname + from.search);
}

/**
 * Longest path that a person is led back to, in characters: an action on two hundred rows names each by its id, and as a query
 * of the page that asks who one is it stays below the 16 KB that Node takes of a request's headers.
 */
const BACK_LENGTH_MAX = 10_000;

/**
 * The path when it is one of this site, else `/`: no person is led elsewhere by a link to the console. One with a full card
 * number is none: it is kept while somebody signs in.
 */
export function localPath(path: unknown): string {
  const isLocal =
    typeof path === 'string' &&
    path.length <= BACK_LENGTH_MAX &&
    /^\/(?![/\\])[\x21-\x7e]*$/.test(path) &&
    !holdsCardNumber(path);
  return isLocal && !path.startsWith('/login') && !path.startsWith('/confirm') ? path : '/';
}

export function frameOf(visit: Visit<DoorOptions>): Frame {
  const { context, csrfToken, who, now, health, madeUntil, options } = visit;
  const { organisation } = options;
  return {
    assets: context.assets,
    menu: context.menu,
    csrfToken,
    who,
    now,
    health,
    madeUntil,
    organisation,
    isForAll: context.isForAll,
  };
}

type Answered = Pick<Visit<DoorOptions>, 'request' | 'response'>;

/** Leads on to a page. */
export function goTo({ request, response }: Answered, path: string): void {
  noteAnswer(response, 'DONE');
  response.redirect(303, addressWithin(request.baseUrl, path));
}

/** Leads to where a person proves who they are, and from there back to a page. */
export function goToConfirm(visit: Answered, back: string): void {
  noteAnswer(visit.response, 'REFUSED');
  const next = addressWithin(visit.request.baseUrl, back);
  goTo(visit, `/confirm?next=${encodeURIComponent(next)}`);
}

export function send(
  visit: Visit<DoorOptions>,
  content: PageContent & { readonly status?: number },
): void {
  const { status = 200 } = content;
  noteAnswer(visit.response, status < 400 ? 'DONE' : 'REFUSED');
  sendHtml(visit.response, status, renderPage(frameOf(visit), content));
}

interface PageError {
  readonly title: string;
  readonly message: string;
  /** Where the person continues. @default today's page */
  readonly next?: { readonly path: string; readonly words: string };
}

const TODAY = { path: '/', words: "To today's page" };

export function sendError(
  visit: Visit<DoorOptions>,
  status: number,
  { title, message, next = TODAY }: PageError,
): void {
  const body = html`<h1>${title}</h1><p>${message}</p><p><a href="${next.path}">${next.words}</a></p>`;
  send(visit, { status, title, body });
}

/**
 * The query of a list, without the fields that a form sent empty. Undefined after the faults were answered, with
 * `message` or in their own words.
 */
export function readListQuery<Schema extends z.ZodType>(
  visit: Visit,
  schema: Schema,
  message?: string,
): z.infer<Schema> | undefined {
  const given = Object.entries(visit.request.query).filter(([, value]) => value !== '');
  const query = read(schema, Object.fromEntries(given));
  if (query.ok) return query.value;
  const faults = query.faults.map((fault) => fault.message).join(' ');
  sendError(visit, 400, {
    title: 'That list does not exist',
    message: message === undefined ? faults : `${faults} ${message}`,
    next: { path: visit.request.path, words: 'The list without a filter' },
  });
  return undefined;
}

/**
 * Answers with a document, packed. Not where another site asked for it: the length of a packed page would tell what in it
 * is like what was asked. (The session's cookie does not come with such a request anyway.)
 */
export function sendHtml(response: Response, status: number, document: string): void {
  const { req: request } = response;
  const page = documentWithin(request.baseUrl, document);
  response.status(status).type('html').vary('accept-encoding');
  if (isCrossSite(request) || request.acceptsEncodings('gzip') !== 'gzip') response.send(page);
  else response.set('content-encoding', 'gzip').send(gzipSync(page));
}

/** Notes in the audit log that the person took data out of the console. */
export async function noteExport(
  { options, who, now }: Visit,
  what: string,
  detail: Record<string, unknown>,
): Promise<void> {
  const { db, organisationId } = options;
  const entry = { organisationId, at: now, ...byOperator(who.name), what, detail };
  await inTransaction(db, (trx) => writeAudit(trx, entry));
}

/** One field of the form that was sent, or undefined. */
export function fieldOf(request: Request, name: string): string | undefined {
  const body: unknown = request.body;
  return typeof body === 'string' ? (new URLSearchParams(body).get(name) ?? undefined) : undefined;
}

/** Every value of a field that may be there several times. */
export function fieldsOf(request: Request, name: string): string[] {
  const body: unknown = request.body;
  return typeof body === 'string' ? new URLSearchParams(body).getAll(name) : [];
}

export function filledField(request: Request, name: string): string | undefined {
  const text = fieldOf(request, name)?.trim();
  return text === '' ? undefined : text;
}

/** Whether a form for people who are not signed in came from our own page. */
export function isOwnForm(request: Request): boolean {
  return !isCrossSite(request);
}
