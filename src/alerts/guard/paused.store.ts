/** Whether money is stopped: by the organisation's own switch, or by the one of the whole installation. */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { ALL_ORGANISATIONS } from '../../base/db/for-organisation.ts';

/** As a condition of another statement. */
export function pausedSql(organisationId: string): RawBuilder<boolean> {
  return sql<boolean>`exists (select from money_pause
    where organisation_id in (${organisationId}, ${ALL_ORGANISATIONS}))`;
}
