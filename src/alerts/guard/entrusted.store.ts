/** Who was given a place, a role, a token or a right of late, and by whom: read from the audit log, to which rows are only added. */
import { sql } from 'kysely';
import type { Trx } from '../../base/db/database.ts';
import { amongOrganisations, ENTERED_FOR_ALL } from '../../base/db/for-organisation.ts';
import { anyOf } from '../../base/db/text-array.ts';
import type { Entrusted } from './second-person.ts';
import { ENTRUSTED_MS } from './second-person.ts';

/** What gives somebody the means to act, as the audit log says it. */
const GIVEN = [
  'operator added',
  'operator role changed',
  'operator token renewed',
  'operator given a right',
] as const;

/** What was given within the last day to anyone who may act for an organisation, wherever they are entered. */
export async function readEntrusted(
  trx: Trx,
  organisationId: string,
  now: Date,
): Promise<readonly Entrusted[]> {
  const since = new Date(now.getTime() - ENTRUSTED_MS);
  const { rows: guests } = await sql<{ home: string }>`
    select distinct home from console_right where organisation_id = ${organisationId}`.execute(trx);
  const organisationIds = [organisationId, ENTERED_FOR_ALL, ...guests.map(({ home }) => home)];
  return await amongOrganisations(trx, { reason: 'people', organisationIds }, async () => {
    const { rows } = await sql<Entrusted>`
      select subject_id as name, substr(actor, 10) as by from audit
      where organisation_id = ${anyOf(organisationIds)} and actor like 'operator:%' and at > ${since}
        and subject = 'operator' and what = ${anyOf(GIVEN)}`.execute(trx);
    return rows;
  });
}
