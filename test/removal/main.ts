/**
 * `npm run removal`: what is left when a capability is deleted. For each folder below `src/capabilities`, one at a time, a copy
 * of the project without the folder and without its lines in the lists: its types are checked, a few tests of the flow that do
 * not name it run, and `forestall start` answers an alert. Exit status 1: something named it that should not.
 *
 * `--together`: all of them at once. `--only NAME`, repeated; `--types`: types only.
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
/** Two processors that others share too are three times as slow. */
const TESTS_MS_MAX = 900_000;

/** An alert from its webhook to its answer, deadlines, and what nobody decided: enough to see that the flow is whole. */
const FLOW = [
  'test/flow/main-job.test.ts',
  'test/flow/deadline.test.ts',
  'test/flow/undecided.test.ts',
  'test/flow/webhooks.test.ts',
];
/** `forestall start` answers its first alert. */
const START = 'test/flow/start.long.test.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    together: { type: 'boolean', default: false },
    types: { type: 'boolean', default: false },
  },
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

function writeCopy(target: string, gone: readonly string[], files: Sources): void {
  for (const folder of ['src', 'test', 'templates', 'migrations'])
    cpSync(join(ROOT, folder), join(target, folder), {
      recursive: true,
      filter: (path) =>
        !/\.ts$/.test(path) && gone.every((name) => !path.includes(`/capabilities/${name}/`)),
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

/** Checks what is left without these. Returns what does not hold. */
function check(gone: readonly string[], sources: Sources): string[] {
  const target = mkdtempSync(join(tmpdir(), 'forestall-without-'));
  try {
    let left = sources;
    for (const name of gone) left = without(left, name);
    writeCopy(target, gone, left);
    const naming = new Set(gone.flatMap((name) => [...reaching(sources, name)]));
    const isOwn = (path: string): boolean =>
      gone.some((name) => path.startsWith(`src/capabilities/${name}/`));
    const outside = [...naming].filter((path) => path.startsWith('src/') && !isOwn(path));
    const exclude = [...naming].filter((path) => !path.startsWith('src/'));
    const config = { extends: './tsconfig.json', include: ['src', 'test', 'templates'], exclude };
    writeFileSync(join(target, 'tsconfig.removal.json'), JSON.stringify(config));
    const faults = outside.map((path) => `${path} names it`);
    const tsc = ['node_modules/.bin/tsc', '--noEmit', '-p', 'tsconfig.removal.json'];
    if (!isWell(target, tsc, TYPES_MS_MAX)) faults.push('the types do not hold');
    if (values.types) return faults;
    const vitest = ['node_modules/.bin/vitest', 'run', '--config', 'test/vitest.config.ts'];
    const flow = FLOW.filter((path) => left.has(path) && !naming.has(path));
    if (flow.length < 2) faults.push(`only ${flow.length} of the tests of the flow do not name it`);
    else if (!isWell(target, [...vitest, ...flow], TESTS_MS_MAX))
      faults.push('tests of the flow fail');
    if (naming.has(START)) faults.push('the test of the start names it');
    else if (!isWell(target, [...vitest, '--mode', 'long', START], TESTS_MS_MAX))
      faults.push('the start answers no alert');
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
for (const gone of values.together ? [names] : names.map((name) => [name])) {
  const faults = check(gone, sources);
  const said = faults.length === 0 ? 'works' : faults.join('; ');
  process.stdout.write(`without ${gone.join(', ')}: ${said}\n`);
  if (faults.length > 0) process.exitCode = 1;
}
