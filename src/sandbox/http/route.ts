/**
 * What an endpoint is: method, path, who may call it, and a pure handler from call to answer. The
 * HTTP server, the rate limits and the OpenAPI document are all made from these rows.
 */
import type { Ability } from '../../service/wire/abilities.ts';
import type { Query } from '../listing.ts';
import type { SandboxContext } from '../sandbox-context.ts';
import type { ApiKey } from '../state/accounts.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** A request that reached its endpoint, signed in and within the limits. */
export interface Call {
  readonly context: SandboxContext;
  readonly key: ApiKey;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: unknown;
  /** Whether the same request runs at the same time (the `duplicate` fault). */
  readonly concurrent: boolean;
}

/** What is answered. No `body` means an empty one. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  /** When given, the body is text of this type and sent as it is. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Route {
  readonly method: Method;
  /** With `{name}` for parameters, for example `/v1/alerts/{alert_id}`. */
  readonly path: string;
  readonly ability: Ability;
  /** Whether organisation keys are turned away with `401`. @default false */
  readonly partnerOnly?: boolean;
  handle(call: Call): Answer;
}

/** An endpoint as faults and the request log name it, without a trailing slash. */
export function endpointName(endpoint: Pick<Route, 'method' | 'path'>): string {
  return `${endpoint.method} ${endpoint.path.replace(/\/$/, '')}`;
}

/** A `200` with a body. */
export function ok(body: unknown): Answer {
  return { status: 200, body };
}

/** A `201` with a body. */
export function created(body: unknown): Answer {
  return { status: 201, body };
}

/** A `204` without a body. */
export function noContent(): Answer {
  return { status: 204 };
}

export function param(call: { readonly params: Call['params'] }, name: string): string {
  return call.params[name] ?? '';
}
