/**
 * Tells workers, after a flush has committed, that there is something to apply. A worker in this process
 * is told without a statement.
 *
 * Outside the storing transaction, because NOTIFY takes a lock that commits would queue behind; at
 * most once in a while, because one word wakes a worker as well as a hundred. A lost word costs the
 * worker's own interval, never an event.
 */
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import { organisationOf } from '../../base/db/for-organisation.ts';
import { topicFor, WAKE_CHANNEL, wakeLocally } from '../../base/jobs/wake.store.ts';
import type { Log } from '../../base/kernel/log.ts';

/** Topic on which workers wait for events. */
export const INBOX_TOPIC = 'inbox';

/** Shortest time between two words, in milliseconds. */
const QUIET_MS = 50;

/** Sends wake-ups, coalesced. */
export interface InboxWake {
  /** There is something new. Returns at once. */
  poke(): void;
  stop(): void;
}

/** Creates the sender. Its first word goes out at once. */
export function createInboxWake(db: Db, log: Log): InboxWake {
  let quiet: NodeJS.Timeout | undefined;
  let again = false;
  let stopped = false;

  const topic = topicFor(INBOX_TOPIC, organisationOf(db));
  const send = (): void => {
    again = false;
    quiet = setTimeout(() => {
      quiet = undefined;
      if (again && !stopped) send();
    }, QUIET_MS).unref();
    if (wakeLocally(db, INBOX_TOPIC)) return;
    // A transaction that only notifies has nothing worth waiting for the disk.
    sql`select set_config('synchronous_commit', 'off', true), pg_notify(${WAKE_CHANNEL}, ${topic})`
      .execute(db)
      .catch((error: unknown) => log.debug({ err: error }, 'workers were not woken'));
  };

  return {
    poke(): void {
      if (stopped) return;
      if (quiet === undefined) send();
      else again = true;
    },
    stop(): void {
      stopped = true;
      clearTimeout(quiet);
    },
  };
}
