/**
 * Guarantee: nothing that a person must read is cut, torn or buried: amounts and times stand whole, numbers end under the
 * end of their heading, to the pixel, and on a phone nothing scrolls inside the page and the menu stands whole.
 */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFinding } from '../../src/base/findings/finding.store.ts';
import { signIn } from './support/browser.ts';
import type { Site } from './support/site.ts';
import { CONSOLE_TOKEN, fillPages, openSite, raiseReviews } from './support/site.ts';
import { useBrowser } from './support/use-browser.ts';

const browser = useBrowser();
let site: Site;
let representmentId = '';
/** A document and a dispute, whose files stand there page by page. */
let withPictures: readonly string[] = [];

/** The longest amounts that a queue meets: three digits after the point, and none with many before it. */
const LONG_AMOUNTS = [
  [4_567_123, 'KWD', 'KWD 4,567.123'],
  [123_456_789, 'JPY', '¥123,456,789'],
  [1_234_567, 'USD', '$12,345.67'],
] as const;

beforeAll(async () => {
  site = await openSite();
  ({ representmentId, withPictures } = await fillPages(site));
  const ids = await raiseReviews(site, LONG_AMOUNTS.length);
  for (const [index, [amountMinor, currency]] of LONG_AMOUNTS.entries()) {
    await site.world.parts.database.db
      .updateTable('alert')
      .set({ amount_minor: amountMinor, currency })
      .where('id', '=', ids[index] ?? '')
      .execute();
  }
});
afterAll(async () => {
  await browser.close();
  await site.close();
});

async function atWidth(width: number, height: number): Promise<Page> {
  const page = await browser.get().newPage({ viewport: { width, height }, locale: 'en-US' });
  await signIn(page, site.url, CONSOLE_TOKEN);
  return page;
}

/** Lists of many columns. */
const LISTS = [
  ...['/representments', '/representments?state=all', '/credits', '/activity', '/lookups'],
  ...[
    '/scheme-notices',
    '/events',
    '/orders',
    '/costs',
    '/alerts?state=all',
    '/representments/disputes',
  ],
] as const;

/** Moments of tables that are broken over more than two lines. */
const TORN_MOMENTS = `[...document.querySelectorAll('main table time')]
  .filter((each) => each.checkVisibility())
  .filter((each) => {
    const range = document.createRange();
    range.selectNodeContents(each);
    // Some blanks are of another font, whose boxes begin elsewhere on the same line.
    const { height } = range.getBoundingClientRect();
    const { lineHeight, fontSize } = getComputedStyle(each);
    return height > 2.5 * (parseFloat(lineHeight) || 1.4 * parseFloat(fontSize));
  })
  .map((each) => each.textContent)`;

/** Words of which a part is hidden: an amount, a moment, a state. */
const CUT = `[...document.querySelectorAll('.money, time, .state, h1, button, .button')]
  .filter((each) => each.checkVisibility())
  .filter((each) => {
    const box = each.getBoundingClientRect();
    for (let at = each; at !== null && at !== document.body; at = at.parentElement) {
      const style = getComputedStyle(at);
      if (style.clipPath !== 'none') return false;
      const edge = at.getBoundingClientRect();
      const cuts = style.overflowX === 'hidden' || style.overflowX === 'clip';
      if (cuts && (box.right > edge.right + 0.5 || at.scrollWidth > at.clientWidth + 1)) return true;
    }
    return box.right > innerWidth + 0.5;
  })
  .map((each) => each.textContent.trim())`;

/** Columns of numbers whose heading ends elsewhere than they do, each with the pixels between. */
const CROOKED = `[...document.querySelectorAll('table')].flatMap((table) => {
  const edge = (cell) => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    const boxes = [...range.getClientRects()].filter(({ width }) => width > 0);
    return Math.max(...boxes.map(({ right }) => right));
  };
  return [...(table.tHead?.rows[0].cells ?? [])].flatMap((heading, column) => {
    if (!heading.matches('.number') || !heading.checkVisibility()) return [];
    const texts = document.createTreeWalker(heading, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    range.selectNodeContents(texts.nextNode());
    const end = range.getBoundingClientRect().right;
    return [...table.tBodies[0].rows]
      .map(({ cells }) => cells[column])
      .filter((cell) => cell?.matches('.number') && cell.textContent.trim() !== '')
      .map((cell) => edge(cell) - end)
      .filter((apart) => Math.abs(apart) > 0.6)
      .map((apart) => heading.textContent + ' ' + apart.toFixed(1));
  });
})`;

