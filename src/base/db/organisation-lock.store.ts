/**
 * What one transaction at a time may do for an organisation, until it ends: a row that each of them updates, so that the
 * lock holds on every PostgreSQL-compatible engine.
 *
 * The advisory lock of the same name is taken with it, because the version before takes nothing else.
 */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Db } from './database.ts';

/** The two parts of a statement that takes the lock: a change, and an expression. */
export interface LockParts {
  readonly row: RawBuilder<unknown>;
  readonly advisory: RawBuilder<unknown>;
}

/** For a statement that reads at the same time; it does not see what was written while it waited. */
export function organisationLock(organisationId: string, name: string): LockParts {
  const key = JSON.stringify([name, organisationId]);
  return {
    row: sql`insert into organisation_lock as l (organisation_id, name, taken)
      values (${organisationId}, ${name}, 1)
      on conflict (organisation_id, name) do update set taken = l.taken + 1`,
    advisory: sql`pg_advisory_xact_lock(hashtextextended(${key}, 0))`,
  };
}

/** Takes the lock alone. */
export async function lockOrganisation(
  trx: Db,
  organisationId: string,
  name: string,
): Promise<void> {
  const { row, advisory } = organisationLock(organisationId, name);
  await sql`with turn as (${row}) select ${advisory}`.execute(trx);
}
