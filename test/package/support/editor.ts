/**
 * What an editor says while somebody embeds Forestall: the fields that there are, and that a slip is one. It is compiled
 * with the sources, and again from the packed package; nothing runs it.
 */
import type {
  Alert,
  AlertListItem,
  Forestall,
  Order,
  OrderChangeInput,
  OrderInput,
} from 'forestall';
import { uncheckedOrder } from 'forestall';

const order: OrderInput = {
  reference_id: 'A-1',
  order_datetime: '2026-11-20T10:00:00Z',
  order_number: 'A-1',
  order_subtotal_amount_in_cents: 10_000,
  order_total_amount_in_cents: 12_990,
  order_currency: 'USD',
  order_status: 'CLOSED_COMPLETE',
  // What is not there may be null, as a database gives it.
  customer_email: null,
  order_communications: { mails: [1, 'two', { three: null }] },
  transactions: [
    {
      reference_id: 'ch_1',
      amount_in_cents: 12_990,
      currency: 'USD',
      acquirer_reference_number: null,
      billing_address: { city: 'Ghent' },
    },
  ],
  // Lines are numbered where they have no reference.
  items: [{ name: 'Lamp', quantity: 1 }],
  deliveries: [{ type: 'DIGITAL', digital_downloaded_at: '2026-11-20T10:05:00Z' }],
  subscriptions: [{ reference_id: 's', trial_ends_on: '2026-12-20', free_trial: true }],
};

const enriched: OrderInput = { type: 'PARTIAL', reference_id: 'ch_1', device_id: 'd' };

export async function shop(forestall: Forestall, body: unknown): Promise<unknown[]> {
  const { orders, alerts } = forestall;
  await orders.accept([order, enriched]);

  // @ts-expect-error customer_emial: a misspelt field of an order
  await orders.accept([{ ...order, customer_emial: 'ada@example.com' }]);
  // @ts-expect-error no order without its total
  await orders.accept([{ ...order, order_total_amount_in_cents: undefined }]);
  // @ts-expect-error an amount is a number of minor units
  await orders.accept([{ ...order, order_total_amount_in_cents: '129.90' }]);
  // @ts-expect-error no such status
  await orders.accept([{ ...order, order_status: 'PAID' }]);
  // @ts-expect-error one order is no list
  await orders.accept(order);
  // @ts-expect-error a payment needs its amount
  await orders.accept([{ ...order, transactions: [{ reference_id: 'ch_1', currency: 'USD' }] }]);
  // @ts-expect-error qty: a misspelt field of a line
  await orders.accept([{ ...order, items: [{ name: 'Lamp', qty: 1 }] }]);
  // @ts-expect-error a request's body is not known to be an order
  await orders.accept([body]);
  await orders.accept([uncheckedOrder(body)]);

  const change: OrderChangeInput = { deliveries: [{ reference_id: 'd', digital_opened: true }] };
  await orders.change('A-1', change);
  await orders.change('A-1', { order_status: 'CLOSED_CANCELLED' });
  // @ts-expect-error fixed when the order is created
  await orders.change('A-1', { customer_email: 'ada@example.com' });
  // @ts-expect-error a refund is found by its reference
  await orders.change('A-1', { refunds: [{ amount_in_cents: 1, currency: 'USD' }] });

  const within = orders.within(async (text: string, values: readonly unknown[]) => [text, values]);
  await within.accept([order]);
  // @ts-expect-error the same inside a transaction
  await within.accept([{ ...order, customer_emial: 'ada@example.com' }]);

  const found: Order | undefined = await orders.find('A-1');
  const total: number | undefined = found?.order_total_amount_in_cents;

  const [item]: readonly AlertListItem[] = await alerts.list({ states: ['UNMATCHED'] });
  const alert: Alert | undefined = await alerts.find(item?.alertId ?? '');
  // A fact has one name in the list and in the alert.
  const lastFour: (string | null | undefined)[] = [item?.cardLast4, alert?.alert?.cardLast4];
  const charges: (string | null | undefined)[] = [
    item?.chargeReference,
    alert?.case?.chargeReference,
    alert?.match?.chargeReference,
    alert?.movement?.chargeReference,
  ];
  // @ts-expect-error no names of columns
  const column: unknown = alert?.case?.charge_reference;
  // @ts-expect-error what only workers need is not shown
  const lease: unknown = alert?.case?.leaseOwner;
  // @ts-expect-error no such state
  await alerts.list({ states: ['OPEN'] });
  return [total, lastFour, charges, column, lease];
}
