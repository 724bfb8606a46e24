/**
 * Events that this process has lately seen committed, so that a repeat of one needs no database.
 *
 * Only what a COMMIT of ours has proven is remembered, with the hash of its body: the same bytes again
 * are a repeat, anything else goes the whole way. It forgets all whenever a connection is lost or made
 * anew, because a database that comes back after a failover or a restore may hold less.
 */
import type { Clock } from '../kernel/clock.ts';
import { hashOf } from './delivery.ts';

/** Events remembered, the newest: about 10 MB. */
export const KNOWN_EVENTS_MAX = 40_000;

/**
 * Longest an event is remembered, in milliseconds: a storm of repeats follows its events closely, and
 * the few that come later may ask the database.
 */
export const KNOWN_FOR_MS = 60_000;

/** A delivery, as far as it matters here. */
interface Identified {
  readonly eventId: string;
  readonly body: Buffer;
}

/** See the file's opening. */
export interface KnownEvents {
  /** Whether these very bytes are known to be committed under this id. */
  has(delivery: Identified): boolean;
  /** The delivery was committed, with this body. */
  remember(delivery: Identified): void;
  /** A connection was lost or made anew: nothing is known any more. */
  forget(): void;
}

interface Memory {
  readonly hash: string;
  readonly untilMs: number;
}

/** Makes an empty memory. */
export function createKnownEvents(clock: Clock): KnownEvents {
  // Two halves: dropping the older one is cheap, dropping a map's oldest entry is not.
  let newer = new Map<string, Memory>();
  let older = new Map<string, Memory>();
  return {
    has({ eventId, body }): boolean {
      const memory = newer.get(eventId) ?? older.get(eventId);
      if (memory === undefined || memory.untilMs <= clock.nowMs()) return false;
      return memory.hash === hashOf(body).toString('latin1');
    },
    remember({ eventId, body }): void {
      if (newer.size >= KNOWN_EVENTS_MAX / 2) {
        older = newer;
        newer = new Map();
      }
      const untilMs = clock.nowMs() + KNOWN_FOR_MS;
      newer.set(eventId, { hash: hashOf(body).toString('latin1'), untilMs });
    },
    forget(): void {
      newer.clear();
      older.clear();
    },
  };
}
