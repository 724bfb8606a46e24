/**
 * All SQL that moves a case: move, replan, release. Claiming is `case-claim.store.ts`.
 *
 * A claim raises the row's `version`, and every move compares it: a worker that slept through its
 * lease finds its version gone and can write nothing. Each move is one transaction with its audit
 * row and the case's next plan.
 */
import type { RawBuilder, Updateable, UpdateQueryBuilder, UpdateResult } from 'kysely';
import { sql } from 'kysely';
import type { AuditEntry } from '../../base/audit/audit.store.ts';
import { lineOf, ofCase } from '../../base/audit/audit.store.ts';
import {
  commitWritesOf,
  insertLines,
  namedChanges,
  notifyAll,
  selectLines,
} from '../../base/db/commit-writes.store.ts';
import type { Database, Db, Trx } from '../../base/db/database.ts';
import { organisationOf } from '../../base/db/for-organisation.ts';
import { topicFor, wakeLocally } from '../../base/jobs/wake.store.ts';
import { InvariantError, KitError } from '../../base/kernel/errors.ts';
import { LEASE_MS } from '../../base/kernel/limits.ts';
import { linesOfOvertaken, overtakeApproval } from '../guard/overtake-approval.store.ts';
import { HELD_BACK } from '../guard/recovery-check.store.ts';
import type { AlertCaseTable, CaseRow, ClaimedCase } from './case.table.ts';
import { CASE_COLUMNS } from './case.table.ts';
import { fallbackColumn, keptMark, planColumn } from './case-plan.store.ts';
import type { CaseState } from './case-state.ts';
import { isTerminal, mayCaseBecome } from './case-state.ts';
import { mayContinue, noteMoved } from './continue-claim.ts';

export type { CaseRow } from './case.table.ts';

/** Somebody else moved the case since it was claimed: the holder's step is void, and that is fine. */
export class StaleClaimError extends KitError {
  readonly code = 'STALE_CLAIM';
  readonly retryable = true;
}

/** One case, or undefined. */
export async function findCase(
  db: Db,
  organisationId: string,
  alertId: string,
): Promise<CaseRow | undefined> {
  return await db
    .selectFrom('alert_case')
    .select(CASE_COLUMNS.names)
    .where('organisation_id', '=', organisationId)
    .where('alert_id', '=', alertId)
    .executeTakeFirst();
}

/** One case under a row lock, or undefined. For steps that start outside a claim (an operator's). */
export async function lockCase(
  trx: Trx,
  organisationId: string,
  alertId: string,
): Promise<CaseRow | undefined> {
  return await trx
    .selectFrom('alert_case')
    .select(CASE_COLUMNS.names)
    .where('organisation_id', '=', organisationId)
    .where('alert_id', '=', alertId)
    .forUpdate()
    .executeTakeFirst();
}

/** A move of a case. Staying in the same state with a new plan is a move too. */
export interface CaseMove {
  readonly to: CaseState;
  readonly now: Date;
  /** The next moment of action. Required unless `to` is terminal. */
  readonly nextActionAt?: Date;
  /** Other columns to set in the same statement. */
  readonly set?: Omit<
    Updateable<AlertCaseTable>,
    'state' | 'version' | 'next_action_at' | 'lease_owner' | 'lease_until' | 'changed_at'
  >;
  /** What happened, for the audit log, for example `matched by ARN and last 4`. */
  readonly what: string;
  readonly detail?: Record<string, unknown>;
  /**
   * Rows that the same statement writes first, by name. Outside of a transaction they select from `held`,
   * which has the case's row, so that a claim that is stale writes nothing.
   */
  readonly beside?: Readonly<Record<string, RawBuilder<unknown>>>;
  /** Columns, and a part of the detail, that such rows say: for example the id of one. */
  readonly setFrom?: Partial<Record<'match_id' | 'decision_id', RawBuilder<number>>>;
  readonly detailOf?: RawBuilder<unknown>;
  /** @default 'forestall' */
  readonly actor?: string;
  /** Keep the lease: the same step continues after this transaction. @default false */
  readonly keepLease?: boolean;
}

/**
 * Moves the case, comparing its version, and writes the audit row, in one statement: alone it needs no
 * transaction. Returns the case as it is now.
 *
 * What is due at once stays with its holder where that continues by itself (`continue-claim.ts`).
 *
 * @throws {StaleClaimError} when the row has moved since `from` was read
 * @throws {InvariantError} when the table of transitions does not allow the move
 */
