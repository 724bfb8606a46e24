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
  const texts = (pick: (change: NewChange) => string | null): Buffer =>
    textArray(changes.map(pick));
  // Arrays, one per column: Postgres reads them in two thirds of the time of a JSON document.
  const insert = sql`
    insert into entity_change (organisation_id, entity, entity_id, changed_at, source, event_id, accepted, before, after)
    select ${context.organisationId}::text, r.entity, r.entity_id, ${context.now}::timestamptz, ${context.source}::text,
           r.event_id, r.accepted, r.before::jsonb, r.after::jsonb
    from unnest(
      ${texts((change) => change.entity)}::text[],
      ${texts((change) => change.entityId)}::text[],
      ${texts((change) => change.eventId)}::text[],
      ${changes.map((change) => change.accepted)}::boolean[],
      ${texts(({ before }) => (before === null ? null : JSON.stringify(before)))}::text[],
      ${texts(({ after }) => JSON.stringify(after))}::text[]
    ) as r (entity, entity_id, event_id, accepted, before, after)`;
  return [insert];
}
