/** Guarantee: a difference is found where there is one, named by its path, and said to be repairable or not. */
import { describe, expect, it } from 'vitest';
import {
  canonicalJson,
  compareWithRemote,
  differingPaths,
  hashOfJson,
} from '../../../src/orders/compare.ts';
import { orderBodySchema } from '../../../src/orders/order-body.ts';

it('hashes equal content equally', () => {
  const json = canonicalJson({ a: 1, b: { c: [1], d: null } });
  expect(canonicalJson({ b: { c: [1] }, a: 1 })).toBe(json);
  expect(canonicalJson({ a: [1, 2] })).not.toBe(canonicalJson({ a: [2, 1] }));
  // printf '{"a":1,"b":{"c":[1]}}' | sha256sum
  expect(hashOfJson(json).toString('hex')).toBe(
    '5c41174f0c3b6e9daaf031b5e0a53e2166f238cf7f55cb5cf70408bbbc53af17',
  );
  expect(canonicalJson({ b: 1, a: undefined })).toBe('{"b":1}');
  expect(canonicalJson({ b: [undefined], 10: 2, 9: null, 8: 3 })).toBe('{"8":3,"10":2,"b":[null]}');
  expect(canonicalJson({ b: 'a"b', a: 'é\\\n' })).toBe(String.raw`{"a":"é\\\n","b":"a\"b"}`);
});

it('names with a NUL are not taken for others', () => {
  expect(canonicalJson({ b: 1, a: 2 })).toBe('{"a":2,"b":1}');
  expect(canonicalJson({ 'b\0a': 1 })).toBe(String.raw`{"b\u0000a":1}`);
  expect(canonicalJson({ 'b\0a': 1, c: 2 })).toBe(String.raw`{"b\u0000a":1,"c":2}`);
  expect(canonicalJson({ b: 1, 'a\0c': 2 })).toBe(String.raw`{"a\u0000c":2,"b":1}`);
});

describe('differingPaths', () => {
  it.each([
    [{ a: 1 }, { a: 1 }, []],
    [{ a: 1 }, { a: 2 }, ['a']],
    [{ a: 1 }, {}, ['a']],
    [{}, { a: 1 }, ['a']],
    [{ a: null }, {}, []],
    [{ a: '1' }, { a: 1 }, ['a']],
    [{ a: { b: 1 } }, { a: { b: 2 } }, ['a.b']],
    [{ a: [1] }, { a: [1, 2] }, ['a']],
    [{ a: 0 }, { a: false }, ['a']],
    [{ i: [{ reference_id: 'x', n: 1 }] }, { i: [{ reference_id: 'x', n: 2 }] }, ['i[x].n']],
    [{ i: [{ reference_id: 'x' }] }, { i: [] }, ['i[x]']],
    [{ i: [] }, { i: [{ reference_id: 'x' }] }, ['i[x]']],
    [
      { i: [{ reference_id: 'x' }, { reference_id: 'y' }] },
      { i: [{ reference_id: 'y' }, { reference_id: 'x' }] },
      [],
    ],
    [{ t: '2026-11-20T10:00:00Z' }, { t: '2026-11-20T11:00:00.000+01:00' }, []],
    [{ t: '2026-11-20T10:00:00Z' }, { t: '2026-11-20T10:00:01Z' }, ['t']],
    [{ t: '2026' }, { t: '2026-01-01' }, ['t']],
  ])('%j and %j differ in %j', (before, after, expected) => {
    expect(differingPaths(before, after)).toEqual(expected);
  });
});

describe('compareWithRemote', () => {
  const ours = orderBodySchema.parse({
    type: 'PARTIAL',
    organisation_id: 'o',
    integration_id: 'i',
    reference_id: 'A',
    customer_email: 'a@example.com',
    order_status: 'OTHER',
    order_status_other_description: 'lost',
    order_datetime: '2026-11-20T10:00:00Z',
    deliveries: [{ reference_id: 'd', type: 'PHYSICAL', physical_shipping_carrier: 'Post' }],
    refunds: [{ reference_id: 'r', amount_in_cents: 1, currency: 'USD', status: 'PENDING' }],
    disputes: [{ reference_id: 'x', amount_in_cents: 1, currency: 'USD', type: 'CHARGEBACK' }],
    items: [{ reference_id: 'i1', name: 'Lamp' }],
  });
  const [delivery, refund, dispute] = [ours.deliveries![0]!, ours.refunds![0]!, ours.disputes![0]!];

  it.each([
    ['the same', {}, [], []],
    [
      'more than ours',
      { id: 'ord_1', created_at: 'x', items: [...ours.items!, { reference_id: 'i2' }] },
      [],
      [],
    ],
    ['a moment spelt otherwise', { order_datetime: '2026-11-20T10:00:00.000Z' }, [], []],
    ['another e-mail', { customer_email: 'b@example.com' }, [], ['customer_email']],
    ['a null e-mail', { customer_email: null }, [], ['customer_email']],
    ['another status', { order_status: 'OPEN_PENDING' }, ['order_status'], []],
    ['another description', { order_status_other_description: 'x' }, ['order_status'], []],
    ['another item', { items: [{ reference_id: 'i1', name: 'Desk' }] }, [], ['items[i1].name']],
    ['no delivery', { deliveries: [] }, [], ['deliveries[d]']],
    [
      'another carrier',
      { deliveries: [{ ...delivery, physical_shipping_carrier: 'x' }] },
      ['deliveries/d'],
      [],
    ],
    [
      'another kind of delivery',
      { deliveries: [{ ...delivery, type: 'DIGITAL' }] },
      [],
      ['deliveries[d].type'],
    ],
    ['no refund', { refunds: null }, ['refunds/r'], []],
    ['another refund status', { refunds: [{ ...refund, status: 'FAILED' }] }, ['refunds/r'], []],
    [
      'another refund amount',
      { refunds: [{ ...refund, amount_in_cents: 2 }] },
      [],
      ['refunds[r].amount_in_cents'],
    ],
    [
      'another refund amount and status',
      { refunds: [{ ...refund, amount_in_cents: 2, status: 'x' }] },
      ['refunds/r'],
      ['refunds[r].amount_in_cents'],
    ],
    [
      'another kind of dispute',
      { disputes: [{ ...dispute, type: 'x' }] },
      [],
      ['disputes[x].type'],
    ],
    ['no dispute', { disputes: undefined }, ['disputes/x'], []],
  ])('the service holds %s', (_what, changes, parts, fixed) => {
    expect(compareWithRemote(ours, { ...ours, ...changes })).toEqual({ parts, fixed });
  });
});
