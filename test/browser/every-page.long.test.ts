/**
 * Guarantee: on every page of the console no person meets a raw token of the interface where words exist, axe finds nothing
 * at a phone's, a small window's and a desk's width, light and dark, and nothing runs off the side.
 */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bringAxe, faultsOf, WCAG } from './support/axe.ts';
import { signIn } from './support/browser.ts';
import { findEveryPage } from './support/every-page.ts';
import type { Site } from './support/site.ts';
import { CONSOLE_TOKEN, openSite } from './support/site.ts';
import { useBrowser } from './support/use-browser.ts';

const browser = useBrowser();
let site: Site;
let page: Page;
let paths: readonly string[] = [];

beforeAll(async () => {
  site = await openSite();
  if (!browser.isThere()) return;
  page = await browser.get().newPage({ viewport: { width: 1440, height: 900 }, locale: 'en-US' });
  await bringAxe(page);
  await signIn(page, site.url, CONSOLE_TOKEN);
  paths = await findEveryPage(site, browser.get(), page);
});
afterAll(async () => {
  await browser.close();
  await site.close();
});

/** What is meant to be read as it is written: on which page, and why. */
const MEANT: readonly { readonly token: RegExp; readonly on: RegExp; readonly why: string }[] = [
  { token: /^FORESTALL_/, on: /./, why: 'a setting, named as it is set' },
  {
    token: /^mrch_/,
    on: /^\/ratios/,
    why: 'an option of a list holds no code, and names it by its id',
  },
];

/** A code of the interface, or the id of a merchant. */
const RAW = /\b[A-Z]{3,}_[A-Z_]+\b|\bmrch_\w+/g;

/**
 * What a person reads or hears: the texts and the names of controls. What stands in `code`, in a text that is quoted whole
 * or in a field that somebody writes in is the thing itself.
 */
const SAID = `(() => {
  const body = document.body.cloneNode(true);
  for (const quoted of body.querySelectorAll('code, pre, textarea, script, style')) quoted.remove();
  const named = [...body.querySelectorAll('[aria-label], [placeholder]')].map((each) =>
    [each.getAttribute('aria-label'), each.getAttribute('placeholder')].join(' '));
  const texts = document.createTreeWalker(body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode() !== null) named.push(texts.currentNode.data);
  return named.join(' ');
})()`;

describe('every page', () => {
  it('says in words what the interface says in codes', async () => {
    expect(paths.length).toBeGreaterThan(50);
    for (const path of paths) {
      await page.goto(site.url + path);
      const said: string = await page.evaluate(SAID);
      const raw = [...new Set(said.match(RAW))].filter(
        (token) => !MEANT.some((each) => each.token.test(token) && each.on.test(path)),
      );
      expect.soft(raw, path).toEqual([]);
    }
    // The look itself sees one.
    await page.evaluate(`document.querySelector('main').append('NETA_ALERT of mrch_1')`);
    expect((await page.evaluate<string>(SAID)).match(RAW)).toEqual(['NETA_ALERT', 'mrch_1']);
  });

  it('passes axe at 390, 1024 and 1440 px, light and dark, and is no wider than the window', async () => {
    for (const path of paths) {
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
      await page.goto(site.url + path);
      for (const [width, height] of [
        [1440, 900],
        [1024, 768],
        [390, 844],
      ] as const) {
        await page.setViewportSize({ width, height });
        const overflow = Number(
          await page.evaluate('document.documentElement.scrollWidth - innerWidth'),
        );
        expect.soft([path, width, Math.max(0, overflow)]).toEqual([path, width, 0]);
        for (const [colorScheme, rules] of [
          ['light', WCAG],
          // Only the colours are others.
          ['dark', ['color-contrast']],
        ] as const) {
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
          const at = [path, width, colorScheme];
          expect.soft([...at, await faultsOf(page, rules)]).toEqual([...at, []]);
        }
      }
    }
  }, 600_000);
});
