/**
 * All SQL of `order_push`: which parts of created orders the service does not hold yet.
 */
import type { RawBuilder, Selectable, SelectQueryBuilder } from 'kysely';
import { sql } from 'kysely';
import { dataKeysOf } from '../base/db/carried-keys.ts';
import type { Database, Db, Trx } from '../base/db/database.ts';
import type { OrderKey } from './nested-reference.store.ts';
import type { OrderRow } from './order.store.ts';
import type { OrderPushTable, PushSource } from './order.table.ts';
import { openOrder } from './sealed-order.ts';

export type PushRow = Selectable<OrderPushTable>;

/** Parts to mark, who wants them, and when. */
export interface PushMark {
  readonly parts: readonly string[];
  readonly source: PushSource;
  readonly now: Date;
  /** When they are sent. @default at once */
  readonly dueAt?: Date;
}

/**
 * Marks parts as due. A part that is due already keeps its place in the line and is sent once, with
 * the value it has then; one that was parked gets another try.
 */
export async function markParts(trx: Trx, order: OrderKey, mark: PushMark): Promise<void> {
  if (mark.parts.length > 0) await markingParts(order, mark).execute(trx);
}

/** The same as a part of another statement. */
export function markingParts(
  order: OrderKey,
  mark: PushMark,
  only: RawBuilder<boolean> = sql`true`,
): RawBuilder<unknown> {
  return sql`
    insert into order_push
      (organisation_id, integration_id, reference_id, part, state, source, next_attempt_at, changed_at)
    select ${order.organisationId}, ${order.integrationId}, ${order.referenceId}, part, 'DUE',
      ${mark.source}, ${mark.dueAt ?? mark.now}, ${mark.now}
    from json_array_elements_text(${JSON.stringify([...mark.parts].sort())}::json) as part
    where ${only}
    on conflict (organisation_id, integration_id, reference_id, part) do update set
      state = 'DUE', version = order_push.version + 1,
      source = case when order_push.source = 'saga' and order_push.state = 'DUE'
        then 'saga' else excluded.source end,
      reason = null, error_code = null, attempts = 0,
      next_attempt_at = excluded.next_attempt_at, changed_at = excluded.changed_at`;
}

/** A part that is due. */
export type DuePart = Pick<PushRow, 'seq' | 'version' | 'part' | 'source' | 'attempts'>;

/** An order with its parts that are due, oldest first: one look at both. */
export interface OrderWithParts {
  readonly row: OrderRow;
  readonly parts: readonly DuePart[];
}

type FoundOrder = OrderRow & { readonly due_parts: readonly DuePart[] | null };

/** Parts of an `order_record o` that are due. */
function dueParts(now: Date): RawBuilder<FoundOrder['due_parts']> {
  return sql`(
    select json_agg(json_build_object('seq', p.seq, 'version', p.version, 'part', p.part, 'source', p.source,
      'attempts', p.attempts) order by p.seq)
    from order_push p where p.organisation_id = o.organisation_id and p.integration_id = o.integration_id
      and p.reference_id = o.reference_id and p.state = 'DUE' and p.next_attempt_at <= ${now})`;
}

function withParts(db: Db, { due_parts: parts, ...row }: FoundOrder): OrderWithParts {
  return { row: openOrder(dataKeysOf(db), row), parts: parts ?? [] };
}

/** One order with parts due, for the updater. */
export interface DueOrder {
  readonly order: OrderKey;
  /** Of the first one, which is sent at once. */
  readonly whole: OrderWithParts | undefined;
}

interface DueKey {
  readonly due_integration_id: string;
  readonly due_reference_id: string;
}

/** Orders with parts due: what the saga reported first, then the oldest. The first comes whole: mostly it is the only one. */
export async function findDueOrders(
  db: Db,
  organisationId: string,
  ask: { readonly now: Date; readonly limit: number },
): Promise<DueOrder[]> {
  const { rows } = await sql<DueKey & (FoundOrder | { readonly seq: null })>`
    with due as materialized (
      select p.integration_id, p.reference_id,
        row_number() over (order by bool_or(p.source = 'saga') desc, min(p.seq)) as place
      from order_push p
      join order_record o using (organisation_id, integration_id, reference_id)
      where p.organisation_id = ${organisationId} and p.state = 'DUE'
        and p.next_attempt_at <= ${ask.now} and o.state = 'CREATED'
      group by p.integration_id, p.reference_id
      order by place
      limit ${ask.limit}
    )
    select due.integration_id as due_integration_id, due.reference_id as due_reference_id, o.*,
      ${dueParts(ask.now)} as due_parts
    from due left join order_record o on due.place = 1 and o.organisation_id = ${organisationId}
      and o.integration_id = due.integration_id and o.reference_id = due.reference_id
    order by due.place`.execute(db);
  return rows.map(
    ({ due_integration_id: integrationId, due_reference_id: referenceId, ...row }) => ({
      order: { organisationId, integrationId, referenceId },
      whole: row.seq === null ? undefined : withParts(db, row),
    }),
  );
}

