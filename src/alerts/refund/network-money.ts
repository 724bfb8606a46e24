/**
 * The network's own refunds (RDR) as readings of money: booked when the alert comes, matched later when
 * no charge was known, computed again at every change of the alert. No call is made about the alert,
 * ever; the case ends at once.
 */
import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Trx } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { closeFinding, openFinding } from '../../base/findings/finding.store.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { createId } from '../../base/kernel/ids.ts';
import type { Money } from '../../base/kernel/money.ts';
import type { AlertTable } from '../apply/entity.table.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { moveCase } from '../cases/case.store.ts';
import { wakeCasesOfCharge } from '../cases/wake-cases.store.ts';
import type { ChargeKey } from '../ledger/ledger.store.ts';
import { lockCharge } from '../ledger/ledger.store.ts';
import type { MovementRow } from '../ledger/movement.store.ts';
import { networkReadings } from '../ledger/observe.store.ts';
import { openLedger } from '../ledger/open-ledger.ts';
import { ladderMs } from './retry-ladder.ts';
import type { SagaDeps } from './saga-deps.ts';

/** What is known about the network's refund. */
export interface RdrRefund {
  readonly alert: Pick<Selectable<AlertTable>, 'id' | 'status' | 'refund_outcome'>;
  /** Null when no single charge was found: the money waits for one (L8). */
  readonly chargeReference: string | null;
  readonly now: Date;
}

/** Money that waits for its charge is matched again this often at least, in milliseconds. */
const MATCH_AGAIN_MS = 60 * 60_000;

/** After this long without a charge a person is asked, in milliseconds. */
const UNPLACED_MS = 24 * 60 * 60_000;

/** Books the network's refund and ends the case as `RECONCILED_RDR`, in the caller's transaction. */
export async function reconcileRdr(
  trx: Trx,
  claim: CaseRow,
  { alert, chargeReference, now }: RdrRefund,
): Promise<CaseRow> {
  await bookReading(trx, claim.organisation_id, { alertId: alert.id, chargeReference, now });
  const ended = await moveCase(trx, claim, {
    to: 'RECONCILED_RDR',
    now,
    what: 'settled by the network',
    detail: {
      status: alert.status,
      outcome: alert.refund_outcome,
      charge: chargeReference ?? 'not known yet',
    },
    set: { charge_reference: chargeReference },
  });
  if (chargeReference !== null) {
    await recompute(trx, { organisationId: claim.organisation_id, chargeReference }, now);
  }
  return ended;
}

/** Stores what the alert says of its money now; an alert has one reading. */
async function bookReading(
  trx: Trx,
  organisationId: string,
  about: { readonly alertId: string; readonly chargeReference: string | null; readonly now: Date },
): Promise<void> {
  const { alertId, chargeReference, now } = about;
  const nextActionAt = chargeReference === null ? new Date(now.getTime() + MATCH_AGAIN_MS) : null;
  await sql`
    insert into movement (organisation_id, id, charge_reference, kind, state, alert_id, observed_from, amount_minor,
      currency, confirmed_at, next_action_at, created_at, changed_at)
    select ${organisationId}, ${createId('mv')}, ${chargeReference}::text, 'network', r.state, r.alert_id, r.alert_id, r.amount,
      r.currency, ${now}::timestamptz, ${nextActionAt}::timestamptz, ${now}, ${now}
    from (${networkReadings(organisationId)}) r where r.alert_id = ${alertId}
    on conflict (organisation_id, observed_from) where kind = 'network' do update set
      charge_reference = coalesce(movement.charge_reference, excluded.charge_reference),
      next_action_at = excluded.next_action_at, version = movement.version + 1`.execute(trx);
}

/** The charge's ledger with the network's money as the alerts say it now. */
async function recompute(trx: Trx, charge: ChargeKey, now: Date): Promise<void> {
  await openLedger(trx, {
    charge,
    reading: undefined,
    capabilities: { asyncRefunds: true, pendingCounts: false },
    samePart: 'REVIEW',
    alertId: null,
    now,
  });
  const { organisationId, chargeReference: reference } = charge;
  await wakeCasesOfCharge(trx, organisationId, { reference, now });
}

