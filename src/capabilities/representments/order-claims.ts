/** Claims about the order: what was bought, by whom, from where, what arrived, and its subscription. Pure. */
import { isIP } from 'node:net';
import { isRecord } from '../../base/kernel/is-record.ts';
import { formatMoney } from '../../base/kernel/money.ts';
import type { KnownOrder } from '../../orders/find-order.ts';
import type { DeliveryPart, ItemPart } from '../../orders/order-body.ts';
import type { Cites, Claim, Sentence } from './claim.ts';
import { hasCome, known, momentWords, tell } from './claim.ts';
import type { PackFacts, SubscriptionPart } from './pack-facts.ts';
import { transactionOf } from './payment-claims.ts';

function citing({ referenceId }: KnownOrder): Cites {
  return [{ table: 'order_record', id: referenceId }];
}

interface OrderClaim<Part> {
  readonly order: KnownOrder;
  readonly part: Part;
  readonly facts: PackFacts;
}

/** The claims about each of these, shown by the order; each sentence once. */
function tellEach<Part>(
  facts: PackFacts,
  claims: readonly Claim<OrderClaim<Part>>[],
  list: (order: KnownOrder) => readonly Part[],
): readonly Sentence[] {
  const { order } = facts;
  if (order === undefined) return [];
  const sentences = list(order).flatMap((part) =>
    tell(claims, { order, part, facts }, citing(order)),
  );
  return [...new Map(sentences.map((each) => [each.text, each])).values()];
}

const once = (order: KnownOrder): readonly KnownOrder[] => [order];

const VERIFICATION: readonly Claim<OrderClaim<string[]>>[] = [
  {
    // The order's own record of this payment says that the checks were passed.
    holds: ({ part }) => part.length > 0,
    says: ({ part }) => `The payment passed ${part.join(' and ')}.`,
  },
];

export function tellVerification(facts: PackFacts): readonly Sentence[] {
  const transaction = transactionOf(facts);
  const checks = [
    ...(transaction?.three_d_secure_verified === true ? ['3-D Secure'] : []),
    ...(transaction?.cvc_verified === true ? ['the card verification code'] : []),
  ];
  return tellEach(facts, VERIFICATION, () => [checks]);
}

const ORDER: readonly Claim<OrderClaim<KnownOrder>>[] = [
  {
    holds: ({ order }) => known(order.orderDatetime) !== null,
    says: ({ order }) => {
      const { totalMinor, currency } = order;
      const sum =
        totalMinor === null || currency === null
          ? ''
          : ` for ${formatMoney({ amountMinor: totalMinor, currency })}`;
      const number = known(order.orderNumber) ?? order.referenceId;
      return `Order ${number} was placed on ${momentWords(order.orderDatetime ?? '')}${sum}.`;
    },
  },
];

export function tellOrder(facts: PackFacts): readonly Sentence[] {
  return tellEach(facts, ORDER, once);
}

const ITEMS: readonly Claim<OrderClaim<ItemPart>>[] = [
  {
    // It has a name, and was not taken out of the order. How many, and for how much, only where the order says so.
    holds: ({ part: { name, quantity } }) => known(name) !== null && quantity !== 0,
    says: ({ part: { name, quantity, price_in_cents: amountMinor }, order: { currency } }) => {
      const count = quantity === undefined ? '' : `${quantity} × `;
      const price =
        amountMinor === undefined || currency === null
          ? ''
          : `, with a price of ${formatMoney({ amountMinor, currency })}`;
      return `It was for ${count}“${name ?? ''}”${price}.`;
    },
  },
];

export function tellItems(facts: PackFacts): readonly Sentence[] {
  return tellEach(facts, ITEMS, ({ items }) => items);
}

/** Names what the order holds; nothing that is missing or was erased. */
function named(entries: readonly (readonly [string, unknown])[]): string[] {
  return entries.flatMap(([words, value]) => {
    const text = known(value);
    return text === null ? [] : [`${words} ${text}`];
  });
}

const CUSTOMER: readonly Claim<OrderClaim<readonly string[]>>[] = [
  {
    holds: ({ part }) => part.length > 0,
    says: ({ part }) => `The customer ordered with ${part.join(' and ')}.`,
  },
];

export function tellCustomer(facts: PackFacts): readonly Sentence[] {
  return tellEach(facts, CUSTOMER, ({ customerEmail, customerAccountId }) => [
    named([
      ['the e-mail address', customerEmail],
      ['the customer account', customerAccountId],
    ]),
  ]);
}

const DEVICE: readonly Claim<OrderClaim<readonly string[]>>[] = [
  {
    holds: ({ part }) => part.length > 0,
    says: ({ part }) => `The order came from ${part.join(', ')}.`,
  },
];

export function tellDevice(facts: PackFacts): readonly Sentence[] {
  return tellEach(facts, DEVICE, ({ body }) => [
    named([
      ['IP address', body.device_ip_address],
      ['device', body.device_id],
      ['device fingerprint', body.device_fingerprint],
    ]),
  ]);
}

