/**
 * The kill switch: while its row is there, no refund and no void is sent.
 *
 * What was refunded is still declared, deadlines are still watched, and cases whose refund is due go to
 * people. Switching it off makes those due again.
 */
import type { RawBuilder, Selectable } from 'kysely';
import { sql } from 'kysely';
import { writeAudit } from '../../base/audit/audit.store.ts';
import type { Db, Trx } from '../../base/db/database.ts';
import { ALL_ORGANISATIONS } from '../../base/db/for-organisation.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { notify } from '../../base/notify/notification.store.ts';
import { releaseHeldCases } from '../cases/release-held.store.ts';
import type { MoneyPauseTable } from './guard.table.ts';

/** What becomes of alerts meanwhile: an alert that runs out unanswered is worse than one that is conceded as the policy planned. */
export const WHILE_PAUSED =
  'Alerts that need one wait for people. Where nobody decides in time, the policy’s fallback is still carried out at its moment, so that no alert runs out: a fallback that accepts concedes the dispute';

/** The switch while it is on. */
export type MoneyPause = Selectable<MoneyPauseTable>;

/** Who switches, and why. */
export interface PauseRequest {
  readonly organisationId: string;
  /** The person's name, as the audit log shows it. */
  readonly operator: string;
  readonly reason: string;
  readonly now: Date;
}

/** The switch that is on, the installation's before the organisation's; undefined while money may move. */
export async function readPause(db: Db, organisationId: string): Promise<MoneyPause | undefined> {
  const { rows } = await pauseOf(sql`${organisationId}`).execute(db);
  return rows[0];
}

/** The same of an organisation that another statement names: at most one row. */
export function pauseOf(organisation: RawBuilder<unknown>): RawBuilder<MoneyPause> {
  return sql<MoneyPause>`select organisation_id, paused_at, paused_by, reason from money_pause
    where organisation_id in (${organisation}, ${ALL_ORGANISATIONS})
    order by organisation_id = ${ALL_ORGANISATIONS} desc limit 1`;
}

/** Whether money is stopped. Asked right before the socket write that would move it. */
export async function isPaused(db: Db, organisationId: string): Promise<boolean> {
  return (await readPause(db, organisationId)) !== undefined;
}

/** Stops money. Returns false when it was stopped already; the first reason then stays. */
export async function pauseMoney(db: Db, request: PauseRequest): Promise<boolean> {
  const { organisationId, operator, reason, now } = request;
  return await inTransaction(db, async (trx) => {
    if (!(await insertPause(trx, request))) return false;
    await record(trx, request, 'refunds paused');
    await notify(trx, {
      organisationId,
      dedupeKey: `paused:${now.toISOString()}`,
      kind: 'paused',
      severity: 'error',
      text: `${operator} paused all refunds${reason === '' ? '' : ', and says why in the console'}. ${WHILE_PAUSED}. "forestall resume" lets refunds go again.`,
      at: now,
    });
    return true;
  });
}

/** Writes the row. Returns false where it is there already. */
export async function insertPause(
  trx: Trx,
  { organisationId, operator, reason, now }: PauseRequest,
): Promise<boolean> {
  const result = await trx
    .insertInto('money_pause')
    .values({
      organisation_id: organisationId,
      paused_at: now,
      paused_by: `operator:${operator}`,
      reason,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Takes the row away. Returns false where there is none. */
export async function deletePause(trx: Trx, organisationId: string): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('money_pause')
    .where('organisation_id', '=', organisationId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** What a resume did. */
export interface Resumed {
  /** False when money was not stopped. */
  readonly resumed: boolean;
  /** Cases held by the switch that continue now. */
  readonly released: number;
  /** The switch of the whole installation is on. */
  readonly isStoppedStill?: boolean;
}

/** Lets money move again, and decides the cases again that the switch had held. */
export async function resumeMoney(db: Db, request: Omit<PauseRequest, 'reason'>): Promise<Resumed> {
  const { organisationId, operator, now } = request;
  return await inTransaction(db, async (trx) => {
    if (!(await deletePause(trx, organisationId))) return { resumed: false, released: 0 };
    await record(trx, { ...request, reason: '' }, 'refunds resumed');
    // The switch of the whole installation goes on holding them.
    if (await isPaused(trx, organisationId))
      return { resumed: true, released: 0, isStoppedStill: true };
    const actor = `operator:${operator}`;
    const released = await releaseHeldCases(trx, { organisationId, reason: 'paused', actor, now });
    await notify(trx, {
      organisationId,
      dedupeKey: `resumed:${now.toISOString()}`,
      kind: 'resumed',
      severity: 'warning',
      text: `${operator} let refunds go again. Of the held alerts ${released} continue.`,
      at: now,
    });
    return { resumed: true, released };
  });
}

/** A reason is somebody's own words, so the log keeps only that there is one. */
async function record(
  trx: Trx,
  { organisationId, operator, now }: PauseRequest,
  what: string,
): Promise<void> {
  await writeAudit(trx, {
    organisationId,
    at: now,
    subject: 'system',
    subjectId: 'money_pause',
    actor: `operator:${operator}`,
    what,
  });
}
