/** The deadlines that decide how soon a movement is looked at. Pure. */
import type { OpenDeadline } from '../ledger/movement-lease.store.ts';

/** They. */
export interface Deadlines {
  /** The first one ahead of an open alert of the dispute, in milliseconds since 1970; null: none. */
  readonly nextMs: number | null;
  /** The last one of an alert that waits for the movement; null: none waits. */
  readonly lastWaitingMs: number | null;
}

/** Of a movement, as they were when it was claimed. */
export function deadlinesOf(open: readonly OpenDeadline[], nowMs: number): Deadlines {
  const ahead = open.filter(({ atMs }) => atMs > nowMs);
  const waiting = open.filter(({ waits }) => waits);
  return {
    nextMs: ahead.length === 0 ? null : Math.min(...ahead.map(({ atMs }) => atMs)),
    lastWaitingMs: waiting.length === 0 ? null : Math.max(...waiting.map(({ atMs }) => atMs)),
  };
}
