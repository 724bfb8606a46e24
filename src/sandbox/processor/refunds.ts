/**
 * `POST /processor/refunds`: a repeat of an idempotency key returns the first answer for as long as
 * the key lives; the same key with another request is refused.
 */
import { z } from 'zod';
import type { FailureClass } from '../../service/wire/processor.ts';
import type { Incoming } from '../http/endpoint.ts';
import type { Answer } from '../http/route.ts';
import { readInput } from '../refusal.ts';
import type { SandboxContext } from '../sandbox-context.ts';
import type { RefundRecord } from '../state/charges.ts';
import { executeRefund, visibleRefunds } from './ledger.ts';

const HOUR_MS = 3_600_000;

export const refundInput = z.looseObject({
  charge_reference: z.string().min(1),
  amount_in_cents: z.int().min(1),
  currency: z.string(),
  reason: z.string().nullish(),
  alert_id: z.string().nullish(),
});

/** A refusal of the processor; with a class it says that nothing was executed. */
export function processorError(
  status: number,
  said: { readonly code: string; readonly failureClass?: FailureClass },
  message: string,
): Answer {
  const { code, failureClass } = said;
  const stated = failureClass === undefined ? {} : { failure_class: failureClass };
  return { status, body: { error: { code, ...stated, message } } };
}

export function chargeNotFound(): Answer {
  const said = { code: 'charge_not_found', failureClass: 'ours' } as const;
  return processorError(404, said, 'There is no such charge.');
}

/** Refunds once per key. Unknown charge: 404. Refused refund: 200 with status `failed`. */
export function postRefund(context: SandboxContext, incoming: Incoming): Answer {
  return onceByKey(context, incoming, () => {
    const input = readInput(refundInput, incoming.readBody());
    const charge = context.state.charges.get(input.charge_reference);
    if (charge === undefined) return chargeNotFound();
    const refund = executeRefund(context, {
      charge,
      amountMinor: input.amount_in_cents,
      currency: input.currency,
      idempotencyKey: incoming.header('idempotency-key') ?? null,
    });
    return { status: 200, body: { ...refund } };
  });
}

/** Runs `act` once per `Idempotency-Key`; a key that does nothing (life 0) runs it every time. */
export function onceByKey(context: SandboxContext, incoming: Incoming, act: () => Answer): Answer {
  const key = incoming.header('idempotency-key');
  if (key === undefined || key === '') {
    return processorError(
      400,
      { code: 'idempotency_key_missing' },
      'Send an Idempotency-Key header.',
    );
  }
  const request = `${incoming.method} ${incoming.url} ${incoming.rawBody.toString()}`;
  const lifeMs = context.processor.idempotency_ttl_hours * HOUR_MS;
  const first = context.state.keyUses.get(key);
  if (first !== undefined && context.clock.nowMs() - first.usedAtMs < lifeMs) {
    if (first.request === request) return { status: first.status, body: first.body };
    const message = 'The idempotency key was used for another request. Use a new one.';
    return processorError(400, { code: 'idempotency_key_reused' }, message);
  }
  const answer = act();
  context.state.keyUses.set(key, {
    key,
    usedAtMs: context.clock.nowMs(),
    request,
    status: answer.status,
    body: answer.body,
  });
  return answer;
}

/** `GET /processor/refunds?idempotency_key=`. */
export function findRefunds(context: SandboxContext, incoming: Incoming): Answer {
  const key = incoming.query['idempotency_key'];
  if (!context.processor.can_lookup_by_reference) {
    return processorError(501, { code: 'not_offered' }, 'Refunds cannot be looked up by key.');
  }
  const isAsked = (refund: RefundRecord): boolean =>
    refund.idempotency_key === key && key !== undefined;
  const items: unknown[] = [];
  for (const charge of context.state.charges.values()) {
    if (charge.refunds.length === 0 || !charge.refunds.some(isAsked)) continue;
    items.push(...visibleRefunds(context, charge).filter(isAsked));
  }
  return { status: 200, body: { items } };
}