/** A network movement whose moment has come: its alert changed, or its charge is still not known. */
export async function placeNetworkMoney(
  deps: SagaDeps,
  held: MovementRow,
  signal: AbortSignal,
): Promise<void> {
  const { organisation_id: organisationId, alert_id: alertId } = held;
  const now = nowDate(deps.clock);
  if (held.charge_reference !== null) {
    const charge = { organisationId, chargeReference: held.charge_reference };
    return await inTransaction(deps.db, async (trx) => {
      // Planned before the alert is read: a change that comes meanwhile plans another look after this.
      await lockCharge(trx, charge);
      await replan(trx, held, null);
      await recompute(trx, charge, now);
    });
  }
  const found =
    alertId === null ? { kind: 'none' as const } : await deps.locateCharge(alertId, signal);
  if (found.kind !== 'single' || alertId === null) {
    const waitMs =
      found.kind === 'unanswered'
        ? ladderMs(held.attempts, { random: Math.random() })
        : MATCH_AGAIN_MS;
    return await stillUnplaced(deps, held, new Date(now.getTime() + waitMs));
  }
  await inTransaction(deps.db, async (trx) => {
    const charge = { organisationId, chargeReference: found.reference };
    await bookReading(trx, organisationId, { alertId, chargeReference: found.reference, now });
    await trx
      .updateTable('alert_case')
      .set({ charge_reference: found.reference })
      .where('organisation_id', '=', organisationId)
      .where('alert_id', '=', alertId)
      .execute();
    await recompute(trx, charge, now);
    await replan(trx, held, null);
    const key = { organisationId, subject: 'alert', subjectId: alertId };
    await closeFinding(trx, { ...key, kind: UNPLACED }, now);
  });
}

const UNPLACED = 'network_money_without_charge';

async function stillUnplaced(deps: SagaDeps, held: MovementRow, nextAt: Date): Promise<void> {
  const now = nowDate(deps.clock);
  const isOld = now.getTime() - held.created_at.getTime() >= UNPLACED_MS;
  await inTransaction(deps.db, async (trx) => {
    // A charge has taken it over meanwhile: from now on it changes with that charge's ledger only.
    if (!(await replan(trx, held, nextAt))) return;
    const money = await refreshUnplaced(trx, held);
    const { organisation_id: organisationId, alert_id: subjectId } = held;
    if (subjectId === null) return;
    const key = { organisationId, kind: UNPLACED, subject: 'alert', subjectId };
    if (money === undefined || money.amountMinor === 0)
      return void (await closeFinding(trx, key, now));
    if (!isOld) return;
    await openFinding(trx, {
      ...key,
      severity: 'warning',
      evidence: { amount_in_cents: money.amountMinor, currency: money.currency },
      nextStep:
        'The network refunded a payment (RDR) and no charge of ours matches it. Send its order, or name the charge, before another alert about the same payment is refunded on top.',
      at: now,
    });
  });
}

/** The money as its alert says it now. On a charge, the ledger does this. */
async function refreshUnplaced(
  trx: Trx,
  { organisation_id: organisationId, id, observed_from: alertId }: MovementRow,
): Promise<Money | undefined> {
  const { rows } = await sql<Money>`
    update movement m set state = r.state, amount_minor = r.amount, currency = r.currency
    from (${networkReadings(organisationId)}) r
    where m.organisation_id = ${organisationId} and m.id = ${id} and r.alert_id = ${alertId}
    returning m.amount_minor as "amountMinor", m.currency`.execute(trx);
  return rows[0];
}

/** Plans the next look; one that has no charge yet is planned while it has none. False: it has one. */
async function replan(
  trx: Trx,
  { organisation_id, id, attempts }: MovementRow,
  nextAt: Date | null,
): Promise<boolean> {
  const isUnplaced = sql<boolean>`charge_reference is null`;
  const { numUpdatedRows } = await trx
    .updateTable('movement')
    .set({
      next_action_at: nextAt,
      lease_owner: null,
      lease_until: null,
      attempts: nextAt === null ? 0 : attempts + 1,
    })
    .where('organisation_id', '=', organisation_id)
    .where('id', '=', id)
    .where(nextAt === null ? sql<boolean>`true` : isUnplaced)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
