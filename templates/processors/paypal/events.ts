/**
 * PayPal's webhooks, at `/processor-events/paypal`: disputes, refunds, captures. It has no early fraud warnings, and
 * tells of no refund that failed: those are found by asking.
 *
 * Each is verified here, with PayPal's certificate, and no question to its API: anybody can send garbage to a
 * public address. The certificate is fetched from PayPal's own host only, and kept.
 * https://developer.paypal.com/api/rest/webhooks/rest/#link-selfverificationmethod
 */
import { createVerify, X509Certificate } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { EventHeaders, EventVerdict, ProcessorEvent, ProcessorEvents } from 'forestall';
import type { EventWords } from 'forestall/adapter';
import {
  fromDecimal,
  isObject,
  jsonOf,
  kindOf,
  objectsAt,
  textAt,
  utcAt,
  valueAt,
} from 'forestall/adapter';

/** https://developer.paypal.com/api/rest/webhooks/event-names/ */
export const PAYPAL_EVENTS: EventWords = {
  'CUSTOMER.DISPUTE.CREATED': 'dispute_opened',
  'CUSTOMER.DISPUTE.UPDATED': 'dispute_opened',
  'CUSTOMER.DISPUTE.RESOLVED': 'dispute_closed',
  'PAYMENT.CAPTURE.REFUNDED': 'refund_updated',
  'PAYMENT.CAPTURE.REVERSED': 'refund_updated',
  'PAYMENT.CAPTURE.COMPLETED': 'captured',
  'PAYMENT.AUTHORIZATION.VOIDED': 'authorisation_expiring',
};

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

/** A clock that differs by more is wrong, and so is a transmission from its future. */
const SKEW_MS = 300_000;

/** PayPal has a few at a time. Whoever names others must not make us fetch or keep without end. */
const CERTIFICATES_MAX = 8;

const PATH = /^\/v1\/notifications\/certs\/CERT-[\w-]{1,120}$/;

const SIGNED = [
  'paypal-transmission-id',
  'paypal-transmission-time',
  'paypal-transmission-sig',
  'paypal-cert-url',
] as const;

export function createPayPalEvents(options: PayPalEventOptions): ProcessorEvents {
  const { webhookId, toleranceHours = 73, fetchCertificate = fetchPem } = options;
  if (webhookId === '') throw new Error('PayPal signs the id of the webhook. Set it.');
  const host = options.sandbox === true ? 'api.sandbox.paypal.com' : 'api.paypal.com';
  const certificateAt = keepCertificates(fetchCertificate);
  return {
    name: 'paypal',
    admits: (headers) =>
      SIGNED.every((name) => (headers[name] ?? '') !== '') &&
      headers['paypal-auth-algo'] === 'SHA256withRSA' &&
      isOwnAddress(headers['paypal-cert-url'] ?? '', host),
    async verify(raw, headers, nowMs): Promise<EventVerdict> {
      const sentMs = Date.parse(headers['paypal-transmission-time'] ?? '');
      const certificate = await certificateAt(headers['paypal-cert-url'] ?? '', nowMs);
      if (typeof certificate === 'string') return { kind: 'unavailable', reason: certificate };
      if (!isSigned(raw, headers, { webhookId, certificate })) return { kind: 'forged' };
      const isFresh = nowMs - sentMs >= -SKEW_MS && nowMs - sentMs <= toleranceHours * HOUR_MS;
      const isValid =
        Date.parse(certificate.validFrom) <= nowMs && nowMs <= Date.parse(certificate.validTo);
      if (!isValid) return { kind: 'forged' };
      return { kind: isFresh ? 'genuine' : 'stale' };
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

type CertificateAt = (url: string, nowMs: number) => Promise<X509Certificate | string>;

/** At most so many fetches in a minute, whatever addresses strangers name. */
const FETCHES_PER_MINUTE_MAX = 6;

function keepCertificates(fetchCertificate: (url: string) => Promise<string>): CertificateAt {
  const kept = new Map<string, X509Certificate>();
  let minute = Number.NaN;
  let fetches = 0;
  return async (url, nowMs) => {
    const known = kept.get(url);
    if (known !== undefined) return known;
    const now = Math.floor(nowMs / 60_000);
    fetches = now === minute ? fetches + 1 : 1;
    minute = now;
    if (fetches > FETCHES_PER_MINUTE_MAX) return 'too many certificates are named';
    try {
      const certificate = new X509Certificate(await fetchCertificate(url));
      if (kept.size >= CERTIFICATES_MAX) kept.clear();
      kept.set(url, certificate);
      return certificate;
    } catch {
      return 'the certificate could not be had';
    }
  };
}

async function fetchPem(url: string): Promise<string> {
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(3_000) });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return await response.text();
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
  const money = valueAt(resource, isDispute ? 'dispute_amount' : 'amount');
  const currency = textAt(money, 'currency_code');
  return [
    {
      id,
      kind,
      chargeReferences: isDispute ? disputedCaptures(resource) : [captureOf(resource, isRefund)],
      refundReference: isRefund ? textAt(resource, 'id') : null,
      disputeReference: isDispute ? textAt(resource, 'dispute_id') : null,
      amountMinor: currency === null ? null : fromDecimal(textAt(money, 'value'), currency),
      currency,
      occurredAt: utcAt(event, 'create_time'),
    },
  ];
}

/** A dispute may be about several; those beyond a handful are found by the books. */
function disputedCaptures(resource: unknown): string[] {
  return objectsAt(resource, 'disputed_transactions')
    .map((one) => textAt(one, 'seller_transaction_id'))
    .filter((each) => each !== null)
    .slice(0, 5);
}

/** A refund names its capture by a link only. @throws when none is named */
function captureOf(resource: unknown, isRefund: boolean): string {
  const up = objectsAt(resource, 'links').find(({ rel }) => rel === 'up');
  const linked = /\/captures\/([A-Z0-9]+)$/.exec(textAt(up, 'href') ?? '')?.[1] ?? null;
  const reference = (isRefund ? linked : null) ?? textAt(resource, 'id');
  if (reference === null) throw new Error('The event names no capture.');
  return reference;
}
