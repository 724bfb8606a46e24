/** Gives events their positions, after the steps that caused them have committed. Why that is right: `README.md`. */
import type { Db } from '../../base/db/database.ts';
import { wakeLocally } from '../../base/jobs/wake.store.ts';
import type { EventKind } from '../../surface/event-kind.ts';
import { placeEvents, readWaiting } from './event.store.ts';

/** Positions given in one statement. */
export const SEQUENCE_BATCH = 500;

/** Loops of this process that have something to do when events got their positions. */
export const PLACED_TOPIC = 'event-placed';

/** Those that send events: only where an endpoint is switched on. */
export const TO_SEND_TOPIC = 'event-to-send';

export interface SequenceDeps {
  readonly db: Db;
  readonly organisationId: string;
  readonly kinds: readonly EventKind[];
}

/** Creates one round: returns how many events got their position. Any number may run at once; one works, the others wait. */
export function createSequence(deps: SequenceDeps): () => Promise<number> {
  const { db, organisationId } = deps;
  const kinds = new Map(deps.kinds.map((kind) => [kind.type, kind]));
  return async () => {
    const waiting = await readWaiting(db, organisationId, SEQUENCE_BATCH);
    if (waiting.length === 0) return 0;
    const worded = waiting.map(({ id, type, data, version }) => ({
      id,
      version,
      // Of a capability that was left out.
      sentence: kinds.get(type)?.sentence(data) ?? `${type} was noted.`,
    }));
    const { placed, isSent } = await placeEvents(db, organisationId, worded);
    // Other processes look for themselves.
    if (placed > 0) wakeLocally(db, PLACED_TOPIC);
    if (placed > 0 && isSent) wakeLocally(db, TO_SEND_TOPIC);
    return placed;
  };
}
