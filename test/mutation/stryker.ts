/**
 * One Stryker run: writes its settings, starts it as a process of its own, reads its report.
 *
 * Stryker reads `tsconfig.json` only to rewrite references, which this project has none of, and cannot
 * with this compiler: it is pointed at a file that does not exist.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { setup } from '../support/global-setup.ts';
import type { ModuleName, MutatedModule } from './modules.ts';
import { MODULES } from './modules.ts';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const WORK = '.forestall/mutation';

/** How a module did. */
export interface Score {
  readonly name: ModuleName;
  /** Changes that a test noticed, timeouts among them. */
  readonly killed: number;
  /** Changes that no test noticed, or that no test reaches. */
  readonly survived: number;
  readonly percent: number;
  /** One line each: where, what stands there, what was put there. */
  readonly survivors: readonly string[];
}

const place = z.object({ line: z.number(), column: z.number() });
const mutantSchema = z.object({
  status: z.string(),
  mutatorName: z.string(),
  replacement: z.string().optional(),
  location: z.object({ start: place, end: place }),
});
const report = z.object({
  files: z.record(z.string(), z.object({ source: z.string(), mutants: z.array(mutantSchema) })),
});

/** How a module is run. */
export interface How {
  /** Only what nobody noticed at the last run, and what was noticed where code or tests are others now; the score is of all. */
  readonly again: boolean;
  /** By vitest's own runner, which takes many times as long: to see that ours says the same. */
  readonly vitest: boolean;
}

/** vitest's own runner. */
const WITH_VITEST = {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'test/mutation/vitest.config.ts', related: false },
};

const IN_PROCESS = {
  testRunner: 'in-process',
  plugins: [`${PROJECT}test/mutation/in-process.ts`],
  testRunnerNodeArgs: ['--conditions=forestall-source'],
};

/** Runs Stryker on a module. @throws {Error} when it could not run at all */
export async function runModule(name: ModuleName, { again, vitest }: How): Promise<Score> {
  const { mutate, tests, database = false }: MutatedModule = MODULES[name];
  const folder = `${WORK}/${name}`;
  const fileName = `${folder}/report.json`;
  mkdirSync(`${PROJECT}${folder}`, { recursive: true });
  // Of an earlier run.
  rmSync(`${PROJECT}${fileName}`, { force: true });
  const settings = {
    mutate: mutate.map(linesOf),
    tsconfigFile: 'none.json',
    ...(vitest ? WITH_VITEST : IN_PROCESS),
    coverageAnalysis: 'perTest',
    incremental: true,
    incrementalFile: `${folder}/last.json`,
    force: !again,
    concurrency: 1,
    dryRunTimeoutMinutes: 30,
    timeoutMS: database ? 30_000 : 8_000,
    reporters: process.stdout.isTTY ? ['json', 'progress'] : ['json'],
    jsonReporter: { fileName },
    tempDirName: `${folder}/sandbox`,
    ignorePatterns: ['.forestall', 'templates/**/node_modules'],
    logLevel: 'warn',
  };
  if (again) forgetUnnoticed(`${PROJECT}${folder}/last.json`);
  writeFileSync(`${PROJECT}${folder}/settings.json`, JSON.stringify(settings));
  const run = async (more: Readonly<Record<string, string>>): Promise<number | null> =>
    await runStryker(`${folder}/settings.json`, { MUTATION_TESTS: tests.join(','), ...more });
  const code =
    database && !vitest
      ? await withPostgres(run)
      : await run(database ? { MUTATION_DATABASE: 'yes' } : {});
  if (code !== 0) throw new Error(`Stryker ended with status ${code} on ${name}.`);
  return scoreOf(name, readFileSync(`${PROJECT}${fileName}`, 'utf8'));
}

/** As Stryker is told: a source, or the lines of the one function that is named with it. @throws {Error} when it is not there */
function linesOf(source: string): string {
  const [file = '', name] = source.split('#');
  if (name === undefined) return file;
  const lines = readFileSync(`${PROJECT}${file}`, 'utf8').split('\n');
  const first = lines.findIndex((line) => line.startsWith(`export function ${name}(`));
  const last = lines.indexOf('}', first);
  if (first < 0 || last < 0) throw new Error(`There is no function ${name} in ${file}.`);
  return `${file}:${first + 1}-${last + 1}`;
}

/** Of what is computed while files are loaded Stryker does not see which tests reach it, and would keep an old "unnoticed". */
function forgetUnnoticed(fileName: string): void {
  if (!existsSync(fileName)) return;
  const last = lastRun.parse(JSON.parse(readFileSync(fileName, 'utf8')));
  for (const file of Object.values(last.files)) {
    file.mutants = file.mutants.filter((each) => !UNNOTICED.has(each.status));
  }
  writeFileSync(fileName, JSON.stringify(last));
}

const lastRun = z.looseObject({
  files: z.record(
    z.string(),
    z.looseObject({ mutants: z.array(z.looseObject({ status: z.string() })) }),
  ),
});

/** With a server of its own, as the tests have it. */
async function withPostgres(
  run: (more: Readonly<Record<string, string>>) => Promise<number | null>,
): Promise<number | null> {
  let url = '';
  const stop = await setup({ provide: (_name: string, value: string) => (url = value) });
  try {
    return await run({ MUTATION_POSTGRES: url });
  } finally {
    await stop();
  }
}

async function runStryker(
  settingsPath: string,
  settings: Readonly<Record<string, string>>,
): Promise<number | null> {
  const bin = `${PROJECT}node_modules/@stryker-mutator/core/bin/stryker.js`;
  const child = spawn(process.execPath, [bin, 'run', settingsPath], {
    cwd: PROJECT,
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
}

/** Reads Stryker's report. Changes that do not compile or are ignored count neither way. */
export function scoreOf(name: ModuleName, json: string): Score {
  const { files } = report.parse(JSON.parse(json));
  const mutants = Object.entries(files).flatMap(([file, { source, mutants: found }]) => {
    const lines = source.split('\n');
    return found.map((mutant) => ({ ...mutant, file, lines }));
  });
  const killed = mutants.filter(({ status }) => NOTICED.has(status)).length;
  const survivors = mutants.filter(({ status }) => UNNOTICED.has(status)).map(lineOf);
  const all = killed + survivors.length;
  const percent = all === 0 ? 0 : (100 * killed) / all;
  return { name, killed, survived: survivors.length, percent, survivors };
}

const NOTICED: ReadonlySet<string> = new Set(['Killed', 'Timeout']);
const UNNOTICED: ReadonlySet<string> = new Set(['Survived', 'NoCoverage']);

type Mutant = z.infer<typeof mutantSchema> & {
  readonly file: string;
  readonly lines: readonly string[];
};

function lineOf({ file, lines, location, mutatorName, replacement = '' }: Mutant): string {
  const { start, end } = location;
  const line = lines[start.line - 1] ?? '';
  const to = start.line === end.line ? end.column - 1 : line.length;
  const was = line.slice(start.column - 1, to).slice(0, 80);
  const now = replacement.replaceAll(/\s+/g, ' ').slice(0, 70);
  return `${file}:${start.line} ${mutatorName}: ${was} => ${now}`;
}

/** A small table. */
export function formatScores(scores: readonly Score[]): string {
  return scores
    .map(({ name, killed, survived, percent }) =>
      [
        name.padEnd(10),
        `${killed} killed`.padStart(12),
        `${survived} survived`.padStart(13),
        `${percent.toFixed(1)} %`.padStart(8),
      ].join(' '),
    )
    .join('\n');
}
