/** Guarantee: each condition holds exactly where it says so, and never on what is not known. */
import { describe, expect, test } from 'vitest';
import { loadPolicy } from '../../../src/policy/load.ts';
import { parseBrandTokens } from '../../../src/wire/brand-tokens.ts';
import type { FactsOver } from '../decide/fixtures.ts';
import { facts, foundCharge, orderFacts, ownRefund } from '../decide/fixtures.ts';

/** How a rule with this `when` (flow style) fares. */
function ask(when: string, over: FactsOver = {}, brands?: string) {
  const policy = loadPolicy(
    `rules:\n  - name: r\n    when: ${when}\n    then: REFUND\notherwise: REVIEW\n`,
    { file: 'p.yaml', ...(brands === undefined ? {} : { brands: parseBrandTokens(brands) }) },
  );
  return policy.propose(facts(over)).trace[0];
}

describe('operators', () => {
  test.each<[string, FactsOver, 'yes' | 'no' | 'unknown']>([
    // The alert is about 29.90 USD.
    ['{amount: {at_most: 29.90 USD}}', {}, 'yes'],
    ['{amount: {at_most: 29.89 USD}}', {}, 'no'],
    ['{amount: {at_least: 29.90 USD}}', {}, 'yes'],
    ['{amount: {at_least: 29.91 USD}}', {}, 'no'],
    ['{amount: {above: 29.89 USD}}', {}, 'yes'],
    ['{amount: {above: 29.90 USD}}', {}, 'no'],
    ['{amount: {below: 29.91 USD}}', {}, 'yes'],
    ['{amount: {below: 29.90 USD}}', {}, 'no'],
    ['{amount: {equals: 29.9 USD}}', {}, 'yes'],
    ['{amount: {equals: 29.91 USD}}', {}, 'no'],
    ['{amount: {at_least: 20 USD, below: 30 USD}}', {}, 'yes'],
    ['{amount: {at_least: 20 USD, below: 25 USD}}', {}, 'no'],
    ['{amount: [{at_most: 10 USD}, {at_most: 50 EUR}]}', {}, 'no'],
    ['{amount: [{at_most: 10 USD}, {at_least: 20 USD}]}', {}, 'yes'],
    ['{amount: {at_most: 50 EUR}}', {}, 'unknown'],
    ['{not: {amount: {at_most: 50 EUR}}}', {}, 'unknown'],
    ['{amount: {at_most: 5000 JPY}}', { alert: { amountMinor: 5000, currency: 'JPY' } }, 'yes'],
    ['{amount: {at_most: 4999 JPY}}', { alert: { amountMinor: 5000, currency: 'JPY' } }, 'no'],
    ['{amount: {at_most: 5.000 KWD}}', { alert: { amountMinor: 5001, currency: 'KWD' } }, 'no'],
    ['{amount: {at_most: 50 USD}}', { alert: { amountMinor: null } }, 'unknown'],
    ['{amount: {at_most: 50 USD}}', { alert: { currency: null } }, 'unknown'],
    ['{currency: USD}', {}, 'yes'],
    ['{currency: [EUR, USD]}', {}, 'yes'],
    ['{currency: EUR}', {}, 'no'],
    ['{currency: EUR}', { alert: { currency: null } }, 'unknown'],
    ['{descriptor: shop*order  17}', {}, 'yes'],
    ['{descriptor: SHOP}', {}, 'no'],
    ['{descriptor: {starts_with: shop}}', {}, 'yes'],
    ['{descriptor: {starts_with: [OTHER, "SHOP*"]}}', {}, 'yes'],
    ['{descriptor: {starts_with: HOP}}', {}, 'no'],
    ['{descriptor: {equals: SHOP, starts_with: SHOP*O}}', {}, 'yes'],
    ['{descriptor: SHOP}', { alert: { descriptor: null } }, 'unknown'],
    ['{issuer: first bank}', {}, 'yes'],
    ['{issuer: [second bank]}', {}, 'no'],
    ['{card_bin: {starts_with: "4111"}}', {}, 'yes'],
    ['{merchant: mrch_2}', {}, 'no'],
    // A code stays the text it is: 10.4 is not 10.40.
    ['{reason_code: 10.4}', {}, 'yes'],
    ['{reason_code: 10.40}', {}, 'no'],
    ['{reason_code: 13.10}', { alert: { reasonCode: '13.1' } }, 'no'],
    ['{scheme: SCHEME_A}', {}, 'yes'],
    ['{scheme: [SCHEME_B]}', {}, 'no'],
    ['{scheme: SCHEME_A}', { alert: { scheme: null } }, 'unknown'],
    ['{enrolment_type: NETA_ALERT}', {}, 'yes'],
    ['{enrolment_type: NETB_RDR}', {}, 'no'],
    // The payment is ten days old; 40 hours are left.
    ['{payment_age: {at_most: 10d}}', {}, 'yes'],
    ['{payment_age: {below: 10d}}', {}, 'no'],
    ['{payment_age: {at_least: 1d}}', { alert: { authorisedAt: null } }, 'unknown'],
    ['{time_left: {at_least: 40h}}', {}, 'yes'],
    ['{time_left: {above: 2400m}}', {}, 'no'],
    ['{match: single}', {}, 'yes'],
    ['{match: [none, several]}', {}, 'no'],
    ['{match: none}', { match: { outcome: 'none', tier: null } }, 'yes'],
    ['{match_tier: arn}', {}, 'yes'],
    ['{match_tier: card_and_amount}', {}, 'no'],
    ['{match_tier: arn}', { match: { outcome: 'none', tier: null } }, 'unknown'],
    ['{charge_status: captured}', {}, 'yes'],
    ['{charge_status: declined}', {}, 'no'],
    ['{charge_status: captured}', { charge: { kind: 'absent' } }, 'unknown'],
    ['{disputed: false}', {}, 'yes'],
    ['{disputed: true}', { charge: foundCharge({ disputed: true }) }, 'yes'],
    ['{disputed: false}', { charge: { kind: 'not_offered' } }, 'unknown'],
    ['{refunded: none}', {}, 'yes'],
    ['{refunded: part}', { charge: foundCharge({ refundedMinor: 1 }) }, 'yes'],
    ['{refunded: full}', { charge: foundCharge({ refundedMinor: 2990 }) }, 'yes'],
    ['{refunded: full}', { ownRefund: ownRefund() }, 'yes'],
    ['{refunded: none}', { ownRefund: ownRefund({ state: 'SENT' }) }, 'yes'],
    ['{refunded: none}', { charge: { kind: 'none' } }, 'unknown'],
    ['{order_known: true}', {}, 'yes'],
    ['{order_known: false}', { order: null }, 'yes'],
    ['{order_status: [CLOSED_COMPLETE, OTHER]}', {}, 'yes'],
    ['{order_status: OPEN_PENDING}', {}, 'no'],
    ['{order_status: OPEN_PENDING}', { order: null }, 'unknown'],
    // The order is ten days and an hour old.
    ['{order_age: {above: 10d}}', {}, 'yes'],
    ['{order_age: {at_most: 10d}}', {}, 'no'],
    ['{order_age: {at_most: 241h}}', {}, 'yes'],
    ['{order_age: {at_most: 30d}}', { order: orderFacts({ placedAt: 'soon' }) }, 'unknown'],
    ['{delivery: [physical, mixed]}', {}, 'yes'],
    ['{delivery: digital}', {}, 'no'],
    ['{dispatched: true}', {}, 'yes'],
    ['{dispatched: false}', { order: null }, 'unknown'],
    ['{not: {dispatched: true}}', { order: null }, 'unknown'],
    ['{delivered: true}', {}, 'no'],
    ['{subscription: false}', {}, 'yes'],
  ])('%s %j is %s', (when, over, expected) => {
    expect(ask(when, over)?.result).toBe(expected);
  });
});

