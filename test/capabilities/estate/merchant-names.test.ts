/**
 * Guarantee: a merchant is shown by the name that the estate knows, on every page that shows one, and by its code where
 * no name is known or several merchants bear it.
 */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import type { TestConsole } from '../../integration/console/support.ts';
import { startConsole } from '../../integration/console/support.ts';
import {
  alertObject,
  insertAlert,
  insertCase,
  NOW,
  ORG,
} from '../../integration/reconcile/rows.ts';
import { useTestDatabase } from '../../support/database.ts';

const test = useTestDatabase();
let site: TestConsole;
let cookie: string;

const MERCHANTS = [
  { id: 'mrch_lamps', key: null, name: 'Lamps & Co', type: 'ECOMMERCE' },
  { id: 'mrch_one', key: null, name: 'Twin', type: 'ECOMMERCE' },
  { id: 'mrch_two', key: null, name: 'Twin', type: 'ECOMMERCE' },
];
const IDS = [...MERCHANTS.map(({ id }) => id), 'mrch_unknown'];

beforeAll(async () => {
  site = await startConsole(test.db, createFixedClock(NOW));
  ({ cookie } = await site.signIn());
  await sql`insert into enrolment (organisation_id, id, type, status, updated_at, snapshot, snapshot_hash, source, first_seen_at, changed_at)
    values (${ORG}, 'enr_1', 'NETA_ALERT', 'ENABLED', ${NOW}, ${JSON.stringify({ merchant_ids: IDS })}::jsonb, ''::bytea, 'poll', ${NOW}, ${NOW})`.execute(
    test.db,
  );
  for (const id of IDS) {
    await sql`insert into outcome_day (organisation_id, day, dimension, label, outcome, currency, count, amount_minor)
      values (${ORG}, '2026-03-01', 'merchant', ${`${id} NETA`}, 'refunded', 'USD', 1, 100)`.execute(
      test.db,
    );
    await sql`insert into roll_up (organisation_id, grain, period, measure, brand, merchant_id, submerchant_id, descriptor, enrolment_id,
        currency, count, amount_minor)
      values (${ORG}, 'month', '2026-03-01', 'fraud', 'SCHEMEA', ${id}, '', '', '', 'USD', 1, 100)`.execute(
      test.db,
    );
  }
  await insertAlert(test.db, alertObject('netalrt_1'));
  await insertCase(test.db, 'netalrt_1', { state: 'REFUNDING', chargeReference: 'ch_1' });
});
afterAll(() => site.close());

async function page(path: string): Promise<string> {
  return await (await site.get(path, { cookie })).text();
}

it('codes, as long as there is no estate', async () => {
  const code = '<code>mrch_lamps</code>';
  expect(await page('/enrolments')).toContain(code);
  expect(await page('/figures?month=2026-03')).toContain(code);
  expect(await page('/ratios')).toContain('>mrch_lamps</option>');
});

it('names, once a look has seen them', async () => {
  const picture = JSON.stringify({ merchants: MERCHANTS });
  await sql`insert into estate_look (organisation_id, file, digest, tried_at, looked_at, picture)
    values (${ORG}, 'estate.yaml', 'd', ${NOW}, ${NOW}, ${picture}::jsonb)`.execute(test.db);
  // Another organisation's are nobody else's.
  const foreign = JSON.stringify({ merchants: [{ id: 'mrch_unknown', name: 'Foreign' }] });
  await sql`insert into estate_look (organisation_id, file, digest, tried_at, looked_at, picture)
    values ('org_other', 'estate.yaml', 'd', ${NOW}, ${NOW}, ${foreign}::jsonb)`.execute(test.db);
  for (const path of ['/enrolments', '/figures?month=2026-03']) {
    const text = await page(path);
    expect(text, path).toContain('<span title="mrch_lamps">Lamps &amp; Co</span>');
    for (const id of ['mrch_one', 'mrch_two', 'mrch_unknown']) {
      expect(text, path).toContain(`<code>${id}</code>`);
    }
    expect(text, path).not.toContain('Twin');
    expect(text, path).not.toContain('Foreign');
  }
  const ratios = await page('/ratios');
  expect(ratios).toContain('<option value="merchant:mrch_lamps">Lamps &amp; Co</option>');
  expect(ratios).toContain('<option value="merchant:mrch_one">mrch_one</option>');
});

it('the processor of a merchant, beside a movement that went through it', async () => {
  const through = (id: string, dispute: string): Promise<unknown> =>
    sql`insert into movement (organisation_id, id, charge_reference, kind, state, dispute_id, alert_id, idempotency_key,
        amount_minor, currency, sent_through, created_at, changed_at)
      values (${ORG}, ${`mv_${dispute}`}, 'ch_1', 'refund', 'NOT_SENT', ${dispute}, 'netalrt_1', ${`key_${dispute}`}, 100, 'USD', ${id},
        ${NOW}, ${NOW})`.execute(test.db);
  await test.db
    .insertInto('dispute')
    .values({
      ...{ organisation_id: ORG, id: 'dsp_1', charge_reference: 'ch_1' },
      ...{ amount_minor: 100, currency: 'USD', opened_at: NOW },
    })
    .execute();
  await through('mrch_lamps', 'dsp_1');
  await test.db.updateTable('alert_case').set({ dispute_id: 'dsp_1' }).execute();
  expect(await page('/alerts/netalrt_1')).toContain(
    'processor of merchant <span title="mrch_lamps">Lamps &amp; Co</span>',
  );
});
