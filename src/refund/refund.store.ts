/**
 * The SQL of refunds: reserve a charge, read, move. Who holds a row is `refund-lease.store.ts`.
 *
 * A refund row is the reservation of its charge: the unique constraint allows one, and everything
 * that could move or disclaim the charge's money takes {@link lockCharge} first. Every move compares
 * the row's version, so a worker that slept through its lease can write nothing.
 */
import type { Insertable, Kysely, Selectable, Transaction, Updateable } from 'kysely';
import { sql } from 'kysely';
import { writeAudit } from '../audit/audit.store.ts';
import { StaleClaimError, wake, wakeCasesOfCharge } from '../cases/case.store.ts';
import type { Database } from '../db/database.ts';
import { InvariantError } from '../kernel/errors.ts';
import { createId, deriveId } from '../kernel/ids.ts';
import type { RefundTable } from './refund.table.ts';
import type { RefundState } from './refund-state.ts';
import { isSameTry, mayRefundBecome } from './refund-state.ts';
import { reportRefund } from './report-refund.ts';

/** A refund as read. */
export type RefundRow = Selectable<RefundTable>;

/** The topic that wakes refund runners. */
export const REFUND_TOPIC = 'refund';

/** A charge of an organisation. */
export interface ChargeKey {
  readonly organisationId: string;
  readonly chargeReference: string;
}

/** Who holds a row, and until when. */
export interface Lease {
  readonly owner: string;
  readonly until: Date;
}

/**
 * The idempotency key of a charge: the same payment gives the same key everywhere, so that a second
 * installation or a restored backup meets its own refund at the processor.
 *
 * @param round from 1; raised only after the processor refused the last key
 */
export function refundKey({ organisationId, chargeReference }: ChargeKey, round: number): string {
  return deriveId('fst', [organisationId, chargeReference, String(round)]);
}

/**
 * Serialises everything that decides about one charge's money until the transaction ends. Taken
 * before any row lock, also when no refund row exists yet to lock.
 */
export async function lockCharge(trx: Transaction<Database>, charge: ChargeKey): Promise<void> {
  const name = JSON.stringify(['charge', charge.organisationId, charge.chargeReference]);
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(trx);
}

/** The charge's refund under a row lock, or undefined. Take {@link lockCharge} first. */
export async function lockRefundOfCharge(
  trx: Transaction<Database>,
  charge: ChargeKey,
): Promise<RefundRow | undefined> {
  return await trx
    .selectFrom('refund')
    .selectAll()
    .where('organisation_id', '=', charge.organisationId)
    .where('charge_reference', '=', charge.chargeReference)
    .forUpdate()
    .executeTakeFirst();
}

/** The charge's refund, or undefined. */
export async function findRefundOfCharge(
  db: Kysely<Database>,
  charge: ChargeKey,
): Promise<RefundRow | undefined> {
  return await db
    .selectFrom('refund')
    .selectAll()
    .where('organisation_id', '=', charge.organisationId)
    .where('charge_reference', '=', charge.chargeReference)
    .executeTakeFirst();
}

