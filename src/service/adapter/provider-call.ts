/**
 * One HTTP call to a payment provider, with every way it can end distinguished.
 *
 * It never throws and never repeats a call: a request that timed out may still execute, so what
 * happens next is Forestall's to decide. The distinction that matters is whether an answer proves
 * that nothing was executed ({@link isRefusal}); everything else leaves a refund `unknown`.
 */
import type { JsonObject } from './json.ts';
import { isObject } from './json.ts';

/** Longest wait for one answer, in milliseconds. Shorter than the lease Forestall refunds under. */
export const CALL_TIMEOUT_MS = 10_000;

/** Longest wait where a file of some megabytes goes over a slow line, in milliseconds. */
export const UPLOAD_TIMEOUT_MS = 60_000;

/** Largest answer that is read, in bytes: far above any charge, small enough for any process. */
export const ANSWER_BYTES_MAX = 5 * 1024 * 1024;

export interface ProviderRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A form is sent as `multipart/form-data`. */
  readonly body?: string | FormData;
  /** @default {@link CALL_TIMEOUT_MS} */
  readonly timeoutMs?: number;
  /**
   * For a provider that writes lists without an object around them, read as `{ items }`, and leaves some
   * answers empty.
   */
  readonly isBare?: boolean;
}

/** How a call ended. */
export type ProviderReply =
  /** The provider spoke: a status, and a JSON object (empty for 204 and the like). */
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly body: JsonObject;
      readonly headers: Headers;
    }
  /** No answer, half an answer, or one that is not the provider's JSON. */
  | { readonly kind: 'silence'; readonly reason: string };

/** Makes the call. Redirects are refused: a payment API that redirects is not the one we meant. */
export async function callProvider(
  request: ProviderRequest,
  signal?: AbortSignal,
): Promise<ProviderReply> {
  try {
    const { method, url, timeoutMs } = request;
    const headers = { accept: 'application/json', ...request.headers };
    const answered = await singleCall(signal, timeoutMs)(url, {
      method,
      headers,
      body: request.body ?? null,
    });
    const { status } = answered;
    const text = await answered.text();
    const isEmpty = text.trim() === '' && (status === 204 || request.isBare === true);
    const body = isEmpty ? {} : parseBody(text, request);
    return body === undefined
      ? { kind: 'silence', reason: `HTTP ${status} without readable JSON` }
      : { kind: 'answer', status, body, headers: answered.headers };
  } catch (error) {
    return { kind: 'silence', reason: reasonOf(error, request.timeoutMs ?? CALL_TIMEOUT_MS) };
  }
}

/**
 * A `fetch` for a provider's own SDK, which makes one call as {@link callProvider} does: within our time and the
 * caller's `signal`, read whole and of limited size, never redirected.
 *
 * What it throws says why in its message and carries no `code`: some SDKs send a request again by that, whatever
 * number of retries they were given. What is no JSON object or list does not reach the SDK either: one never ends its
 * call over a text or a number.
 */
export function singleCall(
  signal?: AbortSignal,
  timeoutMs: number = CALL_TIMEOUT_MS,
): typeof fetch {
  return async (input, init): Promise<Response> => {
    const signals = [AbortSignal.timeout(timeoutMs), signal, init?.signal ?? undefined];
    const ends = AbortSignal.any(signals.filter((each) => each !== undefined));
    let response: Response;
    let text: string | undefined;
    try {
      response = await fetch(input, { ...init, redirect: 'error', signal: ends });
      text = await readText(response);
    } catch (error) {
      throw new CallEnd(reasonOf(error, timeoutMs), { cause: error });
    }
    const { status, headers } = response;
    if (text === undefined) throw new CallEnd(`HTTP ${status}, answer too large`);
    if (text.trim() !== '' && !isStructured(text)) {
      throw new CallEnd(`HTTP ${status} without readable JSON`);
    }
    return new Response(text === '' ? null : text, { status, headers });
  };
}

function isStructured(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}

/** The end of a call in words for a person. */
class CallEnd extends Error {}

/** 4xx that do not prove that nothing was executed. */
const NOT_A_REFUSAL: ReadonlySet<number> = new Set([
  // About the credentials, and a gateway in between says it as well: see {@link isDenial}.
  401, 403, 407,
  // Timed out, in conflict with an earlier request under the same key, too early, too many.
  408, 409, 425, 429,
]);

/** Whether the status says that the provider understood the request and did not execute it. */
export function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && !NOT_A_REFUSAL.has(status);
}

/** Whether the status is about our credentials: a refusal only in the provider's own words for that. */
export function isDenial(status: number): boolean {
  return status === 401 || status === 403;
}

/** How a call ended, as far as a person is told. */
export type ProviderEnd =
  | { readonly kind: 'answer'; readonly status: number }
  | { readonly kind: 'silence'; readonly reason: string };

/** Why a reply is no usable answer, for a person. Holds no body: bodies may hold card data. */
export function reasonFor(end: ProviderEnd, code: string | null = null): string {
  if (end.kind === 'silence') return end.reason;
  const detail = code === null ? '' : ` (${code})`;
  return isDenial(end.status)
    ? `HTTP ${end.status}${detail}: check the API key and its permissions`
    : `HTTP ${end.status}${detail}`;
}

async function readText(response: Response): Promise<string | undefined> {
  if (response.body === null) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    if (bytes > ANSWER_BYTES_MAX) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseBody(text: string, { isBare }: ProviderRequest): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (isBare === true && Array.isArray(value)) return { items: value };
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function reasonOf(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return 'the call failed';
  if (error instanceof CallEnd) return error.message;
  if (error.name === 'TimeoutError') return `no answer within ${timeoutMs} ms`;
  if (error.name === 'AbortError') return 'the call was aborted';
  const { cause } = error;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' ? `connection failed: ${code}` : 'connection failed';
}
