/**
 * All SQL that walks through sealed columns: where each row is, its values under a lock, and their
 * replacement. For sealing again (`reseal.ts`) and for erasure (`erase-sealed.ts`).
 */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Db, Trx } from '../../base/db/database.ts';
import { CAPABILITY_TABLES } from '../../capabilities/index.ts';

/** Tables of files of an alert. */
export const FILE_TABLES: readonly string[] = CAPABILITY_TABLES.flatMap(
  ({ name, isFileOfAlert = false }) => (isFileOfAlert ? [name] : []),
);

/** Tables whose body is next to the id of the key that it is sealed with. */
export const BODY_TABLES: readonly string[] = ['inbox_event', 'quarantine', ...FILE_TABLES];

export const SEALED_TABLES: readonly string[] = [...BODY_TABLES, 'order_record'];

interface Walk {
  /** Columns, with their types, along which the table is walked; unique, and indexed. */
  readonly order: readonly (readonly [column: string, type: string])[];
  /** Under which key each sealed column is: a key_id, '' for none, null without a value. */
  readonly states: RawBuilder<unknown>;
}

const OF_BODY = sql`array[case when t.body is null then null else coalesce(t.key_id, '') end]`;
const OF_ORDER = sql.join([stateOfJson('submitted'), stateOfJson('body')]);

function stateOfJson(column: string): RawBuilder<unknown> {
  const value = sql.ref(`t.${column}`);
  return sql`case when jsonb_typeof(${value}) = 'string' then split_part(${value} #>> '{}', ':', 2) else '' end`;
}

const OF_FILE: Walk = { order: [['id', 'text']], states: OF_BODY };

/** Files of an alert are walked by their id. */
const WALKS: Readonly<Record<string, Walk>> = {
  inbox_event: {
    order: [
      ['received_at', 'timestamptz'],
      ['seq', 'int8'],
    ],
    states: OF_BODY,
  },
  quarantine: { order: [['id', 'int8']], states: OF_BODY },
  order_record: { order: [['seq', 'int8']], states: sql`array[${OF_ORDER}]` },
};

/** Where a row is, until somebody changes it. */
export interface RowRef {
  readonly place: string;
  readonly part: string;
  /** Of each sealed column: the key's id, '' when it is not sealed, null without a value. */
  readonly states: readonly (string | null)[];
}

/** The next rows of a table, without their values. */
export interface RowPage {
  readonly refs: readonly RowRef[];
  /** Where the next page begins; undefined after the last one. */
  readonly next: readonly string[] | undefined;
}

/** Reads a page. Looks at `limit` rows at most, so that no statement is long. */
export async function readPage(
  db: Db,
  table: string,
  {
    organisationId,
    after,
    limit,
  }: {
    readonly organisationId: string;
    readonly after: readonly string[] | undefined;
    readonly limit: number;
  },
): Promise<RowPage> {
  const { order, states } = WALKS[table] ?? OF_FILE;
  const columns = order.map(([column]) => sql.ref(`t.${column}`));
  const begin = after?.map((text, index) => sql`${text}::${sql.raw(order[index]?.[1] ?? '')}`);
  const { rows } = await sql<RowRef & { readonly cursor: readonly string[] }>`
    select t.ctid::text as place, t.tableoid::text as part, ${states} as states,
      array[${sql.join(columns.map((column) => sql`${column}::text`))}] as cursor
    from ${sql.table(table)} t where t.organisation_id = ${organisationId}
      ${begin === undefined ? sql`` : sql`and (${sql.join(columns)}) > (${sql.join(begin)})`}
    order by ${sql.join(columns)} limit ${limit}`.execute(db);
  return { refs: rows, next: rows.length < limit ? undefined : rows.at(-1)?.cursor };
}

export interface BodyRow extends Pick<RowRef, 'place' | 'part'> {
  /** The event's id, the number of the quarantined delivery, the id of the file: what the body is bound to. */
  readonly name: string;
  readonly body: Buffer;
  readonly keyId: string | null;
}

/** Bodies of rows; with `lock`, locked until the transaction ends. Rows changed meanwhile are absent. */
export async function readBodies(
  db: Db,
  table: string,
  { refs, lock }: { readonly refs: readonly RowRef[]; readonly lock: boolean },
): Promise<BodyRow[]> {
  const name = table === 'inbox_event' ? sql`t.event_id` : sql`t.id::text`;
  const { rows } = await sql<BodyRow>`
    select t.ctid::text as place, t.tableoid::text as part, ${name} as name, t.body, t.key_id as "keyId"
    from ${sql.table(table)} t where ${isAmong(refs)} and t.body is not null
    ${lock ? sql`for update` : sql``}`.execute(db);
  return rows;
}

export interface OrderPairRow extends Pick<RowRef, 'place' | 'part'> {
  readonly integration_id: string;
  readonly reference_id: string;
  readonly submitted: unknown;
  readonly body: unknown;
}

/** Orders of rows, locked in the order that the feed locks them in. Rows changed meanwhile are absent. */
export async function lockOrderRows(trx: Trx, refs: readonly RowRef[]): Promise<OrderPairRow[]> {
  const { rows } = await sql<OrderPairRow>`
    select t.ctid::text as place, t.tableoid::text as part, t.integration_id, t.reference_id, t.submitted, t.body
    from order_record t where ${isAmong(refs)}
    order by t.integration_id, t.reference_id for update`.execute(trx);
  return rows;
}

/** A row number is one of its partition, so both are compared. */
function isAmong(refs: readonly RowRef[]): RawBuilder<boolean> {
  const places = refs.map(({ place }) => place);
  const pairs = refs.map(({ part, place }) => `${part}/${place}`);
  return sql<boolean>`t.ctid = any(${places}::tid[]) and t.tableoid::text || '/' || t.ctid::text = any(${pairs}::text[])`;
}

/** Sets columns of a row that the caller has locked. */
export async function writeRow(
  trx: Trx,
  row: Pick<RowRef, 'place' | 'part'> & { readonly table: string },
  columns: readonly RawBuilder<unknown>[],
): Promise<void> {
  await sql`
    update ${sql.table(row.table)} set ${sql.join(columns)}
    where ctid = ${row.place}::tid and tableoid = ${row.part}::oid`.execute(trx);
}
