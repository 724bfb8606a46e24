/**
 * vitest's settings. The suite starts its own PostgreSQL and talks to 127.0.0.1 only.
 *
 * There are two kinds of test files. Those that run our code in the worker's own process, and leave it
 * as they found it, share their workers: loading all of our modules again for each of them took longer
 * than many of the tests. Everything else gets a process per file, and starts first because it is long.
 *
 * What costs most for what it proves is named `x.long.test.ts`: `npm run test:long` runs it, and only it. CI runs
 * both. Long are whole stories (of the order feed, of the service's faults, of a start), browsers, the packed
 * package, upgrades and many seeds; what a change of money, trust or the door must pass at once is not.
 */
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

// Many tests start a process of ours: read and compiled once, our modules load in half the time. Not for vitest's
// own workers: each of them would spend longer on writing down what it has compiled than it saves.
process.env['FORESTALL_TEST_COMPILE_CACHE'] ??= new URL(
  '../.forestall/compile-cache/',
  import.meta.url,
).pathname;

const shared = [
  'unit',
  'integration',
  'flow',
  'contract',
  'records',
  'capabilities',
  'crash',
  'upgrade',
  'templates/contracts',
  'templates/processors',
].map((name) => `test/${name}/**/*.test.ts`);

// The package imports itself by name (templates do): from its sources, not from a build.
const resolve = { conditions: ['forestall-source'] };

const common = {
  root: new URL('..', import.meta.url).pathname,
  // Most tests wait for PostgreSQL and for sockets, so there is one worker more than cores.
  maxWorkers: availableParallelism() + 1,
  // Generous: a busy machine is slow, and a test that hangs is found anyway.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 20_000 } },
  // Short-lived objects are many: a tenth of the time of the tests went into collecting them. The collector's
  // threads take the processor from another worker, and more of its time than one thread does.
  execArgv: ['--max-semi-space-size=64', '--single-threaded-gc'],
  env: { TZ: 'UTC' },
};

const LONG = 'test/**/*.long.test.ts';

export default defineConfig(({ mode }) => ({
  resolve,
  ssr: { resolve },
  test: {
    ...common,
    // Once for all projects, which therefore do not inherit it.
    globalSetup: ['test/support/global-setup.ts'],
    projects: [
      // vitest starts projects in the order of their names.
      {
        resolve,
        ssr: { resolve },
        test: {
          ...common,
          name: 'apart',
          ...(mode === 'long'
            ? { include: [LONG] }
            : { include: ['test/**/*.test.ts'], exclude: [...shared, LONG] }),
        },
      },
      {
        resolve,
        ssr: { resolve },
        test: {
          ...common,
          name: 'together',
          include: mode === 'long' ? [] : shared,
          exclude: [LONG],
          isolate: false,
          setupFiles: [
            'test/support/fixed-jitter.ts',
            'test/support/prepared-statements.ts',
            'test/support/walk-statements.ts',
            // See `npm run wall`.
            ...(process.env['FORESTALL_TEST_NOBODY'] === undefined
              ? []
              : ['test/support/ask-as-nobody.ts']),
          ],
        },
      },
    ],
  },
}));
