/** Guarantee: nothing that `forestall` or its sub-paths load reads the environment. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const SOURCES = new URL('../../../src/', import.meta.url);

/** Every file of ours that `entry` loads, at once or later; imports of types only load nothing. */
function loadedBy(entry: string): string[] {
  const visited = new Set<string>();
  const open = [new URL(entry, SOURCES).pathname];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (visited.has(path)) continue;
    visited.add(path);
    const text = readFileSync(path, 'utf8');
    for (const [, clause = '', from = ''] of text.matchAll(
      /^(?:import|export) ([^;]*?)from '(\.[^']+)';/gms,
    )) {
      if (!clause.startsWith('type ')) open.push(new URL(from, `file://${path}`).pathname);
    }
    for (const [, from = ''] of text.matchAll(/\bimport\('(\.[^']+)'\)/g)) {
      open.push(new URL(from, `file://${path}`).pathname);
    }
  }
  return [...visited];
}

describe.each([
  'index.ts',
  'service/client/index.ts',
  'sandbox/index.ts',
  'running/testing/index.ts',
  'alerts/receive/signature.ts',
])('%s', (entry) => {
  it('loads no file that reads the environment', () => {
    const files = loadedBy(entry);
    // A warning tells; it reads nothing.
    const readers = files.filter((path) =>
      /process\.env|import (?!\{ emitWarning \})[^;]*'node:process'/.test(code(path)),
    );
    expect(readers).toEqual([]);
  });
});

it('the walk itself finds the reader where it is loaded, and what is loaded later', () => {
  expect(loadedBy('index.ts').some((path) => path.endsWith('src/forestall.ts'))).toBe(true);
  expect(
    loadedBy('people/cli/start.ts').some((path) => path.endsWith('src/running/config.ts')),
  ).toBe(true);
});

/** The text without its comments. */
function code(path: string): string {
  return readFileSync(path, 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
}
