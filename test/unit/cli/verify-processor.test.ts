/** Guarantee: "verify processor" names what is wrong with what it was given, and takes no option that would change nothing. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { registerVerify } from '../../../src/people/cli/verify.ts';
import { runCommand } from '../../support/run-command.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'verify-'));
  const methods = [
    ...['capabilities', 'searchCharges', 'readCharge', 'findRefund', 'refund'],
    ...['voidCharge', 'cancelSubscription'],
  ].map((name) => `${name}() {}`);
  writeFileSync(
    join(folder, 'ours.mjs'),
    `export const processor = { name: 'ours', ${methods.join(', ')} };`,
  );
  writeFileSync(join(folder, 'empty.mjs'), 'export const other = 1;');
});
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => {
  process.exitCode = undefined;
});

test.each([
  [['sandbox', '--fixture', 'mine.mjs'], 'The sandbox has its own charges. Leave --charges and'],
  [['sandbox', '--charges', 'c.json'], 'The sandbox has its own charges. Leave --charges and'],
  [['ours.mjs', '--charges', 'c.json', '--fixture', 'empty.mjs'], 'name --charges or --fixture.'],
  [['nowhere.mjs'], "The module that <target> names cannot be loaded: Cannot find module 'the"],
  [['empty.mjs'], 'The module that <target> names exports no "processor" with name, capabilities'],
  [['ours.mjs'], 'There is nothing to try it with. Give --charges FILE'],
  [['ours.mjs', '--fixture', 'nowhere.mjs'], 'The module that --fixture names cannot be loaded'],
  [['ours.mjs', '--fixture', 'empty.mjs'], 'exports no "fixture".'],
  [['http://127.0.0.1:9/processor'], 'FORESTALL_PROCESSOR_SECRET is missing'],
])('%j is a wrong argument', async (words, message) => {
  const paths = words.map((word) => (word.endsWith('.mjs') ? join(folder, word) : word));
  const { out, error, status } = await runCommand(registerVerify, [
    'verify',
    'processor',
    ...paths,
  ]);
  expect(error).toContain(message);
  expect({ out, status }).toEqual({ out: '', status: 2 });
});
