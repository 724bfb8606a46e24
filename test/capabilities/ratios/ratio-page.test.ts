/** Guarantee: the page Ratios shows what rows and files say, for everybody's own scope, and takes an acquirer's numbers from people who may. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { openSettings } from '../../../src/base/kernel/setting.ts';
import { judgeCounts } from '../../../src/capabilities/ratios/roll-up.store.ts';
import type { TestConsole } from '../../integration/console/support.ts';
import { formOf, startConsole } from '../../integration/console/support.ts';
import { useTestDatabase } from '../../support/database.ts';
import { ORG } from './rows.ts';
import { fillYear, NOW } from './year.ts';

const test = useTestDatabase();
let site: TestConsole;
let cookie: string;
let csrf: string;

beforeAll(async () => {
  await fillYear(test.db);
  await judgeCounts(test.db, ORG);
  site = await startConsole(test.db, createFixedClock(NOW), {
    organisationId: ORG,
    settings: openSettings({ FORESTALL_MONITORING_REGION: 'EU' }),
  });
  ({ cookie, csrf } = await site.signIn());
});
afterAll(async () => {
  await site.close();
});

async function pageOf(path: string): Promise<string> {
  const answer = await site.get(path, { cookie });
  // Without tags, with single spaces.
  return (await answer.text()).replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
}

async function post(fields: Record<string, string>): Promise<{ status: number; text: string }> {
  const answer = await site.post('/ratios', formOf({ csrf_token: csrf, ...fields }, { cookie }));
  return { status: answer.status, text: await answer.text() };
}

describe('the page', () => {
  it('shows count, base and ratio, the pace and what is open', async () => {
    const text = await pageOf('/ratios');
    // 7 fraud reports and 7 disputes on every third day from 1 to 21 November, 40 payments on each of 21 days.
    expect(text).toContain('14 840 1.67 %');
    expect(text).toContain('beyond non-compliant');
    // ECP: 7 disputes over the payments of October, 31 times 20.
    expect(text).toContain('7 620 1.13 %');
    expect(text).toContain('Refunding these 6 open alerts leaves 1.79 %');
    // The second line's ratio is reached; its 1,500 items are what is missing.
    expect(text).toContain(
      'The line of 0.5 % with at least 5 items is crossed: 14 counted, 6 are enough.',
    );
    expect(text).toContain(
      'At this pace you do not cross 1.5 % with at least 1,500 items until 22 January 2027',
    );
    expect(text).toContain('GMAP');
  });

  it('draws the months with the lines, without scripts', async () => {
    const text = await (await site.get('/ratios', { cookie })).text();
    expect(text).toMatch(/<svg viewBox="0 0 760 260" role="img"/);
    expect(text).toContain('non-compliant, 0.5 %</text>');
    expect(text).not.toMatch(/ style=/);
  });

  it('tells merchants apart by descriptors and enrolments', async () => {
    const shop = await pageOf('/ratios?of=merchant%3Amrch_shop');
    // 30 of SCHEME_A on each of 21 days; notices of even days: 6, 12, 18 and so on.
    expect(shop).toContain(' 630 ');
    expect(shop).not.toContain(' 840 ');
    const outlet = await pageOf('/ratios?scope=merchant&id=mrch_outlet');
    expect(outlet).toContain(' 210 ');
    expect(await pageOf('/ratios?of=descriptor%3AOUTLET')).toContain(' 210 ');
    expect(await pageOf('/ratios?of=enrolment%3Aenrl_outlet')).toContain(' 210 ');
    expect((await site.get('/ratios?of=merchant%3Anobody', { cookie })).status).toBe(404);
  });

  it('says what was done about the count', async () => {
    const text = await pageOf('/ratios');
    expect(text).toContain('Refunded by RDR 6 / 6 0 / 0 0 / 0');
    expect(text).toContain('Alerts answered with a refund 6 / 6');
    expect(text).toContain('Deflected by evidence 6 / 6');
  });
});

describe('a count', () => {
  /** The address behind the count of VAMP's first reading. */
  async function countedAt(path: string): Promise<string> {
    const text = await (await site.get(path, { cookie })).text();
    const [, address = ''] =
      /href="(\/ratios\/counted\?programme=vamp-2026-04&amp;reading=fraud\+once[^"]*)"/.exec(
        text,
      ) ?? [];
    return address.replaceAll('&amp;', '&');
  }

  it('leads to each notice behind it', async () => {
    const address = await countedAt('/ratios');
    const text = await pageOf(address);
    expect(text).toContain('14 counted of 840 payments, 1.67 %');
    const page = await (await site.get(address, { cookie })).text();
    const stored = await test.db
      .selectFrom('scheme_notice')
      .select('id')
      .where('scheme', '=', 'SCHEME_A')
      .where('created_at', '>=', new Date('2026-11-01T00:00:00Z'))
      .orderBy('id')
      .execute();
    const ids = [...page.matchAll(/<code>(schntc_[^<]+)<\/code>/g)].map(([, id]) => id);
    expect(ids.toSorted()).toEqual(stored.map(({ id }) => id));
    expect(ids).toHaveLength(14);
    expect(text).toContain('fraud report');
    expect(text).toContain('$45.00');
  });

  it('of a merchant leads to those of the merchant', async () => {
    const address = await countedAt('/ratios?of=merchant%3Amrch_shop');
    const page = await (await site.get(address, { cookie })).text();
    const days = [...page.matchAll(/<code>schntc_[^<]*2026(\d{4})<\/code>/g)].map(([, day]) => day);
    // Notices of even days are of the shop: 6, 12 and 18 November, or their neighbours by the day of the year.
    expect(days.length).toBeGreaterThan(0);
    expect(days.filter((day) => Number(day) % 2 === 1)).toEqual([]);
  });

  it('of an earlier month leads to that month, and of nothing to nothing', async () => {
    const address = await countedAt('/ratios');
    const text = await pageOf(address.replace('month=2026-11', 'month=2026-06'));
    // Every sixth and every seventh day of the year, from the 152nd to the 181st.
    expect(text).toContain('9 counted for the organisation.');
    expect((await site.get(address.replace('vamp-2026-04', 'nothing'), { cookie })).status).toBe(
      404,
    );
  });
});

