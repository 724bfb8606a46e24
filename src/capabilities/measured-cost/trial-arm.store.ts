/** Reads which alerts were in a trial, with the arm that was drawn first: what was done later does not change it. */
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';

export interface TrialArm {
  readonly alertId: string;
  readonly arm: 'accept' | 'refund';
  readonly propensity: number;
}

export async function readTrialArms(
  db: Db,
  { organisationId, from }: { readonly organisationId: string; readonly from: Date },
): Promise<TrialArm[]> {
  const { rows } = await sql<TrialArm>`
    select distinct on (alert_id) alert_id as "alertId", arm, propensity from decision
    where organisation_id = ${organisationId} and decided_at >= ${from} and arm is not null and not shadow
    order by alert_id, id`.execute(db);
  return rows;
}
