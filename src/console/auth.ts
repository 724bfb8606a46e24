/**
 * Who may use the console: a program with the bearer token, or a person with a session.
 *
 * A request that changes something and is carried by a cookie alone must also carry the session's
 * CSRF token: in the form's field, or in `X-CSRF-Token`. A bearer token needs none, because no
 * browser adds one by itself.
 */
import type { Request, RequestHandler, Response } from 'express';
import { sendFault } from './reply.ts';
import type { Session, Sessions } from './session.ts';
import { sameSecret } from './session.ts';

const COOKIE = 'forestall_session';
const SECURE_COOKIE = '__Host-forestall_session';

/** Who sent a request. */
export type Caller =
  | { readonly kind: 'program' }
  | { readonly kind: 'person'; readonly session: Session };

/** Tells callers apart. */
export interface Auth {
  /** The caller, or undefined. */
  callerOf(request: Request): Caller | undefined;
  /** Lets callers pass; others get 401, and a program's changes need nothing more. */
  readonly forPrograms: RequestHandler;
  /** The `Set-Cookie` of a session's begin or end. */
  cookieOf(session: Session | undefined): string;
}

/** What {@link createAuth} is made of. */
export interface AuthOptions {
  readonly token: string;
  readonly sessions: Sessions;
  readonly secureCookies: boolean;
}

export function createAuth(options: AuthOptions): Auth {
  const { token, sessions, secureCookies } = options;
  const name = secureCookies ? SECURE_COOKIE : COOKIE;
  const callerOf = (request: Request): Caller | undefined => {
    const bearer = /^Bearer ([\x21-\x7e]+)$/.exec(request.headers.authorization ?? '')?.[1];
    if (bearer !== undefined) return sameSecret(bearer, token) ? { kind: 'program' } : undefined;
    const id = readCookie(request.headers.cookie, name);
    const session = id === undefined ? undefined : sessions.find(id);
    return session === undefined ? undefined : { kind: 'person', session };
  };
  return {
    callerOf,
    forPrograms(request, response, next): void {
      const caller = callerOf(request);
      if (caller === undefined) {
        response.set('www-authenticate', 'Bearer');
        sendFault(response, 401, {
          code: 'UNAUTHORISED',
          message: 'Send Authorization: Bearer with the console token.',
        });
      } else if (!isSafe(request) && !mayChange(request, caller, request.get('x-csrf-token'))) {
        refuseForgery(response);
      } else {
        next();
      }
    },
    cookieOf(session): string {
      const value = session === undefined ? '; Max-Age=0' : '';
      const secure = secureCookies ? '; Secure' : '';
      return `${name}=${session?.id ?? ''}; Path=/; HttpOnly; SameSite=Strict${value}${secure}`;
    },
  };
}

/** Answers a request that another site may have made the browser send. */
export function refuseForgery(response: Response): void {
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
  return caller.kind === 'program' ? 'api' : 'console';
}

function isSafe(request: Request): boolean {
  return request.method === 'GET' || request.method === 'HEAD';
}

function readCookie(header: string | undefined, name: string): string | undefined {
  const prefix = `${name}=`;
  const pair = header?.split(/; */).find((part) => part.startsWith(prefix));
  return pair?.slice(prefix.length);
}
