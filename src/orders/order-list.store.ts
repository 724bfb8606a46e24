/** Orders as the console lists them, and how ready the newest of them are for each programme. */
import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import { dataKeysOf } from '../base/db/carried-keys.ts';
import type { Db } from '../base/db/database.ts';
import { openJson } from '../base/seal/seal.ts';
import type { OrderPushTable, OrderRecordTable } from './order.table.ts';
import type { OrderBody } from './order-body.ts';
import type { OrderState } from './order-state.ts';
import type { Programme } from './programme.ts';
import { PROGRAMMES } from './programme.ts';
import { placeOfOrder } from './sealed-order.ts';

/** The newest orders that readiness is computed for: enough for a share, the same time among millions. */
const READINESS_OF = 2_000;

export interface OrderListItem {
  readonly referenceId: string;
  readonly seq: number;
  readonly state: OrderState;
  readonly type: string;
  readonly ready: readonly string[];
  readonly missing: Readonly<Record<string, readonly string[]>>;
  readonly reason: string | null;
  readonly errorCode: string | null;
  readonly acceptedAt: Date;
  readonly waitingParts: number;
  readonly totalMinor: number | null;
  readonly currency: string | null;
}

/** An item, with the order where the database cannot read it. */
type ListedRow = OrderListItem & {
  readonly sealed: string | null;
  readonly integration_id: string;
};

/** Lists orders, the one accepted last first. */
export async function listOrders(
  db: Db,
  wanted: {
    readonly organisationId: string;
    readonly state?: OrderState | undefined;
    readonly beforeSeq?: number | undefined;
    readonly limit: number;
  },
): Promise<OrderListItem[]> {
  const { organisationId, state, beforeSeq, limit } = wanted;
  const { rows } = await sql<ListedRow>`
    select o.reference_id as "referenceId", o.seq, o.state, o.type, o.ready, o.missing, o.reason,
      o.error_code as "errorCode", o.accepted_at as "acceptedAt",
      (select count(*) from order_push p where p.organisation_id = o.organisation_id
        and p.integration_id = o.integration_id and p.reference_id = o.reference_id) as "waitingParts",
      case when jsonb_typeof(o.body->'order_total_amount_in_cents') = 'number'
        then (o.body->>'order_total_amount_in_cents')::numeric::bigint end as "totalMinor",
      o.body->>'order_currency' as currency,
      case when jsonb_typeof(o.body) = 'string' then o.body end as sealed, o.integration_id
    from order_record o
    where o.organisation_id = ${organisationId}
      ${state === undefined ? sql`` : sql`and o.state = ${state}`}
      ${beforeSeq === undefined ? sql`` : sql`and o.seq < ${beforeSeq}`}
    order by o.seq desc limit ${limit}`.execute(db);
  const keys = dataKeysOf(db);
  return rows.map(({ sealed, integration_id: integrationId, ...item }) => {
    if (sealed === null) return item;
    const key = { organisationId, integrationId, referenceId: item.referenceId };
    const body = openJson<OrderBody>(keys, placeOfOrder(key, 'body'), sealed);
    return {
      ...item,
      totalMinor: body.order_total_amount_in_cents ?? null,
      currency: body.order_currency ?? null,
    };
  });
}

/** Parts of an order that the service does not hold yet. */
export async function listWaitingParts(
  db: Db,
  order: Pick<Selectable<OrderRecordTable>, 'organisation_id' | 'integration_id' | 'reference_id'>,
): Promise<Selectable<OrderPushTable>[]> {
  return await db
    .selectFrom('order_push')
    .selectAll()
    .where('organisation_id', '=', order.organisation_id)
    .where('integration_id', '=', order.integration_id)
    .where('reference_id', '=', order.reference_id)
    .orderBy('seq')
    .execute();
}

export interface NewestReadiness {
  readonly programme: Programme;
  readonly orders: number;
  readonly ready: number;
  /** Fields that are missing, the most frequent first, with how many orders lack them. */
  readonly missing: readonly { readonly field: string; readonly orders: number }[];
}

/** Reads the readiness of the newest {@link READINESS_OF} orders. */
export async function readNewestReadiness(
  db: Db,
  organisationId: string,
): Promise<NewestReadiness[]> {
  const { rows } = await sql<{ ready: string[]; missing: Record<string, string[]> }>`
    select ready, missing from order_record where organisation_id = ${organisationId}
    order by seq desc limit ${READINESS_OF}`.execute(db);
  return PROGRAMMES.map((programme) => {
    const fields = new Map<string, number>();
    for (const { missing } of rows) {
      for (const field of missing[programme] ?? []) fields.set(field, (fields.get(field) ?? 0) + 1);
    }
    return {
      programme,
      orders: rows.length,
      ready: rows.filter(({ ready }) => ready.includes(programme)).length,
      missing: [...fields]
        .map(([field, orders]) => ({ field, orders }))
        .sort((a, b) => b.orders - a.orders),
    };
  });
}
