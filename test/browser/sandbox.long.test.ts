/**
 * Guarantee: a person works the sandbox's pages in a real browser, with scripts and without: every button
 * does what it says, lists follow, texts are copied, hostile text stays text, nothing is loaded from
 * elsewhere, and every page passes axe, light and dark, at 360 px.
 */
import { readFileSync } from 'node:fs';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createFixedClock } from '../../src/base/kernel/clock.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { createSandbox, runScenario } from '../../src/sandbox/index.ts';
import { scenarioSchema } from '../../src/sandbox/scenario/scenario.ts';
import type { Receiver } from '../contract/support/receiver.ts';
import { createReceiver } from '../contract/support/receiver.ts';
import { bringAxe, faultsOf, WCAG } from './support/axe.ts';
import { HOSTILE_TEXTS } from './support/hostile.ts';
import { useBrowser } from './support/use-browser.ts';

const PATHS = [
  '/sandbox',
  '/sandbox/page/alerts',
  '/sandbox/page/webhooks',
  '/sandbox/page/requests',
  '/sandbox/page/charges',
  '/sandbox/page/networks',
  '/sandbox/page/session',
];

const browser = useBrowser();
let sandbox: Sandbox;
let receiver: Receiver;
let context: BrowserContext;
let page: Page;
/** What the browser complained about, and what it asked of anybody else. */
const complaints: string[] = [];

afterAll(() => browser.close());
beforeEach(async () => {
  complaints.length = 0;
  receiver = await createReceiver();
  sandbox = await createSandbox({ clock: createFixedClock('2026-11-20T00:00:00Z') });
  await open();
});
afterEach(async () => {
  await context?.close();
  await sandbox?.close();
  await receiver?.close();
});

async function open(options: Parameters<Browser['newContext']>[0] = {}): Promise<void> {
  await context?.close();
  context = await browser.get().newContext({ viewport: { width: 1100, height: 800 }, ...options });
  page = await context.newPage();
  page.setDefaultTimeout(10_000);
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(`${sandbox.url}/`)) complaints.push(`asked ${request.url()}`);
  });
}

/** Presses a button and reads what is said. */
async function press(button: string, within = page.locator('main')): Promise<string> {
  return await pressThis(within.getByRole('button', { name: button, exact: true }).first());
}

async function pressThis(button: Locator): Promise<string> {
  // The page that the press leads to, with its script run: the page before may have said something too.
  const loaded = page.waitForEvent('load');
  await button.click();
  await loaded;
  const said = page.locator('.message');
  await said.waitFor();
  return (await said.textContent()) ?? '';
}

const row = (id: string) => page.locator(`[id="row-${id}"]`);
async function openRow(id: string): Promise<void> {
  await row(id).locator('summary').first().click();
}

const go = (path: string) => page.goto(sandbox.url + path);

/** A whole dispute, worked by hand. */
async function workADispute(): Promise<void> {
  await go('/');
  expect(page.url()).toBe(`${sandbox.url}/sandbox`);
  await go('/sandbox/page/webhooks');
  await page.getByLabel('Address').fill(receiver.url);
  expect(await press('Send there')).toContain('Events go there');
  await go('/sandbox/page/charges');
  expect(await press('Make it')).toMatch(/^The payment is made: ch_/);
  await go('/sandbox/page/alerts');
  expect(await press('Raise it')).toMatch(/^The alert is raised: netalrt_/);
  receiver.status = 500;
  await go('/sandbox');
  expect(await press('+ 1 minute')).toBe('The clock has moved by 1 minute.');
  // A minute's retry is due at its end.
  await sandbox.settle();
  expect(receiver.types()).toEqual(['alert.created', 'alert.created']);
  receiver.status = 200;
  await press('+ 1 hour');
  const [alert] = sandbox.state.alerts.values();
  await go('/sandbox/page/alerts');
  await openRow(alert!.id);
  await row(alert!.id).getByLabel('Answer').selectOption('ACCEPT_DISPUTE');
  expect(await press('Answer it', row(alert!.id))).toBe('The alert is answered.');
  expect(alert?.transaction_refund_outcome).toBe('NOT_REFUNDED');
  await openRow(alert!.id);
  await row(alert!.id).getByLabel('Outcome').selectOption('REFUNDED');
  expect(await press('Change the outcome alone', row(alert!.id))).toContain('outcome is changed');
  expect(alert?.transaction_refund_outcome).toBe('REFUNDED');
  await openRow(alert!.id);
  expect(await press('Withdraw it', row(alert!.id))).toContain('withdrawn');
  expect(alert?.status).toBe('INVALID');
}

