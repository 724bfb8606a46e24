/**
 * Guarantee: of an invoice each line is read as what it is: an alert that was billed or credited, a total, a tax, a fee
 * about no alert, or words; and what could be read in two ways is named instead of guessed.
 */
import { expect, it } from 'vitest';
import { compareInvoice } from '../../../src/capabilities/credits/invoice.ts';
import type { InvoiceFile, InvoiceMap } from '../../../src/capabilities/credits/invoice-file.ts';
import { readInvoice } from '../../../src/capabilities/credits/invoice-file.ts';
import { wrongTotals } from '../../../src/capabilities/credits/invoice-totals.ts';

const HEAD = 'alert_id,amount,currency,type';

function read(lines: readonly string[], map: Partial<InvoiceMap> = {}, head = HEAD): InvoiceFile {
  return readInvoice([head, ...lines].join('\n'), { columns: {}, ...map });
}

/** What became of each line, in one word and its cents. */
function linesOf({ lines, others, unreadable }: InvoiceFile): string[] {
  return [
    ...lines.map(({ line, amountMinor }) => ({ line, text: `alert ${amountMinor}` })),
    ...others.map(({ line, kind, amountMinor }) => ({ line, text: `${kind} ${amountMinor}` })),
    ...unreadable.map(({ line, problem }) => ({ line, text: problem })),
  ]
    .toSorted((a, b) => a.line - b.line)
    .map(({ text }) => text);
}

const EMPTY = 'the alert is empty or odd';

it.each([
  ['Alert', 2_500],
  ['', 2_500],
  // What came of the alert is no credit.
  ['Alert (refunded)', 2_500],
  ['Alert - refunded', 2_500],
  ['Refunded', 2_500],
  ['ALERT_REFUNDED', 2_500],
  ['Alert (credited before)', 2_500],
  ['Credit card alert', 2_500],
  ['Fraud alert, accredited issuer', 2_500],
  ['Warnung (erstattet)', 2_500],
  ['Alerte remboursée', 2_500],
  ['Credit', -2_500],
  ['CREDIT NOTE', -2_500],
  ['Credit memo 77', -2_500],
  ['Alert credit', -2_500],
  ['Alert (credit)', -2_500],
  ['Credit - duplicate', -2_500],
  ['Refund', -2_500],
  ['Refund of fee', -2_500],
  ['Gutschrift', -2_500],
  ['Rückerstattung', -2_500],
  ['Avoir', -2_500],
  ['Nota de crédito', -2_500],
  ['Nota di credito', -2_500],
  ['Kreditnóta', -2_500],
])('the type %j of 25.00 is %i cents', (type, cents) => {
  expect(linesOf(read([`netalrt_1,25.00,USD,"${type}"`]))).toEqual([`alert ${cents}`]);
  // What stands below zero is a credit, whatever it is called.
  expect(linesOf(read([`netalrt_1,-25.00,USD,"${type}"`]))).toEqual(['alert -2500']);
});

it.each(['Alert refund', 'RDR refund', 'No credit', 'Credit requested', 'Credit (denied)'])(
  'the type %j can be both, and is read as a person says',
  (type) => {
    const line = `netalrt_1,25.00,USD,${type}`;
    const [problem] = linesOf(read([line]));
    expect(problem).toContain('can be a credit or an alert');
    expect(problem).toContain(`--type "credit=${type}"`);
    expect(linesOf(read([line], { types: { [type.toUpperCase()]: 'credit' } }))).toEqual([
      'alert -2500',
    ]);
    expect(linesOf(read([line], { types: { [type]: 'alert' } }))).toEqual(['alert 2500']);
  },
);

