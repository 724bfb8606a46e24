/**
 * Who sends a request, and whether they may: a program with a bearer token, or a person with a session.
 *
 * Everybody is somebody: the holder of the console token is an administrator, every other token
 * belongs to a person with a role, or to a program with verbs. A request that changes something and is carried by a cookie alone
 * must also carry the session's CSRF token: in the form's field, or in `X-CSRF-Token`. A bearer token
 * needs none, because no browser adds one by itself.
 */
import type { Request, RequestHandler, Response } from 'express';
import { callerAddress } from '../../base/http/caller-address.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import type { CallNeeds, NeedsOfCall } from '../access/call-needs.ts';
import { findByToken, TOKEN_HOLDER } from '../access/operator.store.ts';
import type { Refusals } from '../access/refusals.ts';
import type { Role, Verb } from '../access/role.ts';
import { isAtLeast } from '../access/role.ts';
import { sameSecret } from '../access/secret.ts';
import type { Session } from '../access/session.store.ts';
import { findSession } from '../access/session.store.ts';
import type { DoorOptions, ShownOrganisation } from './ports.ts';
import { askForProof, sendFault } from './reply.ts';

const COOKIE = 'forestall_session';
const SECURE_COOKIE = '__Host-forestall_session';

/** How long after proving who they are a person may move money, in milliseconds. */
export const FRESH_MS = 15 * 60_000;

export interface Identity {
  /** As the audit log shows it; unique. */
  readonly name: string;
  readonly role: Role;
  /** Null: the holder of the console token. */
  readonly operatorId: string | null;
  /** The organisation for which they are entered, or the installation. */
  readonly home: string;
  /** Their role there. Null: they have rights for some organisations only. */
  readonly ownRole: Role | null;
  /** Of a program: what it may do, whatever its role. */
  readonly may?: ReadonlySet<Verb>;
  /** Other organisations that they may see, the first ones. */
  readonly elsewhere?: readonly ShownOrganisation[];
}

export type Caller =
  | { readonly kind: 'program'; readonly who: Identity }
  | { readonly kind: 'person'; readonly who: Identity; readonly session: Session };

export interface Auth {
  /** Finds out who sends each request; mounted in front of everything that asks. */
  readonly identify: RequestHandler;
  /** The caller that `identify` found, or undefined. */
  callerOf(request: Request): Caller | undefined;
  /** Lets callers pass whose role suffices; others get 401 or 403. */
  readonly forPrograms: RequestHandler;
  /** The `Set-Cookie` of a session's begin, or of its end. */
  cookieOf(sessionId: string | undefined): string;
}

export interface AuthOptions
  extends Pick<DoorOptions, 'db' | 'clock' | 'organisationId' | 'homes' | 'token'> {
  readonly secureCookies: boolean;
  readonly refusals: Refusals;
  /** What each call of the JSON API asks. */
  readonly needsOfCall: NeedsOfCall;
}

/** The organisations for which people are entered who may sign in here. */
export function homesOf(door: Pick<DoorOptions, 'homes' | 'organisationId'>): readonly string[] {
  const { homes, organisationId } = door;
  return homes === undefined ? [organisationId] : homes();
}

export function createAuth(options: AuthOptions): Auth {
  const { secureCookies } = options;
  const name = secureCookies ? SECURE_COOKIE : COOKIE;
  const callers = new WeakMap<Request, Caller>();
  const callerOf = (request: Request): Caller | undefined => callers.get(request);
  return {
    async identify(request, _response, next): Promise<void> {
      const caller = await findCaller(options, request, name);
      if (caller !== undefined) callers.set(request, caller);
      next();
    },
    callerOf,
    forPrograms: forPrograms(callerOf, options),
    cookieOf(sessionId): string {
      const secure = secureCookies ? '; Secure' : '';
      const end = sessionId === undefined ? '; Max-Age=0' : '';
      return `${name}=${sessionId ?? ''}; Path=/; HttpOnly; SameSite=Strict${end}${secure}`;
    },
  };
}

/** Lets callers pass whose role suffices. */
export function forPrograms(
  callerOf: Auth['callerOf'],
  { clock, needsOfCall }: Pick<AuthOptions, 'clock' | 'needsOfCall'>,
): RequestHandler {
  return (request, response, next) => {
    const caller = callerOf(request);
    if (caller === undefined) {
      response.set('www-authenticate', 'Bearer');
      sendFault(response, 401, {
        code: 'UNAUTHORISED',
        message:
          "Send Authorization: Bearer with the console token, or an operator's that has not ended.",
      });
    } else if (!isSafe(request) && !mayChange(request, caller, request.get('x-csrf-token'))) {
      refuseForgery(response);
    } else {
      const needs = needsOfCall(request.method, request.baseUrl + request.path);
      if (!mayAs(response, caller, needs)) return;
      if (needs.proof === 'always' && !isFresh(caller, nowDate(clock))) {
        askForProof(response, caller, 'this is done');
      } else next();
    }
  };
}