describe('connectives', () => {
  const YES = '{currency: USD}';
  const NO = '{currency: EUR}';
  const UNKNOWN = '{issuer: nobody}';
  const over: FactsOver = { alert: { issuer: null } };
  test.each([
    [`{all: [${YES}, ${YES}]}`, 'yes'],
    [`{all: [${YES}, ${NO}]}`, 'no'],
    [`{all: [${YES}, ${UNKNOWN}]}`, 'unknown'],
    [`{all: [${UNKNOWN}, ${NO}]}`, 'no'],
    [`{any: [${NO}, ${YES}]}`, 'yes'],
    [`{any: [${NO}, ${NO}]}`, 'no'],
    [`{any: [${NO}, ${UNKNOWN}]}`, 'unknown'],
    [`{any: [${UNKNOWN}, ${YES}]}`, 'yes'],
    [`{not: ${YES}}`, 'no'],
    [`{not: ${NO}}`, 'yes'],
    [`{not: ${UNKNOWN}}`, 'unknown'],
    [`{not: {not: ${YES}}}`, 'yes'],
    [`{currency: USD, match: single}`, 'yes'],
    [`{currency: USD, match: none}`, 'no'],
    [`{not: {currency: USD, match: none}}`, 'yes'],
    [`{any: [{all: [${YES}, {not: ${NO}}]}, ${NO}]}`, 'yes'],
  ])('%s is %s', (when, expected) => {
    expect(ask(when, over)?.result).toBe(expected);
  });
});

describe('what is told', () => {
  test.each<[string, FactsOver, string]>([
    ['{amount: {at_most: 10 USD}}', {}, 'amount is 29.90 USD, not at most 10.00 USD'],
    ['{amount: {at_most: 50 USD}}', {}, 'amount is 29.90 USD, at most 50.00 USD'],
    ['{amount: {at_most: 50 EUR}}', {}, 'amount is 29.90 USD and the rule names EUR only'],
    ['{time_left: {above: 2d}}', {}, 'time left is 1d 16h, not above 2d'],
    ['{order_age: {at_most: 30d}}', { order: null }, 'age of the order is not known'],
    ['{descriptor: {starts_with: [A, B]}}', {}, 'descriptor is SHOP*ORDER 17, not A… or B…'],
    ['{currency: USD, match: single}', {}, 'currency is USD and match is single'],
    ['{dispatched: false}', {}, 'dispatched is true'],
  ])('%s', (when, over, why) => {
    expect(ask(when, over)?.why).toBe(why);
  });
});

test("the service's real names are accepted beside the neutral tokens", () => {
  const brands = 'NETA=FIRSTNET,NETB=SECONDNET,SCHEME_A=VISA';
  expect(ask('{scheme: VISA}', {}, brands)?.result).toBe('yes');
  expect(ask('{scheme: SCHEME_A}', {}, brands)?.result).toBe('yes');
  expect(ask('{enrolment_type: FIRSTNET_ALERT}', {}, brands)?.result).toBe('yes');
  expect(ask('{enrolment_type: SECONDNET_RDR}', {}, brands)?.result).toBe('no');
});
