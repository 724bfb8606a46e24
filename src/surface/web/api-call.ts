/**
 * A call of the JSON API that a capability brings, described once: path, what it asks, what its document says, what it
 * answers. Walked by the router, by the OpenAPI document, and by the table of what each call asks (`people/console/`).
 */
import type { Request, RequestHandler, Response } from 'express';
import type { z } from 'zod';
import type { CallNeeds } from '../access/call-needs.ts';
import type { EventKind } from '../event-kind.ts';
import type { Auth, Caller } from './auth.ts';
import type { Fault } from './fault.ts';
import type { Operation, Refusal } from './operation.ts';
import type { ConsoleOptions } from './ports.ts';
import type { Reading } from './query.ts';
import { read } from './query.ts';
import { NOT_FOUND, sendFault, sendJson } from './reply.ts';

/** What a call works on. */
export interface ApiWork {
  readonly options: ConsoleOptions;
  /** Every kind of the stream of events. */
  readonly eventKinds: readonly EventKind[];
}

/** Who asks, and for what. */
export interface Sent {
  /** Those of the path, by name. */
  readonly params: Readonly<Record<string, string>>;
  readonly caller: Caller;
  /** Aborted when no caller waits for the answer any more. */
  readonly signal: AbortSignal;
}

export type ApiAnswer =
  | { readonly status: 200 | 201 | 202; readonly body: unknown }
  | { readonly status: Refusal | 400 | 403; readonly fault: Fault };

/** As the OpenAPI document names it: a parameter of the path is in braces. */
export type CallName = `${'GET' | 'POST'} /api/${string}`;

interface Described<Given> extends Operation {
  readonly call: CallName;
  readonly needs: CallNeeds;
  /** Why this caller may not: found before what it sent is read. @default nothing */
  readonly refuse?: (work: ApiWork, caller: Caller) => ApiAnswer | undefined;
  /** Called once for each console; what it returns answers each request. */
  readonly answer: (work: ApiWork) => (asked: Given & Sent) => Promise<ApiAnswer>;
}

export interface ApiCall {
  readonly call: CallName;
  readonly needs: CallNeeds;
  readonly operation: Operation;
  readonly handler: (work: ApiWork, auth: Auth) => RequestHandler;
}

/** A call that reads: what it is asked is in the query. */
export function describeApiRead<Query extends z.ZodObject>(
  described: Described<{ readonly query: z.infer<Query> }> & {
    readonly call: `GET /api/${string}`;
    readonly query: Query;
    readonly body?: never;
  },
): ApiCall {
  return make(described, ({ query }) => {
    const given = read(described.query, { ...query });
    return given.ok ? { ok: true, value: { query: given.value } } : given;
  });
}

/** A call that changes something: what it is given is in the body. */
export function describeApiChange<Body extends z.ZodType>(
  described: Described<{ readonly body: z.infer<Body> }> & {
    readonly call: `POST /api/${string}`;
    readonly body: Body;
    readonly query?: never;
  },
): ApiCall {
  return make(described, ({ body }) => {
    const given = read(described.body, body);
    return given.ok ? { ok: true, value: { body: given.value } } : given;
  });
}

function make<Given>(
  { call, needs, refuse, answer, ...operation }: Described<Given>,
  readGiven: (request: Pick<Request, 'query' | 'body'>) => Reading<Given>,
): ApiCall {
  return {
    call,
    needs,
    operation,
    handler(work, auth): RequestHandler {
      const answerOf = answer(work);
      return async (request, response) => {
        const caller = auth.callerOf(request);
        if (caller === undefined) return sendFault(response, 404, NOT_FOUND);
        const refused = refuse?.(work, caller);
        if (refused !== undefined) return send(response, refused);
        const given = readGiven(request);
        if (!given.ok) return sendFault(response, 400, ...given.faults);
        const found = await answerOf({ ...given.value, ...sentWith(request, response, caller) });
        if (!response.destroyed) send(response, found);
      };
    },
  };
}

function send(response: Response, found: ApiAnswer): void {
  if ('fault' in found) sendFault(response, found.status, found.fault);
  else sendJson(response, found.status, found.body);
}

function sentWith(request: Request, response: Response, caller: Caller): Sent {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const params = Object.entries(request.params).map(([name, value]) => [name, String(value)]);
  return { params: Object.fromEntries(params), caller, signal: gone.signal };
}
