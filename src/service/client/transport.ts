/**
 * Sends one request once and returns the bytes of its answer, or says why there are none.
 *
 * Built on ky with everything automatic switched off: no retry, no redirect, no exception on a
 * status. The timeout spans the whole exchange, the body included. Nothing is interpreted here.
 */

import { Buffer } from 'node:buffer';
import { REMOTE_BODY_BYTES_MAX } from '../../base/kernel/limits.ts';
import { toldBody, toldWords, withoutSecrets } from '../../base/kernel/told-words.ts';
import { parseJsonStrict } from '../wire/strict-json.ts';

/** One request, ready to send. */
export interface WireRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly fetch: typeof globalThis.fetch | undefined;
}

/** How an exchange ended. `never_sent` is only claimed when the request surely did not leave. */
export type WireAnswer =
  | {
      readonly kind: 'answer';
      readonly httpStatus: number;
      readonly body: Uint8Array;
      /** The other side's own time (header `Date`), in milliseconds; undefined without a readable one. */
      readonly dateMs: number | undefined;
    }
  | { readonly kind: 'too_large'; readonly httpStatus: number }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'aborted'; readonly cause: unknown }
  | { readonly kind: 'never_sent'; readonly cause: unknown }
  | { readonly kind: 'broken'; readonly cause: unknown };

/** Failures of TLS that happen before the first byte of a request. */
const CERTIFICATE_CODES: ReadonlySet<string> = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** System calls that only happen while a connection is being made. */
const CONNECT_CALLS: ReadonlySet<string> = new Set(['connect', 'getaddrinfo']);

/**
 * Sends `request` once. Never throws, and ends with its time in any case: fetch hears the signal only as long as the
 * request that it was copied from has not been collected as garbage (nodejs/undici#4068).
 */
export async function exchange(request: WireRequest): Promise<WireAnswer> {
  if (wasGivenUp(request)) return { kind: 'aborted', cause: request.signal?.reason };
  // One signal for both ends: joined by AbortSignal.any they would cost more than the rest of the call's own work.
  const ends = new AbortController();
  const { promise: over, reject } = Promise.withResolvers<never>();
  const giveUp = (): void => {
    ends.abort();
    reject(new Error('given up'));
  };
  const timer = setTimeout(giveUp, request.timeoutMs);
  request.signal?.addEventListener('abort', giveUp);
  try {
    return await Promise.race([send(request, ends.signal), over]);
  } catch (error) {
    if (wasGivenUp(request)) return { kind: 'aborted', cause: request.signal?.reason };
    if (ends.signal.aborted) return { kind: 'timeout' };
    const cause = rootCauseOf(error);
    return { kind: wasNeverSent(cause) ? 'never_sent' : 'broken', cause };
  } finally {
    clearTimeout(timer);
    request.signal?.removeEventListener('abort', giveUp);
  }
}

function wasGivenUp({ signal }: WireRequest): boolean {
  return signal?.aborted === true;
}

/** Loaded with the first request: ky has Node load its own HTTP client at once, a third of what importing the package took. */
let loading: Promise<typeof import('ky')> | undefined;

async function send(request: WireRequest, signal: AbortSignal): Promise<WireAnswer> {
  loading ??= import('ky').catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  const { default: ky } = await loading;
  const response = await ky(request.url, {
    method: request.method,
    headers: request.headers,
    retry: 0,
    timeout: false,
    throwHttpErrors: false,
    redirect: 'manual',
    signal,
    ...(request.body === undefined ? {} : { body: Buffer.from(request.body) }),
    ...(request.fetch === undefined ? {} : { fetch: request.fetch }),
  });
  const httpStatus = response.status;
  const announced = Number(response.headers.get('content-length') ?? 0);
  if (announced > REMOTE_BODY_BYTES_MAX) {
    await discardBody(response);
    return { kind: 'too_large', httpStatus };
  }
  const body = await readBodyCapped(response, REMOTE_BODY_BYTES_MAX);
  return body === undefined
    ? { kind: 'too_large', httpStatus }
    : {
        kind: 'answer',
        httpStatus,
        body: httpStatus < 400 ? body : toldFault(body, secretsOf(request)),
        dateMs: dateOf(response),
      };
}

/** What was sent to prove who we are: others repeat it in what they say of it. */
function secretsOf({ headers }: WireRequest): readonly string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    name.toLowerCase() === 'authorization' ? [value.slice(value.indexOf(' ') + 1)] : [],
  );
}

/** Longest text of a fault that is no JSON: a page of a gateway, of which nothing is told. */
const FAULT_TEXT_BYTES_MAX = 65_536;

/** What went wrong is told to people and kept, in the other side's own words: without what must be neither. */
function toldFault(body: Uint8Array, secrets: readonly string[]): Uint8Array {
  const parsed = parseJsonStrict(body);
  if (parsed.ok) {
    const masked = toldBody(parsed.value, secrets);
    return masked === parsed.value ? body : Buffer.from(JSON.stringify(masked));
  }
  const text = Buffer.from(body.subarray(0, FAULT_TEXT_BYTES_MAX)).toString('utf8');
  return Buffer.from(toldWords(withoutSecrets(text, secrets)));
}

function dateOf(response: Response): number | undefined {
  const ms = Date.parse(response.headers.get('date') ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}

/** The system's own error under ky's and fetch's, whose texts carry the URL with its query. */
function rootCauseOf(error: unknown): unknown {
  let current = error;
  for (let depth = 0; depth < 5; depth++) {
    if (!(current instanceof Error) || current.cause === undefined) return current;
    current = current.cause;
  }
  return current;
}

function wasNeverSent(cause: unknown): boolean {
  // A name with several addresses fails with one error per address tried.
  if (cause instanceof AggregateError) {
    return cause.errors.length > 0 && cause.errors.every((error) => wasNeverSent(error));
  }
  if (typeof cause !== 'object' || cause === null) return false;
  if ('syscall' in cause && typeof cause.syscall === 'string' && CONNECT_CALLS.has(cause.syscall)) {
    return true;
  }
  const code = 'code' in cause ? cause.code : undefined;
  return (
    code === 'UND_ERR_CONNECT_TIMEOUT' || (typeof code === 'string' && CERTIFICATE_CODES.has(code))
  );
}

// Reads an answer's body, and stops at a limit: a small compressed answer can grow without end.

/** Reads at most `bytesMax` bytes of the decoded body; `undefined` when there are more. */
async function readBodyCapped(
  response: Response,
  bytesMax: number,
): Promise<Uint8Array | undefined> {
  if (response.body === null) return new Uint8Array();
  const reader = response.body.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return joinChunks(chunks, length);
    length += value.byteLength;
    if (length > bytesMax) {
      // The connection is given up with the rest of the answer.
      await reader.cancel().catch(() => undefined);
      return undefined;
    }
    chunks.push(value);
  }
}

/** Gives up the connection of an answer that will not be read. */
async function discardBody(response: Response): Promise<void> {
  await response.body?.cancel().catch(() => undefined);
}

function joinChunks(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const [only] = chunks;
  if (chunks.length === 1 && only !== undefined) return only;
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return whole;
}
