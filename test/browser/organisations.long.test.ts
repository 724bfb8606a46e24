/**
 * Guarantee: in a real browser one gets from the page of all organisations into one and on to another, and what is of
 * several organisations passes axe, light and dark, at 360 px.
 */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createFixedClock, nowDate } from '../../src/base/kernel/clock.ts';
import { addOperator, findOperator } from '../../src/surface/access/operator.store.ts';
import { grantRight, INSTALLATION } from '../../src/surface/access/right.store.ts';
import type { TestInstallation } from '../integration/console/installation-support.ts';
import { startInstallation } from '../integration/console/installation-support.ts';
import { TOKEN } from '../integration/console/support.ts';
import { alertObject, insertAlert, insertCase, NOW } from '../integration/reconcile/rows.ts';
import type { TestDatabase } from '../support/database.ts';
import { createTestDatabase } from '../support/database.ts';
import { bringAxe, faultsOf, WCAG } from './support/axe.ts';
import { signIn } from './support/browser.ts';
import { useBrowser } from './support/use-browser.ts';

const browser = useBrowser();
let test: TestDatabase;
let site: TestInstallation;

beforeAll(async () => {
  test = await createTestDatabase();
  const clock = createFixedClock(NOW);
  site = await startInstallation(test, clock);
  await insertAlert(test.db, alertObject('netalrt_b', { organisation_id: 'org_b' }));
  await insertCase(test.db, 'netalrt_b', { state: 'HUMAN', organisationId: 'org_b' });
  const change = { organisationId: INSTALLATION, name: 'Noor', by: 'test', now: nowDate(clock) };
  await addOperator(test.db, { ...change, role: null, token: { as: 'shown' } });
  const row = await findOperator(test.db, INSTALLATION, 'Noor');
  const key = { home: INSTALLATION, operatorId: row?.id ?? '', organisationId: 'org_a' };
  await grantRight(test.db, { ...change, ...key, role: 'reviewer' });
});
afterAll(async () => {
  await browser.close();
  await site.close();
  await test.drop();
});

async function open(colorScheme: 'light' | 'dark', width: number): Promise<Page> {
  const page = await browser.get().newPage({ viewport: { width, height: 800 }, colorScheme });
  await signIn(page, site.url, TOKEN);
  return page;
}

it('leads from all into one, and from its page to the same page of another', async () => {
  const page = await open('light', 1_200);
  // What needs a person stands first.
  await page.getByRole('link', { name: 'Brand', exact: false }).first().click();
  await page.waitForURL(`${site.url}/organisations/brand-b/`);
  await page.getByRole('link', { name: 'Ratios' }).click();
  await page.locator('.switch summary').click();
  await page.locator('.switch').getByRole('link', { name: 'Brand A' }).click();
  await page.waitForURL(`${site.url}/organisations/brand-a/ratios`);
  await page.keyboard.press('/');
  await page.keyboard.type('netalrt_b');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/organisations\/brand-a\/alerts\?/);
  expect(await page.locator('main').innerText()).not.toContain('$129.90');
  await page.goto(`${site.url}/organisations`);
  await page.getByLabel('Find an organisation').fill('brand b');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${site.url}/organisations/brand-b/`);
  await page.close();
});

it('passes axe in light, dark and at 360 px, where nothing runs off the side', async () => {
  const faults: string[] = [];
  for (const [scheme, width] of [
    ['light', 1_200],
    ['dark', 360],
  ] as const) {
    const page = await open(scheme, width);
    await bringAxe(page);
    for (const path of ['/organisations', '/operators', '/alerts', '/organisations/brand-b/']) {
      await page.goto(site.url + path);
      if (path.endsWith('brand-b/')) await page.locator('.switch summary').click();
      const found = await faultsOf(page, WCAG);
      faults.push(...found.map((fault) => `${path} ${scheme}: ${fault}`));
      const over = await page.evaluate<number>(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      if (over > 0) faults.push(`${path} at ${width} px is ${over} px too wide`);
    }
    await page.close();
  }
  expect(faults).toEqual([]);
});