interface Address {
  readonly kind: 'billing' | 'delivery';
  readonly words: string;
}

const ADDRESSES: readonly Claim<OrderClaim<Address>>[] = [
  {
    // Of this payment, or of a delivery of this order.
    holds: ({ part }) => part.words !== '',
    says: ({ part }) => `The ${part.kind} address is ${part.words}.`,
  },
];

export function tellAddresses(facts: PackFacts): readonly Sentence[] {
  const billing = addressWords(transactionOf(facts)?.billing_address);
  return tellEach<Address>(facts, ADDRESSES, ({ deliveries }) => [
    { kind: 'billing', words: billing },
    ...deliveries.map((each): Address => {
      return { kind: 'delivery', words: addressWords(each.physical_shipping_address) };
    }),
  ]);
}

function addressWords(address: unknown): string {
  if (!isRecord(address)) return '';
  const fields = ['line_1', 'postal_code', 'city', 'country_subdivision', 'country'];
  return fields.flatMap((field) => known(address[field]) ?? []).join(', ');
}

/** States in which a parcel has arrived. Any other, one that we do not know too, speaks against it. */
const ARRIVED = /^(?:DELIVERED|COMPLETED?|PICKED_UP|COLLECTED)$/i;

const DELIVERY: readonly Claim<OrderClaim<DeliveryPart>>[] = [
  {
    // A parcel with a day of arrival that has come, and no state that says otherwise.
    holds: ({ part, facts: { now } }) =>
      part.type !== 'DIGITAL' &&
      hasCome(part.physical_shipping_datetime_delivered ?? '', now) &&
      (part.physical_shipping_status === undefined || ARRIVED.test(part.physical_shipping_status)),
    says: ({ part, order }) =>
      `${parcelWords(order)} delivered on ${momentWords(part.physical_shipping_datetime_delivered ?? '')}${carrierWords(part)}.`,
  },
  {
    // A parcel that arrived on a day that was not noted.
    holds: ({ part }) =>
      part.type !== 'DIGITAL' &&
      part.physical_shipping_datetime_delivered === undefined &&
      ARRIVED.test(part.physical_shipping_status ?? ''),
    says: ({ part, order }) =>
      `${parcelWords(order)} delivered${carrierWords(part)}; the order does not say when.`,
  },
];

/** One of several does not speak for all of them. */
function parcelWords({ deliveries }: KnownOrder): string {
  const parcels = deliveries.filter(({ type }) => type !== 'DIGITAL').length;
  return parcels > 1 ? `One of ${parcels} parcels was` : 'The parcel was';
}

function carrierWords(part: DeliveryPart): string {
  const carrier = known(part.physical_shipping_carrier);
  const tracking = known(part.physical_shipping_tracking_number);
  const by = carrier === null ? '' : ` by ${carrier}`;
  return `${by}${tracking === null ? '' : ` under tracking number ${tracking}`}`;
}

interface DigitalUse {
  readonly what: string;
  readonly values: readonly string[];
}

const DIGITAL: readonly Claim<OrderClaim<DigitalUse>>[] = [
  {
    // A moment that has come, or an address: a state, a name or a day to come is no use.
    holds: ({ part }) => part.values.length > 0,
    says: ({ part }) =>
      `The digital goods show ${part.what}: ${part.values.map(momentWords).join(', ')}.`,
  },
];

/** Names of digital fields that tell of use or of arrival. */
const USE =
  /download|access|log_?in|view|watch|stream|play|us(?:e|age)|activat|redeem|open|read|deliver|visit|session|(?:^|_)ip(?:_|$)/;
/** States in which nothing was delivered. */
const NOT_USED = /FAIL|REVOK|CANCEL|REFUS|PENDING|NOT_|ERROR|EXPIR|UNUSED/i;

/** Digital fields are a family that the interface does not list. */
function usesOf({ deliveries }: KnownOrder, now: Date): DigitalUse[] {
  return deliveries
    .filter(({ type }) => type === 'DIGITAL')
    .filter((delivery) => !hasFailed(delivery))
    .flatMap((delivery) =>
      Object.entries(delivery)
        .filter(([name]) => name.startsWith('digital_') && USE.test(name))
        .map(([name, value]) => {
          const texts = (Array.isArray(value) ? value : [value]).flatMap(
            (each) => known(each) ?? [],
          );
          const values = texts.filter((text) => hasCome(text, now) || isIP(text) !== 0);
          return { what: name.replace('digital_', '').replaceAll('_', ' '), values };
        }),
    );
}

function hasFailed(delivery: DeliveryPart): boolean {
  return Object.entries(delivery).some(
    ([name, value]) =>
      /^digital_.*stat(?:us|e)$/.test(name) && typeof value === 'string' && NOT_USED.test(value),
  );
}

