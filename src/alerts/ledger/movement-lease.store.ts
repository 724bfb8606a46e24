/**
 * Who works on a movement: claimed rows carry a lease, and nothing is sent by a worker that lost it.
 */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Db, Trx } from '../../base/db/database.ts';
import type { DueCondition } from '../../base/jobs/due.store.ts';
import { wake } from '../../base/jobs/wake.store.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { StaleClaimError } from '../cases/case.store.ts';
import { pausedSql } from '../guard/paused.store.ts';
import type { ChargeKey } from './ledger.store.ts';
import type { Lease, MovementRow, OurMovementRow } from './movement.store.ts';
import { MOVEMENT_TOPIC } from './movement.store.ts';

/** What {@link claimDueMovements} needs. */
export interface MovementClaim {
  readonly organisationId: string;
  readonly now: Date;
  readonly lease: Lease;
  readonly limit: number;
  /** Nothing is claimed while this holds (`claim-gate.store.ts`). */
  readonly isShut: RawBuilder<boolean>;
}

/** Whether {@link claimDueMovements} would find a movement, the gate left aside. */
export const hasDueMovements: DueCondition = (now, organisation) => sql<boolean>`exists (
    select from movement where organisation_id = ${organisation} and next_action_at <= ${now}
      and (lease_until is null or lease_until <= ${now}))`;

/** The deadline of an open alert that a movement answers, or may. */
export interface OpenDeadline {
  /** In milliseconds since 1970. */
  readonly atMs: number;
  /** Its case waits for the movement. */
  readonly waits: boolean;
}

/** A movement that is held, with what decides how soon it is looked at again. */
export type Claimed<Row extends MovementRow = MovementRow> = Row & {
  readonly deadlines: readonly OpenDeadline[];
};

/** Claims movements whose moment has come and that no worker holds. */
export async function claimDueMovements(
  db: Db,
  { organisationId, now, lease, limit, isShut }: MovementClaim,
): Promise<Claimed[]> {
  const rows = await db
    .with('due', (qb) =>
      qb
        .selectFrom('movement')
        .select(['organisation_id', 'id'])
        .where(sql<boolean>`not ${isShut}`)
        .where('organisation_id', '=', organisationId)
        .where('next_action_at', '<=', now)
        .where((eb) => eb.or([eb('lease_until', 'is', null), eb('lease_until', '<=', now)]))
        .orderBy('next_action_at')
        .orderBy('id')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .updateTable('movement as m')
    .from('due')
    .set({
      lease_owner: lease.owner,
      lease_until: lease.until,
      version: sql<number>`m.version + 1`,
    })
    .whereRef('m.organisation_id', '=', 'due.organisation_id')
    .whereRef('m.id', '=', 'due.id')
    .returningAll('m')
    .returning(OPEN_DEADLINES.as('deadlines'))
    .execute();
  // Returned in the order of a join, which is the planner's.
  return rows.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Of the movement `m`. */
const OPEN_DEADLINES = sql<readonly OpenDeadline[]>`(
  select coalesce(json_agg(json_build_object('atMs', (extract(epoch from k.deadline_at) * 1000)::bigint,
    'waits', (k.movement_id = m.id and k.state = 'REFUNDING') is true)), '[]'::json)
  from alert_case k where k.organisation_id = m.organisation_id and k.charge_reference = m.charge_reference
    and k.is_open and (k.dispute_id is null or k.dispute_id = m.dispute_id))`;

/**
 * Plans the next look at a movement that stays as it is, and releases it: one statement.
 *
 * @throws {StaleClaimError} when the row has moved since it was claimed
 */
export async function releaseMovement(
  db: Db,
  held: OurMovementRow,
  plan: { readonly attempts: number; readonly nextActionAt: Date | null; readonly now: Date },
): Promise<void> {
  const { attempts, nextActionAt, now } = plan;
  const { numUpdatedRows } = await db
    .updateTable('movement')
    .set({
      attempts,
      next_action_at: planColumn(held, nextActionAt),
      version: held.version + 1,
      lease_owner: null,
      lease_until: null,
      changed_at: now,
    })
    .where('organisation_id', '=', held.organisation_id)
    .where('id', '=', held.id)
    .where('state', '=', held.state)
    .where('version', '=', held.version)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) {
    throw new StaleClaimError(`Movement ${held.id} moved on since it was claimed.`);
  }
  if (nextActionAt !== null && nextActionAt <= now) await wake(db, MOVEMENT_TOPIC);
}

/** The plan; no later than what was planned meanwhile, because a deadline came nearer. */
function planColumn(
  { next_action_at: before }: OurMovementRow,
  nextActionAt: Date | null,
): RawBuilder<Date | null> {
  return sql<Date | null>`case when date_trunc('milliseconds', movement.next_action_at) is not distinct from ${before}::timestamptz
    then ${nextActionAt}::timestamptz else least(${nextActionAt}::timestamptz, movement.next_action_at) end`;
}

/** Whether a lease on the row is still this holder's: read right before the socket write that moves money. */
export async function mayStillSend(
  db: Db,
  held: OurMovementRow,
  now: Date,
): Promise<'yes' | 'lease_lost' | 'paused'> {
  const { rows } = await sql<{ held: boolean; paused: boolean }>`
    select exists (select from movement where organisation_id = ${held.organisation_id} and id = ${held.id}
        and state = ${held.state} and version = ${held.version} and lease_until > ${now}) as held,
      ${pausedSql(held.organisation_id)} as paused`.execute(db);
  if (rows[0]?.held !== true) return 'lease_lost';
  return rows[0].paused ? 'paused' : 'yes';
}

/** A person wants a movement in doubt asked for now. Settled and held rows stay as they are. */
export async function rearmMovements(
  trx: Trx,
  { organisationId, chargeReference }: ChargeKey,
  now: Date,
): Promise<void> {
  await trx
    .updateTable('movement')
    .set({ next_action_at: now })
    .where('organisation_id', '=', organisationId)
    .where('charge_reference', '=', chargeReference)
    .where('idempotency_key', 'is not', null)
    .where('state', 'in', ['UNKNOWN', 'PENDING', 'HUMAN'])
    .where((eb) => eb.or([eb('lease_until', 'is', null), eb('lease_until', '<=', now)]))
    .execute();
  await wake(trx, MOVEMENT_TOPIC);
}

/** Cases that wait for the movement, the latest deadline first: it has most time. */
export async function casesWaitingFor(db: Db, movement: OurMovementRow): Promise<CaseRow[]> {
  return await db
    .selectFrom('alert_case')
    .selectAll()
    .where('organisation_id', '=', movement.organisation_id)
    .where('movement_id', '=', movement.id)
    .where('state', '=', 'REFUNDING')
    .orderBy('deadline_at', 'desc')
    .orderBy('alert_id')
    .execute();
}
