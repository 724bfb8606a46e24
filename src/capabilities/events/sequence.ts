/** Gives events their positions, after the steps that caused them have committed. Why that is right: `README.md`. */
import type { Db } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { isDueNow } from '../../base/jobs/due.store.ts';
import { wakeLocally } from '../../base/jobs/wake.store.ts';
import type { Clock } from '../../base/kernel/clock.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import type { EventKind } from '../../surface/event-kind.ts';
import { appendEvents, hasWaiting, lockEnd, takeWaiting } from './event.store.ts';

/** Positions given in one transaction. */
export const SEQUENCE_BATCH = 500;

/** Loops of this process that have something to do when events got their positions. */
export const PLACED_TOPIC = 'event-placed';

export interface SequenceDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly organisationId: string;
  readonly kinds: readonly EventKind[];
}

/** Creates one round: returns how many events got their position. Any number may run at once; one works, the others wait. */
export function createSequence(deps: SequenceDeps): () => Promise<number> {
  const { db, clock, organisationId } = deps;
  const kinds = new Map(deps.kinds.map((kind) => [kind.type, kind]));
  return async () => {
    if (!(await isDueNow(db, { organisationId, now: nowDate(clock) }, hasWaiting))) return 0;
    return await inTransaction(db, async (trx) => {
      const last = await lockEnd(trx, organisationId);
      const waiting = await takeWaiting(trx, organisationId, SEQUENCE_BATCH);
      if (waiting.length === 0) return 0;
      const placed = waiting.map(({ id: _id, ...event }, place) => ({
        ...event,
        seq: last + 1 + place,
        // Of a capability that was left out.
        sentence: kinds.get(event.type)?.sentence(event.data) ?? `${event.type} was noted.`,
      }));
      await appendEvents(trx, organisationId, placed);
      // Other processes look for themselves.
      wakeLocally(trx, PLACED_TOPIC);
      return waiting.length;
    });
  };
}
