/**
 * Guarantee: each debit of a settlement file is answered for by one refund of the network, or is named
 * with its line and what is wrong.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readAmount } from '../../../src/base/kernel/file-amount.ts';
import type {
  SettledAlert,
  SettlementRow,
} from '../../../src/capabilities/settlement/settlement.ts';
import { matchSettlement } from '../../../src/capabilities/settlement/settlement.ts';
import type { SettlementMap } from '../../../src/capabilities/settlement/settlement-file.ts';
import { readSettlementFile } from '../../../src/capabilities/settlement/settlement-file.ts';

const ARN = '74537604221222222222222';

function row(line: number, changes: Partial<SettlementRow> = {}): SettlementRow {
  return {
    line,
    acquirerReferenceNumber: ARN,
    amountMinor: 1_290,
    currency: 'USD',
    date: null,
    ...changes,
  };
}

function alert(id: string, changes: Partial<SettledAlert> = {}): SettledAlert {
  return {
    alertId: id,
    acquirerReferenceNumber: ARN,
    amountMinor: 1_290,
    currency: 'USD',
    status: 'RESOLVED',
    refundOutcome: 'REFUNDED',
    chargeReference: 'ch_1',
    createdAt: new Date('2026-03-02T10:00:00Z'),
    ownRefund: null,
    ...changes,
  };
}

function problems(rows: SettlementRow[], alerts: SettledAlert[]): string[] {
  return matchSettlement(rows, alerts).problems.map(
    ({ kind, line, alertId }) => `${kind} ${line ?? '-'} ${alertId ?? '-'}`,
  );
}

describe('matchSettlement', () => {
  it('matches by reference number and amount, and sums what matched', () => {
    const other = { acquirerReferenceNumber: 'B', amountMinor: 500 };
    const result = matchSettlement([row(2), row(3, other)], [alert('a'), alert('b', other)]);
    expect(result).toEqual({
      rows: 2,
      matched: 2,
      matchedMoney: [{ currency: 'USD', amountMinor: 1_790 }],
      problems: [],
    });
  });

  it.each<[string, SettlementRow[], SettledAlert[], string[]]>([
    ['no alert', [row(2)], [], ['unmatched 2 -']],
    ['once more', [row(2), row(3)], [alert('a')], ['debited_twice 3 a']],
    ['another amount', [row(2, { amountMinor: 1_291 })], [alert('a')], ['amount_differs 2 a']],
    ['another currency', [row(2, { currency: 'EUR' })], [alert('a')], ['amount_differs 2 a']],
    [
      'an invalid alert',
      [row(2)],
      [alert('a', { status: 'INVALID' })],
      ['not_refunded_by_network 2 a'],
    ],
    [
      'an accepted dispute',
      [row(2)],
      [alert('a', { refundOutcome: 'NOT_REFUNDED' })],
      ['not_refunded_by_network 2 a'],
    ],
    [
      'our refund on top',
      [row(2)],
      [alert('a', { ownRefund: { id: 'rf_1', amountMinor: 1_290, currency: 'USD' } })],
      ['refunded_on_top 2 a'],
    ],
  ])('names %s', (_name, rows, alerts, expected) => {
    expect(problems(rows, alerts)).toEqual(expected);
  });

  it('gives a reference number used again to the alert of the same amount, then of the time', () => {
    const old = alert('old', { amountMinor: 700, createdAt: new Date('2025-03-02T10:00:00Z') });
    expect(problems([row(2, { amountMinor: 700 }), row(3)], [alert('new'), old])).toEqual([]);
    // The wrong amount comes first in the file, and must not take what the right one needs.
    expect(problems([row(2, { amountMinor: 9 }), row(3)], [alert('new')])).toEqual([
      'debited_twice 2 new',
    ]);
    const [first, second] = ['2026-03-02', '2026-06-02'];
    const alerts = [
      alert('march', { createdAt: new Date(`${first}T00:00:00Z`) }),
      alert('june', { createdAt: new Date(`${second}T00:00:00Z`), status: 'INVALID' }),
    ];
    expect(problems([row(2, { date: first! })], alerts)).toEqual([]);
    expect(problems([row(2, { date: second! })], alerts)).toContain(
      'not_refunded_by_network 2 june',
    );
  });

  it('names refunds of its days that the file lacks, and only where it has days', () => {
    const missing = alert('b', { acquirerReferenceNumber: 'B' });
    expect(problems([row(2)], [alert('a'), missing])).toEqual([]);
    const dated = [
      row(2, { date: '2026-03-01' }),
      row(3, { date: '2026-03-03', acquirerReferenceNumber: 'C' }),
    ];
    expect(problems(dated, [alert('a'), missing])).toEqual(['unmatched 3 -', 'not_in_file - b']);
  });

  it.each([
    ['2026-03-02T23:59:59.999Z', ['not_in_file - b']],
    ['2026-03-03T00:00:00.000Z', []],
    ['2026-03-02T00:00:00.000Z', ['not_in_file - b']],
    ['2026-03-01T23:59:59.999Z', []],
  ])('a day of the file is a whole one: %s', (createdAt, expected) => {
    const missing = alert('b', {
      acquirerReferenceNumber: 'B',
      createdAt: new Date(createdAt),
    });
    expect(problems([row(2, { date: '2026-03-02' })], [alert('a'), missing])).toEqual(expected);
  });
});

describe('readAmount', () => {
  it.each<[string, string, 'decimal' | 'comma' | 'minor', number | undefined]>([
    ['12.90', 'USD', 'decimal', 1_290],
    ['-12.9', 'USD', 'decimal', 1_290],
    ['(1,234.50)', 'USD', 'decimal', 123_450],
    ['5000', 'JPY', 'decimal', 5_000],
    ['5000.00', 'JPY', 'decimal', 5_000],
    ['1.234', 'KWD', 'decimal', 1_234],
    ['1.234,50', 'EUR', 'comma', 123_450],
    ['1290', 'USD', 'minor', 1_290],
    ['0.001', 'USD', 'decimal', undefined],
    ['12,9', 'USD', 'decimal', undefined],
    // Thousands stand in groups of three: without its point this would be 2,500.00.
    ['25.00', 'EUR', 'comma', undefined],
    ['1,23,456', 'USD', 'decimal', undefined],
    ["1'234,50", 'CHF', 'comma', 123_450],
    ['0', 'USD', 'decimal', undefined],
    ['', 'USD', 'decimal', undefined],
    ['12.90 USD', 'USD', 'decimal', undefined],
    ['99999999999', 'USD', 'decimal', undefined],
  ])('%s %s as %s is %s', (cell, currency, form, minor) => {
    expect(readAmount(cell, currency, form)).toBe(minor);
  });
});

describe('readSettlementFile', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'settlement-'));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
  });

  async function read(text: string, map: SettlementMap) {
    const path = join(folder, 'file.csv');
    await writeFile(path, text);
    return await readSettlementFile(path, map);
  }

  it('reads by the map, leaves other types out, and names unreadable lines', async () => {
    const text = [
      '\uFEFFKind,"Ref No",Net,Cur,Day',
      `RDR,${ARN},-12.90,usd,2026-03-02`,
      'FEE,,1.00,USD,2026-03-02',
      `rdr,${ARN},nothing,USD,2026-03-02`,
      `RDR,,1.00,USD,2026-03-02`,
      `RDR,${ARN},1.00,USD,02.03.2026`,
    ].join('\n');
    const file = await read(text, {
      columns: { arn: 'ref no', amount: 'Net', currency: 'Cur', date: 'Day', type: 'Kind' },
      types: ['RDR'],
    });
    expect(file.rows).toEqual([
      {
        line: 2,
        acquirerReferenceNumber: ARN,
        amountMinor: 1_290,
        currency: 'USD',
        date: '2026-03-02',
      },
    ]);
    expect(file.skipped).toBe(1);
    expect(file.unreadable.map(({ line }) => line)).toEqual([4, 5, 6]);
  });

  it('reads semicolons, counts empty lines, and takes no total for a debit', async () => {
    const text = ['arn;amount;currency', '', `${ARN};"12,90";EUR`, ';;', 'Total;12,90;EUR'].join(
      '\r\n',
    );
    const file = await read(text, {
      columns: { arn: 'arn', amount: 'amount', currency: 'currency' },
      amounts: 'comma',
    });
    expect(file.rows.map(({ line, amountMinor }) => [line, amountMinor])).toEqual([[3, 1_290]]);
    expect(file.unreadable).toEqual([
      { line: 5, problem: 'the acquirer reference number is empty or odd' },
    ]);
  });

  it('says that there is no such file', async () => {
    const missing = readSettlementFile(join(folder, 'nowhere.csv'), { columns: {} });
    await expect(missing).rejects.toThrow('nowhere.csv cannot be read');
  });

  it.each([
    ['2026-03-02', '2026-03-02'],
    // Without a zone it is UTC, wherever the command runs.
    ['2026-03-02 10:00', '2026-03-02T10:00:00.000Z'],
    ['2026-03-02T10:00:00', '2026-03-02T10:00:00.000Z'],
    ['2026-03-02T10:00:00+02:00', '2026-03-02T08:00:00.000Z'],
    ['', null],
    ['2026-02-30', undefined],
    ['2026-03-02 at noon', undefined],
  ])('reads the date %j as %j', async (cell, date) => {
    const columns = { arn: 'arn', amount: 'amount', date: 'day' };
    const { rows } = await read(`arn,amount,day\n${ARN},1.00,${cell}\n`, {
      columns,
      currency: 'USD',
    });
    expect(rows[0]?.date).toBe(date);
  });

  it.each<[string, SettlementMap, string]>([
    [
      'a,b\n',
      { columns: { arn: 'arn', amount: 'b' }, currency: 'USD' },
      'has no column "arn". Its columns: a, b.',
    ],
    ['a,b\n', { columns: { arn: 'a' }, currency: 'USD' }, 'Name the column of amount'],
    ['a,b\n', { columns: { arn: 'a', amount: 'b' } }, 'Name the currency'],
    ['', { columns: { arn: 'a', amount: 'b' } }, 'is empty'],
  ])('refuses %j with %j', async (text, map, message) => {
    await expect(read(text, map)).rejects.toThrow(message);
  });
});
