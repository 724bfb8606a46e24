/**
 * Finds alerts by whatever a person has at hand: an alert's id, the last four digits, an ARN, an
 * authorisation code, a charge, an order, a customer's address, the beginning of a descriptor.
 *
 * Each is looked up along its own index; nothing reads all alerts.
 */
import type { Kysely, RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../../base/db/database.ts';
import { dataKeysOf } from '../../base/seal/carried-keys.ts';
import { customerIndexes } from '../../base/seal/customer-index.ts';
import { literally } from './alert-list.store.ts';

/** Alerts that one kind of match yields at most: beyond that the text says too little. */
export const MATCHES_MAX = 500;

/** The ids of alerts that the text names, in no order. */
export async function searchAlerts(
  db: Kysely<Database>,
  organisationId: string,
  text: string,
): Promise<string[]> {
  const wanted = text.trim();
  const kinds = [
    byAlert(organisationId, sql`id = ${wanted}`),
    byAlert(organisationId, sql`integration_transaction_id = ${wanted}`),
    byAlert(organisationId, sql`lower(descriptor) like ${`${literally(wanted.toLowerCase())}%`}`),
    byCharge(organisationId, sql`${wanted}`),
    byOrder(organisationId, sql`reference_id = ${wanted}`),
  ];
  if (/^\d{4}$/.test(wanted)) kinds.push(byAlert(organisationId, sql`card_last4 = ${wanted}`));
  if (/^\d{22,24}$/.test(wanted)) {
    kinds.push(byAlert(organisationId, sql`acquirer_reference_number = ${wanted}`));
  }
  if (/^[A-Za-z0-9]{6,7}$/.test(wanted)) {
    kinds.push(byAlert(organisationId, sql`authorisation_code = ${wanted}`));
  }
  if (/^\S+@\S+$/.test(wanted)) {
    kinds.push(
      byOrder(
        organisationId,
        sql`lower(body->>'customer_email') = ${wanted.toLowerCase()} and body->>'customer_email' is not null`,
      ),
    );
    const dataKeys = dataKeysOf(db);
    if (dataKeys !== undefined) {
      const named = { organisationId, field: 'customer_email', value: wanted } as const;
      const hashes = customerIndexes(dataKeys, named);
      kinds.push(byOrder(organisationId, sql`email_hmac = any(${hashes}::bytea[])`));
    }
  }
  const { rows } = await sql<{ id: string }>`
    select distinct id from (${sql.join(kinds, sql` union all `)}) as named`.execute(db);
  return rows.map(({ id }) => id);
}

function byAlert(organisationId: string, is: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(select id from alert where organisation_id = ${organisationId} and ${is} limit ${MATCHES_MAX})`;
}

function byCharge(organisationId: string, reference: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(select alert_id as id from alert_case
    where organisation_id = ${organisationId} and charge_reference = ${reference} limit ${MATCHES_MAX})`;
}

/** Through the charges of the orders that are meant. */
function byOrder(organisationId: string, is: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(select k.alert_id as id
    from (select reference_id from order_record where organisation_id = ${organisationId} and ${is} limit ${MATCHES_MAX}) as o
    join charge as c on c.organisation_id = ${organisationId} and c.order_reference = o.reference_id
    join alert_case as k on k.organisation_id = ${organisationId} and k.charge_reference = c.reference
    limit ${MATCHES_MAX})`;
}
