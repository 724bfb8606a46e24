/**
 * Takes the pictures of every page: starts Forestall with nothing set, lets the demonstration play, signs in, and
 * photographs the console at three widths, the phone in dark, and the sandbox's pages; then, with two organisations, what
 * there is of several. Which pages there are is asked of the routes, so that a new one is never forgotten.
 *
 * Run with `npm run screenshots`. Brings its own Chromium; `CHROMIUM=/path` names another one, `PLAY_MS` how long the
 * demonstration plays first, `TARGET` another folder, `FORMAT=png` another format, `DARK=yes` every width in dark, `FULL=yes`
 * the whole height of each page, `ONLY=today,reviews` the pictures whose names begin so.
 */
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Browser, Locator, Page } from 'playwright-core';
import { openDatabase } from '../../src/base/db/connect.ts';
import { createFixedClock } from '../../src/base/kernel/clock.ts';
import { createLog } from '../../src/base/kernel/log.ts';
import { createShadowReports } from '../../src/capabilities/shadow-report/shadow-report.job.ts';
import { launchBrowser, signIn } from '../browser/support/browser.ts';
import { pageRoutes, walkPages } from '../browser/support/page-walk.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const TARGET = process.env['TARGET'] ?? join(ROOT, '.github/pages');
const FORMAT = process.env['FORMAT'] === 'png' ? 'png' : 'webp';
/** Until the stories of the demonstration have played, and everything that they lead to was judged, in milliseconds. */
const PLAY_MS = Number(process.env['PLAY_MS'] ?? 330_000);
/** Longest wait for the console, in milliseconds. */
const START_MS = 300_000;
/** Beginnings of the names of the pictures that are taken; all without one. */
const ONLY = process.env['ONLY']?.split(',');
const DAY_MS = 24 * 60 * 60_000;

/** The same for the demonstration with two organisations: alerts wait for people by then. */
const TWO_PLAY_MS = 90_000;

/** A desk, a tablet or a small window, a phone. */
const WIDTHS = {
  desktop: { width: 1440, height: 900 },
  tablet: { width: 1024, height: 768 },
  phone: { width: 390, height: 844 },
} as const;
const DESKTOP = WIDTHS.desktop;
const PHONE = WIDTHS.phone;

/** Pages that show more at another address than at the first one that a link leads to, by route. */
const BETTER = {
  '/reviews': '/reviews?sort=-amount',
  '/alerts': '/alerts?state=all',
  '/credits': '/credits?state=OPEN',
  '/representments': '/representments?state=all',
} as const;

const launched = await launchBrowser();
if (launched.browser === undefined) {
  console.error(launched.missing);
  process.exit(2);
}
await mkdir(TARGET, { recursive: true });
const { browser } = launched;
try {
  // A candidate that is judged beside the demonstration's policy.
  const shadow = join(ROOT, 'templates/policies/small-amounts.yaml');
  if (ONLY === undefined || !ONLY.every((name) => name.startsWith('organisations'))) {
    await whilePlaying(['start'], { FORESTALL_SHADOW_POLICY: shadow }, async (site, started) => {
      await endShadowDay(started.folder);
      await photograph(browser, site);
      const sandbox = /Sandbox\s+(http:\S+)\/sandbox/.exec(started.printed)?.[1] ?? '';
      await photographSandbox(browser, sandbox);
    });
  }
  if (isWanted('organisations') || isWanted('operators-of-all')) {
    const two = ['start', '--organisations', '2'];
    await whilePlaying(two, {}, (site) => photographOrganisations(browser, site));
  }
} finally {
  await browser.close();
}

