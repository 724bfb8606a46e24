/** Policy versions as the console lists them: bounded, and without counting every decision. */
import { sql } from 'kysely';
import type { Db } from '../base/db/database.ts';

/** Versions that are listed, the newest ones. */
const VERSIONS_MAX = 100;

export interface PolicyListItem {
  readonly version: string;
  readonly name: string;
  readonly author: string | null;
  readonly firstUsedAt: Date;
  /** Null: never in force, only judged with the one that was. */
  readonly activatedAt: Date | null;
  readonly inForce: boolean;
  /** The second person, where it was put in force in the console. */
  readonly approvedBy: string | null;
  /** The version that was in force before; null for the first. */
  readonly previous: string | null;
}

/** The versions, the one in force first. */
export async function listPolicyVersions(
  db: Db,
  organisationId: string,
): Promise<PolicyListItem[]> {
  const { rows } = await sql<PolicyListItem>`
    with latest as (
      select distinct on (version) id, version, author, activated_at, previous_version, approved_by
      from policy_activation where organisation_id = ${organisationId} order by version, id desc
    )
    select v.version, v.name,
      case when a.approved_by is null then coalesce(v.author, a.author) else a.author end as author,
      v.first_used_at as "firstUsedAt", a.activated_at as "activatedAt",
      coalesce(a.id = (select max(id) from latest), false) as "inForce", a.previous_version as previous,
      a.approved_by as "approvedBy"
    from policy_version v left join latest a on a.version = v.version
    where v.organisation_id = ${organisationId}
    order by a.id desc nulls last, v.first_used_at desc, v.version limit ${VERSIONS_MAX}`.execute(
    db,
  );
  return rows;
}
