/** How many calls a plan takes, and how long at the service's rate limit. */
import { GRANTS_MAX, WINDOW_MS } from '../client/budget.ts';
import type { PlannedStep } from './step.ts';
import { ENDPOINT_OF, lookFirstEndpoints } from './step.ts';

/** What to expect. */
export interface Forecast {
  readonly calls: number;
  /** At the rate limit; the service's answers are taken as immediate. */
  readonly durationMs: number;
}

/**
 * Counts calls one after another against the request budget of each endpoint. The budget allows
 * {@link GRANTS_MAX} calls of one endpoint in any {@link WINDOW_MS} milliseconds.
 */
export function forecastOf(steps: readonly PlannedStep[]): Forecast {
  const grants = new Map<string, number[]>();
  let nowMs = 0;
  let calls = 0;
  for (const { step } of steps) {
    for (const endpoint of [...lookFirstEndpoints(step), ENDPOINT_OF[step.kind]]) {
      const times = grants.get(endpoint) ?? [];
      const freeMs = (times.at(-GRANTS_MAX) ?? -WINDOW_MS) + WINDOW_MS;
      nowMs = Math.max(nowMs, freeMs);
      times.push(nowMs);
      grants.set(endpoint, times);
      calls += 1;
    }
  }
  return { calls, durationMs: nowMs };
}

/** For people: `12 calls, less than a minute`. */
export function forecastText({ calls, durationMs }: Forecast): string {
  const minutes = Math.ceil(durationMs / 60_000);
  const time =
    minutes < 1 ? 'less than a minute' : `about ${minutes} minute${minutes === 1 ? '' : 's'}`;
  return `${calls} call${calls === 1 ? '' : 's'}, ${time} at the rate limit`;
}
