/**
 * The figures of the first look: what is open, what came of the rest, what was paid back.
 */
import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { CaseState } from '../cases/case-state.ts';
import { CASE_STATES } from '../cases/case-state.ts';
import type { Database } from '../db/database.ts';
import type { Money } from '../kernel/money.ts';
import type { MovementState } from '../ledger/movement-state.ts';
import { MOVEMENT_TRANSITIONS } from '../ledger/movement-state.ts';

/** Refunds that the processor confirmed, in one currency. */
export interface RefundedMoney extends Money {
  readonly count: number;
}

/** The figures. Each is a count of rows at the moment of asking. */
export interface Overview {
  readonly open: number;
  /** Every state is there, with 0 where no case is in it. */
  readonly casesByState: ReadonlyMap<CaseState, number>;
  /** Movements of our own: what was only observed is not counted. */
  readonly refundsByState: ReadonlyMap<MovementState, number>;
  /** Alerts that ran out without a declared answer, ever. */
  readonly missed: number;
  /** The nearest deadline of an open case; null when none is open. */
  readonly nearestDeadlineAt: Date | null;
  /** Our own confirmed refunds, by currency code. */
  readonly refunded: readonly RefundedMoney[];
}

/** Reads the figures. */
export async function readOverview(
  db: Kysely<Database>,
  organisationId: string,
): Promise<Overview> {
  const cases = await db
    .selectFrom('alert_case')
    .select(['state', 'is_open', sql<number>`count(*)`.as('count')])
    .select(sql<number>`count(missed_at)`.as('missed'))
    .select(sql<Date>`min(deadline_at)`.as('nearest'))
    .where('organisation_id', '=', organisationId)
    .groupBy(['state', 'is_open'])
    .execute();
  const refunds = await db
    .selectFrom('movement')
    .select(['state', sql<number>`count(*)`.as('count')])
    .where('organisation_id', '=', organisationId)
    .where('idempotency_key', 'is not', null)
    .groupBy('state')
    .execute();
  const refunded = await db
    .selectFrom('movement')
    .select(['currency', sql<number>`count(*)`.as('count')])
    .select(sql<number>`sum(amount_minor)::bigint`.as('amountMinor'))
    .where('organisation_id', '=', organisationId)
    .where('idempotency_key', 'is not', null)
    .where('state', '=', 'CONFIRMED')
    .where('amount_minor', '>', 0)
    .groupBy('currency')
    .orderBy('currency')
    .execute();
  const open = cases.filter((row) => row.is_open);
  const deadlines = open.map((row) => row.nearest.getTime());
  return {
    open: sum(open.map((row) => row.count)),
    casesByState: countPer(CASE_STATES, cases),
    refundsByState: countPer(MOVEMENT_STATES, refunds),
    missed: sum(cases.map((row) => row.missed)),
    nearestDeadlineAt: deadlines.length === 0 ? null : new Date(Math.min(...deadlines)),
    refunded,
  };
}

const MOVEMENT_STATES = Object.keys(MOVEMENT_TRANSITIONS).filter(isMovementState);

function isMovementState(value: string): value is MovementState {
  return Object.hasOwn(MOVEMENT_TRANSITIONS, value);
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

/** A count for each state, 0 where no row is in it. */
function countPer<State extends string>(
  states: readonly State[],
  rows: readonly { readonly state: State; readonly count: number }[],
): ReadonlyMap<State, number> {
  const counts = new Map(states.map((state) => [state, 0]));
  for (const { state, count } of rows) counts.set(state, (counts.get(state) ?? 0) + count);
  return counts;
}
