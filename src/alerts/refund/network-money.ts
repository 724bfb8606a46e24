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
import { notify } from '../../base/notify/notification.store.ts';
import type { AlertTable } from '../apply/entity.table.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { moveCase } from '../cases/case.store.ts';
import { wakeCasesOfCharge } from '../cases/wake-cases.store.ts';
import type { ChargeKey } from '../ledger/ledger.store.ts';
import { lockCharge } from '../ledger/ledger.store.ts';
import type { MovementRow } from '../ledger/movement.store.ts';
import { networkReadings } from '../ledger/observe.store.ts';
import { openLedger } from '../ledger/with-ledger.ts';
import { ladderMs } from './retry-ladder.ts';
import type { LocatedCharge, SagaDeps } from './saga-deps.ts';

/** What is known about the network's refund. */
export interface RdrRefund {
  readonly alert: Pick<Selectable<AlertTable>, 'id' | 'status' | 'refund_outcome'>;
  /** Null when no single charge was found: the money waits for one (L8). */
  readonly chargeReference: string | null;
  /** Where none was found: those that it may be about. @default none */
  readonly candidates?: readonly string[];
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
  { alert, chargeReference, candidates = [], now }: RdrRefund,
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
  } else if (candidates.length > 0) {
    const about = { organisationId: claim.organisation_id, alertId: alert.id, candidates };
    await tellUnplaced(trx, { ...about, money: await readUnplaced(trx, about), now });
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
  await openLedger(trx, { charge, samePart: 'REVIEW', now });
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
    alertId === null
      ? ({ kind: 'none' } satisfies LocatedCharge)
      : await deps.locateCharge(alertId, signal);
  if (found.kind !== 'single' || alertId === null) {
    const waitMs =
      found.kind === 'unanswered'
        ? ladderMs(held.attempts, { random: Math.random() })
        : MATCH_AGAIN_MS;
    const candidates = found.kind === 'single' ? [] : (found.candidates ?? []);
    return await stillUnplaced(deps, held, {
      nextAt: new Date(now.getTime() + waitMs),
      candidates,
    });
  }
  const { reference } = found;
  await inTransaction(deps.db, (trx) =>
    placeOnCharge(trx, { organisationId, alertId, chargeReference: reference, now }),
  );
}

/** Books the network's money of an alert on the charge that was found, or that a person named. */
export async function placeOnCharge(
  trx: Trx,
  placed: {
    readonly organisationId: string;
    readonly alertId: string;
    readonly chargeReference: string;
    readonly now: Date;
  },
): Promise<void> {
  const { organisationId, alertId, chargeReference, now } = placed;
  await bookReading(trx, organisationId, { alertId, chargeReference, now });
  await placeAcceptance(trx, placed);
  await trx
    .updateTable('movement')
    .set({ next_action_at: null, lease_owner: null, lease_until: null, attempts: 0 })
    .where('organisation_id', '=', organisationId)
    .where('kind', '=', 'network')
    .where('observed_from', '=', alertId)
    .execute();
  const key = { organisationId, subject: 'alert', subjectId: alertId };
  await closeFinding(trx, { ...key, kind: UNPLACED }, now);
}

/** The acceptance of an alert is on the charge that a person named for it. */
export async function placeAcceptance(
  trx: Trx,
  { organisationId, alertId, chargeReference, now }: Parameters<typeof placeOnCharge>[1],
): Promise<void> {
  await trx
    .updateTable('alert_case')
    .set({ charge_reference: chargeReference })
    .where('organisation_id', '=', organisationId)
    .where('alert_id', '=', alertId)
    .execute();
  await recompute(trx, { organisationId, chargeReference }, now);
}

const UNPLACED = 'network_money_without_charge';

async function stillUnplaced(
  deps: SagaDeps,
  held: MovementRow,
  { nextAt, candidates }: { readonly nextAt: Date; readonly candidates: readonly string[] },
): Promise<void> {
  const now = nowDate(deps.clock);
  const isOld = now.getTime() - held.created_at.getTime() >= UNPLACED_MS;
  await inTransaction(deps.db, async (trx) => {
    // A charge has taken it over meanwhile: from now on it changes with that charge's ledger only.
    if (!(await replan(trx, held, nextAt))) return;
    const money = await refreshUnplaced(trx, held);
    const { organisation_id: organisationId, alert_id: alertId } = held;
    if (alertId === null) return;
    if (money?.state === 'REVERSED') {
      const key = { organisationId, kind: UNPLACED, subject: 'alert', subjectId: alertId };
      return void (await closeFinding(trx, key, now));
    }
    if (!isOld && candidates.length === 0) return;
    await tellUnplaced(trx, { organisationId, alertId, candidates, money, now });
  });
}

/** The network's money of an alert that has no charge. */
type UnplacedMoney = Money & Pick<MovementRow, 'state'>;

async function readUnplaced(
  trx: Trx,
  { organisationId, alertId }: { readonly organisationId: string; readonly alertId: string },
): Promise<UnplacedMoney | undefined> {
  return await trx
    .selectFrom('movement')
    .select(['amount_minor as amountMinor', 'currency', 'state'])
    .where('organisation_id', '=', organisationId)
    .where('kind', '=', 'network')
    .where('observed_from', '=', alertId)
    .executeTakeFirst();
}

/** At once where a charge may be meant: until a person says, nothing is answered by itself on that charge. */
async function tellUnplaced(
  trx: Trx,
  about: {
    readonly organisationId: string;
    readonly alertId: string;
    readonly candidates: readonly string[];
    readonly money: UnplacedMoney | undefined;
    readonly now: Date;
  },
): Promise<void> {
  const { organisationId, alertId, candidates, money, now } = about;
  if (money === undefined || money.state === 'REVERSED') return;
  const names = candidates.join(', ');
  const nextStep =
    candidates.length === 0
      ? 'The network refunded a payment (RDR) and no charge of ours matches it. Send its order, or choose the charge on the page of the alert, before another alert about the same payment is refunded on top.'
      : `The network refunded a payment (RDR) and nobody can say which. It may be ${names}: choose the charge on the page of the alert, also after it closed, or refund the alert that waits because of it.`;
  await openFinding(trx, {
    ...{ organisationId, kind: UNPLACED, subject: 'alert', subjectId: alertId },
    severity: 'warning',
    evidence: { amount_in_cents: money.amountMinor, currency: money.currency, candidates },
    nextStep,
    at: now,
  });
  await notify(trx, {
    organisationId,
    dedupeKey: `${UNPLACED}:${alertId}`,
    kind: UNPLACED,
    severity: 'warning',
    alertId,
    text: `Alert ${alertId}: ${nextStep}`,
    at: now,
  });
}

/** The money as its alert says it now. On a charge, the ledger does this. */
async function refreshUnplaced(
  trx: Trx,
  { organisation_id: organisationId, id, observed_from: alertId }: MovementRow,
): Promise<UnplacedMoney | undefined> {
  const { rows } = await sql<UnplacedMoney>`
    update movement m set state = r.state, amount_minor = r.amount, currency = r.currency
    from (${networkReadings(organisationId)}) r
    where m.organisation_id = ${organisationId} and m.id = ${id} and r.alert_id = ${alertId}
    returning m.amount_minor as "amountMinor", m.currency, m.state`.execute(trx);
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
