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
  // The drawing is 648 px wide from 100: months at 100, 424 and 748. The lines meet between March and April, at 586.
  const lines = [...chart.matchAll(/class="level" x1="([\d.]+)" x2="([\d.]+)"/g)];
  expect(lines.map(([, x1, x2]) => [Number(x1), Number(x2)])).toEqual([
    [586, 748],
    [100, 586],
  ]);
});

it('writes the axis short enough for its margin, whatever is drawn', () => {
  const ticksOf = (value: number): string[] => {
    const chart = lineChart({
      title: 'Ratio',
      months: ['2026-10', '2026-11'],
      series: [{ label: 'ours', values: [value, value] }],
      levels: [],
    }).toString();
    return [...chart.matchAll(/class="tick"[^>]*text-anchor="end">([^<]*%)</g)].map(
      ([, tick = '']) => tick,
    );
  };
  // A quarter, a half and three quarters of 150, and of 1.5.
  expect(ticksOf(140)).toEqual(['0 %', '37.5 %', '75 %', '112.5 %', '150 %']);
  expect(ticksOf(1.4)).toEqual(['0 %', '0.38 %', '0.75 %', '1.13 %', '1.5 %']);
});

it('draws what is expected as a band that leaves the last whole month', () => {
  const chart = lineChart({
    title: 'Ratio',
    months: ['2026-10', '2026-11', '2026-12'],
    series: [{ label: 'ours', values: [2, 1, null] }],
    levels: [],
    fan: {
      series: 0,
      label: 'expected',
      values: [null, { low: 2, expected: 3, high: 4 }, { low: 1, expected: 3, high: 6 }],
    },
  }).toString();
  // 7.5 % are 210 px from 226 up: 28 px for each per cent. Months at 100, 424 and 748.
  expect(chart).toContain(
    'class="band" d="M100.0 170.0 L424.0 114.0 L748.0 58.0 L748.0 198.0 L424.0 170.0 L100.0 170.0 Z"',
  );
  expect(chart).toContain('class="middle" d="M100.0 170.0 L424.0 142.0 L748.0 142.0"');
  expect(chart).toContain('2026-12: 3.00 % (1.00 % to 6.00 %)');
});

it('names a level that has no room by its height, and whole below the drawing', () => {
  const long = 'excessive, as it was before April of the year before, for every merchant';
  const chart = lineChart({
    title: 'Ratio',
    months: ['2026-10', '2026-11'],
    series: [{ label: 'ours', values: [1, 1] }],
    levels: [{ label: long, value: 2.2, held: [true, true] }],
  }).toString();
  expect(chart).toContain('>2.2 %</text>');
  expect(chart).toContain(`Lines: ${long}.`);
});
