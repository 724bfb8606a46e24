/** Guarantee: the alerts page finds what is asked for, page by page without loss, and exports what no spreadsheet executes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listAlertPage } from '../../../src/alerts/list/alert-list.store.ts';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { csvCell } from '../../../src/base/kernel/csv-cell.ts';
import { minorOf } from '../../../src/people/console/alert-search.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';
import { alertObject, insertAlert, insertCase, NOW, ORG } from '../reconcile/rows.ts';
import type { TestConsole } from './support.ts';
import { BEARER, startConsole } from './support.ts';

let test: TestDatabase;
let site: TestConsole;
let cookie: string;

/** Id, and what is special about it. */
const ALERTS: readonly [string, Record<string, unknown>, Record<string, unknown>?][] = [
  ['netalrt_plain', {}],
  ['netalrt_yen', { amount_minor: 500, currency: 'JPY' }],
  ['netalrt_large', { amount_minor: 100_000 }],
  ['netalrt_card', { card_last4: '4242', card_bin: '411111', card_scheme: 'SCHEME_B' }],
  ['netalrt_arn', { acquirer_reference_number: '74000000000000000000017' }],
  ['netalrt_code', { authorisation_code: 'A1B2C3' }],
  ['netalrt_issuer', { card_issuer: 'First 100% Bank_' }],
  ['netalrt_descr', { descriptor: '=HYPERLINK("http://evil.example","x")' }],
  ['netalrt_rdr', { enrolment_type: 'NETB_RDR', reason_code: '13.7' }],
  ['netalrt_charge', {}, { charge_reference: 'ch_77' }],
  ['netalrt_missed', {}, { missed_at: NOW }],
  ['netalrt_early', {}, { opened_at: '2026-02-01T23:59:59Z' }],
  ['netalrt_over', {}, { state: 'DECLARED_REFUND', next_action_at: null, closed_at: NOW }],
];

beforeAll(async () => {
  test = await createTestDatabase();
  site = await startConsole(test.db, createFixedClock(NOW));
  for (const [id, alert, row] of ALERTS) {
    await insertAlert(test.db, alertObject(id));
    if (Object.keys(alert).length > 0) {
      await test.db.updateTable('alert').set(alert).where('id', '=', id).execute();
    }
    await insertCase(test.db, id, {
      state: row?.['state'] === undefined ? 'HUMAN' : 'DECLARED_REFUND',
    });
    if (row !== undefined) {
      await test.db.updateTable('alert_case').set(row).where('alert_id', '=', id).execute();
    }
  }
  await test.db
    .insertInto('charge')
    .values({
      organisation_id: ORG,
      reference: 'ch_77',
      order_reference: 'order-9',
      source: 'order',
      amount_minor: 1,
      currency: 'USD',
      known_at: NOW,
    })
    .execute();
  await test.db
    .insertInto('order_record')
    .values({
      organisation_id: ORG,
      integration_id: 'int_1',
      reference_id: 'order-9',
      type: 'COMPLETE',
      state: 'CREATED',
      order_id: 'ord_9',
      submitted: '{}',
      submitted_hash: Buffer.from('00', 'hex'),
      body: JSON.stringify({ customer_email: 'Ada@Customer.example' }),
      missing: '{}',
      warnings: '[]',
      accepted_at: NOW,
      changed_at: NOW,
    })
    .execute();
  await test.db
    .insertInto('movement')
    .values({
      organisation_id: ORG,
      id: 'mv_0a1b2c',
      charge_reference: 'ch_77',
      kind: 'external',
      observed_from: 'processor',
      state: 'CONFIRMED',
      alert_id: 'netalrt_charge',
      amount_minor: 1,
      currency: 'USD',
      processor_reference: 're_processor_9',
      created_at: NOW,
      changed_at: NOW,
    })
    .execute();
  await test.db
    .insertInto('entity_change')
    .values({
      organisation_id: ORG,
      entity: 'alert',
      entity_id: 'netalrt_plain',
      event_id: 'evt_told_us',
      changed_at: NOW,
      source: 'webhook',
      accepted: true,
      after: '{}',
    })
    .execute();
  ({ cookie } = await site.signIn());
});
afterAll(async () => {
  await site.close();
  await test.drop();
});