it.each([
  ['Total,3000.00,USD,', 'total 300000'],
  ['TOTAL:,3000.00,USD,', 'total 300000'],
  ['Grand total,3000.00,,', 'total 300000'],
  [',3000.00,USD,Total', 'total 300000'],
  [',3000.00,USD,Total due', 'total 300000'],
  ['Sum,3000.00,USD,', 'total 300000'],
  ['Subtotal,3000.00,USD,', 'subtotal 300000'],
  ['Sub-total,3000.00,USD,', 'subtotal 300000'],
  ['Tax,475.00,USD,', 'tax 47500'],
  ['VAT 19 %,475.00,USD,', 'tax 47500'],
  ['Total VAT,475.00,USD,', 'tax 47500'],
  ['Gesamtsumme,3000.00,USD,', 'total 300000'],
  ['Zwischensumme,3000.00,USD,', 'subtotal 300000'],
  ['zzgl. 19 % MwSt.,475.00,USD,', 'tax 47500'],
  ['MwSt. 19 %,475.00,USD,', 'tax 47500'],
  ['Sous-total,3000.00,USD,', 'subtotal 300000'],
  ['Total TTC,3000.00,USD,', 'total 300000'],
  ['Total HT,3000.00,USD,', 'subtotal 300000'],
  ['TVA 20 %,475.00,USD,', 'tax 47500'],
  ['Totale,3000.00,USD,', 'total 300000'],
  ['IVA,475.00,USD,', 'tax 47500'],
  ['Importe total,3000.00,USD,', 'total 300000'],
  ['Razem,3000.00,USD,', 'total 300000'],
  ['Итого,3000.00,USD,', 'total 300000'],
  ['合計,3000.00,USD,', 'total 300000'],
  ['小計,3000.00,USD,', 'subtotal 300000'],
  ['消費税10%,475.00,USD,', 'tax 47500'],
  ['Monthly fee,99.00,USD,', 'charge 9900'],
  [',99.00,USD,Minimum fee', 'charge 9900'],
  ['Credit note 77,99.00,USD,', 'charge -9900'],
  ['Carried forward,-12.00,USD,', 'subtotal -1200'],
  [',25.00,USD,', EMPTY],
  [',25.00,USD,Alert', EMPTY],
  ['#netalrt_9,25.00,USD,', EMPTY],
])('the line %j is a %s', (line, expected) => {
  expect(linesOf(read(['netalrt_1,25.00,USD,Alert', line]))).toEqual(['alert 2500', expected]);
});

it('bills no total as an alert, and no refunded alert as a credit', () => {
  const file = read([
    'netalrt_1,25.00,USD,Alert (refunded)',
    'netalrt_2,25.00,USD,Alert',
    'Total,50.00,USD,',
  ]);
  const alert = { network: 'NETA_ALERT', isInPeriod: true, claim: null };
  const alerts = [1, 2].map((number) => ({ ...alert, alertId: `netalrt_${number}` }));
  const result = compareInvoice(file.lines, alerts, {});
  expect(result.explained.map(({ verdict, line }) => `${verdict} ${line}`)).toEqual([
    'billed 2',
    'billed 3',
  ]);
  expect(result.sums).toEqual([
    {
      currency: 'USD',
      billedMinor: 5_000,
      expectedMinor: 5_000,
      explainedMinor: 0,
      unexplainedMinor: 0,
    },
  ]);
});

it('leaves words, counts, empty lines and repeated headings out, and numbers lines as the file does', () => {
  const file = read([
    '',
    ',,,',
    'netalrt_1,25.00,USD,"Alert',
    'of a card"',
    'Page 2,,,',
    HEAD,
    ',,,Thank you for your business',
    'Number of alerts,2,,',
    'Total alerts (count),2,,',
    'netalrt_2,nothing,USD,',
  ]);
  expect(file.lines.map(({ line, alertId }) => `${line} ${alertId}`)).toEqual(['4 netalrt_1']);
  expect(file.unreadable).toEqual([{ line: 11, problem: 'the amount is none' }]);
  expect(file.others.map(({ text }) => text)).toEqual(['Number of alerts']);
  expect(file.notes).toBe(3);
});

