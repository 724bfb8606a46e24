/** Guarantee: a guards file means what it says, and one that cannot be understood is refused by place. */
import { describe, expect, it } from 'vitest';
import {
  DEFAULT_GUARDS,
  openGuards,
  readGuards,
} from '../../../src/alerts/guard/guard-settings.ts';

const FULL = `
caps:
  charge: { amount: 500.00 USD }
  customer: { count: 2, amount: 300 USD, days: 14 }
  hour: { count: 40 }
  day: { count: 200, amount: [5000.00 USD, 600000 JPY] }
approval: { above: 250.00 USD }
breaker: { window: 30m, usual_over: 14d, times: 3, at_least: 20, above: 400 }
cancel_subscriptions: always
`;

describe('readGuards', () => {
  it('reads everything, amounts in the minor unit of their currency', () => {
    expect(readGuards(FULL, 'guards.yaml')).toEqual({
      caps: {
        charge: { amountMinor: { USD: 50_000 } },
        customer: { count: 2, amountMinor: { USD: 30_000 }, days: 14 },
        hour: { count: 40 },
        day: { count: 200, amountMinor: { USD: 500_000, JPY: 600_000 } },
      },
      approvalAboveMinor: { USD: 25_000 },
      breaker: {
        windowMs: 1_800_000,
        usualOverMs: 1_209_600_000,
        times: 3,
        atLeast: 20,
        above: 400,
      },
      cancelSubscriptions: 'always',
    });
  });

  it('takes the defaults for what is left out, and an empty file', () => {
    expect(readGuards('', 'guards.yaml')).toEqual(DEFAULT_GUARDS);
    expect(openGuards(undefined)).toEqual(DEFAULT_GUARDS);
    expect(readGuards('breaker: off', 'g.yaml').breaker).toBeNull();
  });

  it.each([
    ['caps: { week: { count: 1 } }', 'caps'],
    ['caps: { day: {} }', 'caps.day: needs a count or an amount'],
    ['caps: { day: { count: -1 } }', 'caps.day.count'],
    ['caps: { day: { amount: 5 dollars } }', 'caps.day.amount: "dollars" is not a currency'],
    ['caps: { day: { amount: 500 } }', 'caps.day.amount'],
    ['caps: { day: { amount: [1 USD, 2 USD] } }', 'caps.day.amount: names USD twice'],
    ['approval: { above: 5.001 USD }', 'approval.above: USD has 2 decimals'],
    ['breaker: { window: soon }', 'breaker.window'],
    ['cancel_subscriptions: sometimes', 'cancel_subscriptions'],
    ['caps: [', 'is no YAML'],
  ])('refuses %s', (text, message) => {
    expect(() => readGuards(text, 'guards.yaml')).toThrow(message);
  });

  it('says which setting names a file that is not there', () => {
    expect(() => openGuards('/nowhere/guards.yaml')).toThrow(
      'FORESTALL_GUARDS names a file that cannot be read',
    );
  });
});
