/** Guarantee: a refund passes exactly while every cap, by count and by money, still has room for it. */
import { describe, expect, it } from 'vitest';
import type { CapQuestion } from '../../../src/alerts/guard/caps.ts';
import { brokenCap } from '../../../src/alerts/guard/caps.ts';
import type { Caps } from '../../../src/alerts/guard/guard-settings.ts';

const NONE = { count: 0, amountMinor: {} };

function ask(caps: Caps, question: Partial<CapQuestion> = {}): string | undefined {
  return brokenCap(caps, {
    refund: { amountMinor: 2_000, currency: 'USD' },
    charge: NONE,
    hour: NONE,
    day: NONE,
    customer: NONE,
    ...question,
  });
}

describe('brokenCap', () => {
  it('lets everything pass without caps', () => {
    expect(ask({})).toBeUndefined();
    expect(ask({}, { customer: undefined })).toBeUndefined();
  });

  it.each<[string, Caps, Partial<CapQuestion>, string | undefined]>([
    ['charge, just fits', { charge: { amountMinor: { USD: 2_000 } } }, {}, undefined],
    ['charge, one unit over', { charge: { amountMinor: { USD: 1_999 } } }, {}, 'charge_limit'],
    [
      'charge, fits beside what went back on it',
      { charge: { amountMinor: { USD: 5_000 } } },
      { charge: { count: 1, amountMinor: { USD: 3_000 } } },
      undefined,
    ],
    [
      'charge, one over with what went back on it',
      { charge: { amountMinor: { USD: 5_000 } } },
      { charge: { count: 1, amountMinor: { USD: 3_001 } } },
      'charge_limit',
    ],
    ['charge, first key', { charge: { count: 1 } }, {}, undefined],
    [
      'charge, second key',
      { charge: { count: 1 } },
      { charge: { count: 1, amountMinor: {} } },
      'charge_limit',
    ],
    [
      'hour, last place',
      { hour: { count: 3 } },
      { hour: { count: 2, amountMinor: {} } },
      undefined,
    ],
    [
      'hour, no place',
      { hour: { count: 3 } },
      { hour: { count: 3, amountMinor: {} } },
      'hourly_limit',
    ],
    [
      'hour, just fits',
      { hour: { amountMinor: { USD: 5_000 } } },
      { hour: { count: 9, amountMinor: { USD: 3_000 } } },
      undefined,
    ],
    [
      'hour, one over',
      { hour: { amountMinor: { USD: 5_000 } } },
      { hour: { count: 9, amountMinor: { USD: 3_001 } } },
      'hourly_limit',
    ],
    ['day, last place', { day: { count: 1 } }, {}, undefined],
    ['day, no place', { day: { count: 1 } }, { day: { count: 1, amountMinor: {} } }, 'daily_limit'],
    [
      'day, one over',
      { day: { amountMinor: { USD: 2_000 } } },
      { day: { count: 1, amountMinor: { USD: 1 } } },
      'daily_limit',
    ],
    [
      'customer, last place',
      { customer: { count: 2, days: 30 } },
      { customer: { count: 1, amountMinor: {} } },
      undefined,
    ],
    [
      'customer, no place',
      { customer: { count: 2, days: 30 } },
      { customer: { count: 2, amountMinor: {} } },
      'customer_limit',
    ],
    [
      'customer, one over',
      { customer: { amountMinor: { USD: 4_000 }, days: 30 } },
      { customer: { count: 1, amountMinor: { USD: 2_001 } } },
      'customer_limit',
    ],
    [
      'customer not known',
      { customer: { count: 2, days: 30 } },
      { customer: undefined },
      'customer_unknown',
    ],
    ['a cap of nothing', { day: { count: 0 } }, {}, 'daily_limit'],
  ])('%s', (_name, caps, question, expected) => {
    expect(ask(caps, question)).toBe(expected);
  });

  it('counts money by its own currency only, and covers no currency that is not named', () => {
    const caps = { day: { amountMinor: { USD: 2_000 } } };
    expect(ask(caps, { day: { count: 4, amountMinor: { EUR: 9_999 } } })).toBeUndefined();
    const euro = { refund: { amountMinor: 1, currency: 'EUR' } };
    expect(ask(caps, euro)).toBe('currency_unlimited');
  });
});