/** Parcels that arrived, or files that were used. One that was only sent proves nothing about arrival. */
export function tellDelivery(facts: PackFacts): readonly Sentence[] {
  return [
    ...tellEach(facts, DELIVERY, ({ deliveries }) => deliveries),
    ...tellEach(facts, DIGITAL, (order) => usesOf(order, facts.now)),
  ];
}

/** What is written where somebody did not agree, or nothing is known of it. */
const NO_CONSENT =
  /^(?:no|none|n\/?a|null|false|unknown|not? (?:given|agreed|accepted)|declined|refused|rejected|withdrawn|revoked)\.?$/i;

const TERMS: readonly Claim<OrderClaim<string>>[] = [
  {
    // The record's own words: what they mean is for the bank.
    holds: ({ part }) => part !== '',
    says: ({ part }) => `The order’s proof of consent reads: ${part}.`,
  },
];

export function tellTerms(facts: PackFacts): readonly Sentence[] {
  return tellEach(facts, TERMS, ({ body }) => {
    const consent = entriesIn(body.order_proof_of_consent);
    return consent.filter((entry) => !isRefusal(entry)).map(wordsIn);
  });
}

function isRefusal(entry: unknown): boolean {
  const values = isRecord(entry) ? Object.values(entry) : [entry];
  return values.some(
    (value) => value === false || (typeof value === 'string' && NO_CONSENT.test(value.trim())),
  );
}

const COMMUNICATION: readonly Claim<OrderClaim<string>>[] = [
  {
    // The record says who wrote what; nothing here says that both did.
    holds: ({ part }) => part !== '',
    says: ({ part }) => `The order’s record of messages reads: ${part}.`,
  },
];

export function tellCommunication(facts: PackFacts): readonly Sentence[] {
  return tellEach(facts, COMMUNICATION, ({ body }) =>
    entriesIn(body.order_communications).map(wordsIn),
  );
}

/** Entries of a field that the interface leaves open. */
function entriesIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

/** Texts as they are, objects as their texts. */
function wordsIn(entry: unknown): string {
  const values = isRecord(entry) ? Object.values(entry) : [entry];
  const texts = values.flatMap((value) => known(value) ?? []);
  return texts.map(momentWords).join(', ').replace(/\.$/, '');
}

const CANCELLED = /^CANCELL?ED$/i;
const RUNNING = /^(?:ACTIVE|TRIAL|TRIALING|IN_TRIAL|LIVE|CURRENT|PAST_DUE|UNPAID|OVERDUE)$/i;

const SUBSCRIPTION: readonly Claim<OrderClaim<SubscriptionPart>>[] = [
  {
    holds: () => true,
    says: ({ part: { reference_id: reference, interval, ...terms } }) => {
      const { interval_price_in_cents: amountMinor, interval_currency: currency } = terms;
      const price =
        amountMinor === undefined || currency === undefined
          ? ''
          : `, for ${formatMoney({ amountMinor, currency })} each time`;
      const often = interval === undefined ? '' : `, every ${interval}`;
      return `The order is for subscription ${reference}${often}${price}.`;
    },
  },
  {
    // No day, no state and no order status tells of an end; neither does a later order, the service, or we who ended it.
    holds: ({ part, order, facts }) =>
      part.cancellation_date === undefined &&
      (part.status === undefined || RUNNING.test(part.status)) &&
      order.orderStatus !== 'CLOSED_CANCELLED' &&
      !facts.isEnded &&
      !facts.subscriptions.some((each) => each.reference_id === part.reference_id && isOver(each)),
    says: () => 'No cancellation of it is known.',
  },
  {
    // A day that has come, and no state that says that it runs.
    holds: ({ part: { status, cancellation_date: day }, facts: { now } }) =>
      day !== undefined && hasCome(day, now) && (status === undefined || !RUNNING.test(status)),
    says: ({ part }) => `It was cancelled on ${momentWords(part.cancellation_date ?? '')}.`,
  },
  {
    holds: ({ part: { cancellation_date: day }, facts: { now } }) =>
      day !== undefined && !hasCome(day, now),
    says: ({ part }) =>
      `Its cancellation is recorded for ${momentWords(part.cancellation_date ?? '')}.`,
  },
  {
    holds: ({ part: { status, cancellation_date: day } }) =>
      day === undefined && CANCELLED.test(status ?? ''),
    says: () => 'It is cancelled; the order does not say since when.',
  },
];

/** Whether it has an end, or a state that may mean one. */
function isOver({ status, cancellation_date: day }: SubscriptionPart): boolean {
  return day !== undefined || (status !== undefined && !RUNNING.test(status));
}

export function tellSubscription(facts: PackFacts): readonly Sentence[] {
  // Each with its own sentences, so that “it” is the one before.
  return (facts.order?.body.subscriptions ?? []).flatMap((each) =>
    tellEach(facts, SUBSCRIPTION, () => [each]),
  );
}
