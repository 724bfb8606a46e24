/** A console over real HTTP on a free port, and a person who signs in. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { expect } from 'vitest';
import type { Database } from '../../../src/base/db/database.ts';
import type { FixedClock } from '../../../src/base/kernel/clock.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import {
  contextOf,
  createConsoleApp,
  createDoor,
} from '../../../src/people/console/console-app.ts';
import { createPages } from '../../../src/people/console/pages.ts';
import { addOperator } from '../../../src/surface/access/operator.store.ts';
import { registerSignIn } from '../../../src/surface/access/sign-in.ts';
import { trustConsole } from '../../../src/surface/access/trust.store.ts';
import type { ConsoleOptions } from '../../../src/surface/web/ports.ts';
import type { RegisterPage } from '../../../src/surface/web/visit.ts';
import { openAsConsole } from '../../support/console-role.ts';
import { ORG } from '../reconcile/rows.ts';
import { faultOf } from './openapi-answers.ts';

export const TOKEN = 'console-token-for-tests';
export const BEARER = { authorization: `Bearer ${TOKEN}` };

export interface TestConsole {
  readonly url: string;
  readonly lines: string[];
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  post(path: string, init?: { body?: string; headers?: Record<string, string> }): Promise<Response>;
  /** Signs in. Returns the headers that carry the session, and its CSRF token. */
  signIn(): Promise<{ cookie: string; csrf: string }>;
  close(): Promise<void>;
}

/** A console that has these pages alone. */
function appOf(
  options: ConsoleOptions,
  pages: readonly RegisterPage[],
): ReturnType<typeof createDoor> {
  const context = contextOf(options, []);
  return createDoor(context, (app) => app.use(createPages(context, [registerSignIn, ...pages])));
}

/** Starts it on the database of `owner`, with the rights of the console's own role; with `pages`, it has these alone. */
export async function startConsole(
  owner: Kysely<Database>,
  clock: FixedClock,
  options: Partial<ConsoleOptions> = {},
  pages?: readonly RegisterPage[],
): Promise<TestConsole> {
  const lines: string[] = [];
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(owner);
  await trustConsole(owner, options.organisationId ?? ORG, { consoleToken: TOKEN });
  const { db, close } = openAsConsole(rows[0]?.name ?? '', options.organisationId ?? ORG);
  const given: ConsoleOptions = {
    db,
    clock,
    log: createLog({ level: 'debug', destination: { write: (line) => lines.push(line) } }),
    organisationId: ORG,
    token: TOKEN,
    decide: async () => ({ ok: true }),
    replayEvent: async () => ({ ok: true }),
    health: async () => ({ ok: true, parts: [] }),
    ...options,
  };
  const app = pages === undefined ? createConsoleApp(given) : appOf(given, pages);
  const server = createServer(app);
  // On a busy machine the default of 5 s ends a connection that fetch is about to use again.
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  /** As the document of the JSON API says, whatever is asked. */
  const send = async (method: string, path: string, init: RequestInit): Promise<Response> => {
    const answer = await fetch(url + path, { method, redirect: 'manual', ...init });
    expect(await faultOf(method, path, answer)).toBeUndefined();
    return answer;
  };
  const get: TestConsole['get'] = (path, headers = {}) => send('GET', path, { headers });
  const post: TestConsole['post'] = (path, { body, headers = {} } = {}) =>
    send('POST', path, { headers, ...(body === undefined ? {} : { body }) });
  return {
    url,
    lines,
    get,
    post,
    async signIn() {
      const answer = await post('/login', formOf({ token: TOKEN }));
      const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
      const page = await (await get('/', { cookie })).text();
      const csrf = /name="csrf_token" value="([^"]+)"/.exec(page)?.[1] ?? '';
      return { cookie, csrf };
    },
    async close() {
      server.closeAllConnections();
      await new Promise<void>((done) => {
        server.close(() => done());
      });
      await close();
    },
  };
}

/** A form as a browser sends it. */
export function formOf(
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): { body: string; headers: Record<string, string> } {
  return {
    body: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  };
}

/** JSON as a program sends it. */
export function jsonOf(
  body: unknown,
  headers: Record<string, string> = {},
): { body: string; headers: Record<string, string> } {
  return {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  };
}

/** A colleague who may decide, and signs in with no token. */
export async function addReviewer(db: Kysely<Database>, name: string, now: Date): Promise<void> {
  const role = 'reviewer';
  await addOperator(db, { organisationId: ORG, name, role, by: 'test', now, token: undefined });
}
