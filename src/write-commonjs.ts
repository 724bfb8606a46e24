/**
 * The last part of the build: with each entry of the package one for `require`. It loads the same modules,
 * which Node can since 22.12, so nothing exists twice; and it has types that TypeScript lets a CommonJS file
 * import, under `node16` too. Not part of the package itself.
 */
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

const SOURCE = new URL('.', import.meta.url).pathname;
/** The first argument, or `dist/`. */
const TARGET = process.argv[2] ?? new URL('../dist/', import.meta.url).pathname;

/** What package.json lists under `exports`. */
const ENTRIES = [
  'index',
  'service/client/index',
  'sandbox/index',
  'alerts/receive/signature',
  'running/testing/index',
  'service/adapter/index',
  'capabilities/published-events',
];

for (const entry of ENTRIES) {
  const values: Readonly<Record<string, unknown>> = await import(join(SOURCE, `${entry}.ts`));
  const module = `./${basename(entry)}.js`;
  await writeFile(join(TARGET, `${entry}.cjs`), `module.exports = require('${module}');\n`);
  await writeFile(join(TARGET, `${entry}.d.cts`), typesOf(module, values));
}

/** Types as they are; each value with its type, because a CommonJS file may import only types from a module. */
function typesOf(module: string, values: Readonly<Record<string, unknown>>): string {
  const from = `'${module}' with { 'resolution-mode': 'import' };`;
  const lines = Object.entries(values).flatMap(([name, value]) => [
    `export declare const ${name}: typeof entry.${name};`,
    // A class is a type as well.
    ...(isClass(value) ? [`export type ${name} = entry.${name};`] : []),
  ]);
  return [`import type * as entry from ${from}`, `export type * from ${from}`, ...lines, ''].join(
    '\n',
  );
}

function isClass(value: unknown): boolean {
  return typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value));
}
