/**
 * The examples of the API reference as files that can be compiled: each is what stands under `@example` at the
 * head of an entry, with the names of the package imported and what is the reader's own declared.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PackedKit } from './packed-kit.ts';

const REPOSITORY = new URL('../../../', import.meta.url).pathname;

/** What package.json says of an entry. */
interface Entry {
  readonly 'forestall-source': string;
  readonly require: { readonly types: string };
}

/** What examples take as given. */
const GIVEN = `
declare const apiKey: string;
declare const rawBody: Buffer;
declare const request: import('node:http').IncomingMessage;
declare const answer: (status: number) => void;
declare const expect: (value: unknown) => { toBe(value: unknown): void };
`;

/** Writes them below the project's `api/`. Answers how many there are. */
export async function writeApiExamples(kit: PackedKit): Promise<number> {
  const home = join(kit.root, 'node_modules/forestall');
  const { exports } = JSON.parse(await readFile(join(home, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, Entry | string>>;
  };
  const entries = Object.entries(exports).flatMap(([path, entry]) =>
    typeof entry === 'string' ? [] : [{ name: join('forestall', path), entry }],
  );
  const owner = new Map<string, string>();
  for (const { name, entry } of entries) {
    const declared = await readFile(join(home, entry.require.types), 'utf8');
    for (const [, value = ''] of declared.matchAll(/^export declare const (\w+):/gm))
      if (!owner.has(value)) owner.set(value, name);
  }
  await mkdir(join(kit.root, 'api'));
  let written = 0;
  for (const { entry } of entries) {
    const source = await readFile(join(REPOSITORY, entry['forestall-source']), 'utf8');
    const [head = ''] = /^\/\*\*[\s\S]*?\*\//.exec(source) ?? [];
    const [, example] = /@example\n([\s\S]*?)\n \*\//.exec(head) ?? [];
    if (example === undefined) continue;
    written += 1;
    const code = example.replaceAll(/^ \* ?/gm, '');
    const used = [...owner].filter(([value]) => new RegExp(`\\b${value}\\b`).test(code));
    const imports = used.map(([value, name]) => `import { ${value} } from '${name}';`);
    const body = `export async function example(): Promise<unknown> {\n${code}\nreturn undefined;\n}`;
    const text = `${imports.join('\n')}\n${GIVEN}\n${body}\n`;
    await writeFile(join(kit.root, `api/${written}.ts`), text);
  }
  return written;
}
