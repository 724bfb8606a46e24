/** The HTTP request of one webhook attempt, and how a planted fault bends it. */
import { Buffer } from 'node:buffer';
import type { PlantedFault } from '../faults.ts';
import type { SandboxContext } from '../sandbox-context.ts';
import { signatureNowMs } from '../sandbox-context.ts';
import type { Subscription } from '../state/accounts.ts';
import type { DeliveryRecord, EventRecord } from '../state/deliveries.ts';
import { signatureHeader } from './signer.ts';

/** What is sent. The signature is computed last, over `signedBody`, so that faults can part them. */
export interface Outgoing {
  readonly url: string;
  readonly deliveryId: string;
  readonly secret: string;
  readonly signedAtSeconds: number;
  readonly signedBody: string | Buffer;
  readonly sentBody: string | Buffer;
}

/** An hour is well outside every sensible tolerance. */
const STALE_SECONDS_DEFAULT = 3600;

/** The attempt as it should be. */
export function prepare(
  context: SandboxContext,
  job: {
    readonly delivery: DeliveryRecord;
    readonly event: EventRecord;
    readonly subscription: Subscription;
  },
): Outgoing {
  const { delivery, event, subscription } = job;
  const nowSeconds = Math.floor(signatureNowMs(context) / 1000);
  delivery.first_signed_at_seconds ??= nowSeconds;
  const stampsFirst = context.settings.retryTimestamps === 'first';
  return {
    url: subscription.url ?? '',
    deliveryId: delivery.id,
    secret: subscription.secret,
    signedAtSeconds: stampsFirst ? delivery.first_signed_at_seconds : nowSeconds,
    signedBody: event.body,
    sentBody: event.body,
  };
}

/** The attempt as the fault makes it. */
export function bend(outgoing: Outgoing, fault: PlantedFault | undefined): Outgoing {
  switch (fault?.kind) {
    case 'wrong_secret':
      return { ...outgoing, secret: `${outgoing.secret}-of-somebody-else` };
    case 'stale_timestamp': {
      const ageSeconds = fault.age_seconds ?? STALE_SECONDS_DEFAULT;
      return { ...outgoing, signedAtSeconds: outgoing.signedAtSeconds - ageSeconds };
    }
    case 'tampered':
      return { ...outgoing, sentBody: flipLastLetter(outgoing.sentBody) };
    case 'malformed':
      return withBody(outgoing, '<html>not an event</html>');
    case 'truncated': {
      const bytes = Buffer.from(outgoing.sentBody);
      return withBody(outgoing, bytes.subarray(0, Math.ceil(bytes.length / 2)));
    }
    default:
      return outgoing;
  }
}

/** The value of `X-Signature`. */
export function signatureOf(outgoing: Outgoing): string {
  return signatureHeader(outgoing.secret, outgoing.signedAtSeconds, outgoing.signedBody);
}

function withBody(outgoing: Outgoing, body: string | Buffer): Outgoing {
  return { ...outgoing, signedBody: body, sentBody: body };
}

/** Still JSON of the same length, but not what was signed: the digit or letter before the end. */
function flipLastLetter(body: string | Buffer): string {
  return body.toString().replace(/[0-9a-z](?=[^0-9a-z]*$)/i, (last) => (last === '0' ? '1' : '0'));
}
