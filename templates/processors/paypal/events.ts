/**
 * PayPal's webhooks, at `/processor-events/paypal`: disputes, refunds, captures. It has no early fraud warnings, and
 * tells of no refund that failed: those are found by asking.
 *
 * Each is verified here, with PayPal's certificate, and no question to its API: anybody can send garbage to a
 * public address. The certificate is fetched from PayPal's own host only, and kept.
 * https://developer.paypal.com/api/rest/webhooks/rest/#link-selfverificationmethod
 */
import type { X509Certificate } from 'node:crypto';
import { createVerify } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { EventHeaders, EventVerdict, ProcessorEvent, ProcessorEvents } from 'forestall';
import type { EventWords, JsonObject } from 'forestall/adapter';
import {
  certificatesBy,
  isObject,
  isValidAt,
  jsonOf,
  kindOf,
  objectsAt,
  textAt,
  utcAt,
  valueAt,
  verdictOfAge,
  wordsOf,
} from 'forestall/adapter';
import { captureOf, moneyOf } from './payment.ts';

/** https://developer.paypal.com/api/rest/webhooks/event-names/ */
export const PAYPAL_EVENTS: EventWords = wordsOf({
  dispute_opened: ['CUSTOMER.DISPUTE.CREATED', 'CUSTOMER.DISPUTE.UPDATED'],
  dispute_closed: ['CUSTOMER.DISPUTE.RESOLVED'],
  refund_updated: ['PAYMENT.CAPTURE.REFUNDED', 'PAYMENT.CAPTURE.REVERSED'],
  captured: ['PAYMENT.CAPTURE.COMPLETED'],
  authorisation_expiring: ['PAYMENT.AUTHORIZATION.VOIDED'],
});

export interface PayPalEventOptions {
  /** The id of the webhook, as the application shows it: a part of what is signed. */
  readonly webhookId: string;
  /** Whether it is a webhook of the sandbox. @default false */
  readonly sandbox?: boolean;
  /** How old a transmission may be, in hours: PayPal repeats one for three days. @default 73 */
  readonly toleranceHours?: number;
  /** Fetches a certificate as PEM. @default over HTTPS from PayPal */
  readonly fetchCertificate?: (url: string) => Promise<string>;
}

const HOUR_MS = 3_600_000;

const PATH = /^\/v1\/notifications\/certs\/CERT-[\w-]{1,120}$/;

const SIGNED = [
  'paypal-transmission-id',
  'paypal-transmission-time',
  'paypal-transmission-sig',
  'paypal-cert-url',
] as const;

export function createPayPalEvents(options: PayPalEventOptions): ProcessorEvents {
  const { webhookId, toleranceHours = 73 } = options;
  if (webhookId === '') throw new Error('PayPal signs the id of the webhook. Set it.');
  const host = options.sandbox === true ? 'api.sandbox.paypal.com' : 'api.paypal.com';
  const certificateAt = certificatesBy(options.fetchCertificate);
  return {
    name: 'paypal',
    admits: (headers) =>
      SIGNED.every((name) => (headers[name] ?? '') !== '') &&
      headers['paypal-auth-algo'] === 'SHA256withRSA' &&
      isOwnAddress(headers['paypal-cert-url'] ?? '', host),
    async verify(raw, headers, nowMs): Promise<EventVerdict> {
      const certificate = await certificateAt(headers['paypal-cert-url'] ?? '', nowMs);
      if (typeof certificate === 'string') return { kind: 'unavailable', reason: certificate };
      const isGenuine = isSigned(raw, headers, { webhookId, certificate });
      if (!isGenuine || !isValidAt(certificate, nowMs)) return { kind: 'forged' };
      const sentMs = Date.parse(headers['paypal-transmission-time'] ?? '');
      return verdictOfAge(nowMs - sentMs, toleranceHours * HOUR_MS);
    },
    read: (raw) => readPayPal(jsonOf(raw)),
  };
}

function isOwnAddress(text: string, host: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.protocol !== 'https:' || url.port !== '' || url.search !== '')
    return false;
  return url.hostname === host && url.username === '' && PATH.test(url.pathname);
}

function isSigned(
  raw: Uint8Array,
  headers: EventHeaders,
  by: { readonly webhookId: string; readonly certificate: X509Certificate },
): boolean {
  const id = headers['paypal-transmission-id'];
  const time = headers['paypal-transmission-time'];
  const signed = `${id}|${time}|${by.webhookId}|${crc32(raw)}`;
  const signature = headers['paypal-transmission-sig'] ?? '';
  const verifier = createVerify('RSA-SHA256').update(signed);
  return verifier.verify(by.certificate.publicKey, Buffer.from(signature, 'base64'));
}

/** @throws when it is no event of PayPal */
function readPayPal(event: unknown): readonly ProcessorEvent[] {
  const id = textAt(event, 'id');
  const resource = valueAt(event, 'resource');
  if (id === null || !isObject(resource)) throw new Error('This is no event of PayPal.');
  const kind = kindOf(PAYPAL_EVENTS, textAt(event, 'event_type'));
  if (kind === undefined) return [];
  const isDispute = kind.startsWith('dispute');
  const isRefund = kind.startsWith('refund');
  return [
    {
      id,
      kind,
      chargeReferences: isDispute ? disputedCaptures(resource) : [paymentOf(resource, isRefund)],
      refundReference: isRefund ? textAt(resource, 'id') : null,
      disputeReference: isDispute ? textAt(resource, 'dispute_id') : null,
      ...moneyOf(resource[isDispute ? 'dispute_amount' : 'amount']),
      occurredAt: utcAt(event, 'create_time'),
    },
  ];
}

/** A dispute may be about several; those beyond a handful are found by the books. */
function disputedCaptures(resource: JsonObject): string[] {
  return objectsAt(resource, 'disputed_transactions')
    .map((one) => textAt(one, 'seller_transaction_id'))
    .filter((each) => each !== null)
    .slice(0, 5);
}

/** The capture or authorization. @throws when none is named */
function paymentOf(resource: JsonObject, isRefund: boolean): string {
  const reference = (isRefund ? captureOf(resource) : null) ?? textAt(resource, 'id');
  if (reference === null) throw new Error('The event names no capture.');
  return reference;
}
