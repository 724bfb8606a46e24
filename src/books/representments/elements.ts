/**
 * What our rows say about each element of a pack, in sentences for the bank. Pure.
 *
 * A sentence exists only with the rows that show it (its type has at least one), so an element is held exactly
 * when it has sentences. Nothing is argued that no row says.
 */
import type { MovementRow } from '../../alerts/ledger/movement.store.ts';
import { toInstant, utcWords } from '../../base/kernel/instant.ts';
import { isRecord } from '../../base/kernel/is-record.ts';
import { formatMoney } from '../../base/kernel/money.ts';
import type { KnownOrder } from '../../orders/find-order.ts';
import type { DeliveryPart, TransactionPart } from '../../orders/order-body.ts';
import type { OwnPayment, PackFacts } from './pack-facts.store.ts';
import type { ElementName } from './pack-rules.ts';

/** A row that shows a sentence: its table, and its id there. */
export interface RowRef {
  readonly table: 'representment' | 'charge' | 'order_record' | 'movement';
  readonly id: string;
}

/** A sentence with the rows that show it. */
export interface Sentence {
  readonly text: string;
  readonly cites: readonly [RowRef, ...RowRef[]];
}

/** What the rows say about an element; nothing where they do not hold it. */
export function sentencesOf(element: ElementName, facts: PackFacts): readonly Sentence[] {
  return TELLERS[element](facts);
}

type Teller = (facts: PackFacts) => readonly Sentence[];

const TELLERS: Readonly<Record<ElementName, Teller>> = {
  payment: tellPayment,
  authorisation: tellAuthorisation,
  verification: tellVerification,
  order: tellOrder,
  items: tellItems,
  customer: tellCustomer,
  device: tellDevice,
  addresses: tellAddresses,
  delivery: tellDelivery,
  terms: tellTerms,
  subscription: tellSubscription,
  communication: tellCommunication,
  refund: tellRefund,
  earlier_payments: tellEarlier,
  other_payment: tellOther,
  // Not in the order feed: they are files that a person attaches.
  refund_policy: () => [],
  authenticity: () => [],
};

function tellPayment({ charge }: PackFacts): readonly Sentence[] {
  if (charge === undefined) return [];
  const arn =
    charge.acquirerReferenceNumber === null
      ? ''
      : ` under acquirer reference number ${charge.acquirerReferenceNumber}`;
  const text = `Payment ${charge.reference} took ${formatMoney(charge)}${arn}.`;
  return [{ text, cites: [{ table: 'charge', id: charge.reference }] }];
}

function tellAuthorisation({ charge }: PackFacts): readonly Sentence[] {
  if (charge === undefined || charge.authorisedAt === null || charge.authorisationCode === null)
    return [];
  const at = utcWords(new Date(charge.authorisedAt));
  const text = `It was authorised on ${at} with authorisation code ${charge.authorisationCode}.`;
  return [{ text, cites: [{ table: 'charge', id: charge.reference }] }];
}

/** The order's own record of the payment. */
function transactionOf({ order, charge }: PackFacts): TransactionPart | undefined {
  return order?.transactions.find((each) => each.reference_id === charge?.reference);
}

function tellVerification(facts: PackFacts): readonly Sentence[] {
  const transaction = transactionOf(facts);
  const checks = [
    ...(transaction?.three_d_secure_verified === true ? ['3-D Secure'] : []),
    ...(transaction?.cvc_verified === true ? ['the card verification code'] : []),
  ];
  if (checks.length === 0) return [];
  return byOrder(facts.order, `The payment passed ${checks.join(' and ')}.`);
}

/** A sentence that the order shows. */
function byOrder(order: KnownOrder | undefined, text: string): readonly Sentence[] {
  return order === undefined ? [] : [{ text, cites: [orderRow(order)] }];
}

function orderRow({ referenceId }: KnownOrder): RowRef {
  return { table: 'order_record', id: referenceId };
}

function tellOrder({ order }: PackFacts): readonly Sentence[] {
  if (order === undefined || order.orderDatetime === null) return [];
  const sum =
    order.totalMinor === null || order.currency === null
      ? ''
      : ` for ${formatMoney({ amountMinor: order.totalMinor, currency: order.currency })}`;
  const number = order.orderNumber ?? order.referenceId;
  return byOrder(order, `Order ${number} was placed on ${momentWords(order.orderDatetime)}${sum}.`);
}

