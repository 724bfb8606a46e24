/** Guarantee: lost time is noticed by every sign of it, and look-ups are believed only once they are conclusive. */
import { expect, test } from 'vitest';
import { conclusiveAtMs, reasonToCheck } from '../../../src/alerts/guard/recovery-check-rule.ts';
import { startProgress } from '../../../src/alerts/recovery-check/forgotten-refunds.ts';
import { chargesToHoldBack } from '../../../src/alerts/recovery-check/unchecked-charges.job.ts';
import { CAUTIOUS_CAPABILITIES } from '../../../src/service/wire/processor.ts';

const T = Date.parse('2026-11-20T06:00:00Z');
const MINUTE_MS = 60_000;
const SEEN = { kind: 'full', identity: 'a', atMs: T } as const;

test.each([
  ['an empty database has no past', undefined, { hasPast: false }, undefined],
  ['rows, and no sign of life', undefined, {}, 'unknown_past'],
  ['ten minutes of silence are none', SEEN, { nowMs: T + 10 * MINUTE_MS }, undefined],
  ['more at a start', SEEN, { nowMs: T + 10 * MINUTE_MS + 1 }, 'silence'],
  ['more, in a process that slept', SEEN, { nowMs: T + 60 * MINUTE_MS, wroteMs: T }, undefined],
  ['another database', SEEN, { identity: 'b', wroteMs: T }, 'other_database'],
  ['less than was written', SEEN, { wroteMs: T + 1 }, 'forgotten'],
  ['written later by another worker', SEEN, { wroteMs: T - 1 }, undefined],
] as const)('%s', (_case, seen, present, reason) => {
  const usual = { nowMs: T, identity: 'a', hasPast: true, wroteMs: undefined };
  expect(reasonToCheck(seen, { ...usual, ...present })).toBe(reason);
});

// Lease 30 s, request 60 s, look-ups lag 10 min: 11.5 min after the start, unless keys live on.
test.each([
  ['keys do nothing', 0, T - MINUTE_MS, T + 690_000],
  ['keys live for 24 h, 6 h lost', 24, T - 360 * MINUTE_MS, T],
  ['keys live for 6 h, 6 h lost', 6, T - 360 * MINUTE_MS, T + 690_000],
  ['keys live, nothing tells what is lost', 24, null, T + 690_000],
] as const)('%s', (_case, idempotencyTtlHours, aliveMs, expectedMs) => {
  const capabilities = {
    ...CAUTIOUS_CAPABILITIES,
    idempotencyTtlHours,
    requestLifetimeSeconds: 60,
    lookupLagSeconds: 600,
  };
  expect(conclusiveAtMs({ sinceMs: T, aliveMs }, capabilities)).toBe(expectedMs);
});

test.each([
  ['a check that has not passed every alert continues', 0, undefined, 0, undefined],
  ['nothing unanswered ends it', 0, T, 0, 0],
  [
    'what is unanswered for less than two minutes may be a hiccup',
    1,
    T,
    2 * MINUTE_MS - 1,
    undefined,
  ],
  ['after two minutes it is held back by itself', 1, T, 2 * MINUTE_MS, 1],
  ['fifty of them too', 50, T, 2 * MINUTE_MS, 50],
  [
    'with more of them the processor is away, and everything waits',
    51,
    T,
    60 * MINUTE_MS,
    undefined,
  ],
])('%s', (_case, count, throughAtMs, sinceMs, size) => {
  const unanswered = new Map(
    Array.from({ length: count }, (_, index) => [
      `netalrt_${index}`,
      { chargeReference: `ch_${index}`, reason: 'HTTP 500' },
    ]),
  );
  const progress = { ...startProgress(), unanswered, throughAtMs };
  expect(chargesToHoldBack(progress, T + sinceMs)?.size).toBe(size);
});