/** Starts Forestall in a folder of its own, lets the demonstration play, and stops it afterwards. */
async function whilePlaying(
  words: readonly string[],
  settings: Readonly<Record<string, string>>,
  work: (site: Site, started: { printed: string; folder: string }) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'forestall-screenshots-'));
  const service = spawn(process.execPath, [join(ROOT, 'src/people/cli/main.ts'), ...words], {
    cwd: folder,
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  service.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString('utf8');
  });
  const addressOf = (): RegExpExecArray | null =>
    /Console\s+(http:\S+?)\/?\s+token in (\S+)/.exec(printed);
  try {
    // On a busy machine the past takes minutes to make; the stories begin with the console.
    for (let waited = 0; addressOf() === null && waited < START_MS; waited += 1_000) {
      if (service.exitCode !== null) break;
      await wait(1_000);
    }
    const address = addressOf();
    if (address === null) throw new Error(`Forestall did not start:\n${printed}`);
    await wait(words.length > 1 ? Math.min(PLAY_MS, TWO_PLAY_MS) : PLAY_MS);
    // Nobody looks at its terminal, so that the token lies in a file.
    const token = (await readFile(join(folder, address[2] ?? ''), 'utf8')).trim();
    await work({ url: address[1] ?? '', token }, { printed, folder });
  } finally {
    service.kill('SIGINT');
    await new Promise((done) => service.once('exit', done));
    await rm(folder, { recursive: true, force: true });
  }
}

/** What there is more where there are several organisations. */
async function photographOrganisations(by: Browser, { url, token }: Site): Promise<void> {
  for (const [width, viewport] of Object.entries(WIDTHS)) {
    const colorScheme = width === 'phone' || process.env['DARK'] === 'yes' ? 'dark' : 'light';
    const page = await by.newPage({ viewport, colorScheme, locale: 'en-US' });
    await signIn(page, url, token);
    if (width === 'desktop') await enterOperators(page, url);
    await page.goto(`${url}/organisations`);
    await shoot(page, `organisations-${width}`);
    await page.goto(`${url}/operators`);
    await shoot(page, `operators-of-all-${width}`);
    await page.goto(`${url}/organisations/brand-2/`);
    await page.locator('.switch summary').click();
    await shoot(page, `organisations-one-${width}`);
    await page.close();
  }
}

/** One for all organisations, and one with a right for one of them. */
async function enterOperators(page: Page, url: string): Promise<void> {
  for (const [name, role] of [
    ['Noor', 'administrator'],
    ['Kim', 'none'],
  ] as const) {
    await enterOperator(page, url, { name, role });
  }
  await page.getByLabel('Operator', { exact: true }).selectOption('Kim');
  await page.getByLabel('Role there').selectOption('reviewer');
  await press(page, page.getByRole('button', { name: 'Give the right' }));
}

/** Fills in the form for a person: the one for a program beside it has fields of the same names. */
async function enterOperator(
  page: Page,
  url: string,
  { name, role }: { readonly name: string; readonly role: string },
): Promise<void> {
  await page.goto(`${url}/operators`);
  const form = page.locator('form[action="/operators"]');
  await form.getByLabel('Name', { exact: true }).fill(name);
  // What a role is explained with may name another one.
  await form.getByRole('radio', { name: new RegExp(`^${role}\\b`) }).check();
  await press(page, form.getByRole('button', { name: 'Add', exact: true }));
  // A form that was refused would leave pages without what they are to show.
  await page.locator('main table').getByText(name, { exact: true }).first().waitFor();
}

/** Presses a button that leads to a page, and waits for that page: who goes on at once gives up what was sent. */
async function press(page: Page, button: Locator): Promise<void> {
  await Promise.all([page.waitForEvent('load'), button.click()]);
}

/** Writes the shadow's report of today, as a worker does once the day is over. */
async function endShadowDay(folder: string): Promise<void> {
  const note = await readFile(join(folder, '.forestall/running.json'), 'utf8');
  const { connectionString, organisationId } = JSON.parse(note);
  const log = createLog({ level: 'error' });
  const database = openDatabase({ connectionString, organisation: organisationId, log });
  try {
    const clock = createFixedClock(Date.now() + DAY_MS);
    await createShadowReports({ db: database.db, clock, organisationId }).runOnce();
  } finally {
    await database.close();
  }
}