/** Whether the pictures of pages have come whole, and stand within the page. */
const DRAWN = `[...document.querySelectorAll('.pages img')].every((each) =>
  each.complete && each.naturalWidth > 0 && each.getBoundingClientRect().right <= innerWidth)`;

/** Words of a drawing that stand beyond its edge. */
const BEYOND = `[...document.querySelectorAll('svg text')]
  .filter((each) => each.checkVisibility())
  .filter((each) => {
    const { left, right } = each.getBoundingClientRect();
    const edge = each.closest('svg').getBoundingClientRect();
    return left < edge.left - 0.5 || right > edge.right + 0.5;
  })
  .map((each) => each.textContent)`;

/** Tables that are wider than their place. */
const SIDEWAYS = `[...document.querySelectorAll('.table')]
  .filter((each) => each.scrollWidth > each.clientWidth + 1)
  .map((each) => each.getAttribute('aria-label') + ' ' + (each.scrollWidth - each.clientWidth))`;

/** What scrolls inside of the page. */
const SCROLLERS = `[...document.querySelectorAll('main *')]
  .filter((each) => each.checkVisibility())
  .filter((each) => {
    const { overflowX, overflowY } = getComputedStyle(each);
    const scrolls = (way) => way === 'auto' || way === 'scroll';
    return (scrolls(overflowX) && each.scrollWidth > each.clientWidth + 1) ||
      (scrolls(overflowY) && each.scrollHeight > each.clientHeight + 1);
  })
  .map((each) => each.tagName + '.' + each.className)`;

/** Pages with lists and figures. */
const PAGES = [
  ...['/', '/reviews', '/alerts?state=all', '/credits', '/representments', '/findings', '/orders'],
  ...['/events', '/figures', '/ratios', '/lookups', '/enrolments', '/scheme-notices', '/exports'],
  ...['/policies', '/system', '/operators', '/estate', '/evidence', '/activity', '/endpoints'],
  ...['/representments/documents', '/representments/disputes', '/representments/outcomes'],
];

describe.each([
  ['a desk', 1440, 900],
  ['a small window', 1024, 768],
  ['a phone', 390, 844],
] as const)('on %s', (_name, width, height) => {
  it('no amount, moment, state or button is cut, and numbers end under their heading', async () => {
    const page = await atWidth(width, height);
    for (const path of [...PAGES, `/representments/${representmentId}`, ...withPictures]) {
      await page.goto(`${site.url}${path}`);
      expect.soft(await page.evaluate(CUT), `${path}: cut`).toEqual([]);
      expect.soft(await page.evaluate(CROOKED), `${path}: crooked`).toEqual([]);
    }
    await page.close();
  });

  it('every page of a file is drawn, and no wider than its place', async () => {
    const page = await atWidth(width, height);
    for (const path of withPictures) {
      await page.goto(`${site.url}${path}`);
      const pictures = page.locator('.pages img');
      expect([path, (await pictures.count()) > 0]).toEqual([path, true]);
      for (const picture of await pictures.all()) {
        await picture.scrollIntoViewIfNeeded();
      }
      await expect.poll(() => page.evaluate(DRAWN), { timeout: 10_000 }).toBe(true);
    }
    await page.close();
  });

  it('no word of a chart is cut, however high its axis', async () => {
    const page = await atWidth(width, height);
    await page.goto(`${site.url}/ratios`);
    await page.evaluate(
      `for (const each of document.querySelectorAll('details')) each.open = true`,
    );
    expect(await page.locator('.line-chart svg text').count()).toBeGreaterThan(10);
    expect(await page.evaluate(BEYOND)).toEqual([]);
    // The longest that the axis writes.
    await page.evaluate(
      `for (const each of document.querySelectorAll('.tick[text-anchor="end"]')) if (each.textContent.endsWith('%')) each.textContent = '112.5 %'`,
    );
    expect(await page.evaluate(BEYOND)).toEqual([]);
    await page.close();
  });

  it('no list of many columns runs off the side', async () => {
    const page = await atWidth(width, height);
    for (const path of LISTS) {
      await page.goto(`${site.url}${path}`);
      expect.soft(await page.evaluate(SIDEWAYS), path).toEqual([]);
    }
    await page.close();
  });

  it('a moment in a table stands on two lines at most', async () => {
    const page = await atWidth(width, height);
    for (const path of LISTS) {
      await page.goto(`${site.url}${path}`);
      expect.soft(await page.evaluate(TORN_MOMENTS), path).toEqual([]);
    }
    // The look itself sees one.
    await page.evaluate(`(() => {
      const torn = document.createElement('time');
      torn.textContent = 'Nov 28, 2026, 11:58 PM';
      document.querySelector('main td').replaceChildren(torn);
      Object.assign(torn.style, { display: 'block', width: '1px', minWidth: '0', whiteSpace: 'normal' });
    })()`);
    expect(await page.evaluate(TORN_MOMENTS)).toHaveLength(1);
    await page.close();
  });

  it('the queue shows long amounts whole', async () => {
    const page = await atWidth(width, height);
    await page.goto(`${site.url}/reviews`);
    const shown = await page.locator('.queue tbody th .money').allTextContents();
    for (const [, , text] of LONG_AMOUNTS) expect(shown.map(spaced)).toContain(text);
    expect(await page.evaluate(CUT)).toEqual([]);
    await page.close();
  });
});

