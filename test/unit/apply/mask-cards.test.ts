/** Guarantee: a full card number in what the service tells is masked wherever it stands; identifiers are left alone. */
import { expect, test } from 'vitest';
import { maskCards } from '../../../src/apply/mask-cards.ts';

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
    parties: [{ remark: 'card:422222***2222.', seen: null, known: true }],
    reference_note: '411111******1111',
    transaction_amount_in_cents: 4_111_111_111_111,
  });
  expect(fields).toEqual(['note', 'transaction_card_bin', 'remark', 'reference_note']);
});

test('what names something stays as it is, and so does an object without card numbers', () => {
  const object = {
    id: 'netalrt_4111111111111111',
    merchant_ids: ['4111111111111111'],
    transaction_acquirer_reference_number: '4111111111111111',
    integration_transaction_id: 'ch_4111111111111111',
    action_required_deadline: '2026-11-20T06:00:00.000Z',
    note: 'refund of 2026-11-20 00:00',
  };
  expect(maskCards(object)).toEqual({ object, fields: [] });
  expect(maskCards(object).object).toBe(object);
});
