/** Guarantee: only the very bytes that were committed are known, and not for ever. */
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createFixedClock } from '../../../src/kernel/clock.ts';
import {
  createKnownEvents,
  KNOWN_EVENTS_MAX,
  KNOWN_FOR_MS,
} from '../../../src/receive/known-events.ts';

const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();

describe('known events', () => {
  it('are known by their bytes, for a minute, until a connection is lost', () => {
    const clock = createFixedClock('2026-11-20T00:00:00Z');
    const known = createKnownEvents(clock);
    known.remember(hashOf('one'));
    expect(known.has(hashOf('one'))).toBe(true);
    expect(known.has(hashOf('other'))).toBe(false);
    clock.advanceMs(KNOWN_FOR_MS - 1);
    expect(known.has(hashOf('one'))).toBe(true);
    clock.advanceMs(1);
    expect(known.has(hashOf('one'))).toBe(false);
    known.remember(hashOf('one'));
    known.forget();
    expect(known.has(hashOf('one'))).toBe(false);
  });

  it('know nothing when empty, not even a hash of zeros', () => {
    const known = createKnownEvents(createFixedClock(0));
    expect(known.has(Buffer.alloc(32))).toBe(false);
  });

  it('differ by their last byte', () => {
    const known = createKnownEvents(createFixedClock('2026-11-20T00:00:00Z'));
    const hash = hashOf('one');
    known.remember(hash);
    const near = Buffer.from(hash);
    near[31] = (near[31] ?? 0) ^ 1;
    expect(known.has(near)).toBe(false);
    // Both have the same places now, and neither drives the other out.
    known.remember(near);
    expect(known.has(near)).toBe(true);
    expect(known.has(hash)).toBe(true);
  });

  it('give way to newer ones that begin alike, the oldest first', () => {
    const clock = createFixedClock('2026-11-20T00:00:00Z');
    const known = createKnownEvents(clock);
    const alike = Array.from({ length: 5 }, (_, index) => Buffer.alloc(32, 7).fill(index, 4));
    for (const hash of alike) {
      clock.advanceMs(1);
      known.remember(hash);
      if (hash === alike[3]) known.remember(alike[0] ?? hash);
    }
    expect(alike.map((hash) => known.has(hash))).toEqual([true, false, true, true, true]);
  });

  it('are the newest, but for a few, in bounded number', () => {
    const clock = createFixedClock('2026-11-20T00:00:00Z');
    const known = createKnownEvents(clock);
    const hashes = Array.from({ length: 2 * KNOWN_EVENTS_MAX }, (_, index) => hashOf(`${index}`));
    for (const [index, hash] of hashes.entries()) {
      if (index % 1_000 === 0) clock.advanceMs(1);
      known.remember(hash);
    }
    const isKnown = hashes.map((hash) => known.has(hash));
    // Four in a place for one on average: chance brings a fifth to 4 of 1,000 places.
    const newest = isKnown.slice(-KNOWN_EVENTS_MAX / 4);
    expect(newest.filter((each) => !each).length).toBeLessThan(newest.length / 100);
    expect(isKnown.filter(Boolean).length).toBeLessThanOrEqual(KNOWN_EVENTS_MAX);
  });
});
