/**
 * Guarantee: every command, option, template, link and policy that the guides show exists, and what the
 * README and CONTRIBUTING.md tell a reader to run and to read. Their TypeScript is type-checked with
 * the packed kit.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { readWindows } from '../../src/capabilities/credits/credit-windows.ts';
import { includedFileSchema } from '../../src/capabilities/estate/plan/estate.ts';
import { openEndpoints } from '../../src/capabilities/events/endpoints-file.ts';
import { createProgram } from '../../src/people/cli/program.ts';
import { loadPolicy } from '../../src/policy/load.ts';
import { installationSchema } from '../../src/running/installation/installation-file.ts';
import { readManifest } from '../../src/running/kit/template-manifest.ts';

const GUIDES = new URL('../../templates/guides/', import.meta.url);
const pages = readdirSync(GUIDES).filter((name) => name.endsWith('.md'));
// Those of `reference/` are looked at in reference.test.ts.
const guides = pages.map((name) => ({
  name,
  text: readFileSync(new URL(name, GUIDES), 'utf8'),
}));

function blocks(language: string): string[] {
  return guides.flatMap(({ text }) =>
    [...text.matchAll(new RegExp(`^ *\`\`\`${language}\\n(.*?)^ *\`\`\`$`, 'gms'))].map(
      ([, code = '']) => code,
    ),
  );
}

/** Lines of the guides' `sh` blocks. */
const commands = blocks('sh').flatMap((block) =>
  block
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== ''),
);

/** The help of the command at this path, empty when there is none. */
async function help(path: readonly string[]): Promise<string> {
  let command: Command | undefined = await createProgram(path);
  for (const name of path) command = command?.commands.find((each) => each.name() === name);
  return command?.helpInformation() ?? '';
}

/** Commands that have commands of their own, as far as the guides use them. */
const GROUPS = new Set([
  'credits',
  'estate',
  'operators',
  'organisations',
  'policy',
  'ratios',
  'reconcile',
  'representments',
  'sandbox',
  'verify',
]);

/** As many of the words as name a command. */
async function pathOf(words: readonly string[]): Promise<readonly string[]> {
  const path: string[] = [];
  for (const word of words) {
    if (word === '' || (await help([...path, word])) === '') break;
    path.push(word);
  }
  return path;
}

