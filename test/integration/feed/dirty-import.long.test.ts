/**
 * Guarantee: of 20,000 rows as shops export them, with 14 kinds of dirt among them, each row is stored as it says or is
 * refused by its line and its column; none is lost, and none takes the place of an earlier one.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { importOrders } from '../../../src/orders/import/import-orders.ts';
import type { IntakeWorld } from './support.ts';
import { createIntakeWorld } from './support.ts';

const ROWS = 20_000;
/** Rows from one of a kind to the next: 14 kinds of dirt, then 6 clean rows. */
const ROUND = 20;

const COLUMNS = [
  'reference_id',
  'order_number',
  'order_datetime',
  'order_status',
  'order_currency',
  'order_subtotal_amount_in_cents',
  'order_total_amount_in_cents',
  'customer_first_name',
  'transactions[0].reference_id',
  'transactions[0].amount_in_cents',
  'transactions[0].currency',
] as const;
type Row = Record<(typeof COLUMNS)[number], string>;

/** The row at this place, counted from 0, as it should be. */
function cleanRow(place: number): Row {
  return {
    reference_id: `R-${place}`,
    order_number: String(place),
    order_datetime: '2026-11-20T09:00:00Z',
    order_status: 'CLOSED_COMPLETE',
    order_currency: 'USD',
    order_subtotal_amount_in_cents: '2900',
    order_total_amount_in_cents: '2900',
    customer_first_name: 'Ada',
    'transactions[0].reference_id': `ch_${place}`,
    'transactions[0].amount_in_cents': '2900',
    'transactions[0].currency': 'USD',
  };
}

/** What becomes of a row: refused with these words, the same order again, or stored with these fields. */
type Fate =
  | { readonly refused: readonly RegExp[] }
  | 'unchanged'
  | { readonly stored: Readonly<Record<string, unknown>> };

interface Dirt {
  readonly what: string;
  /** The line of the file at this place. */
  line(place: number, write: (row: Row) => string, mark: string): string;
  fate(place: number): Fate;
}

const lineOf = (place: number): number => place + 2; // the heading is line 1
const CARD = '4111111111111111';
const TEXT = 'Zoë "Zo" O’Hara; née, 李\u{1F600}';

/** One field in another way. */
function inField(what: string, change: Partial<Row>, ...refused: readonly RegExp[]): Dirt {
  return {
    what,
    line: (place, write) => write({ ...cleanRow(place), ...change }),
    fate: () => ({ refused }),
  };
}

const DIRT: readonly Dirt[] = [
  inField(
    'decimals with a point',
    { order_total_amount_in_cents: '29.00' },
    /^order_total_amount_in_cents must be a whole number of the smallest unit: 2900 for 29.00/,
  ),
  inField(
    'decimals with a comma',
    { order_total_amount_in_cents: '29,00' },
    /^order_total_amount_in_cents /,
  ),
  inField(
    'a currency sign',
    { 'transactions[0].amount_in_cents': '$2900' },
    /^transactions\[0\]\.amount_in_cents /,
  ),
  inField(
    'an amount below zero',
    { order_subtotal_amount_in_cents: '-2900' },
    /^order_subtotal_amount_in_cents /,
  ),
  inField('a currency in small letters', { order_currency: 'usd' }, /^order_currency .*upper-case/),
  inField('a date of another country', { order_datetime: '20/11/2026 09:00' }, /^order_datetime /),
  inField('a status of the shop', { order_status: 'paid' }, /^order_status /),
  inField('a whole card number', { customer_first_name: CARD }, /full card number/),
  inField('no reference', { reference_id: '' }, /^reference_id /),
  {
    what: 'a mark between cells that was not quoted',
    line: (place, write, mark) =>
      write({ ...cleanRow(place), customer_first_name: 'Ada' }).replace(
        'Ada',
        `Ada${mark}Countess`,
      ),
    fate: () => ({ refused: [/^\(line\) has 12 cells, not 11/] }),
  },
  {
    what: 'a reference that a row before has, with other content',
    line: (place, write) => write({ ...cleanRow(place), reference_id: `R-${place + 6 - ROUND}` }),
    fate: (place) => ({ refused: [new RegExp(`line ${lineOf(place + 6 - ROUND)}\\b`)] }),
  },
  {
    what: 'a payment that a row before has',
    line: (place, write) =>
      write({
        ...cleanRow(place),
        'transactions[0].reference_id': `ch_${place + 5 - ROUND}`,
        'transactions[0].amount_in_cents': '508',
      }),
    fate: (place) => ({
      refused: [
        new RegExp(
          `transactions\\[0\\]\\.reference_id stands on line ${lineOf(place + 5 - ROUND)}\\b`,
        ),
      ],
    }),
  },
  {
    what: 'a row that stands there twice',
    line: (place, write) => write(cleanRow(place + 4 - ROUND)),
    fate: () => 'unchanged',
  },
  {
    what: 'marks, quotes, blanks and letters of the world in a text',
    line: (place, write) =>
      write({
        ...cleanRow(place),
        customer_first_name: `  ${TEXT} `,
        order_status: ' CLOSED_COMPLETE ',
      }),
    fate: () => ({ stored: { customer_first_name: TEXT } }),
  },
];

