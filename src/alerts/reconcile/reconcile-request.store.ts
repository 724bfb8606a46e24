/**
 * All SQL of passes that somebody asked for: a command writes the request, the process that polls
 * serves it and leaves the report. So the command needs neither keys nor the right to call anybody.
 */
import type { Selectable } from 'kysely';
import type { Db, Trx } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { enqueue } from '../../base/jobs/job.store.ts';
import { PASS_QUEUE } from '../../base/jobs/queues.ts';
import { wakeEverywhere } from '../../base/jobs/wake.store.ts';
import { createId } from '../../base/kernel/ids.ts';
import type { ReconcileRequestTable } from './reconcile.table.ts';
import type { ReconcileReport } from './report.ts';

export type ReconcileRequest = Selectable<ReconcileRequestTable>;

/** Wakes the process that polls; passes have a queue of their own. */
export const RECONCILE_TOPIC = 'reconcile';

export interface NewReconcileRequest {
  readonly organisationId: string;
  readonly since: Date;
  /** How many orders to have read back. */
  readonly orders: number;
  readonly by: string;
  readonly at: Date;
}

/** Asks for a pass. Returns the request's id. */
export async function askForPass(db: Db, request: NewReconcileRequest): Promise<string> {
  return await inTransaction(db, (trx) => addPass(trx, request));
}

/** The same, with what else the transaction does. */
export async function addPass(trx: Trx, request: NewReconcileRequest): Promise<string> {
  const id = createId('rcn');
  await trx
    .insertInto('reconcile_request')
    .values({
      organisation_id: request.organisationId,
      id,
      since: request.since,
      orders: request.orders,
      requested_by: request.by,
      requested_at: request.at,
    })
    .execute();
  await enqueue(trx, PASS_QUEUE, { organisationId: request.organisationId, id });
  // Another process may hold the lease of the poll, and only that one serves it.
  await wakeEverywhere(trx, RECONCILE_TOPIC);
  return id;
}

/** Requests that are not served, oldest first. */
export async function unservedRequests(db: Db, organisationId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('reconcile_request')
    .select('id')
    .where('organisation_id', '=', organisationId)
    .where('finished_at', 'is', null)
    .orderBy('requested_at')
    .execute();
  return rows.map(({ id }) => id);
}

export async function findRequest(
  db: Db,
  organisationId: string,
  id: string,
): Promise<ReconcileRequest | undefined> {
  return await db
    .selectFrom('reconcile_request')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export interface RequestKey {
  readonly organisationId: string;
  readonly id: string;
}

/** The pass has begun. */
export async function startRequest(db: Db, request: RequestKey, at: Date): Promise<void> {
  await change(db, request, { started_at: at });
}

/** The pass is over: with a report, or with the reason why there is none. */
export async function finishRequest(
  db: Db,
  request: RequestKey,
  end: { readonly at: Date; readonly report?: ReconcileReport; readonly error?: string },
): Promise<void> {
  await change(db, request, {
    finished_at: end.at,
    report: end.report === undefined ? null : JSON.stringify(end.report),
    error: end.error ?? null,
  });
}

async function change(
  db: Db,
  { organisationId, id }: RequestKey,
  columns: {
    readonly started_at?: Date;
    readonly finished_at?: Date;
    readonly report?: string | null;
    readonly error?: string | null;
  },
): Promise<void> {
  await db
    .updateTable('reconcile_request')
    .set(columns)
    .where('organisation_id', '=', organisationId)
    .where('id', '=', id)
    .execute();
}
