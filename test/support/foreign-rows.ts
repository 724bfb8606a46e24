/** Rows of one organisation that hold the id of another, in any table of ours: for whoever sees them all. */
import { INVENTORY } from '../../src/running/privacy/inventory.ts';

const TABLES = Object.keys(INVENTORY).filter((table) => table !== 'payment_evidence');

/** A statement that lists them, by table and organisation. Its one value: the ids to compare. */
export const FOREIGN_ROWS = TABLES.map(
  (table) => `
  select '${table}' as place, t.organisation_id as id from ${table} t, unnest($1::text[]) as other (id)
  where t.organisation_id = any($1) and other.id <> t.organisation_id
    and (strpos(t::text, other.id) > 0 or strpos(t::text, encode(convert_to(other.id, 'UTF8'), 'hex')) > 0)`,
).join(' union all ');

/** A row that it lists. */
export interface ForeignRow {
  readonly place: string;
  readonly id: string;
}
