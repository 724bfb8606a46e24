/**
 * Guarantee: what an analyst, a team lead, finance, on-call and who hears the page instead of seeing it do every day takes the
 * clicks, keys and texts that the table says, and no more, each from Today and just signed in; and that is never more than
 * one above what the best of Stripe, Linear, Sentry and Svix documents, and less in most.
 */
import { sql } from 'kysely';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { writeWorkerSettings } from '../../src/alerts/cases/worker-settings.store.ts';
import { DEFAULT_GUARDS } from '../../src/alerts/guard/guard-settings.ts';
import { setAlarm } from '../../src/alerts/reconcile/poll-alarm.ts';
import { nowDate } from '../../src/base/kernel/clock.ts';
import type { Sale } from '../../src/sandbox/demo-shop.ts';
import { PRODUCTS } from '../../src/sandbox/demo-shop.ts';
import { addOperator } from '../../src/surface/access/operator.store.ts';
import { BEST_ELSEWHERE } from './support/best-elsewhere.ts';
import { signIn } from './support/browser.ts';
import { beginDraft } from './support/every-page.ts';
import type { Hand } from './support/hand.ts';
import { handAt } from './support/hand.ts';
import type { Site } from './support/site.ts';
import { fillPages, openSite, raiseReview, raiseReviews } from './support/site.ts';
import { useBrowser } from './support/use-browser.ts';

/** Steps of each task, and what they are. */
const TASKS = {
  'find a card': [2, 'its last four digits, Enter: the alert opens'],
  'see why an alert was refunded': [2, 'its id pasted, Enter: the rule stands under Why'],
  'see whether a webhook was lost': [
    2,
    'the id of the alert pasted, Enter: it was found by polling',
  ],
  'accept one dispute with the mouse': [
    3,
    'Reviews, Accept the dispute…, and the button of the form',
  ],
  'refund one alert': [4, 'Reviews, Refund…, the reason, the button'],
  'decide ten reviews': [12, 'Reviews, a, then Ctrl Enter for each'],
  'claim a review': [2, 'Reviews, c'],
  'claim a review and ask a colleague': [5, 'Reviews, c, m, the comment, Ctrl Enter'],
  'refund three at once': [6, 'Reviews, two boxes with shift, Refund…, the reason, the button'],
  'agree as the second person': [2, 'Today names it: the link, the button'],
  'hand a review over': [3, 'Reviews, h, the button with the colleague in it'],
  'see what is due within the hour': [1, 'Today says so: the link'],
  'see who decided what last week': [2, 'Activity, Last week: by person, day and kind'],
  'see won and lost of last month': [2, 'Figures, the month before'],
  'see the sum of credits to claim': [1, 'Credits: the sum stands above the list'],
  'export last month': [3, 'Exports, the month before, Refunds as CSV'],
  'find the alerts behind a bar': [2, 'Figures, the bar'],
  'see what counts in a ratio': [2, 'Ratios, the count'],
  'add a document': [6, 'Representments, Documents, the file, its name, the button'],
  'hand in the evidence of a dispute': [4, 'Representments, the list, the dispute, the button'],
  'approve a policy': [2, 'Today names it: the link, the button below what changed'],
  'try a policy on the past': [3, 'Policies, Change the policy, Save and try'],
  'see which webhook was refused and why': [
    1,
    'Today counts them: the link leads to the reason and the next step',
  ],
  'see which webhooks were lost': [1, 'Webhook log: the alert has no delivery'],
  'see what a webhook carried': [2, 'Webhook log, the event: its body'],
  'take a stored event up again': [3, 'Webhook log, the event, the button'],
  'send an event to an endpoint again': [3, 'Endpoints, the endpoint, Send again beside the event'],
  'stop refunds and let them go': [
    6,
    'System, why, the button; then the button, and the one that says what follows',
  ],
  'see whether it works': [0, 'Today says it in a word'],
  'see which part is ill': [0, 'Today says it'],
  'reach the decision by ear': [
    6,
    'Enter to the content, Enter to the open review, Tab to Refund…',
  ],
} as const satisfies Record<keyof typeof BEST_ELSEWHERE, readonly [steps: number, how: string]>;

