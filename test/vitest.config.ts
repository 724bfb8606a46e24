/** vitest's settings. The suite starts its own PostgreSQL and talks to 127.0.0.1 only. */
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  // The package imports itself by name (templates do): from its sources, not from a build.
  resolve: { conditions: ['forestall-source'] },
  ssr: { resolve: { conditions: ['forestall-source'] } },
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    // Most tests wait for PostgreSQL and for sockets: more workers than cores halve the time.
    maxWorkers: Math.max(3, availableParallelism()),
    // Generous: a busy machine is slow, and a test that hangs is found anyway.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    env: { TZ: 'UTC' },
  },
});
