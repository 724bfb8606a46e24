/**
 * Guarantee: people see every credit claim with its rows, export it, and note what came of it; an invoice that they
 * upload is compared; of a contested dispute they see the pack, and note as sent only the draft that they saw.
 */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import {
  CLAIMS_SORTED_MAX,
  countClaimable,
  listSortedClaims,
} from '../../../src/capabilities/credits/credit-claim.store.ts';
import type { TestConsole } from '../../integration/console/support.ts';
import { formOf, startConsole } from '../../integration/console/support.ts';
import { alertObject, insertAlert, NOW, ORG } from '../../integration/reconcile/rows.ts';
import { useTestDatabase } from '../../support/database.ts';

const test = useTestDatabase();
let site: TestConsole;
let person: { cookie: string; csrf: string };

const EVIDENCE = [
  {
    table: 'alert',
    id: 'netalrt_1',
    at: NOW,
    amountMinor: 2_900,
    currency: 'USD',
    shows: 'the alert that was billed',
  },
  {
    table: 'movement',
    id: 'mv_1',
    at: NOW,
    amountMinor: 2_900,
    currency: 'USD',
    shows: 'refunded before the alert',
  },
];

beforeAll(async () => {
  const { db } = test;
  site = await startConsole(db, createFixedClock(NOW));
  person = await site.signIn();
  for (const number of [1, 2, 3]) {
    const id = `netalrt_${number}`;
    await insertAlert(
      db,
      alertObject(id, {
        transaction_statement_descriptor: '=SHOP',
        transaction_acquirer_reference_number: '7'.repeat(23),
      }),
    );
    if (number === 3) continue;
    await db
      .insertInto('credit_claim')
      .values({
        organisation_id: ORG,
        alert_id: id,
        class: number === 1 ? 'ALREADY_REFUNDED' : 'DUPLICATE',
        network: 'NETA_ALERT',
        evidence: JSON.stringify(EVIDENCE),
        claim_until: '2026-03-15T10:00:00Z',
        alerted_at: '2026-03-01T10:00:00Z',
        found_at: NOW,
        changed_at: NOW,
        changed_by: 'forestall',
      })
      .execute();
  }
  await db
    .insertInto('representment')
    .values({
      organisation_id: ORG,
      id: 'rep_1',
      dispute_status: 'OPEN',
      dispute_due_by: '2026-03-05T10:00:00Z',
      amount_minor: 2_900,
      currency: 'USD',
      updated_at: NOW,
      snapshot: JSON.stringify({ dispute_reason_code: '13.1' }),
      snapshot_hash: Buffer.from('00', 'hex'),
      source: 'webhook',
      first_seen_at: NOW,
      changed_at: NOW,
    })
    .execute();
});
afterAll(async () => {
  await site.close();
});

const get = async (path: string): Promise<string> =>
  await (await site.get(path, { cookie: person.cookie })).text();

async function post(path: string, fields: Record<string, string>): Promise<number> {
  const form = formOf({ csrf_token: person.csrf, ...fields }, { cookie: person.cookie });
  return (await site.post(path, form)).status;
}

async function stateOf(alertId: string): Promise<unknown> {
  return await test.db
    .selectFrom('credit_claim')
    .select(['state', 'reference', 'changed_by'])
    .where('alert_id', '=', alertId)
    .executeTakeFirst();
}

it('claims are counted by merchant where merchants have prices of their own', async () => {
  const merchants = test.db.updateTable('alert').where('id', '=', 'netalrt_2');
  await merchants.set({ merchant_id: 'mrch_dear' }).execute();
  const claim = { state: 'OPEN', network: 'NETA_ALERT' };
  expect(await countClaimable(test.db, ORG, false)).toEqual([
    { ...claim, merchantId: null, count: 2 },
  ]);
  const byMerchant = await countClaimable(test.db, ORG, true);
  expect(new Map(byMerchant.map(({ merchantId, count }) => [merchantId, count]))).toEqual(
    new Map([
      [null, 1],
      ['mrch_dear', 1],
    ]),
  );
  await merchants.set({ merchant_id: null }).execute();
});