/** The dirt of the row at this place; the first round is clean, so that what a row points back to is there. */
function dirtAt(place: number): Dirt | undefined {
  return place < ROUND ? undefined : DIRT[place % ROUND];
}

function fateAt(place: number): Fate {
  return dirtAt(place)?.fate(place) ?? { stored: { customer_first_name: 'Ada' } };
}

function fileWith(mark: string): string {
  const quoted = (cell: string): string =>
    /[",;\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
  const write = (row: Row): string => COLUMNS.map((name) => quoted(row[name])).join(mark);
  const lines = Array.from(
    { length: ROWS },
    (_, place) => dirtAt(place)?.line(place, write, mark) ?? write(cleanRow(place)),
  );
  return `\uFEFF${[COLUMNS.join(mark), ...lines].join('\r\n')}\r\n`;
}

interface Reject {
  readonly line: number;
  readonly reasons: readonly string[];
}

let world: IntakeWorld;
let folder: string;
beforeEach(async () => {
  world = await createIntakeWorld();
  folder = await mkdtemp(join(tmpdir(), 'forestall-dirty-'));
});
afterEach(async () => {
  await world.database.drop();
  await rm(folder, { recursive: true });
});

describe.each([
  ['commas', ','],
  ['semicolons', ';'],
])('a file with %s', { timeout: 300_000 }, (_name, mark) => {
  it('of 20,000 rows is taken row by row', async () => {
    const path = join(folder, 'orders.csv');
    await writeFile(path, fileWith(mark));
    const fates = Array.from({ length: ROWS }, (_, place) => fateAt(place));
    const refused = fates.flatMap((fate, place) =>
      Object(fate).refused === undefined ? [] : [place],
    );
    const stored = fates.flatMap((fate, place) =>
      Object(fate).stored === undefined ? [] : [place],
    );
    // By hand: of 999 rounds 12 rows are refused, 1 is unchanged, 7 are stored, and all 20 of the first.
    expect([refused.length, stored.length]).toEqual([11_988, 7_013]);

    expect(await importOrders(world.context, { path })).toMatchObject({
      ...{ accepted: 7_013, unchanged: 999, rejected: 11_988 },
      ...{ linesDone: ROWS + 1, finished: true },
    });

    const text = await readFile(`${path}.rejects.ndjson`, 'utf8');
    expect(text).not.toContain(CARD);
    const rejects: Reject[] = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rejects.map(({ line }) => line)).toEqual(refused.map(lineOf));
    const unexplained = rejects.filter(({ line, reasons }) => {
      const fate = fateAt(line - 2);
      const words = typeof fate === 'object' && 'refused' in fate ? fate.refused : [];
      return !words.every((word) => reasons.some((reason) => word.test(reason)));
    });
    expect(unexplained.slice(0, 3)).toEqual([]);

    const rows = await world.database.db
      .selectFrom('order_record')
      .select(['reference_id', 'body'])
      .execute();
    const found = new Map(rows.map(({ reference_id: reference, body }) => [reference, body]));
    expect(found.size).toBe(7_013);
    const otherwise = stored.filter((place) => {
      const body = Object(found.get(`R-${place}`));
      const [payment] = body.transactions ?? [];
      const name = Object(fateAt(place)).stored.customer_first_name;
      return !(
        body.order_number === String(place) &&
        body.order_total_amount_in_cents === 2_900 &&
        body.customer_first_name === name &&
        payment?.reference_id === `ch_${place}` &&
        payment.amount_in_cents === 2_900
      );
    });
    expect(otherwise.slice(0, 3)).toEqual([]);
    // Every payment is with its own order, at its own amount.
    const charges = await world.database.db
      .selectFrom('charge')
      .select(['reference', 'order_reference', 'amount_minor'])
      .execute();
    const strayed = charges.filter(
      ({ reference, order_reference: order, amount_minor: amount }) =>
        order !== reference.replace('ch_', 'R-') || amount !== 2_900,
    );
    expect([charges.length, strayed.slice(0, 3)]).toEqual([7_013, []]);
  });
});
