/**
 * Everything there is to know about one alert: the rows of every stage it has passed, and its two
 * histories, what the service told us and what we did.
 */
import type { Kysely, Selectable } from 'kysely';
import type { AlertTable, EntityChangeTable } from '../apply/entity.table.ts';
import type { AuditTable } from '../audit/audit.table.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { findCase } from '../cases/case.store.ts';
import type { Database } from '../db/database.ts';
import type { DecisionTable } from '../decide/decision.table.ts';
import type { DeclarationTable } from '../declare/declaration.table.ts';
import type { MatchTable } from '../match/match.table.ts';
import type { RefundTable } from '../refund/refund.table.ts';

/** Entries of each history that are read: an alert that has more is no ordinary one. */
const HISTORY_MAX = 500;

/** The rows about one alert. */
export interface AlertDetail {
  readonly alert: Selectable<AlertTable> | undefined;
  readonly case: CaseRow | undefined;
  /** The match in force, or the last attempt. */
  readonly match: Selectable<MatchTable> | undefined;
  /** Oldest first; the case names the one in force. */
  readonly decisions: readonly Selectable<DecisionTable>[];
  readonly refund: Selectable<RefundTable> | undefined;
  readonly declaration: Selectable<DeclarationTable> | undefined;
  /** What the service told us, oldest first. */
  readonly changes: readonly Selectable<EntityChangeTable>[];
  /** What we did, oldest first. */
  readonly audit: readonly Selectable<AuditTable>[];
  /** Other alerts about the same charge. */
  readonly twins: readonly string[];
}

/** Reads it all; undefined when neither the alert nor a case of it is known. */
export async function readAlertDetail(
  db: Kysely<Database>,
  organisationId: string,
  alertId: string,
): Promise<AlertDetail | undefined> {
  const alert = await db
    .selectFrom('alert')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where('id', '=', alertId)
    .executeTakeFirst();
  const row = await findCase(db, organisationId, alertId);
  if (alert === undefined && row === undefined) return undefined;
  const declaration = await db
    .selectFrom('declaration')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where('alert_id', '=', alertId)
    .executeTakeFirst();
  const decisions = await db
    .selectFrom('decision')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where('alert_id', '=', alertId)
    .orderBy('id', 'desc')
    .limit(HISTORY_MAX)
    .execute();
  return {
    alert,
    case: row,
    match: await readMatch(db, { organisationId, alertId, matchId: row?.match_id ?? null }),
    decisions: decisions.reverse(),
    refund: await readRefund(db, organisationId, row),
    declaration,
    changes: await readChanges(db, organisationId, alertId),
    audit: await readAudit(db, organisationId, alertId),
    twins: await readTwins(db, organisationId, row),
  };
}

async function readMatch(
  db: Kysely<Database>,
  of: {
    readonly organisationId: string;
    readonly alertId: string;
    readonly matchId: number | null;
  },
): Promise<Selectable<MatchTable> | undefined> {
  let rows = db
    .selectFrom('match')
    .selectAll()
    .where('organisation_id', '=', of.organisationId)
    .where('alert_id', '=', of.alertId);
  if (of.matchId !== null) rows = rows.where('id', '=', of.matchId);
  return await rows.orderBy('id', 'desc').limit(1).executeTakeFirst();
}

/** The refund the case names, or else the one that reserves its charge. */
async function readRefund(
  db: Kysely<Database>,
  organisationId: string,
  row: CaseRow | undefined,
): Promise<Selectable<RefundTable> | undefined> {
  const rows = db.selectFrom('refund').selectAll().where('organisation_id', '=', organisationId);
  if (row?.refund_id != null) return await rows.where('id', '=', row.refund_id).executeTakeFirst();
  if (row?.charge_reference == null) return undefined;
  return await rows.where('charge_reference', '=', row.charge_reference).executeTakeFirst();
}

async function readChanges(
  db: Kysely<Database>,
  organisationId: string,
  alertId: string,
): Promise<Selectable<EntityChangeTable>[]> {
  const rows = await db
    .selectFrom('entity_change')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where('entity', '=', 'alert')
    .where('entity_id', '=', alertId)
    .orderBy('id', 'desc')
    .limit(HISTORY_MAX)
    .execute();
  return rows.reverse();
}

async function readAudit(
  db: Kysely<Database>,
  organisationId: string,
  alertId: string,
): Promise<Selectable<AuditTable>[]> {
  const rows = await db
    .selectFrom('audit')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where('alert_id', '=', alertId)
    .orderBy('id', 'desc')
    .limit(HISTORY_MAX)
    .execute();
  return rows.reverse();
}

async function readTwins(
  db: Kysely<Database>,
  organisationId: string,
  row: CaseRow | undefined,
): Promise<string[]> {
  if (row?.charge_reference == null) return [];
  const rows = await db
    .selectFrom('alert_case')
    .select('alert_id')
    .where('organisation_id', '=', organisationId)
    .where('charge_reference', '=', row.charge_reference)
    .where('alert_id', '!=', row.alert_id)
    .orderBy('alert_id')
    .limit(HISTORY_MAX)
    .execute();
  return rows.map((twin) => twin.alert_id);
}
