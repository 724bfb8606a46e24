/** Guarantee: only the very bytes that were committed under an id are known, and not for ever. */
import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { createFixedClock } from '../../../src/kernel/clock.ts';
import {
  createKnownEvents,
  KNOWN_EVENTS_MAX,
  KNOWN_FOR_MS,
} from '../../../src/receive/known-events.ts';

const event = (id: number, text = 'body') => ({ eventId: `evt_${id}`, body: Buffer.from(text) });

describe('known events', () => {
  it('are known by id and bytes, for a minute, until a connection is lost', () => {
    const clock = createFixedClock('2026-11-20T00:00:00Z');
    const known = createKnownEvents(clock);
    known.remember(event(1));
    expect(known.has(event(1))).toBe(true);
    expect(known.has(event(2))).toBe(false);
    expect(known.has(event(1, 'other'))).toBe(false);
    clock.advanceMs(KNOWN_FOR_MS - 1);
    expect(known.has(event(1))).toBe(true);
    clock.advanceMs(1);
    expect(known.has(event(1))).toBe(false);
    known.remember(event(1));
    known.forget();
    expect(known.has(event(1))).toBe(false);
  });

  it('are the newest, in bounded number', () => {
    const known = createKnownEvents(createFixedClock('2026-11-20T00:00:00Z'));
    const last = KNOWN_EVENTS_MAX + 1;
    for (let id = 0; id <= last; id++) known.remember(event(id));
    expect(known.has(event(last))).toBe(true);
    expect(known.has(event(last - KNOWN_EVENTS_MAX / 2))).toBe(true);
    expect(known.has(event(0))).toBe(false);
  });
});