type Task = keyof typeof TASKS;
type Who = 'reviewer' | 'administrator' | 'other administrator';

const browser = useBrowser();
let site: Site;
let context: BrowserContext | undefined;
let otherToken = '';
/** What each task asks for, made before. */
let refundedId = '';
let lostId = '';

beforeAll(async () => {
  const guards = { ...DEFAULT_GUARDS, approvalAboveMinor: { USD: 3_000 } };
  site = await openSite({ guard: { guards, actions: undefined } });
  const { parts, sandbox, webhookUrl } = site.world;
  await fillPages(site);
  refundedId = await refundedAlert();
  // Its webhook is lost; polling finds it.
  sandbox.addFault({ on: 'webhook', kind: 'lose', event_type: 'alert.created' });
  const { charge } = await site.world.sell(PRODUCTS.font);
  lostId = sandbox.createAlertFor(charge.reference, {}).id;
  await site.world.advance(3 * 60_000);
  const headers = { 'content-type': 'application/json', 'x-signature': 't=1,v1=00' };
  await fetch(webhookUrl, { method: 'POST', headers, body: '{}' });
  const scope = { organisationId: parts.organisationId, now: nowDate(parts.clock) };
  const other = { name: 'Ada', role: 'administrator', by: 'test', token: { as: 'shown' } } as const;
  const added = await addOperator(parts.database.db, { ...scope, ...other });
  otherToken = added.ok ? (added.token ?? '') : '';
  const settings = { mode: 'live' as const, hasProcessor: true, channels: [], pollSeconds: 120 };
  await writeWorkerSettings(parts.database.db, scope, { ...settings, policy: 'console' });
});
afterAll(async () => {
  await browser.close();
  await site.close();
});
afterEach(async () => {
  await context?.close();
});

async function refundedAlert(): Promise<string> {
  const { charge } = await site.world.sell(PRODUCTS.font);
  const { id } = site.world.sandbox.createAlertFor(charge.reference, { reason_code: '10.4' });
  await site.world.drain();
  return id;
}

/** Alerts whose refund is above what one person may send. */
async function raiseLarge(count: number): Promise<Sale[]> {
  const sales: Sale[] = [];
  for (let made = 0; made < count; made++) {
    const sale = await site.world.sell(PRODUCTS.course);
    site.world.sandbox.createAlertFor(sale.charge.reference, {});
    sales.push(sale);
  }
  await site.world.drain();
  return sales;
}

/** Brings a review to the front: the deadline of this alert, or of the one with this card, is in so many minutes. */
async function makeUrgent(named: string, hours = 0.5): Promise<void> {
  const { database, clock } = site.world.parts;
  const deadline = new Date(nowDate(clock).getTime() + hours * 3_600_000);
  await sql`update alert_case set deadline_at = ${deadline} where state = 'HUMAN' and (alert_id = ${named}
    or alert_id in (select id from alert where card_last4 = ${named}))`.execute(database.db);
}

async function today(who: Who): Promise<Page> {
  await context?.close();
  const viewport = { width: 1280, height: 800 };
  context = await browser.get().newContext({ viewport, locale: 'en-US' });
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: site.url });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const tokens = { ...site.tokens, 'other administrator': otherToken };
  await signIn(page, site.url, tokens[who]);
  await page.goto(site.url);
  return page;
}

/** A task from Today to where its end is seen. */
function task(name: Task, who: Who, act: (hand: Hand) => Promise<void>): void {
  const [steps, how] = TASKS[name];
  done.add(name);
  it(`${name}: ${steps} (${how})`, async () => {
    const hand = handAt(await today(who));
    await act(hand);
    expect(hand.steps).toBe(steps);
  });
}
const done = new Set<string>();

