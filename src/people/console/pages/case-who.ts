/** Who bought what, when, delivered where and when, what they bought before, and what became of the charge. */
import type { CustomerFacts } from '../../../alerts/decide/history-facts.ts';
import type { AccountMoney } from '../../../alerts/ledger/account.ts';
import { customerName } from '../../../alerts/review/review-customers.store.ts';
import { counted } from '../../../base/kernel/counted.ts';
import type { Html, HtmlValue } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import type { KnownOrder } from '../../../orders/find-order.ts';
import { programmeWords, reasonWords } from '../../../service/wire/code-words.ts';
import type { DescriptionEntry } from '../../../surface/view/description-list.ts';
import { descriptionList } from '../../../surface/view/description-list.ts';
import { money } from '../../../surface/view/money.ts';
import { moment } from '../../../surface/view/time.ts';
import { itemWords } from './candidates.ts';
import type { CaseView } from './case-view.ts';

export function purchaseFacts(view: CaseView): Html {
  const { order, charge, customer, detail } = view;
  if (order === undefined && charge === undefined) {
    return html`<p class="quiet">${
      view.lineUp.placed.length > 0
        ? 'No charge is chosen yet: the candidates stand below.'
        : 'No charge of ours is known for this alert. Send its order, or choose the charge when you decide.'
    }</p>`;
  }
  const paidAt = charge?.authorisedAt ?? detail.alert?.authorised_at ?? null;
  return descriptionList([
    ...(order === undefined ? [] : orderFacts(order)),
    ['Paid', paidAt !== null && moment(new Date(paidAt))],
    ['Before', customer !== undefined && earlierWords(customer, order)],
  ]);
}

function orderFacts(order: KnownOrder): DescriptionEntry[] {
  const name = customerName(order.body);
  const { customerEmail: email, referenceId } = order;
  return [
    [
      'Customer',
      name !== null &&
        html`<strong>${name}</strong>${email !== null && email !== name && html` <span class="quiet">${email}</span>`}`,
    ],
    ['Bought', itemWords(order)],
    ['Delivered', deliveryLine(order)],
    [
      'Order',
      html`<a href="/orders/${encodeURIComponent(referenceId)}">${order.orderNumber ?? referenceId}</a>`,
    ],
  ];
}

/** How, where and when; null when the order says nothing of it. */
function deliveryLine({ deliveries }: KnownOrder): HtmlValue {
  const [delivery] = deliveries;
  if (delivery === undefined) return null;
  const {
    physical_shipping_status: state,
    physical_shipping_datetime_delivered: at,
    physical_shipping_datetime_shipped: shippedAt,
    physical_shipping_carrier: carrier,
    physical_shipping_tracking_number: tracking,
    physical_shipping_address: address,
  } = delivery;
  const when =
    at !== undefined
      ? html`${moment(new Date(at))}`
      : shippedAt !== undefined && html`sent ${moment(new Date(shippedAt))}`;
  const where = [address?.line_1, address?.city, address?.postal_code, address?.country]
    .filter((part) => typeof part === 'string' && part !== '')
    .join(', ');
  const how = [at === undefined ? state : undefined, carrier, tracking].filter(Boolean).join(' · ');
  const parts = [when, where, how].filter((part) => part !== false && part !== '');
  return parts.length === 0
    ? null
    : html`${parts.map((part, index) => html`${index > 0 && ' · '}${part}`)}`;
}

/** The customer's history in a line, with a way to their alerts. */
function earlierWords(customer: CustomerFacts, order: KnownOrder | undefined): HtmlValue {
  const { orders, refunds, alerts, fraudNotices, firstOrderAt } = customer;
  const parts = [
    countWords(orders, 'other order'),
    orders > 0 && refunds > 0 && `${refunds} refunded`,
    countWords(alerts, 'other alert'),
    fraudNotices > 0 && countWords(fraudNotices, 'fraud notice'),
  ].filter((part) => part !== false);
  const who = order?.customerEmail ?? null;
  const text = parts.join(' · ');
  const link = who === null ? undefined : `/alerts?state=all&q=${encodeURIComponent(who)}`;
  return html`${link === undefined || alerts === 0 ? text : html`<a href="${link}">${text}</a>`}${orders > 0 && firstOrderAt !== null && html` <span class="quiet">since ${moment(new Date(firstOrderAt))}</span>`}${customer.blocked === true && html` <span class="state bad">blocked</span>`}`;
}

function countWords(count: number, what: string): string {
  return count === 0 ? `no ${what}` : counted(count, what);
}

/** The charge as an account: what was taken, what went back, what is left. */
export function accountFacts(account: AccountMoney | undefined): Html | false {
  if (account === undefined) return false;
  const { currency, capturedMinor, oursMinor, othersMinor, uncertainMinor, leftMinor } = account;
  const sum = (amountMinor: number): Html => money({ amountMinor, currency });
  return descriptionList([
    ['Captured', capturedMinor === null ? 'nothing' : sum(capturedMinor)],
    ['Given back by us', sum(oursMinor)],
    ['By others', othersMinor > 0 && sum(othersMinor)],
    ['Uncertain', uncertainMinor > 0 && sum(uncertainMinor)],
    ['Left', sum(leftMinor)],
  ]);
}

export function alertLine({ alert }: CaseView['detail']): Html {
  const parts = [
    alert?.card_last4 == null ? null : `card ···· ${alert.card_last4}`,
    alert?.reason_code == null ? null : reasonWords(alert.reason_code),
    alert?.card_issuer,
    alert?.descriptor,
    alert?.enrolment_type == null ? null : programmeWords(alert.enrolment_type),
  ].filter((part) => part != null);
  return html`<span class="quiet">${parts.join(' · ')}</span>`;
}
