/**
 * The SQL of movements of ours: reserve, read, move. Who holds a row is `movement-lease.store.ts`.
 *
 * Every move compares the row's version, so a worker that slept through its lease can write nothing.
 * What may never be broken (one request at a time, never above the charge or the dispute, never besides
 * an answer that denies it) is refused by the database as well.
 */
import type { OperationNodeSource, Selectable, Updateable } from 'kysely';
import { sql } from 'kysely';
import { writeAudit } from '../../base/audit/audit.store.ts';
import type { Db, Trx } from '../../base/db/database.ts';
import { wake } from '../../base/jobs/wake.store.ts';
import { InvariantError } from '../../base/kernel/errors.ts';
import { createId } from '../../base/kernel/ids.ts';
import { StaleClaimError } from '../cases/case.store.ts';
import { wakingCases } from '../cases/wake-cases.store.ts';
import type { ChargeKey } from './ledger.store.ts';
import type { MovementTable } from './ledger.table.ts';
import { MOVEMENT_COLUMNS } from './ledger.table.ts';
import { movementKey } from './movement-key.ts';
import type { MovementState } from './movement-state.ts';
import { isSameTry, mayMovementBecome } from './movement-state.ts';
import { reportMovement } from './tell-order-feed.ts';

/** A movement as read. */
export type MovementRow = Selectable<MovementTable>;

/** A movement of ours. */
export type OurMovementRow = MovementRow & {
  readonly charge_reference: string;
  readonly idempotency_key: string;
  readonly alert_id: string;
};

/** The topic that wakes the movements' runners. */
export const MOVEMENT_TOPIC = 'movement';

/** Who holds a row, and until when. */
export interface Lease {
  readonly owner: string;
  readonly until: Date;
}

/** Whether the row is one of ours. */
export function isOurRow(row: MovementRow): row is OurMovementRow {
  return row.idempotency_key !== null && row.charge_reference !== null && row.alert_id !== null;
}

