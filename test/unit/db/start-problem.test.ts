/** Guarantee: a start that fails never says of a folder with data that it may be removed. */
import { expect, it } from 'vitest';
import { startProblem } from '../../../src/base/db/embedded/embedded.ts';

const folder = '/srv/shop/.forestall/postgres';
const FULL = 'FATAL: could not write to file "pg_wal/xlogtemp.7": No space left on device';

it.each([
  ['an empty folder', 'initdb: failed', false, false, /Remove that folder to begin afresh/],
  [
    'data of months',
    'FATAL: lock file',
    false,
    true,
    /Do not remove the folder: it holds your data/,
  ],
  ['data of months on a full disk', '', true, true, /^The disk is full.*Do not remove the folder/],
  ['data, and the server says it is full', FULL, false, true, /^The disk is full.*Do not remove/],
  [
    'a first start on a full disk',
    '',
    true,
    false,
    /^The disk is full.*Make room, then start again\.$/,
  ],
])('%s', (_what, lines, isFull, hasData, expected) => {
  const text = startProblem({ folder, lines, isFull, hasData });
  expect(text).toMatch(expected);
  expect(/Remove that folder/.test(text)).toBe(!hasData && !isFull);
});
