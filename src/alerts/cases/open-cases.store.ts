/** Open cases at this moment: how many, by when, and what was missed. */
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import type { CaseState } from './case-state.ts';
import { CASE_STATES, isTerminal } from './case-state.ts';

/** Counted along indexes that hold open and missed cases only: the same among a million closed ones. */
export interface OpenCases {
  readonly open: number;
  /** Only states with cases in them. */
  readonly byState: ReadonlyMap<CaseState, number>;
  readonly nearestDeadlineAt: Date | null;
  /** When Forestall acts by itself on what waits for a person, or the deadline there; null: nothing waits. */
  readonly nextActAt: Date | null;
  /** Alerts that ran out without a declared answer, ever. */
  readonly missed: number;
}

const OPEN_STATES = CASE_STATES.filter((state) => !isTerminal(state));

/** States in which a person's decision is awaited. */
export const AWAITS_DECISION = ['HUMAN', 'UNMATCHED', 'AMBIGUOUS'] as const satisfies CaseState[];

export async function readOpenCases(db: Db, organisationId: string): Promise<OpenCases> {
  const { rows } = await sql<{ state: CaseState; count: number; nearest: Date }>`
    select state, count(*) as count, min(deadline_at) as nearest from alert_case
    where organisation_id = ${organisationId} and state = any(${OPEN_STATES}::text[])
    group by state`.execute(db);
  const beside = await sql<{ missed: number; acts: Date | null }>`
    select
      (select least(fallback_at, deadline_at) from alert_case
        where organisation_id = ${organisationId} and state = 'HUMAN'
        order by least(fallback_at, deadline_at) limit 1) as acts,
      (select count(*) from alert_case where organisation_id = ${organisationId} and missed_at is not null) as missed`.execute(
    db,
  );
  const nearest = rows.map((row) => row.nearest.getTime());
  return {
    open: rows.reduce((sum, row) => sum + row.count, 0),
    byState: new Map(rows.map((row) => [row.state, row.count])),
    nearestDeadlineAt: nearest.length === 0 ? null : new Date(Math.min(...nearest)),
    nextActAt: beside.rows[0]?.acts ?? null,
    missed: beside.rows[0]?.missed ?? 0,
  };
}
