/**
 * Guarantee: a page that stays open says when the console cannot be reached, and since when what it shows was known. A form
 * keeps what was typed; one that got no answer says whether it was carried out, looked up by its own id.
 */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { signIn } from './support/browser.ts';
import type { Site } from './support/site.ts';
import { openSite, raiseReview } from './support/site.ts';
import { useBrowser } from './support/use-browser.ts';

const browser = useBrowser();
let site: Site;
let context: BrowserContext;
let page: Page;
let alertId: string;

beforeAll(async () => {
  site = await openSite();
  ({ alertId } = await raiseReview(site));
});
afterAll(async () => {
  await browser.close();
  await site.close();
});
beforeEach(async () => {
  await context?.close();
  context = await browser
    .get()
    .newContext({ locale: 'en-US', viewport: { width: 1100, height: 800 } });
  page = await context.newPage();
  await signIn(page, site.url, site.tokens.reviewer);
  await page.goto(`${site.url}/alerts/${alertId}`);
});

const NOTE = 'Waiting for the shop.';
const lost = () => page.locator('#lost');
const comments = async (): Promise<number> => {
  const { db } = site.world.parts.database;
  const rows = await db.selectFrom('review_comment').select('text').execute();
  return rows.length;
};

describe('the connection is gone', () => {
  it('and the page says since when, sends nothing, keeps what was typed, and goes on', async () => {
    const before = await comments();
    await context.setOffline(true);
    await lost().waitFor();
    expect(await lost().textContent()).toMatch(
      /^Connection lost since \d+:\d\d\s[AP]M; what is shown was known then\./,
    );
    await page.getByLabel('Comment').fill(NOTE);
    await page.getByRole('button', { name: 'Add the comment' }).click();
    await page.getByText('“Add the comment” was not sent.').waitFor();
    expect(await page.getByLabel('Comment').inputValue()).toBe(NOTE);
    expect(await comments()).toBe(before);

    await context.setOffline(false);
    await lost().waitFor({ state: 'detached' });
    expect(await page.getByLabel('Comment').inputValue()).toBe(NOTE);
    await page.getByRole('button', { name: 'Add the comment' }).click();
    await page.locator('.comments', { hasText: NOTE }).waitFor();
    expect(await comments()).toBe(before + 1);
  });

  it('or the console answers nothing, or an error: said with its cause', async () => {
    await page.route('**/health?*', async (route) => {
      const body = '<h1>The console cannot work now</h1><p>The database is the trouble: away.</p>';
      await route.fulfill({ status: 503, contentType: 'text/html', body });
    });
    await lost().waitFor();
    expect(await lost().textContent()).toMatch(
      /^The console cannot answer since .*; what is shown was known then\. The database is the trouble: away\./,
    );
    await page.unroute('**/health?*');
    await lost().waitFor({ state: 'detached' });
    // Nothing comes back at all.
    await page.route('**/*', () => undefined);
    await lost().waitFor();
    expect(await lost().textContent()).toContain('Connection lost since');
  });
});

describe('a form without an answer', () => {
  /** Sends a comment whose answer is lost, and comes back to the page. */
  async function sendInVain(reachesConsole: boolean): Promise<void> {
    const path = '**/comment';
    await page.route(path, async (route) => {
      if (reachesConsole) await route.fetch({ maxRedirects: 0 });
      await route.abort('connectionreset');
    });
    await page.getByLabel('Comment').fill(NOTE);
    await page.getByRole('button', { name: 'Add the comment' }).click();
    await page.waitForURL('chrome-error://**');
    await page.unroute(path);
    await page.goBack();
    await page.locator('#sent-before').waitFor();
  }

  it('that never came is not carried out, and what was typed is back', async () => {
    const before = await comments();
    await sendInVain(false);
    const words = await page.locator('#sent-before').textContent();
    expect(words).toMatch(
      /^“Add the comment”, sent at .*: It had not arrived at .*, and is not carried out/,
    );
    expect(words).toContain('What you had typed is back in its form.');
    expect(await page.getByLabel('Comment').inputValue()).toBe(NOTE);
    expect(await comments()).toBe(before);
    await page.getByRole('button', { name: 'Add the comment' }).click();
    await page.waitForURL(`${site.url}/alerts/${alertId}*`);
    await page.locator('#sent-before').waitFor({ state: 'detached' });
    expect(await comments()).toBe(before + 1);
  });

  it('that was carried out says so, and its form is empty', async () => {
    const before = await comments();
    await sendInVain(true);
    const words = await page.locator('#sent-before').textContent();
    expect(words).toMatch(/It was carried out at .*\. Do not send it again\./);
    expect(await page.getByLabel('Comment').inputValue()).toBe('');
    expect(await comments()).toBe(before + 1);
  });
});
