/**
 * The webhook endpoint: `POST /webhooks` and `POST /webhooks/{subscription}`.
 *
 * Raw bytes, signature verdict, inbox, answer; in that order and nothing else. Nothing derived from
 * the body exists before the verdict. 200 means the event is committed; whatever is signed gets a
 * 200, usable or not, because a repeat would not mend it and refusals can have the endpoint disabled.
 */
import { createHash } from 'node:crypto';
import type { Request, Response, Router } from 'express';
import express from 'express';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import { RECEIVED, RECEIVED_AGAIN, REFUSAL_ANSWERS, send } from './answers.ts';
import type { ReceiveCounters, RefusedReason } from './counters.ts';
import { alertIdOf } from './delivery.ts';
import type { Inbox } from './inbox.ts';
import { readRawBody } from './raw-body.ts';
import { createRefusalLog } from './refusal-log.ts';
import type { Verdict, Verifier } from './signature.ts';
import { signatureHeaders } from './signature.ts';
import { createStaleNotes } from './stale-notes.ts';

/** Options of {@link createReceiver}. */
export interface ReceiverOptions {
  readonly inbox: Inbox;
  /** The verifier of a subscription; the one without a name is `''`. Undefined: unknown. */
  readonly verifiers:
    | ReadonlyMap<string, Verifier>
    | ((subscription: string) => Verifier | undefined);
  readonly clock: Clock;
  readonly log: Log;
  readonly counters: ReceiveCounters;
}

type RefusedVerdict = Extract<Verdict, { readonly ok: false }>;

/** Longest `X-Idempotency-Key` kept, in characters. */
const DELIVERY_ID_LENGTH_MAX = 200;

/** Makes the router. Mount it before any body parser. */
export function createReceiver(options: ReceiverOptions): Router {
  const { inbox, verifiers, clock, log, counters } = options;
  const findVerifier =
    typeof verifiers === 'function'
      ? verifiers
      : (name: string): Verifier | undefined => verifiers.get(name);
  const logRefusal = createRefusalLog(log, clock);
  const noteStale = createStaleNotes({ inbox, clock, log });

  const refuse = (
    response: Response,
    reason: RefusedReason,
    facts: Readonly<Record<string, unknown>> = {},
  ): void => {
    counters.countRefused(reason);
    logRefusal(reason, facts);
    send(response, REFUSAL_ANSWERS[reason]);
  };

  const refuseSignature = async (
    exchange: { readonly request: Request; readonly response: Response; readonly body: Buffer },
    verdict: RefusedVerdict,
  ): Promise<void> => {
    const { request, response, body } = exchange;
    if (verdict.authentic) {
      const { ageSeconds, secretId } = verdict;
      await noteStale({ alertId: alertIdOf(body), ageSeconds });
      refuse(response, verdict.reason, { ageSeconds, secretId });
      return;
    }
    refuse(response, verdict.reason, describeUnread(request, body));
  };

  const receive = async (request: Request, response: Response): Promise<void> => {
    const subscription = subscriptionOf(request);
    const verifier = findVerifier(subscription);
    if (verifier === undefined) return refuse(response, 'unknown_subscription');
    const read = await readRawBody(request);
    if (!read.ok) return refuse(response, read.reason);
    const { body } = read;
    const verdict = verifier.verify(signatureHeaders(request.rawHeaders), body);
    if (!verdict.ok) return await refuseSignature({ request, response, body }, verdict);
    const { secretId, signedAtSeconds } = verdict;
    try {
      const deliveryId = deliveryIdOf(request);
      const delivery = { subscription, deliveryId, secretId, signedAtSeconds, body };
      const outcome = await inbox.store(delivery);
      counters.countStored(outcome);
      send(response, outcome.duplicate ? RECEIVED_AGAIN : RECEIVED);
    } catch (error) {
      log.error({ err: error }, 'delivery not stored');
      refuse(response, 'unavailable');
    }
  };

  const router = express.Router();
  for (const path of ['/webhooks', '/webhooks/:subscription']) {
    router.post(path, receive);
    router.all(path, (_request, response) => refuse(response, 'method'));
  }
  return router;
}

/** What may be known of bytes nobody vouches for, to find out what changed them on the way. */
function describeUnread(request: Request, body: Buffer): Record<string, unknown> {
  return {
    bodySha256: createHash('sha256').update(body).digest('hex'),
    bodyBytes: body.length,
    contentEncoding: request.headers['content-encoding'],
    transferEncoding: request.headers['transfer-encoding'],
  };
}

function subscriptionOf(request: Request): string {
  const { subscription } = request.params;
  return typeof subscription === 'string' ? subscription : '';
}

/** Not signed, so never trusted: kept to find a delivery in the service's own records. */
function deliveryIdOf(request: Request): string | null {
  const value = request.headers['x-idempotency-key'];
  return typeof value === 'string' ? value.slice(0, DELIVERY_ID_LENGTH_MAX) : null;
}
