/** Guarantee: an example passes exactly when the policy answers as it expects, and says why it does not. */
import { describe, expect, test } from 'vitest';
import { runExamples } from '../../../src/policy/examples.ts';
import { loadPolicy, proposeOn } from '../../../src/policy/load.ts';

/** The faults of one example under a small policy. */
function faultsOf(example: string): readonly string[] {
  const policy = loadPolicy(
    `timezone: Europe/Berlin
rates: {base: USD, EUR: 1.08}
lists: {vips: [anna@example.com]}
rules:
  - name: vip
    when: {customer_email: {in_list: vips}}
    then: {REFUND: alert_amount}
    also: [stop_fulfilment, notify]
  - name: small
    when: {amount: {at_most: 50 USD}, not: {weekday: sunday}}
    then: REFUND
  - name: lamps
    when: {item_name: {contains: lamp}, customer_orders: {below: 3}, order_age: {at_most: 3d}, twin: false}
    then: ACCEPT_DISPUTE
otherwise: {REVIEW: {fallback: ACCEPT_DISPUTE, at: 6h before deadline}}
examples:
  - {name: it, ${example}}
`,
    { file: 'p.yaml' },
  );
  const [result] = runExamples(policy.examples, (view) => proposeOn(policy, view));
  return result?.faults ?? ['there is no example'];
}

describe('an example', () => {
  test.each<[string, readonly string[]]>([
    ['given: {amount: 50.00 USD, weekday: monday}, expect: REFUND, rule: small', []],
    ['given: {amount: 46.29 EUR, weekday: monday}, expect: REFUND', []],
    ['given: {customer_email: ANNA@example.com}, expect: {REFUND: alert_amount}', []],
    [
      'given: {item_name: [Red lamp, Bulb], customer_orders: 2, order_age: 3d, twin: false}, expect: ACCEPT_DISPUTE, rule: lamps',
      [],
    ],
    ['given: {}, expect: REVIEW, rule: otherwise', []],
    ['given: {}, expect: {REVIEW: {fallback: ACCEPT_DISPUTE, at: 6h before deadline}}', []],
    // What is not given is not known, so the rule does not plainly apply.
    [
      'given: {amount: 50.00 USD}, expect: REFUND',
      ['expected REFUND, got REVIEW, then ACCEPT_DISPUTE 6h before the deadline'],
    ],
    [
      'given: {}, expect: {REVIEW: {fallback: ACCEPT_DISPUTE, at: 5h before deadline}}',
      [
        'expected REVIEW, then ACCEPT_DISPUTE 5h before the deadline, got REVIEW, then ACCEPT_DISPUTE 6h before the deadline',
      ],
    ],
    [
      'given: {customer_email: anna@example.com}, expect: REFUND',
      ['expected REFUND, got REFUND the alert’s amount'],
    ],
    [
      'given: {customer_email: anna@example.com}, expect: {REFUND: remainder}',
      ['expected REFUND the remainder, got REFUND the alert’s amount'],
    ],
    [
      'given: {amount: 5 USD, weekday: monday}, expect: REFUND, rule: vip',
      ['expected rule "vip", got rule "small"'],
    ],
    [
      'given: {amount: 5 USD, weekday: monday}, expect: REFUND, rule: otherwise',
      ['expected "otherwise", got rule "small"'],
    ],
    [
      'given: {customer_email: anna@example.com}, expect: {REFUND: alert_amount}, also: [stop_fulfilment, notify]',
      [],
    ],
    [
      'given: {customer_email: anna@example.com}, expect: {REFUND: alert_amount}, also: notify',
      ['expected also notify, got stop_fulfilment, notify'],
    ],
    [
      'given: {amount: 5 USD, weekday: monday}, expect: REFUND, also: notify',
      ['expected also notify, got nothing'],
    ],
  ])('%s', (example, faults) => {
    expect(faultsOf(example)).toEqual(faults);
  });
});
