/** Guarantee: whoever had to prove who they are comes back to where they were, with every row that they had ticked, and never to another site. */
import { expect, it } from 'vitest';
import { localPath } from '../../../src/surface/web/visit.ts';

/** As the page of an action on several alerts is addressed. */
function pathOf(rows: number): string {
  const ids = Array.from({ length: rows }, (_, row) => `netalrt_${String(row).padStart(32, '0')}`);
  return `/reviews/several?act=refund&${ids.map((id) => `alert=${id}`).join('&')}`;
}

it.each([1, 35, 200])('keeps %i ticked rows', (rows) => {
  expect(localPath(pathOf(rows))).toBe(pathOf(rows));
});

it.each([
  ['longer than any page of ours', `/alerts?q=${'a'.repeat(10_000)}`],
  ['another site', '//elsewhere.example'],
  ['another site, by a backslash', '/\\elsewhere.example'],
  ['a line break', '/alerts\r\nset-cookie: a=b'],
  ['the sign-in itself', '/login?next=/'],
])('leads nowhere else: %s', (_what, path) => {
  expect(localPath(path)).toBe('/');
});
