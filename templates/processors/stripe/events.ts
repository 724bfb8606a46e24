/**
 * Stripe's webhooks: early fraud warnings, disputes, refunds, captures.
 *
 * Make an endpoint for the types of {@link STRIPE_EVENTS} in the Dashboard, at `/processor-events/stripe`.
 * Stripe signs each attempt again, so that an old signature is a repeated delivery and refused.
 * https://docs.stripe.com/webhooks#verify-manually
 */
import { createHmac } from 'node:crypto';
import type { EventVerdict, ProcessorEvent, ProcessorEvents } from 'forestall';
import { integerAt, isObject, textAt, valueAt } from '../../shared/json.ts';
import { minorOf } from '../../shared/stripe-amounts.ts';
import type { EventWords } from '../shared/webhook.ts';
import { isoOfSeconds, isSame, jsonOf, kindOf } from '../shared/webhook.ts';

/** https://docs.stripe.com/api/events/types */
export const STRIPE_EVENTS: EventWords = {
  'radar.early_fraud_warning.created': 'fraud_warning',
  'radar.early_fraud_warning.updated': 'fraud_warning',
  'charge.dispute.created': 'dispute_opened',
  'charge.dispute.funds_withdrawn': 'dispute_opened',
  'charge.dispute.closed': 'dispute_closed',
  'charge.dispute.funds_reinstated': 'dispute_closed',
  'charge.refunded': 'refund_updated',
  'refund.created': 'refund_updated',
  'refund.updated': 'refund_updated',
  'charge.refund.updated': 'refund_updated',
  'refund.failed': 'refund_failed',
  'charge.captured': 'captured',
  'charge.expired': 'authorisation_expiring',
};

export interface StripeEventOptions {
  /** `whsec_…` of the endpoint, whole: the new one and, while it is exchanged, the old one. */
  readonly signingSecrets: readonly string[];
  /** A connected account `acct_…` to act for; other accounts' events say nothing then. */
  readonly account?: string;
  /** How old a signature may be, in seconds. @default 300 */
  readonly toleranceSeconds?: number;
}

/** One or more schemes; only v1 counts. */
const HEADER = /^t=([1-9]\d{0,11})((?:,v\d=[0-9a-f]{64}){1,10})$/;

/** @throws when a secret is missing: such an endpoint would accept forgeries */
export function createStripeEvents(options: StripeEventOptions): ProcessorEvents {
  const { signingSecrets, account, toleranceSeconds = 300 } = options;
  if (signingSecrets.length === 0 || signingSecrets.some((secret) => secret.length < 16)) {
    throw new Error('A signing secret of Stripe begins with whsec_. Copy it from the endpoint.');
  }
  return {
    name: 'stripe',
    admits: (headers) => HEADER.test(headers['stripe-signature'] ?? ''),
    verify(raw, headers, nowMs): EventVerdict {
      const [, signedAt = '', schemes = ''] = HEADER.exec(headers['stripe-signature'] ?? '') ?? [];
      const given = [...schemes.matchAll(/,v1=([0-9a-f]{64})/g)].map(([, digest = '']) => digest);
      // Every secret meets every digest, whether or not one has matched.
      const matches = signingSecrets.flatMap((secret) => {
        const expected = createHmac('sha256', secret)
          .update(`${signedAt}.`)
          .update(raw)
          .digest('hex');
        return given.map((digest) => isSame(digest, expected));
      });
      if (!matches.includes(true)) return { kind: 'forged' };
      const ageSeconds = Math.floor(nowMs / 1_000) - Number(signedAt);
      return { kind: Math.abs(ageSeconds) > toleranceSeconds ? 'stale' : 'genuine' };
    },
    read: (raw) => readStripe(jsonOf(raw), account),
  };
}

/** @throws when it is no event of Stripe */
function readStripe(event: unknown, account: string | undefined): readonly ProcessorEvent[] {
  const id = textAt(event, 'id');
  const object = valueAt(event, 'data', 'object');
  if (id === null || !isObject(object)) throw new Error('This is no event of Stripe.');
  const kind = kindOf(STRIPE_EVENTS, textAt(event, 'type'));
  const isForeign = account !== undefined && textAt(event, 'account') !== account;
  if (kind === undefined || isForeign) return [];
  const type = textAt(object, 'object');
  const currency = textAt(object, 'currency')?.toUpperCase() ?? null;
  const amount = integerAt(object, type === 'charge' ? 'amount_captured' : 'amount');
  const hasFailed = type === 'refund' && textAt(object, 'status') === 'failed';
  return [
    {
      id,
      kind: hasFailed ? 'refund_failed' : kind,
      chargeReferences: referencesOf(object, type),
      refundReference: type === 'refund' ? textAt(object, 'id') : null,
      disputeReference: type === 'dispute' ? textAt(object, 'id') : null,
      amountMinor: currency === null ? null : minorOf(amount, currency),
      currency,
      occurredAt: isoOfSeconds(integerAt(event, 'created')),
    },
  ];
}

/** Orders may carry the charge or its intent. Either may be expanded into the object. */
function referencesOf(object: unknown, type: string | null): string[] {
  const charge = type === 'charge' ? textAt(object, 'id') : idAt(object, 'charge');
  return [charge, idAt(object, 'payment_intent')].filter((each) => each !== null);
}

function idAt(object: unknown, name: string): string | null {
  return textAt(object, name) ?? textAt(object, name, 'id');
}
