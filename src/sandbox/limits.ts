/**
 * The rate limit: 100 requests in any 60 seconds per endpoint and organisation, in independent
 * pools that all keys share (`pool-owner.ts` says whose).
 */
import { refusal } from './refusal.ts';

const WINDOW_MS = 60_000;

export interface RateLimits {
  /** Counts one request. @throws Refusal 429 when the pool is empty; that one is not counted */
  take(owner: string, endpoint: string, nowMs: number): void;
  clear(): void;
}

/** Creates the limits. `perMinute` is the size of every pool. */
export function createRateLimits(perMinute: number): RateLimits {
  const pools = new Map<string, number[]>();
  return {
    take(owner, endpoint, nowMs): void {
      const name = `${owner} ${endpoint}`;
      const granted = pools.get(name) ?? [];
      if (granted.length === 0) pools.set(name, granted);
      const tooOld = granted.findIndex((grantedMs) => grantedMs > nowMs - WINDOW_MS);
      granted.splice(0, tooOld === -1 ? granted.length : tooOld);
      if (granted.length >= perMinute) {
        throw refusal(
          'RATE_LIMITED',
          'Too many requests to this endpoint. Wait up to a minute, and longer each time.',
        );
      }
      granted.push(nowMs);
    },
    clear: () => pools.clear(),
  };
}
