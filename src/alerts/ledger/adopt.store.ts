/**
 * What waits for a charge that is not known yet, and is taken over by the charge that its alert names, as the matcher says
 * (`same-charge.ts`). Asked in every transaction that decides about a charge's money.
 *
 * Network money (L8) waits as a movement without a charge. So does an alert that was accepted because no charge was
 * found: the order may come later, and with it the same complaint through another network. That one must not be
 * refunded besides the chargeback that was accepted (L5).
 */
import { sql } from 'kysely';
import type { Trx } from '../../base/db/database.ts';
import { assertInvariant } from '../../base/kernel/errors.ts';
import type { Meant } from '../match/matcher.ts';
import type { ChargeKey, ShownCharge } from './ledger.store.ts';
import { ledgerOf, ledgerQuery, lockingCharge, readLedger } from './ledger.store.ts';
import type { LedgerRow } from './ledger.table.ts';
import type { Ledger } from './ledger.ts';
import type { Waiting } from './same-charge.ts';
import { ACCEPTED_UNCHARGED_STATES, meantIn, waitingForCharge } from './same-charge.ts';

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
  readonly was_status: Ledger['status'];
  readonly was_minor: number | null;
  readonly was_disputed: boolean | null;
};

/** What waits and is about the charge, by the ids of the alerts. */
interface Adopted {
  readonly network: readonly string[];
  readonly accepted: readonly string[];
  /** Decided and not said, and surely about this charge: its holder loses the lease, and it is decided here. */
  readonly accepting: readonly string[];
  /** Decided and not said, and perhaps about this charge: its holder loses the lease, and it is looked at again. */
  readonly inDoubt: readonly string[];
}

/**
 * Locks a charge as `lockCharge` does and reads its ledger in one statement. That has seen nothing of what others committed
 * while it waited for the lock; they have counted the version on, and it is read again. What waits and is about the charge is
 * then taken over.
 */
export async function lockLedger(
  trx: Trx,
  charge: ChargeKey,
  { shown, holds }: { readonly shown: Partial<ShownCharge>; readonly holds?: string | undefined },
): Promise<LockedLedger> {
  const { chargeReference } = charge;
  const { rows } = await sql<LockedRow>`
    with locked as (${lockingCharge(trx, charge, shown)})
    select k.status, k.amount_minor, k.currency, k.read_at, k.disputed, k.version, l.version as seen,
      l.status as was_status, l.amount_minor as was_minor, l.disputed as was_disputed,
      l.movements, l.disputes, l.alerts, l.waiting
    from locked k cross join (${ledgerQuery(charge)}) l`.execute(trx);
  const [row] = rows;
  assertInvariant(row !== undefined, `Charge ${chargeReference} was not locked.`);
  const version = row.version - 1;
  const isOld = row.seen !== version;
  const waiting = isOld ? await readWaiting(trx, charge) : (row.waiting ?? []);
  const adopted = adoptedOf(waiting, holds);
  const isAdopted = Object.values(adopted).some(({ length }) => length > 0);
  if (isAdopted) await adopt(trx, charge, adopted);
  // A statement does not see what it writes itself.
  const ledger =
    isOld || isAdopted ? await readLedger(trx, charge) : ledgerOf(chargeReference, row);
  // What waited for the lock is not seen, and its reading is refused.
  const was = { status: row.was_status, amountMinor: row.was_minor, isDisputed: row.was_disputed };
  return { version, ledger, before: isOld ? ledger : { ...ledger, ...was } };
}

async function readWaiting(
  trx: Trx,
  { organisationId, chargeReference }: ChargeKey,
): Promise<readonly Waiting[]> {
  const { rows } = await sql<Pick<LockedRow, 'waiting'>>`
    select ${waitingForCharge(organisationId, chargeReference)} as waiting`.execute(trx);
  return rows[0]?.waiting ?? [];
}

/** @param holds the alert whose acceptance the caller is about to store */
function adoptedOf(waiting: readonly Waiting[], holds: string | undefined): Adopted {
  const meant = waiting.map(({ kind, ...each }) => ({
    kind,
    alertId: each.alert.id,
    meant: each.alert.id === holds && kind === 'accepting' ? 'not' : meantIn({ kind, ...each }),
  }));
  const named = (wanted: Waiting['kind']): string[] =>
    meant
      .filter((each) => each.kind === wanted && each.meant === 'named')
      .map(({ alertId }) => alertId);
  return {
    network: named('network'),
    accepted: named('acceptance'),
    accepting: named('accepting'),
    inDoubt: meant
      .filter((each) => each.kind === 'accepting' && !SURE.has(each.meant))
      .map(({ alertId }) => alertId),
  };
}

const SURE: ReadonlySet<Meant> = new Set(['named', 'not']);

/** Where it still waits: what was taken over elsewhere, or ended, meanwhile is left as it is. */
async function adopt(
  trx: Trx,
  { organisationId, chargeReference }: ChargeKey,
  { network, accepted, accepting, inDoubt }: Adopted,
): Promise<void> {
  const lost = sql`version = k.version + 1, lease_owner = null, lease_until = null`;
  const isDecided = sql`k.organisation_id = ${organisationId} and k.charge_reference is null and k.state = 'DECIDED_ACCEPT'`;
  await sql`
    with moved as (
      update movement set charge_reference = ${chargeReference}, next_action_at = null, version = version + 1
      where organisation_id = ${organisationId} and charge_reference is null and kind = 'network'
        and observed_from = any(${network})
      returning alert_id
    ), accepting as (
      update alert_case k set charge_reference = ${chargeReference}, ${lost}
      where ${isDecided} and k.alert_id = any(${accepting})
    ), doubted as (
      update alert_case k set ${lost} where ${isDecided} and k.alert_id = any(${inDoubt})
    )
    update alert_case k set charge_reference = ${chargeReference}
    where k.organisation_id = ${organisationId} and (k.alert_id in (select alert_id from moved)
      or (k.alert_id = any(${accepted}) and k.charge_reference is null and k.state in ${ACCEPTED_UNCHARGED_STATES}))`.execute(
    trx,
  );
}
