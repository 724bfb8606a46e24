/** Guarantee: a page offers to agree only to what is named on it, and what it sends agrees to that and to nothing else. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ApprovalTerms } from '../../../src/alerts/guard/approval.store.ts';
import { isApproved } from '../../../src/alerts/guard/approval.store.ts';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { useTestDatabase } from '../../support/database.ts';
import { alertObject, insertAlert, insertCase, NOW, ORG } from '../reconcile/rows.ts';
import type { TestConsole } from './support.ts';
import { formOf, startConsole } from './support.ts';

const test = useTestDatabase();
let site: TestConsole;
let cookie: string;
let csrf: string;

const A = 'netalrt_1';

beforeAll(async () => {
  site = await startConsole(test.db, createFixedClock(NOW));
});
afterAll(async () => {
  await site.close();
});
beforeEach(async () => {
  for (const table of ['refund_approver', 'refund_approval', 'alert_case', 'alert'] as const) {
    await test.db.deleteFrom(table).execute();
  }
  await insertAlert(test.db, alertObject(A));
  await insertCase(test.db, A, {
    state: 'HUMAN',
    holdReason: 'approval_needed',
    chargeReference: 'ch_1',
  });
  ({ cookie, csrf } = await site.signIn());
});

/** Asked for by ada. */
async function ask(terms: Partial<ApprovalTerms>): Promise<void> {
  await test.db.transaction().execute((trx) =>
    isApproved(trx, {
      organisationId: ORG,
      alertId: A,
      kind: 'REFUND',
      movementId: 'mv_1',
      chargeReference: 'ch_1',
      amountMinor: 5_000,
      currency: 'EUR',
      endsAt: null,
      operator: 'ada',
      now: new Date(NOW),
      ...terms,
    }),
  );
}

const OUTSIDE = {
  kind: 'REFUNDED_OUTSIDE',
  movementId: 'outside:dsp_1:CHQ-1',
  reference: 'CHQ-1',
} as const;

const text = async (path: string): Promise<string> =>
  (await (await site.get(path, { cookie })).text()).replaceAll(/\s+/g, ' ');

/** The hidden fields of the form to that path, in the order of the page. */
function formsTo(page: string, act: string): string[] {
  const forms = page.matchAll(new RegExp(`action="/alerts/${A}/${act}">(.*?)</form>`, 'g'));
  return [...forms].map(
    ([, inner = '']) => /name="approval_id" value="(\d+)"/.exec(inner)?.[1] ?? '',
  );
}

const post = (act: string, fields: Record<string, string>): Promise<Response> =>
  site.post(`/alerts/${A}/${act}`, formOf({ ...fields, csrf_token: csrf }, { cookie }));

async function approvals(): Promise<unknown[]> {
  const rows = await test.db
    .selectFrom('refund_approval')
    .select(['kind', 'state'])
    .orderBy('id')
    .execute();
  return rows.map(({ kind, state }) => [kind, state]);
}

describe.each(['/alerts/netalrt_1', '/reviews?open=netalrt_1'])('on %s', (path) => {
  it('a refund is named with its amount and charge; agreeing answers that one', async () => {
    await ask({});
    const page = await text(path);
    expect(page).toContain('to refund €50.00 on charge <code>ch_1</code>');
    const [id = ''] = formsTo(page, 'approve');
    // Meanwhile ada says that it went back by cheque: what the page sends is still the refund.
    await ask(OUTSIDE);
    expect((await post('approve', { approval_id: id })).status).toBe(303);
    expect(await approvals()).toEqual([
      ['REFUND', 'APPROVED'],
      ['REFUNDED_OUTSIDE', 'PENDING'],
    ]);
    const row = await test.db.selectFrom('alert_case').select('state').executeTakeFirstOrThrow();
    expect(row.state).toBe('DECIDED_REFUND');
  });

  it('a word about money is named as what it is, and no button agrees to it', async () => {
    await ask({});
    await ask(OUTSIDE);
    const page = await text(path);
    expect(page).toContain(
      '€50.00 went back outside the processor on charge <code>ch_1</code>, reference <code>CHQ-1</code>. Said so far by ada.',
    );
    const [refund = '', ...more] = formsTo(page, 'approve');
    expect(more).toEqual([]);
    const [, word = ''] = formsTo(page, 'decline');
    expect(word).not.toBe(refund);
    const clicked = await post('approve', { approval_id: word });
    expect(clicked.status).toBe(409);
    expect(await clicked.text()).toContain('when another person says the same');
    expect((await post('decline', { approval_id: word })).status).toBe(303);
    expect(await approvals()).toEqual([
      ['REFUND', 'PENDING'],
      ['REFUNDED_OUTSIDE', 'DECLINED'],
    ]);
  });

  it('another refund took the place of the one that was shown: the click agrees to neither', async () => {
    await ask({});
    const [shown = ''] = formsTo(await text(path), 'approve');
    await ask({ movementId: 'mv_2', amountMinor: 4_000 });
    const stale = await post('approve', { approval_id: shown });
    expect(stale.status).toBe(409);
    expect(await stale.text()).toContain('What you were shown is asked for no longer');
    expect(await approvals()).toEqual([
      ['REFUND', 'REPLACED'],
      ['REFUND', 'PENDING'],
    ]);
    const [now = ''] = formsTo(await text(path), 'approve');
    expect((await post('approve', { approval_id: now })).status).toBe(303);
  });

  it('a refund that waits for something else now is not offered to be agreed to', async () => {
    await ask({});
    await test.db.updateTable('alert_case').set({ hold_reason: 'paused' }).execute();
    expect(formsTo(await text(path), 'approve')).toEqual([]);
  });
});

it('a form that does not say to what it agrees is refused', async () => {
  await ask({});
  for (const fields of [{}, { approval_id: '' }, { approval_id: 'x' }]) {
    for (const act of ['approve', 'decline']) expect((await post(act, fields)).status).toBe(400);
  }
  expect(await approvals()).toEqual([['REFUND', 'PENDING']]);
});

describe('the second person', () => {
  it('sees on Today and on Reviews what waits for them, and not what they said themselves', async () => {
    await ask({});
    await ask({ ...OUTSIDE, operator: 'console' });
    for (const path of ['/', '/reviews']) {
      const page = await text(path);
      expect(page, path).toContain('Waits for you as the second person:');
      expect(page, path).toContain(`<a href="/alerts/${A}">refund €50.00</a>, said by ada`);
      expect(page, path).not.toContain('went back outside the processor</a>');
    }
  });

  it('is not asked about a refund that waits no longer, nor after the time of a word is over', async () => {
    await ask({});
    await ask({ ...OUTSIDE, endsAt: new Date(NOW) });
    await test.db.updateTable('alert_case').set({ hold_reason: 'policy_review' }).execute();
    expect(await text('/')).not.toContain('as the second person');
  });

  it('is told of a word about money by the channels, and of a refund by its case alone', async () => {
    await test.db.deleteFrom('notification').execute();
    await ask({});
    await ask(OUTSIDE);
    // Said again by the same person it is the same approval.
    await ask(OUTSIDE);
    const messages = await test.db.selectFrom('notification').select(['kind', 'text']).execute();
    expect(messages).toEqual([
      {
        kind: 'second_person',
        text: `ada says of alert ${A} that 50.00 EUR went back outside the processor. It has no effect before a second person says the same: look where the money is, then say it or decline it on the page of the alert.`,
      },
    ]);
  });
});
