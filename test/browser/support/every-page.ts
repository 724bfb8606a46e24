/** The address of every page of the console, with something on each: what a form opens is opened here first. */
import type { Browser, Page } from 'playwright-core';
import { writeWorkerSettings } from '../../../src/alerts/cases/worker-settings.store.ts';
import { nowDate } from '../../../src/base/kernel/clock.ts';
import { signIn } from './browser.ts';
import { pageRoutes, walkPages } from './page-walk.ts';
import type { Site } from './site.ts';
import { fillPages, raiseReview } from './site.ts';

/** What some pages show besides, at another address. */
const FURTHER = [
  '/alerts?state=all',
  '/reviews?sort=-amount',
  '/credits?state=OPEN',
  '/representments?state=all',
  '/activity?kind=decision',
  '/events?state=refused',
  '/events?state=quarantined',
  '/events?state=polled',
];

/**
 * Fills the site, and finds every page of it. `page` is signed in as somebody who may do everything.
 *
 * @throws when a route has no page that a link leads to, or that is named here
 */
export async function findEveryPage(
  site: Site,
  browser: Browser,
  page: Page,
): Promise<readonly string[]> {
  const { representmentId, claimedId } = await fillPages(site);
  const { alertId, sale } = await raiseReview(site);
  const backtest = await finishedBacktest(site, browser);
  await beginDraft(site, page);
  const draft = new URL(page.url()).pathname;
  const readPage = async (path: string): Promise<string> => {
    const answer = await page.request.get(site.url + path);
    if (answer.status() !== 200) throw new Error(`${path} answered ${answer.status()}`);
    return await answer.text();
  };
  const found = await walkPages(readPage, [
    `/alerts/${alertId}`,
    `/alerts/${alertId}/decide?action=REFUND`,
    `/reviews/several?act=accept&id=${alertId}`,
    `/reviews/several/done?act=refund&id=${alertId}`,
    `/charges/${sale.charge.reference}`,
    `/representments/${representmentId}`,
    `/credits/${claimedId}`,
    backtest,
    draft,
    `/sent/${'A'.repeat(22)}`,
    '/system/resume',
    '/confirm',
    '/login',
  ]);
  const without = pageRoutes().filter((route) => !found.has(route));
  if (without.length > 0) throw new Error(`Nothing leads to ${without.join(', ')}`);
  return [
    ...found.values(),
    ...FURTHER,
    `/alerts/${alertId}?log=yes`,
    `/reviews?open=${alertId}&action=REFUND`,
  ];
}

/** Opens a draft of the policy, which no file says. */
export async function beginDraft(site: Site, page: Page): Promise<void> {
  const { database, organisationId, clock } = site.world.parts;
  const scope = { organisationId, now: nowDate(clock) };
  const settings = { mode: 'live' as const, hasProcessor: true, channels: [], pollSeconds: 120 };
  await writeWorkerSettings(database.db, scope, { ...settings, policy: 'console' });
  await page.goto(`${site.url}/policies`);
  await page.getByRole('button', { name: 'Change the policy' }).click();
  await page.getByLabel('Text (YAML)').waitFor();
}

/** Asked for by a person, run by the worker. */
async function finishedBacktest(site: Site, browser: Browser): Promise<string> {
  // What was decided before this moment.
  site.world.clock.advanceMs(1_000);
  const page = await browser.newPage();
  await signIn(page, site.url, site.tokens.administrator);
  await page.goto(`${site.url}/policies/backtests`);
  await page.getByLabel('Text of a new policy').fill('rules: []\notherwise: ACCEPT_DISPUTE');
  await page.getByRole('button', { name: 'Try it on the past' }).click();
  await page.getByText('waits for a worker').waitFor();
  await site.world.drain();
  // It does so by itself every two seconds.
  await page.evaluate('htmx.trigger("#live", "refresh")');
  await page.getByText('would have been decided otherwise').waitFor();
  const path = new URL(page.url()).pathname;
  await page.close();
  return path;
}
