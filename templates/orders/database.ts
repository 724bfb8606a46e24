/**
 * Orders from a database of yours: reads what changed since the last run, and hands it over.
 *
 * Run it every minute, or call it where your shop marks an order as paid. Handing the same order over
 * twice is harmless: an unchanged one stays as it is.
 */
import type { Forestall, OrderInput } from 'forestall';
import type pg from 'pg';

/** One row of your query. Rename the columns in the query, not here. */
interface OrderRow {
  readonly order_reference: string;
  readonly paid_at: Date;
  readonly total_minor: number;
  readonly currency: string;
  readonly email: string | null;
  readonly customer_id: string | null;
  readonly charge_reference: string;
  readonly arn: string | null;
  readonly authorisation_code: string | null;
  readonly card_brand: string | null;
  readonly card_bin: string | null;
  readonly card_last4: string | null;
  readonly item_name: string;
  readonly changed_at: Date;
}

/** Write your own: every order that was paid and has changed after $1, oldest change first. */
const CHANGED_ORDERS = `
  select order_reference, paid_at, total_minor::int4 as total_minor, currency, email, customer_id,
         charge_reference, arn, authorisation_code, card_brand, card_bin, card_last4, item_name,
         changed_at
  from shop_order
  where changed_at > $1 and paid_at is not null
  order by changed_at
  limit 500`;

/** The row as an order of the service's. A null counts as "not there". */
export function orderFromRow(row: OrderRow): OrderInput {
  const paidAt = row.paid_at.toISOString();
  return {
    reference_id: row.order_reference,
    order_number: row.order_reference,
    order_datetime: paidAt,
    order_subtotal_amount_in_cents: row.total_minor,
    order_total_amount_in_cents: row.total_minor,
    order_currency: row.currency,
    order_status: 'CLOSED_COMPLETE',
    customer_email: row.email,
    customer_account_id: row.customer_id,
    transactions: [
      {
        reference_id: row.charge_reference,
        amount_in_cents: row.total_minor,
        currency: row.currency,
        payment_method_type: 'CARD',
        authorisation_status: 'SETTLED',
        authorised_at: paidAt,
        acquirer_reference_number: row.arn,
        authorisation_code: row.authorisation_code,
        payment_method_card_brand: row.card_brand,
        payment_method_card_bin: row.card_bin,
        payment_method_card_last_4: row.card_last4,
      },
    ],
    items: [{ reference_id: `${row.order_reference}:1`, name: row.item_name, quantity: 1 }],
  };
}

/** An order that the feed did not take as it is now. Show it to somebody: it is not handed over again by itself. */
export interface LeftOver {
  readonly reference: string;
  readonly why: string;
}

/**
 * Hands over what changed after `since`. Returns where to continue, to be stored with your orders, and what was left
 * over: an order that was refused, or in which something changed that the service cannot change (its other changes
 * are sent).
 */
export async function handOverOrders(
  shop: pg.Pool,
  forestall: Pick<Forestall, 'orders'>,
  since: Date,
): Promise<{ readonly since: Date; readonly leftOver: readonly LeftOver[] }> {
  const { rows } = await shop.query<OrderRow>(CHANGED_ORDERS, [since]);
  const results = await forestall.orders.accept(rows.map(orderFromRow));
  const leftOver = rows.flatMap(({ order_reference: reference }, index) => {
    const result = results[index];
    if (result?.kind === 'refused') {
      const why = result.problems.map(({ field, problem }) => `${field} ${problem}`).join('; ');
      return [{ reference, why }];
    }
    if (result?.kind === 'differs') {
      return [{ reference, why: `cannot be changed any more: ${result.fields.join(', ')}` }];
    }
    return [];
  });
  return { since: rows.at(-1)?.changed_at ?? since, leftOver };
}
