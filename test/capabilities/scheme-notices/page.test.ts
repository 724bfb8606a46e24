/** Guarantee: scheme notices are listed newest first by when they were reported, to the last one, with what was revoked. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import type { TestConsole } from '../../integration/console/support.ts';
import { startConsole } from '../../integration/console/support.ts';
import { NOW, ORG } from '../../integration/reconcile/rows.ts';
import { useTestDatabase } from '../../support/database.ts';

const test = useTestDatabase();
let site: TestConsole;
let cookie: string;

beforeAll(async () => {
  site = await startConsole(test.db, createFixedClock(NOW));
  ({ cookie } = await site.signIn());
});
afterAll(() => site.close());

const read = async (path: string) => await (await site.get(path, { cookie })).text();
const idsOf = (text: string) =>
  [...text.matchAll(/<code>(note_\d+)<\/code>/g)].map(([, id = '']) => id);

it('says so as long as there is none', async () => {
  expect(await read('/scheme-notices')).toContain('No notice yet.');
});

it('lists them newest first, page after page', async () => {
  // The highest number was reported last.
  await sql`insert into scheme_notice (organisation_id, id, scheme_notice_type, notice_type, scheme, is_revoked, fraud_reported_at, amount_minor,
      currency, card_last4, acquirer_reference_number, created_at, updated_at, snapshot, snapshot_hash, source, first_seen_at, changed_at)
    select ${ORG}, 'note_' || n, 'FRAUD', 'FRAUD', 'SCHEME_A', n = 120, ${NOW}::timestamptz - (121 - n) * interval '1 hour', 1250,
      'EUR', '4242', 'arn ' || n, ${NOW}, ${NOW}, '{}', ''::bytea, 'webhook', ${NOW}, ${NOW}
    from generate_series(1, 120) n`.execute(test.db);
  const ids: string[] = [];
  let path: string | undefined = '/scheme-notices';
  const first = await read(path);
  for (let pages = 0; path !== undefined && pages < 10; pages += 1) {
    const text = await read(path);
    ids.push(...idsOf(text));
    path = /href="(\/scheme-notices\?cursor=[^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
  }
  expect(ids).toEqual(Array.from({ length: 120 }, (_, index) => `note_${120 - index}`));
  const [, newest = '', second = ''] = first.split('<tr>').slice(1);
  expect(newest).toContain('note_120');
  expect(newest).toContain('revoked');
  expect(newest).toContain('12.50');
  // What else is known of the payment.
  expect(newest).toContain('/alerts?state=all&amp;q=arn%20120');
  expect(second).not.toContain('revoked');
});
