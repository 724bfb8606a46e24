/** Guarantee: levels that lie close together on a chart are named in one line of text, each once, and none is lost. */
import { expect, it } from 'vitest';
import { lineChart } from '../../../src/surface/view/line-chart.ts';

const namesOf = (levels: readonly { label: string; value: number }[]): string[] => {
  const chart = lineChart({
    title: 'Ratio',
    months: ['2026-10', '2026-11'],
    series: [{ label: 'ours', values: [1, 15] }],
    levels: levels.map((level) => ({ ...level, held: [true, true] })),
  }).toString();
  return [...chart.matchAll(/class="level-name"[^>]*>([^<]*)</g)].map(([, name = '']) => name);
};

it('joins the names of levels that would stand on each other', () => {
  // 20 % are 210 px high: 1.5 and 2.2 lie 7 px apart, 10 lies far above.
  expect(
    namesOf([
      { label: 'late, 2.2 %', value: 2.2 },
      { label: 'early, 1.5 %', value: 1.5 },
      { label: 'far, 10 %', value: 10 },
    ]),
  ).toEqual(['early, 1.5 % · late, 2.2 %', 'far, 10 %']);
});

it('names twice the same level once, and far ones apart', () => {
  expect(
    namesOf([
      { label: 'floor, 2.2 %', value: 2.2 },
      { label: 'floor, 2.2 %', value: 2.2 },
    ]),
  ).toEqual(['floor, 2.2 %']);
  expect(
    namesOf([
      { label: 'low', value: 2 },
      { label: 'high', value: 8 },
    ]),
  ).toEqual(['low', 'high']);
});

it('draws a level over the months in which it held', () => {
  const chart = lineChart({
    title: 'Ratio',
    months: ['2026-02', '2026-03', '2026-04'],
    series: [{ label: 'ours', values: [1, 1, 2] }],
    levels: [
      { label: 'before', value: 2.2, held: [true, true, false] },
      { label: 'since', value: 1.5, held: [false, false, true] },
    ],
  }).toString();
  // The drawing is 690 px wide from 58: months at 58, 403 and 748. The lines meet between March and April, at 575.5.
  const lines = [...chart.matchAll(/class="level" x1="([\d.]+)" x2="([\d.]+)"/g)];
  expect(lines.map(([, x1, x2]) => [Number(x1), Number(x2)])).toEqual([
    [575.5, 748],
    [58, 575.5],
  ]);
});
