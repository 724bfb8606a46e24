/** Guarantee: what a reviewer must read to be sure of one refund per complaint does not grow unnoticed. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { importsOf, readingList } from './reading-list.ts';

const src = fileURLToPath(new URL('../../../src', import.meta.url));

it('is as long as it was, and holds what decides and what sends', () => {
  const { files, lines } = readingList(src);
  expect(files).toEqual(
    expect.arrayContaining([
      'alerts/ledger/verdict.ts',
      'alerts/ledger/with-ledger.ts',
      'alerts/refund/refund-steps.ts',
      'alerts/refund/send-movement.ts',
      'alerts/match/matcher.ts',
    ]),
  );
  // Fold before you raise them; the aim is 40 files and 6,500 lines.
  expect(files.length).toBeLessThanOrEqual(64);
  expect(lines).toBeLessThanOrEqual(9_230);
});

it('leaves out what tells, as that can do nothing else: it loads findings, notifications, the feed, and pure code', () => {
  const telling = globSync('alerts/**/{tell-*,answer-notes}.ts', { cwd: src });
  expect(telling).toHaveLength(4);
  const loaded = telling.flatMap((file) => importsOf(readFileSync(join(src, file), 'utf8')));
  const beside = loaded.filter((path) => !/^\.\.\/\.\.\/(?:base|orders)\//.test(path));
  expect([...new Set(beside)].sort()).toEqual([
    './ledger.ts',
    './paid-too-often.ts',
    './tell-disputed.ts',
  ]);
});
