/**
 * Guarantee: a person in a real browser can sign in, find an alert, read why, decide and watch it
 * resolve; each role is held to its limits; hostile text stays text; and every page passes axe, light and
 * dark, at 360 px.
 */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answersTo, refundCalls } from '../flow/support/books.ts';
import { bringAxe, faultsOf, WCAG } from './support/axe.ts';
import { signIn } from './support/browser.ts';
import { beginDraft, findEveryPage } from './support/every-page.ts';
import { HOSTILE_TEXTS } from './support/hostile.ts';
import type { Site } from './support/site.ts';
import { CONSOLE_TOKEN, openSite, raiseReview, raiseReviews } from './support/site.ts';
import { useBrowser } from './support/use-browser.ts';

const browser = useBrowser();
let site: Site;
/** What browsers complained about: blocked scripts and styles, errors of ours. */
const complaints: string[] = [];

beforeAll(async () => {
  site = await openSite();
});
afterAll(async () => {
  await browser.close();
  await site.close();
});
beforeEach(() => {
  complaints.length = 0;
});

type ContextOptions = Parameters<Browser['newContext']>[0];

async function visit(
  token: string,
  options: ContextOptions = {},
): Promise<{ page: Page; context: BrowserContext }> {
  const context = await browser.get().newContext({
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
    // The only thing that is found opens at once.
    await page.waitForURL(`${site.url}/alerts/${alertId}`);
    const why = page.getByRole('heading', { name: 'Why' }).locator('xpath=following-sibling::*[1]');
    expect(await why.textContent()).toContain('REVIEW');
    expect(await page.locator('.candidates').textContent()).toContain(sale.charge.reference);

    await page.goto(`${site.url}/reviews`);
    await page.keyboard.press('r');
    await page.getByRole('radio', { name: sale.charge.reference }).check();
    await page.getByLabel('Reason').fill('The customer wrote to us.');
    await page.getByRole('button', { name: 'Refund up to $84.00', exact: true }).dblclick();
    await page.getByRole('status').waitFor();
    expect(await page.getByRole('status').textContent()).toBe(`Decided: ${alertId}.`);

    await page.goto(`${site.url}/alerts/${alertId}?log=yes`);
    await site.world.drain();
    await page.evaluate('htmx.trigger("#live", "refresh")');
    await page.locator('#live .state.good', { hasText: 'refunded' }).first().waitFor();
    const story = await page.locator('.timeline.story').textContent();
    expect(story).toContain('the reviewer decided to refund: The customer wrote to us.');
    expect(story).toContain('$84.00 went back to the cardholder.');
    expect(story).toContain('The service was told that it is refunded.');
    expect(await page.locator('.timeline.story li').count()).toBeGreaterThanOrEqual(5);
    expect(await page.locator('.timeline.story li').count()).toBeLessThanOrEqual(7);
    const timeline = await page.locator('.timeline:not(.story)').textContent();
    expect(timeline).toContain('the reviewer: decided to refund');
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
    await page.locator('.comments', { hasText: 'Waiting for the shop.' }).waitFor();
    const other = await visit(site.tokens.administrator);
    await other.page.goto(`${site.url}/reviews`);
    await other.page.locator('.rows .state.warn', { hasText: 'the reviewer' }).waitFor();
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
    await page.getByRole('link', { name: 'Full log, to the second' }).click();
    await page.getByText('the reviewer: handed the review over to the administrator').waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });
});

