/** The figures of the page Today: what is open, the outcome of the rest, what was paid back. */
import { sql } from 'kysely';
import type { CaseState } from '../alerts/cases/case-state.ts';
import { CASE_STATES, isTerminal } from '../alerts/cases/case-state.ts';
import type { MovementState } from '../alerts/ledger/movement-state.ts';
import { MOVEMENT_TRANSITIONS } from '../alerts/ledger/movement-state.ts';
import type { Db } from '../base/db/database.ts';
import type { Money } from '../base/kernel/money.ts';
import type { Figure } from './figure.store.ts';
import { readFigures } from './figure.store.ts';
import type { FigureMeasure } from './figure.table.ts';
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
  /** When the last of them ran out; null: none ever did. */
  readonly lastMissedAt: Date | null;
  /** The nearest deadline of an open case; null when none is open. */
  readonly nearestDeadlineAt: Date | null;
  /** Our own confirmed refunds, by currency code. */
  readonly refunded: readonly RefundedMoney[];
  /** Time left at the answers given. */
  readonly headroom: Headroom;
}

interface Edge {
  readonly nearest: Date | null;
  readonly missed: number;
  readonly lastMissedAt: Date | null;
}

export async function readOverview(db: Db, organisationId: string): Promise<Overview> {
  const figures = await readFigures(db, organisationId);
  // Along indexes of what is open, and of what was missed.
  const { rows } = await sql<Edge>`
    select
      (select min(deadline_at) from alert_case where organisation_id = ${organisationId} and is_open) as nearest,
      count(*) as missed, max(missed_at) as "lastMissedAt"
    from alert_case where organisation_id = ${organisationId} and missed_at is not null`.execute(
    db,
  );
  const kept = keptOverview(figures);
  return {
    ...kept,
    open: OPEN_STATES.reduce((total, state) => total + (kept.casesByState.get(state) ?? 0), 0),
    missed: rows[0]?.missed ?? 0,
    lastMissedAt: rows[0]?.lastMissedAt ?? null,
    nearestDeadlineAt: rows[0]?.nearest ?? null,
  };
}

export type KeptOverview = Pick<
  Overview,
  'casesByState' | 'refundsByState' | 'refunded' | 'headroom'
>;

export function keptOverview(figures: (measure: FigureMeasure) => readonly Figure[]): KeptOverview {
  return {
    casesByState: countPer(CASE_STATES, figures('case')),
    refundsByState: countPer(MOVEMENT_STATES, figures('refund')),
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