async function findCaller(
  options: AuthOptions,
  request: Request,
  cookie: string,
): Promise<Caller | undefined> {
  const { db, clock, token } = options;
  const homes = homesOf(options);
  const bearer = /^Bearer ([\x21-\x7e]{1,200})$/.exec(request.headers.authorization ?? '')?.[1];
  if (bearer !== undefined) {
    if (sameSecret(bearer, token)) return { kind: 'program', who: tokenHolder(options) };
    const found = await findByToken(db, homes, { token: bearer, now: nowDate(clock) });
    if (!found.ok) {
      await options.refusals.note(callerAddress(request), 'bearer');
      return undefined;
    }
    const { organisation_id: home, may, ...row } = found.row;
    const who = identityOf(options, { ...row, home });
    return { kind: 'program', who: may === null ? who : { ...who, may: new Set(may) } };
  }
  const id = readCookie(request.headers.cookie, cookie);
  if (id === undefined || id === '') return undefined;
  const now = nowDate(clock);
  // A page that refreshes itself in the background keeps no person signed in.
  const touch = request.get('x-background') === undefined;
  const session = await findSession(db, { homes, id, consoleToken: token, now, touch });
  if (session === undefined) return undefined;
  const { operator, home } = session;
  const who = operator === null ? tokenHolder(options) : identityOf(options, { ...operator, home });
  return { kind: 'person', who, session };
}

function tokenHolder({ organisationId }: AuthOptions): Identity {
  const role = 'administrator';
  return { name: TOKEN_HOLDER, role, ownRole: role, operatorId: null, home: organisationId };
}

/** Who is entered elsewhere sees what is of all organisations as far as it is of theirs, and changes none of it. */
function identityOf(
  { organisationId }: AuthOptions,
  operator: {
    readonly id: string;
    readonly name: string;
    readonly role: Role | null;
    readonly home: string;
  },
): Identity {
  const { id: operatorId, name, role: ownRole, home } = operator;
  const role = home === organisationId ? (ownRole ?? 'viewer') : 'viewer';
  return { name, role, ownRole, operatorId, home };
}

/** Whether the caller's role or verbs suffice; answered with 403 when not. */
function mayAs(response: Response, { who }: Caller, { role: needed, verbs }: CallNeeds): boolean {
  const { may } = who;
  if (may !== undefined) {
    if (verbs === 'any' || verbs.some((verb) => may.has(verb))) return true;
    sendFault(response, 403, { code: 'FORBIDDEN', message: verbFault(verbs) });
    return false;
  }
  if (isAtLeast(who.role, needed)) return true;
  sendFault(response, 403, {
    code: 'FORBIDDEN',
    message: `This takes the role ${needed}. Ask an administrator for it.`,
  });
  return false;
}

/** Whether a program has the verb, where it is a program; answered with 403 when not. */
export function mayDo(response: Response, { who: { may } }: Caller, verb: Verb): boolean {
  if (may === undefined || may.has(verb)) return true;
  sendFault(response, 403, { code: 'FORBIDDEN', message: verbFault([verb]) });
  return false;
}

function verbFault(verbs: readonly Verb[]): string {
  return verbs.length === 0
    ? 'No program may do this: it takes a person, in the console.'
    : `This takes the right ${verbs.join(' or ')}, which this program does not have. Ask an administrator for a program that has it.`;
}

/**
 * Whether the caller may do what is asked of a fresh sign-in: a person by signing in or confirming it, the holder of the console
 * token by sending that token, a program by the verb that it was given for this. A token of a person in a request proves nothing.
 *
 * @param verb of a program that may do it. @default none may
 */
export function isFresh(caller: Caller, now: Date, verb?: Verb): boolean {
  if (caller.kind === 'program') {
    const { operatorId, may } = caller.who;
    return operatorId === null || (verb !== undefined && may?.has(verb) === true);
  }
  return now.getTime() - caller.session.authenticatedAt.getTime() < FRESH_MS;
}

/** Answers a request that another site may have made the browser send. */
function refuseForgery(response: Response): void {
  sendFault(response, 403, {
    code: 'FORBIDDEN',
    message: 'The form is too old or came from elsewhere. Load the page again.',
  });
}

/** Whether the caller proved that the request is its own. */
export function mayChange(
  request: Request,
  caller: Caller,
  csrfToken: string | undefined,
): boolean {
  if (caller.kind === 'program') return true;
  if (isCrossSite(request) || csrfToken === undefined) return false;
  return sameSecret(csrfToken, caller.session.csrfToken);
}

/** Whether a browser says that another site sent this. */
export function isCrossSite(request: Request): boolean {
  const site = request.get('sec-fetch-site');
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const origin = request.get('origin');
  if (origin === undefined) return false;
  return URL.parse(origin)?.host !== request.headers.host;
}

/** Who the audit log names. */
export function operatorOf(caller: Caller): string {
  return caller.who.name;
}

function isSafe(request: Request): boolean {
  return request.method === 'GET' || request.method === 'HEAD';
}

export function readCookie(header: string | undefined, name: string): string | undefined {
  const prefix = `${name}=`;
  const pair = header?.split(/; */).find((part) => part.startsWith(prefix));
  return pair?.slice(prefix.length);
}
