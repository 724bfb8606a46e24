/**
 * `npm run mutation -- --planted`: makes each bug of `plants.ts` in a private copy of the project, runs
 * the tests that must notice it there, and tells which did not.
 */
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PlantedBug } from './plants.ts';
import { PLANTED } from './plants.ts';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));

/** What the tests need of the project. */
const COPIED = ['src', 'test', 'migrations', 'templates', 'package.json', 'tsconfig.json'];

/** A run that takes this long hangs, and a bug that makes tests hang is noticed, in milliseconds. */
const RUN_MS = 10 * 60_000;

/**
 * Plants the bugs whose names contain `only`, one at a time. Returns the exit status: 0 when every one
 * was noticed.
 *
 * @throws {RangeError} when no bug has such a name
 * @throws {Error} when the text that a bug replaces does not stand exactly once in its file
 */
export async function plant(
  only: string | undefined,
  print: (text: string) => void,
): Promise<number> {
  const bugs = PLANTED.filter(({ name }) => only === undefined || name.includes(only));
  if (bugs.length === 0) throw new RangeError('--only names no planted bug.');
  const copy = mkdtempSync(join(tmpdir(), 'forestall-planted-'));
  try {
    for (const name of COPIED) cpSync(join(PROJECT, name), join(copy, name), { recursive: true });
    symlinkSync(join(PROJECT, 'node_modules'), join(copy, 'node_modules'));
    let unnoticed = 0;
    const sound = new Set<string>();
    for (const bug of bugs) {
      await assertSound(bug, copy, sound);
      const noticed = await isNoticed(bug, copy);
      print(`${noticed ? 'noticed    ' : 'NOT NOTICED'} ${bug.name} (${pathOf(bug)})`);
      if (!noticed) unnoticed += 1;
    }
    print(`${bugs.length - unnoticed} of ${bugs.length} planted bugs noticed`);
    return unnoticed === 0 ? 0 : 1;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Tests that fail without a bug would notice anything. */
async function assertSound(bug: PlantedBug, copy: string, sound: Set<string>): Promise<void> {
  const key = `${bug.test} ${bug.only ?? ''}`;
  if (sound.has(key)) return;
  if ((await runTests(bug, copy)) !== 0) {
    throw new Error(`test/${bug.test} fails without any bug. Mend it first.`);
  }
  sound.add(key);
}

async function isNoticed(bug: PlantedBug, copy: string): Promise<boolean> {
  const path = join(copy, pathOf(bug));
  const source = readFileSync(path, 'utf8');
  const parts = source.split(bug.find);
  if (parts.length !== 2) {
    throw new Error(
      `The text to be broken stands ${parts.length - 1} times in ${pathOf(bug)}, not once: ${bug.find}`,
    );
  }
  writeFileSync(path, parts.join(bug.put));
  try {
    return (await runTests(bug, copy)) !== 0;
  } finally {
    writeFileSync(path, source);
  }
}

/** Below the project. */
function pathOf({ file }: PlantedBug): string {
  return file.startsWith('migrations/') ? file : `src/${file}`;
}

/** The exit status of the tests; anything but 0 when they hang. */
async function runTests({ test, only }: PlantedBug, copy: string): Promise<number | null> {
  const vitest = join(PROJECT, 'node_modules/vitest/vitest.mjs');
  const filter = [
    ...(only === undefined ? [] : ['-t', only]),
    ...(test.endsWith('.long.test.ts') ? ['--mode', 'long'] : []),
  ];
  const child = spawn(
    process.execPath,
    [vitest, 'run', '--bail=1', '--config', 'test/vitest.config.ts', `test/${test}`, ...filter],
    { cwd: copy, stdio: 'ignore', timeout: RUN_MS },
  );
  return await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code));
  });
}
