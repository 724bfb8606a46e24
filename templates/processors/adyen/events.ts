/**
 * Adyen's standard webhooks as events: at `/processor-events/adyen`, in place of the receiver on a port of its
 * own. Every item is kept first, because the processor is read from them.
 *
 * Adyen signs no moment and repeats a webhook for days, so an old one cannot be told by its signature: a
 * repeat is known by its reference, event and outcome, and moves nothing.
 * https://docs.adyen.com/development-resources/webhooks/verify-hmac-signatures
 */
import type { EventVerdict, ProcessorEvent, ProcessorEventKind, ProcessorEvents } from 'forestall';
import type { EventWords, JsonObject } from 'forestall/adapter';
import { kindOf, textAt, utcAt } from 'forestall/adapter';
import type { AdyenReceiverOptions } from './receiver.ts';
import { checkReceiverOptions, itemsOf, itemsToStore, mayBeOurs } from './receiver.ts';
import { amountOf } from './words.ts';

/** https://docs.adyen.com/development-resources/webhooks/webhook-types */
export const ADYEN_EVENTS: EventWords = {
  NOTIFICATION_OF_FRAUD: 'fraud_warning',
  NOTIFICATION_OF_CHARGEBACK: 'dispute_opened',
  CHARGEBACK: 'dispute_opened',
  SECOND_CHARGEBACK: 'dispute_opened',
  PREARBITRATION_OPEN: 'dispute_opened',
  CHARGEBACK_REVERSED: 'dispute_closed',
  ISSUER_RESPONSE_TIMEFRAME_EXPIRED: 'dispute_closed',
  PREARBITRATION_WON: 'dispute_closed',
  PREARBITRATION_LOST: 'dispute_closed',
  REFUND: 'refund_updated',
  CANCEL_OR_REFUND: 'refund_updated',
  VOID_PENDING_REFUND: 'refund_updated',
  REFUND_FAILED: 'refund_failed',
  REFUNDED_REVERSED: 'refund_failed',
  CAPTURE: 'captured',
  CAPTURE_FAILED: 'captured',
  EXPIRE: 'authorisation_expiring',
};

/** @throws when a key or password is missing or no key: such an endpoint would accept forgeries */
export function createAdyenEvents(options: AdyenReceiverOptions): ProcessorEvents {
  checkReceiverOptions(options);
  return {
    name: 'adyen',
    admits: ({ authorization = '' }) => mayBeOurs(authorization, options.basic),
    verify(raw): EventVerdict {
      const items = itemsOf(Buffer.from(raw), options);
      return { kind: typeof items === 'number' ? 'forged' : 'genuine' };
    },
    read: (raw) => itemsToStore(Buffer.from(raw)).flatMap(readItem),
    keep: (raw) => options.store(itemsToStore(Buffer.from(raw))),
  };
}

function readItem(item: JsonObject): ProcessorEvent[] {
  const word = textAt(item, 'eventCode');
  const kind = kindOf(ADYEN_EVENTS, word);
  const reference = textAt(item, 'pspReference');
  const payment = textAt(item, 'originalReference') ?? reference;
  if (kind === undefined || reference === null || payment === null) return [];
  const amount = amountOf(item);
  return [
    {
      // Adyen's own rule for repeats: the same event code, reference and outcome.
      id: `${reference}:${word}:${String(item['success'])}`,
      kind: failedOr(kind, item),
      chargeReferences: [payment],
      refundReference: kind.startsWith('refund') ? reference : null,
      disputeReference: kind.startsWith('dispute') ? reference : null,
      amountMinor: amount?.amountMinor ?? null,
      currency: amount?.currency ?? null,
      occurredAt: utcAt(item, 'eventDate'),
    },
  ];
}

function failedOr(kind: ProcessorEventKind, item: JsonObject): ProcessorEventKind {
  const hasFailed = kind === 'refund_updated' && String(item['success']) !== 'true';
  return hasFailed ? 'refund_failed' : kind;
}
