/** The browser of a file's tests; where none can start, they are skipped, and say why. */
import type { Browser } from 'playwright-core';
import { beforeAll, beforeEach } from 'vitest';
import type { Launched } from './browser.ts';
import { launchBrowser } from './browser.ts';

export interface TestBrowser {
  /** @throws {Error} where none could start */
  get(): Browser;
  isThere(): boolean;
  /** Before the site is closed, to which it keeps connections. */
  close(): Promise<void>;
}

/** Starts it before the hooks that the file registers itself. */
export function useBrowser(): TestBrowser {
  let launched: Launched | undefined;
  beforeAll(async () => {
    launched = await launchBrowser();
    const { missing } = launched;
    if (missing !== undefined) process.stderr.write(`The browser tests are skipped: ${missing}\n`);
  });
  beforeEach((context) => {
    if (launched?.browser === undefined) context.skip(launched?.missing);
  });
  return {
    get(): Browser {
      if (launched?.browser === undefined) throw new Error('There is no browser.');
      return launched.browser;
    },
    isThere: () => launched?.browser !== undefined,
    close: async () => await launched?.browser?.close(),
  };
}
