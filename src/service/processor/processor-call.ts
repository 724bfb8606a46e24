/**
 * One signed call to an HTTP processor: sent once, never redirected, ended after ten seconds, its
 * answer capped and parsed strictly.
 */
import { createHmac } from 'node:crypto';
import type { Clock } from '../../base/kernel/clock.ts';
import { ConfigError } from '../../base/kernel/errors.ts';
import { REMOTE_TIMEOUT_MS } from '../../base/kernel/limits.ts';
import { exchange } from '../client/transport.ts';
import { parseJsonStrict } from '../wire/strict-json.ts';

/** Options of an HTTP processor. */
export interface HttpProcessorOptions {
  /** Base of the contract's paths, for example `https://payments.example/forestall`. */
  readonly baseUrl: string;
  /** Signs every call; asked for at each. */
  readonly secret: string;
  readonly clock: Clock;
  /** Longest call, in milliseconds. @default 10000 */
  readonly timeoutMs?: number;
  /** Is between us and the processor, for tests. @default the global fetch */
  readonly fetch?: typeof fetch;
}

/** A call of the contract. `path` starts with a slash; `body` is sent as JSON. */
export interface ProcessorCall {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly idempotencyKey?: string;
  /** Longest call, in milliseconds, where it may take longer than others. @default that of the options */
  readonly timeoutMs?: number;
}

/** How a call ended: a status with its JSON (undefined when unreadable), or no answer at all. */
export type ProcessorAnswer =
  | { readonly kind: 'answer'; readonly httpStatus: number; readonly json: unknown }
  | { readonly kind: 'none'; readonly reason: string };

/** Sends one call. Never throws. */
export type CallProcessor = (call: ProcessorCall, signal?: AbortSignal) => Promise<ProcessorAnswer>;

/** The header that binds method, path, query and body to the secret and the moment. */
export function signCall(
  call: { readonly method: string; readonly pathAndQuery: string; readonly body: string },
  secret: string,
  atSeconds: number,
): string {
  const digest = createHmac('sha512', secret)
    .update(`${atSeconds}.${call.method} ${call.pathAndQuery}.${call.body}`)
    .digest('hex');
  return `t=${atSeconds},v1=${digest}`;
}

/** @throws {ConfigError} when the address or the secret cannot be used */
export function createProcessorCall(options: HttpProcessorOptions): CallProcessor {
  const { clock, timeoutMs = REMOTE_TIMEOUT_MS } = options;
  if (options.secret === '') {
    throw new ConfigError('The processor has no secret. Set FORESTALL_PROCESSOR_SECRET.');
  }
  const base = baseOf(options.baseUrl);
  return async (call, signal) => {
    const url = urlOf(base, call);
    const body = call.body === undefined ? '' : JSON.stringify(call.body);
    const pathAndQuery = `${url.pathname}${url.search}`;
    const atSeconds = Math.floor(clock.nowMs() / 1000);
    const signed = { method: call.method, pathAndQuery, body };
    const end = await exchange({
      method: call.method,
      url: url.href,
      headers: {
        accept: 'application/json',
        'x-signature': signCall(signed, options.secret, atSeconds),
        ...(body === '' ? {} : { 'content-type': 'application/json' }),
        ...(call.idempotencyKey === undefined ? {} : { 'idempotency-key': call.idempotencyKey }),
      },
      body: body === '' ? undefined : body,
      timeoutMs: call.timeoutMs ?? timeoutMs,
      signal,
      fetch: options.fetch,
    });
    if (end.kind === 'too_large') return { kind: 'none', reason: 'the answer was too large' };
    if (end.kind !== 'answer') return { kind: 'none', reason: `the call ended: ${end.kind}` };
    const parsed = parseJsonStrict(end.body);
    return {
      kind: 'answer',
      httpStatus: end.httpStatus,
      json: parsed.ok ? parsed.value : undefined,
    };
  };
}

function baseOf(baseUrl: string): URL {
  if (!URL.canParse(baseUrl)) {
    throw new ConfigError('The processor address is no URL. Correct FORESTALL_PROCESSOR.');
  }
  const url = new URL(baseUrl);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new ConfigError('The processor address is not http(s). Correct FORESTALL_PROCESSOR.');
  }
  return url;
}

function urlOf(base: URL, { path, query = {} }: ProcessorCall): URL {
  const url = new URL(base.href);
  url.pathname = `${base.pathname.replace(/\/$/, '')}${path}`;
  url.search = '';
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return url;
}
