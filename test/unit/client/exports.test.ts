/** Guarantee: every type that a signature of the client or the sandbox names can be imported by its name. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const SRC = new URL('../../../src/', import.meta.url).pathname;
const read = (file: string): string => readFileSync(SRC + file, 'utf8');

/** Names that an entry hands on, or declares. */
function exportsOf(entry: string): Set<string> {
  const source = read(entry);
  const handedOn = [...source.matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap(([, names = '']) =>
    names.split(',').map((name) => name.trim()),
  );
  return new Set([...handedOn, ...declaredIn(source)]);
}

function declaredIn(source: string): string[] {
  return [...source.matchAll(/^export (?:interface|type|class|function) (\w+)/gm)].map(
    ([, name = '']) => name,
  );
}

/** Types a file imports from files of ours. */
function typesIn(source: string): string[] {
  return [...source.matchAll(/import type \{([^}]*)\} from '\./g)].flatMap(([, names = '']) =>
    names.split(',').map((name) => name.trim()),
  );
}

/** What describes calls to the client's own parts; no signature names it. */
const INTERNAL = new Set(['', 'Endpoint', 'Query', 'Sender', 'SentCall']);

const RESOURCES = readdirSync(`${SRC}service/client/resources`).map(
  (file) => `service/client/resources/${file}`,
);

test.each(RESOURCES)('the client exports what %s names', (file) => {
  const source = read(file);
  const named = [...typesIn(source), ...declaredIn(source)].filter(
    (name) => !(INTERNAL.has(name) || name.startsWith('create')),
  );
  expect(named.length).toBeGreaterThan(2);
  const exported = exportsOf('service/client/index.ts');
  expect(named.filter((name) => !exported.has(name))).toEqual([]);
});

test('the sandbox exports what its interface and its options name', () => {
  const exported = exportsOf('sandbox/index.ts');
  const named = [read('sandbox/sandbox.ts'), read('sandbox/options.ts')].flatMap((source) => [
    ...typesIn(source),
    ...declaredIn(source),
  ]);
  const wanted = new Set(
    named.filter((name) => !['', 'resolveOptions', 'Settings'].includes(name)),
  );
  expect(wanted.size).toBeGreaterThan(30);
  expect([...wanted].filter((name) => !exported.has(name))).toEqual([]);
});
