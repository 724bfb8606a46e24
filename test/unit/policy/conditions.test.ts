/** Guarantee: each condition holds exactly where it says so, and never on what is not known. */
import { describe, expect, test } from 'vitest';
import type { AccountInputs } from '../../../src/alerts/decide/facts.ts';
import { loadPolicy } from '../../../src/policy/load.ts';
import { parseBrandTokens } from '../../../src/service/wire/brand-tokens.ts';
import type { FactsOver } from '../decide/fixtures.ts';
import {
  account,
  chargeHistory,
  customerFacts,
  facts,
  foundCharge,
  orderFacts,
  ownRefund,
} from '../decide/fixtures.ts';

/** How a rule with this `when` (flow style) fares. */
function ask(when: string, over: FactsOver = {}, brands?: string) {
  return askIn('', when, { over, brands });
}

/** The same under a head: time zone, lists, rates. */
function askIn(
  head: string,
  when: string,
  { over = {}, brands }: { over?: FactsOver; brands?: string | undefined } = {},
) {
  const policy = loadPolicy(
    `${head}rules:\n  - name: r\n    when: ${when}\n    then: REFUND\notherwise: REVIEW\n`,
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
    ['{descriptor: {ends_with: ORDER}}', {}, 'no'],
    ['{descriptor: " shop*order 17 "}', {}, 'yes'],
    ['{descriptor: SHOP*ORDER17}', {}, 'no'],
    ['{descriptor: SHOP}', { alert: { descriptor: ' Shop ' } }, 'yes'],
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
  const customer = customerFacts();
  const items = (...given: string[]): FactsOver => ({
    order: orderFacts({ items: given.map((name) => ({ name, sku: null })) }),
  });
  test.each<[string, FactsOver, string]>([
    ['{amount: {at_most: 10 USD}}', {}, 'amount is 29.90 USD, not at most 10.00 USD'],
    ['{amount: {at_most: 50 USD}}', {}, 'amount is 29.90 USD, at most 50.00 USD'],
    ['{amount: {at_most: 50 EUR}}', {}, 'amount is 29.90 USD and the rule names EUR only'],
    ['{time_left: {above: 2d}}', {}, 'time left is 1d 16h, not above 2d'],
    ['{order_age: {at_most: 30d}}', { order: null }, 'age of the order is not known'],
    ['{descriptor: {starts_with: [A, B]}}', {}, 'descriptor is SHOP*ORDER 17, not A… or B…'],
    ['{currency: USD, match: single}', {}, 'currency is USD and match is single'],
    ['{dispatched: false}', {}, 'dispatched is true'],
    ['{not: {match: none}}', {}, 'match is single, not none'],
    ['{match: [none, several]}', {}, 'match is single, not none or several'],
    [
      '{amount: [{at_most: 10 USD}, {at_least: 20 USD}]}',
      {},
      'amount is 29.90 USD, at least 20.00 USD',
    ],
    [
      '{amount: [{at_most: 10 USD}, {above: 90 USD, below: 99 USD}]}',
      {},
      'amount is 29.90 USD, not at most 10.00 USD, or above 90.00 USD and below 99.00 USD',
    ],
    [
      '{amount: [{at_most: 5 EUR}, {at_most: 5 GBP}, {above: 9 EUR}]}',
      {},
      'amount is 29.90 USD and the rule names EUR and GBP only',
    ],
    [
      '{amount: [{at_most: 50 USD}, {at_least: 20 USD}]}',
      {},
      'amount is 29.90 USD, at most 50.00 USD',
    ],
    ['{customer_orders: {below: 3}}', { customer }, 'other orders of the customer is 2, below 3'],
    [
      '{customer_orders: {below: 0.5}}',
      { customer },
      'other orders of the customer is 2, not below 0.5',
    ],
    ['{order_age: {above: 30m}}', {}, 'age of the order is 10d 1h, above 30m'],
    ['{descriptor: shop*order  17}', {}, 'descriptor is SHOP*ORDER 17'],
    ['{descriptor: {ends_with: "7"}}', {}, 'descriptor is SHOP*ORDER 17, …7'],
    ['{descriptor: {contains: ORDER}}', {}, 'descriptor is SHOP*ORDER 17, …ORDER…'],
    ['{descriptor: {starts_with: shop}}', {}, 'descriptor is SHOP*ORDER 17, shop…'],
    // NOW is 12:00.
    [
      '{order_age: {above: 1h}}',
      { order: orderFacts({ placedAt: '2026-03-11T11:30:00Z' }) },
      'age of the order is 30m, not above 1h',
    ],
    [
      '{order_age: {above: 1h}}',
      { order: orderFacts({ placedAt: '2026-03-11T09:15:00Z' }) },
      'age of the order is 2h 45m, above 1h',
    ],
    ['{item_name: b}', items('a', 'b'), 'item is a and b'],
    ['{item_name: x}', items('a', 'b', 'c'), 'item is a and b and c, not x'],
    ['{item_name: x}', items('a', 'b', 'c', 'd', 'e'), 'item is a and b and c and 2 more, not x'],
    ['{carrier: x}', { order: orderFacts({ carriers: [] }) }, 'carrier is none, not x'],
    // The first that settles it is told; else what is not known.
    [
      '{all: [{match: none}, {issuer: x}]}',
      { alert: { issuer: null } },
      'match is single, not none',
    ],
    ['{all: [{match: single}, {issuer: x}]}', { alert: { issuer: null } }, 'issuer is not known'],
    ['{any: [{match: single}, {issuer: x}]}', { alert: { issuer: null } }, 'match is single'],
    [
      '{any: [{match: none}, {scheme: SCHEME_B}]}',
      {},
      'match is single, not none and card scheme is SCHEME_A, not SCHEME_B',
    ],
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

describe('every other fact', () => {
  const order = orderFacts({
    number: 'A-1',
    totalMinor: 4000,
    currency: 'USD',
    items: [
      { name: 'Blue lamp', sku: 'LMP-1' },
      { name: null, sku: 'BLB-9' },
    ],
    units: 3,
    carriers: ['DHL'],
    dispatchedAt: '2026-03-02T12:00:00Z',
    deliveredAt: '2026-03-10T12:00:00Z',
    shippingCountries: ['DE'],
    billingCountries: ['DE', 'AT'],
    threeDSecure: true,
    cvcVerified: null,
    subscription: true,
    subscriptionStatuses: ['ACTIVE'],
    subscriptionIntervals: ['MONTH'],
    subscriptionCancelled: false,
    refunds: 1,
    disputes: 0,
  });
  const alert = {
    updatedAt: '2026-03-11T11:00:00.000Z',
    cardLast4: '4242',
    networkId: 'N1',
    authorisationCode: 'A1B2C3',
    acquirerReferenceNumber: '74000000000000000000001',
    enrolmentId: 'enr_1',
    integrationId: 'int_1',
    transactionReference: 'ch_1',
    subscriptionCancelOutcome: null,
    note: 'seen',
    merchantIds: ['mrch_1', 'mrch_2'],
  };
  const over: FactsOver = {
    alert,
    order,
    match: { outcome: 'single', tier: 'arn', score: 12.5, margin: null, by: 'matcher' },
    customer: customerFacts(),
    history: chargeHistory(),
    evidence: {
      ce3: 'edge',
      ce3Why: 'the reason is not told',
      fpt: 'not',
      fptWhy: 'it is of SCHEME_A, not SCHEME_B',
    },
  };
  test.each<[string, 'yes' | 'no' | 'unknown']>([
    ['{alert_id: netalrt_1}', 'yes'],
    ['{status: ACTION_REQUIRED}', 'yes'],
    ['{status: [RESOLVED, INVALID]}', 'no'],
    ['{card_last4: "4242"}', 'yes'],
    ['{network_id: N2}', 'no'],
    ['{authorisation_code: a1b2c3}', 'yes'],
    ['{acquirer_reference_number: {starts_with: "74"}}', 'yes'],
    // Any of the merchants it concerns.
    ['{merchant: mrch_2}', 'yes'],
    ['{merchant: mrch_3}', 'no'],
    ['{enrolment: enr_1}', 'yes'],
    ['{integration: int_2}', 'no'],
    ['{transaction_reference: ch_1}', 'yes'],
    ['{refund_outcome: REFUNDED}', 'unknown'],
    ['{subscription_cancel_outcome: CANCELLED}', 'unknown'],
    ['{note: {contains: ee}}', 'yes'],
    // Created eight hours ago, changed an hour ago.
    ['{alert_age: {at_least: 8h}}', 'yes'],
    ['{alert_age: {above: 8h}}', 'no'],
    ['{alert_unchanged: {at_most: 1h}}', 'yes'],
    ['{match_score: {at_least: 12.5}}', 'yes'],
    ['{match_score: {above: 12.5}}', 'no'],
    ['{match_score: {above: 12.25}}', 'yes'],
    ['{match_margin: {at_least: 0}}', 'unknown'],
    ['{matched_by: operator}', 'no'],
    ['{charge_amount: {equals: 29.90 USD}}', 'yes'],
    ['{refundable: {below: 29.90 USD}}', 'no'],
    ['{other_alerts: {equals: 1}}', 'yes'],
    ['{twin: true}', 'yes'],
    ['{rdr: false}', 'yes'],
    ['{fraud_notice: true}', 'yes'],
    ['{dispute_notice: true}', 'no'],
    ['{represented: false}', 'yes'],
    ['{ce3: qualifies}', 'no'],
    ['{ce3: [qualifies, edge]}', 'yes'],
    ['{fpt: not}', 'yes'],
    ['{order_reference: order-1}', 'yes'],
    ['{order_number: A-2}', 'no'],
    ['{order_total: {at_least: 40 USD}}', 'yes'],
    ['{order_refunds: {at_least: 1}}', 'yes'],
    ['{order_disputes: {at_least: 1}}', 'no'],
    ['{item_name: {contains: lamp}}', 'yes'],
    ['{item_name: lamp}', 'no'],
    ['{item_sku: {starts_with: BLB}}', 'yes'],
    ['{item_sku: {ends_with: "-1"}}', 'yes'],
    ['{item_sku: {ends_with: "-2"}}', 'no'],
    ['{item_count: {equals: 3}}', 'yes'],
    ['{carrier: [UPS, dhl]}', 'yes'],
    ['{dispatched_age: {at_least: 9d}}', 'yes'],
    ['{delivered_age: {above: 1d}}', 'no'],
    ['{shipping_country: AT}', 'no'],
    ['{billing_country: AT}', 'yes'],
    ['{three_d_secure: true}', 'yes'],
    ['{cvc_verified: false}', 'unknown'],
    ['{subscription_status: active}', 'yes'],
    ['{subscription_interval: YEAR}', 'no'],
    ['{subscription_cancelled: false}', 'yes'],
    ['{customer_known: true}', 'yes'],
    ['{customer_account: c-77}', 'yes'],
    ['{customer_email: Anna@Example.com}', 'yes'],
    ['{customer_email: ann@example.com}', 'no'],
    ['{not: {customer_email: ann@example.com}}', 'yes'],
    ['{email_domain: {ends_with: ".com"}}', 'yes'],
    // A customer for a year to the minute.
    ['{customer_age: {at_least: 365d}}', 'yes'],
    ['{customer_age: {above: 365d}}', 'no'],
    ['{customer_orders: {below: 3}}', 'yes'],
    ['{customer_refunds: {at_least: 2}}', 'no'],
    ['{customer_alerts: {at_least: 3}}', 'yes'],
    ['{customer_fraud_notices: {above: 0}}', 'no'],
    ['{customer_blocked: false}', 'unknown'],
  ])('%s is %s', (when, expected) => {
    expect(ask(when, over)?.result).toBe(expected);
  });

  test('what an earlier version did not store is not known', () => {
    for (const when of [
      '{customer_known: false}',
      '{customer_orders: {at_least: 0}}',
      '{twin: false}',
      '{item_name: {contains: a}}',
      '{match_score: {at_least: 0}}',
      '{note: x}',
      '{alert_unchanged: {at_least: 0m}}',
    ]) {
      expect({ when, result: ask(when)?.result }).toEqual({ when, result: 'unknown' });
    }
    expect(ask('{customer_known: false}', { customer: null })?.result).toBe('yes');
  });
});

describe('weekday and hour', () => {
  // NOW is Wednesday 12:00 UTC.
  test.each<[string, string, string, 'yes' | 'no' | 'unknown']>([
    ['', '{weekday: wednesday}', '2026-03-11T12:00:00Z', 'yes'],
    ['', '{weekday: [saturday, sunday]}', '2026-03-11T12:00:00Z', 'no'],
    ['', '{hour: {equals: 12}}', '2026-03-11T12:59:59Z', 'yes'],
    ['', '{hour: {at_least: 13}}', '2026-03-11T12:59:59Z', 'no'],
    ['', '{hour: {equals: 0}}', '2026-03-11T00:00:00Z', 'yes'],
    // Midnight in Berlin is 23:00 UTC in winter and 22:00 UTC in summer.
    ['timezone: Europe/Berlin\n', '{weekday: thursday}', '2026-03-11T23:00:00Z', 'yes'],
    ['timezone: Europe/Berlin\n', '{weekday: thursday}', '2026-03-11T22:59:59Z', 'no'],
    ['timezone: Europe/Berlin\n', '{weekday: thursday}', '2026-07-01T22:00:00Z', 'yes'],
    ['timezone: America/New_York\n', '{hour: {equals: 20}}', '2026-07-01T00:00:00Z', 'yes'],
    ['', '{weekday: monday}', 'never', 'unknown'],
  ])('%s%s at %s is %s', (head, when, now, expected) => {
    expect(askIn(head, when, { over: { now } })?.result).toBe(expected);
  });
});

describe('amounts by the merchant’s rates', () => {
  const RATES = 'rates: {base: USD, EUR: 1.08, JPY: 0.0066, KWD: 3.25}\n';
  const amountOf = (amountMinor: number, currency: string): FactsOver => ({
    alert: { amountMinor, currency },
  });
  test.each<[string, FactsOver, 'yes' | 'no' | 'unknown']>([
    // 10.00 EUR are 10.80 USD exactly.
    ['{amount: {at_most: 10.80 USD}}', amountOf(1000, 'EUR'), 'yes'],
    ['{amount: {below: 10.80 USD}}', amountOf(1000, 'EUR'), 'no'],
    ['{amount: {equals: 10.80 USD}}', amountOf(1000, 'EUR'), 'yes'],
    // 10.01 EUR are 10.8108 USD, between two cents.
    ['{amount: {at_most: 10.81 USD}}', amountOf(1001, 'EUR'), 'no'],
    ['{amount: {at_most: 10.82 USD}}', amountOf(1001, 'EUR'), 'yes'],
    ['{amount: {above: 10.81 USD}}', amountOf(1001, 'EUR'), 'yes'],
    ['{amount: {equals: 10.81 USD}}', amountOf(1001, 'EUR'), 'no'],
    // 5000 JPY are 33.00 USD; 1.000 KWD is 3.25 USD. Minor units differ.
    ['{amount: {equals: 33.00 USD}}', amountOf(5000, 'JPY'), 'yes'],
    ['{amount: {equals: 3.25 USD}}', amountOf(1000, 'KWD'), 'yes'],
    ['{amount: {equals: 5000 JPY}}', amountOf(3300, 'USD'), 'yes'],
    // Between two currencies, neither the base: 10.80 USD are 1636.36… JPY.
    ['{amount: {at_most: 1636 JPY}}', amountOf(1000, 'EUR'), 'no'],
    ['{amount: {at_most: 1637 JPY}}', amountOf(1000, 'EUR'), 'yes'],
    // A bound in the alert's own currency goes before any conversion.
    ['{amount: [{at_most: 5 EUR}, {at_most: 50 USD}]}', amountOf(1000, 'EUR'), 'no'],
    // No rate, no answer.
    ['{amount: {at_most: 50 USD}}', amountOf(1000, 'GBP'), 'unknown'],
    ['{amount: {at_most: 50 GBP}}', amountOf(1000, 'USD'), 'unknown'],
  ])('%s for %j is %s', (when, over, expected) => {
    expect(askIn(RATES, when, { over })?.result).toBe(expected);
  });

  test('a rate may be a whole number of several digits', () => {
    // 10.00 USD at 150 are 1500 JPY.
    const rates = 'rates: {base: JPY, USD: 150}\n';
    const over = amountOf(1000, 'USD');
    expect(askIn(rates, '{amount: {equals: 1500 JPY}}', { over })?.result).toBe('yes');
  });

  test('a converted amount is told as such', () => {
    expect(
      askIn(RATES, '{amount: {at_most: 10.80 USD}}', { over: amountOf(1000, 'EUR') })?.why,
    ).toBe('amount is 10.00 EUR (about 10.80 USD), at most 10.80 USD');
    expect(askIn(RATES, '{amount: {at_most: 10 USD}}', { over: amountOf(1001, 'EUR') })?.why).toBe(
      'amount is 10.01 EUR (about 10.81 USD), not at most 10.00 USD',
    );
  });
});

describe('the charge’s account', () => {
  const having = (over: Partial<AccountInputs>): FactsOver => ({ account: account(over) });
  test.each<[string, FactsOver, 'yes' | 'no' | 'unknown']>([
    ['{dispute: first}', having({}), 'yes'],
    ['{dispute: further}', having({}), 'no'],
    ['{dispute: further}', having({ dispute: 'further' }), 'yes'],
    ['{dispute: [first, further]}', having({ dispute: 'unclear' }), 'unknown'],
    ['{dispute: first}', { account: null }, 'unknown'],
    ['{dispute: first}', {}, 'unknown'],
    ['{refunded_by: support}', having({ refundedBy: 'support' }), 'yes'],
    ['{refunded_by: [us, network]}', having({ refundedBy: 'support' }), 'no'],
    ['{refunded_by: nobody}', having({}), 'yes'],
    ['{refunded_by: nobody}', {}, 'unknown'],
    ['{refusal: none}', having({}), 'yes'],
    ['{refusal: final}', having({ refusal: { code: 'x', failureClass: 'final' } }), 'yes'],
    ['{refusal: [retry, ours]}', having({ refusal: { code: 'x', failureClass: 'final' } }), 'no'],
    ['{refusal: none}', { account: null }, 'unknown'],
  ])('%s for %j is %s', (when, over, expected) => {
    expect(ask(when, over)?.result).toBe(expected);
  });

  const EUR = 'rates: {base: USD, EUR: 1.08}\n';
  const against = (amountMinor: number, currency = 'USD'): FactsOver => ({
    alert: { amountMinor, currency },
  });
  test.each<[string, string, FactsOver, 'yes' | 'no' | 'unknown']>([
    // The charge is 29.90 USD.
    ['the same', '{difference: {equals: 0}}', against(2990), 'yes'],
    // 30.79 is 2.9766 % more, 30.80 is 3.0100 %.
    ['within', '{difference: {at_most: 3}}', against(3079), 'yes'],
    ['above', '{difference: {at_most: 3}}', against(3080), 'no'],
    ['less counts alike', '{difference: {at_most: 3}}', against(2900), 'no'],
    // 27.70 EUR are 29.916 USD, 0.0535 % more; 28.60 EUR are 30.888 USD, 3.3044 %.
    ['converted', '{difference: {at_most: 0.06}}', against(2770, 'EUR'), 'yes'],
    ['converted and rounded up', '{difference: {at_most: 0.05}}', against(2770, 'EUR'), 'no'],
    ['converted, too far', '{difference: {at_most: 3}}', against(2860, 'EUR'), 'no'],
    ['no rate', '{difference: {at_most: 3}}', against(2770, 'GBP'), 'unknown'],
    ['no charge', '{difference: {at_most: 3}}', { charge: { kind: 'none' } }, 'unknown'],
  ])('difference, %s', (_name, when, over, expected) => {
    expect(askIn(EUR, when, { over })?.result).toBe(expected);
  });

  test('nothing is converted without the merchant’s own rates', () => {
    expect(ask('{difference: {at_most: 100}}', against(2770, 'EUR'))?.result).toBe('unknown');
  });
});

describe('named lists', () => {
  const text = `lists: {vips: vips.txt, few: [a, "C-77"]}
rules:
  - {name: r, when: {any: [{customer_account: {in_list: few}}, {customer_email: {in_list: vips}}]}, then: REFUND}
otherwise: REVIEW
`;
  const load = (content: string) =>
    loadPolicy(text, { file: 'p.yaml', files: { 'vips.txt': content } });
  const customer = customerFacts({ accountId: 'other' });

  test('hold one entry per line, in any case, with comments', () => {
    const policy = load('# the good ones\r\n\r\n  ANNA@example.com  # since 2019\r\n');
    const [trace] = policy.propose(facts({ customer })).trace;
    expect(trace).toMatchObject({ result: 'yes', why: 'customer e-mail is on the list "vips"' });
    const other = load('bob@example.com\n').propose(facts({ customer })).trace;
    expect(other[0]?.result).toBe('no');
    expect(load('').propose(facts({ customer: customerFacts() })).rule).toBe('r');
  });

  test('are part of the version', () => {
    const versions = [load('a@b.c\n'), load('a@b.d\n'), load('a@b.c\n')].map(
      (each) => each.version,
    );
    expect(new Set(versions).size).toBe(2);
    expect(versions[0]).toBe(versions[2]);
  });
});

test('an e-mail address never stands in what is told', () => {
  for (const when of ['{customer_email: anna@example.com}', '{not: {customer_email: b@c.d}}']) {
    const why = ask(when, { customer: customerFacts() })?.why;
    expect(why).toMatch(/^customer e-mail is (not )?the one the policy names$/);
  }
});

describe('evidence', () => {
  test('is told with its reason', () => {
    const evidence = {
      ce3: 'qualifies',
      ce3Why: '2 earlier payments agree in IP address and device',
      fpt: 'not',
      fptWhy: 'it is of SCHEME_A, not SCHEME_B',
    } as const;
    expect(ask('{ce3: qualifies}', { evidence })?.why).toBe(
      'compelling evidence (CE3.0) is qualifies (2 earlier payments agree in IP address and device)',
    );
    expect(ask('{fpt: qualifies}', { evidence })?.why).toBe(
      'first-party trust is not (it is of SCHEME_A, not SCHEME_B), not qualifies',
    );
  });

  test('is unknown where no order tells of the payment, under "not" as well', () => {
    expect(ask('{not: {ce3: qualifies}}', { evidence: null })?.result).toBe('unknown');
    expect(ask('{ce3: not}')?.result).toBe('unknown');
  });
});