/** One refund by its id, or undefined. */
export async function findRefundRow(
  db: Kysely<Database>,
  organisationId: string,
  id: string,
): Promise<RefundRow | undefined> {
  return await db
    .selectFrom('refund')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** A refund to be stored. The key follows from the charge and the round. */
export type NewRefund = Pick<
  Insertable<RefundTable>,
  | 'alert_id'
  | 'state'
  | 'kind'
  | 'amount_minor'
  | 'currency'
  | 'captured_minor'
  | 'external_minor'
  | 'external_reference'
  | 'network_alert_id'
  | 'processor_reference'
  | 'first_sent_at'
  | 'confirmed_at'
  | 'next_action_at'
> & { readonly charge: ChargeKey; readonly now: Date; readonly lease?: Lease };

/** Stores the reservation. A second row for the charge fails on the unique constraint (I1). */
export async function insertRefund(
  trx: Transaction<Database>,
  { charge, now, lease, ...columns }: NewRefund,
): Promise<RefundRow> {
  const row = await trx
    .insertInto('refund')
    .values({
      ...columns,
      organisation_id: charge.organisationId,
      id: createId('rf'),
      charge_reference: charge.chargeReference,
      idempotency_key: refundKey(charge, 1),
      sent_at: columns.first_sent_at ?? null,
      lease_owner: lease?.owner ?? null,
      lease_until: lease?.until ?? null,
      created_at: now,
      changed_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await auditMove(trx, row, { to: row.state, now, what: 'charge reserved' });
  await reportRefund(trx, row);
  return row;
}

/** A move of a refund. Staying in the same state with a new plan is a move without an audit row. */
export interface RefundMove {
  readonly to: RefundState;
  readonly now: Date;
  /** The next moment of action; null when nothing more is to be done by itself. */
  readonly nextActionAt: Date | null;
  readonly what: string;
  readonly set?: Omit<
    Updateable<RefundTable>,
    'state' | 'version' | 'next_action_at' | 'lease_owner' | 'lease_until' | 'changed_at'
  >;
  readonly detail?: Record<string, unknown>;
  /** Keep or take the row until then; without it the row is released. */
  readonly lease?: Lease;
  /** @default 'forestall' */
  readonly actor?: string;
}

/**
 * Moves the refund, comparing its version, writes the audit row and wakes the charge's cases.
 *
 * @throws {StaleClaimError} when the row has moved since `from` was read
 * @throws {InvariantError} when the table of transitions does not allow the move
 */
export async function moveRefund(
  trx: Transaction<Database>,
  from: RefundRow,
  move: RefundMove,
): Promise<RefundRow> {
  const { to, now } = move;
  if (to !== from.state && !mayRefundBecome(from.state, to)) {
    throw new InvariantError(`Refund ${from.id} cannot go from ${from.state} to ${to}.`);
  }
  const row = await trx
    .updateTable('refund')
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
    .where('version', '=', from.version)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) {
    throw new StaleClaimError(`Refund ${from.id} moved on since it was claimed.`);
  }
  if (to !== from.state) {
    await auditMove(trx, row, { ...move, from: from.state });
    await wakeCasesOfCharge(trx, row.organisation_id, { reference: row.charge_reference, now });
    await reportRefund(trx, row);
  }
  if (move.nextActionAt !== null && move.nextActionAt <= now) await wake(trx, REFUND_TOPIC);
  return row;
}

/** A person wants a refund in doubt asked for now. Rows that are settled, or held, stay as they are. */
export async function rearmRefund(
  trx: Transaction<Database>,
  refund: RefundRow,
  now: Date,
): Promise<void> {
  await trx
    .updateTable('refund')
    .set({ next_action_at: now })
    .where('organisation_id', '=', refund.organisation_id)
    .where('id', '=', refund.id)
    .where('state', 'in', ['UNKNOWN', 'PENDING', 'HUMAN'])
    .execute();
  await wake(trx, REFUND_TOPIC);
}

/** Notes that the network refunded the same payment. No version: whoever sends now must still settle. */
export async function markNetworkRefund(
  trx: Transaction<Database>,
  refund: RefundRow,
  networkAlertId: string,
): Promise<void> {
  await trx
    .updateTable('refund')
    .set({ network_alert_id: networkAlertId })
    .where('organisation_id', '=', refund.organisation_id)
    .where('id', '=', refund.id)
    .execute();
}

async function auditMove(
  trx: Transaction<Database>,
  row: RefundRow,
  move: Pick<RefundMove, 'to' | 'now' | 'what' | 'detail' | 'actor'> & { from?: RefundState },
): Promise<void> {
  await writeAudit(trx, {
    organisationId: row.organisation_id,
    at: move.now,
    subject: 'refund',
    subjectId: row.id,
    alertId: row.alert_id,
    what: move.what,
    toState: move.to,
    ...(move.from === undefined ? {} : { fromState: move.from }),
    ...(move.actor === undefined ? {} : { actor: move.actor }),
    detail: {
      charge: row.charge_reference,
      amount_minor: row.amount_minor,
      currency: row.currency,
      ...move.detail,
    },
  });
}
