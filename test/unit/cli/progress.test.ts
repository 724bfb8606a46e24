/** Guarantee: long work says how far it has come where there is no terminal, and short work says nothing. */
import { expect, it } from 'vitest';
import { createProgress } from '../../../src/surface/terminal/progress.ts';

it('writes a line every ten seconds', () => {
  const lines: string[] = [];
  let nowMs = 5_000;
  const stream = { isTTY: false as const, write: (text: string) => lines.push(text) > 0 };
  const progress = createProgress('Importing', { stream, nowMs: () => nowMs });
  const at = (ms: number, done: number): void => {
    nowMs = ms;
    progress.update(done, 80);
  };
  at(5_100, 1);
  at(14_999, 20);
  at(15_000, 29);
  at(24_999, 50);
  at(25_000, 75);
  progress.stop();
  expect(lines).toEqual(['Importing 36 %\n', 'Importing 93 %\n']);
});