/** A space that does not break is a space. */
function spaced(text: string): string {
  return text.replaceAll('\u00a0', ' ');
}

describe('on a phone', () => {
  it('ratios stand within three screens', async () => {
    const page = await atWidth(390, 844);
    await page.goto(`${site.url}/ratios`);
    const height: number = await page.evaluate('document.documentElement.scrollHeight');
    expect(height).toBeLessThan(3 * 844);
    await page.close();
  });

  it('nothing scrolls inside of a page', async () => {
    const page = await atWidth(390, 844);
    for (const path of PAGES) {
      await page.goto(`${site.url}${path}`);
      expect.soft(await page.evaluate(SCROLLERS), path).toEqual([]);
      const width: number = await page.evaluate('document.documentElement.scrollWidth');
      expect.soft(width, `${path}: width`).toBeLessThanOrEqual(390);
    }
    await page.close();
  });

  it('the first review stands within 250 px, and what is done with several appears once one is ticked', async () => {
    const page = await atWidth(390, 844);
    await page.goto(`${site.url}/reviews`);
    const first = await page.locator('.queue tbody tr').first().boundingBox();
    expect(first?.y).toBeLessThan(250);
    expect(await page.locator('#several').isVisible()).toBe(false);
    await page.locator('.queue tbody input').first().check();
    expect(await page.locator('#several').isVisible()).toBe(true);
    await page.close();
  });

  it('the menu stands whole: two straight columns, no entry torn', async () => {
    const page = await atWidth(390, 844);
    await page.locator('.menu summary').click();
    const boxes: { left: number; right: number; rects: number }[] = await page.evaluate(
      `[...document.querySelectorAll('.side .wide li a')].map((each) => {
        const { left, right } = each.getBoundingClientRect();
        return { left: Math.round(left), right, rects: each.getClientRects().length };
      })`,
    );
    expect(boxes.length).toBeGreaterThan(15);
    expect(new Set(boxes.map(({ left }) => left)).size).toBe(2);
    expect(boxes.every(({ right, rects }) => right <= 390 && rects === 1)).toBe(true);
    const cut: string[] = await page.evaluate(
      `[...document.querySelectorAll('.side .wide li a')].filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.textContent)`,
    );
    expect(cut).toEqual([]);
    await page.close();
  });
});

