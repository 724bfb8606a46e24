/**
 * Deliveries for an organisation that is not here, or not any more: verified as always, then sent on to where it has
 * gone, or told to come again. A 200 is only what the other installation said.
 */
import type { Answer } from '../../alerts/receive/answers.ts';
import { answer, REFUSAL_ANSWERS } from '../../alerts/receive/answers.ts';
import type { BodyBudget } from '../../alerts/receive/body-budget.ts';
import type { ReceiveCounters, RefusedReason } from '../../alerts/receive/counters.ts';
import type { DoorReception } from '../../alerts/receive/door.ts';
import type { Incoming, Reception } from '../../alerts/receive/reception.ts';
import type { Verifier } from '../../alerts/receive/signature.ts';
import { readSignature, SIGNATURE_HEADER } from '../../alerts/receive/signature.ts';
import { reasonOf } from '../../base/kernel/errors.ts';
import type { Log } from '../../base/kernel/log.ts';
import type { AwayRow } from './move.store.ts';
import { hasGone } from './move-watch.ts';

/** When a sender may come again, in seconds. */
const RETRY_AFTER_SECONDS = 10;

/** How long the other installation may take, in milliseconds: the service waits longer. */
const FORWARD_TIMEOUT_MS = 8_000;

/** Deliveries that are sent on at once. Also ends a circle, where an address leads back here. */
const FORWARDED_MAX = 64;

const base = answer(503, { error: 'moving' });

/** It may not be taken in now. */
export const MOVING: Answer = {
  ...base,
  headers: [...base.headers, 'retry-after', String(RETRY_AFTER_SECONDS)],
};

export interface AwayReceptionOptions {
  /** Where it is. Asked at each delivery. */
  readonly away: () => AwayRow | undefined;
  readonly verifier: () => Verifier;
  readonly bodies: BodyBudget;
  readonly counters: ReceiveCounters;
  readonly log: Log;
}

/** Creates the reception of deliveries for an organisation that is not here. */
export function createAwayReception(options: AwayReceptionOptions): Reception {
  const { away, verifier, bodies, counters, log } = options;
  let forwarded = 0;
  const refuse = (reason: RefusedReason): Answer => {
    counters.countRefused(reason);
    return REFUSAL_ANSWERS[reason];
  };
  const moving = (): Answer => {
    counters.countRefused('unavailable');
    return MOVING;
  };
  return {
    // Under the name of its own one: what is forwarded has been found already.
    knows: () => true,
    refuse,
    async receive(incoming): Promise<Answer> {
      const signature = readSignature(incoming.signatures);
      if (!signature.ok) return refuse(signature.reason);
      const read = await incoming.readBody(bodies);
      if (!read.ok) return refuse(read.reason);
      const verdict = verifier().verifyRead(signature, read.body);
      if (!verdict.ok) return refuse(verdict.reason);
      const row = away();
      if (row === undefined || !hasGone(row) || row.forward_url === null) return moving();
      if (forwarded >= FORWARDED_MAX) return moving();
      forwarded += 1;
      try {
        return await forward(row.forward_url, incoming, read.body);
      } catch (error) {
        log.warn({ reason: reasonOf(error) }, 'a delivery could not be sent on');
        return moving();
      } finally {
        forwarded -= 1;
      }
    },
  };
}

async function forward(url: string, incoming: Incoming, body: Buffer): Promise<Answer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      [SIGNATURE_HEADER]: incoming.signatures[0] ?? '',
      ...(incoming.deliveryId === null ? {} : { 'x-idempotency-key': incoming.deliveryId }),
    },
    body: new Uint8Array(body),
    redirect: 'error',
    signal: AbortSignal.timeout(FORWARD_TIMEOUT_MS),
  });
  const text = await response.text();
  if (!response.ok) return MOVING;
  const parsed: unknown = JSON.parse(text);
  return answer(response.status, parsed);
}

/** Another door, the processor's webhooks for example: they are sent again for days, and by then to where the organisation is. */
export function createAwayDoor(): DoorReception {
  return { knows: () => true, receive: () => Promise.resolve(MOVING), refuse: () => MOVING };
}
