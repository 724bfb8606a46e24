/**
 * Which rows are an organisation's, from the database's own catalogue: every table with an `organisation_id` moves,
 * unless it is in {@link STAYING} with its reason. A new table so moves by itself.
 */
import type { Pool } from 'pg';
import type { DescribedTable } from '../../base/db/described-table.ts';
import { ConfigError } from '../../base/kernel/errors.ts';

/** Tables that stay where they are, and why. */
export const STAYING: Readonly<Record<string, string>> = {
  organisation_move: 'says where the organisation is: each installation has its own',
  organisation_lock: 'locks of transactions, which end with them',
  cluster_lease: 'leases of processes, which end when these stop',
  worker_heartbeat: 'processes of the installation',
  console_right: 'of people who are entered elsewhere in the installation, and stay there',
  console_session: 'people sign in anew at the other console',
  console_oidc_flow: 'sign-ins under way',
  console_attempt: 'wrong sign-ins of the last minutes',
  console_sent: 'forms of pages of this console, looked up where they were sent',
};

/** A table whose rows name their organisation otherwise, by the number that `evidence_key` gave it. */
export const NUMBERED_TABLE = {
  name: 'payment_evidence',
  owner: 'organisation',
  key: 'reference',
} as const;

/** A column's number is the one that was drawn for the other column; both as `table.column`. */
export type NumberReferences = Readonly<Record<string, string>>;

/** Where that number is. */
export const ORGANISATION_NUMBER = 'evidence_key.number';

/** Columns of tables that no capability describes: see {@link numberReferences}. */
const NUMBER_REFERENCES: NumberReferences = {
  'inbox_id.seq': 'inbox_event.seq',
  'inbox_work.seq': 'inbox_event.seq',
  'quarantine.seq': 'inbox_event.seq',
  'evidence_key.filled_to': 'order_record.seq',
  'feed_brake.probe_seq': 'order_record.seq',
  'payment_evidence.organisation': ORGANISATION_NUMBER,
};

/**
 * Columns that hold a number which the database draws for all organisations, and no foreign key says so: the
 * column that the number is drawn for. What foreign keys say is found by itself.
 */
export function numberReferences(described: readonly DescribedTable[]): NumberReferences {
  const ofDescribed = described.flatMap(({ name, numbers = {} }) =>
    Object.entries(numbers).map(([column, drawnFor]) => [`${name}.${column}`, drawnFor]),
  );
  return { ...Object.fromEntries(ofDescribed), ...NUMBER_REFERENCES };
}

/** Numbers that are drawn from a sequence which no column owns. */
export const SEQUENCES: Readonly<Record<string, string>> = { 'inbox_event.seq': 'inbox_seq' };

/** Such numbers inside JSON. */
export const NUMBERS_IN_JSON: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'audit.detail': { decision_id: 'decision.id', match_id: 'match.id' },
};

export interface MovedColumn {
  readonly name: string;
  readonly type: string;
  /** The database makes it of the others. */
  readonly isGenerated: boolean;
  /** Of which column it holds a number; itself, where it is the one that is numbered. */
  readonly numberOf: string | undefined;
}

export interface MovedTable {
  readonly name: string;
  /** The column that says whose row it is. */
  readonly owner: string;
  readonly columns: readonly MovedColumn[];
  /** What names a row; empty: nothing does, and all rows are written anew once they rest. */
  readonly key: readonly string[];
}

interface ColumnRow {
  readonly table: string;
  readonly column: string;
  readonly type: string;
  readonly is_generated: boolean;
  readonly is_identity: boolean;
  readonly key_place: number | null;
  readonly numbered: string | null;
}

const COLUMNS = `
  select c.relname as "table", a.attname as "column", format_type(a.atttypid, a.atttypmod) as type,
    a.attgenerated <> '' as is_generated, a.attidentity <> '' as is_identity,
    array_position(k.conkey::int2[], a.attnum) as key_place,
    (select t.relname || '.' || ta.attname from pg_constraint f
       join pg_class t on t.oid = f.confrelid
       join pg_attribute ta on ta.attrelid = f.confrelid and ta.attnum = f.confkey[array_position(f.conkey, a.attnum)]
     where f.conrelid = c.oid and f.contype = 'f' and a.attnum = any (f.conkey) and ta.attidentity <> '' limit 1) as numbered
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  left join pg_constraint k on k.conrelid = c.oid and k.contype = 'p'
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and (c.relname = '${NUMBERED_TABLE.name}' or exists (select from pg_attribute o
      where o.attrelid = c.oid and o.attname = 'organisation_id' and not o.attisdropped))
  order by c.relname, a.attnum`;

/** Reads every table of the database that has rows of organisations; those that stay as well. */
export async function readTables(
  pool: Pick<Pool, 'query'>,
  references: NumberReferences,
): Promise<readonly MovedTable[]> {
  const { rows } = await pool.query<ColumnRow>(COLUMNS);
  const byTable = Map.groupBy(rows, ({ table }) => table);
  return [...byTable].map(([name, columns]) => tableOf(name, columns, references));
}

export function movingTables(tables: readonly MovedTable[]): readonly MovedTable[] {
  return tables.filter(({ name }) => !Object.hasOwn(STAYING, name));
}

function tableOf(
  name: string,
  rows: readonly ColumnRow[],
  references: NumberReferences,
): MovedTable {
  const columns = rows.map(({ column, type, is_generated, is_identity, numbered }): MovedColumn => {
    const own = `${name}.${column}`;
    const isNumbered = is_identity || Object.hasOwn(SEQUENCES, own);
    return {
      name: column,
      type,
      isGenerated: is_generated,
      numberOf: references[own] ?? numbered ?? (isNumbered ? own : undefined),
    };
  });
  if (name === NUMBERED_TABLE.name) {
    return { name, owner: NUMBERED_TABLE.owner, columns, key: [NUMBERED_TABLE.key] };
  }
  const key = rows
    .filter((row) => row.key_place !== null && row.column !== 'organisation_id')
    .sort((a, b) => (a.key_place ?? 0) - (b.key_place ?? 0))
    .map(({ column }) => column);
  const isAlone = rows.some((row) => row.key_place !== null) && key.length === 0;
  return { name, owner: 'organisation_id', columns, key: isAlone ? ['organisation_id'] : key };
}

/** The columns for which a sequence draws numbers, each with the sequence's own name in SQL. */
export function sequencesOf(tables: readonly MovedTable[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { name, columns } of tables) {
    for (const { name: column, numberOf } of columns) {
      const own = `${name}.${column}`;
      if (numberOf !== own || own === ORGANISATION_NUMBER) continue;
      const named = SEQUENCES[own];
      found.set(
        own,
        named === undefined ? `pg_get_serial_sequence('${name}', '${column}')` : `'${named}'`,
      );
    }
  }
  return found;
}

/** Both sides must hold the same tables, column by column: rows travel as the texts of whole rows. */
export function requireSameTables(here: readonly MovedTable[], there: readonly MovedTable[]): void {
  const textOf = (table: MovedTable | undefined): string => JSON.stringify(table ?? null);
  const target = new Map(there.map((table) => [table.name, table]));
  const names = new Set([...here, ...there].map(({ name }) => name));
  const source = new Map(here.map((table) => [table.name, table]));
  const differing = [...names].filter(
    (name) => textOf(source.get(name)) !== textOf(target.get(name)),
  );
  if (differing.length === 0) return;
  throw new ConfigError(
    `The two databases hold different tables (${differing.slice(0, 5).join(', ')}). Run the same version of Forestall on both sides, "forestall migrate" each, then try again.`,
  );
}
