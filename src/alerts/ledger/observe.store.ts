/**
 * Writes what a reading shows of other people's money, and what the network says of its own, onto the
 * ledger: new movements, changed amounts, and which dispute they answer.
 */
import { sql } from 'kysely';
import type { Trx } from '../../base/db/database.ts';
import { createId } from '../../base/kernel/ids.ts';
import { toInstant } from '../../base/kernel/instant.ts';
import type { Allocation } from './allocate.ts';
import { allocate } from './allocate.ts';
import type { ChargeKey } from './ledger.store.ts';
import type { Ledger, Movement } from './ledger.ts';
import { isSaidOf } from './ledger.ts';
import type { ObservedState } from './movement-state.ts';
import type { Observed } from './reading-changes.ts';

/** Where and when. */
export interface ObserveContext {
  readonly charge: ChargeKey;
  readonly now: Date;
}

/** The ledger with what was observed at the processor. */
export async function writeObserved(
  trx: Trx,
  ledger: Ledger,
  { observed, charge, now }: ObserveContext & { readonly observed: readonly Observed[] },
): Promise<Ledger> {
  let { movements } = ledger;
  for (const each of observed) {
    if (each.movement === undefined) {
      const added = await insertObserved(trx, { charge, now, ...each, from: 'processor' });
      movements = [...movements, added];
    } else {
      const { id } = each.movement;
      await updateObserved(trx, { charge, now, id, ...each });
      movements = movements.map((old) => (old.id === id ? observedAs(old, each) : old));
    }
  }
  return { ...ledger, movements };
}

function observedAs(old: Movement, { state, amountMinor, currency }: Observed): Movement {
  return { ...old, state, amountMinor, currency };
}

/** Money that somebody says went back outside what the processor shows. */
export interface NewObserved extends ObserveContext {
  readonly kind: 'external' | 'void' | 'chargeback';
  readonly state: ObservedState;
  readonly amountMinor: number;
  readonly currency: string;
  readonly reference: string;
  /** `processor`, or `operator:<name>`. */
  readonly from: string;
  readonly disputeId?: string | null;
  /** When the processor says that it was made. */
  readonly movedAt?: string | null;
}

/** Stores a movement that is not ours. */
export async function insertObserved(trx: Trx, observed: NewObserved): Promise<Movement> {
  const { charge, now, kind, state, amountMinor, currency, reference, from } = observed;
  const id = createId('mv');
  const movedAt = movedAtOf(observed.movedAt);
  await trx
    .insertInto('movement')
    .values({
      organisation_id: charge.organisationId,
      id,
      charge_reference: charge.chargeReference,
      kind,
      state,
      dispute_id: observed.disputeId ?? null,
      amount_minor: amountMinor,
      currency,
      processor_reference: reference,
      observed_from: from,
      moved_at: movedAt,
      confirmed_at: state === 'CONFIRMED' ? now : null,
      created_at: now,
      changed_at: now,
    })
    .execute();
  return {
    id,
    kind,
    state,
    version: 1,
    disputeId: observed.disputeId ?? null,
    alertId: null,
    key: null,
    round: 1,
    amountMinor,
    currency,
    reference,
    observedFrom: from,
    failureCode: null,
    failureClass: null,
    wasSent: false,
    processor: null,
    movedAtMs: movedAt === null ? null : Date.parse(movedAt),
    covers: [],
  };
}

/** The moment that a processor names; a day alone would not tell before from after. */
function movedAtOf(text: string | null | undefined): string | null {
  return text == null || text.length <= DAY_LENGTH ? null : toInstant(text);
}

const DAY_LENGTH = 'YYYY-MM-DD'.length;

/** Writes which dispute somebody else's money answers, as a person says. */
export async function nameMoney(
  trx: Trx,
  named: ObserveContext & { readonly movementId: string; readonly disputeId: string },
): Promise<void> {
  const { charge, now, movementId, disputeId } = named;
  await trx
    .updateTable('movement')
    .set((eb) => ({ dispute_id: disputeId, changed_at: now, version: eb('version', '+', 1) }))
    .where('organisation_id', '=', charge.organisationId)
    .where('id', '=', movementId)
    .execute();
}

interface ObservedUpdate extends ObserveContext {
  readonly id: string;
  readonly state: ObservedState;
  readonly amountMinor: number;
  readonly currency: string;
}

async function updateObserved(trx: Trx, update: ObservedUpdate): Promise<void> {
  const { charge, now, id, state, amountMinor, currency } = update;
  await trx
    .updateTable('movement')
    .set((eb) => ({
      state,
      amount_minor: amountMinor,
      currency,
      changed_at: now,
      version: eb('version', '+', 1),
      ...(state === 'CONFIRMED' ? { confirmed_at: sql`coalesce(confirmed_at, ${now})` } : {}),
    }))
    .where('organisation_id', '=', charge.organisationId)
    .where('id', '=', id)
    .execute();
}

