/**
 * A real Chromium, brought by npm, so that no set-up is needed. `CHROMIUM=/path` names another one.
 */
import { existsSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { chromium } from 'playwright-core';
import { unpackChromium } from './unpack-chromium.ts';

/**
 * Containers have neither a sandbox of their own nor a graphics card. Threads that compile and collect beside the pages take
 * the processor from other tests, for pages that are left at once.
 */
const ARGUMENTS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  '--js-flags=--single-threaded',
];

/** A browser, or why there is none on this machine. */
export type Launched =
  | { readonly browser: Browser; readonly missing?: undefined }
  | { readonly browser?: undefined; readonly missing: string };

/** Starts the browser, once per file. */
export async function launchBrowser(): Promise<Launched> {
  const own = process.env['CHROMIUM'];
  try {
    if (own !== undefined && !existsSync(own)) return { missing: `CHROMIUM names no file: ${own}` };
    const executablePath = own ?? (await unpackChromium());
    return { browser: await chromium.launch({ executablePath, args: ARGUMENTS }) };
  } catch (error) {
    // The binary is built for 64-bit Linux with glibc; elsewhere a system's Chromium will do.
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    return { missing: `no Chromium can start here (set CHROMIUM=/path to yours): ${reason}` };
  }
}

/** Signs in with a token. */
export async function signIn(page: Page, url: string, token: string): Promise<void> {
  await page.goto(`${url}/login`);
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1 }).waitFor();
}
