/** Guarantee: the client can be used alone: it reaches no part of the kit but kernel and wire. */
import { readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

const SRC = resolve(import.meta.dirname, '../../../src');

/** Every file and package that `entry` reaches through imports, those that wait included. */
function reach(entry: string, reached = new Set<string>()): Set<string> {
  if (reached.has(entry)) return reached;
  reached.add(entry);
  const text = readFileSync(entry, 'utf8');
  for (const [, target = ''] of text.matchAll(/(?: from |\bimport\()'([^']+)'/g)) {
    if (target.startsWith('.')) reach(resolve(dirname(entry), target), reached);
    else reached.add(target);
  }
  return reached;
}

test('the entry reaches client, kernel and wire, and the packages ky and zod', () => {
  const reached = [...reach(resolve(SRC, 'service/client/index.ts'))];
  const folders = reached
    .filter((file) => file.startsWith(SRC))
    .map((file) => dirname(relative(SRC, file)).split('/').slice(0, 2).join('/'));
  const packages = reached.filter((file) => !file.startsWith(SRC) && !file.startsWith('node:'));
  expect([...new Set(folders)].sort()).toEqual(['base/kernel', 'service/client', 'service/wire']);
  expect(packages.sort()).toEqual(['ky', 'zod']);
});
