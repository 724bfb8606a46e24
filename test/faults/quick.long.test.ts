/**
 * Guarantee: the real service as separate processes, with proxies between them, holds the short form of
 * the fault catalogue. `npm run faults` runs the whole.
 */
import { expect, it } from 'vitest';
import { selectCases } from './all-cases.ts';
import type { CaseResult } from './case.ts';
import { textLine } from './report.ts';
import { runCases } from './runner.ts';

/** Generous: it starts eight programs, whatever else the machine does. */
const PATIENCE_MS = 600_000;

it('passes every quick case, and the books agree over all of them', {
  timeout: PATIENCE_MS,
}, async () => {
  const { cases } = selectCases({ quick: true });
  const results: CaseResult[] = [];
  await runCases({ cases, onResult: (result) => void results.push(result) });
  const failed = results.filter(({ status }) => status !== 'passed').map(textLine);
  expect(failed).toEqual([]);
  expect(results.map(({ id }) => id).sort()).toEqual(
    [...cases.map(({ id }) => id), 'I1-I4'].sort(),
  );
});
