/**
 * Figures of many organisations: what is open and waits in each, and what its health is judged by. A fixed number of
 * statements, however many organisations there are, along indexes that hold open rows only.
 */
import { sql } from 'kysely';
import { AWAITS_DECISION } from '../alerts/cases/open-cases.store.ts';
import type { Db } from '../base/db/database.ts';
import { anyOf, textArray } from '../base/db/text-array.ts';
import type { HealthFacts } from './health.store.ts';
import { readHealthFactsByOrganisation } from './health.store.ts';
import type { OrganisationsScope } from './operations.store.ts';

export interface OrganisationFigures {
  readonly open: number;
  /** Alerts that wait for a person. */
  readonly reviews: number;
  /** When Forestall acts by itself on the first of them, or its deadline; null: none waits. */
  readonly nextActAt: Date | null;
  readonly nearestDeadlineAt: Date | null;
  /** Alerts that ran out without a declared answer, ever. */
  readonly missed: number;
  /** When the last of them ran out; null: none ever did. */
  readonly lastMissedAt: Date | null;
  /** Open findings that are errors. */
  readonly errors: number;
}

export interface OrganisationRead {
  readonly figures: OrganisationFigures;
  readonly facts: HealthFacts;
}

export async function readOrganisationStates(
  db: Db,
  scope: OrganisationsScope,
): Promise<ReadonlyMap<string, OrganisationRead>> {
  const rows = await readFigures(db, scope);
  const health = await readHealthFactsByOrganisation(db, scope);
  return new Map(
    rows.flatMap(({ id, ...figures }): [string, OrganisationRead][] => {
      const facts = health.get(id);
      return facts === undefined ? [] : [[id, { figures, facts }]];
    }),
  );
}

async function readFigures(
  db: Db,
  { organisationIds }: OrganisationsScope,
): Promise<readonly (OrganisationFigures & { readonly id: string })[]> {
  const among = sql`organisation_id = ${anyOf(organisationIds)}`;
  const { rows } = await sql<OrganisationFigures & { id: string }>`
    select o.id, coalesce(c.open, 0) as open, coalesce(c.reviews, 0) as reviews, c.acts as "nextActAt",
      c.nearest as "nearestDeadlineAt", coalesce(m.missed, 0) as missed, m.last as "lastMissedAt",
      coalesce(f.errors, 0) as errors
    from unnest(${textArray(organisationIds)}::text[]) as o (id)
    left join (
      select organisation_id, count(*) as open, min(deadline_at) as nearest,
        count(*) filter (where state = any(${AWAITS_DECISION}::text[])) as reviews,
        min(least(fallback_at, deadline_at)) filter (where state = any(${AWAITS_DECISION}::text[])) as acts
      from alert_case where is_open and ${among} group by organisation_id) c on c.organisation_id = o.id
    left join (select organisation_id, count(*) as missed, max(missed_at) as last from alert_case
      where missed_at is not null and ${among} group by organisation_id) m on m.organisation_id = o.id
    left join (select organisation_id, count(*) filter (where severity = 'error') as errors from finding
      where closed_at is null and ${among} group by organisation_id) f on f.organisation_id = o.id`.execute(
    db,
  );
  return rows;
}
