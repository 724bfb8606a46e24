/** A webhook delivery as it arrives: the bytes and the headers, signed with a secret. */

import { signDelivery } from '../../alerts/receive/signature.ts';
import type { Clock } from '../../base/kernel/clock.ts';

/** What is delivered. */
export interface DeliveryWishes {
  /** An event, or the exact text to send. */
  readonly event: unknown;
  /** The subscription's signing secret. */
  readonly secret: string;
  readonly clock: Clock;
  /** How long ago it was signed; negative for the future. @default 0 */
  readonly ageSeconds?: number;
}

/** Ready to be sent with any HTTP client. */
export interface SignedDelivery {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

let deliveries = 0;

/** Signs an event. */
export function signedDelivery(wishes: DeliveryWishes): SignedDelivery {
  const { event, secret, clock, ageSeconds = 0 } = wishes;
  deliveries += 1;
  const body = typeof event === 'string' ? event : JSON.stringify(event);
  const atSeconds = Math.floor(clock.nowMs() / 1_000) - ageSeconds;
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'x-idempotency-key': `dlv_test${deliveries}`,
      'x-signature': signDelivery(secret, Buffer.from(body), atSeconds),
    },
  };
}

/** The delivery as a `Request`, for receivers that speak the Fetch API. */
export function requestOf(delivery: SignedDelivery, url = 'http://localhost/webhooks'): Request {
  return new Request(url, {
    method: 'POST',
    body: delivery.body,
    headers: { ...delivery.headers },
  });
}
