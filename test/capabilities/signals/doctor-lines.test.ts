/** Guarantee: the doctor's line about the processor's own webhooks says what is wrong with them, and what to do. */
import { describe, expect, it } from 'vitest';
import type { EventFacts } from '../../../src/capabilities/signals/doctor-lines.ts';
import { lineOf } from '../../../src/capabilities/signals/doctor-lines.ts';

describe('the processor’s own webhooks', () => {
  const now = new Date('2026-11-22T12:00:00Z');
  const NOTHING = {
    ...{ isSet: true, accepted: 0, refused: 0, unreadable: 0, waiting: 0 },
    ...{ waitingSince: null, lastAt: null, now },
  };
  const lastAt = new Date('2026-11-22T11:58:00Z');
  const ago = (minutes: number) => new Date(now.getTime() - minutes * 60_000);

  it.each<[string, Partial<EventFacts>, string, RegExp]>([
    ['none are set', { isSet: false }, 'ok', /^none are taken/],
    ['none has come', {}, 'warning', /^0 taken and 0 refused in 24 h, 0 wait, none yet$/],
    ['they come', { accepted: 7, lastAt }, 'ok', /^7 taken and 0 refused .* last one .*11:58/],
    ['a few are refused', { accepted: 7, refused: 1, lastAt }, 'ok', /^7 taken and 1 refused/],
    ['all are refused', { refused: 3 }, 'warning', /^0 taken and 3 refused/],
    [
      'one waits for ten minutes',
      { accepted: 1, waiting: 1, waitingSince: ago(10), lastAt },
      'warning',
      /1 wait/,
    ],
    [
      'one waits for nine',
      { accepted: 1, waiting: 1, waitingSince: ago(9), lastAt },
      'ok',
      /1 wait/,
    ],
    ['one could not be read', { accepted: 2, unreadable: 1, lastAt }, 'warning', /^2 taken/],
    ['they came once, and none is set now', { isSet: false, lastAt }, 'ok', /^0 taken/],
  ])('%s', (_title, facts, status, detail) => {
    const line = lineOf({ ...NOTHING, ...facts });
    expect(line).toMatchObject({ name: 'processor events', status });
    expect(line.detail).toMatch(detail);
  });

  it('say what to do', () => {
    const step = (facts: Partial<EventFacts>) => lineOf({ ...NOTHING, ...facts }).nextStep;
    expect(step({})).toMatch(/Point your provider’s webhooks at POST \/processor-events\/\{name\}/);
    expect(step({ refused: 3 })).toMatch(/secret on both sides/);
    expect(step({ waiting: 1, waitingSince: ago(10) })).toMatch(/a worker runs/);
    expect(step({ accepted: 1, unreadable: 2 })).toMatch(/^2 genuine ones .*"events.read"/);
  });
});
