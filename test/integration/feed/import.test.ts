/** Guarantee: an import takes every usable line once, continues where it stopped, and names every line it could not use. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { importOrders } from '../../../src/orders/import/import-orders.ts';
import { lintFile, lintStored } from '../../../src/orders/import/lint.ts';
import { formatOf, readOrderFile } from '../../../src/orders/import/read-file.ts';
import { openRejects } from '../../../src/orders/import/rejects-file.ts';
import { parseProgrammes } from '../../../src/orders/programme.ts';
import type { IntakeWorld } from './support.ts';
import { createIntakeWorld, makeOrder, ORGANISATION } from './support.ts';

let world: IntakeWorld;
let folder: string;
beforeEach(async () => {
  world = await createIntakeWorld();
  folder = await mkdtemp(join(tmpdir(), 'forestall-import-'));
});
afterEach(async () => {
  await world.database.drop();
  await rm(folder, { recursive: true });
});

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

function ndjson(count: number): string {
  return Array.from({ length: count }, (_, index) =>
    JSON.stringify(makeOrder(`A-${index + 1}`)),
  ).join('\n');
}

async function rejectsOf(path: string): Promise<unknown[]> {
  const text = await readFile(`${path}.rejects.ndjson`, 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

async function stored(): Promise<number> {
  return (await world.database.db.selectFrom('order_record').select('seq').execute()).length;
}

describe('NDJSON', () => {
  it('takes every order, and again takes none', async () => {
    const path = await file('orders.ndjson', ndjson(450));
    const first = await importOrders(world.context, { path });
    expect(first).toMatchObject({
      linesDone: 450,
      accepted: 450,
      unchanged: 0,
      rejected: 0,
      finished: true,
      rejectsPath: null,
    });
    expect(await importOrders(world.context, { path })).toMatchObject({
      accepted: 0,
      unchanged: 450,
      resumedAfterLine: 0,
    });
    expect(await stored()).toBe(450);
  });

  it('names each line it cannot use, and never quotes it', async () => {
    const lines = [
      JSON.stringify(makeOrder('A-1')),
      '{"reference_id": "broken"',
      '',
      JSON.stringify(makeOrder('A-2', { device_id: '4111111111111111' })),
      JSON.stringify(makeOrder('A-1', { order_number: 'other' })),
      '{"reference_id":"A-3","reference_id":"A-4"}',
      JSON.stringify({ reference_id: 'A-5' }),
      JSON.stringify(makeOrder('A-6')),
    ];
    const path = await file('orders.ndjson', lines.join('\r\n'));
    expect(await importOrders(world.context, { path })).toMatchObject({ accepted: 2, rejected: 5 });
    const rejects = await rejectsOf(path);
    expect(rejects).toMatchObject([
      { line: 2, reasons: ['(line) cannot be read: no JSON'] },
      { line: 4, reference_id: 'A-2', reasons: [expect.stringContaining('full card number')] },
      { line: 5, reference_id: 'A-1', reasons: [expect.stringContaining('order_number')] },
      { line: 6, reasons: ['(line) cannot be read: JSON with a repeated key'] },
      { line: 7, reference_id: 'A-5' },
    ]);
    expect(JSON.stringify(rejects)).not.toContain('4111111111111111');
  });

  it('continues after the last stored line when it was interrupted', async () => {
    const lines = ndjson(2_450).split('\n');
    lines[9] = 'nonsense';
    lines[2_409] = 'nonsense';
    const path = await file('orders.ndjson', lines.join('\n'));
    const interrupted = new AbortController();
    const first = await importOrders(world.context, {
      path,
      signal: interrupted.signal,
      onProgress: () => interrupted.abort(),
    });
    expect(first.finished).toBe(false);
    expect(first.linesDone).toBeGreaterThanOrEqual(200);
    expect(first.linesDone).toBeLessThan(2_450);
    const second = await importOrders(world.context, { path });
    expect(second).toMatchObject({
      resumedAfterLine: first.linesDone,
      linesDone: 2_450,
      accepted: 2_448,
      unchanged: 0,
      rejected: 2,
      finished: true,
    });
    expect(await rejectsOf(path)).toMatchObject([{ line: 10 }, { line: 2_410 }]);
    expect(await stored()).toBe(2_448);
  });

  it('takes the earlier of two lines with one reference, also where they are far apart', async () => {
    const lines = ndjson(1_000).split('\n');
    // The first chunk takes long, so that a later one could be stored before it.
    const items = Array.from({ length: 40 }, (_, index) => ({ name: `Lamp ${index}` }));
    for (let line = 0; line < 200; line += 1) {
      lines[line] = JSON.stringify(makeOrder(`A-${line + 1}`, { items }));
    }
    for (const line of [150, 250, 450, 950]) {
      lines[line] = JSON.stringify(makeOrder('A-100', { order_number: `line ${line + 1}` }));
    }
    const path = await file('orders.ndjson', lines.join('\n'));
    expect(await importOrders(world.context, { path })).toMatchObject({
      accepted: 996,
      rejected: 4,
      linesDone: 1_000,
    });
    expect(await rejectsOf(path)).toMatchObject(
      [151, 251, 451, 951].map((line) => ({ line, reference_id: 'A-100' })),
    );
    const row = await world.database.db
      .selectFrom('order_record')
      .select('body')
      .where('reference_id', '=', 'A-100')
      .executeTakeFirstOrThrow();
    expect(row.body.order_number).toBe('A-100');
  });

  it('loses no line and lists none twice when it is killed before a commit', async () => {
    const lines = ndjson(250).split('\n');
    lines[219] = 'nonsense';
    const path = await file('orders.ndjson', lines.join('\n'));
    const dying = {
      ...world.context,
      onCharges: async (
        _trx: unknown,
        _organisation: string,
        news: { charges: readonly unknown[] },
      ) => {
        if (JSON.stringify(news.charges).includes('"A-250"')) throw new Error('killed');
      },
    };
    await expect(importOrders(dying, { path })).rejects.toThrow('killed');
    expect(await stored()).toBe(200);
    expect(await importOrders(world.context, { path })).toMatchObject({
      resumedAfterLine: 200,
      accepted: 249,
      rejected: 1,
    });
    expect(await rejectsOf(path)).toMatchObject([{ line: 220 }]);
  });

  it('begins the list of rejects again, or keeps what concerns the lines done', async () => {
    const path = await file('rejects', '');
    const reject = (line: number) => ({ line, referenceId: null, reasons: ['x'] });
    await (await openRejects(path, 0)).add([reject(10), reject(410)]);
    await (await openRejects(path, 200)).add([reject(200), reject(410), reject(411)]);
    const lines = (await readFile(path, 'utf8')).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).line)).toEqual([10, 410, 411]);
    await openRejects(path, 0);
    await expect(readFile(path)).rejects.toThrow('ENOENT');
  });

  it('survives a line of two megabytes', async () => {
    const path = await file('orders.ndjson', `${'x'.repeat(2_000_000)}\n${ndjson(1)}`);
    expect(await importOrders(world.context, { path })).toMatchObject({ accepted: 1, rejected: 1 });
  });
});

describe('CSV', () => {
  const HEADER = [
    'reference_id',
    'order_datetime',
    'order_number',
    'order_subtotal_amount_in_cents',
    'order_currency',
    'order_total_amount_in_cents',
    'order_status',
    'transactions[0].reference_id',
    'transactions.0.amount_in_cents',
    'transactions.0.currency',
    'transactions.0.cvc_verified',
    'items.0.name',
    'items.1.name',
    'items.1.quantity',
    'deliveries',
  ].join(',');

  it('names a rejected cell by its column, also where the columns before it are empty', async () => {
    const row = 'A-1,2026-11-20T10:00:00Z,1,100,KWD,123,OPEN_PENDING,,,,,,Desk,two,';
    const path = await file('orders.csv', `${HEADER}\n${row}\n`);
    expect(await importOrders(world.context, { path })).toMatchObject({ rejected: 1 });
    const [reject] = await rejectsOf(path);
    expect(JSON.stringify(reject)).toContain('items[1].quantity must be a number');
  });

  it('reads paths, numbers, truth values, nested JSON and quoted line ends', async () => {
    const path = await file(
      'orders.csv',
      `\uFEFF${HEADER}\r\n` +
        'A-1,2026-11-20T10:00:00Z,"No, 1",100,KWD,123,OPEN_PENDING,ch_1,123,KWD,true,"Lamp\nblue",Desk,2,"[{""type"":""PHYSICAL""}]"\r\n' +
        'A-2,2026-11-20T10:00:00Z,2,100,KWD,123,OPEN_PENDING,,,,,,,,\r\n' +
        'A-3,2026-11-20T10:00:00Z,3,100,KWD,twelve,OPEN_PENDING,,,,,,,,\r\n' +
        'A-4,too short\r\n' +
        'A-5,2026-11-20T10:00:00Z,5,100,KWD,123,OPEN_PENDING,,,,,,,,not json\r\n',
    );
    expect(await importOrders(world.context, { path })).toMatchObject({ accepted: 2, rejected: 3 });
    const rows = await world.database.db
      .selectFrom('order_record')
      .selectAll()
      .orderBy('seq')
      .execute();
    expect(rows[0]?.body).toMatchObject({
      order_number: 'No, 1',
      order_total_amount_in_cents: 123,
      transactions: [{ reference_id: 'ch_1', amount_in_cents: 123, cvc_verified: true }],
      items: [
        { reference_id: 'A-1:1', name: 'Lamp\nblue' },
        { reference_id: 'A-1:2', name: 'Desk', quantity: 2 },
      ],
      deliveries: [{ reference_id: 'A-1:d1', type: 'PHYSICAL' }],
    });
    expect(rows[1]?.body.items).toBeUndefined();
    expect(await rejectsOf(path)).toMatchObject([
      {
        line: 5,
        reference_id: 'A-3',
        reasons: [expect.stringContaining('order_total_amount_in_cents')],
      },
      { line: 6, reasons: [expect.stringContaining('2 cells, not 15')] },
      { line: 7, reasons: [expect.stringContaining('deliveries')] },
    ]);
  });

  it.each(['a b', '__proto__.x', 'items[999999].name', 'x,x'])(
    'refuses the header %s',
    async (header) => {
      const path = await file('orders.csv', `${header}\n1,2\n`);
      await expect(importOrders(world.context, { path })).rejects.toThrow('column');
    },
  );
});

it('says what is wrong with the file itself', async () => {
  const missing = join(folder, 'none.csv');
  await expect(importOrders(world.context, { path: missing })).rejects.toThrow('cannot be read');
  const path = await file('orders.txt', '');
  await expect(importOrders(world.context, { path })).rejects.toThrow('--format');
  expect(formatOf('A.CSV')).toBe('csv');
  expect(formatOf('a.jsonl')).toBe('ndjson');
});

describe('lint', () => {
  it('reports readiness of a file without storing anything', async () => {
    const { device_id: _device, ...noDevice } = makeOrder('A-2');
    const lines = [
      makeOrder('A-1'),
      noDevice,
      makeOrder('A-3', { organisation_id: 'org_any' }),
      { x: 1 },
    ];
    const path = await file('orders.ndjson', lines.map((line) => JSON.stringify(line)).join('\n'));
    const report = await lintFile(readOrderFile(path, 'ndjson').entries);
    expect(report).toMatchObject({ orders: 3, refused: 1, cards: { a: 0, b: 3, c: 0, none: 0 } });
    expect(report.readiness.find(({ programme }) => programme === 'compelling-evidence')).toEqual({
      programme: 'compelling-evidence',
      orders: 3,
      ready: 2,
      percent: 66,
      mostMissing: { field: 'device_ip_address|device_id|device_fingerprint', orders: 1 },
    });
    expect(await stored()).toBe(0);
  });

  it('reports readiness of all that is stored', async () => {
    await world.accept(makeOrder('A-1'), makeOrder('A-2', { order_number: 'x'.repeat(30) }));
    const report = await lintStored(world.database.db, ORGANISATION);
    expect(report.orders).toBe(2);
    expect(report.warnings).toContainEqual({
      text: expect.stringContaining('order_number has 30 characters'),
      orders: 1,
      first: 'A-2',
    });
  });
});

describe('a CSV file of another spreadsheet', () => {
  const cells = [
    ['reference_id', 'order_number', 'order_datetime', 'order_status', 'order_currency'],
    ['A-1', '17', '2026-11-20', 'OPEN_PENDING', 'EUR'],
  ].map((row, place) => [
    ...row,
    ...(place === 0
      ? ['order_subtotal_amount_in_cents', 'order_total_amount_in_cents', 'customer_first_name']
      : ['2900', '2900', '"Ada, Countess"']),
  ]);
  it.each([
    ['comma', ','],
    ['semicolon', ';'],
    ['tab', '\t'],
  ] as const)('with %s between its cells is read, named or not', async (name, mark) => {
    const text = `\uFEFF${cells.map((row) => row.join(mark)).join('\r\n')}\r\n`;
    for (const delimiter of [undefined, name]) {
      const path = await file(`${name}-${delimiter}.csv`, text);
      const summary = await importOrders(world.context, { path, delimiter, restart: true });
      expect([summary.rejected, summary.accepted + summary.unchanged]).toEqual([0, 1]);
    }
    const row = await world.database.db
      .selectFrom('order_record')
      .select('body')
      .executeTakeFirstOrThrow();
    expect(row.body).toMatchObject({
      order_total_amount_in_cents: 2_900,
      customer_first_name: 'Ada, Countess',
    });
  });

  it('with decimals in an amount is told what is wanted', async () => {
    const path = await file(
      'decimal.csv',
      cells
        .map((row) => row.join(';'))
        .join('\n')
        .replaceAll('2900', '29,00'),
    );
    expect(await importOrders(world.context, { path })).toMatchObject({ rejected: 1 });
    expect(JSON.stringify(await rejectsOf(path))).toContain('order_total_amount_in_cents');
  });
});

describe('a file that says two things', () => {
  const paid = (reference: string, charge: string, amount: number) =>
    makeOrder(reference, {
      transactions: [
        {
          ...Object([makeOrder(reference)['transactions']].flat()[0]),
          reference_id: charge,
          amount_in_cents: amount,
        },
      ],
    });
  const lines = (orders: readonly unknown[]): string =>
    orders.map((order) => JSON.stringify(order)).join('\n');
  const chargeOf = async (reference: string) =>
    await world.database.db
      .selectFrom('charge')
      .select(['order_reference', 'amount_minor'])
      .where('reference', '=', reference)
      .executeTakeFirst();

  it('about one reference keeps the earlier line, also of an order that can be corrected', async () => {
    const named = makeOrder('A-2', {
      integration_id: world.context.integrationId,
      order_number: 'x',
    });
    const path = await file(
      'twice.ndjson',
      lines([
        makeOrder('A-1'),
        makeOrder('A-2'),
        makeOrder('A-1', { order_number: 'other' }),
        makeOrder('A-2'),
        named,
      ]),
    );
    const held = { ...world.context, programmes: parseProgrammes(['first-party-trust']) };
    expect(await importOrders(held, { path })).toMatchObject({
      accepted: 2,
      unchanged: 1,
      rejected: 2,
    });
    expect(await rejectsOf(path)).toMatchObject([
      { line: 3, reference_id: 'A-1', reasons: [expect.stringContaining('line 1')] },
      // It names the integration that the others leave out.
      { line: 5, reference_id: 'A-2', reasons: [expect.stringContaining('line 2')] },
    ]);
    const row = await world.database.db
      .selectFrom('order_record')
      .select('body')
      .where('reference_id', '=', 'A-1')
      .executeTakeFirstOrThrow();
    expect(row.body.order_number).toBe('A-1');
  });

  it('about one payment keeps it with the order of the earlier line', async () => {
    const path = await file(
      'payment.ndjson',
      lines([paid('A-1', 'ch_1', 5_000), paid('A-2', 'ch_1', 508)]),
    );
    expect(await importOrders(world.context, { path })).toMatchObject({ accepted: 1, rejected: 1 });
    expect(await rejectsOf(path)).toMatchObject([
      {
        line: 2,
        reasons: [expect.stringMatching(/transactions\[0\]\.reference_id stands on line 1/)],
      },
    ]);
    expect(await chargeOf('ch_1')).toEqual({ order_reference: 'A-1', amount_minor: 5_000 });

    // In a file of its own it names the order that has it.
    const later = await file('later.ndjson', lines([paid('A-3', 'ch_1', 508)]));
    expect(await importOrders(world.context, { path: later })).toMatchObject({ rejected: 1 });
    expect(await rejectsOf(later)).toMatchObject([
      { line: 1, reasons: [expect.stringContaining('belongs to order A-1')] },
    ]);
  });

  it('and a charge stays with its order where the library hands over another claim', async () => {
    await world.accept(paid('A-1', 'ch_1', 5_000), paid('A-2', 'ch_1', 508));
    expect(await chargeOf('ch_1')).toEqual({ order_reference: 'A-1', amount_minor: 5_000 });
  });
});
