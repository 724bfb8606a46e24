/**
 * The figures of the first look: what is open, what came of the rest, what was paid back.
 */
import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { CaseState } from '../cases/case-state.ts';
import { CASE_STATES } from '../cases/case-state.ts';
import type { Database } from '../db/database.ts';
import type { Money } from '../kernel/money.ts';
import type { RefundState } from '../refund/refund-state.ts';
import { REFUND_TRANSITIONS } from '../refund/refund-state.ts';

/** Refunds that the processor confirmed, in one currency. */
export interface RefundedMoney extends Money {
  readonly count: number;
}

/** The figures. Each is a count of rows at the moment of asking. */
export interface Overview {
  readonly open: number;
  /** Every state is there, with 0 where no case is in it. */
  readonly casesByState: ReadonlyMap<CaseState, number>;
  readonly refundsByState: ReadonlyMap<RefundState, number>;
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
    .selectFrom('refund')
    .select(['state', sql<number>`count(*)`.as('count')])
    .where('organisation_id', '=', organisationId)
    .groupBy('state')
    .execute();
  const refunded = await db
    .selectFrom('refund')
    .select(['currency', sql<number>`count(*)`.as('count')])
    .select(sql<number>`sum(amount_minor)::bigint`.as('amountMinor'))
    .where('organisation_id', '=', organisationId)
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
    refundsByState: countPer(REFUND_STATES, refunds),
    missed: sum(cases.map((row) => row.missed)),
    nearestDeadlineAt: deadlines.length === 0 ? null : new Date(Math.min(...deadlines)),
    refunded,
  };
}

const REFUND_STATES = Object.keys(REFUND_TRANSITIONS).filter(isRefundState);

function isRefundState(value: string): value is RefundState {
  return Object.hasOwn(REFUND_TRANSITIONS, value);
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
