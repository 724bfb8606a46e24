/** Guarantee: lint names the field that is wrong or missing, in the merchant's own file and count. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createLinter, lintFile } from '../../../src/orders/import/lint.ts';
import { readOrderFile } from '../../../src/orders/import/read-file.ts';
import { readSubmission } from '../../../src/orders/submission.ts';

const ORDER = {
  reference_id: 'A-1',
  order_datetime: '2026-11-20T10:00:00Z',
  order_number: '17',
  order_subtotal_amount_in_cents: 100,
  order_currency: 'USD',
  order_total_amount_in_cents: 100,
  order_status: 'OPEN_PENDING',
};

function lint(...orders: readonly object[]) {
  const linter = createLinter();
  for (const order of orders) {
    const read = readSubmission(
      { ...ORDER, ...order },
      { organisationId: 'org_1', integrationId: 'int_1' },
    );
    if (!read.ok) throw new Error(JSON.stringify(read.problems));
    linter.addOrder(read.value, 'line 1');
  }
  return linter.report();
}

async function lintCsv(...lines: readonly string[]) {
  const path = join(await mkdtemp(join(tmpdir(), 'forestall-')), 'orders.csv');
  await writeFile(path, lines.join('\n'));
  return await lintFile(readOrderFile(path, 'csv').entries);
}

function mostMissing(report: ReturnType<typeof lint>, programme: string) {
  return report.readiness.find((line) => line.programme === programme)?.mostMissing;
}

const refund = (reference_id: string, refund_datetime?: string) => ({
  reference_id,
  amount_in_cents: 1,
  currency: 'USD',
  refund_datetime,
});

it('one field is counted once per order, at whatever place of its list it is missing', () => {
  const dated = '2026-11-21T00:00:00Z';
  const noNumber = { refunds: [refund('r4', dated)] };
  const report = lint(
    { refunds: [refund('r1'), refund('r2')] },
    { refunds: [refund('r3', dated), refund('r5')] },
    noNumber,
  );
  expect(mostMissing(report, 'receipt-neta')).toEqual({
    field: 'refunds[].refund_datetime',
    orders: 2,
  });
});

const HEADER = Object.keys(ORDER).join(',');
const CELLS = Object.values(ORDER).join(',');

it('a refused cell of a CSV file is named by its column, empty columns before it or not', async () => {
  const report = await lintCsv(
    `${HEADER},items[0].name,items[1].name,items[1].price_in_cents`,
    `${CELLS},,Lamp,many`,
  );
  expect(report.refusals.map(({ text }) => text)).toEqual([
    'items[1].price_in_cents must be a whole number of the smallest unit: 2900 for 29.00, without any sign',
  ]);
});

it('so is one that would be held, in lists within lists too', async () => {
  const report = await lintCsv(
    `${HEADER},transactions[0].note,transactions.3.reference_id,transactions.3.amount_in_cents,transactions.3.currency,transactions.3.authorisation_code`,
    `${CELLS},,ch_1,100,USD,12345`,
  );
  expect(report.faults.map(({ text }) => text)).toEqual([
    'transactions[3].authorisation_code has 5 characters, not 6',
  ]);
});
