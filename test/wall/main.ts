/**
 * `npm run wall`: runs the tests of the stores, and asks each statement of theirs a second time for no organisation, with
 * row level security on (`test/support/ask-as-nobody.ts`). Exit status 1: one saw something, or a store asked nothing.
 *
 * Arguments are the tests to run. @default those below, which together use every store
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Asked } from '../support/ask-as-nobody.ts';
import { EXCEPTIONS, SILENT } from './exceptions.ts';

const TESTS = ['test/integration', 'test/flow', 'test/unit'];
const SRC = new URL('../../src/', import.meta.url);

/** Runs the tests; resolves when they have ended, well or not: what they say is theirs. */
async function runTests(folder: string, tests: readonly string[]): Promise<void> {
  const child = spawn('npm', ['run', '--silent', 'test:only', '--', ...tests], {
    stdio: 'inherit',
    env: { ...process.env, FORESTALL_TEST_NOBODY: folder },
  });
  await new Promise((resolve) => child.once('close', resolve));
}

/** Which of two outcomes of a text is told. */
const RANKS: Readonly<Record<Asked['outcome'], number>> = {
  'asked before': 0,
  'not asked': 1,
  nothing: 2,
  refused: 3,
  seen: 4,
};

function readAsked(folder: string): readonly Asked[] {
  const all = readdirSync(folder).flatMap((name) =>
    readFileSync(join(folder, name), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Asked),
  );
  // Each process has asked it.
  const byText = new Map<string, Asked>();
  for (const asked of all) {
    const known = byText.get(asked.text);
    const stores = [...new Set([...(known?.stores ?? []), ...asked.stores])];
    const isBetter = known === undefined || RANKS[asked.outcome] > RANKS[known.outcome];
    byText.set(asked.text, { ...(isBetter ? asked : known), stores });
  }
  return [...byText.values()];
}

/** Others hold parts of statements, which the stores around them ask. */
function asksItself(file: string): boolean {
  return /\.execute|\.stream\(|pool\.query/.test(readFileSync(new URL(file, SRC), 'utf8'));
}

function isException({ text, outcome }: Asked): boolean {
  const short = text.replaceAll(/\s+/g, ' ').trim();
  return outcome !== 'seen' || Object.keys(EXCEPTIONS).some((start) => short.startsWith(start));
}

const folder = mkdtempSync(join(tmpdir(), 'forestall-wall-'));
try {
  const given = process.argv.slice(2);
  await runTests(folder, given.length === 0 ? TESTS : given);
  const asked = readAsked(folder);
  const counts = Object.groupBy(asked, ({ outcome }) => outcome);
  const stores = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.store.ts') && asksItself(file))
    .sort();
  const asking = new Set(
    asked.filter(({ outcome }) => outcome !== 'not asked').flatMap(({ stores: by }) => by),
  );
  const silent = stores.filter((file) => !asking.has(file) && !(file in SILENT));
  const broken = asked.filter((each) => !isException(each));
  const lines = [
    `${asked.length} statements asked for nobody: ${Object.entries(counts)
      .map(([outcome, list]) => `${list?.length} ${outcome}`)
      .join(', ')}`,
    `${stores.length} stores, ${stores.length - silent.length} of them heard`,
    ...(counts['not asked'] ?? []).map(({ file, detail }) => `not asked: ${file}: ${detail}`),
    ...silent.map((file) => `not heard: ${file}`),
    ...broken.map(({ file, text, detail }) => `seen: ${file}: ${detail}\n    ${text}`),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  if (silent.length + broken.length > 0) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true });
}
