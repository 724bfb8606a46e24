/** Cases that have ended and whose alerts the service lists as open. */
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import type { Instant } from '../../base/kernel/instant.ts';
import type { CaseRow } from '../cases/case.store.ts';

/** The kind of the finding. */
export const OPEN_AGAIN = 'alert_open_again';

/** An ended case, and the moment that its alert showed when it ended. */
export type EndedCase = CaseRow & { readonly alert_updated_at: Instant };

export interface EndedQuery {
  readonly organisationId: string;
  /** Ids on the list of alerts that need an action, which was read whole. */
  readonly listed: readonly string[];
  /** Those whose finding was seen since are left out, so that others have their turn. */
  readonly seenBefore: Date;
  readonly now: Date;
  readonly limit: number;
}

/** Reads them, the nearest deadline first, and closes the findings about alerts that left the list. */
export async function readEndedCases(db: Db, query: EndedQuery): Promise<readonly EndedCase[]> {
  const { organisationId, seenBefore, now, limit } = query;
  const listed = sql`${[...query.listed]}::text[]`;
  const open = sql`organisation_id = ${organisationId} and kind = ${OPEN_AGAIN} and closed_at is null`;
  const { rows } = await sql<EndedCase>`
    with closed as (update finding set closed_at = ${now} where ${open} and not subject_id = any(${listed}))
    select c.*, to_char(a.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as alert_updated_at
    from alert_case c join alert a on a.organisation_id = c.organisation_id and a.id = c.alert_id
    where c.organisation_id = ${organisationId} and c.alert_id = any(${listed}) and not c.is_open
      and not exists (select from finding where ${open} and subject_id = c.alert_id and last_seen_at >= ${seenBefore})
    order by c.deadline_at, c.alert_id limit ${limit}`.execute(db);
  return rows;
}
