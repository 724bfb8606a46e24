/**
 * What waits for a charge that is not known yet, and is taken over by the charge that its alert names: by reference,
 * by authorisation code and card digits, or by acquirer reference number (`same-charge.ts`). Asked in every transaction that decides about a charge's money.
 *
 * Network money (L8) waits as a movement without a charge. So does an alert that was accepted because no charge was
 * found: the order may come later, and with it the same complaint through another network. That one must not be
 * refunded beside the chargeback that was accepted (L5).
 */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Trx } from '../../base/db/database.ts';
import { assertInvariant } from '../../base/kernel/errors.ts';
import type { ChargeKey, LedgerRow, ShownCharge } from './ledger.store.ts';
import { ledgerOf, ledgerQuery, lockingCharge, readLedger } from './ledger.store.ts';
import type { Ledger } from './ledger.ts';
import {
  ACCEPTED_UNCHARGED_STATES,
  IS_ACCEPTED_UNCHARGED,
  IS_MONEY_OF,
  IS_NAMED,
  IS_SURELY_SAME,
} from './same-charge.ts';

/** A charge that is locked. */
export interface LockedLedger {
  /** What its version was before. */
  readonly version: number;
  readonly ledger: Ledger;
  /** The same as the charge was shown before. */
  readonly before: Ledger;
}

type LockedRow = LedgerRow & {
  /** The ledger's version in the snapshot of the statement, which is as old as its begin. */
  readonly seen: number;
  readonly adopted: number;
  readonly was_status: Ledger['status'];
  readonly was_minor: number | null;
  readonly was_disputed: boolean | null;
};

/**
 * Locks a charge as `lockCharge` does, takes over what waits and names it, and reads its ledger, in one
 * statement. That has seen nothing of what others committed while it waited for the lock; they have counted
 * the version on, and both are done again.
 */
export async function lockLedger(
  trx: Trx,
  charge: ChargeKey,
  {
    shown,
    holds = '',
  }: { readonly shown: Partial<ShownCharge>; readonly holds?: string | undefined },
): Promise<LockedLedger> {
  const { organisationId, chargeReference } = charge;
  const { rows } = await sql<LockedRow>`
    with locked as (${lockingCharge(trx, charge, shown)}),
    ${adoption(organisationId, { reference: sql`(select charge_reference from locked)`, holds })}
    select k.status, k.amount_minor, k.currency, k.read_at, k.disputed, k.version, l.version as seen,
      l.status as was_status, l.amount_minor as was_minor, l.disputed as was_disputed,
      l.movements, l.disputes, l.alerts, l."networkInDoubt", l.waiting, (select count(*) from news) as adopted
    from locked k cross join (${ledgerQuery(charge)}) l`.execute(trx);
  const [row] = rows;
  assertInvariant(row !== undefined, `Charge ${chargeReference} was not locked.`);
  const version = row.version - 1;
  const isOld = row.seen !== version;
  if (isOld) {
    const again = adoption(organisationId, { reference: sql`${chargeReference}`, holds });
    await sql`with ${again} select count(*) from news`.execute(trx);
  }
  // A statement does not see what it writes itself.
  const isRead = !isOld && row.adopted === 0;
  const ledger = isRead ? ledgerOf(chargeReference, row) : await readLedger(trx, charge);
  // What waited for the lock is not seen, and its reading is refused.
  const was = { status: row.was_status, amountMinor: row.was_minor, isDisputed: row.was_disputed };
  return { version, ledger, before: isOld ? ledger : { ...ledger, ...was } };
}

/**
 * Takes over what waits and names this charge: `news` has a row for each movement and each accepted alert.
 * A reference that the lock's row says has the charge locked before any other row.
 */
function adoption(
  organisationId: string,
  { reference, holds }: { readonly reference: RawBuilder<unknown>; readonly holds: string },
): RawBuilder<unknown> {
  return sql`moved as (
      update movement m set charge_reference = c.reference, next_action_at = null, version = m.version + 1
      from charge c, alert a
      where m.organisation_id = ${organisationId} and m.charge_reference is null and m.kind = 'network'
        and c.organisation_id = m.organisation_id and c.reference = ${reference}
        and a.organisation_id = m.organisation_id and a.id = m.observed_from
        and ${IS_MONEY_OF}
      returning m.alert_id
    ), accepted as (
      select k.alert_id from alert_case k
      join charge c on c.organisation_id = k.organisation_id and c.reference = ${reference}
      join alert a on a.organisation_id = k.organisation_id and a.id = k.alert_id
      where k.organisation_id = ${organisationId} and k.charge_reference is null
        and k.state in ${ACCEPTED_UNCHARGED_STATES} and ${IS_ACCEPTED_UNCHARGED}
        and (${IS_NAMED} or ${IS_SURELY_SAME})
    ), accepting as (
      -- Decided and not said: whoever holds it has lost it, and it is decided on this charge.
      update alert_case k set charge_reference = c.reference, version = k.version + 1, lease_owner = null, lease_until = null
      from charge c, alert a
      where k.organisation_id = ${organisationId} and k.is_open and k.charge_reference is null and k.state = 'DECIDED_ACCEPT'
        and k.alert_id <> ${holds}
        and c.organisation_id = k.organisation_id and c.reference = ${reference}
        and a.organisation_id = k.organisation_id and a.id = k.alert_id and (${IS_NAMED} or ${IS_SURELY_SAME})
      returning k.alert_id
    ), news as (
      select alert_id from moved union all select alert_id from accepted union all select alert_id from accepting
    ), adopted as (
      update alert_case k set charge_reference = ${reference}
      from (select alert_id from moved union all select alert_id from accepted) as told
      where k.organisation_id = ${organisationId} and k.alert_id = told.alert_id
      returning k.alert_id)`;
}
