/**
 * Events that this process has lately seen committed, so that a repeat of one needs no database.
 *
 * Only what a COMMIT of ours has proven is remembered, by the hash of its body: the same bytes again
 * are a repeat, anything else goes the whole way. It forgets all whenever a connection is lost or made
 * anew, because a database that comes back after a failover or a restore may hold less.
 *
 * The memory is two flat arrays, taken once: an entry of its own for each of thousands of new events a
 * second would be garbage a minute later.
 */
import { Buffer } from 'node:buffer';
import type { Clock } from '../kernel/clock.ts';
import { BODY_HASH_BYTES } from './delivery.ts';

/** Events remembered at most: 2.6 MB. */
export const KNOWN_EVENTS_MAX = 65_536;

/**
 * Longest an event is remembered, in milliseconds: a storm of repeats follows its events closely, and
 * the few that come later may ask the database.
 */
export const KNOWN_FOR_MS = 60_000;

/** Places for events whose hashes begin alike; the oldest of them gives way. */
const PLACES = 4;

/** See the file's opening. Hashes are those of `hashOf`. */
export interface KnownEvents {
  /** Whether a body with this hash is known to be committed. */
  has(bodyHash: Buffer): boolean;
  /** A body with this hash was committed. */
  remember(bodyHash: Buffer): void;
  /** A connection was lost or made anew: nothing is known any more. */
  forget(): void;
}

/** Makes an empty memory. */
export function createKnownEvents(clock: Clock): KnownEvents {
  const hashes = Buffer.alloc(KNOWN_EVENTS_MAX * BODY_HASH_BYTES);
  const untilMs = new Float64Array(KNOWN_EVENTS_MAX);

  /** The first of the places that an event with this hash may have. */
  const firstPlace = (bodyHash: Buffer): number =>
    (bodyHash.readUInt32LE(0) % (KNOWN_EVENTS_MAX / PLACES)) * PLACES;
  const holds = (place: number, bodyHash: Buffer): boolean => {
    const at = place * BODY_HASH_BYTES;
    // Nearly all that differ do so in their first bytes, which spares a call.
    const isAlike = bodyHash.readUInt32LE(0) === hashes.readUInt32LE(at);
    return isAlike && bodyHash.compare(hashes, at, at + BODY_HASH_BYTES) === 0;
  };
  const endOf = (place: number): number => untilMs[place] ?? 0;
  return {
    has(bodyHash): boolean {
      const nowMs = clock.nowMs();
      const first = firstPlace(bodyHash);
      for (let place = first; place < first + PLACES; place++) {
        if (endOf(place) > nowMs && holds(place, bodyHash)) return true;
      }
      return false;
    },
    remember(bodyHash): void {
      const first = firstPlace(bodyHash);
      let chosen = first;
      for (let place = first; place < first + PLACES; place++) {
        if (endOf(place) < endOf(chosen)) chosen = place;
        if (!holds(place, bodyHash)) continue;
        chosen = place;
        break;
      }
      bodyHash.copy(hashes, chosen * BODY_HASH_BYTES);
      untilMs[chosen] = clock.nowMs() + KNOWN_FOR_MS;
    },
    forget(): void {
      untilMs.fill(0);
    },
  };
}
