/** All SQL of the change history: appended, never touched again. */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { textArray } from '../../base/db/text-array.ts';
import type { EntityKind, SnapshotSource } from './entity.table.ts';
import type { HistoryEntry } from './fold.ts';

/** A line of the history with whose it is. */
export interface NewChange extends HistoryEntry {
  readonly entity: EntityKind;
  readonly entityId: string;
}

/** Appends lines, in their order. */
export function insertingChanges(
  context: { readonly organisationId: string; readonly source: SnapshotSource; readonly now: Date },
  changes: readonly NewChange[],
): readonly RawBuilder<unknown>[] {
  if (changes.length === 0) return [];
  const { organisationId, source, now } = context;
  const entities = textArray(changes.map(({ entity }) => entity));
  const values = changeArrays(changes).map((array, place) => sql`${array}${ARRAY_CASTS[place]}`);
  const insert = sql`
    insert into entity_change (organisation_id, entity, entity_id, changed_at, source, event_id, accepted, before, after)
    select ${organisationId}::text, r.entity, r.entity_id, ${now}::timestamptz, ${source}::text,
           r.event_id, r.accepted, r.before::jsonb, r.after::jsonb
    from unnest(${entities}::text[], ${sql.join(values)}) as r (entity, entity_id, event_id, accepted, before, after)`;
  return [insert];
}

/** How PostgreSQL reads {@link changeArrays}. */
const ARRAY_TYPES = ['text[]', 'text[]', 'boolean[]', 'text[]', 'text[]'] as const;
const ARRAY_CASTS = ARRAY_TYPES.map((type) => sql.raw(`::${type}`));

/** The lines, column by column. Postgres reads arrays in two thirds of the time of a JSON document. */
export function changeArrays(changes: readonly NewChange[]): readonly unknown[] {
  const texts = (pick: (change: NewChange) => string | null): Buffer =>
    textArray(changes.map(pick));
  return [
    texts(({ entityId }) => entityId),
    texts(({ eventId }) => eventId),
    changes.map(({ accepted }) => accepted),
    texts(({ before }) => (before === null ? null : JSON.stringify(before))),
    texts(({ after }) => JSON.stringify(after)),
  ];
}

/**
 * Appends lines about one kind of entity whose ids are among those of `fresh`, in their order, as a part of a statement:
 * `$1` is the organisation, `$2` the moment, then from `first` on the source and {@link changeArrays}.
 */
export function insertChangesOf(entity: EntityKind, fresh: string, first: number): string {
  const arrays = ARRAY_TYPES.map((type, place) => `$${first + 1 + place}::${type}`);
  return `insert into entity_change
      (organisation_id, entity, entity_id, changed_at, source, event_id, accepted, before, after)
    select $1::text, '${entity}', c.entity_id, $2::timestamptz, $${first}::text, c.event_id, c.accepted, c.before::jsonb,
      c.after::jsonb
    from unnest(${arrays.join(', ')}) with ordinality as c (entity_id, event_id, accepted, before, after, place)
    where c.entity_id in (select id from ${fresh})
    order by c.place`;
}
