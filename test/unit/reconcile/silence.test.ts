/** Guarantee: a dead webhook endpoint is told from a quiet day, and one fast poll is no alarm. */
import { describe, expect, it } from 'vitest';
import type { SilenceRecord } from '../../../src/alerts/reconcile/silence.ts';
import {
  judgeSilence,
  readSilenceRecord,
  unheardPeriod,
} from '../../../src/alerts/reconcile/silence.ts';

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

describe('unheardPeriod', () => {
  const HOUR = 60 * MINUTE;
  const asked = {
    before: watching(),
    nowMs: START + 100 * HOUR,
    lastPollMs: START + 100 * HOUR - 2 * MINUTE,
    lastWebhookMs: START,
    intervalMs: 2 * MINUTE,
  };

  it('is none while polling continues, however quiet it is', () => {
    expect(unheardPeriod(asked)).toBeUndefined();
  });

  it.each([
    [14 * HOUR + 36 * MINUTE, true],
    [14 * HOUR + 36 * MINUTE - 1, false],
  ])('after %i ms in which nothing of ours ran: %s', (downMs, isPeriod) => {
    const fromMs = asked.nowMs - downMs;
    const period = unheardPeriod({ ...asked, lastPollMs: fromMs });
    expect(period).toEqual(isPeriod ? { fromMs, toMs: asked.nowMs } : undefined);
  });

  it('counts from the last webhook when only polling was down', () => {
    const late = { ...asked, lastPollMs: START, lastWebhookMs: asked.nowMs - 15 * HOUR };
    expect(unheardPeriod(late)).toEqual({ fromMs: late.lastWebhookMs, toMs: asked.nowMs });
  });

  it('is the silence that has just ended, from the poll before its first sign', () => {
    const before = watching(4, START + HOUR);
    const heard = { ...asked, before, lastWebhookMs: START + 9 * HOUR };
    expect(unheardPeriod(heard)).toEqual({
      fromMs: START + HOUR - 2 * MINUTE,
      toMs: START + 9 * HOUR,
    });
    const quick = { ...heard, lastWebhookMs: START + HOUR + 15 * MINUTE - 1 };
    expect(unheardPeriod(quick)).toBeUndefined();
  });
});
