/**
 * Sends one webhook request. Only a 2xx within the time limit counts; redirects are not followed.
 */
import type { World } from '../world.ts';
import type { Outgoing } from './outgoing.ts';
import { signatureOf } from './outgoing.ts';

/** Answers the receiver's status. @throws on network errors and when no answer came in time */
export async function send(world: World, outgoing: Outgoing): Promise<number> {
  const response = await fetch(outgoing.url, {
    method: 'POST',
    redirect: 'manual',
    signal: AbortSignal.any([
      AbortSignal.timeout(world.settings.webhookTimeoutMs),
      world.closing.signal,
    ]),
    headers: {
      'Content-Type': 'application/json',
      'X-Signature': signatureOf(outgoing),
      'X-Idempotency-Key': outgoing.deliveryId,
    },
    body: outgoing.sentBody,
  });
  await response.body?.cancel();
  return response.status;
}
