/** Guarantee: the page of enrolments says of each what it is for, whether it is live, and what the merchant must do. */
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

async function insertEnrolment(id: string, status: string, snapshot: object): Promise<void> {
  await sql`insert into enrolment (organisation_id, id, type, status, note, updated_at, snapshot, snapshot_hash, source, first_seen_at, changed_at)
    values (${ORG}, ${id}, 'NETA_ALERT', ${status}, ${`note of ${id}`}, ${NOW}, ${JSON.stringify(snapshot)}::jsonb, ''::bytea, 'poll', ${NOW}, ${NOW})`.execute(
    test.db,
  );
}

const read = async () => await (await site.get('/enrolments', { cookie })).text();

it('says where they come from as long as there is none', async () => {
  expect(await read()).toContain('No enrolment is known yet.');
});

it('shows each with its descriptors and what must be done', async () => {
  await insertEnrolment('enr_1', 'ENABLED', {
    neta_alert: {
      descriptors: [
        { descriptor: 'SHOP*', match_type: 'STARTS_WITH', status: 'ACTIVE' },
        { descriptor: 'SHOP.EXAMPLE', match_type: 'EXACT', status: 'PENDING' },
      ],
    },
  });
  await insertEnrolment('enr_2', 'ACTION_REQUIRED', { merchant_ids: ['m_1', 'm_2'] });
  await insertEnrolment('enr_3', 'WHO_KNOWS', {});
  const text = await read();
  const cards = text.split('<section class="card"').slice(1);
  const card = (id: string) => cards.find((each) => each.includes(`aria-label="${id}"`)) ?? '';
  expect(card('enr_1')).toContain('Live.');
  expect(card('enr_1')).toMatch(/SHOP\*<\/code> <span class="quiet">and whatever begins with it/);
  expect(card('enr_1')).toMatch(/SHOP\.EXAMPLE<\/code> <span class="quiet">exactly/);
  expect(card('enr_2')).toContain('You must act: read the note, or ask the service.');
  expect(card('enr_2')).toContain('note of enr_2');
  expect(card('enr_2')).toContain('<code>m_1</code>, <code>m_2</code>');
  expect(card('enr_3')).toContain('A status Forestall does not know.');
});
