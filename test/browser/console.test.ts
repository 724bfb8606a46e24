/**
 * Guarantee: a person in a real browser can sign in, find an alert, read why, decide and watch it
 * resolve; each role is held to its limits; hostile text stays text; and every page passes axe, light and
 * dark, at 360 px.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { nowDate } from '../../src/base/kernel/clock.ts';
import { writeWorkerSettings } from '../../src/books/insights/health.store.ts';
import { answersTo, refundCalls } from '../flow/support/books.ts';
import { launchBrowser, signIn } from './support/browser.ts';
import { HOSTILE_TEXTS } from './support/hostile.ts';
import type { Site } from './support/site.ts';
import { CONSOLE_TOKEN, fillPages, openSite, raiseReview } from './support/site.ts';

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
/** WCAG 2.2 AA, as axe names its parts. */
const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

let site: Site;
let browser: Browser | undefined;
let missing: string | undefined;
/** What browsers complained about: blocked scripts and styles, errors of ours. */
const complaints: string[] = [];

beforeAll(async () => {
  const launched = await launchBrowser();
  ({ browser, missing } = launched);
  if (missing !== undefined) process.stderr.write(`The browser tests are skipped: ${missing}\n`);
  site = await openSite();
});
afterAll(async () => {
  await browser?.close();
  await site.close();
});
beforeEach((context) => {
  if (browser === undefined) context.skip(missing);
  complaints.length = 0;
});

type ContextOptions = Parameters<Browser['newContext']>[0];

async function visit(
  token: string,
  options: ContextOptions = {},
): Promise<{ page: Page; context: BrowserContext }> {
  const context = await browser!.newContext({
    viewport: { width: 1100, height: 800 },
    locale: 'en-US',
    ...options,
  });
  const page = await context.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('status of 4')) {
      complaints.push(message.text());
    }
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await signIn(page, site.url, token);
  return { page, context };
}

