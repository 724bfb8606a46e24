/**
 * Guarantee: a key, a secret, a guards file or a setting of one organisation that cannot be used stops no other, at a
 * start nor later; it is told, and the organisation is used as soon as it can be.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { createLog } from '../../../src/base/kernel/log.ts';
import type { InstallationWatcher } from '../../../src/running/installation/installation-watcher.ts';
import {
  openInstallation,
  readOrganisations,
} from '../../../src/running/installation/installation-watcher.ts';

const folder = mkdtempSync(join(tmpdir(), 'forestall-faulty-'));
afterAll(() => rmSync(folder, { recursive: true }));
const place = (name: string): string => join(folder, name);
const file = place('installation.yaml');
const env = { FORESTALL_SERVICE_URL: 'https://service.example' };

const entry = (name: string, more = ''): string => `  - id: org_${name}
    name: Brand ${name}
    api_key: {file: ${name}.key}
    webhook_secrets: [{file: ${name}.secret}]
${more}`;

function write(...entries: readonly string[]): void {
  writeFileSync(file, `version: 1\norganisations:\n${entries.join('')}`);
}

function open(): InstallationWatcher {
  return openInstallation(file, { env, log: createLog({ level: 'silent' }) });
}

const idsOf = (list: readonly { readonly id: string }[]): string[] => list.map(({ id }) => id);
const secretsOf = (keeper: InstallationWatcher): unknown =>
  keeper.organisations().map((each) => each.current().webhookSecrets);

beforeEach(() => {
  for (const name of ['a', 'b']) {
    writeFileSync(place(`${name}.key`), `key-of-${name}-0123456789`);
    writeFileSync(place(`${name}.secret`), `whsec_of-${name}-0123456789`);
  }
  writeFileSync(place('guards.yaml'), 'caps: {hour: {count: 1}}\n');
  write(entry('a', '    guards: guards.yaml\n'), entry('b'));
});

it.each([
  ['a key that cannot be read', () => rmSync(place('a.key')), /names a file that cannot be read/],
  [
    'guards that are none',
    () => writeFileSync(place('guards.yaml'), 'caps: {hour: {cuont: 1}}\n'),
    /org_a|guards/,
  ],
  ['a secret too short', () => writeFileSync(place('a.secret'), 'x'), /org_a|webhook_secrets/],
])('%s: the others start, and it follows when it is mended', (_name, spoil, problem) => {
  spoil();
  expect(() => readOrganisations(file, env)).toThrow();
  const keeper = open();
  expect(idsOf(keeper.organisations())).toEqual(['org_b']);
  expect(keeper.problem()).toMatch(problem);
  // Its deliveries are told to come again, not that nobody knows it.
  expect([keeper.isListed('org_a'), keeper.isListed('brand-a'), keeper.isListed('org_c')]).toEqual([
    true,
    true,
    false,
  ]);
  writeFileSync(place('a.key'), 'key-of-a-0123456789');
  writeFileSync(place('a.secret'), 'whsec_of-a-0123456789');
  writeFileSync(place('guards.yaml'), 'caps: {hour: {count: 1}}\n');
  const { start, stop } = keeper.refresh();
  expect([idsOf(start), idsOf(stop)]).toEqual([['org_a'], []]);
  expect(keeper.problem()).toBeNull();
  expect(idsOf(keeper.organisations())).toEqual(['org_a', 'org_b']);
});

it('a secret of one that is gone keeps no other from exchanging its own', () => {
  const keeper = open();
  rmSync(place('a.secret'));
  writeFileSync(place('b.secret'), 'whsec_of-b-exchanged-01');
  expect(keeper.refresh()).toEqual({ start: [], stop: [] });
  expect(secretsOf(keeper)).toEqual([['whsec_of-a-0123456789'], ['whsec_of-b-exchanged-01']]);
  expect(keeper.problem()).toMatch(/names a file that cannot be read/);
});

it('of a new text with a mistake nothing is taken, until it is mended', () => {
  const keeper = open();
  write(entry('a', '    guards: none.yaml\n'), entry('b', '    mode: shadow\n'));
  expect(keeper.refresh()).toEqual({ start: [], stop: [] });
  expect(keeper.refresh()).toEqual({ start: [], stop: [] });
  expect(keeper.problem()).not.toBeNull();
  write(entry('a', '    guards: guards.yaml\n'), entry('b', '    mode: shadow\n'));
  expect(idsOf(keeper.refresh().start)).toEqual(['org_b']);
});

it('where none can be used nothing starts', () => {
  rmSync(place('a.key'));
  rmSync(place('b.key'));
  expect(open).toThrow(/names a file that cannot be read/);
});