/** Reads an order with its parts; undefined where there is no such order. */
export async function findDueParts(
  db: Db,
  { organisationId, integrationId, referenceId }: OrderKey,
  now: Date,
): Promise<OrderWithParts | undefined> {
  const { rows } = await sql<FoundOrder>`
    select o.*, ${dueParts(now)} as due_parts
    from order_record o
    where o.organisation_id = ${organisationId} and o.integration_id = ${integrationId}
      and o.reference_id = ${referenceId}`.execute(db);
  return rows[0] === undefined ? undefined : withParts(db, rows[0]);
}

/** Everything still marked on one order. */
export async function findParts(db: Db, order: OrderKey): Promise<PushRow[]> {
  return await ofOrder(db, order).execute();
}

function ofOrder(db: Db, order: OrderKey): SelectQueryBuilder<Database, 'order_push', PushRow> {
  return db
    .selectFrom('order_push')
    .selectAll()
    .where('organisation_id', '=', order.organisationId)
    .where('integration_id', '=', order.integrationId)
    .where('reference_id', '=', order.referenceId)
    .orderBy('seq');
}

/**
 * A mark as it was read: `seq` tells it from one made after it was cleared, `version` from the same one
 * with a newer content.
 */
export type SeenMark = Pick<PushRow, 'seq' | 'version'>;

/** Clears marks that have not changed since they were read. Returns how many. */
export async function clearMarks(
  trx: Trx,
  order: OrderKey,
  marks: readonly SeenMark[],
): Promise<number> {
  const result =
    await sql`delete from order_push p using ${asRows(marks)} where ${isSeen(order)}`.execute(trx);
  return Number(result.numAffectedRows ?? 0n);
}

/**
 * Clears the marks of an update that the service took, in one statement under the order's lock. Where
 * somebody else has sent or changed some of them meanwhile, which request came last is not known: the
 * order is then read back at `verifyAt`.
 */
export async function settleMarks(
  db: Db,
  order: OrderKey,
  sent: {
    readonly marks: readonly SeenMark[];
    readonly verifyAt: Date;
    /** Something else that ends with it. */
    readonly alsoWrites?: RawBuilder<unknown> | undefined;
  },
): Promise<void> {
  const { organisationId, integrationId, referenceId } = order;
  const isOrder = sql`o.organisation_id = ${organisationId} and o.integration_id = ${integrationId}
    and o.reference_id = ${referenceId}`;
  await sql`
    with ${sent.alsoWrites === undefined ? sql`` : sql`further as (${sent.alsoWrites}),`}
    locked as materialized (select from order_record o where ${isOrder} for update),
    cleared as (
      delete from order_push p using ${asRows(sent.marks)}, locked where ${isSeen(order)} returning p.seq
    )
    update order_record o set next_attempt_at = ${sent.verifyAt}
    where ${isOrder} and o.state = 'CREATED' and (select count(*) from cleared) < ${sent.marks.length}`.execute(
    db,
  );
}

function asRows(seenMarks: readonly SeenMark[]): RawBuilder<unknown> {
  const marks = seenMarks.map(({ seq, version }) => ({ seq, version }));
  return sql`jsonb_to_recordset(${JSON.stringify(marks)}::jsonb) as s(seq bigint, version integer)`;
}

function isSeen({ organisationId, integrationId, referenceId }: OrderKey): RawBuilder<boolean> {
  return sql`p.organisation_id = ${organisationId} and p.integration_id = ${integrationId}
    and p.reference_id = ${referenceId} and p.seq = s.seq and p.version = s.version`;
}

/** Has parts that are due wait until then. */
export async function postponeParts(trx: Trx, order: OrderKey, dueAt: Date): Promise<void> {
  const { organisationId, integrationId, referenceId } = order;
  await sql`
    update order_push set next_attempt_at = greatest(next_attempt_at, ${dueAt}::timestamptz)
    where organisation_id = ${organisationId} and integration_id = ${integrationId}
      and reference_id = ${referenceId} and state = 'DUE'`.execute(trx);
}

/** What to do with parts that did not get through. */
export type PartFailure =
  | { readonly kind: 'later'; readonly retryAt: Date; readonly reason: string; readonly now: Date }
  | { readonly kind: 'parked'; readonly code: string; readonly reason: string; readonly now: Date };

/** Records a failure of parts that have not changed since they were sent. */
export async function failParts(
  trx: Trx,
  order: OrderKey,
  failed: { readonly sent: readonly SeenMark[]; readonly failure: PartFailure },
): Promise<void> {
  const { sent, failure } = failed;
  const parked = failure.kind === 'parked';
  await sql`
    update order_push p set
      state = ${parked ? 'PARKED' : 'DUE'},
      attempts = p.attempts + 1,
      reason = ${failure.reason.slice(0, 500)},
      error_code = ${parked ? failure.code : null},
      next_attempt_at = ${parked ? failure.now : failure.retryAt},
      changed_at = ${failure.now}
    from ${asRows(sent)} where ${isSeen(order)}
  `.execute(trx);
}
