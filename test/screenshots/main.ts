/**
 * Takes the pictures of the README: starts Forestall with nothing set, lets the demonstration play,
 * signs in, and photographs the console at desktop and phone width.
 *
 * Run with `npm run screenshots`. Needs Chromium: `CHROMIUM=/path` when it is not in the usual place.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { chromium } from 'playwright-core';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const TARGET = join(ROOT, '.github');
/** Until most stories of the demonstration have played, in milliseconds. */
const PLAY_MS = Number(process.env['PLAY_MS'] ?? 75_000);

const WIDTHS = {
  desktop: { width: 1280, height: 860 },
  phone: { width: 390, height: 844 },
} as const;

if (!existsSync(CHROMIUM)) {
  console.error(`No Chromium at ${CHROMIUM}. Install it, or set CHROMIUM to its path.`);
  process.exit(2);
}
const folder = await mkdtemp(join(tmpdir(), 'forestall-screenshots-'));
const service = spawn(process.execPath, [join(ROOT, 'src/cli/main.ts'), 'start'], {
  cwd: folder,
  stdio: ['ignore', 'pipe', 'inherit'],
});
let printed = '';
service.stdout.on('data', (chunk: Buffer) => {
  printed += chunk.toString('utf8');
});
try {
  await wait(PLAY_MS);
  const address = /Console\s+(http:\S+)\s+token (\S+)/.exec(printed);
  if (address === null) throw new Error(`Forestall did not start:\n${printed}`);
  await photograph(address[1] ?? '', address[2] ?? '');
} finally {
  service.kill('SIGINT');
  await new Promise((done) => service.once('exit', done));
  await rm(folder, { recursive: true, force: true });
}

async function photograph(url: string, token: string): Promise<void> {
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  try {
    for (const [name, viewport] of Object.entries(WIDTHS)) {
      const page = await browser.newPage({ viewport });
      await signIn(page, url, token);
      await page.screenshot({ path: join(TARGET, `console-${name}.png`) });
      await page.locator('a[href^="/alerts/"]').first().click();
      await page.waitForLoadState();
      await page.screenshot({ path: join(TARGET, `alert-${name}.png`) });
      await page.close();
    }
  } finally {
    await browser.close();
  }
}

async function signIn(page: Page, url: string, token: string): Promise<void> {
  await page.goto(url);
  await page.locator('input[name="token"]').fill(token);
  await page.locator('form button').first().click();
  await page.waitForLoadState();
}
