/**
 * What waits for a charge that is not known yet, and is taken over by the charge that its alert names: by reference,
 * by authorisation code and card digits, or by acquirer reference number where neither the card's digits nor the day
 * speak against it. Asked in every transaction that decides about a charge's money.
 *
 * Network money (L8) waits as a movement without a charge. So does an alert that was accepted because no charge was
 * found: the order may come later, and with it the same complaint through another network. That one must not be
 * refunded beside the chargeback that was accepted (L5).
 */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Trx } from '../../base/db/database.ts';
import { assertInvariant } from '../../base/kernel/errors.ts';
import { DEFAULT_MATCH_SETTINGS } from '../match/match-settings.ts';
import type { ChargeKey, LedgerRow, ShownCharge } from './ledger.store.ts';
import { ledgerOf, ledgerQuery, lockingCharge, readLedger } from './ledger.store.ts';
import type { Ledger } from './ledger.ts';

const { apartDays } = DEFAULT_MATCH_SETTINGS;

/** Acquirers use their reference numbers again, so other digits, or a day far away, speak against it. */
const IS_SAME_NUMBER = sql`(a.acquirer_reference_number = c.acquirer_reference_number
  and coalesce(a.card_last4 = c.card_last4, true)
  and coalesce(abs(extract(epoch from coalesce(c.authorised_at, c.settled_at) - a.authorised_at))
    <= ${sql.lit(apartDays * 86_400)}, true))`;

/** A charge that is locked. */
export interface LockedLedger {
  /** What its version was before. */
  readonly version: number;
  readonly ledger: Ledger;
}

type LockedRow = LedgerRow & {
  /** The ledger's version in the snapshot of the statement, which is as old as its begin. */
  readonly seen: number;
  readonly adopted: number;
};

/**
 * Locks a charge as `lockCharge` does, takes over what waits and names it, and reads its ledger, in one
 * statement. That has seen nothing of what others committed while it waited for the lock; they have counted
 * the version on, and both are done again.
 */
export async function lockLedger(
  trx: Trx,
  charge: ChargeKey,
  shown: Partial<ShownCharge>,
): Promise<LockedLedger> {
  const { organisationId, chargeReference } = charge;
  const { rows } = await sql<LockedRow>`
    with locked as (${lockingCharge(trx, charge, shown)}),
    ${adoption(organisationId, sql`(select charge_reference from locked)`)}
    select k.status, k.amount_minor, k.currency, k.read_at, k.version, l.version as seen,
      l.movements, l.disputes, l.alerts, (select count(*) from news) as adopted
    from locked k cross join (${ledgerQuery(charge)}) l`.execute(trx);
  const [row] = rows;
  assertInvariant(row !== undefined, `Charge ${chargeReference} was not locked.`);
  const version = row.version - 1;
  const isOld = row.seen !== version;
  if (isOld) {
    const again = adoption(organisationId, sql`${chargeReference}`);
    await sql`with ${again} select count(*) from news`.execute(trx);
  }
  // A statement does not see what it writes itself.
  const isRead = !isOld && row.adopted === 0;
  return {
    version,
    ledger: isRead ? ledgerOf(chargeReference, row) : await readLedger(trx, charge),
  };
}

/** An authorisation code is not unique: a greater amount in the same currency speaks against it. */
const IS_SAME_CODE = sql`(upper(trim(a.authorisation_code)) = c.authorisation_code and a.card_last4 = c.card_last4
  and coalesce(a.currency <> c.currency or a.amount_minor <= c.amount_minor, true))`;

/** Whether the alert `a` names the charge `c`. One that names another payment of the same integration is
 * about that, whatever numbers agree. */
const NAMES_CHARGE = sql`(a.integration_transaction_id = c.reference
    or ((a.integration_transaction_id is null or a.integration_id <> c.integration_id)
      and (${IS_SAME_NUMBER} or ${IS_SAME_CODE})))`;

/**
 * The service goes by card and amount alone where it knows no number, and may then name another payment of the same
 * card. An accepted alert with this charge's number, card and amount forbids its refund all the same; network money
 * does not cover it.
 */
const IS_SURELY_SAME = sql`(${IS_SAME_NUMBER} and a.card_last4 = c.card_last4
  and a.amount_minor = c.amount_minor and a.currency = c.currency)`;

/**
 * Takes over what waits and names this charge: `news` has a row for each movement and each accepted alert.
 * A reference that the lock's row says has the charge locked before any other row.
 */
function adoption(organisationId: string, reference: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`moved as (
      update movement m set charge_reference = c.reference, next_action_at = null, version = m.version + 1
      from charge c, alert a
      where m.organisation_id = ${organisationId} and m.charge_reference is null and m.kind = 'network'
        and c.organisation_id = m.organisation_id and c.reference = ${reference}
        and a.organisation_id = m.organisation_id and a.id = m.observed_from
        and ${NAMES_CHARGE}
      returning m.alert_id
    ), accepted as (
      select k.alert_id from alert_case k
      join charge c on c.organisation_id = k.organisation_id and c.reference = ${reference}
      join alert a on a.organisation_id = k.organisation_id and a.id = k.alert_id
      where k.organisation_id = ${organisationId} and k.charge_reference is null
        and k.state in ('DECLARE_ACCEPT', 'DECLARED_ACCEPT')
        and (${NAMES_CHARGE} or ${IS_SURELY_SAME})
    ), news as (
      select alert_id from moved union all select alert_id from accepted
    ), adopted as (
      update alert_case k set charge_reference = ${reference}
      from news where k.organisation_id = ${organisationId} and k.alert_id = news.alert_id
      returning k.alert_id)`;
}