describe('credits', () => {
  it('are listed, and filtered by what stands in the address', async () => {
    expect(await get('/credits')).toMatch(/netalrt_1[\s\S]*netalrt_2/);
    const filtered = await get('/credits?class=DUPLICATE&state=OPEN&from=2026-03-01&to=2026-03-01');
    expect(filtered).toContain('netalrt_2');
    expect(filtered).not.toContain('netalrt_1');
    expect(await get('/credits?to=2026-02-28')).toContain('No claim is in this list.');
    expect((await site.get('/credits?class=LUCK', { cookie: person.cookie })).status).toBe(400);
  });

  it('stand in the order that is asked for, and say what there is to claim', async () => {
    const page = await get('/credits');
    // Two alerts of one network at the assumed price of 25.00 each.
    expect(page).toContain('$50.00 to claim (an assumed price: set FORESTALL_COSTS)');
    expect(await get('/credits?sort=-amount')).toMatch(/netalrt_2[\s\S]*netalrt_1/);
    expect(await get('/credits?sort=amount')).toMatch(/netalrt_1[\s\S]*netalrt_2/);
    const wrong = await site.get('/credits?sort=luck', { cookie: person.cookie });
    expect(wrong.status).toBe(400);
  });

  it('are walked to the last one by their alerts, however many there are', async () => {
    const organisationId = 'org_many';
    const many = CLAIMS_SORTED_MAX + 5;
    await sql`insert into credit_claim (organisation_id, alert_id, class, network, evidence, alerted_at, found_at, changed_at, changed_by)
      select ${organisationId}, 'alert_' || n, 'DUPLICATE', 'NETA_ALERT', '{}', ${NOW}::timestamptz + n / 3 * interval '1 second', ${NOW}, ${NOW}, 'forestall'
      from generate_series(1, ${many}) n`.execute(test.db);
    for (const sort of ['alert', '-alert'] as const) {
      const ids = new Set<string>();
      let after: readonly [string, string] | undefined;
      for (;;) {
        const list = { organisationId, sort, limit: 400, after };
        const { items, isCut } = await listSortedClaims(test.db, list);
        expect(isCut).toBe(false);
        const last = items.at(-1);
        if (last === undefined) break;
        for (const item of items) ids.add(item.alert_id);
        after = [last.key, last.alert_id];
      }
      expect([sort, ids.size]).toEqual([sort, many]);
    }
    const other = { organisationId, sort: '-changed' as const, limit: 1 };
    expect((await listSortedClaims(test.db, other)).isCut).toBe(true);
  });

  it('show the rows behind one', async () => {
    const page = await get('/credits/netalrt_1');
    expect(page).toContain('refunded before the alert');
    expect(page).toContain('mv_1');
    expect((await site.get('/credits/netalrt_9', { cookie: person.cookie })).status).toBe(404);
  });

  it('go out as the file that a provider is sent, no cell a formula', async () => {
    const [header, first, ...rest] = (await get('/credits.csv?state=OPEN')).split('\r\n');
    expect(header).toBe(
      'alert_id,programme,alert_created_at,reason,reason_words,amount,currency,acquirer_reference_number,authorisation_code,card_last4,descriptor,evidence,claim_until,state,provider_reference',
    );
    expect(first).toMatch(
      /^netalrt_1,NETA_ALERT,2026-03-01T10:00:00.000Z,ALREADY_REFUNDED,already refunded,129.90,USD,/,
    );
    expect(first).toContain(`"'=SHOP"`);
    expect(first).toContain('29.00 USD (movement mv_1)');
    expect(rest).toHaveLength(2);
  });

  it('change as a person says, from the state that they saw', async () => {
    const from = { from: 'OPEN', to: 'SENT', reference: 'CR-77', note: 'by e-mail' };
    expect(await post('/credits/netalrt_1', from)).toBe(303);
    expect(await stateOf('netalrt_1')).toEqual({
      state: 'SENT',
      reference: 'CR-77',
      changed_by: 'console',
    });
    expect(await post('/credits/netalrt_1', from)).toBe(409);
    expect(await post('/credits/netalrt_1', { from: 'SENT', to: 'GRANTED' })).toBe(303);
    expect(await post('/credits/netalrt_1', { from: 'GRANTED', to: 'OPEN' })).toBe(409);
    expect(await post('/credits/netalrt_1', { from: 'GRANTED', to: 'LOST' })).toBe(400);
  });

  it('are marked as sent together, but for what was found since the list was shown', async () => {
    const early = { query: 'state=OPEN', shown_at: '2026-03-01T11:59:59.000Z' };
    expect(await post('/credits/sent', early)).toBe(303);
    expect(await stateOf('netalrt_2')).toMatchObject({ state: 'OPEN' });
    expect(await post('/credits/sent', { query: 'state=OPEN', shown_at: NOW })).toBe(303);
    expect(await stateOf('netalrt_2')).toMatchObject({ state: 'SENT' });
  });

  async function upload(csv: string, more: Record<string, string> = {}): Promise<Response> {
    const form = new FormData();
    const fields = { csrf_token: person.csrf, from: '2026-03-01', to: '2026-03-31', ...more };
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    form.set('invoice', new Blob([csv]), 'bill.csv');
    return await fetch(`${site.url}/credits/invoice`, {
      method: 'POST',
      body: form,
      headers: { cookie: person.cookie },
      redirect: 'manual',
    });
  }

  it('are compared with an uploaded invoice', async () => {
    const lines = [
      'netalrt_1,25.00,USD',
      'netalrt_1,-25.00,USD',
      'netalrt_2,25.00,USD',
      'netalrt_2,25.00,USD',
      'netalrt_x,25.00,USD',
    ];
    const answer = await upload(`alert_id,amount,currency\n${lines.join('\n')}\n`);
    expect(answer.status).toBe(200);
    const page = await answer.text();
    expect(page).toContain('billed more than once');
    expect(page).toContain('our books know no such alert');
    expect(page).toContain('not billed');
    expect(page).not.toContain('credited, and nothing was claimed');
    expect(page).toContain(
      '1 alerts of this invoice are billed as agreed and may still be credited',
    );
  });

  it('tell totals, taxes and fees of the invoice from its alerts', async () => {
    const lines = [
      'netalrt_1;"25,00";EUR;Alert (refunded)',
      ';"99,00";EUR;Monthly fee',
      ';"4,75";EUR;MwSt. 19 %',
      'Total;"3.000,00";EUR;',
    ];
    const answer = await upload(`alert_id;amount;currency;type\n${lines.join('\n')}\n`);
    const page = (await answer.text()).replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');
    expect(page).not.toContain('our books know no such alert');
    expect(page).not.toContain('credited with another sum');
    expect(page).toMatch(/3 about no alert Monthly fee €99\.00/);
    expect(page).toMatch(/4 tax MwSt\. 19 % €4\.75/);
    expect(page).toMatch(/5 the total is not the sum of the lines Total €3,000\.00 €128\.75/);
  });

  it('refuse a file that is no invoice, a forged form and a broken one', async () => {
    expect((await upload('when,what\n1,2\n')).status).toBe(400);
    expect((await upload('alert_id,amount\nnetalrt_1,1\n')).status).toBe(400);
    expect((await upload('alert_id,amount,currency\n', { csrf_token: 'wrong' })).status).toBe(403);
    const broken = await fetch(`${site.url}/credits/invoice`, {
      method: 'POST',
      body: 'no form',
      headers: { cookie: person.cookie, 'content-type': 'multipart/form-data; boundary=x' },
    });
    expect(broken.status).toBe(403);
    // A form of more parts than any of ours is not taken apart, so that its token is not found.
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`f${n}`, 'x']));
    expect((await upload('alert_id,amount,currency\n', many)).status).toBe(403);
    expect((await upload('alert_id,amount\n', { f1: 'x' })).status).toBe(400);
  });
});

