/**
 * Tells workers that something is due. `wake.ts` listens.
 *
 * Where this very process has a loop for the topic, only that loop is told, without a statement: its
 * worker continues with what it made due. Another worker finds what this one leaves by its next look.
 */
import { sql } from 'kysely';
import { Carried } from '../db/carried.ts';
import { commitWritesOf, notifyAll } from '../db/commit-writes.store.ts';
import type { OpenDatabase } from '../db/connect.ts';
import type { Db } from '../db/database.ts';
import { organisationOf } from '../db/for-organisation.ts';
import { afterCommit } from '../db/transaction.ts';

export { WAKE_CHANNEL } from '../db/commit-writes.store.ts';

/** The loops of this process, by topic. */
export interface LocalLoops {
  isServed(topic: string): boolean;
  /** Wakes them. */
  emit(topic: string): void;
}

class CarriedLoops extends Carried {
  readonly loops: LocalLoops;
  constructor(loops: LocalLoops) {
    super();
    this.loops = loops;
  }
}

/** The same database, whose handle knows the loops of this process. */
export function withLocalLoops(database: OpenDatabase, loops: LocalLoops): OpenDatabase {
  return { ...database, db: database.db.withPlugin(new CarriedLoops(loops)) };
}

/** Tells anyone who works on `topic`, once this transaction commits, that something is due. */
export async function wake(db: Db, topic: string): Promise<void> {
  if (!wakeLocally(db, topic)) await wakeEverywhere(db, topic);
}

/** Tells every process: what only the holder of a lease may do, the loop of this one may not be able to do. */
export async function wakeEverywhere(db: Db, topic: string): Promise<void> {
  const writes = commitWritesOf(db);
  const ownTopic = topicFor(topic, organisationOf(db));
  if (writes === undefined) await sql`select ${notifyAll([ownTopic])}`.execute(db);
  else writes.wake(ownTopic);
}

/** How a topic is told to other processes: only the loops of that organisation need to hear it. */
export function topicFor(topic: string, organisationId: string | undefined): string {
  return organisationId === undefined ? topic : `${topic}:${organisationId}`;
}

/** Tells the loop of this process; false where it has none. */
export function wakeLocally(db: Db, topic: string): boolean {
  const carried = db.getExecutor().plugins.find((plugin) => plugin instanceof CarriedLoops);
  if (carried?.loops.isServed(topic) !== true) return false;
  return afterCommit(db, topic, () => carried.loops.emit(topic));
}
