/**
 * Which database this is: distinguished from the one it was restored from, and from the standby that took
 * over, whose last moments may be missing.
 *
 * The cluster's own number and its timeline change with a restore on another server, to a point in time
 * or by failover; the numbers of the database and of a table, with a restore from a dump. A copy of a
 * stopped data directory shows none of it; what Forestall itself wrote last does (`recovery-check-rule.ts`).
 */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';

/** `full` where the server lets us ask about the cluster; `objects` where it does not. */
export type IdentityKind = 'full' | 'objects';

/** An identity, and how much of it could be asked. */
export interface DatabaseIdentity {
  readonly kind: IdentityKind;
  readonly identity: string;
}

/** The database that answers now, as a part of a statement that reads more. */
export function identityOf(kind: IdentityKind): RawBuilder<string> {
  const objects = sql<string>`(
    select oid from pg_database where datname = current_database()) || '/' || 'alert_case'::regclass::oid::text`;
  const cluster = sql<string>`(select system_identifier from pg_control_system())::text || '/' ||
    case when pg_is_in_recovery() then 'standby' else substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) end`;
  return kind === 'full' ? sql<string>`${cluster} || '/' || ${objects}` : objects;
}

/** The database that answers now, as far as `kind` says. Safe inside a transaction. */
export async function readIdentity(db: Db, kind: IdentityKind): Promise<string> {
  const { rows } = await sql<{ identity: string }>`select ${identityOf(kind)} as identity`.execute(
    db,
  );
  return rows[0]?.identity ?? '';
}

/** Undefined function, no privilege, not supported: managed servers answer so. */
const NOT_TOLD = new Set(['42883', '42501', '0A000']);

/** The database that answers now, with as much as its server tells. Not inside a transaction. */
export async function findIdentity(db: Db): Promise<DatabaseIdentity> {
  try {
    return { kind: 'full', identity: await readIdentity(db, 'full') };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (typeof code !== 'string' || !NOT_TOLD.has(code)) throw error;
    return { kind: 'objects', identity: await readIdentity(db, 'objects') };
  }
}
