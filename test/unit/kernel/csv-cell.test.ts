/** Guarantee: no cell becomes a formula, whichever of a comma, semicolon or tab a spreadsheet divides cells at. */
import { describe, expect, it } from 'vitest';
import { csvCell } from '../../../src/base/kernel/csv-cell.ts';

/** What a spreadsheet that divides at `mark`, and knows no quotes inside a line, makes of it. */
const cellsOf = (text: string, mark: string): string[] =>
  text.split(/[\r\n]/).flatMap((line) => line.split(mark));

describe.each([',', ';', '\t'])('divided at %j', (mark) => {
  it.each(['=', '+', '-', '@', '＝', '＋', '－', '＠'])(
    'nothing that begins with %s is left',
    (sign) => {
      for (const text of [
        `${sign}cmd`,
        ` ${sign}cmd`,
        `a;${sign}cmd`,
        `a; ${sign}cmd`,
        `a;b;${sign}cmd`,
        `a\t${sign}cmd`,
        `a\n${sign}cmd`,
        `a\r\n ${sign}cmd`,
        `;${sign}${sign}cmd`,
      ]) {
        const cells = cellsOf(csvCell(text), mark);
        expect(
          cells.filter((cell) => /^[\s"]*[=+\-@＝＋－＠]/.test(cell)),
          text,
        ).toEqual([]);
      }
    },
  );
});

it('leaves texts and numbers as they are', () => {
  expect(csvCell('a; b - c')).toBe('a; b - c');
  expect(csvCell(-5)).toBe('-5');
  expect(csvCell({ decimal: '-5.00' })).toBe('-5.00');
  expect(csvCell('x@y.example')).toBe('x@y.example');
});
