/**
 * Calls the merchant's endpoint for what only the merchant can do: stop an order, block a customer.
 *
 * Signed like the calls to an HTTP processor, method and path included, and repeated with the same
 * `Idempotency-Key` until it is answered with 2xx.
 */

import type { Clock } from '../../base/kernel/clock.ts';
import { createProcessorCall } from '../../service/processor/processor-call.ts';
import type { ActionsEndpoint } from '../guard/guard-env.ts';

/** One call. */
export interface ActionCall {
  readonly idempotencyKey: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** `refused`: the merchant's endpoint will never do it. `unknown`: ask again. */
export type ActionAnswer =
  | { readonly kind: 'done' }
  | { readonly kind: 'refused' | 'unknown'; readonly reason: string };

/** Sends one call. Never throws. */
export type CallActions = (call: ActionCall, signal: AbortSignal) => Promise<ActionAnswer>;

/** Answers that say nothing about the order itself: time-outs, conflicts and limits. */
const PASSING: ReadonlySet<number> = new Set([401, 403, 408, 409, 425, 429]);

/** @throws {ConfigError} when the address cannot be used */
export function createActionsCall(endpoint: ActionsEndpoint, clock: Clock): CallActions {
  const send = createProcessorCall({ baseUrl: endpoint.url, secret: endpoint.secret, clock });
  return async ({ idempotencyKey, body }, signal) => {
    const end = await send({ method: 'POST', path: '', idempotencyKey, body }, signal);
    if (end.kind === 'none') return { kind: 'unknown', reason: end.reason };
    const { httpStatus } = end;
    if (httpStatus >= 200 && httpStatus < 300) return { kind: 'done' };
    const isClear = httpStatus >= 400 && httpStatus < 500 && !PASSING.has(httpStatus);
    return { kind: isClear ? 'refused' : 'unknown', reason: `HTTP ${httpStatus}` };
  };
}