/**
 * The ledger with the network's refunds as their alerts say it now: `RESOLVED` and `REFUNDED` moved the
 * alert's amount, what is withdrawn or was let through nothing (L8), and what is not said may be all of the charge.
 */
export async function refreshNetwork(
  trx: Trx,
  ledger: Ledger,
  { charge, now }: ObserveContext,
): Promise<Ledger> {
  const alerts = [...ledger.disputes.flatMap((dispute) => dispute.alerts), ...ledger.unplaced];
  if (!alerts.some(({ enrolmentType }) => enrolmentType === 'NETB_RDR')) return ledger;
  const { rows } = await sql<{
    id: string;
    state: ObservedState;
    amount: number;
    currency: string;
  }>`
    update movement m set state = r.state, amount_minor = r.amount, currency = r.currency, changed_at = ${now}, version = m.version + 1
    from (select alert_id, state, case when is_open then greatest(amount, coalesce(${ledger.amountMinor}::bigint, 0)) else amount end as amount,
      case when is_open then coalesce(${ledger.currency}::text, currency) else currency end as currency
      from (${networkReadings(charge.organisationId)}) told) r
    where m.organisation_id = ${charge.organisationId} and m.charge_reference = ${charge.chargeReference}
      and m.kind = 'network' and m.observed_from = r.alert_id
      and (m.state, m.amount_minor, m.currency) is distinct from (r.state, r.amount, r.currency)
    returning m.id, m.state, m.amount_minor as amount, m.currency`.execute(trx);
  const changed = new Map(rows.map((row) => [row.id, row]));
  const taken = ledger.movements.filter((each) => changed.get(each.id)?.state === 'REVERSED');
  const isTaken = (each: Movement): boolean => taken.some((network) => isSaidOf(each, network));
  // What a person said that it is in the charge's currency is gone with it.
  for (const { id, currency } of ledger.movements.filter(isTaken)) {
    await updateObserved(trx, { charge, now, id, state: 'REVERSED', amountMinor: 0, currency });
  }
  const movements = ledger.movements.map((each) => {
    if (isTaken(each)) return { ...each, state: 'REVERSED' as const, amountMinor: 0 };
    const row = changed.get(each.id);
    return row === undefined
      ? each
      : { ...each, state: row.state, amountMinor: row.amount, currency: row.currency };
  });
  return { ...ledger, movements };
}

/**
 * What each RDR alert says of its money; a currency that cannot be read is ISO 4217's "none". Where it does not say how much
 * moved, or whether, `is_open` is true: all of the charge may have gone, and nothing is known to have.
 */
export function networkReadings(organisationId: string): ReturnType<typeof sql> {
  return sql`
    select alert_id, currency, is_open, amount,
      case when is_open then 'PENDING' when amount > 0 then 'CONFIRMED' else 'REVERSED' end as state
    from (
      select id as alert_id, coalesce(substring(currency from '^[A-Z]{3}$'), 'XXX') as currency,
        is_refunded is null or (is_refunded and coalesce(amount_minor, 0) <= 0) as is_open,
        case when is_refunded is false then 0 else greatest(0, coalesce(amount_minor, 0)) end as amount
      from alert, lateral (select case
        when status = 'INVALID' or (status = 'RESOLVED' and refund_outcome = 'NOT_REFUNDED') then false
        when status = 'RESOLVED' and refund_outcome = 'REFUNDED' then true end as is_refunded) said
      where organisation_id = ${organisationId} and enrolment_type = 'NETB_RDR'
    ) told`;
}

/** The ledger with everybody's money allocated to the disputes it answers. */
export async function writeAllocation(
  trx: Trx,
  before: Ledger,
  organisationId: string,
): Promise<Ledger> {
  const { ledger, changed } = allocate(before);
  for (const allocation of changed) await writeCovers(trx, organisationId, allocation);
  return ledger;
}

async function writeCovers(
  trx: Trx,
  organisationId: string,
  { movement, covers }: Allocation,
): Promise<void> {
  await trx
    .deleteFrom('cover')
    .where('organisation_id', '=', organisationId)
    .where('movement_id', '=', movement.id)
    .execute();
  if (covers.length === 0) return;
  await trx
    .insertInto('cover')
    .values(
      covers.map(({ disputeId, amountMinor }) => ({
        organisation_id: organisationId,
        movement_id: movement.id,
        dispute_id: disputeId,
        amount_minor: amountMinor,
      })),
    )
    .execute();
}
