/** What a search text names besides alerts: an order, a charge, a stored event. Each along its own index. */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import { literally } from './alert-list.store.ts';
import { saysEnough } from './search-words.ts';

/** Something with a page of its own. */
export interface NamedThing {
  readonly kind: 'order' | 'charge' | 'event';
  readonly id: string;
}

/** References of one kind that are offered when only their beginning is given. */
const BEGINNINGS_MAX = 5;

/** What has this reference or begins with it, the exact one first; or the charge of a refund that has it. */
export async function findNamed(
  db: Db,
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
      where organisation_id = ${organisationId} and event_id = ${wanted})
    ${saysEnough(wanted) ? beginnings(organisationId, wanted) : sql``}`.execute(db);
  return [...new Map(rows.map((thing) => [`${thing.kind} ${thing.id}`, thing])).values()];
}

function beginnings(organisationId: string, wanted: string): RawBuilder<unknown> {
  const like = `${literally(wanted)}%`;
  return sql`union all (select 'order', reference_id from order_record
      where organisation_id = ${organisationId} and reference_id like ${like} limit ${BEGINNINGS_MAX})
    union all (select 'charge', reference from charge
      where organisation_id = ${organisationId} and reference like ${like} limit ${BEGINNINGS_MAX})`;
}
