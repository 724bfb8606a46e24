/** Lists what the receiver has stored and what lies in quarantine, newest first. */
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import { SEAL_BYTES } from '../../base/seal/seal.ts';
import { subjectOf } from './sealed-body.ts';

/** Bodies up to this many bytes are read to show what an event is about. */
const SHOWN_BODY_BYTES_MAX = 16 * 1024;

/** Objects shown of one event. */
const CHANGED_SHOWN = 3;

/** The state of a stored event. */
export type EventState = 'applied' | 'waiting' | 'quarantined';

export interface EventListItem {
  readonly eventId: string;
  /** In microseconds, for the next page's {@link EventPlace}. */
  readonly receivedText: string;
  readonly seq: number;
  readonly receivedAt: Date;
  readonly deliveryId: string | null;
  readonly subscription: string;
  readonly state: EventState;
  /** Why it is quarantined. */
  readonly reason: string | null;
  /** The event's type and the id of what it is about, where its body says so. */
  readonly type: string | null;
  readonly objectId: string | null;
  readonly bytes: number;
  /** The first things it changed, `alert netalrt_1`; with `late` where it came after a newer one. */
  readonly changed: readonly ChangedEntity[];
}

export interface ChangedEntity {
  readonly entity: string;
  readonly id: string;
  /** False: it came late, and had no effect. */
  readonly accepted: boolean;
}

/** After which event a page begins. */
export interface EventPlace {
  /** ISO 8601 UTC with microseconds. */
  readonly receivedText: string;
  readonly seq: number;
}

export interface EventListQuery {
  readonly organisationId: string;
  readonly limit: number;
  readonly after?: EventPlace | undefined;
}

type ListedRow = Omit<EventListItem, 'type' | 'objectId'> & {
  readonly body: Buffer | null;
  /** What is beside a body that is sealed. */
  readonly sealedType: string | null;
  readonly sealedObjectId: string | null;
};

/** Stored events, newest first. */
export async function listEvents(db: Db, query: EventListQuery): Promise<EventListItem[]> {
  const { organisationId, limit, after } = query;
  const place =
    after === undefined
      ? sql``
      : sql`and (e.received_at, e.seq) < (${after.receivedText}::timestamptz, ${after.seq}::bigint)`;
  const { rows } = await sql<ListedRow>`
    select
      e.event_id as "eventId", e.seq, e.received_at as "receivedAt",
      to_char(e.received_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "receivedText",
      e.delivery_id as "deliveryId", e.subscription,
      length(e.body) - case when e.key_id is null then 0 else ${SEAL_BYTES}::int end as bytes,
      case when q.reason is not null then 'quarantined'
           when w.seq is not null then 'waiting' else 'applied' end as state,
      q.reason, changed.list as changed,
      case when length(e.body) <= ${SHOWN_BODY_BYTES_MAX}::int and e.key_id is null then e.body end as body,
      e.event_type as "sealedType", e.object_id as "sealedObjectId"
    from (
      select * from inbox_event e where e.organisation_id = ${organisationId} ${place}
      order by e.received_at desc, e.seq desc limit ${limit}
    ) as e
    left join inbox_work as w on w.organisation_id = e.organisation_id and w.seq = e.seq
    left join lateral (
      select reason from quarantine
      where organisation_id = e.organisation_id and event_id = e.event_id and seq = e.seq
        and resolved_at is null
      order by id desc limit 1
    ) as q on true
    cross join lateral (
      select coalesce(jsonb_agg(jsonb_build_object('entity', c.entity, 'id', c.entity_id, 'accepted', c.accepted)), '[]') as list
      from (
        select entity, entity_id, accepted from entity_change
        where organisation_id = e.organisation_id and event_id = e.event_id order by id limit ${CHANGED_SHOWN}
      ) as c
    ) as changed
    order by e.received_at desc, e.seq desc`.execute(db);
  return rows.map(({ body, sealedType, sealedObjectId, ...row }) => {
    const { type, objectId } = subjectOf(body);
    return { ...row, type: type ?? sealedType, objectId: objectId ?? sealedObjectId };
  });
}

export interface QuarantineItem {
  readonly id: number;
  readonly eventId: string;
  readonly reason: string;
  readonly detail: string;
  readonly quarantinedAt: Date;
  readonly resolvedAt: Date | null;
  readonly resolvedBy: string | null;
}

export interface QuarantineQuery {
  readonly organisationId: string;
  readonly limit: number;
  /** Only those older than the one with this id. */
  readonly beforeId?: number | undefined;
}

/** Deliveries in quarantine, dealt with or not, newest first. */
export async function listQuarantine(db: Db, query: QuarantineQuery): Promise<QuarantineItem[]> {
  let rows = db
    .selectFrom('quarantine')
    .select(['id', 'reason', 'detail'])
    .select([
      'event_id as eventId',
      'quarantined_at as quarantinedAt',
      'resolved_at as resolvedAt',
      'resolved_by as resolvedBy',
    ])
    .where('organisation_id', '=', query.organisationId)
    .orderBy('id', 'desc')
    .limit(query.limit);
  if (query.beforeId !== undefined) rows = rows.where('id', '<', query.beforeId);
  return await rows.execute();
}