describe('the keyboard alone', () => {
  it('decides review after review, each opening with the focus where one types', async () => {
    // With REVIEWS=20 this is the proof that twenty take less than a minute.
    const all = Number(process.env['REVIEWS'] ?? 5);
    const accepted = Math.ceil(all * 0.75);
    const ids = await raiseReviews(site, all);
    const { page, context } = await visit(site.tokens.reviewer);
    await page.goto(`${site.url}/reviews`);
    const startedMs = performance.now();
    // Move down and back, tick and untick, and find out what the keys are.
    for (const key of ['j', 'j', 'k', 'k', 'x', 'x', '?', 'Escape']) await page.keyboard.press(key);
    await page.keyboard.press('a');
    for (let count = 0; count < accepted; count++) await decideOpen(page, count, []);
    // The last ones are refunded: the first charge of those that could be meant.
    for (const key of ['Escape', 'Escape', 'r']) await page.keyboard.press(key);
    await page.getByRole('radio').first().waitFor();
    const chooseFirst = ['Shift+Tab', 'Shift+Tab', 'Space', 'Tab', 'Tab'];
    for (let count = accepted; count < all; count++) await decideOpen(page, count, chooseFirst);
    const seconds = (performance.now() - startedMs) / 1_000;
    if (all === 20) process.stderr.write(`Twenty reviews: ${seconds.toFixed(1)} s\n`);
    expect(seconds).toBeLessThan(3 * all);
    const { db } = site.world.parts.database;
    const taken = await db
      .selectFrom('decision')
      .select(['alert_id', 'action'])
      .where('decided_by', '=', 'operator:the reviewer')
      .where('alert_id', 'in', ids)
      .execute();
    const count = (action: string): number => taken.filter((row) => row.action === action).length;
    expect([count('ACCEPT_DISPUTE'), count('REFUND')]).toEqual([accepted, all - accepted]);
    expect(new Set(taken.map((row) => row.alert_id)).size).toBe(all);
    expect(complaints).toEqual([]);
    await context.close();
  });

  /** Types into the form that is open, sends it, and waits until the decision is told. */
  async function decideOpen(page: Page, number: number, keys: readonly string[]): Promise<void> {
    await expect
      .poll(() => page.evaluate('document.activeElement?.id'), { timeout: 20_000 })
      .toBe('note');
    const alertId = await page.locator('#pane').getAttribute('data-alert');
    for (const key of keys) await page.keyboard.press(key);
    await page.keyboard.type(`Looked at number ${number} with care.`, { delay: 10 });
    await page.keyboard.press('Control+Enter');
    await page
      .getByRole('status')
      .filter({ hasText: String(alertId) })
      .waitFor();
  }

  it.each([
    ['are called back', ''],
    // What has arrived cannot be: it is shown, and takes the place that the next one was meant for.
    [
      'come all the same',
      'const ask = fetch; window.fetch = (path, options) => ask(path, { ...options, signal: undefined });',
    ],
  ])(
    'keeps what is pressed and typed for the last case, while those before it %s',
    async (_what, fetching) => {
      await raiseReviews(site, 3);
      const { page, context } = await visit(site.tokens.reviewer);
      await page.goto(`${site.url}/reviews`);
      const third = await page.locator('[data-queue] tbody tr').nth(2).getAttribute('data-alert');
      await page.evaluate(fetching);
      const asked: (() => Promise<void>)[] = [];
      await page.route(/\/reviews\?open=/, (route) => void asked.push(() => route.continue()));
      for (const key of ['j', 'j', 'a']) await page.keyboard.press(key);
      await page.keyboard.type('Looked at it.');
      await page.unroute(/\/reviews\?open=/);
      for (const answer of asked) await answer().catch(() => undefined);
      await page.getByRole('button', { name: 'Accept the dispute' }).waitFor();
      await expect.poll(() => page.locator('#note').inputValue()).toBe('Looked at it.');
      expect(await page.locator('#pane').getAttribute('data-alert')).toBe(third);
      expect(await page.locator('[data-queue] tr[aria-current]').getAttribute('data-alert')).toBe(
        third,
      );
      expect(complaints).toEqual([]);
      await context.close();
    },
  );

  it('leads to a place by g and its letter, pressed before the page is ready for them', async () => {
    const { page, context } = await visit(site.tokens.reviewer);
    // Our scripts have run; htmx, which begins now, has not.
    await context.addInitScript(`document.addEventListener('DOMContentLoaded', () => {
      if (location.pathname !== '/') return;
      for (const key of ['g', 's']) {
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
      }
    })`);
    await page.goto(site.url, { waitUntil: 'commit' });
    await page.waitForURL(`${site.url}/system`);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('keeps every letter of a search that is typed before the page is ready', async () => {
    const { page, context } = await visit(site.tokens.reviewer);
    await context.addInitScript(`document.addEventListener('DOMContentLoaded', () => {
      if (location.pathname !== '/') return;
      for (const key of ['/', 'n', 'e', 't']) {
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
      }
    })`);
    await page.goto(site.url);
    await expect.poll(() => page.getByLabel('Find an alert').inputValue()).toBe('net');
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('shows why a case cannot be opened, and keeps no key for it', async () => {
    await raiseReviews(site, 2);
    const { page, context } = await visit(site.tokens.reviewer);
    await page.goto(`${site.url}/reviews`);
    const gone = { status: 404, contentType: 'text/html', body: '<h1>Gone</h1>' };
    const loads: (() => Promise<void>)[] = [];
    // The page that says why is slow to come: the case before it still stands there.
    await page.route(/\/reviews\?open=/, async (route) => {
      if (route.request().isNavigationRequest()) loads.push(() => route.fulfill(gone));
      else await route.fulfill(gone);
    });
    await page.keyboard.press('j');
    await expect.poll(() => loads.length).toBe(1);
    await page.keyboard.press('a');
    for (const load of loads) await load().catch(() => undefined);
    await page.getByRole('heading', { name: 'Gone' }).waitFor();
    expect(new URL(page.url()).searchParams.get('action')).toBeNull();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('finds every command in the palette, and lets itself be switched off', async () => {
    const { alertId } = await raiseReview(site);
    const { page, context } = await visit(site.tokens.reviewer);
    await page.goto(`${site.url}/reviews?open=${alertId}`);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('accept the dis');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Accept the dispute' }).waitFor();
    await page.goto(`${site.url}/`);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('orders');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Orders', exact: true }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('····');
    expect(await page.getByLabel('Find an alert').inputValue()).toBe('····');
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page.getByRole('checkbox', { name: 'Keys of one letter are on' }).uncheck();
    await page.keyboard.press('Escape');
    await page.keyboard.press('/');
    expect(await page.evaluate('document.activeElement.id')).not.toBe('find');
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
    expect(await received.textContent()).toMatch(/Nov\s20,\s2026, 5:3\d\sAM/);
    expect(await received.getAttribute('title')).toMatch(/^2026-11-20 00:0\d UTC$/);
    await page.goto(`${site.url}/reviews`);
    expect(await page.locator('.keys-hint').textContent()).toBe('j k move · ? all keys');
    // On paper nothing scrolls: a list that keeps its height is printed over what follows it.
    await page.emulateMedia({ media: 'print' });
    for (const part of ['.queue .scroll', '.pane']) {
      const height = `getComputedStyle(document.querySelector('${part}')).maxHeight`;
      expect([part, await page.evaluate(height)]).toEqual([part, 'none']);
    }
    await page.emulateMedia({ media: 'screen' });
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
      `/alerts/${alertId}?log=yes`,
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
    await page.goto(`${site.url}/alerts/${alertId}?log=yes`);
    expect(await page.locator('.timeline:not(.story)').textContent()).toContain(
      '<script>window.pwned=1</script>',
    );
    expect(complaints).toEqual([]);
    await context.close();
  });
});

describe('every page', () => {
  it('passes axe in light, dark and at 360 px, where nothing runs off the side', async () => {
    const { page, context } = await visit(CONSOLE_TOKEN);
    const paths = [...(await findEveryPage(site, browser.get(), page)), '/nothing-here'];
    const phone = { width: 360, height: 740 };
    await bringAxe(page);
    for (const path of paths) {
      await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
      await page.setViewportSize(phone);
      await page.goto(site.url + path);
      expect([path, await faultsOf(page, WCAG)]).toEqual([path, []]);
      const overflow = 'document.documentElement.scrollWidth - innerWidth';
      expect([path, Number(await page.evaluate(overflow)) <= 0]).toEqual([path, true]);
      // Only the colours are others by day, and the navigation on a desk, which is that of the first page everywhere.
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
      await page.setViewportSize({ width: 1280, height: 740 });
      const within = path === '/' ? ':root' : 'main';
      expect([path, await faultsOf(page, ['color-contrast'], within)]).toEqual([path, []]);
    }
    await page.evaluate('document.querySelector("main").append(new Image())');
    expect(await faultsOf(page, WCAG)).toEqual([expect.stringContaining('image-alt')]);
    await context.close();
    expect(complaints).toEqual([]);
  });

  it('checks a policy while somebody types, and the draft passes axe', async () => {
    const { page, context } = await visit(CONSOLE_TOKEN);
    await bringAxe(page);
    await beginDraft(site, page);
    await page.getByLabel('Text (YAML)').fill('rules: []\notherwise: REFUNDS\n');
    await page.getByText('Did you mean "REFUND"?').waitFor();
    expect(await faultsOf(page, WCAG)).toEqual([]);
    await context.close();
    expect(complaints).toEqual([]);
  });
});
