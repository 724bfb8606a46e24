/** Who bought what alerts are about: the names of a list's customers, read with its orders. */
import { sql } from 'kysely';
import { dataKeysOf } from '../../base/db/carried-keys.ts';
import type { Db } from '../../base/db/database.ts';
import type { OrderRow } from '../../orders/order.store.ts';
import { openBodyOf } from '../../orders/sealed-order.ts';

type BodyRow = Pick<OrderRow, 'integration_id' | 'reference_id' | 'body'>;

/** Each customer by the reference of their order: the name, else the address, else the account. */
export async function readCustomerNames(
  db: Db,
  organisationId: string,
  orders: readonly (string | null)[],
): Promise<ReadonlyMap<string, string>> {
  const references = [...new Set(orders.filter((reference) => reference !== null))];
  if (references.length === 0) return new Map();
  const { rows } = await sql<BodyRow>`
    select distinct on (reference_id) integration_id, reference_id, body from order_record
    where organisation_id = ${organisationId} and reference_id = any(${references}::text[])
    order by reference_id, accepted_at desc`.execute(db);
  const keys = dataKeysOf(db);
  return new Map(
    rows.flatMap((row) => {
      const { body } = openBodyOf(keys, organisationId, row);
      const name = customerName(body);
      return name === null ? [] : [[row.reference_id, name] as const];
    }),
  );
}

export function customerName(body: BodyRow['body']): string | null {
  const { customer_first_name: first, customer_last_name: last } = body;
  const name = [first, last].filter((part) => part !== undefined && part !== '').join(' ');
  return name !== '' ? name : (body.customer_email ?? body.customer_account_id ?? null);
}
