/**
 * Applies snapshots to their entities: the one path for what webhooks tell and what polls read.
 *
 * Within the caller's transaction: known rows are locked, each snapshot is folded into its row in the
 * order given, rows and history are written, and alerts open or wake their cases. Any order and any
 * repetition end in the same rows.
 */
import type { RawBuilder } from 'kysely';
import { writeLater, writeTogether } from '../../base/db/commit-writes.store.ts';
import type { Trx } from '../../base/db/database.ts';
import { assertInvariant } from '../../base/kernel/errors.ts';
import { notify } from '../../base/notify/notification.store.ts';
import type { CaseIntake } from './case-intake.store.ts';
import { takingInCases } from './case-intake.store.ts';
import type { CasePlan } from './case-plan.ts';
import { planCase } from './case-plan.ts';
import type { LockedEntity } from './entity.store.ts';
import { insertEntities, lockEntities, readMoment, updatingEntities } from './entity.store.ts';
import type { SnapshotSource } from './entity.table.ts';
import type { NewChange } from './entity-change.store.ts';
import { insertingChanges } from './entity-change.store.ts';
import type { ServiceObject } from './fields.ts';
import type { EntityState, SnapshotEffect } from './fold.ts';
import { fold } from './fold.ts';
import { ALERT_PROJECTION } from './project-alert.ts';
import type { Projection } from './projection.ts';
import { project } from './projection.ts';
import { PROJECTIONS, projectionOf } from './projections.ts';
import type { Snapshot, SnapshotInput, UnusableReason } from './snapshot.ts';
import { readSnapshot } from './snapshot.ts';

/** What to apply, for whom and when. */
export interface ApplyInput {
  readonly organisationId: string;
  readonly source: SnapshotSource;
  readonly snapshots: readonly SnapshotInput[];
  /** False: the cases are held by the one who applies, and continue by themselves. @default true */
  readonly wakes?: boolean;
  /** Changes that are written along. */
  readonly beside?: readonly RawBuilder<unknown>[];
  /** For a poll also the moment of the read. */
  readonly now: Date;
}

/** What became of one snapshot. A refused one had no effect. */
export type SnapshotOutcome =
  | { readonly effect: SnapshotEffect }
  | { readonly effect: 'refused'; readonly reason: UnusableReason; readonly detail: string };

/** Applies snapshots; one outcome for each, in their order. */
export async function applySnapshots(
  trx: Trx,
  input: ApplyInput,
): Promise<readonly SnapshotOutcome[]> {
  const { organisationId, source, now, wakes = true } = input;
  const readAt = readMoment(source, now);
  const outcomes: SnapshotOutcome[] = [];
  const groups = new Map<Projection, Placed[]>();
  for (const [index, each] of input.snapshots.entries()) {
    const projection = projectionOf(each.entity);
    assertInvariant(projection !== undefined, `No projection for ${each.entity}.`);
    const read = readSnapshot(each, { organisationId, projection, source, readAt });
    if (!read.ok) {
      outcomes[index] = { effect: 'refused', reason: read.reason, detail: read.detail };
      continue;
    }
    const { snapshot, masked } = read;
    if (masked.length > 0) await tellMasked(trx, { organisationId, now, masked, snapshot });
    const group = groups.get(projection) ?? [];
    group.push({ index, snapshot });
    groups.set(projection, group);
  }
  const changes: NewChange[] = [];
  const cases: CaseIntake[] = [];
  const updates: RawBuilder<unknown>[] = [];
  for (const projection of PROJECTIONS) {
    const group = groups.get(projection) ?? [];
    const found = { wakes, outcomes, changes, cases, updates };
    await applyGroup(trx, { organisationId, source, now, projection, ...found }, group);
  }
  const written = [
    ...updates,
    ...(await takingInCases(trx, { organisationId, now, wakes }, cases)),
    ...insertingChanges({ organisationId, source, now }, changes),
    ...(input.beside ?? []),
  ];
  // Anyone who holds the case moves it next, with the same statement; no statement writes one row twice.
  if (wakes || cases.length > 0) await writeTogether(trx, written);
  else for (const change of written) await writeLater(trx, change);
  return outcomes;
}

/** A full card number came in: people hear of it once per object, without the number. */
async function tellMasked(
  trx: Trx,
  about: {
    readonly organisationId: string;
    readonly now: Date;
    readonly masked: readonly string[];
    readonly snapshot: Snapshot;
  },
): Promise<void> {
  const { organisationId, now, masked, snapshot } = about;
  const { entity } = snapshot.projection;
  await notify(trx, {
    organisationId,
    dedupeKey: `card_number:${entity}:${snapshot.id}`,
    kind: 'card_number',
    severity: 'warning',
    ...(entity === 'alert' ? { alertId: snapshot.id } : {}),
    text: `The service sent a full card number in ${masked.join(', ')} of ${entity} ${snapshot.id}. It is stored masked, in the delivery as well. Tell the service.`,
    at: now,
  });
}

interface Placed {
  /** Its place in the caller's list. */
  readonly index: number;
  readonly snapshot: Snapshot;
}

