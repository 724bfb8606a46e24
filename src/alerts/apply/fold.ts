/**
 * Decides which snapshot of an entity is the last, whatever order they arrive in.
 *
 * Snapshots have a total order: how final the state is, then `updated_at`, then the moment of the
 * read that showed it (an event has none), then the event's own moment, then an update over what it
 * updates, then the hash of the content. The row is the greatest snapshot ever seen, so order and
 * repetition cannot matter. Where only what events say of themselves decides between two contents of
 * one moment, the row asks to be read, and the read decides. Kinds that cannot be read stay with it.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Instant } from '../../base/kernel/instant.ts';
import type { SnapshotSource } from './entity.table.ts';
import type { ServiceObject } from './fields.ts';
import type { Snapshot } from './snapshot.ts';

/** What is kept of an entity. */
export interface EntityState {
  readonly rank: number;
  readonly updatedAt: Instant;
  readonly readAt: Instant | null;
  /** The moment of the event that told it; null after a read. */
  readonly toldAt: Instant | null;
  /** Whether that event told of an update. */
  readonly toldAsUpdate: boolean;
  readonly contentHash: string;
  readonly object: ServiceObject;
  /** The object as JSON, or undefined while it is the one the row holds already. */
  readonly text: string | undefined;
  readonly createdAt: Instant | null;
  readonly source: SnapshotSource;
  readonly needsRead: boolean;
}

/** One line of the history. */
export interface HistoryEntry {
  readonly eventId: string | null;
  /** False when it told nothing new, as an older snapshot after a newer one: noted, without effect. */
  readonly accepted: boolean;
  readonly before: ServiceObject | null;
  readonly after: ServiceObject;
}

/** What one snapshot did. */
export type SnapshotEffect = 'created' | 'changed' | 'unchanged';

/** The outcome of folding one snapshot into the state. */
export interface Step {
  readonly state: EntityState;
  readonly effect: SnapshotEffect;
  readonly history: HistoryEntry | undefined;
}

/** Folds a snapshot into what is known. */
export function fold(state: EntityState | undefined, snapshot: Snapshot): Step {
  if (state === undefined) return create(snapshot);
  const order = compareMoments(snapshot, state);
  if (order > 0) return accept(state, snapshot, false);
  if (order < 0) return { state, effect: 'unchanged', history: noteIgnored(snapshot) };
  return foldTie(state, snapshot);
}

/** Same rank, same moment. */
function foldTie(state: EntityState, snapshot: Snapshot): Step {
  const isRead = snapshot.readAt !== null;
  if (hasSameContent(state, snapshot)) {
    const needsRead = state.needsRead && !isRead;
    const isKnown = !isAbove(snapshot, state) && needsRead === state.needsRead;
    const { readAt, toldAt, toldAsUpdate, contentHash } = isAbove(snapshot, state)
      ? snapshot
      : state;
    const next = isKnown
      ? state
      : { ...state, readAt, toldAt, toldAsUpdate, contentHash, needsRead };
    return { state: next, effect: 'unchanged', history: noteLate(state, snapshot) };
  }
  // Two contents of one moment. A read settles it; two events leave it open until one is made.
  if (isAbove(snapshot, state)) return accept(state, snapshot, !isRead);
  const needsRead = state.needsRead || !isRead;
  return { state: { ...state, needsRead }, effect: 'unchanged', history: noteIgnored(snapshot) };
}

/** Above or below by rank and moment; 0 is a tie. */
function compareMoments(snapshot: Snapshot, state: EntityState): number {
  if (snapshot.rank !== state.rank) return snapshot.rank - state.rank;
  if (snapshot.updatedAt === state.updatedAt) return 0;
  return snapshot.updatedAt > state.updatedAt ? 1 : -1;
}

/** What tells two tied snapshots apart. */
type TieKey = Pick<EntityState, 'readAt' | 'toldAt' | 'toldAsUpdate' | 'contentHash'>;

/**
 * Which of two tied snapshots stays: the later read, the later event, an update over what it updates;
 * then the greater hash.
 */
function isAbove(snapshot: TieKey, state: TieKey): boolean {
  const next = orderOf(snapshot);
  const known = orderOf(state);
  const place = next.findIndex((text, index) => text !== known[index]);
  return (next[place] ?? '') > (known[place] ?? '');
}

/** In the order in which they count, as texts that sort. */
function orderOf({ readAt, toldAt, toldAsUpdate, contentHash }: TieKey): readonly string[] {
  return [readAt ?? '', toldAt ?? '', toldAsUpdate ? 'update' : '', contentHash];
}

function hasSameContent(state: EntityState, snapshot: Snapshot): boolean {
  return (
    state.contentHash === snapshot.contentHash || isDeepStrictEqual(state.object, snapshot.object)
  );
}

function create(snapshot: Snapshot): Step {
  return {
    state: stateOf(snapshot, false),
    effect: 'created',
    history: {
      eventId: snapshot.eventId,
      accepted: true,
      before: null,
      after: pick(snapshot.object, snapshot.projection.headline),
    },
  };
}

function accept(state: EntityState, snapshot: Snapshot, needsRead: boolean): Step {
  const { before, after } = differenceOf(state.object, snapshot.object);
  return {
    state: stateOf(snapshot, needsRead),
    effect: 'changed',
    history: { eventId: snapshot.eventId, accepted: true, before, after },
  };
}

function stateOf(snapshot: Snapshot, needsRead: boolean): EntityState {
  const { rank, updatedAt, createdAt, readAt, toldAt, toldAsUpdate } = snapshot;
  const { contentHash, object, text, source } = snapshot;
  const order = { rank, updatedAt, createdAt, readAt, toldAt, toldAsUpdate };
  return { ...order, contentHash, object, text, source, needsRead };
}

/** What polling found first has its event noted all the same, so that its delivery is not taken for lost. */
function noteLate(state: EntityState, snapshot: Snapshot): HistoryEntry | undefined {
  return state.source === 'poll' && !snapshot.toldAsUpdate ? noteIgnored(snapshot) : undefined;
}

/** Events are noted once each; a read that shows the same old thing every two minutes is not. */
function noteIgnored(snapshot: Snapshot): HistoryEntry | undefined {
  if (snapshot.readAt !== null) return undefined;
  const after = pick(snapshot.object, snapshot.projection.headline);
  return { eventId: snapshot.eventId, accepted: false, before: null, after };
}

/** The fields that differ, at their old and new values. */
function differenceOf(
  before: ServiceObject,
  after: ServiceObject,
): { readonly before: ServiceObject; readonly after: ServiceObject } {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = keys.filter(
    (key) => before[key] !== after[key] && !isDeepStrictEqual(before[key], after[key]),
  );
  return { before: pick(before, changed), after: pick(after, changed) };
}

function pick(object: ServiceObject, keys: readonly string[]): ServiceObject {
  return Object.fromEntries(keys.map((key) => [key, object[key] ?? null]));
}