it.each([
  ['25.00', 2_500],
  ['$25.00', 2_500],
  ['-$25.00', -2_500],
  ['($25.00)', -2_500],
  ['US$ 25.00', 2_500],
  ['USD 25.00', 2_500],
  ['25.00 USD', 2_500],
  ['−25.00', -2_500],
  ['25.00-', -2_500],
  ['(25.00)', -2_500],
  ['25.00 CR', -2_500],
  ['25.00 DR', 2_500],
  ['1,234.50', 123_450],
  ['1 234.50', 123_450],
  ["1'234.50", 123_450],
  ['1\u202f234,50', 123_450],
  ['1.234,50', 123_450],
  ['25,00', 2_500],
  ['25,-', 2_500],
  ['25', 2_500],
  ['1,234', 123_400],
  ['1,200', 120_000],
  ['１２.５０', 1_250],
  ['0.00', 0],
  ['€25.00', 'marked "€"'],
  ['25.00 EUR', 'marked "EUR"'],
  ['1.200', 'can be read in two ways'],
  ['25.001', 'can be read in two ways'],
  ['0.001', 'the amount is none'],
  ['25.00 19.00', 'the amount is none'],
  ['12-34', 'the amount is none'],
  ['--25.00', 'the amount is none'],
  ['1,23,456.00', 'the amount is none'],
  ['alert', 'the amount is none'],
])('the amount %j of US dollars is %s', (amount, expected) => {
  const [found = ''] = linesOf(read([`netalrt_1,"${amount}",USD,`]));
  if (typeof expected === 'number') expect(found).toBe(`alert ${expected}`);
  else expect(found).toContain(expected);
});

it('reads an amount of two meanings as the other amounts of the file are written', () => {
  expect(linesOf(read(['netalrt_1,1.200,EUR,', 'netalrt_2,"25,50",EUR,']))).toEqual([
    'alert 120000',
    'alert 2550',
  ]);
  expect(linesOf(read(['netalrt_1,1.200,EUR,', 'netalrt_2,25.50,EUR,']))).toEqual([
    'alert 120',
    'alert 2550',
  ]);
  // A thousandth of a dollar in a file of points, and no twenty-five thousand dollars.
  expect(linesOf(read(['netalrt_1,25.001,USD,', 'netalrt_2,25.50,USD,']))[0]).toBe(
    'the amount is none',
  );
  expect(linesOf(read(['netalrt_1,1.200,EUR,'], { amounts: 'comma' }))).toEqual(['alert 120000']);
  expect(linesOf(read(['netalrt_1,1.200,EUR,'], { amounts: 'decimal' }))).toEqual(['alert 120']);
  expect(linesOf(read(['netalrt_1,2400,EUR,'], { amounts: 'minor' }))).toEqual(['alert 2400']);
  // 25.00 of a file with commas would be 2,500.00 if the point were left out.
  expect(linesOf(read(['netalrt_1,25.00,EUR,'], { amounts: 'comma' }))).toEqual([
    'the amount is none',
  ]);
  expect(linesOf(read(['netalrt_1,5.000,JPY,']))[0]).toContain('can be read in two ways');
  expect(linesOf(read(['netalrt_1,5000,JPY,', 'netalrt_2,25.000,KWD,']))).toEqual([
    'alert 5000',
    'alert 25000',
  ]);
});

