/** Rows of one organisation that hold the id of another, in any table of ours: for whoever sees them all. */
import { INVENTORY } from '../../src/running/privacy/inventory.ts';

const TABLES = Object.keys(INVENTORY).filter((table) => table !== 'payment_evidence');

/** A statement that lists them, by table and organisation. Its one value: the ids to compare. Each row is written out once. */
export const FOREIGN_ROWS = `with other as materialized (
  select id, encode(convert_to(id, 'UTF8'), 'hex') as hex from unnest($1::text[]) as id)
${TABLES.map(
  (table) => `
  select '${table}' as place, t.organisation_id as id
  from ${table} t cross join lateral (select t::text as text offset 0) as written
  where t.organisation_id = any($1) and exists (select from other where other.id <> t.organisation_id
    and (strpos(written.text, other.id) > 0 or strpos(written.text, other.hex) > 0))`,
).join(' union all ')}`;

/** A row that it lists. */
export interface ForeignRow {
  readonly place: string;
  readonly id: string;
}
