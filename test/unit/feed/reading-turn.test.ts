/** Guarantee: whoever reads orders gives way after 2 ms, and of several readers one has a turn of the event loop at a time. */
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { beginReading } from '../../../src/orders/reading-turn.ts';

/** Works without a wait for so long. */
function work(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

it('goes on at once while its turn lasts, and gives way once it is over', async () => {
  let turns = 0;
  const watching = setImmediate().then(() => {
    turns += 1;
  });
  const reader = beginReading();
  await reader.take();
  expect(turns).toBe(0);
  work(2.5);
  await reader.take();
  expect(turns).toBe(1);
  await watching;
});

it('three that read at a time have a turn of the loop each', async () => {
  let turn = 0;
  let isOver = false;
  const counting = (async (): Promise<void> => {
    for (; !isOver; turn += 1) await setImmediate();
  })();
  const had: number[] = [];
  const read = async (): Promise<void> => {
    const reader = beginReading();
    for (let piece = 0; piece < 4; piece += 1) {
      work(2.5);
      await reader.take();
      had.push(turn);
    }
  };
  await Promise.all([read(), read(), read()]);
  isOver = true;
  await counting;
  // Each of the twelve pieces was followed by a turn of its own.
  expect(new Set(had).size).toBe(12);
});