interface GroupContext {
  readonly organisationId: string;
  readonly source: SnapshotSource;
  readonly now: Date;
  readonly projection: Projection;
  readonly wakes: boolean;
  readonly outcomes: SnapshotOutcome[];
  readonly changes: NewChange[];
  readonly cases: CaseIntake[];
  readonly updates: RawBuilder<unknown>[];
}

/** One entity with all its snapshots of this batch folded in. */
interface Folded {
  readonly id: string;
  readonly before: LockedEntity | undefined;
  readonly after: EntityState;
  readonly placed: readonly Placed[];
  readonly outcomes: readonly SnapshotOutcome[];
  readonly changes: readonly NewChange[];
}

async function applyGroup(
  trx: Trx,
  context: GroupContext,
  group: readonly Placed[],
): Promise<void> {
  const { organisationId, source, now, projection } = context;
  let left = byEntity(group);
  // What was created just now is added without a look: mostly nothing is known of it.
  let isNews = group.every(({ snapshot }) => snapshot.toldAt !== null && !snapshot.toldAsUpdate);
  // An entity that somebody else has added meanwhile is looked at.
  while (left.size > 0) {
    const ids = [...left.keys()].sort();
    const known = isNews
      ? new Map<string, LockedEntity>()
      : await lockEntities(trx, projection, { organisationId, ids });
    isNews = false;
    const folded = ids.map((id) => foldEntity(id, known.get(id), left.get(id) ?? []));
    const fresh = folded.filter((entity) => entity.before === undefined);
    const altered = folded.filter(({ before, after }) => before && before.state !== after);
    const toRow = ({ id, after }: Folded): { id: string; state: EntityState } => ({
      id,
      state: after,
    });
    let added: ReadonlySet<string> = new Set();
    if (fresh.length > 0) {
      const rows = fresh.map(toRow);
      const noted = fresh.flatMap(({ changes }) => changes);
      const write = { organisationId, source, now, rows, changes: noted };
      added = await insertEntities(trx, projection, write);
    }
    if (altered.length > 0) {
      const rows = altered.map(toRow);
      context.updates.push(updatingEntities(projection, { organisationId, now, rows }));
    }
    const settled = folded.filter(({ id, before }) => before !== undefined || added.has(id));
    for (const entity of settled) report(context, entity);
    const settledIds = new Set(settled.map(({ id }) => id));
    left = new Map([...left].filter(([id]) => !settledIds.has(id)));
  }
}

function byEntity(group: readonly Placed[]): Map<string, Placed[]> {
  const entities = new Map<string, Placed[]>();
  for (const placed of group) {
    const list = entities.get(placed.snapshot.id);
    if (list === undefined) entities.set(placed.snapshot.id, [placed]);
    else list.push(placed);
  }
  return entities;
}

function foldEntity(
  id: string,
  before: LockedEntity | undefined,
  placed: readonly Placed[],
): Folded {
  let state = before?.state;
  const outcomes: SnapshotOutcome[] = [];
  const changes: NewChange[] = [];
  for (const { snapshot } of placed) {
    const step = fold(state, snapshot);
    state = step.state;
    outcomes.push({ effect: step.effect });
    const { entity } = snapshot.projection;
    if (step.history !== undefined) changes.push({ ...step.history, entity, entityId: id });
  }
  assertInvariant(state !== undefined, `No snapshot of ${id} to fold.`);
  return { id, before, after: state, placed, outcomes, changes };
}

function report(context: GroupContext, entity: Folded): void {
  const { projection, now } = context;
  for (const [at, { index }] of entity.placed.entries()) {
    const outcome = entity.outcomes[at];
    if (outcome !== undefined) context.outcomes[index] = outcome;
  }
  const { id, before, after } = entity;
  // Of a new one they are written with it.
  if (before !== undefined) context.changes.push(...entity.changes);
  if (projection !== ALERT_PROJECTION) return;
  if (before !== undefined && !concernsCase(before.state.object, after.object)) return;
  const firstSeenAt = before?.firstSeenAt ?? now;
  const planOf = (alert: ServiceObject): CasePlan =>
    planCase({ alert, isOpen: !SETTLED.has(alert['status']), firstSeenAt, now });
  const plan = planOf(after.object);
  const endMs = plan.deadlineAt.getTime();
  const endedMs = before === undefined ? null : planOf(before.state.object).deadlineAt.getTime();
  if (!context.wakes && endedMs === endMs) return;
  const isNetwork = after.object['enrolment_type'] === 'NETB_RDR';
  const isNearer = endedMs !== null && endMs < endedMs;
  context.cases.push({ alertId: id, isNetwork, isNearer, ...plan });
}

const SETTLED: ReadonlySet<unknown> = new Set(['RESOLVED', 'INVALID']);

/** Columns whose change a case must hear of. */
const CASE_COLUMNS = [
  'status',
  'refund_outcome',
  'deadline_at',
  'amount_minor',
  'currency',
  'integration_transaction_id',
  'acquirer_reference_number',
  'authorisation_code',
];

function concernsCase(before: ServiceObject, after: ServiceObject): boolean {
  if (before === after) return false;
  const old = project(ALERT_PROJECTION, before);
  const next = project(ALERT_PROJECTION, after);
  return CASE_COLUMNS.some((column) => old[column] !== next[column]);
}
