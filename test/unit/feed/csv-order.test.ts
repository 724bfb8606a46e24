/** Guarantee: every column of a file goes into the order, or the header is refused. */
import { expect, it } from 'vitest';
import { orderOfRow, readHeader } from '../../../src/orders/import/csv-order.ts';

it.each([
  [
    ['items', 'items[0].name'],
    'columns "items" and its part "items[0].name" cannot stand side by side',
  ],
  [
    ['items.0.name', 'items'],
    'columns "items" and its part "items.0.name" cannot stand side by side',
  ],
  [['items[0]', 'items[1].name', 'items[0].name'], 'columns "items[0]" and its part'],
  [['items.0.name', 'items[0].name'], 'column "items[0].name" stands twice'],
])('refuses %j', (names, problem) => {
  const read = readHeader(names);
  expect(read.ok ? '' : read.problem).toContain(problem);
});

it('takes lists as JSON and by column side by side', () => {
  const read = readHeader(['items', 'transactions[0].currency', 'deliveries']);
  const row = orderOfRow(read.ok ? read.columns : [], ['[{"name":"Lamp"}]', 'USD', '']);
  expect(row).toMatchObject({
    ok: true,
    order: { items: [{ name: 'Lamp' }], transactions: [{ currency: 'USD' }] },
  });
});

it.each(['29.00', '29.50', '29,00', '1.290', '$2900', '2900 USD', '2.9e3'])(
  'refuses the amount %s: as a number it might be another sum',
  (cell) => {
    const read = readHeader(['order_total_amount_in_cents', 'items[0].quantity']);
    const row = orderOfRow(read.ok ? read.columns : [], [cell, '1.5']);
    expect(row).toMatchObject({
      ok: false,
      problems: [
        {
          field: 'order_total_amount_in_cents',
          problem: expect.stringContaining('whole number of the smallest unit'),
        },
      ],
    });
  },
);
