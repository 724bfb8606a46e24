/** Guarantee: a person reads the right time, amount and next step for every state. */
import { describe, expect, it } from 'vitest';
import { CASE_STATES } from '../../../src/alerts/cases/case-state.ts';
import { changedFields } from '../../../src/surface/view/changed-fields.ts';
import { amountText, money } from '../../../src/surface/view/money.ts';
import { duration, moment, timeLeft } from '../../../src/surface/view/time.ts';
import { nextWords, stateBadge } from '../../../src/surface/view/words.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = new Date('2026-03-01T12:00:00Z');

const facts = {
  state: 'RECEIVED',
  holdReason: null,
  fallbackAction: null,
  fallbackAt: null,
  missedAt: null,
  lastError: null,
  nextActionAt: null,
} as const;

describe('duration', () => {
  it.each([
    [0, 'under 1 min'],
    [MINUTE - 1, 'under 1 min'],
    [MINUTE, '1 min'],
    [HOUR - 1, '59 min'],
    [3 * HOUR + 12 * MINUTE, '3 h 12 min'],
    [48 * HOUR - 1, '47 h 59 min'],
    [51 * HOUR, '2 d 3 h'],
  ])('%i ms is %s', (durationMs, words) => {
    expect(duration(durationMs)).toBe(words);
  });
});

describe('timeLeft', () => {
  it.each([
    ['2026-03-01T19:00:00Z', 'class="left "', '7 h 0 min left'],
    ['2026-03-01T18:00:00Z', 'class="left soon"', '6 h 0 min left'],
    ['2026-03-01T12:00:01Z', 'class="left soon"', 'under 1 min left'],
    ['2026-03-01T12:00:00Z', 'class="left past"', 'under 1 min past'],
    ['2026-03-01T10:30:00Z', 'class="left past"', '1 h 30 min past'],
  ])('at %s: %s %s', (deadline, cls, words) => {
    const text = timeLeft(new Date(deadline), NOW).toString();
    expect(text).toContain(cls);
    expect(text).toContain(words);
    expect(text).toContain(`datetime="${new Date(deadline).toISOString()}"`);
  });
});

describe('money', () => {
  it.each([
    [12_990, 'USD', '$129.90'],
    [5_000, 'JPY', '¥5,000'],
    [5_000, 'KWD', 'KWD\u00a05.000'],
    [123_456_789, 'EUR', '€1,234,567.89'],
    // Beyond 2^53 / 100 a float would already round.
    [9_007_199_254_740_991, 'USD', '$90,071,992,547,409.91'],
    [1, 'usd<', '0.01 usd<'],
    [null, 'USD', 'no amount'],
    [1, null, 'no amount'],
  ])('%s %s is %s', (amountMinor, currency, words) => {
    expect(amountText(amountMinor, currency)).toBe(words);
  });

  it('tells the ISO form on hover', () => {
    expect(money({ amountMinor: 5_000, currency: 'JPY' }).toString()).toBe(
      '<span class="money" title="5000 JPY">¥5,000</span>',
    );
  });
});

describe('moment', () => {
  it('is UTC, on hover too, for the script to turn into the zone of the viewer', () => {
    expect(moment(NOW).toString()).toBe(
      '<time datetime="2026-03-01T12:00:00.000Z" title="2026-03-01 12:00 UTC" data-local>2026-03-01 12:00 UTC</time>',
    );
  });
});

describe('nextWords', () => {
  it.each(CASE_STATES)('has a badge and a sentence for %s', (state) => {
    expect(stateBadge(state).toString()).toMatch(/^<span class="state \w+">[^<]+<\/span>$/);
    expect(nextWords({ ...facts, state }).toString()).toMatch(/\S\.$/);
  });

  it('names the fallback of a held case, and its absence', () => {
    const held = { ...facts, state: 'HUMAN', holdReason: 'too_late' } as const;
    expect(nextWords(held).toString()).toBe(
      'Too little time was left before the deadline to refund safely. Nothing happens by itself: decide before the deadline.',
    );
    const fallbackAt = new Date('2026-03-02T00:00:00Z');
    expect(
      nextWords({ ...held, fallbackAction: 'ACCEPT_DISPUTE', fallbackAt }).toString(),
    ).toContain('If nobody decides, the dispute is accepted at <time datetime="2026-03-02T00:00');
  });

  it('says that a case was missed, and why the last attempt failed, unless the case is over', () => {
    const failed = {
      ...facts,
      lastError: '<timeout>',
      nextActionAt: new Date('2026-03-01T12:05:00Z'),
    };
    const text = nextWords({ ...failed, state: 'DECLARE_REFUND', missedAt: NOW }).toString();
    expect(text).toContain('<strong>Missed:</strong>');
    expect(text).toContain('The last attempt failed: &lt;timeout&gt;; the next is at');
    expect(nextWords({ ...failed, state: 'CLOSED_REMOTE' }).toString()).not.toContain('failed');
  });
});

describe('changedFields', () => {
  it('lists what differs, appeared or vanished', () => {
    expect(
      changedFields(
        { id: 'a', status: 'X', gone: 1, same: [1] },
        { id: 'a', status: 'Y', new: 2, same: [1] },
      ),
    ).toEqual([
      { field: 'status', from: 'X', to: 'Y' },
      { field: 'new', from: null, to: 2 },
      { field: 'gone', from: 1, to: null },
    ]);
    expect(changedFields(null, { id: 'a' })).toEqual([]);
  });
});