function tellItems({ order }: PackFacts): readonly Sentence[] {
  const named = (order?.items ?? []).filter(({ name }) => name !== undefined);
  return named.flatMap(({ name, quantity, price_in_cents: priceMinor }) => {
    const currency = order?.currency ?? null;
    const price =
      priceMinor === undefined || currency === null
        ? ''
        : `, at ${formatMoney({ amountMinor: priceMinor, currency })} each`;
    return byOrder(order, `It was for ${quantity ?? 1} × “${name ?? ''}”${price}.`);
  });
}

function tellCustomer({ order }: PackFacts): readonly Sentence[] {
  const { customerEmail: email = null, customerAccountId: account = null } = order ?? {};
  const parts = [
    ...(email === null ? [] : [`the e-mail address ${email}`]),
    ...(account === null ? [] : [`the customer account ${account}`]),
  ];
  if (parts.length === 0) return [];
  return byOrder(order, `The customer ordered with ${parts.join(' and ')}.`);
}

function tellDevice({ order }: PackFacts): readonly Sentence[] {
  const { device_ip_address: ip, device_id: id, device_fingerprint: print } = order?.body ?? {};
  const parts = [
    ...(ip === undefined ? [] : [`IP address ${ip}`]),
    ...(id === undefined ? [] : [`device ${id}`]),
    ...(print === undefined ? [] : [`device fingerprint ${print}`]),
  ];
  if (parts.length === 0) return [];
  return byOrder(order, `The order came from ${parts.join(', ')}.`);
}

function tellAddresses(facts: PackFacts): readonly Sentence[] {
  const { order } = facts;
  const billing = addressWords(transactionOf(facts)?.billing_address);
  const shipping = (order?.deliveries ?? []).flatMap((each) =>
    addressWords(each.physical_shipping_address),
  );
  return [
    ...billing.flatMap((text) => byOrder(order, `The billing address is ${text}.`)),
    ...shipping.flatMap((text) => byOrder(order, `The delivery address is ${text}.`)),
  ];
}

function addressWords(address: unknown): string[] {
  if (!isRecord(address)) return [];
  const fields = ['line_1', 'postal_code', 'city', 'country_subdivision', 'country'];
  const parts = fields.flatMap((field) => textOf(address[field]));
  return parts.length === 0 ? [] : [parts.join(', ')];
}

function textOf(value: unknown): string[] {
  return typeof value === 'string' && value !== '' ? [value] : [];
}

/** A parcel that arrived, or a file that was used. One that was only sent proves nothing about arrival. */
function tellDelivery({ order }: PackFacts): readonly Sentence[] {
  return (order?.deliveries ?? []).flatMap((delivery) =>
    byDelivery(delivery).flatMap((text) => byOrder(order, text)),
  );
}

function byDelivery(delivery: DeliveryPart): string[] {
  if (delivery.type === 'DIGITAL') return digitalUse(delivery);
  const arrived = delivery.physical_shipping_datetime_delivered;
  if (arrived === undefined) return [];
  const carrier = delivery.physical_shipping_carrier;
  const tracking = delivery.physical_shipping_tracking_number;
  const by = carrier === undefined ? '' : ` by ${carrier}`;
  const under = tracking === undefined ? '' : ` under tracking number ${tracking}`;
  return [`The parcel was delivered on ${momentWords(arrived)}${by}${under}.`];
}

/** Digital fields are a family that the interface does not list: what is a moment or an address is told. */
function digitalUse(delivery: DeliveryPart): string[] {
  return Object.entries(delivery)
    .filter(([name]) => name.startsWith('digital_'))
    .flatMap(([name, value]) => {
      const what = name.replace('digital_', '').replaceAll('_', ' ');
      const words = (Array.isArray(value) ? value : [value]).flatMap(textOf).map(momentWords);
      return words.length === 0 ? [] : [`The digital goods show ${what}: ${words.join(', ')}.`];
    });
}

function tellTerms({ order }: PackFacts): readonly Sentence[] {
  const consent = order?.body.order_proof_of_consent;
  return wordsIn(consent).flatMap((text) => byOrder(order, `The customer agreed: ${text}.`));
}

function tellCommunication({ order }: PackFacts): readonly Sentence[] {
  const told = order?.body.order_communications;
  return wordsIn(told).flatMap((text) =>
    byOrder(order, `The merchant and the customer wrote: ${text}.`),
  );
}

