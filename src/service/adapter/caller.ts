/**
 * A provider's JSON API called by hand, where its SDK would lose what a refund needs: each request goes out once, within
 * our time and the caller's signal, and an answer is a refusal only in the provider's own words.
 */
import type { FailureClass, ProcessorCharge } from '../wire/processor.ts';
import type { Undone } from './adapter.ts';
import { CallFailure } from './call-failure.ts';
import type { JsonObject } from './json.ts';
import { classOf } from './outcome.ts';
import type { ProviderReply } from './provider-call.ts';
import { callProvider, isDenial, isRefusal } from './provider-call.ts';
import type { AccessTokens } from './token.ts';

/** An answer that is not the one wanted. */
export type ProviderAnswer = Extract<ProviderReply, { readonly kind: 'answer' }>;

/** What a provider's API is, as far as every call of it goes. */
export interface ProviderApi {
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The word of the error; null where the answer is none of the provider's own: a gateway's 404 proves nothing. */
  codeOf(answer: ProviderAnswer): string | null;
  /** Whether an answer in the provider's words proves nothing: about a key in use, say. @default none */
  isOpen?(answer: ProviderAnswer): boolean;
  /** Where calls go out with an access token. */
  readonly tokens?: AccessTokens;
  /** What each word of a refusal means for what comes next. */
  readonly classes: ReadonlyMap<string, FailureClass>;
  /** Lists without an object around them are read as `{ items }`. @default false */
  readonly isBare?: boolean;
}

/** One request. */
export interface CallerRequest {
  readonly body?: JsonObject | undefined;
  /** Sent as `multipart/form-data`, instead of `body`. */
  readonly form?: FormData | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The status of success, or each of them. @default 200 */
  readonly status?: number | readonly number[];
}

/** The API for one call of Forestall's. Each of them gives the answer's body, or throws a {@link CallFailure}. */
export interface Caller {
  get(path: string): Promise<JsonObject>;
  post(path: string, request: CallerRequest): Promise<JsonObject>;
  put(path: string, request: CallerRequest): Promise<JsonObject>;
  delete(path: string): Promise<JsonObject>;
}

/** The API until `signal` ends. */
export function callerOf(
  api: ProviderApi,
  signal: AbortSignal | undefined,
  timeoutMs?: number,
): Caller {
  const { baseUrl, isBare = false } = api;
  async function call(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    { body, form, headers = {}, status = 200 }: CallerRequest = {},
  ): Promise<JsonObject> {
    const typed = body === undefined ? {} : { 'content-type': 'application/json' };
    const token = await tokenFor(api, signal);
    const sent = { ...api.headers, ...token, ...typed, ...headers };
    const text = body === undefined ? {} : { body: JSON.stringify(body) };
    const content = form === undefined ? text : { body: form };
    const within = timeoutMs === undefined ? {} : { timeoutMs };
    const url = `${baseUrl}${path}`;
    const request = { method, url, headers: sent, isBare, ...content, ...within };
    const reply = await callProvider(request, signal);
    if (reply.kind === 'answer' && [status].flat().includes(reply.status)) return reply.body;
    // A token that was revoked is not tried again; the next call fetches another.
    if (reply.kind === 'answer' && reply.status === 401) api.tokens?.drop();
    throw failureOf(reply, api);
  }
  return {
    get: (path) => call('GET', path),
    post: (path, request) => call('POST', path, request),
    put: (path, request) => call('PUT', path, request),
    delete: (path) => call('DELETE', path),
  };
}

/** Without a token the call itself is never made: refused credentials are its answer. */
async function tokenFor(
  api: ProviderApi,
  signal: AbortSignal | undefined,
): Promise<Readonly<Record<string, string>>> {
  if (api.tokens === undefined) return {};
  const token = await api.tokens.current(signal);
  if (typeof token === 'string') return { authorization: `Bearer ${token}` };
  throw failureOf(token, api);
}

function failureOf(reply: ProviderReply, { codeOf, classes, isOpen }: ProviderApi): CallFailure {
  if (reply.kind === 'silence') return new CallFailure(reply);
  const { status } = reply;
  const code = codeOf(reply);
  const isSaid = code !== null && isOpen?.(reply) !== true;
  const isProof = isSaid && (isRefusal(status) || isDenial(status));
  const refusal = isProof ? { code, failureClass: classIn(code, { status, classes }) } : null;
  return new CallFailure(
    { kind: 'answer', status },
    { code, refusal, isMissing: isSaid && status === 404 },
  );
}

/** A word about our credentials is `ours`, also where the table does not hold it. */
function classIn(
  code: string,
  { status, classes }: Pick<ProviderApi, 'classes'> & { readonly status: number },
): FailureClass {
  return isDenial(status) && !classes.has(code) ? 'ours' : classOf(code, classes);
}

/** Null for what the provider says does not exist. @throws any other failure */
export function nullIfMissing(error: unknown): null {
  if (error instanceof CallFailure && error.isMissing) return null;
  throw error;
}

/**
 * Releases what is authorised, where a provider answers before it has done so: the charge is read before, and again
 * afterwards, and only what shows itself as released is. `read` gives null for none, a text for one that cannot be read.
 */
export async function releaseAuthorised(
  read: () => Promise<ProcessorCharge | string | null>,
  release: () => Promise<unknown>,
): Promise<Undone<'voided'>> {
  const readAgain = (): Promise<ProcessorCharge | string | null> =>
    read().catch(() => 'it cannot be read');
  const before = await readAgain();
  if (before === null) return 'rejected';
  if (typeof before === 'string') return 'unknown';
  if (before.status !== 'authorised') return before.status === 'voided' ? 'voided' : 'rejected';
  const isRefused = await release().then(
    () => false,
    (error: unknown) => error instanceof CallFailure && error.refusal !== null,
  );
  const after = await readAgain();
  if (typeof after === 'object' && after?.status === 'voided') return 'voided';
  return isRefused ? 'rejected' : 'unknown';
}
