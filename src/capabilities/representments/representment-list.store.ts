/** Lists of representments, as the service sent them. */
import type { RawBuilder, Selectable } from 'kysely';
import { sql } from 'kysely';
import type { RepresentmentTable } from '../../alerts/apply/entity.table.ts';
import type { Db } from '../../base/db/database.ts';
import { cursorOfMoment, directed, momentOfCursor } from '../../base/db/sort-keys.ts';

export type RepresentmentRow = Selectable<RepresentmentTable>;

/** Representments by the moment their evidence is due; those without one last. */
export async function listRepresentments(
  db: Db,
  organisationId: string,
  limit: number,
): Promise<RepresentmentRow[]> {
  return await db
    .selectFrom('representment')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .orderBy(sql`dispute_status = 'OPEN' desc`)
    .orderBy('dispute_due_by')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Which representments: those that are open, those that ended so, or all. */
export const REPRESENTMENT_STATES = ['open', 'won', 'lost', 'over', 'all'] as const;
export type RepresentmentState = (typeof REPRESENTMENT_STATES)[number];

/** With a minus from the latest, largest or last to the first. */
export const REPRESENTMENT_SORTS = [
  ...(['due', '-due', 'amount', '-amount'] as const),
  ...(['changed', '-changed', 'status', '-status'] as const),
] as const;
export type RepresentmentSort = (typeof REPRESENTMENT_SORTS)[number];

/**
 * Statuses after which nothing can be handed in. The specification shows `OPEN` and `LOST` and names no others,
 * so every other word counts as open: an alarm too many is better than one too few.
 */
export const CLOSED_STATUSES = ['LOST', 'WON', 'ACCEPTED', 'CLOSED'] as const;

/** The same words as in the indexes of migration 0071, which are used for nothing else. */
const IS_OPEN = sql`coalesce(r.dispute_status, '') not in (${sql.join(CLOSED_STATUSES.map((word) => sql.lit(word)))})`;

function inState(state: RepresentmentState): RawBuilder<unknown> {
  switch (state) {
    case 'open':
      return IS_OPEN;
    case 'over':
      return sql`r.dispute_status = any(${[...CLOSED_STATUSES]}::text[])`;
    case 'all':
      return sql`true`;
    default:
      return sql`r.dispute_status = ${state.toUpperCase()}`;
  }
}

interface SortedBy {
  readonly columns: readonly RawBuilder<unknown>[];
  /** What a cursor keeps of a row, as text, and the values that it means. */
  readonly key: RawBuilder<string>;
  readonly values: (key: string) => readonly RawBuilder<unknown>[];
}

/** Each order is that of an index of migration 0071, or of open disputes alone of 0078. What is due at no moment comes last. */
function sortedBy(sort: RepresentmentSort): SortedBy {
  switch (sort.replace('-', '')) {
    case 'amount':
      return {
        columns: [sql`coalesce(r.currency, '')`, sql`coalesce(r.amount_minor, 0)`],
        key: sql`coalesce(r.currency, '') || ' ' || coalesce(r.amount_minor, 0)`,
        values: (key): RawBuilder<unknown>[] => {
          const [, currency = '', minor = '0'] = /^(.*) (-?\d{1,18})$/.exec(key) ?? [];
          return [sql`${currency}::text`, sql`${minor}::bigint`];
        },
      };
    case 'changed':
      return byMoment(sql`r.changed_at`);
    case 'status':
      return {
        columns: [sql`coalesce(r.dispute_status, '')`],
        key: sql`coalesce(r.dispute_status, '')`,
        values: (key) => [sql`${key}::text`],
      };
    default:
      return byMoment(sql`coalesce(r.dispute_due_by, 'infinity')`);
  }
}

function byMoment(column: RawBuilder<unknown>): SortedBy {
  return {
    columns: [column],
    key: cursorOfMoment(column),
    values: (key) => [momentOfCursor(key)],
  };
}

export interface RepresentmentQuery {
  readonly organisationId: string;
  readonly state: RepresentmentState;
  readonly sort: RepresentmentSort;
  readonly limit: number;
  /** The key and id of the last row of the page before. */
  readonly after?: readonly [key: string, id: string] | undefined;
}

/** A representment in the list, and what our books know of its charge. */
export type RepresentmentItem = RepresentmentRow & {
  readonly key: string;
  readonly orderReference: string | null;
  readonly cardLast4: string | null;
};

/** Representments of a state in an order, read in the order of an index. */
export async function findRepresentments(
  db: Db,
  { organisationId, state, sort, limit, after }: RepresentmentQuery,
): Promise<RepresentmentItem[]> {
  const { columns, key, values } = sortedBy(sort);
  const { direction, sign } = directed(sort);
  const begins =
    after === undefined
      ? sql``
      : sql`and (${sql.join(columns)}, r.id) ${sign} (${sql.join(values(after[0]))}, ${after[1]}::text)`;
  const order = sql.join([...columns, sql`r.id`].map((column) => sql`${column} ${direction}`));
  const { rows } = await sql<RepresentmentItem>`
    with page as materialized (
      select r.*, ${key} as key from representment r
      where r.organisation_id = ${organisationId} and ${inState(state)} ${begins}
      order by ${order} limit ${limit})
    select r.*, c.order_reference as "orderReference", c.card_last4 as "cardLast4"
    from page r
    left join lateral (select * from charge
      where organisation_id = ${organisationId} and reference = r.transaction_reference_id limit 1) c on true
    order by ${order}`.execute(db);
  return rows;
}

export interface RepresentmentSum {
  readonly state: 'open' | 'won' | 'lost' | 'other';
  readonly currency: string | null;
  readonly count: number;
  readonly amountMinor: number;
  /** Only the first {@link SUMMED_MAX} of this status were counted. */
  readonly isCut: boolean;
}

/** Representments of one status that are counted: beyond, how many there are would cost more than the list. */
export const SUMMED_MAX = 10_000;

/**
 * How many there are of each end, and how much that is. Of each status at most {@link SUMMED_MAX} are counted: as a literal, since
 * a plan for whatever limit may come reads the whole table.
 */
export async function sumRepresentments(
  db: Db,
  organisationId: string,
): Promise<readonly RepresentmentSum[]> {
  const ended = CLOSED_STATUSES.map((status) =>
    addedUp(organisationId, { status, is: sql`r.dispute_status = ${sql.lit(status)}` }),
  );
  const { rows } = await sql<RepresentmentSum>`
    select case status when 'OPEN' then 'open' when 'WON' then 'won' when 'LOST' then 'lost' else 'other' end as state,
      currency, sum(count)::int as count, coalesce(sum(amount_minor), 0)::bigint as "amountMinor",
      sum(sum(count)) over (partition by status) >= ${SUMMED_MAX} as "isCut"
    from (
      ${sql.join([addedUp(organisationId, { status: 'OPEN', is: IS_OPEN }), ...ended], sql` union all `)}
    ) as counted
    group by status, currency order by 1, 2`.execute(db);
  return rows;
}

/** One end by itself: what is added up first is not handed on row by row. */
function addedUp(
  organisationId: string,
  { status, is }: { readonly status: string; readonly is: RawBuilder<unknown> },
): RawBuilder<unknown> {
  return sql`(select ${sql.lit(status)} as status, currency, count(*) as count, sum(amount_minor) as amount_minor
    from (select r.currency, r.amount_minor from representment r
      where r.organisation_id = ${organisationId} and ${is} limit ${sql.lit(SUMMED_MAX)}) as r
    group by currency)`;
}
