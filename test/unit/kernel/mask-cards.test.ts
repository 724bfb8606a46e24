/** Guarantee: a full card number in what the service tells is masked wherever it stands; identifiers are left alone. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  maskBody,
  maskCards,
  maskText,
  mayHoldCards,
} from '../../../src/base/kernel/card-number.ts';

test('free text loses its card numbers, at every depth, and the fields are named', () => {
  const { object, fields } = maskCards({
    note: 'paid with 4111 1111 1111 1111, he says',
    transaction_card_bin: '5555555555554444',
    parties: [{ remark: 'card:4222222222222.', seen: null, known: true }],
    // Not an identifier, although its name begins like one.
    reference_note: '4111111111111111',
    transaction_amount_in_cents: 4_111_111_111_111,
  });
  expect(object).toEqual({
    note: 'paid with 411111******1111, he says',
    transaction_card_bin: '555555******4444',
    parties: [{ remark: 'card:4222*****2222.', seen: null, known: true }],
    reference_note: '411111******1111',
    transaction_amount_in_cents: 4_111_111_111_111,
  });
  expect(fields).toEqual(['note', 'transaction_card_bin', 'remark', 'reference_note']);
});

test('what names something stays as it is, and so does an object without card numbers', () => {
  const object = {
    id: 'netalrt_4111111111111111',
    reference: '4111111111111111',
    transaction_acquirer_reference_number: '4111111111111111',
    integration_transaction_id: 'ch_4111111111111111',
    action_required_deadline: '2026-11-20T06:00:00.000Z',
    note: 'refund of 2026-11-20 00:00',
  };
  expect(maskCards(object)).toEqual({ object, fields: [] });
  expect(maskCards(object).object).toBe(object);
});

test('a card number has no name, whatever its field is called, and may be a number', () => {
  expect(
    maskCards({
      card_number: '378282246310005',
      card: { number: 4111111111111111 },
      '5555555555554444': 1,
    }),
  ).toEqual({
    object: {
      card_number: '378282*****0005',
      card: { number: '411111******1111' },
      '555555******4444': 1,
    },
    fields: ['card_number', 'number', 'a name'],
  });
  const measured = { total_amount: 4_111_111_111_111_111, seen_at: 5_555_555_555_554_444 };
  expect(maskCards(measured)).toEqual({ object: measured, fields: [] });
});

test('bodies: JSON by its fields, everything else wherever a number stands', () => {
  const plain = Buffer.from('{"id":"ch_4111111111111111","note":"none"}');
  expect(maskBody(plain)).toBe(plain);
  expect(
    maskBody(
      Buffer.from('{"a":[{"note":"4111\\u00201111 1111 1111"}],"id":"4111111111111111"}'),
    ).toString(),
  ).toBe('{"a":[{"note":"411111******1111"}],"id":"411111******1111"}');
  expect(maskBody(Buffer.from('"378282246310005"')).toString()).toBe('"378282*****0005"');
  expect(maskBody(Buffer.from('{"note":"378282246310005"')).toString()).toBe(
    '{"note":"378282*****0005"',
  );
  const bytes = Buffer.from([0xff, 0x20, ...Buffer.from('4111111111111111'), 0x80]);
  expect([...maskText(bytes)]).toEqual([0xff, 0x20, ...Buffer.from('411111******1111'), 0x80]);
  const other = Buffer.from([0xff, 0x31]);
  expect(maskText(other)).toBe(other);
});

/** Card numbers as they may be written in JSON: grouped, escaped, as numbers of every spelling, beside other digits. */
const WRITTEN = [
  '"4111111111111111"',
  '"paid 4111 1111 1111 1111."',
  '"4111-1111-1111-1111"',
  '"\\u0034111111111111111"',
  '"4111\\u00201111\\u00201111\\u00201111"',
  '"\\u20284111111111111111"',
  '"\\\\u20284111111111111111"',
  '"\\t4111111111111111"',
  '"74208324111111111111111"',
  '4111111111111111',
  '4111111111111111.0',
  '4.111111111111111e15',
  '42e14',
  '14111111111111111000000',
  '4111.111111111111E+12',
  '41111111111111110e-1',
  '411111111111111100000000',
  '4111111111111110999',
  '-4111111111111111',
  '"0123456789012"',
  '"2026-11-20T10:00:00.200000Z"',
  '1200',
  '12.5',
  'null',
] as const;

test('a text that may hold none holds none, however its values are written', () => {
  const counts = { masked: 0, passed: 0 };
  const space = fc.constantFrom('', ' ', '\n', '\t ');
  const value = fc.oneof(
    fc.constantFrom(...WRITTEN),
    fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify(text)),
    fc.array(fc.constantFrom(...WRITTEN), { maxLength: 3 }).map((list) => `[${list.join(', ')}]`),
    fc.constantFrom(...WRITTEN).map((inner) => `{"note" : ${inner}}`),
    fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e30, max: 1e30 }).map(String),
    fc.stringMatching(/^[0-9 -]{10,24}$/).map((text) => `"${text}"`),
  );
  const key = fc.constantFrom('note', 'card', 'transaction_card_bin', '5555555555554444', 'total');
  const member = fc.tuple(key, space, space, value);
  fc.assert(
    fc.property(fc.uniqueArray(member, { selector: ([name]) => name, maxLength: 3 }), (members) => {
      const json = `{${members.map(([name, a, b, text]) => `"${name}"${a}:${b}${text}`).join(',')}}`;
      const { fields } = maskCards(JSON.parse(json));
      if (fields.length > 0) counts.masked += 1;
      if (mayHoldCards(json)) return;
      counts.passed += 1;
      expect(fields, json).toEqual([]);
    }),
    { numRuns: 2_000 },
  );
  expect(counts.masked).toBeGreaterThan(200);
  expect(counts.passed).toBeGreaterThan(50);
});

test('an ordinary event is not looked at value by value', () => {
  const event = {
    id: 'evt_01k8z3q5v7w9',
    created_at: '2026-11-20T10:00:00.200000Z',
    data: {
      object: {
        transaction_acquirer_reference_number: '74208326154000000012345',
        transaction_amount_in_cents: 4_900,
        transaction_statement_descriptor: 'EXAMPLE*SHOP 0800 555 0100',
      },
    },
  };
  expect(mayHoldCards(JSON.stringify(event))).toBe(false);
});
