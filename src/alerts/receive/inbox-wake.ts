/**
 * Tells workers, after a flush has committed, that there is something to apply. A worker in this process
 * is told without a statement.
 *
 * Outside the storing transaction, because NOTIFY takes a lock that commits would queue behind; at
 * most once in a while, because one word wakes a worker as well as a hundred; and where several organisations
 * share the process, what they have to say within a moment goes out in one statement, because each statement wakes every
 * process that listens. A lost word costs the worker's own interval, never an event.
 */
import { sql } from 'kysely';
import { notifyAll } from '../../base/db/commit-writes.store.ts';
import type { Db } from '../../base/db/database.ts';
import { organisationOf } from '../../base/db/for-organisation.ts';
import { topicFor, wakeLocally } from '../../base/jobs/wake.store.ts';
import type { Log } from '../../base/kernel/log.ts';

/** Topic on which workers wait for events. */
export const INBOX_TOPIC = 'inbox';

/** Shortest time between two words of one organisation, in milliseconds. */
const QUIET_MS = 50;

/** Shortest time between two statements for all organisations of the process, in milliseconds. */
const TOGETHER_MS = 25;

/** Sends wake-ups, coalesced. */
export interface InboxWake {
  /** There is something new. Returns at once. */
  poke(): void;
  stop(): void;
}

/** Tells other processes that topics have something due. */
export type TellWorkers = (topic: string) => void;

/** What is told within a moment goes together. The first goes out at once. */
export function tellingTogether(db: Db, log: Log): TellWorkers {
  let topics = new Set<string>();
  let isQuiet = true;
  const send = (): void => {
    const waiting = [...topics];
    topics = new Set();
    isQuiet = waiting.length === 0;
    if (isQuiet) return;
    void tell(db, log, waiting);
    setTimeout(send, TOGETHER_MS).unref();
  };
  return (topic) => {
    topics.add(topic);
    if (isQuiet) send();
  };
}

async function tell(db: Db, log: Log, topics: readonly string[]): Promise<void> {
  try {
    // A transaction that only notifies has nothing worth waiting for the disk.
    await sql`select set_config('synchronous_commit', 'off', true), ${notifyAll(topics)}`.execute(
      db,
    );
  } catch (error) {
    log.debug({ err: error }, 'workers were not woken');
  }
}

/** Creates the sender of one organisation. Its first word goes out at once. */
export function createInboxWake(db: Db, tellWorkers: TellWorkers): InboxWake {
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
    if (!wakeLocally(db, INBOX_TOPIC)) tellWorkers(topic);
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
