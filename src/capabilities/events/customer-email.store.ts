/** The e-mail address of the customer whom an event is about, for endpoints that ask for it. It is read when the event is sent. */
import { sql } from 'kysely';
import { dataKeysOf } from '../../base/db/carried-keys.ts';
import type { Db } from '../../base/db/database.ts';
import { ERASED } from '../../base/seal/redact.ts';
import type { OrderRow } from '../../orders/order.store.ts';
import { openBodyOf } from '../../orders/sealed-order.ts';
import type { EventRow } from './events.table.ts';

type BodyRow = Pick<OrderRow, 'integration_id' | 'reference_id' | 'body'>;

/**
 * By the order that the event names, or that of its charge; null where there is none, where it is erased, and where two shops
 * have an order of that reference and nothing says which of them is meant: they are two people's.
 */
export async function readCustomerEmail(
  db: Db,
  organisationId: string,
  { alert_id: alertId, data }: Pick<EventRow, 'alert_id' | 'data'>,
): Promise<string | null> {
  const [order, shop, charge] = [
    data['order_reference'],
    data['integration_id'],
    data['charge_reference'],
  ].map((value) => (typeof value === 'string' ? value : null));
  if (order === null && charge === null && alertId === null) return null;
  const { rows } = await sql<BodyRow>`
    with paid as (
      select c.order_reference, c.integration_id from charge c
      where c.organisation_id = ${organisationId} and c.reference = coalesce(${charge}::text, (
        select k.charge_reference from alert_case k where k.organisation_id = ${organisationId} and k.alert_id = ${alertId}))
    ), meant as (
      select coalesce(${order}::text, (select order_reference from paid)) as reference
    )
    select r.integration_id, r.reference_id, r.body from order_record r, meant
    where r.organisation_id = ${organisationId} and r.reference_id = meant.reference and r.integration_id = coalesce(${shop}::text,
      (select integration_id from paid where order_reference = meant.reference), r.integration_id)
    limit 2`.execute(db);
  const [row] = rows;
  if (row === undefined || rows.length > 1) return null;
  const { body } = openBodyOf(dataKeysOf(db), organisationId, row);
  const said = [body.customer_email, body.order_email];
  return said.find((email) => typeof email === 'string' && email !== ERASED) ?? null;
}
