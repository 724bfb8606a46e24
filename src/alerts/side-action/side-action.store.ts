/** All SQL of side actions: store what is planned, claim what is due, settle it. */
import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import { ofCase, writeAudit } from '../../base/audit/audit.store.ts';
import type { Db, Trx } from '../../base/db/database.ts';
import type { DueCondition } from '../../base/jobs/due.store.ts';
import { anyDue } from '../../base/jobs/due.store.ts';
import { deriveId } from '../../base/kernel/ids.ts';
import type { SideActionKind } from '../decide/policy.ts';
import { pausedSql } from '../guard/paused.store.ts';
import type { PlannedSideAction } from './plan-side-actions.ts';
import type { SideActionTable } from './side-action.table.ts';

/** A side action as read. */
export type SideActionRow = Selectable<SideActionTable>;

/** Whether there is anything to plan. */
export const hasAlertsToPlan: DueCondition = (_now, organisation) => sql<boolean>`exists (
    select from side_action_due where organisation_id = ${organisation})`;

/** Whether there is anything to carry out. */
export const hasActionsToPerform: DueCondition = (now, organisation) => sql<boolean>`exists (
    select from side_action where organisation_id = ${organisation} and next_attempt_at <= ${now})`;

/** Whether there is anything to plan or to carry out. */
export const hasDueSideActions: DueCondition = anyDue([hasAlertsToPlan, hasActionsToPerform]);

/** Side actions to be stored, all of one alert. */
export interface NewSideActions {
  readonly organisationId: string;
  readonly alertId: string;
  readonly planned: readonly PlannedSideAction[];
  readonly now: Date;
}

/** Stores what is planned; what was planned for the alert before stays as it is. Returns how many are new. */
export async function insertSideActions(
  trx: Trx,
  { organisationId, alertId, planned, now }: NewSideActions,
): Promise<number> {
  if (planned.length === 0) return 0;
  const rows = await trx
    .insertInto('side_action')
    .values(
      planned.map(({ kind, subject, cause, detail }) => ({
        organisation_id: organisationId,
        id: deriveId('sa', [organisationId, alertId, kind, subject]),
        alert_id: alertId,
        kind,
        subject,
        cause,
        detail: JSON.stringify(detail),
        state: 'DUE' as const,
        next_attempt_at: now,
        created_at: now,
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returning(['kind', 'subject', 'cause'])
    .execute();
  for (const row of rows) {
    const what = `${words(row.kind)} planned`;
    await audit(trx, { organisationId, alertId, what, detail: detailOf(row), now });
  }
  return rows.length;
}

/** What {@link claimDueSideActions} needs. */
export interface SideActionClaim {
  readonly organisationId: string;
  readonly now: Date;
  readonly limit: number;
  /** When an attempt that never reports back may be repeated. */
  readonly claimedUntil: Date;
}

/**
 * Claims side actions whose moment has come: none while the kill switch is on. The claim is the next
 * attempt's moment.
 */
export async function claimDueSideActions(
  db: Db,
  { organisationId, now, limit, claimedUntil }: SideActionClaim,
): Promise<SideActionRow[]> {
  const rows = await db
    .with('due', (qb) =>
      qb
        .selectFrom('side_action')
        .select(['organisation_id', 'id'])
        .where('organisation_id', '=', organisationId)
        .where('next_attempt_at', '<=', now)
        .where(sql<boolean>`not ${pausedSql(organisationId)}`)
        .orderBy('next_attempt_at')
        .orderBy('id')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .updateTable('side_action as s')
    .from('due')
    .set({ next_attempt_at: claimedUntil, attempts: sql<number>`s.attempts + 1` })
    .whereRef('s.organisation_id', '=', 'due.organisation_id')
    .whereRef('s.id', '=', 'due.id')
    .returningAll('s')
    .execute();
  // Returned in the order of a join, which is the planner's.
  return rows.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Ends a side action. Returns false when somebody else ended it. */
export async function settleSideAction(
  trx: Trx,
  row: SideActionRow,
  end: {
    readonly state: 'DONE' | 'FAILED';
    /** What was done, or why it cannot be. */
    readonly note: string | null;
    readonly now: Date;
  },
): Promise<boolean> {
  const { state, note, now } = end;
  const result = await trx
    .updateTable('side_action')
    .set({
      state,
      settled_at: now,
      next_attempt_at: null,
      last_error: state === 'DONE' ? null : note,
    })
    .where('organisation_id', '=', row.organisation_id)
    .where('id', '=', row.id)
    .where('state', '=', 'DUE')
    .executeTakeFirst();
  if (result.numUpdatedRows === 0n) return false;
  await audit(trx, {
    organisationId: row.organisation_id,
    alertId: row.alert_id,
    what: `${words(row.kind)} ${state === 'DONE' ? 'done' : 'failed'}`,
    detail: { ...detailOf(row), ...(note === null ? {} : { note }) },
    now,
  });
  return true;
}

/** Plans the next attempt. */
export async function postponeSideAction(
  db: Db,
  row: SideActionRow,
  retry: { readonly at: Date; readonly error: string },
): Promise<void> {
  await db
    .updateTable('side_action')
    .set({ next_attempt_at: retry.at, last_error: retry.error.slice(0, 200) })
    .where('organisation_id', '=', row.organisation_id)
    .where('id', '=', row.id)
    .where('state', '=', 'DUE')
    .execute();
}

/** The side actions of an alert, oldest first. */
export async function listSideActions(
  db: Db,
  organisationId: string,
  alertId: string,
): Promise<SideActionRow[]> {
  return await db
    .selectFrom('side_action')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where('alert_id', '=', alertId)
    .orderBy('created_at')
    .orderBy('kind')
    .execute();
}

function words(kind: SideActionKind): string {
  return kind.replaceAll('_', ' ');
}

/** A customer is a hash, and a message a text: neither belongs into the log. */
function detailOf({
  kind,
  subject,
  cause,
}: Pick<SideActionRow, 'kind' | 'subject' | 'cause'>): Record<string, unknown> {
  const isNamed = kind === 'cancel_subscription' || kind === 'stop_fulfilment';
  return { cause, ...(isNamed ? { subject } : {}) };
}

async function audit(
  trx: Trx,
  entry: {
    readonly organisationId: string;
    readonly alertId: string;
    readonly what: string;
    readonly detail: Record<string, unknown>;
    readonly now: Date;
  },
): Promise<void> {
  await writeAudit(trx, {
    organisationId: entry.organisationId,
    at: entry.now,
    ...ofCase(entry.alertId),
    what: entry.what,
    detail: entry.detail,
  });
}