const heading = (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole('heading', { name }).first().waitFor();
const menu = (page: Page, name: string) =>
  page.locator('.side .wide').getByRole('link', { name, exact: true });
const main = (page: Page) => page.locator('main');

describe('an analyst', () => {
  task('find a card', 'reviewer', async (hand) => {
    const { alertId, sale } = await raiseReview(site);
    await hand.write(sale.charge.card_last4);
    await hand.press('Enter');
    await hand.page
      .locator(`[data-alert="${alertId}"]`)
      .or(hand.page.getByText(alertId))
      .first()
      .waitFor();
  });

  task('see why an alert was refunded', 'reviewer', async (hand) => {
    await hand.paste(refundedId);
    await hand.press('Enter');
    await heading(hand.page, 'Why');
    await hand.page.getByText('rule "small amounts" applies').first().waitFor();
  });

  task('see whether a webhook was lost', 'reviewer', async (hand) => {
    await hand.paste(lostId);
    await hand.press('Enter');
    await hand.page.getByText('polling: its webhook was not delivered').waitFor();
  });

  task('accept one dispute with the mouse', 'reviewer', async (hand) => {
    await raiseReview(site);
    const { page } = hand;
    await hand.click(menu(page, 'Reviews'));
    await hand.click(main(page).getByRole('link', { name: /^Accept the dispute…/ }));
    await hand.click(page.getByRole('button', { name: 'Accept the dispute' }));
    await page.getByRole('status').getByText('Decided').waitFor();
  });

  task('refund one alert', 'reviewer', async (hand) => {
    const [sale] = await raiseLarge(1);
    await makeUrgent(String(sale?.charge.card_last4));
    const { page } = hand;
    await hand.click(menu(page, 'Reviews'));
    await page.locator('#pane', { hasText: String(sale?.charge.card_last4) }).waitFor();
    await hand.click(page.locator('#pane').getByRole('link', { name: /^Refund…/ }));
    await expect
      .poll(() => page.evaluate('document.activeElement?.id'), { timeout: 20_000 })
      .toBe('note');
    await hand.write('Promised by the support.');
    await hand.click(page.getByRole('button', { name: /^Refund \$84\.00/ }));
    await page.getByRole('status').getByText('Decided').waitFor();
    await site.world.drain();
  });

  task('decide ten reviews', 'reviewer', async (hand) => {
    await raiseReviews(site, 11);
    const { page } = hand;
    await hand.click(menu(page, 'Reviews'));
    await page.waitForURL(/\/reviews/);
    await page.locator('#pane[data-alert]').waitFor();
    await hand.press('a');
    for (let count = 0; count < 10; count++) {
      await expect
        .poll(() => page.evaluate('document.activeElement?.id'), { timeout: 20_000 })
        .toBe('note');
      const alertId = await page.locator('#pane').getAttribute('data-alert');
      // What nobody has seen for a third of a second is not sent.
      await page.waitForTimeout(400);
      await hand.press('Control+Enter');
      await page
        .getByRole('status')
        .filter({ hasText: String(alertId) })
        .waitFor();
    }
  });

  task('claim a review', 'administrator', async (hand) => {
    const { alertId } = await raiseReview(site);
    await makeUrgent(alertId);
    const { page } = hand;
    await hand.click(menu(page, 'Reviews'));
    await page.locator(`#pane[data-alert="${alertId}"]`).waitFor();
    await hand.press('c');
    await page.locator('#pane .state', { hasText: 'yours' }).waitFor();
  });

  task('claim a review and ask a colleague', 'reviewer', async (hand) => {
    const { page } = hand;
    await hand.click(menu(page, 'Reviews'));
    await page.locator('#pane[data-alert]').waitFor();
    await hand.press('c');
    await page.locator('#pane .state', { hasText: 'yours' }).waitFor();
    await hand.press('m');
    await hand.write('@the administrator have you seen this one?');
    await hand.press('Control+Enter');
    await page.locator('.comments', { hasText: 'have you seen this one?' }).waitFor();
  });

  task('hand in the evidence of a dispute', 'reviewer', async (hand) => {
    const { page } = hand;
    await hand.click(menu(page, 'Representments'));
    await hand.click(main(page).getByRole('link', { name: 'Disputes at the processor' }));
    await hand.click(page.locator('main table a').first());
    await hand.click(page.getByRole('button', { name: 'Hand it in now' }));
    await page.getByText('asked for, and looked at next').waitFor();
  });
});

describe('a team lead', () => {
  task('refund three at once', 'reviewer', async (hand) => {
    const sales = await raiseLarge(3);
    const { page } = hand;
    await hand.click(menu(page, 'Reviews'));
    await page.waitForURL(/\/reviews/);
    const rows = await page.locator('[data-queue] tbody tr').allTextContents();
    const places = sales
      .map(({ charge }) => rows.findIndex((row) => row.includes(charge.card_last4)))
      .toSorted((one, other) => one - other);
    const boxes = page.locator('[data-queue] tbody input');
    await hand.click(boxes.nth(places[0] ?? -1));
    await page.keyboard.down('Shift');
    await hand.click(boxes.nth(places[2] ?? -1));
    await page.keyboard.up('Shift');
    await hand.click(page.getByRole('button', { name: 'Refund…' }));
    await heading(page, 'Refund 3 alerts: $252.00?');
    await hand.write('Promised by the support.');
    await hand.click(page.getByRole('button', { name: 'Refund 3 alerts: $252.00' }));
    await heading(page, '3 alerts decided');
    await site.world.drain();
    // It does so by itself every five seconds.
    await page.getByText('needs two people').nth(2).waitFor();
  });

  task('agree as the second person', 'administrator', async (hand) => {
    const { page } = hand;
    const banner = page.getByRole('region', { name: 'Waits for a second person' });
    await hand.click(banner.getByRole('link', { name: 'refund $84.00' }).first());
    await hand.click(page.getByRole('button', { name: 'Agree to refund $84.00' }));
    await page.getByText('Agree to refund').waitFor({ state: 'detached' });
  });

  task('hand a review over', 'reviewer', async (hand) => {
    await raiseReview(site);
    const { page } = hand;
    await hand.click(menu(page, 'Reviews'));
    await page.locator('#pane[data-alert]').waitFor();
    await hand.press('h');
    await hand.click(page.getByRole('button', { name: /^Hand over 1 review/ }));
    await page.getByText('Done: 1 review.').waitFor();
  });

  task('see what is due within the hour', 'reviewer', async (hand) => {
    const { alertId } = await raiseReview(site);
    await makeUrgent(alertId);
    const { page } = hand;
    await page.goto(site.url);
    await hand.click(page.locator('#live').getByRole('link', { name: 'due within an hour' }));
    await page.locator(`[data-queue] tr[data-alert="${alertId}"]`).waitFor();
    await makeUrgent(alertId, 20);
  });

  task('see who decided what last week', 'reviewer', async (hand) => {
    const { page } = hand;
    await hand.click(menu(page, 'Activity'));
    await hand.click(main(page).getByRole('link', { name: 'Last week' }));
    // The week before that of Friday, 20 November 2026, from Monday to Sunday.
    await page.getByText('Nov 9, 2026 to Nov 15, 2026 (UTC)').waitFor();
  });
});

describe('finance', () => {
  task('see won and lost of last month', 'reviewer', async (hand) => {
    const { page } = hand;
    await hand.click(menu(page, 'Figures'));
    await hand.click(page.getByRole('link', { name: 'October 2026', exact: true }).first());
    await heading(page, 'Figures: October 2026');
    await heading(page, 'Disputes won and lost');
  });

  task('see the sum of credits to claim', 'reviewer', async (hand) => {
    await hand.click(menu(hand.page, 'Credits'));
    await hand.page.getByText(/\$\d+\.\d\d to claim/).waitFor();
  });

  task('export last month', 'reviewer', async (hand) => {
    const { page } = hand;
    await hand.click(menu(page, 'Exports'));
    await hand.click(page.getByRole('link', { name: 'October 2026', exact: true }).first());
    const download = page.waitForEvent('download');
    await hand.click(page.getByRole('link', { name: 'Refunds as CSV' }));
    expect((await download).suggestedFilename()).toBe('refunds-2026-10-01-2026-10-31.csv');
  });

  task('find the alerts behind a bar', 'reviewer', async (hand) => {
    const { page } = hand;
    await hand.click(menu(page, 'Figures'));
    await hand.click(page.locator('figure svg a').first());
    await page.waitForURL(/\/alerts\?state=\w+&ended=2026-11-\d\d$/);
    await page.locator('table tr[data-alert]').first().waitFor();
  });

  task('see what counts in a ratio', 'reviewer', async (hand) => {
    const { page } = hand;
    await hand.click(menu(page, 'Ratios'));
    await hand.click(main(page).locator('a[href^="/ratios/counted"]').first());
    await heading(page, /what counts, November 2026$/);
  });
});

describe('an administrator', () => {
  task('add a document', 'administrator', async (hand) => {
    const { page } = hand;
    await hand.click(menu(page, 'Representments'));
    await hand.click(main(page).getByRole('link', { name: 'Documents' }));
    await hand.choose(page.getByLabel('File'), {
      name: 'terms.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('Lessons that were not begun go back whole, within fourteen days.'),
    });
    await hand.fill(page.getByLabel('Name', { exact: true }), 'Terms');
    await hand.click(page.getByRole('button', { name: 'Add the document' }));
    await heading(page, 'Terms');
  });

  task('try a policy on the past', 'administrator', async (hand) => {
    const { page } = hand;
    await hand.click(menu(page, 'Policies'));
    await hand.click(page.getByRole('button', { name: 'Change the policy' }));
    await hand.click(page.getByRole('button', { name: 'Save and try on the last 30 days' }));
    await page.getByText('waits for a worker').waitFor();
  });

  task('approve a policy', 'other administrator', async (hand) => {
    const author = await browser.get().newPage();
    await signIn(author, site.url, site.tokens.administrator);
    await beginDraft(site, author);
    await author.getByLabel('Text (YAML)').fill('name: Ours\nrules: []\notherwise: REVIEW\n');
    await author.getByRole('button', { name: 'Save and check' }).click();
    await author.getByText('No problem found').waitFor();
    await author.close();
    const { page } = hand;
    await page.goto(site.url);
    const banner = page.getByRole('region', { name: 'Waits for a second person' });
    await hand.click(banner.getByRole('link', { name: 'Ours' }));
    await page.locator('pre.diff').waitFor();
    await hand.click(page.getByRole('button', { name: /^Put version \w+ in force$/ }));
    await page.waitForURL(`${site.url}/policies`);
    await page.locator('tr', { hasText: 'Ours' }).getByText('in force', { exact: true }).waitFor();
  });
});

describe('on-call', () => {
  task('see which webhook was refused and why', 'reviewer', async (hand) => {
    const { page } = hand;
    await hand.click(page.locator('#live').getByRole('link', { name: '1 refused', exact: true }));
    await page
      .getByText(/^refused: /)
      .first()
      .waitFor();
  });

  task('see which webhooks were lost', 'reviewer', async (hand) => {
    const { page } = hand;
    await hand.click(menu(page, 'Webhook log'));
    await page.locator('tr', { hasText: lostId }).getByText('no delivery').waitFor();
  });

  task('see what a webhook carried', 'reviewer', async (hand) => {
    const { page } = hand;
    await hand.click(menu(page, 'Webhook log'));
    await hand.click(page.locator('main table a[href^="/events/"]').first());
    await page.locator('main pre').first().waitFor();
  });

  task('take a stored event up again', 'reviewer', async (hand) => {
    const { page } = hand;
    await hand.click(menu(page, 'Webhook log'));
    await hand.click(page.locator('main table a[href^="/events/"]').first());
    await hand.click(page.getByRole('button', { name: 'Take it up again' }));
    await heading(page, /^Event /);
  });

  task('send an event to an endpoint again', 'administrator', async (hand) => {
    const { page } = hand;
    const { db } = site.world.parts.database;
    await sql`update event_endpoint set state = 'ON', off_reason = null`.execute(db);
    await hand.click(menu(page, 'Endpoints'));
    await hand.click(page.locator('main table a').first());
    await hand.click(page.getByRole('button', { name: /^Send event \d+ again$/ }).first());
    await page.getByText('It is sent again.').waitFor();
  });

  task('stop refunds and let them go', 'administrator', async (hand) => {
    const { page } = hand;
    await hand.click(menu(page, 'System'));
    await hand.fill(page.getByLabel('Why (others will read it)'), 'A look first.');
    await hand.click(page.getByRole('button', { name: 'Stop all refunds now' }));
    await page.getByText('A look first.').first().waitFor();
    await hand.click(page.getByRole('link', { name: 'Let refunds go again…' }));
    await hand.click(page.getByRole('button', { name: /^Let refunds/ }));
    await page.getByRole('button', { name: 'Stop all refunds now' }).waitFor();
  });

  task('see whether it works', 'reviewer', async (hand) => {
    const words = /everything works|needs? attention|not work/;
    await hand.page.locator('#live .state').getByText(words).first().waitFor();
  });

  task('see which part is ill', 'reviewer', async (hand) => {
    const { database, organisationId, clock } = site.world.parts;
    const alarm = { organisationId, now: nowDate(clock), evidence: { codes: ['UNAUTHORISED'] } };
    await setAlarm(database.db, 'poll_failing', { ...alarm, isOn: true });
    await hand.page.goto(site.url);
    await hand.page.getByText('the service refuses our API key (UNAUTHORISED)').first().waitFor();
    await setAlarm(database.db, 'poll_failing', { ...alarm, isOn: false });
  });
});

describe('who hears the page', () => {
  task('reach the decision by ear', 'reviewer', async (hand) => {
    const { page } = hand;
    await raiseReview(site);
    await page.goto(`${site.url}/reviews`);
    // As a reader begins: at the top of the page, where the first Tab finds this.
    await page.evaluate(`document.querySelector('.skip').focus()`);
    await hand.press('Enter', 'Tab', 'Enter');
    for (let tabs = 0; tabs < 10; tabs++) {
      await hand.press('Tab');
      const name = await page.evaluate('document.activeElement.textContent.trim()');
      if (/^(Refund|Accept the dispute)…/.test(String(name))) break;
    }
    await hand.press('Enter');
    await page.getByRole('radio').or(page.getByLabel('Reason')).first().waitFor();
  });
});

describe('beside the best of Stripe, Linear, Sentry and Svix', () => {
  const compared = Object.entries(BEST_ELSEWHERE).flatMap(([name, best]) =>
    best === 'not documented' ? [] : [{ name, ...best, ours: TASKS[name as Task][0] }],
  );

  it('no task takes more than one step more than their documentation tells', () => {
    expect(compared.filter(({ ours, steps }) => ours > steps + 1)).toEqual([]);
  });

  it('of twenty that they document, sixteen take fewer', () => {
    expect(compared.length).toBe(20);
    expect(compared.filter(({ ours, steps }) => ours < steps).length).toBe(16);
  });
});

it('every task of the table is done', () => {
  expect([...done].toSorted()).toEqual(Object.keys(TASKS).toSorted());
});
