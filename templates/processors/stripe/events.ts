/**
 * Stripe's webhooks as events of Forestall.
 *
 * The signature is verified by hand: the SDK's `constructEvent` accepts moments of the future, so that a delivery could
 * be kept and shown later, and says of an old one only that it is wrong. Stripe signs every attempt anew.
 * https://docs.stripe.com/webhooks#verify-manually
 */
import type { EventVerdict, ProcessorEvent, ProcessorEvents } from 'forestall';
import type { EventWords } from 'forestall/adapter';
import { isHmacOf, isoOfSeconds, jsonOf, kindOf, verdictOfAge, wordsOf } from 'forestall/adapter';
import type Stripe from 'stripe';
import { minorOf } from '../../shared/stripe-amounts.ts';
import { idOf } from './charge.ts';

/** https://docs.stripe.com/api/events/types */
export const STRIPE_EVENTS: EventWords = wordsOf({
  fraud_warning: 'radar.early_fraud_warning.created radar.early_fraud_warning.updated',
  dispute_opened: 'charge.dispute.created charge.dispute.funds_withdrawn',
  dispute_closed: 'charge.dispute.closed charge.dispute.funds_reinstated',
  refund_updated: 'charge.refunded refund.created refund.updated charge.refund.updated',
  refund_failed: 'refund.failed',
  captured: 'charge.captured',
  authorisation_expiring: 'charge.expired',
});

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
      const isGenuine = isHmacOf(given, { keys: signingSecrets, parts: [`${signedAt}.`, raw] });
      if (!isGenuine) return { kind: 'forged' };
      const ageSeconds = Math.floor(nowMs / 1_000) - Number(signedAt);
      return verdictOfAge(ageSeconds * 1_000, toleranceSeconds * 1_000);
    },
    read: (raw) => readStripe(jsonOf<Told>(raw), account),
  };
}

type Told = Omit<Stripe.Event, 'data'> & {
  readonly data?: {
    readonly object?:
      | Stripe.Charge
      | Stripe.Refund
      | Stripe.Dispute
      | Stripe.Radar.EarlyFraudWarning;
  };
};

/** @throws when it is no event of Stripe */
function readStripe(event: Told, account: string | undefined): readonly ProcessorEvent[] {
  const object = event?.data?.object;
  if (typeof event?.id !== 'string' || typeof object !== 'object' || object === null) {
    throw new Error('This is no event of Stripe.');
  }
  const kind = kindOf(STRIPE_EVENTS, event.type);
  if (kind === undefined || (account !== undefined && event.account !== account)) return [];
  const isRefund = object.object === 'refund';
  const charge = object.object === 'charge' ? object.id : idOf(object.charge);
  const references = [charge, idOf(object.payment_intent)].filter((each) => each !== null);
  const currency = 'currency' in object ? object.currency.toUpperCase() : null;
  const amount = 'amount_captured' in object ? object.amount_captured : amountIn(object);
  return [
    {
      id: event.id,
      kind: isRefund && object.status === 'failed' ? 'refund_failed' : kind,
      // Orders may carry the charge or its intent.
      chargeReferences: references,
      refundReference: isRefund ? object.id : null,
      disputeReference: object.object === 'dispute' ? object.id : null,
      amountMinor: currency === null ? null : minorOf(amount, currency),
      currency,
      occurredAt: isoOfSeconds(event.created),
    },
  ];
}

function amountIn(object: object): number | null {
  return 'amount' in object && typeof object.amount === 'number' ? object.amount : null;
}
