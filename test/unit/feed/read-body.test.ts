/** Guarantee: a body of orders is read as JSON reads it, large ones in pieces, and none holds up the process for long. */
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  LIST_VALUES_MAX,
  ORDER_BYTES_MAX,
  OrderList,
  readOrdersBody,
} from '../../../src/orders/read-body.ts';

const filler = (bytes: number): string => 'x'.repeat(bytes);
const list = (entries: readonly unknown[]): Buffer => Buffer.from(JSON.stringify(entries, null, 1));

describe('a large list', () => {
  it('is read as JSON reads it, whatever stands in its texts', async () => {
    const entries = [
      { reference_id: 'A', note: '],[{"\\"' },
      [1, [2, { a: ',' }]],
      'text, with ] and "quotes"',
      'one " ],[',
      { big: filler(ORDER_BYTES_MAX / 2) },
      { big: filler(ORDER_BYTES_MAX / 2), last: '\\' },
      12.5,
    ];
    const read = await readOrdersBody(list(entries), 100);
    const value = read.ok ? read.value : undefined;
    if (!(value instanceof OrderList)) throw new Error('It was not read as a list.');
    expect([value.length, [...value]]).toEqual([entries.length, entries]);
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
    expect(await readOrdersBody(list(entries), 10)).toEqual({
      ok: false,
      reason: 'too_many_orders',
    });
    expect((await readOrdersBody(list(entries), 49)).ok).toBe(false);
    expect((await readOrdersBody(list(entries), 50)).ok).toBe(true);
  });

  it.each([
    // 20 entries of one field that is a list: the field is a value, and so is whatever stands in the list.
    ['numbers', (values: number) => `{"a":[${'1,'.repeat(values / 20 - 2)}1]}`],
    ['empty objects', (values: number) => `{"a":[${'{},'.repeat(values / 20 - 2)}{}]}`],
    [
      'empty lists, and texts of commas',
      (values: number) => `{"a":[${'[],'.repeat(values / 20 - 3)}[],",,[{"]}`,
    ],
  ])('of %s is read up to 400,000 values, and no further', async (_what, entry) => {
    const bodyOf = (values: number): Buffer =>
      Buffer.from(
        `[${Array.from({ length: 20 }, () => entry(values)).join(' ,')}]${' '.repeat(ORDER_BYTES_MAX)}`,
      );
    expect(LIST_VALUES_MAX).toBe(400_000);
    expect((await readOrdersBody(bodyOf(400_000), 20)).ok).toBe(true);
    expect(await readOrdersBody(bodyOf(400_020), 20)).toEqual({
      ok: false,
      reason: 'too_many_values',
    });
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
  // The best of three: a collection of garbage falls into one.
  let ms = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3 && ms >= 100; round += 1) {
    ms = Math.min(ms, await longestStretchMs(() => readOrdersBody(body, 1_000)));
  }
  expect(ms).toBeLessThan(100);
});

/**
 * Most processor time between two turns of the loop, in milliseconds. Of the thread: on a busy machine the loop is late for
 * reasons that are not the body's.
 */
async function longestStretchMs(work: () => Promise<unknown>): Promise<number> {
  let isOver = false;
  let mostMs = 0;
  const watching = (async (): Promise<void> => {
    for (let before = usedMs(); ; ) {
      await setImmediate();
      const now = usedMs();
      mostMs = Math.max(mostMs, now - before);
      before = now;
      if (isOver) return;
    }
  })();
  await setImmediate();
  await work();
  isOver = true;
  await watching;
  return mostMs;
}

function usedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