async function idsOf(query: string): Promise<string[]> {
  const answer = await site.get(`/api/alerts?${query}`, BEARER);
  expect(answer.status).toBe(200);
  const { items } = (await answer.json()) as { items: { id: string }[] };
  return items.map(({ id }) => id.replace('netalrt_', '')).sort();
}

describe('search and filter', () => {
  it.each([
    ['q=netalrt_plain', ['plain']],
    ['q=4242', ['card']],
    ['q=74000000000000000000017', ['arn']],
    ['q=A1B2C3', ['code']],
    ['q=ch_77', ['charge']],
    ['q=order-9', ['charge']],
    ['q=ada@customer.example', ['charge']],
    ['q=%3Dhyper', ['descr']],
    // A card as it is printed, with its first digits or without.
    ['q=%C2%B7%C2%B7%C2%B7%C2%B7%204242', ['card']],
    ['q=****4242', ['card']],
    ['q=4111%2011**%20****%204242', ['card']],
    ['q=5555%2055**%20****%204242', []],
    // Amounts as people write them: the digits are those of the currency.
    ['q=1,000.00', ['large']],
    ['q=%241000', ['large']],
    ['q=1000%20usd', ['large']],
    ['q=%C2%A5500', ['yen']],
    ['q=500', ['yen']],
    ['q=5.00', []],
    // Refunds and events: by id, by its beginning, by the processor's own reference.
    ['q=mv_0a1b2c', ['charge']],
    ['q=mv_0a1b', ['charge']],
    ['q=0a1b2', ['charge']],
    ['q=re_processor_9', ['charge']],
    ['q=evt_told_us', ['plain']],
    ['q=netalrt_pla', []],
    ['q=netalrt_plai', ['plain']],
    // The beginning of a reference, letter by letter, from four on.
    ['q=ch_7', ['charge']],
    ['q=orde', ['charge']],
    ['q=ord', []],
    ['q=ch__', []],
    ['q=%25', []],
    ['q=nothing-of-this', []],
    ['currency=JPY', ['yen']],
    // 500 yen is 500, not 5.00: the digits are those of the currency.
    ['currency=JPY&min=500&max=500', ['yen']],
    ['currency=USD&min=1000', ['large']],
    ['currency=USD&min=1000.01', []],
    ['scheme=SCHEME_B', ['card']],
    ['programme=NETB_RDR', ['rdr']],
    ['reason=13.7', ['rdr']],
    ['issuer=100%25%20bank_', ['issuer']],
    ['issuer=100_', []],
    ['missed=yes', ['missed']],
    ['to=2026-02-01', ['early']],
    ['from=2026-02-02&to=2026-02-28', []],
    ['state=closed', ['over']],
    ['state=all&q=netalrt_over', ['over']],
    ['state=open&q=netalrt_over', []],
    ['state=DECLARED_REFUND', ['over']],
  ])('%s finds %j', async (query, ids) => {
    expect(await idsOf(query)).toEqual(ids);
  });

  it.each(['sort=id;drop', 'currency=usd', 'min=-1', 'min=1e9', 'from=yesterday', 'missed=no'])(
    '%s is refused',
    async (query) => {
      expect((await site.get(`/api/alerts?${query}`, BEARER)).status).toBe(400);
      expect((await site.get(`/alerts?${query}`, { cookie })).status).toBe(400);
    },
  );

  it('ends a page when it has looked far enough, and continues from there', async () => {
    const wanted = { organisationId: ORG, states: ['HUMAN'], order: 'soonest', limit: 5 } as const;
    const found: string[] = [];
    let after: Parameters<typeof listAlertPage>[1]['after'];
    for (let pages = 1; ; pages++) {
      const filter = { currency: 'JPY' };
      const page = await listAlertPage(test.db, { ...wanted, after, filter, scanMax: 5 });
      found.push(...page.items.map(({ alertId }) => alertId));
      if (page.next === null) {
        // Twelve held cases, five at a time.
        expect([pages, found]).toEqual([3, ['netalrt_yen']]);
        return;
      }
      after = page.next;
    }
  });

  it('reads an amount as people write it, without a float', () => {
    expect(minorOf('129.9', 2)).toBe(12_990);
    expect(minorOf('5', 0)).toBe(5);
    expect(minorOf('5.9', 0)).toBe(5);
    expect(minorOf('0.005', 3)).toBe(5);
    expect(minorOf('1234567890.99', 2)).toBe(123_456_789_099);
  });
});

