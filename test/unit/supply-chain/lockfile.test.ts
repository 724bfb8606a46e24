/**
 * Guarantee: what is installed is pinned, has no known hole that the fault catalogue names (section
 * 1.2), runs no script of its own that was not allowed by name, and comes under a licence we may ship.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8'));

const entrySchema = z.object({
  version: z.string().optional(),
  license: z.string().optional(),
  resolved: z.string().optional(),
  integrity: z.string().optional(),
  dev: z.boolean().optional(),
  hasInstallScript: z.boolean().optional(),
});
const { packages } = z
  .object({ packages: z.record(z.string(), entrySchema) })
  .parse(read('package-lock.json'));
const versions = z.record(z.string(), z.string());
const manifest = z
  .object({
    dependencies: versions,
    optionalDependencies: versions,
    devDependencies: versions,
    allowScripts: z.record(z.string(), z.boolean()),
  })
  .parse(read('package.json'));

const FOLDER = 'node_modules/';
const installed = Object.entries(packages)
  .filter(([path]) => path !== '')
  .map(([path, entry]) => ({
    path,
    name: path.slice(path.lastIndexOf(FOLDER) + FOLDER.length),
    ...entry,
  }));

/** Lowest version without the hole, by package: faults.md 1.2. */
const FLOORS = {
  'body-parser': '2.3.0', // CVE-2026-12590, CVE-2025-13466
  qs: '6.14.2', // CVE-2025-15284, CVE-2026-2391
  'path-to-regexp': '8.4.0', // CVE-2026-4926
  kysely: '0.28.17', // CVE-2026-44635
  node: '24.14.1', // CVE-2026-21710
} as const;

/** Express of an earlier major, beside which tests put our receiver. Installed for development only. */
const TRIED_BESIDE = 'node_modules/express-4/';

function numbersOf(version: string): number[] {
  return (/^(\d+)\.(\d+)\.(\d+)/.exec(version) ?? []).slice(1).map(Number);
}

function isAtLeast(version: string, floor: string): boolean {
  const have = numbersOf(version);
  const need = numbersOf(floor);
  const at = need.findIndex((number, place) => have[place] !== number);
  return at === -1 || (have[at] ?? -1) > (need[at] ?? 0);
}

describe('the lockfile', () => {
  it.each(Object.entries(FLOORS))('has %s at %s or above, everywhere', (name, floor) => {
    const found = installed.filter(
      ({ name: each, path, dev }) =>
        each === name && !(dev === true && path.startsWith(TRIED_BESIDE)),
    );
    expect(found.length).toBeGreaterThan(0);
    for (const { path, version = '' } of found) {
      expect(isAtLeast(version, floor), `${path} ${version}`).toBe(true);
    }
  });

  it('has none of the versions that were published by thieves', () => {
    const bad = installed.filter(
      ({ name, version }) => name === 'axios' && ['1.14.1', '0.30.4'].includes(version ?? ''),
    );
    expect(bad).toEqual([]);
  });

  it('names no download host, and a checksum for everything', () => {
    expect(installed.filter(({ resolved }) => resolved !== undefined)).toEqual([]);
    expect(installed.filter(({ integrity }) => integrity === undefined)).toEqual([]);
  });

  it('runs install scripts of packages allowed by name only', () => {
    const running = installed.filter(({ hasInstallScript }) => hasInstallScript === true);
    expect(running.map(({ name }) => name).sort()).toEqual(
      Object.keys(manifest.allowScripts).sort(),
    );
  });
});

/** Packages whose manifest names no licence, and whose licence file does. */
const NAMED_IN_A_FILE = ['node_modules/png-js'];

function licenceFileOf(path: string): string {
  if (!NAMED_IN_A_FILE.includes(path)) return '';
  const text = readFileSync(new URL(`../../../${path}/LICENSE`, import.meta.url), 'utf8');
  return text.startsWith('MIT License\n') ? 'MIT' : '';
}

describe('what we ship', () => {
  it('pins every direct dependency to one version', () => {
    const { dependencies, optionalDependencies, devDependencies } = manifest;
    const all = { ...dependencies, ...optionalDependencies, ...devDependencies };
    const loose = Object.entries(all).filter(
      // `npm:name@1.2.3`: another version of it beside ours, which tests need.
      ([, version]) => !/^(?:npm:[\w@/.-]+@)?\d+\.\d+\.\d+(-\S+)?$/.test(version),
    );
    expect(loose).toEqual([]);
  });

  it('is under licences that allow it', () => {
    const allowed =
      /^\(?(MIT|ISC|Apache-2\.0|0BSD|BSD-[0-3]-Clause|BSD-0-Clause|MIT-0|MIT OR CC0-1\.0)\)?$/;
    const others = installed.filter(
      ({ dev, license, path }) => dev !== true && !allowed.test(license ?? licenceFileOf(path)),
    );
    expect(others.map(({ path, license }) => `${path}: ${license}`)).toEqual([]);
  });
});

describe('the comparison of versions', () => {
  it.each([
    ['2.3.0', '2.3.0', true],
    ['2.2.9', '2.3.0', false],
    ['3.0.0', '2.3.0', true],
    ['2.10.0', '2.9.9', true],
    ['0.28.16', '0.28.17', false],
    ['24.14.0', '24.14.1', false],
    ['', '1.0.0', false],
  ])('%s is at least %s: %s', (version, floor, expected) => {
    expect(isAtLeast(version, floor)).toBe(expected);
  });
});
