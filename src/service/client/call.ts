/** What one operation of the interface is: method, path, key, body and the shape of its answer. */
import type { z } from 'zod';
import { isRemoteId } from '../../base/kernel/ids.ts';
import type { IdConcept } from '../wire/id-prefixes.ts';
import { ID_PREFIXES } from '../wire/id-prefixes.ts';
import { issueSentence } from '../wire/issue-sentence.ts';
import type { CallOptions, ClientSettings } from './options.ts';
import type { RequestKind } from './service-error.ts';
import { ServiceError } from './service-error.ts';

/** Values of a query; `undefined` ones are left out. */
export type Query = Readonly<Record<string, string | number | undefined>>;

/** One operation of the interface. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** With placeholders: names the endpoint in messages, and its pool in the budget. */
  readonly template: string;
  readonly key: 'organisation' | 'partner';
  /** What the placeholders are ids of, in their order. */
  readonly ids?: readonly IdConcept[];
  /** What a body must look like. */
  readonly writer?: z.ZodType;
  /** Whether fields that the writer lets through without naming them are told. @default false */
  readonly warnsOfUnlisted?: boolean;
  /** Statuses outside 2xx whose body is an answer, not a refusal. */
  readonly alsoAnswers?: readonly number[];
}

/** What one call of an endpoint adds. */
export interface CallInput {
  readonly ids?: readonly string[] | undefined;
  readonly query?: Query | undefined;
  readonly body?: unknown;
  readonly options?: CallOptions | undefined;
}

/** A call, checked and ready to be sent. */
export interface ServiceCall extends Endpoint {
  /** The template with ids in place. */
  readonly path: string;
  readonly query: Query;
  readonly body: unknown;
  readonly options: CallOptions;
}

/** Checks ids and body and makes the call. @throws {ServiceError} INVALID_REQUEST */
export function prepareCall(endpoint: Endpoint, input: CallInput): ServiceCall {
  return {
    ...endpoint,
    path: fillPath(endpoint, input.ids ?? []),
    query: input.query ?? {},
    body: checkBody(endpoint, input.body),
    options: input.options ?? {},
  };
}

/** The endpoint as messages and budget pools name it. */
export function endpointOf(call: Endpoint): string {
  return `${call.method} ${call.template}`;
}

export function requestKindOf(call: Endpoint): RequestKind {
  return call.method === 'GET' ? 'read' : 'write';
}

/** Enough to correct a request by. */
const ISSUES_TOLD_MAX = 3;

/** Our own request does not fit the specification; nothing was sent. */
function invalidRequest(call: Endpoint, problem: string, field?: string): ServiceError {
  const endpoint = endpointOf(call);
  return new ServiceError(`${endpoint} was not sent. ${problem}`, {
    kind: 'invalid_request',
    code: 'INVALID_REQUEST',
    retryable: false,
    requestKind: requestKindOf(call),
    outcome: 'not_sent',
    endpoint,
    field,
  });
}

/**
 * What is checked is the body; what is sent is the caller's own object, so nothing is dropped or
 * reordered on the way.
 */
function checkBody(endpoint: Endpoint, body: unknown): unknown {
  if (endpoint.writer === undefined) return undefined;
  const parsed = endpoint.writer.safeParse(body, { reportInput: true });
  if (parsed.success) return body;
  const field = parsed.error.issues[0]?.path.map(String).join('.');
  const sentences = parsed.error.issues.slice(0, ISSUES_TOLD_MAX).map(issueSentence);
  throw invalidRequest(endpoint, sentences.join(' '), field);
}

/** An id becomes part of a path, so it must be one of its kind and nothing else. */
function fillPath(endpoint: Endpoint, ids: readonly string[]): string {
  let path = endpoint.template;
  for (const [place, concept] of (endpoint.ids ?? []).entries()) {
    const id = ids[place] ?? '';
    if (!(isRemoteId(id) && id.startsWith(ID_PREFIXES[concept]))) {
      throw invalidRequest(
        endpoint,
        `An id of type ${concept} begins with ${ID_PREFIXES[concept]}. Give one of these.`,
      );
    }
    path = path.replace(/\{[a-z_]+\}/, id);
  }
  return path;
}

/** The whole URL, brands translated. */
export function urlOf(settings: ClientSettings, call: ServiceCall): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(call.query)) {
    if (value === undefined) continue;
    search.append(
      name,
      typeof value === 'string' ? settings.brandTokens.valueToWire(name, value) : String(value),
    );
  }
  const query = search.toString();
  return `${settings.baseUrl}${call.path}${query === '' ? '' : `?${query}`}`;
}

/** The key for this call; the partner key also opens what an organisation key opens. */
export function keyOf(settings: ClientSettings, call: ServiceCall): string {
  const key =
    call.key === 'partner' ? settings.partnerApiKey : (settings.apiKey ?? settings.partnerApiKey);
  if (key !== undefined) return key;
  throw invalidRequest(call, 'It needs a partner key. Give partnerApiKey.');
}