describe('a person', () => {
  it('works a dispute from its payment to its withdrawal, and takes it along as a story', async () => {
    await workADispute();
    await go('/sandbox/page/session');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: /as a scenario file/ }).click(),
    ]);
    const story = scenarioSchema.parse(parse(readFileSync(await download.path(), 'utf8')));
    const again = await createSandbox({ clock: createFixedClock('2026-11-20T00:00:00Z'), seed: 5 });
    const report = await runScenario(again, story);
    await again.close();
    expect(report.steps.flatMap(({ problems }) => problems)).toEqual([]);
    expect(story.steps.map((step) => ('call' in step ? step.step : ''))).toContain(
      'POST /sandbox/alerts/{alert_id}/resolve',
    );
    expect(complaints).toEqual([]);
  });

  it('does the same where scripts do not run', async () => {
    await open({ javaScriptEnabled: false });
    await workADispute();
    expect(await page.getByRole('button', { name: /Copy/ }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('sees each delivery with the body of the receiver, and sends it once more', async () => {
    sandbox.pointWebhooksAt(receiver.url);
    receiver.status = 503;
    receiver.body = 'the shop is <b>asleep</b>';
    sandbox.createAlert();
    await sandbox.settle();
    const [delivery] = sandbox.deliveries();
    await go('/sandbox/page/webhooks');
    await openRow(delivery!.id);
    await row(delivery!.id).getByText('the shop is <b>asleep</b>').waitFor();
    expect(await row(delivery!.id).textContent()).toContain('"type": "alert.created"');
    expect(await press('Deliver it once more', row(delivery!.id))).toMatch(/once more, as whdl_/);
    expect(sandbox.deliveries()).toHaveLength(2);
  });

  it('breaks delivery and an operation for a while, and repairs them', async () => {
    sandbox.pointWebhooksAt(receiver.url);
    await go('/sandbox/page/webhooks');
    expect(await press('Break it')).toContain('Broken: fault_');
    sandbox.createAlert();
    await sandbox.settle();
    expect(receiver.received).toEqual([]);
    expect(sandbox.faults.list()[0]).toMatchObject({ on: 'webhook', for_ms: 300_000, fired: 1 });
    // The first retry that comes after the five minutes arrives.
    await sandbox.advance(3_600_000);
    expect(receiver.received).toHaveLength(1);
    await go('/sandbox/page/webhooks');
    const fault = sandbox.faults.list()[0]!;
    expect(await row(fault.id).textContent()).toContain('over');
    await openRow(fault.id);
    expect(await press('Repair it', row(fault.id))).toBe('Repaired.');
    expect(sandbox.faults.list()).toEqual([]);

    await go('/sandbox/page/requests');
    await page.locator('select[name=on]').selectOption('GET /v1/alerts/');
    await press('Break it');
    const headers = { Authorization: `Bearer ${sandbox.accounts.organisationKey}` };
    expect((await fetch(`${sandbox.url}/v1/alerts/`, { headers })).status).toBe(503);
  });

  it('reads requests with their answers', async () => {
    await fetch(`${sandbox.url}/v1/orders/`, { method: 'POST', body: '{"half' });
    await fetch(`${sandbox.url}/v1/alerts/?status=RESOLVED`, {
      headers: { Authorization: `Bearer ${sandbox.accounts.organisationKey}` },
    });
    await go('/sandbox/page/requests');
    const first = page.locator('ul.rows li').first();
    expect(await first.locator('summary').textContent()).toContain(
      'GET /v1/alerts/?status=RESOLVED',
    );
    await first.locator('summary').click();
    expect(await first.getByRole('region').textContent()).toContain('"count": 0');
  });

  it('plays the networks, support and the issuer', async () => {
    const charge = sandbox.createCharge({ amount_in_cents: 5000 });
    await go('/sandbox/page/charges');
    await openRow(charge.reference);
    await row(charge.reference).getByLabel('Amount').first().fill('2000');
    await row(charge.reference).getByLabel('At first').selectOption('pending');
    expect(await press('Refund by hand', row(charge.reference))).toContain('refunded it: re_');
    await openRow(charge.reference);
    expect(await press('Let it succeed', row(charge.reference))).toBe('The refund is succeeded.');
    expect(sandbox.moneyOut(charge.reference)).toEqual({ count: 1, sumMinor: 2000 });
    await openRow(charge.reference);
    expect(await press('Charge back', row(charge.reference))).toContain('taken the money');
    await page.getByLabel('Refunds are pending at first').selectOption('true');
    await press('Change it');

    await go('/sandbox/page/networks');
    expect(await press('Ask for an order')).toMatch(/lkup_/);
    expect(await press('Contest a dispute')).toMatch(/rep_/);
    expect(await press('Report')).toMatch(/schntc_/);
    const [notice] = sandbox.state.schemeNotices.values();
    await openRow(notice!.id);
    await press('Revoke it', row(notice!.id));
    expect(notice?.is_revoked).toBe(true);
    const [representment] = sandbox.state.representments.values();
    await openRow(representment!.id);
    await row(representment!.id).getByLabel('Status').selectOption('LOST');
    await press('Go on', row(representment!.id));
    expect(representment?.dispute_status).toBe('LOST');
    const { alertEnrolmentId } = sandbox.accounts;
    await openRow(alertEnrolmentId);
    await row(alertEnrolmentId).getByLabel('Descriptor').fill('DEMO SHOP & CO');
    await press('Add the descriptor', row(alertEnrolmentId));
    const descriptors = () =>
      sandbox.state.enrolments.get(alertEnrolmentId)?.neta_alert?.descriptors ?? [];
    expect(descriptors().map(({ descriptor }) => descriptor)).toContain('DEMO SHOP & CO');
    await openRow(alertEnrolmentId);
    await pressThis(row(alertEnrolmentId).getByRole('button', { name: 'Remove' }).last());
    expect(descriptors()).toHaveLength(1);
    expect(complaints).toEqual([]);
  });

  it('is told why something was refused, and changes nothing', async () => {
    await go('/sandbox/page/webhooks');
    await page.getByLabel('Address').fill('http://shop.example/hook');
    expect(await press('Send there')).toContain('url: The endpoint URL must be HTTPS.');
    expect(await page.getByRole('alert').count()).toBe(1);
    await go('/sandbox');
    await page.getByLabel('Signatures carry').selectOption('real');
    expect(await press('Use it')).toContain('Signatures carry that time');
    await page.getByLabel('To').fill('2020-01-01T00:00:00Z');
    expect(await press('Set the clock')).toContain('only moves forward');
    await page.reload();
    expect(await page.locator('.message').count()).toBe(0);
  });

  it('copies keys and secrets', async () => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await go('/sandbox');
    await page.getByRole('button', { name: 'Copy FORESTALL_WEBHOOK_SECRETS' }).click();
    await page.getByText('Copied').waitFor();
    const copied = await page.evaluate('navigator.clipboard.readText()');
    expect(copied).toBe(sandbox.accounts.webhookSecret);
  });

  it('resets the sandbox', async () => {
    sandbox.createAlert();
    await go('/sandbox/page/session');
    await page.getByText('Reset the sandbox').click();
    expect(await press('Forget everything')).toBe('The sandbox starts over.');
    expect(sandbox.state.alerts.size).toBe(0);
  });
});

describe('lists', () => {
  it('follow the sandbox, keep open what is open, and leave alone what somebody fills in', async () => {
    const first = sandbox.createAlert();
    await go('/sandbox/page/alerts');
    await openRow(first.id);
    // The summary has the focus after the click: a list is not replaced under somebody's hands.
    await page.evaluate('document.activeElement.blur()');
    const second = sandbox.createAlert();
    await row(second.id).waitFor();
    expect(await row(first.id).getAttribute('open')).toBe('');
    await row(first.id).getByLabel('Note').first().fill('half a sen');
    const [followed] = await Promise.all([
      page.waitForResponse((response) => response.url() === page.url()),
      sandbox.createAlert(),
    ]);
    await followed.finished();
    expect(await row(first.id).getByLabel('Note').first().inputValue()).toBe('half a sen');
    expect(complaints).toEqual([]);
  });
});

describe('hostile text', () => {
  it('builds nothing and runs nothing, and no other site can press a button', async () => {
    const all = HOSTILE_TEXTS.join(' ');
    sandbox.pointWebhooksAt(receiver.url);
    receiver.status = 500;
    receiver.body = all;
    sandbox.createAlert({ note: all, statement_descriptor: all, reason_code: all });
    sandbox.createCharge({ reference: `"><script>window.pwned=1</script>`, order_reference: all });
    sandbox.sendRawEvent({ type: all, body: all });
    await sandbox.settle();
    await fetch(`${sandbox.url}/v1/orders/?x=${encodeURIComponent(all)}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${sandbox.accounts.organisationKey}` },
      body: JSON.stringify([{ reference_id: all }]),
    });
    sandbox.addFault({ on: 'GET /v1/alerts/', kind: 'status', contains: all });
    for (const path of PATHS) {
      await go(path);
      const built = await page.evaluate(`({
        pwned: 'pwned' in window,
        elements: document.querySelectorAll('main :is(script, style, img, iframe, object, base, link, svg)').length,
        handlers: [...document.querySelectorAll('*')].filter((element) =>
          [...element.attributes].some(({ name, value }) =>
            name.startsWith('on') || /^\\s*javascript:/i.test(value))).length,
      })`);
      expect([path, built]).toEqual([path, { pwned: false, elements: 0, handlers: 0 }]);
    }
    const said = await fetch(`${sandbox.url}/sandbox/page/alerts?said=${encodeURIComponent(all)}`);
    expect(await said.text()).not.toContain('class="message');
    const other = await fetch(`${sandbox.url}/sandbox/page/do`, {
      method: 'POST',
      redirect: 'manual',
      headers: { Origin: 'https://evil.example' },
      body: new URLSearchParams({ call: 'POST /sandbox/reset', back: '/sandbox' }),
    });
    expect([other.status, sandbox.state.alerts.size]).toEqual([422, 1]);
    const away = await fetch(`${sandbox.url}/sandbox/page/do`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ call: 'GET /sandbox/page/do', back: '//evil.example' }),
    });
    const back = away.headers.get('location') ?? '';
    expect(back).toMatch(/^\/sandbox\?said=\d+$/);
    // Once: a reload before the script has run says it no more.
    const pages = [await fetch(sandbox.url + back), await fetch(sandbox.url + back)];
    const texts = await Promise.all(pages.map((each) => each.text()));
    expect(texts.map((text) => text.includes('class="message'))).toEqual([true, false]);
    expect(complaints).toEqual([]);
  });
});

