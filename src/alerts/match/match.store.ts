/** All SQL of matches. */
import type { RawBuilder, Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Db, Trx } from '../../base/db/database.ts';
import { assertInvariant } from '../../base/kernel/errors.ts';
import type { AlertTable } from '../apply/entity.table.ts';
import { ALERT_COLUMNS } from '../apply/entity.table.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { StaleClaimError } from '../cases/case.store.ts';
import type { MatchTable } from './match.table.ts';
import type { MatchResult } from './matcher.ts';

/** An alert as stored. */
export type StoredAlert = Selectable<AlertTable>;

/** A match as stored. */
export type StoredMatch = Selectable<MatchTable>;

/** Most candidates kept with a match: more than a person will compare. */
export const STORED_CANDIDATES_MAX = 20;

/** The alert of a case, or undefined. */
export async function findAlert(
  db: Db,
  organisationId: string,
  alertId: string,
): Promise<StoredAlert | undefined> {
  const { rows } = await sql<StoredAlert>`select ${ALERT_COLUMNS.of('alert')} from alert
    where organisation_id = ${organisationId} and id = ${alertId}`.execute(db);
  return rows[0];
}

/** One match, or undefined. */
export async function findMatch(
  db: Db,
  organisationId: string,
  matchId: number,
): Promise<StoredMatch | undefined> {
  return await db
    .selectFrom('match')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where('id', '=', matchId)
    .executeTakeFirst();
}

/** A match to be stored. */
export interface NewMatch {
  readonly organisationId: string;
  readonly alertId: string;
  readonly result: MatchResult;
  /** What the processor's search answered. */
  readonly search: string;
  /** The search did not answer. */
  readonly unanswered: boolean;
  readonly now: Date;
}

/** Stores a match with its evidence. Returns its id. */
export async function writeMatch(trx: Trx, match: NewMatch): Promise<number> {
  const { rows } = await insertingMatch(match).execute(trx);
  const [row] = rows;
  assertInvariant(row !== undefined, 'A match was not stored.');
  return row.id;
}

/** The same as a part of the statement that moves the case: with `from held` only for the process that holds it. */
export function insertingMatch(
  { result, ...match }: NewMatch,
  from: RawBuilder<unknown> = sql``,
): RawBuilder<{ id: number }> {
  const evidence = {
    sentence: result.sentence,
    facts: result.evidence,
    runnerUp: result.runnerUp,
    margin: result.margin,
    search: match.search,
    unanswered: match.unanswered,
  };
  const candidates = result.candidates.slice(0, STORED_CANDIDATES_MAX);
  return sql`
    insert into match (organisation_id, alert_id, outcome, charge_reference, tier, evidence, candidates, matched_at,
      score, margin, runner_up, weak_sign)
    select ${match.organisationId}, ${match.alertId}, ${result.outcome}, ${result.chargeReference}, ${result.tier},
      ${JSON.stringify(evidence)}::jsonb, ${JSON.stringify(candidates)}::jsonb, ${match.now}::timestamptz,
      ${result.score}::int, ${result.margin}::int, ${result.runnerUp}, ${result.weakSign}
    ${from} returning id`;
}

/**
 * Puts another match in force while the case stays as it is and its holder continues with it.
 *
 * @throws {StaleClaimError} when the case has moved since it was claimed
 */
export async function attachMatch(trx: Trx, claim: CaseRow, matchId: number): Promise<void> {
  const result = await trx
    .updateTable('alert_case')
    .set({ match_id: matchId })
    .where('organisation_id', '=', claim.organisation_id)
    .where('alert_id', '=', claim.alert_id)
    .where('version', '=', claim.version)
    .where('is_open', '=', true)
    .executeTakeFirst();
  if (result.numUpdatedRows === 0n) {
    throw new StaleClaimError(`Case ${claim.alert_id} moved on since it was claimed.`);
  }
}
