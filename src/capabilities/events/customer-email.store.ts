/** The e-mail address of the customer whom an event is about, for endpoints that ask for it. It is read when the event is sent. */
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import { dataKeysOf } from '../../base/seal/carried-keys.ts';
import type { OrderRow } from '../../orders/order.store.ts';
import { openBodyOf } from '../../orders/sealed-order.ts';
import type { EventRow } from './events.table.ts';

type BodyRow = Pick<OrderRow, 'integration_id' | 'reference_id' | 'body'>;

/** By the order that the event names, or that of its alert's charge; null where there is none. */
export async function readCustomerEmail(
  db: Db,
  organisationId: string,
  { alert_id: alertId, data }: Pick<EventRow, 'alert_id' | 'data'>,
): Promise<string | null> {
  const { order_reference: named } = data;
  const reference = typeof named === 'string' ? named : null;
  if (reference === null && alertId === null) return null;
  const { rows } = await sql<BodyRow>`
    select r.integration_id, r.reference_id, r.body from order_record r
    where r.organisation_id = ${organisationId} and r.reference_id = coalesce(${reference}::text, (
      select c.order_reference from alert_case k join charge c on c.organisation_id = k.organisation_id and c.reference = k.charge_reference
      where k.organisation_id = ${organisationId} and k.alert_id = ${alertId}))
    order by r.seq desc limit 1`.execute(db);
  const [row] = rows;
  if (row === undefined) return null;
  const { body } = openBodyOf(dataKeysOf(db), organisationId, row);
  return body.customer_email ?? body.order_email ?? null;
}
