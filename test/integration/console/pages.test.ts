/** Guarantee: the pages tell the truth about every alert, and no text from outside becomes markup. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openFinding } from '../../../src/base/findings/finding.store.ts';
import type { FixedClock } from '../../../src/base/kernel/clock.ts';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import type { DecideOutcome, OperatorDecision } from '../../../src/surface/web/ports.ts';
import { useTestDatabase } from '../../support/database.ts';
import {
  alertObject,
  insertAccount,
  insertAlert,
  insertCase,
  insertDispute,
  insertMovement,
  NOW,
  ORG,
} from '../reconcile/rows.ts';
import type { TestConsole } from './support.ts';
import { formOf, startConsole } from './support.ts';

const test = useTestDatabase();
let clock: FixedClock;
let site: TestConsole;
let cookie: string;
let csrf: string;
let outcome: DecideOutcome;
const decisions: OperatorDecision[] = [];

beforeAll(async () => {
  clock = createFixedClock(NOW);
  site = await startConsole(test.db, clock, {
    decide: async (decision) => {
      decisions.push(decision);
      return outcome;
    },
  });
});
afterAll(async () => {
  await site.close();
});
beforeEach(async () => {
  for (const table of [
    'finding',
    'alert_case',
    'decision',
    'cover',
    'movement',
    'dispute_mention',
    'dispute',
    'charge_account',
    'alert',
    'worker_heartbeat',
    'fact',
  ] as const) {
    await test.db.deleteFrom(table).execute();
  }
  outcome = { ok: true };
  decisions.length = 0;
  ({ cookie, csrf } = await site.signIn());
});

async function page(path: string): Promise<string> {
  return await (await site.get(path, { cookie })).text();
}

/** Every tag of a page with the names of its attributes: what a browser would build. */
function tagsOf(text: string): string[] {
  return [...text.matchAll(/<([a-z!/][^\s>]*)([^>]*)>/gi)].map(([, name, rest]) => {
    const attributes = [...(rest ?? '').matchAll(/([\w-]+)="/g)].map((found) => found[1]);
    return `${name} ${attributes.join(' ')}`;
  });
}

const HOSTILE = [
  '<img src=x onerror=1>',
  '<script>alert(1)</script>',
  '"><svg onload=alert(1)>',
  "' onmouseover='alert(1)",
  '</dd></dl><iframe src=javascript:alert(1)>',
  '<!--',
  '{{constructor.constructor("alert(1)")()}}',
  'javascript:alert(1)',
  '&lt;b&gt;',
  '\u202egnp.exe',
];

describe('the list', () => {
  it('shows open alerts by time left, with amount, state and next step', async () => {
    await insertAlert(test.db, alertObject('netalrt_late', { transaction_card_last4: '4242' }));
    await insertCase(test.db, 'netalrt_late', { deadlineAt: '2026-03-03T10:00:00Z' });
    await insertAlert(
      test.db,
      alertObject('netalrt_soon', {
        transaction_amount_in_cents: 5_000,
        transaction_currency_code: 'JPY',
      }),
    );
    await insertCase(test.db, 'netalrt_soon', {
      state: 'HUMAN',
      holdReason: 'daily_limit',
      deadlineAt: '2026-03-01T14:30:00Z',
    });
    const text = await page('/');
    expect(text).toContain(
      '<dt><a href="/alerts?state=open">Next deadline</a></dt><dd class="small"><time class="left soon"',
    );
    expect(text.lastIndexOf('netalrt_soon')).toBeLessThan(text.lastIndexOf('netalrt_late'));
    expect(text).toContain('2 h 30 min left');
    expect(text).toContain('46 h 0 min left');
    expect(text).toContain('title="5000 JPY">¥5,000<');
    expect(text).toContain('title="129.90 USD">$129.90<');
    expect(text).toContain('The daily limit for refunds is reached. Nothing happens by itself');
    expect(text).toContain('<dt><a href="/alerts?state=open">Open</a></dt><dd>2</dd>');
    expect(text).toContain('<dt><a href="/reviews">Need a decision</a></dt><dd>1</dd>');
    expect(text).toContain('<dt>Missed, ever</dt><dd>0</dd>');
  });

  it('says so when nothing is open', async () => {
    expect(await page('/')).toContain('No alert is open.');
  });

  it('shows findings with their next step', async () => {
    await openFinding(test.db, {
      organisationId: ORG,
      kind: 'double_money',
      severity: 'error',
      subject: 'charge',
      subjectId: 'ch_1',
      evidence: {},
      nextStep: 'Ask the processor.',
      at: new Date(NOW),
    });
    const text = await page('/');
    expect(text).toContain('What does not agree');
    expect(text).toContain('Ask the processor.');
  });

  it('shows a charge as one account, each movement with what it answers', async () => {
    await insertAccount(test.db, 'ch_1', 8_400);
    await insertDispute(test.db, 'dsp_a', { charge: 'ch_1', amountMinor: 2_500 });
    await insertDispute(test.db, 'dsp_b', { charge: 'ch_1', amountMinor: 2_000 });
    const wanted = { chargeReference: 'ch_1', state: 'HUMAN' } as const;
    for (const each of ['a', 'b']) {
      await insertAlert(test.db, alertObject(`netalrt_${each}`));
      await insertCase(test.db, `netalrt_${each}`, { ...wanted, disputeId: `dsp_${each}` });
    }
    const own = { charge: 'ch_1', alertId: 'netalrt_a', disputeId: 'dsp_a' } as const;
    await insertMovement(test.db, 'r1', { ...own, state: 'UNKNOWN', amountMinor: 2_500 });
    await insertMovement(test.db, 'r2', {
      kind: 'external',
      state: 'CONFIRMED',
      charge: 'ch_1',
      alertId: 'x',
      disputeId: 'dsp_b',
      amountMinor: 1_500,
      reference: 're_2',
    });
    await test.db
      .insertInto('dispute_mention')
      .values({
        organisation_id: ORG,
        entity: 'scheme_notice',
        entity_id: 'schntc_1',
        dispute_id: 'dsp_a',
        reason: 'the same amount',
        mentioned_at: NOW,
      })
      .execute();
    const text = (await page('/charges/ch_1')).replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');
    expect(text).toContain(
      'Captured $84.00 Given back by us $0.00 Given back by others $15.00 Uncertain $25.00 Left $44.00',
    );
    expect(text).toContain('$25.00 refund unknown, uncertain $25.00 for dsp_a netalrt_a');
    expect(text).toContain(
      '$15.00 refund by somebody else confirmed, not by us · re_2 $15.00 for dsp_b netalrt_b',
    );
    expect(text).toContain(
      'dsp_a : $25.00 , $0.00 covered, $25.00 missing netalrt_a scheme notice schntc_1 (the same amount)',
    );
    expect(text).toContain('dsp_b : $20.00 , $15.00 covered, $5.00 missing netalrt_b');
  });

  it('shows what was refunded, in each currency', async () => {
    const confirmedAt = '2026-03-01T10:40:00Z';
    const movement = { alertId: 'x', state: 'CONFIRMED', confirmedAt } as const;
    await insertMovement(test.db, 'r1', { ...movement, charge: 'a' });
    await insertMovement(test.db, 'r2', { ...movement, charge: 'b' });
    await insertMovement(test.db, 'r3', { state: 'REJECTED', charge: 'c', alertId: 'x' });
    await insertMovement(test.db, 'r4', {
      ...movement,
      charge: 'd',
      currency: 'JPY',
      amountMinor: 500,
    });
    expect(await page('/')).toContain(
      '<dt>Money refunded by us</dt><dd class="small"><span class="money" title="500 JPY">¥500</span><br><span class="money" title="259.80 USD">$259.80</span></dd>',
    );
  });

  it('continues with the next page', async () => {
    for (let index = 0; index < 3; index++) await insertCase(test.db, `netalrt_${index}`);
    const first = await page('/alerts?limit=2');
    const href = /href="([^"]*cursor=[^"]*)" rel="next"/.exec(first)?.[1] ?? '';
    const second = await page(href.replaceAll('&amp;', '&'));
    expect(first).toContain('netalrt_1');
    expect(second).toContain('netalrt_2');
    expect(second).not.toContain('Next page');
  });

  it('answers a bad query with 400, as a page', async () => {
    const answer = await site.get("/alerts?state=' OR 1=1--", { cookie });
    expect(answer.status).toBe(400);
    const text = await answer.text();
    expect(text).toContain('That list does not exist');
    expect(text).toContain('<a href="/alerts">The list without a filter</a>');
  });
});

describe('hostile text', () => {
  it('makes the same page as harmless text, in the list and on the alert', async () => {
    const fill = async (text: string): Promise<string[][]> => {
      for (const table of ['finding', 'alert_case', 'decision', 'alert'] as const) {
        await test.db.deleteFrom(table).execute();
      }
      await insertAlert(
        test.db,
        alertObject('netalrt_1', { transaction_statement_descriptor: text, note: text }),
      );
      await insertCase(test.db, 'netalrt_1', { state: 'HUMAN', holdReason: text });
      await test.db
        .updateTable('alert_case')
        .set({ last_error: text, charge_reference: text })
        .execute();
      await test.db
        .insertInto('decision')
        .values({
          organisation_id: ORG,
          alert_id: 'netalrt_1',
          action: 'REVIEW',
          decided_by: text,
          rule: text,
          sentence: text,
          inputs: '{}',
          decided_at: NOW,
        })
        .execute();
      await openFinding(test.db, {
        organisationId: ORG,
        kind: text,
        severity: 'error',
        subject: 'case',
        subjectId: text,
        evidence: {},
        nextStep: text,
        at: new Date(NOW),
      });
      outcome = { ok: false, reason: 'conflict', message: text };
      const refused = await site.post(
        '/alerts/netalrt_1/decision',
        formOf({ action: 'REFUND', note: 'n', csrf_token: csrf }, { cookie }),
      );
      expect(refused.status).toBe(409);
      const pages = [await page('/'), await page('/alerts/netalrt_1'), await refused.text()];
      for (const shown of pages) expect(shown).toContain('MARK');
      return pages.map(tagsOf);
    };
    const harmless = await fill('MARK plain');
    for (const text of HOSTILE) expect(await fill(`MARK ${text}`)).toEqual(harmless);
  }, 120_000);

  it('in the history of the service is text too', async () => {
    await insertCase(test.db, 'netalrt_hist');
    await test.db
      .insertInto('entity_change')
      .values({
        organisation_id: ORG,
        entity: 'alert',
        entity_id: 'netalrt_hist',
        changed_at: NOW,
        source: 'webhook',
        accepted: true,
        before: JSON.stringify({ note: '<img src=x onerror=1>' }),
        after: JSON.stringify({ note: { '<b>': '<script>' } }),
      })
      .execute();
    const text = await page('/alerts/netalrt_hist?log=yes');
    expect(text).toContain('&lt;img src=x onerror=1&gt;');
    expect(text).not.toMatch(/<img|<script>|<b>/);
  });
});

describe('an alert', () => {
  it('offers a decision while it is open, and none when it is over', async () => {
    await insertCase(test.db, 'netalrt_open', { state: 'HUMAN' });
    await insertCase(test.db, 'netalrt_over', { state: 'DECLARED_REFUND' });
    expect(await page('/alerts/netalrt_open')).toContain('decide?action=REFUND');
    const over = await page('/alerts/netalrt_over');
    expect(over).not.toContain('decide?action=');
    expect(over).toContain('Nothing more: it is refunded, and the service knows.');
  });

  it('says how the second person’s approval ended when the alert was answered otherwise', async () => {
    await insertAlert(test.db, alertObject('netalrt_1'));
    await insertCase(test.db, 'netalrt_1', { state: 'DECLARED_ACCEPT' });
    await test.db
      .insertInto('refund_approval')
      .values({
        organisation_id: ORG,
        alert_id: 'netalrt_1',
        charge_reference: 'ch_1',
        amount_minor: 5_000,
        currency: 'USD',
        state: 'OVERTAKEN',
        asked_at: NOW,
        settled_at: NOW,
        settled_because: 'Nobody decided in time, so the fallback is carried out.',
      })
      .execute();
    expect((await page('/alerts/netalrt_1')).replaceAll(/<[^>]*>/g, '')).toMatch(
      /asked to agree to refund \$50\.00: no longer asked for at .* \(nobody had agreed\)\. Nobody decided in time/,
    );
  });

  it('asks once more before money moves, naming the amount', async () => {
    await insertAlert(test.db, alertObject('netalrt_1'));
    await insertCase(test.db, 'netalrt_1', { state: 'HUMAN' });
    const text = await page('/alerts/netalrt_1/decide?action=REFUND');
    expect(text).toContain('<button>Refund up to $129.90</button>');
    expect(text).toContain('Money moves and the answer is final.');
    expect(decisions).toEqual([]);
    expect((await site.get('/alerts/netalrt_1/decide?action=CANCEL', { cookie })).status).toBe(400);
    expect((await site.get('/alerts/netalrt_x/decide?action=REFUND', { cookie })).status).toBe(404);
  });

  it('takes the decision with its note and leads back', async () => {
    await insertCase(test.db, 'netalrt_1', { state: 'HUMAN' });
    const answer = await site.post(
      '/alerts/netalrt_1/decision',
      formOf({ action: 'ACCEPT_DISPUTE', note: 'two\r\nlines', csrf_token: csrf }, { cookie }),
    );
    expect(answer.headers.get('location')).toBe('/alerts/netalrt_1?decided=1');
    expect(decisions).toMatchObject([{ action: 'ACCEPT_DISPUTE', note: 'two\nlines' }]);
    expect(await page('/alerts/netalrt_1?decided=1')).toContain('The decision is taken.');
  });

  it.each([
    ['conflict', 409],
    ['refused', 422],
  ] as const)('shows why a decision was not accepted: %s', async (reason, status) => {
    await insertCase(test.db, 'netalrt_1', { state: 'HUMAN' });
    outcome = { ok: false, reason, message: 'Somebody was faster.' };
    const answer = await site.post(
      '/alerts/netalrt_1/decision',
      formOf({ action: 'REFUND', note: 'asked', csrf_token: csrf }, { cookie }),
    );
    expect(answer.status).toBe(status);
    expect(await answer.text()).toContain('Somebody was faster.');
  });

  it.each([
    [{ action: 'CANCEL' }, 400],
    [{ action: 'REFUND', note: '4242424242424242' }, 400],
    [{ note: 'x' }, 400],
  ])('does not accept the form %j', async (fields, status) => {
    await insertCase(test.db, 'netalrt_1', { state: 'HUMAN' });
    const form = formOf({ ...fields, csrf_token: csrf } as Record<string, string>, { cookie });
    expect((await site.post('/alerts/netalrt_1/decision', form)).status).toBe(status);
    expect(decisions).toEqual([]);
  });

  it('that does not exist is a page with 404', async () => {
    const answer = await site.get('/alerts/netalrt_none', { cookie });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      404,
      'text/html; charset=utf-8',
    ]);
  });
});

describe('what pages load', () => {
  it('is ours, named by its content, kept for ever, and refused when it is another', async () => {
    const text = await page('/');
    const tags = [...text.matchAll(/(?:href|src)="(\/assets\/[^"]+)" integrity="(sha384-[^"]+)"/g)];
    expect(tags).toHaveLength(5);
    for (const [, path = '', integrity] of tags) {
      const answer = await site.get(path);
      const body = Buffer.from(await answer.arrayBuffer());
      const digest = createHash('sha384').update(body).digest('base64');
      expect([path, `sha384-${digest}`]).toEqual([path, integrity]);
      expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(answer.headers.get('content-type')).toMatch(/^text\/(css|javascript); charset=utf-8$/);
    }
    expect((await site.get('/assets/console.js')).status).toBe(404);
    expect((await site.get('/assets/../console-app.ts')).status).toBe(404);
  });

  it('holds neither inline script nor inline style, and fits a phone', async () => {
    for (const path of ['/', '/alerts', '/reviews', '/system', '/operators']) {
      const text = await page(path);
      expect(text).toContain('width=device-width');
      expect(text).not.toMatch(/<style|style="|<script(?! defer src="\/assets\/)| on[a-z]+="/);
    }
  });
});
