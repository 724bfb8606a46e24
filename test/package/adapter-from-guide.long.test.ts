/**
 * Guarantee: whoever writes an adapter from the guide alone, with the packed package and nothing else, gets one that keeps
 * every promise of the port; and the guide's fixture lets every check run that needs one.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { childEnv } from '../support/child-env.ts';
import { execFile } from '../support/child-process.ts';
import type { Examplepay } from './support/examplepay.ts';
import { startExamplepay } from './support/examplepay.ts';
import type { PackedKit } from './support/packed-kit.ts';
import { packKit } from './support/packed-kit.ts';

const run = promisify(execFile);
/** The suite waits some seconds for answers that do not come. */
const VERIFY_MS_MAX = 240_000;

let kit: PackedKit;
let provider: Examplepay;
let project: string;

beforeAll(async () => {
  [kit, provider] = await Promise.all([packKit(['@types/node']), startExamplepay()]);
  project = join(kit.root, 'adapter');
  await mkdir(project);
  const guide = join(kit.root, 'node_modules/forestall/templates/guides/writing-a-processor.md');
  const text = await readFile(guide, 'utf8');
  for (const [, code = '', name = ''] of text.matchAll(/^```ts\n(\/\/ ([\w.]+)\n.*?)^```$/gms)) {
    await writeFile(join(project, name), code);
  }
}, 400_000);
afterAll(async () => {
  await provider?.close();
  await kit?.remove();
});

interface Result {
  readonly verdict: string;
  readonly name: string;
  readonly detail: string;
}

async function verify(...args: string[]): Promise<readonly Result[]> {
  const main = join(kit.root, 'node_modules/forestall/dist/people/cli/main.js');
  const env = { ...childEnv(), EXAMPLEPAY_URL: provider.url, EXAMPLEPAY_KEY: 'key' };
  const asked = [main, 'verify', 'processor', './processor.ts', ...args];
  const options = { cwd: project, env, timeout: VERIFY_MS_MAX, maxBuffer: 2 ** 26 };
  const ran = run(process.execPath, asked, options);
  const { stdout } = await ran.catch((error: { stdout?: string }) => {
    if (error.stdout === undefined || error.stdout === '') throw error;
    return { stdout: error.stdout };
  });
  return [...stdout.matchAll(/^(passed|failed|FAILED|skipped) +([\w.]+)(?:: (.*))?$/gm)].map(
    ([, verdict = '', name = '', detail = '']) => ({ verdict, name, detail }),
  );
}

it('keeps every promise, and no check is skipped for want of a fixture', {
  timeout: 300_000,
}, async () => {
  const results = await verify('--fixture', './fixture.ts');
  expect(results.filter(({ verdict }) => verdict === 'passed').length).toBeGreaterThanOrEqual(65);
  // A provider that cannot be searched by card has no searches to try; nothing else is left out.
  expect(results.filter(({ verdict }) => verdict !== 'passed')).toEqual([
    {
      verdict: 'skipped',
      name: 'charge.search_by_facts',
      detail: 'no search but by reference is offered',
    },
  ]);
});

it('compiles, strictly, and alone', { timeout: 300_000 }, async () => {
  const config = {
    compilerOptions: {
      ...{ target: 'es2023', lib: ['es2024'], module: 'nodenext', types: ['node'], strict: true },
      ...{ noEmit: true, allowImportingTsExtensions: true, erasableSyntaxOnly: true },
      ...{ exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: true },
    },
    include: ['.'],
  };
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify(config));
  expect(await kit.compile(project)).toEqual({ status: 0, output: '' });
});