describe('the page', () => {
  it('opens the only thing that the search box finds, and names what is no alert', async () => {
    const find = async (text: string): Promise<string | null> =>
      (
        await site.get(`/alerts?state=all&go=yes&q=${encodeURIComponent(text)}`, { cookie })
      ).headers.get('location');
    expect(await find('···· 4242')).toBe('/alerts/netalrt_card');
    expect(await find('mv_0a1b2c')).toBe('/alerts/netalrt_charge');
    await test.db
      .updateTable('alert_case')
      .set({ charge_reference: null })
      .where('alert_id', '=', 'netalrt_charge')
      .execute();
    expect(await find('order-9')).toBe('/orders/order-9');
    expect(await find('order')).toBe('/orders/order-9');
    expect(await find('ch_7')).toBe('/charges/ch_77');
    expect(await find('re_processor_9')).toBe('/charges/ch_77');
    const list = await (await site.get('/alerts?state=all&q=ch_77', { cookie })).text();
    expect(list).toContain('Also: charge <a href="/charges/ch_77">ch_77</a>.');
    await test.db
      .updateTable('alert_case')
      .set({ charge_reference: 'ch_77' })
      .where('alert_id', '=', 'netalrt_charge')
      .execute();
    // Several are a list.
    expect(await find('129.90')).toBeNull();
  });

  it('says what to do when nothing is found', async () => {
    const text = await (await site.get('/alerts?currency=CHF', { cookie })).text();
    expect(text).toContain('No alert is in this list.');
    expect(text).toContain('show all alerts');
  });
});

describe('the export', () => {
  it('streams every alert of the filter, none as a formula, and is written down', async () => {
    const answer = await site.get('/alerts.csv?state=all', { cookie });
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toContain('alerts.csv');
    const lines = (await answer.text()).split('\r\n');
    expect(lines).toHaveLength(ALERTS.length + 2);
    expect(lines[0]).toMatch(/^alert_id,state,status_at_service,/);
    expect(lines.find((line) => line.startsWith('netalrt_descr'))).toContain(
      `"'=HYPERLINK(""http://evil.example"",""x"")"`,
    );
    expect(lines.find((line) => line.startsWith('netalrt_yen'))).toContain(',500,JPY,');
    expect(lines.find((line) => line.startsWith('netalrt_plain'))).toContain(',129.90,USD,');
    const audit = await test.db
      .selectFrom('audit')
      .select('actor')
      .where('what', '=', 'exported alerts')
      .execute();
    expect(audit).toEqual([{ actor: 'operator:console' }]);
  });

  it.each([
    ['=1+1', '"\'=1+1"'],
    ['+1', '"\'+1"'],
    ['-1', '"\'-1"'],
    ['@SUM(A1)', '"\'@SUM(A1)"'],
    ['\t=1', '"\'\t\'=1"'],
    ['\r=1', '"\'\r\'=1"'],
    [' =1', '"\' =1"'],
    ['＝1', '"\'＝1"'],
    ['SHOP;=1+1', '"SHOP;\'=1+1"'],
    ['a; @SUM(A1);+2;-3;＝4', "\"a;' @SUM(A1);'+2;'-3;'＝4\""],
    ['a;"=1"', '"a;\'""=1"""'],
    ['two\n=1', '"two\n\'=1"'],
    ['a;b', 'a;b'],
    ['a=1', 'a=1'],
    ['a,b', '"a,b"'],
    ['say "x"', '"say ""x"""'],
    ['plain', 'plain'],
    ['two\nlines', '"two\nlines"'],
    [null, ''],
    [12, '12'],
  ])('writes %j as %j', (value, cell) => {
    expect(csvCell(value)).toBe(cell);
  });
});
