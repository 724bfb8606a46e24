/**
 * Adyen's standard webhooks as events: at `/processor-events/adyen`, or on a port of their own. Each item's HMAC is
 * verified, and every item is kept first, known event or not: the processor is read from them, and Adyen holds back
 * everything after a webhook that is not accepted.
 *
 * The HMAC covers eight fields only; that the rest is Adyen's too is up to TLS and the user name and password that you
 * set for the webhook. Adyen signs no moment and repeats a webhook for days, so an old one cannot be told by its
 * signature: a repeat is known by its reference, event and outcome, and moves nothing.
 * https://docs.adyen.com/development-resources/webhooks/verify-hmac-signatures
 */
import type { EventVerdict, ProcessorEvent, ProcessorEvents } from 'forestall';
import type { EventWords, JsonObject } from 'forestall/adapter';
import {
  isHmacOf,
  isObject,
  isSame,
  jsonOf,
  kindOf,
  objectsAt,
  textAt,
  utcAt,
  valueAt,
  wordsOf,
} from 'forestall/adapter';
import { amountOf } from './words.ts';

/** https://docs.adyen.com/development-resources/webhooks/webhook-types */
export const ADYEN_EVENTS: EventWords = wordsOf({
  fraud_warning: 'NOTIFICATION_OF_FRAUD',
  dispute_opened: 'NOTIFICATION_OF_CHARGEBACK CHARGEBACK SECOND_CHARGEBACK PREARBITRATION_OPEN',
  dispute_closed: `CHARGEBACK_REVERSED ISSUER_RESPONSE_TIMEFRAME_EXPIRED PREARBITRATION_WON
    PREARBITRATION_LOST`,
  refund_updated: 'REFUND CANCEL_OR_REFUND VOID_PENDING_REFUND',
  refund_failed: 'REFUND_FAILED REFUNDED_REVERSED',
  captured: 'CAPTURE CAPTURE_FAILED',
  authorisation_expiring: 'EXPIRE',
});

export interface AdyenEventOptions {
  /** HMAC keys of the webhook, in hexadecimal: the new one and, while it is exchanged, the old one. */
  readonly hmacKeys: readonly string[];
  /** As the webhook's basic authentication is set in the Customer Area. */
  readonly basic: { readonly user: string; readonly password: string };
  /** Which of Adyen's environments these webhooks are of. The other's are refused. */
  readonly mode: 'test' | 'live';
  readonly merchantAccount: string;
  /** Resolves once all are stored; throws when they are not. */
  readonly store: (items: readonly JsonObject[]) => Promise<void>;
}

/** @throws when a key or password is missing or no key: such an endpoint would accept forgeries */
export function createAdyenEvents(options: AdyenEventOptions): ProcessorEvents {
  const { hmacKeys, basic } = options;
  if (hmacKeys.length === 0 || !hmacKeys.every((key) => /^[0-9a-f]{64}$/i.test(key))) {
    throw new Error('An HMAC key of Adyen has 64 hexadecimal digits. Copy it from the webhook.');
  }
  if (basic.user === '' || basic.password === '') {
    throw new Error(
      'Set a user name and a password for the webhook, in the Customer Area and here.',
    );
  }
  const expected = `Basic ${Buffer.from(`${basic.user}:${basic.password}`).toString('base64')}`;
  return {
    name: 'adyen',
    admits: ({ authorization = '' }) => isSame(authorization, expected),
    verify: (raw): EventVerdict => ({ kind: isGenuine(raw, options) ? 'genuine' : 'forged' }),
    read: (raw) => itemsOf(jsonOf(raw)).filter(isObject).flatMap(readItem),
    keep: (raw) => options.store(itemsOf(jsonOf(raw)).filter(isObject)),
  };
}

function itemsOf(body: unknown): unknown[] {
  return objectsAt(body, 'notificationItems').map((one) => one['NotificationRequestItem']);
}

/** Whether each item is signed, and all of it is of this environment and account. */
function isGenuine(raw: Uint8Array, options: AdyenEventOptions): boolean {
  let body: unknown;
  try {
    body = jsonOf(raw);
  } catch {
    return false;
  }
  const isLive = String(valueAt(body, 'live')) === 'true';
  const items = itemsOf(body);
  const isOurs = (item: unknown): boolean =>
    isObject(item) &&
    isSigned(item, options.hmacKeys) &&
    item['merchantAccountCode'] === options.merchantAccount;
  return items.length > 0 && items.every(isOurs) && isLive === (options.mode === 'live');
}

const SIGNED: readonly (readonly string[])[] = [
  ['pspReference'],
  ['originalReference'],
  ['merchantAccountCode'],
  ['merchantReference'],
  ['amount', 'value'],
  ['amount', 'currency'],
  ['eventCode'],
  ['success'],
];

/** Whether one of the keys has signed the item's eight fields, in Adyen's order; what is missing is empty. */
export function isSigned(item: JsonObject, hmacKeys: readonly string[]): boolean {
  const signature = textAt(item, 'additionalData', 'hmacSignature');
  const text = SIGNED.map((path) => String(valueAt(item, ...path) ?? '')).join(':');
  const keys = hmacKeys.map((key) => Buffer.from(key, 'hex'));
  return signature !== null && isHmacOf([signature], { keys, parts: [text], encoding: 'base64' });
}

function readItem(item: JsonObject): ProcessorEvent[] {
  const word = textAt(item, 'eventCode');
  const kind = kindOf(ADYEN_EVENTS, word);
  const reference = textAt(item, 'pspReference');
  const payment = textAt(item, 'originalReference') ?? reference;
  if (kind === undefined || reference === null || payment === null) return [];
  const amount = amountOf(item);
  const hasFailed = kind === 'refund_updated' && String(item['success']) !== 'true';
  return [
    {
      // Adyen's own rule for repeats: the same event code, reference and outcome.
      id: `${reference}:${word}:${String(item['success'])}`,
      kind: hasFailed ? 'refund_failed' : kind,
      chargeReferences: [payment],
      refundReference: kind.startsWith('refund') ? reference : null,
      disputeReference: kind.startsWith('dispute') ? reference : null,
      amountMinor: amount?.amountMinor ?? null,
      currency: amount?.currency ?? null,
      occurredAt: utcAt(item, 'eventDate'),
    },
  ];
}
