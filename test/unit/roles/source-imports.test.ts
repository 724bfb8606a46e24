/**
 * Guarantee: a processor's module is loaded as it lies there, whether its imports say `./words.ts`, `./words.js`
 * or `./words`, also in a package of CommonJS, as `npm init` makes one; what is not there at all is still said.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { childEnv } from '../../support/child-env.ts';
import { execFile } from '../../support/child-process.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'forestall-imports-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const METHODS = [
  'capabilities',
  'searchCharges',
  'readCharge',
  'findRefund',
  'refund',
  'voidCharge',
];

/** In a process of its own: Node loads modules there, and nobody else. */
const LOAD = `
const { importProcessor } = await import(process.argv[1]);
for (const path of process.argv.slice(2))
  console.log(await importProcessor(path).then(({ name }) => name, ({ message }) => message));
`;

it.each(['module', 'commonjs'])(
  'imports of neighbours are followed to their source: %s',
  async (type) => {
    await writeFile(join(folder, 'package.json'), JSON.stringify({ type }));
    await writeFile(join(folder, 'words.ts'), "export const name: string = 'mine';\n");
    const methods = [...METHODS, 'cancelSubscription'].map((method) => `${method}() {}`).join(', ');
    const module = (from: string): string =>
      `import { name } from '${from}';\nexport const processor = { name, ${methods} };\n`;
    const paths: string[] = [];
    for (const from of ['./words.ts', './words.js', './words', './nowhere.js']) {
      paths.push(join(folder, `processor-${paths.length}.ts`));
      await writeFile(paths.at(-1) ?? '', module(from));
    }
    const open = new URL('../../../src/running/roles/open-processor.ts', import.meta.url).href;
    const args = [
      '--conditions=forestall-source',
      '--input-type=module',
      '-e',
      LOAD,
      open,
      ...paths,
    ];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env: childEnv() });
    const [first, second, third, fourth] = stdout.split('\n');
    expect([first, second, third]).toEqual(['mine', 'mine', 'mine']);
    expect(fourth).toMatch(/cannot be loaded: Cannot find module .*nowhere/);
  },
);
