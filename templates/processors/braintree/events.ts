/**
 * Braintree's webhooks, at `/processor-events/braintree`: disputes, and refunds that failed. It has no early fraud
 * warnings of its own, and tells of no capture.
 *
 * Braintree gives its notifications no id: a repeat is the same bytes. It repeats one for 24 hours with the
 * moment of the first attempt, so that older ones are refused.
 * https://developer.paypal.com/braintree/docs/guides/webhooks/parse
 */
import { createHash } from 'node:crypto';
import type { EventVerdict, ProcessorEvent, ProcessorEvents } from 'forestall';
import type { EventWords } from 'forestall/adapter';
import { fromDecimal, isHmacOf, kindOf, verdictOfAge, wordsOf } from 'forestall/adapter';

/** https://developer.paypal.com/braintree/docs/reference/general/webhooks */
export const BRAINTREE_EVENTS: EventWords = wordsOf({
  dispute_opened: 'dispute_opened dispute_under_review',
  dispute_closed: `dispute_lost dispute_won dispute_accepted dispute_auto_accepted dispute_expired`,
  refund_failed: 'refund_failed',
  captured: 'transaction_settled transaction_settlement_declined',
});

export interface BraintreeEventOptions {
  readonly publicKey: string;
  readonly privateKey: string;
  /** How old a notification may be, in hours. @default 25 */
  readonly toleranceHours?: number;
}

const HOUR_MS = 3_600_000;

export function createBraintreeEvents(options: BraintreeEventOptions): ProcessorEvents {
  const { publicKey, privateKey, toleranceHours = 25 } = options;
  if (publicKey === '' || privateKey === '') {
    throw new Error('Webhooks of Braintree are signed with the keys of its API. Set both.');
  }
  return {
    name: 'braintree',
    // The signature is in the body; the form is all that shows before it.
    admits: (headers) =>
      /^application\/x-www-form-urlencoded\b/.test(headers['content-type'] ?? ''),
    verify(raw, _headers, nowMs): EventVerdict {
      const { signature, payload } = partsOf(raw);
      const given = signatureOf(signature, publicKey);
      if (given === undefined || /[^A-Za-z0-9+=/\n]/.test(payload)) return { kind: 'forged' };
      const keys = [createHash('sha1').update(privateKey).digest()];
      const isSigned = [payload, `${payload}\n`]
        .map((text) => isHmacOf([given], { keys, parts: [text], algorithm: 'sha1' }))
        .includes(true);
      if (!isSigned) return { kind: 'forged' };
      const ageMs = nowMs - Date.parse(elementOf(xmlOf(payload), 'timestamp') ?? '');
      return verdictOfAge(ageMs, toleranceHours * HOUR_MS);
    },
    read: (raw) => readBraintree(partsOf(raw).payload),
  };
}

function partsOf(raw: Uint8Array): { readonly signature: string; readonly payload: string } {
  const form = new URLSearchParams(Buffer.from(raw).toString('utf8'));
  return { signature: form.get('bt_signature') ?? '', payload: form.get('bt_payload') ?? '' };
}

/** `<public key>|<digest>&…`: the digest of our key. */
function signatureOf(signature: string, publicKey: string): string | undefined {
  const pairs = signature.split('&').map((pair) => pair.split('|'));
  return pairs.find(([key]) => key === publicKey)?.[1];
}

function xmlOf(payload: string): string {
  return Buffer.from(payload, 'base64').toString('utf8');
}

/** @throws when it is no notification */
function readBraintree(payload: string): readonly ProcessorEvent[] {
  const xml = xmlOf(payload);
  const word = elementOf(xml, 'kind');
  if (word === null) throw new Error('This is no notification of Braintree.');
  const kind = kindOf(BRAINTREE_EVENTS, word);
  if (kind === undefined) return [];
  const id = `sha256:${createHash('sha256').update(payload).digest('hex')}`;
  const subject = elementOf(xml, 'subject') ?? '';
  const dispute = elementOf(subject, 'dispute');
  const transaction = elementOf(dispute ?? subject, 'transaction') ?? '';
  const own = elementOf(transaction, 'id');
  const refunded = elementOf(transaction, 'refunded-transaction-id');
  const money = dispute ?? transaction;
  const currency = elementOf(money, 'currency-iso-code');
  const amount = elementOf(money, 'amount') ?? elementOf(money, 'amount-disputed');
  return [
    {
      id: id.replace('sha256:', 'bt_'),
      kind,
      chargeReferences: idsOf(kind === 'refund_failed' ? refunded : own),
      refundReference: kind === 'refund_failed' ? own : null,
      disputeReference: dispute === null ? null : elementOf(beforeNested(dispute), 'id'),
      amountMinor: currency === null ? null : fromDecimal(amount, currency),
      currency,
      occurredAt: isoOf(elementOf(xml, 'timestamp')),
    },
  ];
}

/** Orders may carry the short id or the one of GraphQL. */
function idsOf(id: string | null): string[] {
  if (id === null) return [];
  return [id, Buffer.from(`transaction_${id}`).toString('base64')];
}

function isoOf(text: string | null): string | null {
  const ms = Date.parse(text ?? '');
  return Number.isFinite(ms) ? new Date(ms).toISOString() : null;
}

/** A dispute's own id, not that of the transaction inside it. */
function beforeNested(dispute: string): string {
  return dispute.replace(/<transaction\b[\s\S]*?<\/transaction>/g, '');
}

/** The first element of this name: what Braintree sends is flat, and what it signs is its own. */
function elementOf(xml: string, name: string): string | null {
  const match = new RegExp(`<${name}(?:\\s[^>]*)?>([\\s\\S]*?)</${name}>`).exec(xml);
  const text = match?.[1]?.trim() ?? '';
  return text === '' ? null : text;
}