/** One movement of ours by its id, or undefined. */
export async function findMovement(
  db: Db,
  organisationId: string,
  id: string,
): Promise<OurMovementRow | undefined> {
  const row = await db
    .selectFrom('movement')
    .select(MOVEMENT_COLUMNS.names)
    .where('organisation_id', '=', organisationId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row !== undefined && isOurRow(row) ? row : undefined;
}

/** Movements of a charge, oldest first. */
export async function movementsOfCharge(
  db: Db,
  { organisationId, chargeReference }: ChargeKey,
): Promise<MovementRow[]> {
  return await db
    .selectFrom('movement')
    .select(MOVEMENT_COLUMNS.names)
    .where('organisation_id', '=', organisationId)
    .where('charge_reference', '=', chargeReference)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/** A movement of ours to be stored. */
export interface NewMovement {
  /** @default a new one */
  readonly id?: string;
  readonly charge: ChargeKey;
  readonly kind: 'refund' | 'void';
  readonly state: 'SENT' | 'NOT_SENT' | 'PENDING' | 'CONFIRMED';
  readonly disputeId: string;
  readonly alertId: string;
  readonly round: number;
  readonly amountMinor: number;
  readonly currency: string;
  readonly processorReference?: string | null;
  readonly failureCode?: string | null;
  readonly nextActionAt: Date | null;
  /** When its request can no longer execute unseen. */
  readonly provenAt?: Date;
  readonly lease?: Lease;
  /** The alert whose case continues in this very transaction, and need not be woken. */
  readonly holder?: string;
  /** Whose refund it is, as hashes, for the counts of the caps. */
  readonly customer?: readonly string[];
  /** The merchant whose own processor it goes through. @default the organisation's */
  readonly sentThrough?: string | null;
  /** The name of the processor. */
  readonly processor?: string | undefined;
  readonly what: string;
  readonly now: Date;
}

/** Stores a movement with its cover. The charge is locked. */
export async function insertMovement(trx: Trx, movement: NewMovement): Promise<OurMovementRow> {
  const { charge, lease, now, state, nextActionAt } = movement;
  const wasSent = state !== 'NOT_SENT';
  const insert = trx.insertInto('movement').values({
    organisation_id: charge.organisationId,
    id: movement.id ?? createId('mv'),
    charge_reference: charge.chargeReference,
    kind: movement.kind,
    state,
    dispute_id: movement.disputeId,
    alert_id: movement.alertId,
    idempotency_key: movementKey(charge, movement.round),
    round: movement.round,
    amount_minor: movement.amountMinor,
    currency: movement.currency,
    processor_reference: movement.processorReference ?? null,
    failure_code: movement.failureCode ?? null,
    first_sent_at: wasSent ? now : null,
    sent_at: wasSent ? now : null,
    proven_at: movement.provenAt ?? null,
    sent_through: movement.sentThrough ?? null,
    processor: wasSent ? (movement.processor ?? null) : null,
    confirmed_at: state === 'CONFIRMED' ? now : null,
    lease_owner: lease?.owner ?? null,
    lease_until: lease?.until ?? null,
    next_action_at: nextActionAt,
    created_at: now,
    changed_at: now,
  });
  const row = await execute(trx, insert, { ...movement, customer: movement.customer ?? [] });
  if (row === undefined || !isOurRow(row)) {
    throw new InvariantError('A movement was stored without a key.');
  }
  await afterMove(trx, row, { to: state, now, what: movement.what });
  return row;
}

/** What is written with a movement's row. */
interface RowChange {
  readonly charge: ChargeKey;
  readonly holder?: string | undefined;
  readonly now: Date;
  /** Whose refund it is; undefined: the row is not new, and has its cover. */
  readonly customer?: readonly string[];
}

/**
 * Writes the row, and wakes the charge's cases; a new one with its cover, and with its customer for the
 * counts of the caps. Both follow from the row, so that they are written after it.
 */
async function execute(
  trx: Trx,
  change: OperationNodeSource,
  { charge, holder, now, customer }: RowChange,
): Promise<MovementRow | undefined> {
  const { organisationId, chargeReference: reference } = charge;
  const newRows = sql`covered as (
      insert into cover (organisation_id, movement_id, dispute_id, amount_minor)
      select organisation_id, id, dispute_id, amount_minor from moved
    ), counted as (
      insert into refund_customer (organisation_id, identity, movement_id)
      select organisation_id, identity, id from moved, unnest(${customer ?? []}::text[]) as identity
      on conflict do nothing
    ),`;
  const { rows } = await sql<MovementRow & { woken: number }>`
    with moved as (${change} returning ${MOVEMENT_COLUMNS.of('movement')}), ${customer === undefined ? sql`` : newRows}
      woken as (${wakingCases(organisationId, { reference, now, holder })})
    select ${MOVEMENT_COLUMNS.of('moved')}, (select count(*) from woken) as woken from moved`.execute(
    trx,
  );
  const [written] = rows;
  if (written === undefined) return undefined;
  const { woken, ...row } = written;
  if (woken > 0) await wake(trx, 'case');
  return row;
}

/** A move of a movement. Staying in the same state with a new plan is a move without an audit row. */
export interface MovementMove {
  readonly to: MovementState;
  readonly now: Date;
  /** The next moment of action; null when nothing more is to be done by itself. */
  readonly nextActionAt: Date | null;
  readonly what: string;
  readonly set?: Omit<
    Updateable<MovementTable>,
    'state' | 'version' | 'next_action_at' | 'lease_owner' | 'lease_until' | 'changed_at'
  >;
  readonly detail?: Record<string, unknown>;
  /** Keep or take the row until then; without it the row is released. */
  readonly lease?: Lease;
  /** The alert whose case continues in this very transaction, and need not be woken. */
  readonly holder?: string | undefined;
  /** @default 'forestall' */
  readonly actor?: string;
}

/**
 * Moves a movement, comparing its version, writes the audit row and wakes the charge's cases.
 *
 * @throws {StaleClaimError} when the row has moved since `from` was read
 * @throws {InvariantError} when the table of transitions does not allow the move
 */
export async function moveMovement(
  trx: Trx,
  from: OurMovementRow,
  move: MovementMove,
): Promise<OurMovementRow> {
  const { to, now } = move;
  if (to !== from.state && !mayMovementBecome(from.state, to)) {
    throw new InvariantError(`Movement ${from.id} cannot go from ${from.state} to ${to}.`);
  }
  const update = trx
    .updateTable('movement')
    .set({
      ...(isSameTry(from.state, to) ? {} : { attempts: 0 }),
      ...move.set,
      state: to,
      version: from.version + 1,
      next_action_at: move.nextActionAt,
      lease_owner: move.lease?.owner ?? null,
      lease_until: move.lease?.until ?? null,
      changed_at: now,
    })
    .where('organisation_id', '=', from.organisation_id)
    .where('id', '=', from.id)
    .where('state', '=', from.state)
    .where('version', '=', from.version);
  const charge = {
    organisationId: from.organisation_id,
    chargeReference: from.charge_reference,
  };
  const row =
    to === from.state
      ? await update.returning(MOVEMENT_COLUMNS.names).executeTakeFirst()
      : await execute(trx, update, { charge, holder: move.holder, now });
  if (row === undefined || !isOurRow(row)) {
    throw new StaleClaimError(`Movement ${from.id} moved on since it was claimed.`);
  }
  if (to !== from.state) await afterMove(trx, row, { ...move, from: from.state });
  if (move.nextActionAt !== null && move.nextActionAt <= now) await wake(trx, MOVEMENT_TOPIC);
  return row;
}

async function afterMove(
  trx: Trx,
  row: OurMovementRow,
  move: Pick<MovementMove, 'to' | 'now' | 'what' | 'detail' | 'actor'> & { from?: MovementState },
): Promise<void> {
  await writeAudit(trx, {
    organisationId: row.organisation_id,
    at: move.now,
    subject: 'movement',
    subjectId: row.id,
    alertId: row.alert_id,
    what: move.what,
    toState: move.to,
    ...(move.from === undefined ? {} : { fromState: move.from }),
    ...(move.actor === undefined ? {} : { actor: move.actor }),
    detail: {
      charge: row.charge_reference,
      dispute: row.dispute_id,
      amount_minor: row.amount_minor,
      currency: row.currency,
      ...move.detail,
    },
  });
  await reportMovement(trx, row);
}
