/**
 * One HTTP call to a payment provider, with every way it can end distinguished.
 *
 * It never throws and never repeats a call: a request that timed out may still execute, so what
 * happens next is Forestall's to decide. The distinction that matters is whether an answer proves
 * that nothing was executed ({@link isRefusal}); everything else leaves a refund `unknown`.
 */
import type { JsonObject } from '../../shared/json.ts';
import { isObject } from '../../shared/json.ts';

/** Longest wait for one answer, in milliseconds. Shorter than the lease Forestall refunds under. */
export const CALL_TIMEOUT_MS = 10_000;

/** Largest answer that is read, in bytes: far above any charge, small enough for any process. */
export const ANSWER_BYTES_MAX = 5 * 1024 * 1024;

export interface ProviderRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
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
  const timeout = AbortSignal.timeout(CALL_TIMEOUT_MS);
  try {
    const response = await fetch(request.url, {
      method: request.method,
      headers: { accept: 'application/json', ...request.headers },
      body: request.body ?? null,
      redirect: 'error',
      signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
    });
    const { status, headers } = response;
    const text = await readText(response);
    if (text === undefined) return { kind: 'silence', reason: `HTTP ${status}, answer too large` };
    const isEmpty = text.trim() === '' && (status === 204 || request.isBare === true);
    const body = isEmpty ? {} : parseBody(text, request);
    return body === undefined
      ? { kind: 'silence', reason: `HTTP ${status} without readable JSON` }
      : { kind: 'answer', status, body, headers };
  } catch (error) {
    return { kind: 'silence', reason: reasonOf(error) };
  }
}

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

/** Why a reply is no usable answer, for a person. Holds no body: bodies may hold card data. */
export function reasonFor(reply: ProviderReply, code: string | null = null): string {
  if (reply.kind === 'silence') return reply.reason;
  const detail = code === null ? '' : ` (${code})`;
  return isDenial(reply.status)
    ? `HTTP ${reply.status}${detail}: check the API key and its permissions`
    : `HTTP ${reply.status}${detail}`;
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

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'the call failed';
  if (error.name === 'TimeoutError') return `no answer within ${CALL_TIMEOUT_MS} ms`;
  if (error.name === 'AbortError') return 'the call was aborted';
  const { cause } = error;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' ? `connection failed: ${code}` : 'connection failed';
}
