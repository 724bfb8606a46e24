/**
 * Network money whose charge is not known yet (L8): it waits as a movement without a charge, and is
 * taken over by the charge whose acquirer reference number, or authorisation code and card digits, its
 * alert carries. Asked in every transaction that decides about a charge's money.
 */
import type { Transaction } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import type { ChargeKey } from './ledger.store.ts';

/** Takes over what waits and names this charge. Returns the alerts it came from. */
export async function adoptNetworkMoney(
  trx: Transaction<Database>,
  { organisationId, chargeReference }: ChargeKey,
): Promise<string[]> {
  const { rows } = await sql<{ alert_id: string }>`
    with news as (
      update movement m set charge_reference = c.reference, next_action_at = null, version = m.version + 1
      from charge c, alert a
      where m.organisation_id = ${organisationId} and m.charge_reference is null and m.kind = 'network'
        and c.organisation_id = m.organisation_id and c.reference = ${chargeReference}
        and a.organisation_id = m.organisation_id and a.id = m.observed_from
        and (a.acquirer_reference_number = c.acquirer_reference_number
          or a.integration_transaction_id = c.reference
          or (upper(trim(a.authorisation_code)) = c.authorisation_code and a.card_last4 = c.card_last4))
        and a.amount_minor <= c.amount_minor
      returning m.alert_id
    )
    update alert_case k set charge_reference = ${chargeReference}
    from news where k.organisation_id = ${organisationId} and k.alert_id = news.alert_id
    returning k.alert_id`.execute(trx);
  return rows.map(({ alert_id }) => alert_id);
}
