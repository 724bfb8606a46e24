/** Guarantee: a body of orders is read as JSON reads it, large ones in pieces, and none holds up the process for long. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { describe, expect, it } from 'vitest';
import { ORDER_BYTES_MAX, readOrdersBody } from '../../../src/orders/read-body.ts';

const filler = (bytes: number): string => 'x'.repeat(bytes);
const list = (entries: readonly unknown[]): Buffer => Buffer.from(JSON.stringify(entries, null, 1));

describe('a large list', () => {
  it('is read as JSON reads it, whatever stands in its texts', async () => {
    const entries = [
      { reference_id: 'A', note: '],[{"\\"' },
      [1, [2, { a: ',' }]],
      'text, with ] and "quotes"',
      { big: filler(ORDER_BYTES_MAX / 2) },
      { big: filler(ORDER_BYTES_MAX / 2), last: '\\' },
      12.5,
    ];
    expect(await readOrdersBody(list(entries), 100)).toEqual({ ok: true, value: entries });
  });

  it.each([
    ['ends early', (text: string) => text.slice(0, -2)],
    ['goes on after its end', (text: string) => `${text} {}`],
    ['has an empty place', (text: string) => text.replace('[', '[,')],
    ['closes with another bracket', (text: string) => `${text.slice(0, -1)}}x`],
    ['holds no JSON', (text: string) => text.replace('{', '{,')],
  ])('that %s is no JSON', async (_what, broken) => {
    const text = JSON.stringify([{ a: filler(ORDER_BYTES_MAX - 100) }, { b: filler(1_000) }]);
    expect(await readOrdersBody(Buffer.from(broken(text)), 100)).toEqual({
      ok: false,
      reason: 'not_json',
    });
  });

  it('is read no further than to the first order that is too many', async () => {
    const entries = Array.from({ length: 50 }, (_, n) => ({ n, big: filler(10_000) }));
    const read = await readOrdersBody(list(entries), 10);
    expect(read.ok && Array.isArray(read.value) && read.value.length).toBe(11);
  });

  it('with an order that is too large names it', async () => {
    const entries = [{ a: 1 }, { big: filler(ORDER_BYTES_MAX) }];
    expect(await readOrdersBody(list(entries), 10)).toMatchObject({
      reason: 'too_large',
      index: 1,
    });
    expect(await readOrdersBody(Buffer.from(JSON.stringify(entries[1])), 10)).toMatchObject({
      reason: 'too_large',
      index: undefined,
    });
  });
});

it.each([
  ['fields', Object.fromEntries(Array.from({ length: 300_000 }, (_, n) => [`f${n}`, n]))],
  ['brackets', Array.from({ length: 1_000_000 }, () => ({}))],
  [
    'orders',
    Array.from({ length: 900 }, (_, n) => ({ reference_id: `R${n}`, big: filler(8_000) })),
  ],
])('megabytes of %s hold nothing up', async (_what, value) => {
  const body = Buffer.from(JSON.stringify(value));
  expect(body.length).toBeGreaterThan(2_000_000);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  await new Promise((done) => setTimeout(done, 5));
  delay.enable();
  await readOrdersBody(body, 1_000);
  await new Promise((done) => setImmediate(done));
  delay.disable();
  // The promise is 100 ms; a busy machine is given a little.
  expect(delay.max / 1e6).toBeLessThan(150);
});