export async function moveCase(db: Db, from: CaseRow, move: CaseMove): Promise<CaseRow> {
  const { to, now, nextActionAt } = move;
  const terminal = isTerminal(to);
  if (!mayCaseBecome(from.state, to)) {
    throw new InvariantError(`Case ${from.alert_id} cannot go from ${from.state} to ${to}.`);
  }
  if (!terminal && nextActionAt === undefined) {
    throw new InvariantError(`Case ${from.alert_id} would stay open as ${to} without a plan.`);
  }
  const isDue = !terminal && nextActionAt !== undefined && nextActionAt <= now;
  const continues = isDue && move.keepLease !== true && mayContinue(from);
  const update = db
    .updateTable('alert_case')
    .set({
      ...(to === from.state ? {} : { attempts: 0, last_error: null }),
      ...move.set,
      ...move.setFrom,
      ...fallbackColumn(from, move.set?.fallback_at, move.now),
      ...(terminal ? { closed_at: now, next_alarm_at: null } : {}),
      ...leaseColumns(move, continues),
      state: to,
      version: from.version + 1,
      next_action_at:
        terminal || nextActionAt === undefined ? null : planColumn(from, nextActionAt),
      changed_at: move.keepLease === true ? keptMark(from, now) : now,
    })
    .where('organisation_id', '=', from.organisation_id)
    .where('alert_id', '=', from.alert_id)
    .where('state', '=', from.state)
    .where('version', '=', from.version);
  const moved = await executeMove(db, update, { from, move, wakes: isDue && !continues });
  const row = move.keepLease === true ? { ...moved, changed_at: now } : moved;
  noteMoved(from, row, continues);
  return row;
}

/** A lease that is kept for another step begins again. */
function leaseColumns(
  { keepLease = false, now }: CaseMove,
  continues: boolean,
): Pick<Updateable<AlertCaseTable>, 'lease_owner' | 'lease_until'> {
  if (keepLease) return {};
  if (continues) return { lease_until: new Date(now.getTime() + LEASE_MS) };
  return { lease_owner: null, lease_until: null };
}

/**
 * The move and what is told of it, in one statement: its line of the audit log with those that the
 * transaction has collected, the wake-ups, and the end of an approval that it overtakes.
 */
async function executeMove(
  db: Db,
  update: UpdateQueryBuilder<Database, 'alert_case', 'alert_case', UpdateResult>,
  { from, move, wakes }: { from: CaseRow; move: CaseMove; wakes: boolean },
): Promise<ClaimedCase> {
  const closing = commitWritesOf(db);
  const tells = wakes && !(db.isTransaction && wakeLocally(db, 'case'));
  const topic = topicFor('case', organisationOf(db));
  if (tells) closing?.wake(topic);
  const collected = closing?.take() ?? { lines: [], topics: tells ? [topic] : [], changes: [] };
  const only = sql`exists (select from moved)`;
  const overtakes = move.to === 'DECIDED_ACCEPT' || isTerminal(move.to);
  const about = { organisationId: from.organisation_id, alertId: from.alert_id, now: move.now };
  const overtaken = sql`overtaken as (${overtakeApproval({ ...about, because: move.what })}),`;
  const own = selectLines([lineOf(auditOf(from, move))], { only, detail: move.detailOf });
  const noted = insertLines(collected.lines, {
    only,
    more: overtakes ? [own, linesOfOvertaken(about)] : [own],
  });
  const before = Object.entries(move.beside ?? {}).map(
    ([name, change]) => sql`${sql.ref(name)} as (${change}),`,
  );
  const { rows } = await sql<ClaimedCase>`
    with held as materialized (
      select alert_id from alert_case where organisation_id = ${from.organisation_id}
        and alert_id = ${from.alert_id} and state = ${from.state} and version = ${from.version} for update
    ), ${sql.join(before, sql` `)} moved as (${update} returning ${CASE_COLUMNS.of('alert_case')}), ${overtakes ? overtaken : sql``}
    ${sql.join(
      namedChanges(collected.changes).map((each) => sql`${each},`),
      sql` `,
    )} noted as (${noted})
    select ${CASE_COLUMNS.of('c')}, ${HELD_BACK} as held_back from moved as c where ${notifyAll(collected.topics)} >= 0`.execute(
    db,
  );
  const [row] = rows;
  if (row === undefined) {
    throw new StaleClaimError(`Case ${from.alert_id} moved on since it was claimed.`);
  }
  return row;
}

function auditOf(from: CaseRow, move: CaseMove): AuditEntry {
  return {
    organisationId: from.organisation_id,
    at: move.now,
    ...ofCase(from.alert_id),
    what: move.what,
    fromState: from.state,
    toState: move.to,
    ...(move.actor === undefined ? {} : { actor: move.actor }),
    ...(move.detail === undefined ? {} : { detail: move.detail }),
  };
}

/** When a case that stays as it is is looked at next. */
interface Replan {
  readonly now: Date;
  readonly nextActionAt: Date;
}

/** Plans the next look at a case that stays as it is, and releases it. A stale claim throws. */
export async function replanCase(db: Db, claim: CaseRow, plan: Replan): Promise<void> {
  const { numUpdatedRows } = await releasing(db, claim, plan).executeTakeFirst();
  if (numUpdatedRows === 0n) {
    throw new StaleClaimError(`Case ${claim.alert_id} moved on since it was claimed.`);
  }
}

/** The same as a part of another statement. */
export function releasing(
  db: Db,
  claim: CaseRow,
  plan: Replan,
): UpdateQueryBuilder<Database, 'alert_case', 'alert_case', UpdateResult> {
  return db
    .updateTable('alert_case')
    .set({
      lease_owner: null,
      lease_until: null,
      version: claim.version + 1,
      next_action_at: planColumn(claim, plan.nextActionAt),
      changed_at: plan.now,
    })
    .where('organisation_id', '=', claim.organisation_id)
    .where('alert_id', '=', claim.alert_id)
    .where('version', '=', claim.version)
    .where('is_open', '=', true);
}
