/** What a search text names besides alerts: an order, a charge, a stored event. Each by its key alone. */
import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../../base/db/database.ts';

/** Something with a page of its own. */
export interface NamedThing {
  readonly kind: 'order' | 'charge' | 'event';
  readonly id: string;
}

/** What has exactly this reference, or the charge of a refund that has it. */
export async function findNamed(
  db: Kysely<Database>,
  organisationId: string,
  text: string,
): Promise<NamedThing[]> {
  const wanted = text.trim();
  const { rows } = await sql<NamedThing>`
    (select 'order' as kind, reference_id as id from order_record
      where organisation_id = ${organisationId} and reference_id = ${wanted} limit 1)
    union all (select 'charge', reference from charge
      where organisation_id = ${organisationId} and reference = ${wanted})
    union all (select 'charge', charge_reference from movement
      where organisation_id = ${organisationId} and (id = ${wanted} or processor_reference = ${wanted})
        and charge_reference is not null limit 1)
    union all (select 'event', event_id from inbox_id
      where organisation_id = ${organisationId} and event_id = ${wanted})`.execute(db);
  return rows;
}