describe('numbers of the acquirer', () => {
  it('are stored, shown beside ours, and judged for themselves', async () => {
    const one = { month: '2026-10', scheme: 'SCHEME_A', measure: 'payments', value: '1000' };
    expect((await post(one)).text).toContain('One number is stored.');
    const csv =
      'Month,Scheme,Measure,Value\n2026-10,SCHEME_A,fraud,4\n2026-10,SCHEME_A,dispute,2\n';
    expect((await post({ csv })).text).toContain('2 numbers are stored.');
    const text = await pageOf('/ratios');
    // 4 + 2 of 1,000; ours are 31 times 40.
    expect(text).toContain('By the numbers reported for October 2026 (payments, fraud, dispute)');
    expect(text).toContain(
      'fraud once 6 of 1,000 payments, 0.60 %, beyond &quot;non-compliant&quot;',
    );
    expect(text).toContain('1,000 ours 1,240, -19.4 %');
    // They stand in the table of their programme too, and what they cross stands above it.
    expect(text).toContain(
      'Beyond &quot;non-compliant&quot; by the numbers reported for October 2026.',
    );
    expect(text).toContain('fraud once, reported for October 2026 6 1,000 0.60 %');
    const again = await post({ ...one, value: '1240' });
    expect(again.status).toBe(200);
    const { rows } = {
      rows: await test.db
        .selectFrom('audit')
        .select('detail')
        .where('what', '=', 'reported_number')
        .execute(),
    };
    expect(rows.map(({ detail }) => detail['value'])).toEqual([1000, 4, 2, 1240]);
    expect(rows.at(-1)?.detail['before']).toBe(1000);
  });

  it('are refused as a whole when one is wrong', async () => {
    const csv =
      'month,scheme,measure,value,scope,scope_id\n2026-09,SCHEME_A,fraud,4,,\n2026-13,SCHEME_A,fraud,4,,\n2026-09,VISA,fraud,4,,\n2026-09,SCHEME_A,luck,4,,\n2026-09,SCHEME_A,fraud,4.5,,\n2026-09,SCHEME_A,fraud,4,merchant,\n';
    const { status, text } = await post({ csv });
    expect(status).toBe(400);
    for (const fault of [
      'row 2: month',
      'row 3: scheme',
      'row 4: measure',
      'row 5: value',
      'row 6: scope_id',
    ]) {
      expect(text).toContain(fault);
    }
    expect(text).not.toContain('row 1:');
    const stored = await test.db
      .selectFrom('programme_reported')
      .select('month')
      .where('month', '=', '2026-09-01')
      .execute();
    expect(stored).toEqual([]);
  });
});
