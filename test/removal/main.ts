/**
 * `npm run removal`: what is left when a capability is deleted. For each folder below `src/capabilities`, one at a time, a copy
 * of the project without the folder and without its lines in the lists: its types are checked, the tests of the flow that do
 * not name it run, and among them `forestall start` answers an alert. Exit status 1: something named it that should not.
 *
 * `--only NAME`, repeated; `--types`: types only.
 */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { COMPILER } from '../support/compiler.ts';
import type { Sources } from './without.ts';
import { reaching, without } from './without.ts';

const ROOT = new URL('../../', import.meta.url).pathname;
const TYPES_MS_MAX = 600_000;
const TESTS_MS_MAX = 3_600_000;

const { values } = parseArgs({
  options: { only: { type: 'string', multiple: true }, types: { type: 'boolean', default: false } },
});

/** TypeScript as text; everything else is copied as it is. */
function readSources(): Sources {
  return new Map(
    ['src', 'test', 'templates'].flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .map((name): [string, string] => {
          const path = join(folder, name);
          return [path, readFileSync(join(ROOT, path), 'utf8')];
        }),
    ),
  );
}

function writeCopy(target: string, name: string, files: Sources): void {
  for (const folder of ['src', 'test', 'templates', 'migrations'])
    cpSync(join(ROOT, folder), join(target, folder), {
      recursive: true,
      filter: (path) => !/\.ts$/.test(path) && !path.includes(`/capabilities/${name}/`),
    });
  for (const file of ['package.json', 'tsconfig.json'])
    cpSync(join(ROOT, file), join(target, file));
  for (const [path, text] of files) {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    writeFileSync(join(target, path), text);
  }
  symlinkSync(join(ROOT, 'node_modules'), join(target, 'node_modules'));
}

/** Runs a command in the copy, and prints what it says only when it fails. */
function isWell(target: string, command: readonly string[], timeout: number): boolean {
  const [program = '', ...args] = command;
  const env = { ...COMPILER.env, ...process.env };
  const run = spawnSync(program, args, { cwd: target, env, encoding: 'utf8', timeout });
  if (run.status !== 0) process.stdout.write(`${run.stdout}${run.stderr}\n`);
  return run.status === 0;
}

/** Checks one. Returns what does not hold. */
function check(name: string, sources: Sources): string[] {
  const target = mkdtempSync(join(tmpdir(), `forestall-without-${name}-`));
  try {
    writeCopy(target, name, without(sources, name));
    const naming = reaching(sources, name);
    const outside = [...naming].filter(
      (path) => path.startsWith('src/') && !path.startsWith(`src/capabilities/${name}/`),
    );
    const exclude = [...naming].filter((path) => !path.startsWith('src/'));
    const config = { extends: './tsconfig.json', include: ['src', 'test', 'templates'], exclude };
    writeFileSync(join(target, 'tsconfig.removal.json'), JSON.stringify(config));
    const faults = outside.map((path) => `${path} names it`);
    const tsc = ['node_modules/.bin/tsc', '--noEmit', '-p', 'tsconfig.removal.json'];
    if (!isWell(target, tsc, TYPES_MS_MAX)) faults.push('the types do not hold');
    if (values.types) return faults;
    const tests = [...sources.keys()].filter(
      (path) => /^test\/flow\/[^/]+(?<!\.long)\.test\.ts$/.test(path) && !naming.has(path),
    );
    process.stdout.write(`${tests.length} tests of the flow without ${name}\n`);
    const vitest = ['node_modules/.bin/vitest', 'run', '--config', 'test/vitest.config.ts'];
    if (!isWell(target, [...vitest, ...tests], TESTS_MS_MAX)) faults.push('tests of the flow fail');
    return faults;
  } finally {
    rmSync(target, { recursive: true, force: true });
  }
}

const names = readdirSync(join(ROOT, 'src/capabilities'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name)
  .filter((name) => values.only === undefined || values.only.includes(name));
if (names.length === 0) throw new Error('There is no such capability.');
const sources = readSources();
for (const name of names) {
  const faults = check(name, sources);
  process.stdout.write(`without ${name}: ${faults.length === 0 ? 'works' : faults.join('; ')}\n`);
  if (faults.length > 0) process.exitCode = 1;
}