describe('every page', () => {
  it('passes axe in light, dark and at 360 px, where nothing runs off the side', async () => {
    sandbox.pointWebhooksAt(receiver.url);
    sandbox.createCharge({ reference: 'c'.repeat(90) });
    const charge = sandbox.createCharge();
    sandbox.refundInDashboard(charge.reference, 100, 'pending');
    sandbox.createAlertFor(charge.reference, { note: 'n'.repeat(200) });
    sandbox.createAlert({ status: 'INVALID' });
    sandbox.createLookup({ type: 'NETB_ORDER_INSIGHT' });
    sandbox.createRepresentment();
    sandbox.createSchemeNotice();
    sandbox.addFault({ on: 'webhook', kind: 'lose', times: 1, for_ms: 1000 });
    await sandbox.advance(5_000);
    await fetch(`${sandbox.url}/v1/alerts/?limit=${'9'.repeat(120)}`);
    await bringAxe(page);
    for (const path of PATHS) {
      await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
      await page.setViewportSize({ width: 360, height: 740 });
      const response = await go(path);
      expect(response?.headers()['content-security-policy']).toContain("default-src 'none'");
      await page.evaluate(
        'document.querySelectorAll("details").forEach((it) => { it.open = true; })',
      );
      expect([path, await faultsOf(page, WCAG)]).toEqual([path, []]);
      const overflow = 'document.documentElement.scrollWidth - innerWidth';
      expect([path, await page.evaluate(overflow)]).toEqual([path, 0]);
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
      await page.setViewportSize({ width: 1280, height: 740 });
      // What is around it is the same on each page.
      const within = path === PATHS[0] ? ':root' : 'main';
      expect([path, await faultsOf(page, ['color-contrast'], within)]).toEqual([path, []]);
    }
    await page.evaluate('document.querySelector("main").append(new Image())');
    expect(await faultsOf(page, WCAG)).toEqual([expect.stringContaining('image-alt')]);
    expect(complaints).toEqual([]);
  });
});