/** Entries of a field that the interface leaves open: texts as they are, objects as their texts. */
function wordsIn(value: unknown): string[] {
  const entries: unknown[] = Array.isArray(value) ? value : [value];
  return entries.flatMap((entry) => {
    const parts = isRecord(entry) ? Object.values(entry).flatMap(textOf) : textOf(entry);
    return parts.length === 0 ? [] : [parts.map(momentWords).join(', ').replace(/\.$/, '')];
  });
}

function tellSubscription({ order }: PackFacts): readonly Sentence[] {
  return (order?.body.subscriptions ?? []).flatMap((each) => {
    const { interval, interval_price_in_cents: amountMinor, interval_currency: currency } = each;
    const price =
      amountMinor === undefined || currency === undefined
        ? ''
        : `, for ${formatMoney({ amountMinor, currency })} each time`;
    const often = interval === undefined ? '' : `, every ${interval}`;
    const ended =
      each.cancellation_date === undefined
        ? ' No cancellation of it is known'
        : ` It was cancelled on ${momentWords(each.cancellation_date)}`;
    return [
      ...byOrder(order, `The order is for subscription ${each.reference_id}${often}${price}.`),
      ...byOrder(order, `${ended.trim()}.`),
    ];
  });
}

const BACK: Partial<Readonly<Record<MovementRow['kind'], string>>> = {
  refund: 'The merchant refunded',
  external: 'The merchant refunded',
  network: 'The card network refunded',
};

function tellRefund({ movements }: PackFacts): readonly Sentence[] {
  return movements.flatMap((row): Sentence[] => {
    const who = BACK[row.kind];
    if (who === undefined || row.state !== 'CONFIRMED' || row.amount_minor <= 0) return [];
    const at = row.moved_at ?? row.confirmed_at;
    const when = at === null ? '' : ` on ${utcWords(at)}`;
    const under =
      row.processor_reference === null ? '' : ` under reference ${row.processor_reference}`;
    const sum = formatMoney({ amountMinor: row.amount_minor, currency: row.currency });
    return [{ text: `${who} ${sum}${when}${under}.`, cites: [{ table: 'movement', id: row.id }] }];
  });
}

/** Earlier payments that are listed: more add nothing. */
const EARLIER_MAX = 5;

function tellEarlier({ payments, charge, order }: PackFacts): readonly Sentence[] {
  const before = charge?.authorisedAt ?? null;
  if (before === null || order === undefined) return [];
  return payments
    .filter((each) => !each.isDisputed && !each.isRefunded)
    .filter(({ authorisedAt }) => Date.parse(authorisedAt) < Date.parse(before))
    .slice(0, EARLIER_MAX)
    .map((each) => ({
      text: `The same customer paid ${formatMoney(each)} on ${utcWords(new Date(each.authorisedAt))} (payment ${each.reference}), and nothing was disputed or refunded.`,
      cites: [...rowsOf(each), orderRow(order)],
    }));
}

function rowsOf({ reference, orderReference }: OwnPayment): [RowRef, RowRef] {
  return [
    { table: 'charge', id: reference },
    { table: 'order_record', id: orderReference },
  ];
}

/** Another payment of the same sum this close is what the cardholder may mean, in milliseconds. */
const TWICE_MS = 7 * 86_400_000;

function tellOther({ payments, charge, order }: PackFacts): readonly Sentence[] {
  const at = charge?.authorisedAt ?? null;
  if (charge === undefined || at === null || order === undefined) return [];
  return payments
    .filter((each) => each.amountMinor === charge.amountMinor && each.currency === charge.currency)
    .filter(({ authorisedAt }) => Math.abs(Date.parse(authorisedAt) - Date.parse(at)) <= TWICE_MS)
    .map((each) => ({
      text: `Payment ${each.reference} of ${formatMoney(each)} on ${utcWords(new Date(each.authorisedAt))} paid order ${each.orderReference}, and the disputed payment ${charge.reference} paid order ${order.referenceId}.`,
      cites: [...rowsOf(each), { table: 'charge', id: charge.reference }, orderRow(order)],
    }));
}

/** A moment to the minute, a day as it is, and any other text as it is. */
function momentWords(text: string): string {
  const instant = toInstant(text);
  if (instant === null || text.length <= 'YYYY-MM-DD'.length) return text;
  return utcWords(new Date(`${instant.slice(0, 19)}Z`));
}