describe('the guides', () => {
  it('show commands that exist, with options that exist', async () => {
    expect(commands.length).toBeGreaterThan(15);
    const top = await help([]);
    for (const line of commands) {
      const [program, first = '', second = '', third = ''] = line.split(' ');
      expect(program, line).toBe('forestall');
      expect(top, line).toMatch(new RegExp(`^  ${first}\\b`, 'm'));
      const path = await pathOf([first, second, third]);
      const isGroup = GROUPS.has(first) && /^[a-z]+$/.test(second);
      if (isGroup) expect(path.length, line).toBeGreaterThan(1);
      const named = await help(path);
      for (const option of line.match(/--[a-z-]+/g) ?? []) expect(named, line).toContain(option);
    }
  });

  it('name templates that exist', () => {
    const names = readManifest().map(({ name }) => name);
    const named = commands.flatMap((line) => /^forestall add ([a-z]\S*)/.exec(line)?.[1] ?? []);
    const inText = guides.flatMap(({ text }) =>
      [...text.matchAll(/`forestall add ([a-z]+\/[a-z]+)`/g)].map(([, name = '']) => name),
    );
    expect(named.length).toBeGreaterThan(0);
    for (const name of [...named, ...inText]) expect(names).toContain(name);
  });

  it('show policies and files of windows that can be loaded', () => {
    const isWindows = (text: string): boolean => text.includes('valid_from:');
    const policies = blocks('yaml').filter(
      (text) => !isWindows(text) && !/^(?:rulesets|version|endpoints):/.test(text),
    );
    expect(policies.length).toBeGreaterThan(0);
    for (const text of policies) expect(() => loadPolicy(text, { file: 'guide' })).not.toThrow();
    const windows = blocks('yaml').filter(isWindows);
    expect(windows.length).toBeGreaterThan(0);
    for (const text of windows) expect(() => readWindows(text, 'guide')).not.toThrow();
  });

  it('show a file of endpoints that can be opened', async () => {
    const files = blocks('yaml').filter((text) => text.startsWith('endpoints:'));
    expect(files).toHaveLength(1);
    const folder = await mkdtemp(join(tmpdir(), 'forestall-endpoints-'));
    await writeFile(join(folder, 'endpoints.yaml'), files[0] ?? '');
    await writeFile(join(folder, 'shop.secret'), `whsec_${randomBytes(32).toString('base64')}\n`);
    expect(openEndpoints(join(folder, 'endpoints.yaml'))).toMatchObject([
      { name: 'shop', types: ['refund.confirmed', 'network_refund.recorded', 'alert.closed'] },
    ]);
    await rm(folder, { recursive: true });
  });

  it('show rulesets that can be read', () => {
    const rulesets = blocks('yaml').filter((text) => text.startsWith('rulesets:'));
    expect(rulesets.length).toBeGreaterThan(0);
    for (const text of rulesets) {
      expect(() => includedFileSchema.parse(parseYaml(text)), text).not.toThrow();
    }
  });

  it('show installation files that can be read', () => {
    const installations = blocks('yaml').filter((text) => text.startsWith('version:'));
    expect(installations.length).toBeGreaterThan(0);
    for (const text of installations) {
      expect(() => installationSchema.parse(parseYaml(text)), text).not.toThrow();
    }
  });

  it('link to pages that are there', () => {
    const links = guides.flatMap(({ text }) => [...text.matchAll(/\]\(([^)#]+\.md)\)/g)]);
    expect(links.length).toBeGreaterThan(4);
    for (const [, link = ''] of links) expect(existsSync(new URL(link, GUIDES)), link).toBe(true);
  });

  it('hold no block of a kind that nothing checks', () => {
    const kinds = guides.flatMap(({ text }) =>
      [...text.matchAll(/^ *```(\w*)\n(?:.*?)^ *```$/gms)].map(([, kind]) => kind),
    );
    // Those of other languages run in other-languages.test.ts.
    expect([...new Set(kinds)].sort()).toEqual(
      ['sh', 'ts', 'yaml', 'bash', 'python', 'php', 'go', 'ruby'].sort(),
    );
  });
});

const ROOT = new URL('../../', import.meta.url);
const { scripts } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8'));

describe.each(['README.md', 'CONTRIBUTING.md'])('%s', (name) => {
  const text = readFileSync(new URL(name, ROOT), 'utf8');

  it('names npm scripts that exist', () => {
    const named = [...text.matchAll(/npm (?:run )?(start|test(?::\w+)?|(?<=run )[a-z:]+)/g)];
    expect(named.length).toBeGreaterThan(3);
    for (const [line, script = ''] of named) expect(Object.keys(scripts), line).toContain(script);
  });

  it('names commands that exist, with options that exist', async () => {
    const top = await help([]);
    for (const [line, first = '', rest = ''] of text.matchAll(/`forestall ([a-z]+)([^`]*)`/g)) {
      expect(top, line).toMatch(new RegExp(`^  ${first}\\b`, 'm'));
      const second = /^ ([a-z-]+)/.exec(rest)?.[1] ?? '';
      const path = (await help([first, second])) === '' ? [first] : [first, second];
      for (const option of rest.match(/--[a-z-]+/g) ?? [])
        expect(await help(path), line).toContain(option);
    }
  });

  it('links to what is there', () => {
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link = '']) => link);
    expect(links.length).toBeGreaterThan(0);
    for (const link of links) expect(existsSync(new URL(link, ROOT)), link).toBe(true);
  });
});
