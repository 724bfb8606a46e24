/** The projection of each kind, in the order in which rows are locked. */
import type { EntityKind } from './entity.table.ts';
import { ALERT_PROJECTION } from './project-alert.ts';
import { ENROLMENT_PROJECTION } from './project-enrolment.ts';
import { LOOKUP_PROJECTION } from './project-lookup.ts';
import { REPRESENTMENT_PROJECTION } from './project-representment.ts';
import { SCHEME_NOTICE_PROJECTION } from './project-scheme-notice.ts';
import type { Projection } from './projection.ts';

/**
 * Every transaction takes the kinds in this order, and the rows of a kind by id: two that meet wait
 * for each other, and never both.
 */
export const PROJECTIONS: readonly Projection[] = [
  ALERT_PROJECTION,
  ENROLMENT_PROJECTION,
  LOOKUP_PROJECTION,
  REPRESENTMENT_PROJECTION,
  SCHEME_NOTICE_PROJECTION,
];

const byEntity: ReadonlyMap<EntityKind, Projection> = new Map(
  PROJECTIONS.map((projection) => [projection.entity, projection]),
);

/** The projection of a kind, or undefined for a kind we do not know. */
export function projectionOf(entity: EntityKind): Projection | undefined {
  return byEntity.get(entity);
}
