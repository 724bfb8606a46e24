/** Guarantee: what names a person goes from any text, and an order keeps what the books need. */
import { describe, expect, it } from 'vitest';
import { personOf } from '../../../src/base/seal/person.ts';
import {
  identifiersOf,
  redactBytes,
  redactJson,
  redactOrder,
} from '../../../src/base/seal/redact.ts';

const WHO = personOf(['ada.l+shop@example.com', 'account-7781', '+44 20 7946 0000']);

describe('a text', () => {
  it.each([
    ['Write to ada.l+shop@example.com now', 'Write to [erased] now'],
    ['ADA.L+SHOP@EXAMPLE.COM', '[erased]'],
    ['adaxl+shop@example.com', 'adaxl+shop@example.com'],
    ['account-7781 rang from +44 20 7946 0000', '[erased] rang from [erased]'],
    ['nothing of the kind', 'nothing of the kind'],
    ['', ''],
  ])('%j becomes %j', (text, expected) => {
    expect(WHO.redact(text, '[erased]')).toBe(expected);
    expect(WHO.names(text)).toBe(text !== expected);
    expect(WHO.names(expected)).toBe(false);
  });

  it('stays when nobody is looked for', () => {
    expect(personOf([]).redact('as it is', '[erased]')).toBe('as it is');
    expect(personOf([]).names('as it is')).toBe(false);
  });
});

describe('JSON', () => {
  it('loses names at every depth, in keys too, and nothing else', () => {
    const value = {
      amount: 2900,
      note: 'for ada.l+shop@example.com',
      list: [null, true, { 'account-7781': ['account-7781', 3] }],
    };
    expect(JSON.parse(redactJson(JSON.stringify(value), WHO))).toEqual({
      amount: 2900,
      note: 'for [erased]',
      list: [null, true, { '[erased]': ['[erased]', 3] }],
    });
  });
});

describe('bytes', () => {
  it('of JSON are rewritten, also where the name was escaped', () => {
    const body = Buffer.from('{"a":"\\u0061da.l+shop@example.com","b":1}');
    expect(redactBytes(body, WHO).toString()).toBe('{"a":"[erased]","b":1}');
  });

  it.each([
    ['no JSON', Buffer.from('ada.l+shop@example.com {')],
    ['no UTF-8', Buffer.from([0xff, 0xfe, 0x61])],
  ])('that are %s go as a whole', (_what, body) => {
    expect(redactBytes(body, WHO).toString()).toBe('"[erased]"');
  });
});

describe('an order', () => {
  const order = {
    type: 'COMPLETE',
    reference_id: 'order-1',
    order_total_amount_in_cents: 2900,
    order_currency: 'USD',
    order_datetime: '2026-03-01T10:00:00Z',
    customer_email: 'ada.l+shop@example.com',
    customer_first_name: 'Ada',
    customer_account_id: 'account-7781',
    order_phone: '123',
    device_ip_address: '203.0.113.7',
    something_new: 'about Ada',
    transactions: [
      {
        reference_id: 'ch_1',
        amount_in_cents: 2900,
        payment_method_card_last_4: '4242',
        billing_address: { line_1: '1 Long Lane', country: 'GB' },
      },
    ],
    deliveries: [{ reference_id: 'd1', type: 'PHYSICAL', physical_shipping_tracking_number: 'T1' }],
  };

  it('keeps references, amounts, dates and states, and no field it does not know', () => {
    expect(redactOrder(order)).toEqual({
      type: 'COMPLETE',
      reference_id: 'order-1',
      order_total_amount_in_cents: 2900,
      order_currency: 'USD',
      order_datetime: '2026-03-01T10:00:00Z',
      customer_email: '[erased]',
      customer_first_name: '[erased]',
      customer_account_id: '[erased]',
      order_phone: '[erased]',
      device_ip_address: '[erased]',
      something_new: '[erased]',
      transactions: [
        {
          reference_id: 'ch_1',
          amount_in_cents: 2900,
          payment_method_card_last_4: '4242',
          billing_address: { line_1: '[erased]', country: '[erased]' },
        },
      ],
      deliveries: [
        { reference_id: 'd1', type: 'PHYSICAL', physical_shipping_tracking_number: '[erased]' },
      ],
    });
  });

  it('names its customer by what is long enough to be looked for', () => {
    expect(identifiersOf(order)).toEqual(['ada.l+shop@example.com', 'account-7781', '1 Long Lane']);
    expect(identifiersOf({ ...order, customer_last_name: 'Lovelace' })).toEqual(
      expect.arrayContaining(['Ada Lovelace', 'Lovelace Ada']),
    );
    expect(identifiersOf(null)).toEqual([]);
  });
});
