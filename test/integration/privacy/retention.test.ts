/** Guarantee: every table goes when the inventory says, and not a day earlier; none is forgotten. */
import { readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { INVENTORY } from '../../../src/privacy/inventory.ts';
import { deleteOldRows, OLD_ROWS } from '../../../src/privacy/old-rows.store.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';

const NOW = '2026-11-20T00:00:00Z';
const ORG = 'org_retention';
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** A row of each table: `$1` the moment that counts, `$2` a name of its own. */
const ROWS: Readonly<Record<string, string>> = {
  match_choice: `insert into match_choice (organisation_id, alert_id, charge_reference, operator, chosen_at) values ('${ORG}', $2, 'c', 'Ines', $1)`,
  review_comment: `insert into review_comment (organisation_id, alert_id, operator, text, at) values ('${ORG}', $2, 'Ines', 'asked', $1)`,
  book_check: `insert into book_check (organisation_id, alert_id, compared_at, answer) values ('${ORG}', $2, $1, 'found')`,
  side_action: `insert into side_action (organisation_id, id, alert_id, kind, subject, cause, state, created_at, settled_at) values ('${ORG}', $2, $2, 'notify', $2, 'rule', 'DONE', $1, $1)`,
  finding: `insert into finding (organisation_id, kind, severity, subject, subject_id, evidence, next_step, opened_at, last_seen_at, closed_at) values ('${ORG}', 'k', 'info', 's', $2, '{}', 'none', $1, $1, $1)`,
  order_import: `insert into order_import (organisation_id, file_key, file_name, started_at, changed_at, finished_at) values ('${ORG}', $2, 'f', $1, $1, $1)`,
  shadow_report: `insert into shadow_report (organisation_id, day, report, created_at) values ('${ORG}', $1::timestamptz::date, to_jsonb($2::text), $1)`,
  activity_hour: `insert into activity_hour (organisation_id, hour, measure, count) values ('${ORG}', $1, $2, 1)`,
  activity_day: `insert into activity_day (organisation_id, day, measure, count) values ('${ORG}', $1, $2, 1)`,
  lookup_day: `insert into lookup_day (organisation_id, day, type, lookup_status, deflection_status, currency, count, amount_minor) values ('${ORG}', $1, $2, 'a', 'b', 'EUR', 1, 1)`,
  refund_customer: `with made as (insert into refund (organisation_id, id, charge_reference, idempotency_key, alert_id, state, amount_minor, currency, captured_minor, created_at, changed_at)
      values ('${ORG}', $2, $2, $2, 'a', 'REJECTED', 1, 'EUR', 1, $1, $1))
    insert into refund_customer (organisation_id, identity, refund_id) values ('${ORG}', 'hash', $2)`,
  order_nested_reference: `with made as (
      insert into order_record (organisation_id, integration_id, reference_id, type, body, submitted, submitted_hash, state, order_id, accepted_at, changed_at)
      select '${ORG}', 'i', $2, 'COMPLETE', '{}', '{}', '', 'CREATED', 'o', $1, $1 where $2 = 'young')
    insert into order_nested_reference (organisation_id, integration_id, kind, reference, order_reference, given) values ('${ORG}', 'i', 'item', $2, $2, $2)`,
};

test.each(Object.keys(OLD_ROWS))('%s goes after 396 days', async (table) => {
  const insert = ROWS[table] ?? '';
  const day = (days: number): Date => new Date(Date.parse(NOW) - days * 86_400_000);
  await database.pool.query(insert, [day(397), 'old']);
  await database.pool.query(insert, [day(395), 'young']);
  await deleteOldRows(database.db, ORG, new Date(NOW));
  const left = await database.pool.query<{ text: string }>(
    `select t::text as text from ${table} t`,
  );
  expect(left.rows).toHaveLength(1);
  expect(left.rows[0]?.text).toMatch(/young/);
});

test('a quarantined delivery keeps no word of its body after 30 days, and stays noted', async () => {
  for (const days of [31, 29]) {
    await sql`insert into quarantine (organisation_id, event_id, reason, detail, quarantined_at)
      values (${ORG}, ${`evt_${days}`}, 'shape', 'quotes', ${NOW}::timestamptz - make_interval(days => ${days}))`.execute(
      database.db,
    );
  }
  await deleteOldRows(database.db, ORG, new Date(NOW));
  const left = await database.db
    .selectFrom('quarantine')
    .select(['event_id', 'detail'])
    .where('organisation_id', '=', ORG)
    .orderBy('event_id')
    .execute();
  expect(left).toEqual([
    { event_id: 'evt_29', detail: 'quotes' },
    { event_id: 'evt_31', detail: '' },
  ]);
});

test('every table that the inventory keeps for a number of days is deleted from by somebody', async () => {
  const read = async (path: string): Promise<string> =>
    await readFile(new URL(`../../../${path}`, import.meta.url), 'utf8');
  const elsewhere = [
    await read('migrations/0008_retention.sql'),
    await read('src/privacy/retention.store.ts'),
    await read('src/reconcile/reconcile-request.store.ts'),
  ].join('\n');
  const unkept = Object.entries(INVENTORY)
    .filter(([, { keep }]) => typeof keep === 'number')
    .map(([table]) => table)
    .filter((table) => !(table in OLD_ROWS))
    // By a statement of theirs, or by dropping the partition of the month.
    .filter(
      (table) => !new RegExp(`delete from ${table}\\b|deleteFrom\\('${table}'\\)`).test(elsewhere),
    )
    .filter((table) => !['inbox_event', 'quarantine'].includes(table));
  expect(unkept).toEqual([]);
});