describe('a representment', () => {
  it('shows what is held and missing, and gives the draft as files', async () => {
    expect(await get('/representments')).toContain('0 of 4 held');
    const page = await get('/representments/rep_1');
    expect(page).toContain('Send deliveries with carrier');
    const file = await site.get('/representments/rep_1/pack.html', { cookie: person.cookie });
    expect(file.headers.get('content-disposition')).toMatch(
      /^attachment; filename="rep_1-[0-9a-f]{16}\.html"$/,
    );
    const pdf = await site.get('/representments/rep_1/pack.pdf', { cookie: person.cookie });
    expect(
      Buffer.from(await pdf.arrayBuffer())
        .subarray(0, 5)
        .toString(),
    ).toBe('%PDF-');
  });

  it('is noted as sent by the draft that the person saw, once', async () => {
    const hash =
      /name="hash" value="([0-9a-f]{16})"/.exec(await get('/representments/rep_1'))?.[1] ?? '';
    expect(await post('/representments/rep_1/sent', { hash: '0'.repeat(16) })).toBe(409);
    expect(await post('/representments/rep_1/sent', { hash, through: 'portal' })).toBe(303);
    expect(await post('/representments/rep_1/sent', { hash })).toBe(409);
    expect(await get('/representments/rep_1')).toContain('(as it stands)');
    expect(await get('/representments/outcomes')).toContain('Outcomes by pack');
  });
});