it('reads semicolons, tabs, a heading below others, and other spellings of its columns', () => {
  const semicolons = [
    'sep=;',
    'Rechnung 4711;;;',
    '',
    'Alert ID;Amount;Currency;Type',
    'netalrt_1;25,00;EUR;Gutschrift',
    'netalrt_2;1.025,00;EUR;',
    'Summe;1.000,00;EUR;',
  ].join('\r\n');
  const file = readInvoice(semicolons, { columns: {} });
  expect(linesOf(file)).toEqual(['alert -2500', 'alert 102500', 'total 100000']);
  expect(file.lines.map(({ line }) => line)).toEqual([5, 6]);
  expect(wrongTotals(file)).toEqual([]);
  const tabs = 'Alert\tAMOUNT\tCurrency\nnetalrt_1\t25.00\tusd\n';
  expect(linesOf(readInvoice(tabs, { columns: {} }))).toEqual(['alert 2500']);
  const named = 'Reference;Price\nnetalrt_1;25,00\n';
  expect(
    linesOf(
      readInvoice(named, { columns: { alert: 'reference', amount: 'Price' }, currency: 'EUR' }),
    ),
  ).toEqual(['alert 2500']);
});

it.each([
  // 25 + 25 − 25 = 25; with the fee of 10 it is 35; with 20 % tax on that, 42.
  ['Total,25.00,USD,', undefined],
  ['Total,35.00,USD,', undefined],
  ['Total,42.00,USD,', undefined],
  ['Total,50.00,USD,', '50.00, not 42.00'],
  ['Total,25.00,EUR,', '25.00, not 0.00'],
])('says whether %j is the sum of the lines', (line, wrong) => {
  const file = read([
    'netalrt_1,25.00,USD,',
    'netalrt_2,25.00,USD,',
    'netalrt_2,-25.00,USD,',
    'Monthly fee,10.00,USD,',
    'VAT 20 %,7.00,USD,',
    line,
  ]);
  const decimal = (minor: number): string => (minor / 100).toFixed(2);
  expect(
    wrongTotals(file).map(
      ({ total, lines }) => `${decimal(total.amountMinor)}, not ${decimal(lines.amountMinor)}`,
    ),
  ).toEqual(wrong === undefined ? [] : [wrong]);
});

it('takes a subtotal for the lines since the one before it, or for all above it', () => {
  const file = read([
    'netalrt_1,25.00,USD,',
    'Subtotal,25.00,USD,',
    'netalrt_2,12.00,USD,',
    'netalrt_3,12.00,USD,',
    'Subtotal,24.00,USD,',
    'Subtotal,49.00,USD,',
    'Subtotal,26.00,USD,',
  ]);
  expect(wrongTotals(file).map(({ total }) => total.line)).toEqual([8]);
});

it('judges an alert that was billed with nothing as billed, never as a credit', () => {
  const { lines } = read(['netalrt_1,0.00,USD,', 'netalrt_2,25.00,USD,', 'netalrt_3,0.00,USD,']);
  const alert = { network: 'NETA_ALERT', isInPeriod: true, claim: null };
  const alerts = [
    { ...alert, alertId: 'netalrt_1' },
    { ...alert, alertId: 'netalrt_2' },
    {
      ...alert,
      alertId: 'netalrt_3',
      claim: { class: 'DUPLICATE', state: 'GRANTED' },
    } as const,
  ];
  const prices = { NETA_ALERT: { amountMinor: 2_500, currency: 'USD' } };
  const { explained, sums } = compareInvoice(lines, alerts, prices);
  expect(explained.map(({ verdict }) => verdict)).toEqual(['price_differs', 'billed', 'not_owed']);
  // Billed 25; expected 50, because the third was granted; one was billed 25 too low.
  expect(sums).toEqual([
    expect.objectContaining({ billedMinor: 2_500, expectedMinor: 5_000, unexplainedMinor: 0 }),
  ]);
});

it.each([
  ['', 'The invoice is empty'],
  ['\n,,\n', 'The invoice is empty'],
  ['when,what\n1,2\n', 'has no column "alert_id". Its columns: when, what.'],
  ['PK\u0003\u0004zip', 'Save it as “CSV UTF-8”'],
  ['a\u0000l\u0000', 'Save it as “CSV UTF-8”'],
  ['alert_id,amount\nnetalrt_1,1\n', 'has no column of the currency'],
])('refuses %j and says why', (text, message) => {
  expect(() => readInvoice(text, { columns: {} })).toThrow(message);
});
