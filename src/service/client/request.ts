/**
 * Sends a call: budget, attempts and hooks.
 *
 * A write is sent once, whatever happens. A read is repeated, a bounded number of times, when the
 * connection failed, the service answered 5xx, or the rate limit was met.
 */
import { backoffMs } from '../../base/kernel/backoff.ts';
import type { ServiceCall } from './call.ts';
import { endpointOf, keyOf, requestKindOf, urlOf } from './call.ts';
import type { Classified, ServiceAnswer } from './classify.ts';
import { classify } from './classify.ts';
import type { ClientSettings, RequestInfo, ResponseInfo } from './options.ts';
import type { ServiceErrorKind } from './service-error.ts';
import { ServiceError } from './service-error.ts';
import type { WireRequest } from './transport.ts';
import { exchange } from './transport.ts';
import { warnOfUnlisted } from './warn.ts';

/** Attempts of a read, the first included. */
const READ_ATTEMPTS_MAX = 3;

/** Wait between attempts of a read, in milliseconds: short, because callers hold leases. */
const READ_BACKOFF = { baseMs: 100, maxMs: 2_000 };

const REPEATABLE_KINDS: ReadonlySet<ServiceErrorKind> = new Set([
  'network',
  'server',
  'rate_limited',
]);

/** Sends `call` and returns its answer. @throws {ServiceError} */
export async function request(settings: ClientSettings, call: ServiceCall): Promise<ServiceAnswer> {
  const wire = prepare(settings, call);
  warnOfUnlisted(settings.hooks, call);
  const attemptsMax =
    requestKindOf(call) === 'write' ? 1 : (call.options.attemptsMax ?? READ_ATTEMPTS_MAX);
  for (let attempt = 1; ; attempt++) {
    const outcome = await attemptOnce(settings, call, { wire, attempt });
    if (outcome.ok) return outcome.answer;
    const { error } = outcome;
    if (attempt >= attemptsMax || !REPEATABLE_KINDS.has(error.kind)) throw error;
    // After a 429 the budget itself makes the next attempt wait.
    if (error.kind !== 'rate_limited') await pauseBefore(settings, call, attempt);
  }
}

function prepare(settings: ClientSettings, call: ServiceCall): WireRequest {
  const { brandTokens, userAgent } = settings;
  const body = call.body === undefined ? undefined : JSON.stringify(brandTokens.toWire(call.body));
  return {
    method: call.method,
    url: urlOf(settings, call),
    headers: {
      authorization: `Bearer ${keyOf(settings, call)}`,
      accept: 'application/json',
      'user-agent': userAgent,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body,
    timeoutMs: call.options.timeoutMs ?? settings.timeoutMs,
    signal: call.options.signal,
    fetch: settings.fetch,
  };
}

async function attemptOnce(
  settings: ClientSettings,
  call: ServiceCall,
  { wire, attempt }: { wire: WireRequest; attempt: number },
): Promise<Classified> {
  const { budget, clock, hooks } = settings;
  const pool = endpointOf(call);
  await takeTurn(settings, call, pool);
  const info: RequestInfo = { method: call.method, path: call.template, attempt };
  callHook(hooks.onRequest, info);
  const startedMs = clock.nowMs();
  const end = await exchange(wire);
  const outcome = classify(call, end, settings.brandTokens);
  const response: ResponseInfo = {
    ...info,
    durationMs: clock.nowMs() - startedMs,
    httpStatus: 'httpStatus' in end ? end.httpStatus : undefined,
    errorCode: outcome.ok ? undefined : outcome.error.code,
    serviceDateMs: end.kind === 'answer' ? end.dateMs : undefined,
  };
  callHook(hooks.onResponse, response);
  if (!outcome.ok && outcome.error.kind === 'rate_limited') {
    // The 429 is the news; a budget that cannot note it down must not hide it.
    await budget.penalise(pool, attempt).catch(() => undefined);
  }
  return outcome;
}

/** Waits for the budget. Whatever ends this wait, nothing was sent. */
async function takeTurn(settings: ClientSettings, call: ServiceCall, pool: string): Promise<void> {
  const { signal, priority } = call.options;
  try {
    await settings.budget.take(pool, { signal, priority });
    signal?.throwIfAborted();
  } catch (error) {
    throw notSent(call, error, signal?.aborted === true);
  }
}

async function pauseBefore(
  settings: ClientSettings,
  call: ServiceCall,
  attempt: number,
): Promise<void> {
  const signal = call.options.signal;
  try {
    await settings.wait(backoffMs(attempt, { ...READ_BACKOFF, random: settings.random }), signal);
  } catch (error) {
    throw notSent(call, error, signal?.aborted === true);
  }
}

function notSent(call: ServiceCall, cause: unknown, aborted: boolean): ServiceError {
  const endpoint = endpointOf(call);
  const reason = aborted ? 'its caller ended it first' : 'the request budget could not be asked';
  return new ServiceError(`${endpoint} was not sent: ${reason}.`, {
    kind: aborted ? 'aborted' : 'budget',
    code: aborted ? 'ABORTED' : 'BUDGET_UNAVAILABLE',
    retryable: true,
    requestKind: requestKindOf(call),
    outcome: 'not_sent',
    endpoint,
    cause,
  });
}

function callHook<Info>(hook: ((info: Info) => void) | undefined, info: Info): void {
  try {
    hook?.(info);
  } catch {
    return; // Telemetry must not fail a declaration.
  }
}
