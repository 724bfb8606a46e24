/** Guarantee: a dead webhook endpoint is told from a quiet day, and one fast poll is no alarm. */
import { describe, expect, it } from 'vitest';
import type { SilenceRecord } from '../../../src/reconcile/silence.ts';
import { judgeSilence, readSilenceRecord } from '../../../src/reconcile/silence.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-03-01T00:00:00Z');

function watching(changes = 0, firstFoundMs: number | null = null): SilenceRecord {
  return { watchSinceMs: START, changes, firstFoundMs };
}

describe('judgeSilence', () => {
  it('starts the watch with the first round and counts nothing of what lies before', () => {
    const verdict = judgeSilence(undefined, {
      nowMs: START,
      lastWebhookMs: null,
      foundUpdatedMs: [START - 1, START - MINUTE, START - 2 * MINUTE],
    });
    expect(verdict).toEqual({ record: watching(), silent: false });
  });

  it('ignores changes older than the watch', () => {
    const { record } = judgeSilence(watching(), {
      nowMs: START + MINUTE,
      lastWebhookMs: null,
      foundUpdatedMs: [START - 1, START],
    });
    expect(record).toEqual(watching(1, START + MINUTE));
  });

  it.each([
    [3, 3 * MINUTE, true],
    [3, 3 * MINUTE - 1, false],
    [2, 3 * MINUTE, false],
    [1, 15 * MINUTE, true],
    [1, 15 * MINUTE - 1, false],
    [0, 60 * MINUTE, false],
  ])('with %i changes after %i ms without a webhook: silent is %s', (changes, ageMs, silent) => {
    const before = watching(changes, changes === 0 ? null : START);
    const verdict = judgeSilence(before, {
      nowMs: START + ageMs,
      lastWebhookMs: START - 1,
      foundUpdatedMs: [],
    });
    expect(verdict.silent).toBe(silent);
  });

  it('is over as soon as one webhook arrives after the first change', () => {
    const verdict = judgeSilence(watching(7, START), {
      nowMs: START + 20 * MINUTE,
      lastWebhookMs: START,
      foundUpdatedMs: [],
    });
    expect(verdict).toEqual({ record: watching(), silent: false });
  });

  it('reads its record back, and nothing else', () => {
    expect(readSilenceRecord(JSON.parse(JSON.stringify(watching(2, START))))).toEqual(
      watching(2, START),
    );
    expect(readSilenceRecord(watching(0, null))).toEqual(watching());
    for (const other of [null, 7, {}, { ...watching(), changes: '2' }]) {
      expect(readSilenceRecord(other)).toBeUndefined();
    }
  });
});
