/**
 * A part of the build: removes the types that no entry of the package leads to. They cannot be imported, and they
 * are most of the types. Not part of the package itself.
 */
import { readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const MANIFEST = new URL('../package.json', import.meta.url);
/** The first argument, or `dist/`. */
const TARGET = process.argv[2] ?? new URL('../dist/', import.meta.url).pathname;

/** Every file that a file of types names: what it imports, exports on, or adds to. */
const NAMED = /(?:from|import\(|import|declare module)\s*['"](\.[^'"]+)['"]/g;

const reachable = new Set<string>();
const left = await entriesOf(MANIFEST);
for (let file = left.pop(); file !== undefined; file = left.pop()) {
  if (reachable.has(file)) continue;
  reachable.add(file);
  const text = await readFile(file, 'utf8');
  for (const [, name = ''] of text.matchAll(NAMED)) {
    left.push(join(dirname(file), name).replace(/\.[jt]s$/, '.d.ts'));
  }
}
for (const entry of await readdir(TARGET, { recursive: true, withFileTypes: true })) {
  const file = join(entry.parentPath, entry.name);
  if (file.endsWith('.d.ts') && !reachable.has(file)) await rm(file);
}

/** The types of everything that package.json lists under `exports`. */
async function entriesOf(manifest: URL): Promise<string[]> {
  const { exports }: { exports: Record<string, string | { readonly types: string }> } = JSON.parse(
    await readFile(manifest, 'utf8'),
  );
  return Object.values(exports)
    .flatMap((entry) => (typeof entry === 'string' ? [] : [entry.types]))
    .map((path) => join(TARGET, path.replace(/^\.\/dist\//, '')));
}