describe('a reviewer', () => {
  it('finds an alert, reads why, decides by keyboard, and watches it resolve; money moves once', async () => {
    const { alertId, sale } = await raiseReview(site);
    const { page, context } = await visit(site.tokens.reviewer);

    await page.getByLabel('Find an alert').fill(sale.charge.card_last4);
    await page.getByLabel('Find an alert').press('Enter');
    await page.getByRole('link', { name: alertId }).click();
    const why = page.getByRole('heading', { name: 'Why' }).locator('xpath=following-sibling::*[1]');
    expect(await why.textContent()).toContain('REVIEW');
    expect(await page.locator('.candidates').textContent()).toContain(sale.charge.reference);

    await page.goto(`${site.url}/reviews`);
    await page.keyboard.press('r');
    await page.getByRole('heading', { name: 'Refund?' }).waitFor();
    await page.getByRole('radio', { name: sale.charge.reference }).check();
    await page.getByLabel('Reason').fill('The customer wrote to us.');
    await page.getByRole('button', { name: 'Refund', exact: true }).dblclick();
    await page.getByRole('status').waitFor();
    expect(await page.getByRole('status').textContent()).toContain('The decision is taken.');

    await site.world.drain();
    await page.evaluate('htmx.trigger("#live", "refresh")');
    await page.locator('#live .state.good', { hasText: 'refunded' }).first().waitFor();
    const timeline = await page.locator('.timeline').textContent();
    expect(timeline).toContain('the reviewer: decided REFUND');
    expect(timeline).toContain('The processor confirmed the refund of $84.00');
    expect(refundCalls(site.world, sale.charge.reference)).toBe(1);
    expect(answersTo(site.world, alertId)).toEqual(['REFUND 200']);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('claims, comments and hands back', async () => {
    const { alertId } = await raiseReview(site);
    const { page, context } = await visit(site.tokens.reviewer);
    await page.goto(`${site.url}/alerts/${alertId}`);
    await page.getByRole('button', { name: 'Claim' }).click();
    await page.getByText('claimed by you').waitFor();
    await page.getByLabel('Comment').fill('Waiting for the shop.');
    await page.getByRole('button', { name: 'Add the comment' }).click();
    await page.getByText('the reviewer remarked: Waiting for the shop.').waitFor();
    const other = await visit(site.tokens.administrator);
    await other.page.goto(`${site.url}/reviews`);
    await other.page.getByText('with the reviewer').first().waitFor();
    await other.context.close();
    await page.getByRole('button', { name: 'Hand back' }).click();
    await page.getByRole('button', { name: 'Claim' }).waitFor();
    await page.getByText('Hand over to a colleague').click();
    // Meanwhile the page does not replace itself.
    let asked = 0;
    page.on('request', () => {
      asked += 1;
    });
    await page.evaluate('htmx.trigger("#live", "refresh")');
    // A viewer could not decide, and is no colleague here.
    expect(await page.getByLabel('Colleague').locator('option').allTextContents()).toEqual([
      'the administrator',
    ]);
    expect(asked).toBe(0);
    await page.getByRole('button', { name: 'Hand over' }).click();
    await page.locator('.state', { hasText: 'with the administrator' }).waitFor();
    await page.getByText('the reviewer: handed the review over to the administrator').waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });
});

describe('a viewer', () => {
  it('sees, and is offered nothing that changes anything', async () => {
    const { alertId } = await raiseReview(site);
    const { page, context } = await visit(site.tokens.viewer, { timezoneId: 'Asia/Kolkata' });
    await page.goto(`${site.url}/alerts/${alertId}`);
    await page.getByText('deciding takes the role reviewer').waitFor();
    expect(await page.locator('main form, main a.button').count()).toBe(0);
    // 2026-11-20T00:00 UTC is half past five in Kolkata; UTC is told on hover.
    const received = page.locator('dt', { hasText: 'Received' }).locator('+ dd time');
    expect(await received.textContent()).toMatch(/Nov 20, 2026, 5:3\d\sAM/);
    expect(await received.getAttribute('title')).toMatch(/^2026-11-20 00:0\d UTC$/);
    await page.goto(`${site.url}/operators`);
    await page.getByText('This takes the role administrator; you are viewer.').waitFor();
    await context.close();
  });
});

/** Elements and handlers that no page of ours has: evaluated in the browser. */
const WHAT_WAS_BUILT = `({
  pwned: 'pwned' in window,
  elements: document.querySelectorAll('main :is(script, style, img, iframe, object, embed, base, link, meta, video, audio, marquee, math, template, animate), main [srcdoc], main [formaction]').length,
  handlers: [...document.querySelectorAll('*')].filter((element) =>
    [...element.attributes].some(({ name, value }) =>
      name.startsWith('on') || name.startsWith('hx-on') || /^\\s*javascript:/i.test(value))).length,
})`;

describe('hostile text', () => {
  it('builds nothing and runs nothing, wherever it is shown', async () => {
    const { alertId, sale } = await raiseReview(site);
    const { db } = site.world.parts.database;
    const { organisationId } = site.world.parts;
    const at = new Date(site.world.clock.nowMs());
    await db
      .insertInto('review_comment')
      .values(
        HOSTILE_TEXTS.map((text) => ({
          organisation_id: organisationId,
          alert_id: alertId,
          operator: text,
          text,
          at,
        })),
      )
      .execute();
    const all = HOSTILE_TEXTS.join(' ');
    await db
      .updateTable('alert')
      .set({ descriptor: all, note: all, card_issuer: all, reason_code: all, card_scheme: all })
      .where('id', '=', alertId)
      .execute();
    await db.updateTable('alert_case').set({ last_error: all }).execute();
    await db.updateTable('order_record').set({ reason: all, error_code: all }).execute();
    await db.updateTable('decision').set({ sentence: all, rule: all }).execute();
    const { page, context } = await visit(CONSOLE_TOKEN);
    const paths = [
      `/alerts/${alertId}`,
      '/alerts?state=all',
      `/alerts?q=${encodeURIComponent(HOSTILE_TEXTS[9] ?? '')}`,
      '/',
      '/reviews',
      '/orders',
      `/orders/${sale.charge.order_reference}`,
    ];
    for (const path of paths) {
      await page.goto(site.url + path);
      const built = await page.evaluate(WHAT_WAS_BUILT);
      expect([path, built]).toEqual([path, { pwned: false, elements: 0, handlers: 0 }]);
    }
    await page.goto(`${site.url}/alerts/${alertId}`);
    expect(await page.locator('.timeline').textContent()).toContain(
      '<script>window.pwned=1</script>',
    );
    expect(complaints).toEqual([]);
    await context.close();
  });
});

describe('every page', () => {
  it('passes axe in light, dark and at 360 px, where nothing runs off the side', async () => {
    const { representmentId, claimedId } = await fillPages(site);
    const { alertId, sale } = await raiseReview(site);
    const backtest = await finishedBacktest();
    const paths = [
      '/',
      '/reviews',
      '/alerts?state=all',
      `/alerts/${alertId}`,
      `/alerts/${alertId}/decide?action=REFUND`,
      `/charges/${sale.charge.reference}`,
      '/lookups',
      '/enrolments',
      '/representments',
      `/representments/${representmentId}`,
      '/scheme-notices',
      '/ratios',
      '/figures',
      '/exports',
      '/shift',
      '/orders',
      `/orders/${sale.charge.order_reference}`,
      '/credits?state=OPEN',
      `/credits/${claimedId}`,
      '/findings',
      '/events',
      '/events?state=refused',
      '/events?state=quarantined',
      '/policies',
      '/policies/backtests',
      backtest,
      '/policies/shadow',
      '/system',
      '/system/resume',
      '/operators',
      '/operators/remove?name=the+viewer',
      '/confirm',
      '/nothing-here',
    ];
    const phone = { width: 360, height: 740 };
    const { page, context } = await visit(CONSOLE_TOKEN);
    for (const path of paths) {
      await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
      await page.setViewportSize(phone);
      await page.goto(site.url + path);
      // The policy of the page lets no inline script in; the debugger's own evaluation may.
      await page.evaluate(AXE);
      expect([path, await faultsOf(page, WCAG)]).toEqual([path, []]);
      const overflow = 'document.documentElement.scrollWidth - innerWidth';
      expect([path, Number(await page.evaluate(overflow)) <= 0]).toEqual([path, true]);
      // Only the colours are others by day, and the navigation on a desk.
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
      await page.setViewportSize({ width: 1280, height: 740 });
      expect([path, await faultsOf(page, ['color-contrast'])]).toEqual([path, []]);
    }
    await page.evaluate('document.querySelector("main").append(new Image())');
    expect(await faultsOf(page, WCAG)).toEqual([expect.stringContaining('image-alt')]);
    await context.close();
    expect(complaints).toEqual([]);
  });

  it('answers what people ask for in a few clicks from Today', async () => {
    const { database, organisationId, clock } = site.world.parts;
    const scope = { organisationId, now: nowDate(clock) };
    const settings = { mode: 'live' as const, hasProcessor: true, channels: [], pollSeconds: 120 };
    await writeWorkerSettings(database.db, scope, { ...settings, policy: 'console' });
    const { page, context } = await visit(CONSOLE_TOKEN);
    const clicks = async (...names: readonly string[]): Promise<void> => {
      await page.goto(site.url);
      for (const name of names) {
        await page.locator('main, .side .wide').getByText(name, { exact: true }).first().click();
      }
    };
    await clicks('Figures');
    await page.getByRole('heading', { name: 'Disputes won and lost' }).waitFor();
    await clicks('Webhook log');
    await page.getByText('Refused, 24 h').waitFor();
    const download = page.waitForEvent('download');
    await clicks('Exports', 'Refunds as CSV');
    expect((await download).suggestedFilename()).toMatch(/^refunds-.*\.csv$/);
    await clicks('Policies', 'Change the policy', 'Save and try on the last 30 days');
    await page.getByText('waits for a worker').waitFor();
    await context.close();
    expect(complaints).toEqual([]);
  });

  it('checks a policy while somebody types, and the draft passes axe', async () => {
    const { page, context } = await visit(CONSOLE_TOKEN);
    await page.goto(`${site.url}/policies`);
    await page.getByRole('button', { name: 'Change the policy' }).click();
    await page.getByLabel('Text (YAML)').fill('rules: []\notherwise: REFUNDS\n');
    await page.getByText('Did you mean "REFUND"?').waitFor();
    await page.evaluate(AXE);
    expect(await faultsOf(page, WCAG)).toEqual([]);
    await context.close();
    expect(complaints).toEqual([]);
  });

  /** Asked for by a person, run by the worker. */
  async function finishedBacktest(): Promise<string> {
    // What was decided before this moment.
    site.world.clock.advanceMs(1_000);
    const { page, context } = await visit(site.tokens.administrator);
    await page.goto(`${site.url}/policies/backtests`);
    await page.getByLabel('Text of a new policy').fill('rules: []\notherwise: ACCEPT_DISPUTE');
    await page.getByRole('button', { name: 'Try it on the past' }).click();
    await page.getByText('waits for a worker').waitFor();
    await site.world.drain();
    // It does so by itself every two seconds.
    await page.evaluate('htmx.trigger("#live", "refresh")');
    await page.getByText('would have been decided otherwise').waitFor();
    const path = new URL(page.url()).pathname;
    await context.close();
    return path;
  }

  async function faultsOf(page: Page, rules: readonly string[]): Promise<string[]> {
    const run = `axe.run(document, { runOnly: ${JSON.stringify(rules)}, resultTypes: ['violations'] })`;
    const result = (await page.evaluate(run)) as {
      violations: { id: string; nodes: { html: string }[] }[];
    };
    return result.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 300)}`);
  }
});
