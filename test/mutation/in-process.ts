/**
 * A test runner for Stryker: loads the tests once, in Stryker's own worker process, and runs those that reach a change again
 * and again. vitest's runner loads every test file anew for each change, which takes a second or two instead of some
 * milliseconds. `describe`, `it` and hooks are this file's; `expect` is vitest's.
 *
 * A database of a test file stays for all changes: each test makes an organisation of its own in it.
 *
 * A change of what is computed while files are loaded needs everything loaded anew: under another address, file by file, until a
 * test fails. What was loaded before stays in memory; Stryker starts another process when that is full.
 */
import { globSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { formatWithOptions } from 'node:util';

/** What vitest asks of the process that it runs in, so that its `expect` works outside. */
Object.assign(globalThis, { __vitest_worker__: { config: {}, environment: { name: 'node' } } });
const own = await import('vitest');

type Hook = () => unknown;

interface Suite {
  readonly name: string;
  readonly parent: Suite | undefined;
  readonly before: Hook[];
  readonly after: Hook[];
  /** Run once, before the first test of the group. */
  readonly beforeAll: Hook[];
  readonly afterAll: Hook[];
  isOpen: boolean;
}

interface OneTest {
  readonly id: string;
  readonly fileName: string;
  readonly suite: Suite;
  readonly run: Hook;
}

/** What Stryker's changed code reads and writes. */
interface Instrumented {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  mutantCoverage?: unknown;
}

const NAMESPACE = '__stryker__';

const instrumented: Instrumented = {};
Object.assign(globalThis, { [NAMESPACE]: instrumented });

/** Which time it is that everything is loaded. */
let round = 0;
const tests: OneTest[] = [];
let fileName = '';
let suite = group('', undefined);

function group(name: string, parent: Suite | undefined): Suite {
  return { name, parent, before: [], after: [], beforeAll: [], afterAll: [], isOpen: false };
}

function describe(name: string, body: Hook): void {
  const outer = suite;
  suite = group(name, outer);
  body();
  suite = outer;
}

function it(name: string, run: Hook): void {
  const path = [name];
  for (let at: Suite | undefined = suite; at !== undefined; at = at.parent) path.unshift(at.name);
  const id = `${fileName}#${path.join(' ').trim()}`;
  const same = tests.filter((each) => each.id === id || each.id.startsWith(`${id} #`)).length;
  tests.push({ id: same === 0 ? id : `${id} #${same + 1}`, fileName, suite, run });
}

type Each = (name: string, body: (...row: unknown[]) => unknown) => void;

/** A test, or a group, for each row; `%s` and the like in its name stand for what the row holds. */
function each(make: (name: string, body: Hook) => void): (rows: readonly unknown[]) => Each {
  return (rows) => (name, body) => {
    for (const row of rows) {
      const values = Array.isArray(row) ? row : [row];
      const holes = [...name.matchAll(/%[sdifjoO]/g)].length;
      const shown = values.slice(0, holes);
      make(formatWithOptions({ breakLength: Infinity }, name, ...shown), () => body(...values));
    }
  };
}

type Matchers = Readonly<Record<string, (...args: unknown[]) => unknown>>;

/** vitest's own asks which test it is in. */
function poll(read: Hook, { timeout = 1_000, interval = 50 } = {}): Matchers {
  const untilMs = performance.now() + timeout;
  const asking =
    (matcher: string) =>
    async (...args: unknown[]): Promise<void> => {
      for (;;) {
        const found = own.expect(await read()) as unknown as Matchers;
        try {
          found[matcher]?.(...args);
          return;
        } catch (error) {
          if (performance.now() > untilMs) throw error;
        }
        await setTimeout(interval);
      }
    };
  return new Proxy<Matchers>({}, { get: (_none, matcher) => asking(String(matcher)) });
}
Object.assign(own.expect, { poll });

const test = Object.assign(it, { each: each(it) });

const vitest = {
  ...own,
  ...{ test, it: test, describe: Object.assign(describe, { each: each(describe) }) },
  beforeEach: (hook: Hook) => suite.before.push(hook),
  afterEach: (hook: Hook) => suite.after.push(hook),
  beforeAll: (hook: Hook) => suite.beforeAll.push(hook),
  afterAll: (hook: Hook) => suite.afterAll.push(hook),
  inject: (name: string) => (name === 'postgresUrl' ? process.env['MUTATION_POSTGRES'] : undefined),
};
Object.assign(globalThis, { [Symbol.for('in-process vitest')]: vitest });

const SHIM = `data:text/javascript,${encodeURIComponent(`
  export const { ${Object.keys(vitest).join(', ')} } = globalThis[Symbol.for('in-process vitest')];
`)}`;

registerHooks({
  resolve: (specifier, context, next) => {
    if (specifier === 'vitest') return { url: SHIM, shortCircuit: true };
    const found = next(specifier, context);
    const isOurs = found.url.startsWith('file:') && !found.url.includes('/node_modules/');
    return isOurs ? { ...found, url: `${found.url}?${round}` } : found;
  },
});

if (process.env['MUTATION_POSTGRES'] !== undefined)
  await import('../support/prepared-statements.ts');
// What a change leaves behind when its test has failed already.
process.on('unhandledRejection', () => undefined);
process.on('uncaughtException', () => undefined);

const FILES = (process.env['MUTATION_TESTS'] ?? '').split(',').flatMap((each) => globSync(each));

/** The tests of one file. */
async function load(file: string): Promise<readonly OneTest[]> {
  const before = tests.length;
  fileName = file;
  suite = group('', undefined);
  await import(pathToFileURL(resolve(file)).href);
  return tests.slice(before);
}

async function loadAll(): Promise<readonly OneTest[]> {
  if (tests.length === 0) for (const file of FILES) await load(file);
  return tests;
}

const open: Suite[] = [];

async function openOnce(group: Suite): Promise<void> {
  if (group.isOpen) return;
  group.isOpen = true;
  open.push(group);
  for (const hook of group.beforeAll) await hook();
}

async function closeAll(): Promise<void> {
  for (const { afterAll } of open.splice(0)) for (const hook of afterAll) await hook();
}

/** What a test says against the code; undefined: nothing. */
async function failureOf({ suite: own, run }: OneTest): Promise<string | undefined> {
  const suites: Suite[] = [];
  for (let at: Suite | undefined = own; at !== undefined; at = at.parent) suites.unshift(at);
  try {
    for (const each of suites) await openOnce(each);
    for (const { before } of suites) for (const hook of before) await hook();
    await run();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    for (const { after } of suites.toReversed()) for (const hook of after) await hook();
  }
}

interface MutantRun {
  readonly testFilter?: readonly string[];
  readonly hitLimit?: number;
  readonly activeMutant: { readonly id: string };
  readonly mutantActivation: 'runtime' | 'static';
  readonly reloadEnvironment: boolean;
}

class InProcessRunner {
  capabilities() {
    return { reloadEnvironment: true };
  }

  /** Every test once, without a change, and which of them reach which. */
  async dryRun() {
    const results: unknown[] = [];
    for (const test of await loadAll()) {
      const startedMs = performance.now();
      instrumented.currentTestId = test.id;
      const failureMessage = await failureOf(test);
      instrumented.currentTestId = undefined;
      const timeSpentMs = performance.now() - startedMs;
      const told = { id: test.id, name: test.id, timeSpentMs, fileName: resolve(test.fileName) };
      results.push(
        failureMessage === undefined
          ? { ...told, status: 0 }
          : { ...told, status: 1, failureMessage },
      );
    }
    return { status: 'complete', tests: results, mutantCoverage: instrumented.mutantCoverage };
  }

  async dispose() {
    await closeAll();
  }

  /** The tests that reach a change, with it, until one fails. */
  async mutantRun(asked: MutantRun) {
    const { testFilter, hitLimit, activeMutant, mutantActivation, reloadEnvironment } = asked;
    if (reloadEnvironment) {
      instrumented.activeMutant = undefined;
      await closeAll();
      round += 1;
      tests.length = 0;
    }
    instrumented.activeMutant = undefined;
    instrumented.hitLimit = hitLimit;
    instrumented.hitCount = hitLimit === undefined ? undefined : 0;
    const chosen = testFilter === undefined ? undefined : new Set(testFilter);
    if (mutantActivation === 'runtime') {
      const all = await loadAll();
      instrumented.activeMutant = activeMutant.id;
      return (await noticed(all, chosen)) ?? { status: 'survived', nrOfTests: all.length };
    }
    instrumented.activeMutant = activeMutant.id;
    for (const file of FILES) {
      const killed = await load(file).then(
        async (some) => await noticed(some, chosen),
        (error: unknown) => killedBy(`${file}#`, error),
      );
      if (killed !== undefined) return killed;
    }
    return { status: 'survived', nrOfTests: tests.length };
  }
}

async function noticed(
  some: readonly OneTest[],
  chosen: ReadonlySet<string> | undefined,
): Promise<object | undefined> {
  for (const test of some) {
    if (chosen?.has(test.id) === false) continue;
    const failureMessage = await failureOf(test);
    const { hitCount = 0, hitLimit = Infinity } = instrumented;
    if (hitCount > hitLimit) return { status: 'timeout', reason: 'a loop that does not end' };
    if (failureMessage !== undefined) return killedBy(test.id, failureMessage);
  }
  return undefined;
}

function killedBy(id: string, failure: unknown): object {
  return { status: 'killed', killedBy: [id], failureMessage: String(failure), nrOfTests: 1 };
}

export const strykerPlugins = [
  { kind: 'TestRunner', name: 'in-process', injectableClass: InProcessRunner },
];
