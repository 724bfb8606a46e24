/**
 * The figures of the first look: what is open, what came of the rest, what was paid back.
 */
import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { CaseState } from '../../alerts/cases/case-state.ts';
import { CASE_STATES, isTerminal } from '../../alerts/cases/case-state.ts';
import type { MovementState } from '../../alerts/ledger/movement-state.ts';
import { MOVEMENT_TRANSITIONS } from '../../alerts/ledger/movement-state.ts';
import type { Database } from '../../base/db/database.ts';
import type { Money } from '../../base/kernel/money.ts';
import type { Figure } from './figure.store.ts';
import { readFigures } from './figure.store.ts';
import type { Headroom } from './headroom.ts';
import { headroomOf } from './headroom.ts';

/** Refunds that the processor confirmed, in one currency. */
export interface RefundedMoney extends Money {
  readonly count: number;
}

/** The figures. Each is right at the moment of asking; none is counted from all rows that are kept. */
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
  /** Time left at the answers given. */
  readonly headroom: Headroom;
}

/** Reads the figures. */
export async function readOverview(
  db: Kysely<Database>,
  organisationId: string,
): Promise<Overview> {
  const figures = await readFigures(db, organisationId);
  // Along indexes of what is open, and of what was missed.
  const { rows } = await sql<{ nearest: Date | null; missed: number }>`
    select
      (select min(deadline_at) from alert_case where organisation_id = ${organisationId} and is_open) as nearest,
      (select count(*) from alert_case where organisation_id = ${organisationId} and missed_at is not null) as missed`.execute(
    db,
  );
  const casesByState = countPer(CASE_STATES, figures('case'));
  return {
    open: OPEN_STATES.reduce((total, state) => total + (casesByState.get(state) ?? 0), 0),
    casesByState,
    refundsByState: countPer(MOVEMENT_STATES, figures('refund')),
    missed: rows[0]?.missed ?? 0,
    nearestDeadlineAt: rows[0]?.nearest ?? null,
    refunded: figures('refunded')
      .filter(({ count }) => count > 0)
      .map(({ label, count, amount }) => ({ currency: label, count, amountMinor: amount })),
    headroom: headroomOf(figures('headroom')),
  };
}

const OPEN_STATES = CASE_STATES.filter((state) => !isTerminal(state));

const MOVEMENT_STATES = Object.keys(MOVEMENT_TRANSITIONS).filter(isMovementState);

function isMovementState(value: string): value is MovementState {
  return Object.hasOwn(MOVEMENT_TRANSITIONS, value);
}

/** A count for each state, 0 where no row is in it. */
function countPer<State extends string>(
  states: readonly State[],
  figures: readonly Figure[],
): ReadonlyMap<State, number> {
  const counts = new Map(figures.map(({ label, count }) => [label, count]));
  return new Map(states.map((state) => [state, counts.get(state) ?? 0]));
}

// The figures of the first look that must be right at this moment: what is open, what was
// missed.

/** Counted along indexes that hold open and missed cases only: the same among a million closed ones. */
export interface OpenFigures {
  readonly open: number;
  /** Only states with cases in them. */
  readonly byState: ReadonlyMap<CaseState, number>;
  readonly nearestDeadlineAt: Date | null;
  /** Alerts that ran out without a declared answer, ever. */
  readonly missed: number;
  /** Refunds that failed after they had been confirmed, ever. */
  readonly reversed: number;
}

/** States in which a person's decision is awaited. */
export const AWAITS_DECISION = ['HUMAN', 'UNMATCHED', 'AMBIGUOUS'] as const satisfies CaseState[];

/** Reads the figures. */
export async function readOpenFigures(
  db: Kysely<Database>,
  organisationId: string,
): Promise<OpenFigures> {
  const { rows } = await sql<{ state: CaseState; count: number; nearest: Date }>`
    select state, count(*) as count, min(deadline_at) as nearest from alert_case
    where organisation_id = ${organisationId} and state = any(${OPEN_STATES}::text[])
    group by state`.execute(db);
  const beside = await sql<{ missed: number; reversed: number }>`
    select
      (select count(*) from alert_case where organisation_id = ${organisationId} and missed_at is not null) as missed,
      (select count(*) from movement where organisation_id = ${organisationId} and idempotency_key is not null and state = 'REVERSED') as reversed`.execute(
    db,
  );
  const nearest = rows.map((row) => row.nearest.getTime());
  return {
    open: rows.reduce((sum, row) => sum + row.count, 0),
    byState: new Map(rows.map((row) => [row.state, row.count])),
    nearestDeadlineAt: nearest.length === 0 ? null : new Date(Math.min(...nearest)),
    missed: beside.rows[0]?.missed ?? 0,
    reversed: beside.rows[0]?.reversed ?? 0,
  };
}
