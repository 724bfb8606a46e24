/**
 * Guarantee: the pages are made of every text of the repository and of every entry of the package, without a
 * link that leads nowhere; they can be searched, and older versions stay. Takes long: `npm run release:check`.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { childEnv } from '../support/child-env.ts';
import { execFile } from '../support/child-process.ts';

const ROOT = new URL('../../', import.meta.url).pathname;
const RELEASE = process.env['FORESTALL_TEST_RELEASE'] === '1';

describe.runIf(RELEASE)('with FORESTALL_TEST_RELEASE=1: the documentation site', () => {
  let folder: string;
  let site: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'forestall-site-'));
    // An older version is there already.
    await mkdir(join(folder, 'v0.0.9'));
    const compiler = join(ROOT, 'test/contract/support/typescript-5.ts');
    const args = [`--import=${compiler}`, join(ROOT, 'test/docs/site.ts'), '--out', folder];
    const options = { env: childEnv(), cwd: ROOT };
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, options);
    // A link that leads nowhere is a warning.
    expect(stderr).toBe('');
    site = join(stdout.trim(), '..');
  }, 300_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const page = (path: string): string => readFileSync(join(site, path), 'utf8');

  it('holds every guide, every page of the reference, and every entry', () => {
    const guides = join(ROOT, 'templates/guides');
    const texts = readdirSync(guides, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md') && !name.endsWith('README.md'))
      .map((name) => readFileSync(join(guides, name), 'utf8'));
    expect(texts.length).toBeGreaterThan(18);
    const titles = new Set(
      readdirSync(join(site, 'documents')).map(
        (name) => /<title>(.*?) \|/.exec(page(`documents/${name}`))?.[1],
      ),
    );
    for (const text of texts) expect(titles).toContain(/^# (.+)$/m.exec(text)?.[1]);
    const entries = readdirSync(join(site, 'modules'));
    expect(entries.sort()).toEqual([
      'forestall.html',
      'forestall_client.html',
      'forestall_sandbox.html',
      'forestall_signature.html',
      'forestall_testing.html',
    ]);
    expect(page('functions/forestall.createForestall.html')).toContain('ForestallOptions');
  });

  it('shows types of the language as they are', () => {
    expect(page('functions/forestall.createForestall.html')).toMatch(/Promise/);
    expect(page('interfaces/forestall.ForestallAlerts.html')).not.toMatch(/>any</);
  });

  it('can be searched, in texts and in names', () => {
    const found = /"(.+)"/.exec(page('assets/search.js'))?.[1] ?? '';
    const index = inflateSync(Buffer.from(found, 'base64')).toString();
    for (const word of ['createForestall', 'Going live in five steps', 'pgbouncer'])
      expect(index).toContain(word);
  });

  it('lists the versions that are there, and leads to the newest', () => {
    const list = readFileSync(join(folder, 'versions.html'), 'utf8');
    expect(list).toContain('./v0.0.9/index.html');
    expect(page('index.html')).toContain('../versions.html');
    const newest = /url=\.\/(v[\d.]+)\//.exec(
      readFileSync(join(folder, 'index.html'), 'utf8'),
    )?.[1];
    expect(existsSync(join(folder, newest ?? '', 'index.html'))).toBe(true);
    expect(newest).not.toBe('v0.0.9');
  });
});
