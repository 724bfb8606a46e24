/**
 * vitest's settings for the mutation run: the tests of one module, one at a time, with a database
 * where the module needs one.
 * `stryker.ts` names them in the environment, as Stryker has no other way to hand them to vitest for
 * constants, which it can break only by loading everything anew.
 */
import { defineConfig } from 'vitest/config';

const withDatabase = process.env['MUTATION_DATABASE'] !== undefined;

export default defineConfig({
  resolve: { conditions: ['forestall-source'] },
  ssr: { resolve: { conditions: ['forestall-source'] } },
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: (process.env['MUTATION_TESTS'] ?? 'test/unit/**/*.test.ts').split(','),
    maxWorkers: 1,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    globalSetup: withDatabase ? ['test/support/global-setup.ts'] : [],
    setupFiles: withDatabase ? ['test/support/prepared-statements.ts'] : [],
    env: { TZ: 'UTC' },
  },
});