interface Site {
  readonly url: string;
  readonly token: string;
}

/** The desk in light, the phone in dark, and between them a small window in light. */
async function photograph(browser: Browser, site: Site): Promise<void> {
  let pages: ReadonlyMap<string, string> | undefined;
  for (const [width, viewport] of Object.entries(WIDTHS)) {
    const isDark = width === 'phone' || process.env['DARK'] === 'yes';
    const colorScheme = isDark ? 'dark' : 'light';
    const page = await browser.newPage({ viewport, colorScheme, locale: 'en-US' });
    await signIn(page, site.url, site.token);
    pages ??= await findPages(page, site);
    for (const [route, path] of pages) {
      const name = `${nameOf(route)}-${width}`;
      if (!isWanted(name)) continue;
      await page.goto(site.url + path);
      await shoot(page, name);
    }
    await page.close();
  }
}

function isWanted(name: string): boolean {
  return ONLY === undefined || ONLY.some((beginning) => name.startsWith(beginning));
}

/** `/credits/:id` is `credits-one`; Today is `today`. */
function nameOf(route: string): string {
  const words = route.replaceAll(/:\w+/g, 'one').split('/');
  return words.filter((word) => word !== '').join('-') || 'today';
}

/** One address of each page. What only a form leads to is opened by it. */
async function findPages(page: Page, { url }: Site): Promise<ReadonlyMap<string, string>> {
  const get = async (path: string): Promise<string> => {
    const answer = await page.request.get(url + path);
    return await answer.text();
  };
  const firstOn = async (path: string, pattern: RegExp): Promise<string[]> =>
    [...(await get(path)).matchAll(pattern)].slice(0, 1).map(([, id]) => id ?? '');
  // A refunded alert shows every kind of step.
  const refunded = await firstOn('/alerts?state=DECLARED_REFUND', / href="(\/alerts\/[^"?]+)"/g);
  const held = await firstOn('/reviews', /<tr data-alert="([^"]+)"/g);
  const draft = await pathAfter(page, `${url}/policies`, 'Change the policy');
  const backtest =
    draft === undefined
      ? undefined
      : await pathAfter(page, url + draft, 'Save and try on the last 30 days');
  await enterOperator(page, url, { name: 'Noor', role: 'reviewer' });
  // A worker takes it up within seconds.
  await wait(10_000);
  const known = [
    ...refunded,
    ...held.map((id) => `/alerts/${id}/decide?action=REFUND`),
    ...held.map((id) => `/reviews/several?act=accept&id=${id}`),
    ...held.map((id) => `/reviews/several/done?act=refund&id=${id}`),
    ...[draft, backtest].filter((path) => path !== undefined),
    `/sent/${'A'.repeat(22)}`,
    '/system/resume',
    '/confirm',
    '/login',
  ];
  const found = new Map(await walkPages(get, known));
  for (const route of pageRoutes()) {
    if (!found.has(route)) console.error(`${route}: the demonstration has nothing to show there`);
  }
  for (const [route, path] of Object.entries(BETTER)) found.set(route, path);
  return found;
}

/** Where a button of a page leads; undefined where there is no such button. */
async function pathAfter(page: Page, url: string, name: string): Promise<string | undefined> {
  await page.goto(url);
  const button = page.getByRole('button', { name });
  if ((await button.count()) === 0) return undefined;
  await press(page, button);
  return new URL(page.url()).pathname;
}

async function photographSandbox(browser: Browser, url: string): Promise<void> {
  if (!isWanted('sandbox')) return;
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

async function shoot(page: Page, name: string): Promise<void> {
  // Charts are drawn, and the first refresh has not happened yet.
  await wait(500);
  const path = join(TARGET, `${name}.${FORMAT}`);
  if (FORMAT === 'png') {
    await page.screenshot({ path, fullPage: process.env['FULL'] === 'yes' });
    return;
  }
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 80 });
  await writeFile(path, Buffer.from(data, 'base64'));
  await session.detach();
}
