/**
 * What waits for a charge that is not known yet, and is taken over by the charge that its alert names: by reference,
 * by authorisation code and card digits, or by acquirer reference number where neither the card's digits nor the day
 * speak against it. Asked in every transaction that decides about a charge's money.
 *
 * Network money (L8) waits as a movement without a charge. So does an alert that was accepted because no charge was
 * found: the order may come later, and with it the same complaint through another network. That one must not be
 * refunded beside the chargeback that was accepted (L5).
 */
import type { RawBuilder, Transaction } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../../base/db/database.ts';
import { DEFAULT_MATCH_SETTINGS } from '../match/match-settings.ts';
import type { ChargeKey, LedgerRow } from './ledger.store.ts';
import { ledgerOf, ledgerQuery, readLedger } from './ledger.store.ts';
import type { Ledger } from './ledger.ts';

const { apartDays } = DEFAULT_MATCH_SETTINGS;

/** Acquirers use their reference numbers again, so other digits, or a day far away, speak against it. */
const IS_SAME_NUMBER = sql`(a.acquirer_reference_number = c.acquirer_reference_number
  and coalesce(a.card_last4 = c.card_last4, true)
  and coalesce(abs(extract(epoch from coalesce(c.authorised_at, c.settled_at) - a.authorised_at))
    <= ${sql.lit(apartDays * 86_400)}, true))`;

/** Reads the ledger of a charge that is locked, after the network's money was taken over that names it. */
export async function adoptAndReadLedger(
  trx: Transaction<Database>,
  charge: ChargeKey,
): Promise<Ledger> {
  const { rows } = await sql<LedgerRow & { readonly adopted: number }>`
    with ${adoption(charge)}
    select ledger.*, (select count(*) from news) as adopted from (${ledgerQuery(charge)}) as ledger`.execute(
    trx,
  );
  // A statement does not see what it writes itself.
  return (rows[0]?.adopted ?? 0) > 0
    ? await readLedger(trx, charge)
    : ledgerOf(charge.chargeReference, rows[0]);
}

/** Whether the alert `a` names the charge `c`. */
const NAMES_CHARGE = sql`(a.integration_transaction_id = c.reference or ${IS_SAME_NUMBER}
    or (upper(trim(a.authorisation_code)) = c.authorisation_code and a.card_last4 = c.card_last4))
  and a.amount_minor <= c.amount_minor`;

/** Takes over what waits and names this charge: `news` has a row for each movement and each accepted alert. */
function adoption({ organisationId, chargeReference }: ChargeKey): RawBuilder<unknown> {
  return sql`moved as (
      update movement m set charge_reference = c.reference, next_action_at = null, version = m.version + 1
      from charge c, alert a
      where m.organisation_id = ${organisationId} and m.charge_reference is null and m.kind = 'network'
        and c.organisation_id = m.organisation_id and c.reference = ${chargeReference}
        and a.organisation_id = m.organisation_id and a.id = m.observed_from
        and ${NAMES_CHARGE}
      returning m.alert_id
    ), accepted as (
      select k.alert_id from alert_case k
      join charge c on c.organisation_id = k.organisation_id and c.reference = ${chargeReference}
      join alert a on a.organisation_id = k.organisation_id and a.id = k.alert_id
      where k.organisation_id = ${organisationId} and k.charge_reference is null
        and k.state in ('DECLARE_ACCEPT', 'DECLARED_ACCEPT')
        and ${NAMES_CHARGE}
    ), news as (
      select alert_id from moved union select alert_id from accepted
    ), adopted as (
      update alert_case k set charge_reference = ${chargeReference}
      from news where k.organisation_id = ${organisationId} and k.alert_id = news.alert_id
      returning k.alert_id)`;
}
