/** Guarantee: what publishing relies on is looked at by every run, and each check can fail. */
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { childEnv } from '../support/child-env.ts';
import { execFile } from '../support/child-process.ts';
import { actionFaults, linkFaults, partFaults, upgradeFaults, versionFaults } from './checks.ts';

const CHANGELOG = '# Changelog\n\n## 0.3.0 (unreleased)\n\n## 0.2.0 (2026-12-01)\n';

it('this very release could be published', async () => {
  const main = new URL('main.ts', import.meta.url).pathname;
  const args = [main, '--quick'];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: childEnv() });
  expect(stdout).toMatch(/^\d+\.\d+\.\d+ can be released: \d+ parts\.\n$/);
});

it('a version that the changelog does not begin with', () => {
  expect(versionFaults(CHANGELOG, { version: '0.3.0' })).toEqual([]);
  expect(versionFaults(CHANGELOG, { version: '0.2.0' })).toHaveLength(1);
});

it('a tag that is another version, or one whose day is not written', () => {
  expect(versionFaults(CHANGELOG, { version: '0.3.0', tag: 'v0.3.1' })).toHaveLength(1);
  expect(versionFaults(CHANGELOG, { version: '0.3.0', tag: 'v0.3.0' })).toHaveLength(1);
  const dated = CHANGELOG.replace('unreleased', '2027-01-05');
  expect(versionFaults(dated, { version: '0.3.0', tag: 'v0.3.0' })).toEqual([]);
});

it('a release from which nobody tried to upgrade', () => {
  expect(upgradeFaults(CHANGELOG, ['0.2.0.sql.gz'])).toEqual([]);
  expect(upgradeFaults(CHANGELOG, ['0.1.0.sql.gz'])).toEqual([expect.stringContaining('0.2.0')]);
});

it('an action at a tag', () => {
  const pinned = `uses: actions/checkout@${'3d'.repeat(20)} # v7.0.1`;
  expect(actionFaults('ci.yml', pinned)).toEqual([]);
  expect(actionFaults('ci.yml', 'uses: actions/checkout@v7')).toHaveLength(1);
  expect(actionFaults('ci.yml', pinned.replace(/ #.*/, ''))).toHaveLength(1);
});

it('a link that leads nowhere', () => {
  const exists = (path: string): boolean => path === 'templates/guides/operating.md';
  const text = '[a](operating.md#backup) [b](https://example.com) [c](#here)';
  expect(linkFaults('templates/guides/going-live.md', text, exists)).toEqual([]);
  expect(linkFaults('README.md', text, exists)).toEqual(['README.md: there is no operating.md.']);
});

it('a dependency that the list of parts leaves out', () => {
  const sbom = { components: [{ name: 'pg', version: '8.23.1' }] };
  expect(partFaults(sbom, { pg: '8.23.1' })).toEqual([]);
  expect(partFaults(sbom, { pg: '8.23.2', zod: '4.6.7' })).toHaveLength(2);
});