describe('one locale and one time zone', () => {
  it('a German reader in Berlin sees every amount and moment one way, and UTC on hover', async () => {
    const page = await browser.get().newPage({ locale: 'de-DE', timezoneId: 'Europe/Berlin' });
    await signIn(page, site.url, CONSOLE_TOKEN);
    for (const path of ['/', '/reviews', '/figures', '/system', '/policies', '/exports']) {
      await page.goto(`${site.url}${path}`);
      // Texts that are quoted, and what only a pointer opens, are left aside.
      const said: string = await page.evaluate(`(() => {
        const main = document.querySelector('main').cloneNode(true);
        for (const quoted of main.querySelectorAll('pre, code, textarea, option, svg')) quoted.remove();
        return main.textContent;
      })()`);
      expect.soft(said.match(/\$[\d,]+\.\d\d(?![\d.])/g), path).toBeNull();
      expect.soft(said.match(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/g), path).toBeNull();
      const hovers: string[] = await page
        .locator('main time[data-local]')
        .evaluateAll((all: { title: string }[]) => all.map(({ title }) => title));
      expect
        .soft(
          hovers.every((title) => / UTC$/.test(title)),
          path,
        )
        .toBe(true);
    }
    await page.goto(`${site.url}/reviews`);
    const shown = await page.locator('.queue tbody th .money').allTextContents();
    expect(shown.map(spaced)).toContain('12.345,67 $');
    await page.close();
  });

  it('a heading sorts amounts by currency, then by size as money', async () => {
    const page = await atWidth(1440, 900);
    const values: string[] = await page.evaluate(`(async () => {
      const box = document.createElement('div');
      const cell = (title) => '<tr><th scope="row">x</th><td class="number"><span class="money" title="' + title + '">0</span></td></tr>';
      const rows = ['7193 JPY', '675.00 USD', '9.00 USD', '1000.00 EUR', '84.00 USD'].map(cell).join('');
      box.innerHTML = '<div class="table"><table><thead><tr><th>A</th><th class="number">Amount</th></tr></thead><tbody>' + rows + '</tbody></table></div>';
      document.querySelector('main').append(box);
      document.dispatchEvent(new CustomEvent('htmx:after:swap'));
      box.querySelector('thead th.number button').click();
      return [...box.querySelectorAll('.money')].map(({ title }) => title);
    })()`);
    expect(values).toEqual(['1000.00 EUR', '7193 JPY', '9.00 USD', '84.00 USD', '675.00 USD']);
    await page.close();
  });
});

describe('for whom a screen reader reads', () => {
  it('rows and boxes of the queue are named by amount, customer and card; what opened is said', async () => {
    const page = await atWidth(1440, 900);
    await page.goto(`${site.url}/reviews?sort=-amount`);
    const tree = await page.locator('.queue').ariaSnapshot();
    const name = /KWD\s4,567\.123, \p{L}+, card ending \d{4}/u;
    expect(tree).toMatch(new RegExp(`- link "${name.source}"`, 'u'));
    expect(tree).toMatch(new RegExp(`- checkbox "Tick ${name.source}"`, 'u'));
    expect(tree).not.toContain('Tick netalrt_');
    await page.keyboard.press('j');
    await page.locator('[data-announce]', { hasText: /^Opened: .*card ending/ }).waitFor({
      state: 'attached',
    });
    expect(await page.locator('main .skip').first().getAttribute('href')).toBe('#pane');
    await page.close();
  });

  it('Today has the worst finding first, above what waits, and tiles that lead on', async () => {
    const { db } = site.world.parts.database;
    await openFinding(db, {
      organisationId: site.world.parts.organisationId,
      kind: 'newer_and_milder',
      severity: 'warning',
      subject: 'charge',
      subjectId: 'ch_mild',
      evidence: {},
      nextStep: 'Look at it.',
      at: new Date(),
    });
    const page = await atWidth(1440, 900);
    await page.goto(`${site.url}/`);
    const first = page.locator('section[aria-labelledby="findings"] .banner').first();
    expect(await first.getAttribute('class')).toBe('banner error');
    const headings = await page.locator('#live h2').allTextContents();
    expect(headings.indexOf('What does not agree')).toBeLessThan(
      headings.indexOf('Needs a person first'),
    );
    await page.getByRole('link', { name: 'Need a decision' }).click();
    await page.waitForURL(`${site.url}/reviews`);
    await page.close();
  });
});
