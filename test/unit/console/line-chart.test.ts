/** Guarantee: levels that lie close together on a chart are named in one line of text, each once, and none is lost. */
import { expect, it } from 'vitest';
import { lineChart } from '../../../src/surface/view/line-chart.ts';

const namesOf = (levels: readonly { label: string; value: number }[]): string[] => {
  const chart = lineChart({
    title: 'Ratio',
    months: ['2026-10', '2026-11'],
    series: [{ label: 'ours', values: [1, 15] }],
    levels,
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
