/**
 * Takes the pictures of the README: starts Forestall with nothing set, lets the demonstration play,
 * signs in, and photographs the console's pages at three widths, in light and dark, and the sandbox's.
 *
 * Run with `npm run screenshots`. Brings its own Chromium; `CHROMIUM=/path` names another one, and
 * `PLAY_MS` how long the demonstration plays first.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser, signIn } from '../browser/support/browser.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const TARGET = process.env['TARGET'] ?? join(ROOT, '.github');
/** Until most stories of the demonstration have played, in milliseconds. */
const PLAY_MS = Number(process.env['PLAY_MS'] ?? 75_000);

/** A desk, a tablet or a small window, a phone. */
const WIDTHS = {
  desktop: { width: 1440, height: 900 },
  tablet: { width: 1024, height: 768 },
  phone: { width: 390, height: 844 },
} as const;
const DESKTOP = WIDTHS.desktop;
const PHONE = WIDTHS.phone;

/** Pages that are photographed at each width, by the name of the picture. */
const PAGES = {
  console: '/',
  reviews: '/reviews',
  alerts: '/alerts?state=all',
  alert: undefined,
  orders: '/orders',
  findings: '/findings',
  events: '/events',
  policies: '/policies',
  system: '/system',
} as const;

const launched = await launchBrowser();
if (launched.browser === undefined) {
  console.error(launched.missing);
  process.exit(2);
}
const folder = await mkdtemp(join(tmpdir(), 'forestall-screenshots-'));
const service = spawn(process.execPath, [join(ROOT, 'src/people/cli/main.ts'), 'start'], {
  cwd: folder,
  stdio: ['ignore', 'pipe', 'inherit'],
});
let printed = '';
service.stdout.on('data', (chunk: Buffer) => {
  printed += chunk.toString('utf8');
});
try {
  await wait(PLAY_MS);
  const address = /Console\s+(http:\S+?)\/?\s+token (\S+)/.exec(printed);
  if (address === null) throw new Error(`Forestall did not start:\n${printed}`);
  await photograph(launched.browser, { url: address[1] ?? '', token: address[2] ?? '' });
  const sandbox = /Sandbox\s+(http:\S+)\/sandbox/.exec(printed)?.[1] ?? '';
  await photographSandbox(launched.browser, sandbox);
} finally {
  await launched.browser.close();
  service.kill('SIGINT');
  await new Promise((done) => service.once('exit', done));
  await rm(folder, { recursive: true, force: true });
}

interface Site {
  readonly url: string;
  readonly token: string;
}

/** The desk in light, the phone in dark, and between them a small window in light. */
async function photograph(browser: Browser, site: Site): Promise<void> {
  for (const [width, viewport] of Object.entries(WIDTHS)) {
    const colorScheme = width === 'phone' ? 'dark' : 'light';
    const page = await browser.newPage({ viewport, colorScheme, locale: 'en-US' });
    await signIn(page, site.url, site.token);
    for (const [name, path] of Object.entries(PAGES)) {
      if (path === undefined) await openRefunded(page, site);
      else await page.goto(site.url + path);
      await shoot(page, `${name}-${width}`);
    }
    await page.close();
  }
}

async function photographSandbox(browser: Browser, url: string): Promise<void> {
  const page = await browser.newPage({ viewport: DESKTOP, colorScheme: 'light', locale: 'en-US' });
  await page.goto(`${url}/sandbox/page/alerts`);
  await page.locator('ul.rows summary').first().click();
  await shoot(page, 'sandbox-desktop');
  await page.close();
  const phone = await browser.newPage({ viewport: PHONE, colorScheme: 'dark', locale: 'en-US' });
  await phone.goto(`${url}/sandbox/page/webhooks`);
  await phone.getByRole('heading', { name: 'The newest deliveries' }).scrollIntoViewIfNeeded();
  await phone.locator('#the-newest-deliveries summary').first().click();
  await shoot(phone, 'sandbox-phone');
  await phone.close();
}

/** An alert that was refunded shows every kind of step. */
async function openRefunded(page: Page, { url }: Site): Promise<void> {
  await page.goto(`${url}/alerts?state=DECLARED_REFUND`);
  await page.locator('.cases a[href^="/alerts/"]').first().click();
  await page.getByRole('heading', { name: 'What happened' }).waitFor();
}

async function shoot(page: Page, name: string): Promise<void> {
  // Charts are drawn, and the first refresh has not happened yet.
  await wait(500);
  await page.screenshot({ path: join(TARGET, `${name}.png`) });
}
