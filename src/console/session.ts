/**
 * Sessions of people: a random id in a cookie, everything else in this process's memory.
 *
 * A session ends after 30 minutes without a request, 12 hours in all, and with the process.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../kernel/clock.ts';

/** End of a session without requests, in milliseconds. */
export const SESSION_IDLE_MS = 30 * 60_000;

/** End of a session in any case, in milliseconds. */
export const SESSION_LIFE_MS = 12 * 60 * 60_000;

/** Sessions at once; the oldest ends when another begins. */
const SESSIONS_MAX = 500;

const SECRET_BYTES = 32;

/** A person who has signed in. */
export interface Session {
  readonly id: string;
  /** Every form that changes something carries it. */
  readonly csrfToken: string;
  readonly startedMs: number;
  seenMs: number;
}

/** The sessions of this process. */
export interface Sessions {
  start(): Session;
  /** The session of this id, kept alive; undefined when there is none or it has ended. */
  find(id: string): Session | undefined;
  end(id: string): void;
}

/** Makes an empty set of sessions. */
export function createSessions(clock: Clock): Sessions {
  const byId = new Map<string, Session>();
  const secret = (): string => randomBytes(SECRET_BYTES).toString('base64url');
  return {
    start(): Session {
      const [oldest] = byId.keys();
      if (byId.size >= SESSIONS_MAX && oldest !== undefined) byId.delete(oldest);
      const nowMs = clock.nowMs();
      const session = { id: secret(), csrfToken: secret(), startedMs: nowMs, seenMs: nowMs };
      byId.set(session.id, session);
      return session;
    },
    find(id: string): Session | undefined {
      const session = byId.get(id);
      if (session === undefined) return undefined;
      const nowMs = clock.nowMs();
      if (
        nowMs - session.seenMs >= SESSION_IDLE_MS ||
        nowMs - session.startedMs >= SESSION_LIFE_MS
      ) {
        byId.delete(id);
        return undefined;
      }
      session.seenMs = nowMs;
      return session;
    },
    end: (id): void => void byId.delete(id),
  };
}

/** Whether two secrets are equal, in a time that tells nothing about either, not even its length. */
export function sameSecret(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
