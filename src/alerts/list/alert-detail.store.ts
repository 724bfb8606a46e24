/**
 * Everything there is to know about one alert: the rows of every stage it has passed, and its two
 * histories, what the service sent us and what we did.
 */
import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import type { AuditTable } from '../../base/audit/audit.table.ts';
import type { Db } from '../../base/db/database.ts';
import type { AlertTable, EntityChangeTable } from '../apply/entity.table.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { findCase } from '../cases/case.store.ts';
import type { DecisionTable } from '../decide/decision.table.ts';
import type { DeclarationTable } from '../declare/declaration.table.ts';
import type { MovementRow } from '../ledger/movement.store.ts';
import type { MatchTable } from '../match/match.table.ts';

/** Entries of each history that are read: an alert that has more is no ordinary one. */
const HISTORY_MAX = 500;

export interface AlertDetail {
  readonly alert: Selectable<AlertTable> | undefined;
  readonly case: CaseRow | undefined;
  /** The match in force, or the last attempt. */
  readonly match: Selectable<MatchTable> | undefined;
  /** Oldest first; the case names the one in force. */
  readonly decisions: readonly Selectable<DecisionTable>[];
  /** The movement the case names. */
  readonly movement: MovementRow | undefined;
  /** Every movement for the alert's dispute, oldest first; without one, what the alert itself caused. */
  readonly movements: readonly MovementRow[];
  readonly declaration: Selectable<DeclarationTable> | undefined;
  /** What the service sent us, oldest first. */
  readonly changes: readonly Selectable<EntityChangeTable>[];
  /** What we did, oldest first. */
  readonly audit: readonly Selectable<AuditTable>[];
  /** Other alerts about the same charge. */
  readonly twins: readonly string[];
}

/** Reads it all; undefined when neither the alert nor a case of it is known. */
export async function readAlertDetail(
  db: Db,
  organisationId: string,
  alertId: string,
): Promise<AlertDetail | undefined> {
  const [alert, row] = await Promise.all([
    db
      .selectFrom('alert')
      .selectAll()
      .where('organisation_id', '=', organisationId)
      .where('id', '=', alertId)
      .executeTakeFirst(),
    findCase(db, organisationId, alertId),
  ]);
  if (alert === undefined && row === undefined) return undefined;
  const [declaration, decisions, movements, match, changes, audit, twins] = await Promise.all([
    db
      .selectFrom('declaration')
      .selectAll()
      .where('organisation_id', '=', organisationId)
      .where('alert_id', '=', alertId)
      .executeTakeFirst(),
    db
      .selectFrom('decision')
      .selectAll()
      .where('organisation_id', '=', organisationId)
      .where('alert_id', '=', alertId)
      .orderBy('id', 'desc')
      .limit(HISTORY_MAX)
      .execute(),
    readMovements(db, { organisationId, alertId, row }),
    readMatch(db, { organisationId, alertId, matchId: row?.match_id ?? null }),
    readChanges(db, organisationId, alertId),
    readAudit(db, organisationId, alertId),
    readTwins(db, organisationId, row),
  ]);
  const movement = movements.find(({ id }) => id === row?.movement_id);
  const known = { alert, case: row, match, movement, movements, declaration };
  return { ...known, decisions: decisions.reverse(), changes, audit, twins };
}

async function readMatch(
  db: Db,
  about: {
    readonly organisationId: string;
    readonly alertId: string;
    readonly matchId: number | null;
  },
): Promise<Selectable<MatchTable> | undefined> {
  let rows = db
    .selectFrom('match')
    .selectAll()
    .where('organisation_id', '=', about.organisationId)
    .where('alert_id', '=', about.alertId);
  if (about.matchId !== null) rows = rows.where('id', '=', about.matchId);
  return await rows.orderBy('id', 'desc').limit(1).executeTakeFirst();
}

/** Ours for the dispute, what of others answers it, the alert's own, and the one the case names. */
async function readMovements(
  db: Db,
  about: {
    readonly organisationId: string;
    readonly alertId: string;
    readonly row: CaseRow | undefined;
  },
): Promise<MovementRow[]> {
  const { organisationId, alertId, row } = about;
  return await db
    .selectFrom('movement as m')
    .selectAll('m')
    .where('m.organisation_id', '=', organisationId)
    .where(
      sql<boolean>`m.id in (
        select id from movement where organisation_id = ${organisationId} and id = ${row?.movement_id ?? null}
        union select movement_id from cover where organisation_id = ${organisationId} and dispute_id = ${row?.dispute_id ?? null}
        union select id from movement where organisation_id = ${organisationId}
          and charge_reference = ${row?.charge_reference ?? null}
          and (alert_id = ${alertId} or dispute_id = ${row?.dispute_id ?? null})
        union select id from movement where organisation_id = ${organisationId} and kind = 'network' and observed_from = ${alertId})`,
    )
    .orderBy('m.created_at')
    .orderBy('m.id')
    .limit(HISTORY_MAX)
    .execute();
}

async function readChanges(
  db: Db,
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
  db: Db,
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
  db: Db,
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
