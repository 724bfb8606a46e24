/** Guarantee: every table goes when the inventory says, and not a day earlier; none is forgotten. */
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { INVENTORY } from '../../../src/running/privacy/inventory.ts';
import { deleteOldRows, OLD_ROWS } from '../../../src/running/privacy/old-rows.store.ts';
import { deleteOld } from '../../../src/running/privacy/retention.store.ts';
import { createTestDatabase, useTestDatabase } from '../../support/database.ts';

const NOW = '2026-11-20T00:00:00Z';
const ORG = 'org_retention';
const database = useTestDatabase();

/** A row of each table: `$1` the moment that counts, `$2` a name of its own. */
const ROWS: Readonly<Record<string, string>> = {
  match_choice: `insert into match_choice (organisation_id, alert_id, charge_reference, operator, chosen_at) values ('${ORG}', $2, 'c', 'Ines', $1)`,
  review_comment: `insert into review_comment (organisation_id, alert_id, operator, text, at) values ('${ORG}', $2, 'Ines', 'asked', $1)`,
  review_attachment: `insert into review_attachment (organisation_id, id, alert_id, operator, file_name, byte_count, body, at) values ('${ORG}', $2, $2, 'Ines', 'slip.pdf', 1, 'x', $1)`,
  review_mention: `insert into review_mention (organisation_id, comment_id, alert_id, operator, mentioned_by, at) values ('${ORG}', hashtext($2), $2, 'Ines', 'Noor', $1)`,
  book_check: `insert into book_check (organisation_id, alert_id, compared_at, answer) values ('${ORG}', $2, $1, 'found')`,
  side_action: `insert into side_action (organisation_id, id, alert_id, kind, subject, cause, state, created_at, settled_at) values ('${ORG}', $2, $2, 'notify', $2, 'rule', 'DONE', $1, $1)`,
  finding: `insert into finding (organisation_id, kind, severity, subject, subject_id, evidence, next_step, opened_at, last_seen_at, closed_at) values ('${ORG}', 'k', 'info', 's', $2, '{}', 'none', $1, $1, $1)`,
  credit_claim: `insert into credit_claim (organisation_id, alert_id, class, evidence, alerted_at, found_at, changed_at, changed_by) values ('${ORG}', $2, 'INVALID', '[]', $1, $1, $1, 'forestall')`,
  representment_pack: `insert into representment_pack (organisation_id, representment_id, version, reason_code, pack_rule, content_hash, cited, missing, sent_at, sent_by) values ('${ORG}', $2, 1, '13.1', '13.1', 'h', '[]', '[]', $1, 'Ines')`,
  processor_dispute: `insert into processor_dispute (organisation_id, reference, charge_reference, amount_minor, currency, status, opened_at, wants, seen_at) values ('${ORG}', $2, 'c', 1, 'EUR', 'lost', $1, '{}', $1)`,
  evidence_submission: `insert into evidence_submission (organisation_id, dispute_reference, state, problems, idempotency_key, staged, attempts, version, changed_at) values ('${ORG}', $2, 'CLOSED', '[]', $2, '[]', 1, 1, $1)`,
  evidence_document: `insert into evidence_document (organisation_id, id, element, name, valid_from, valid_until, type, pages, byte_count, sha256, body, added_by, added_at) values ('${ORG}', $2, 'terms', $2, '2024-01-01', $1::timestamptz::date, 'application/pdf', 1, 1, 's', 'x', 'Ines', $1)`,
  order_import: `insert into order_import (organisation_id, file_key, file_name, started_at, changed_at, finished_at) values ('${ORG}', $2, 'f', $1, $1, $1)`,
  shadow_report: `insert into shadow_report (organisation_id, day, report, created_at) values ('${ORG}', $1::timestamptz::date, to_jsonb($2::text), $1)`,
  activity_hour: `insert into activity_hour (organisation_id, hour, measure, count) values ('${ORG}', $1, $2, 1)`,
  activity_day: `insert into activity_day (organisation_id, day, measure, count) values ('${ORG}', $1, $2, 1)`,
  outcome_day: `insert into outcome_day (organisation_id, day, dimension, label, outcome, currency, count, amount_minor) values ('${ORG}', $1, 'reason', $2, 'accepted', 'EUR', 1, 1)`,
  lookup_day: `insert into lookup_day (organisation_id, day, type, lookup_status, deflection_status, currency, count, amount_minor) values ('${ORG}', $1, $2, 'a', 'b', 'EUR', 1, 1)`,
  evidence_judgement: `insert into evidence_judgement (organisation_id, subject, subject_id, charge_reference, judged_at, ce3, fpt, ce3_why, fpt_why) values ('${ORG}', 'alert', $2, 'c', $1, 'not', 'not', '', '')`,
  roll_up: `insert into roll_up (organisation_id, grain, period, measure, brand, merchant_id, submerchant_id, descriptor, enrolment_id, currency, count, amount_minor) values ('${ORG}', 'day', $1, 'payment', $2, '', '', '', '', '', 1, 0)`,
  roll_up_event: `insert into roll_up_event (organisation_id, source, source_id, group_key, day, measure, brand, merchant_id, submerchant_id, descriptor, enrolment_id, currency, amount_minor) values ('${ORG}', 'notice', $2, 'g', $1, 'fraud', '', '', '', '', '', '', 0)`,
  programme_alarm: `insert into programme_alarm (organisation_id, month, programme, line, scope, scope_id, basis, level, detail, raised_at) values ('${ORG}', '2025-10-01', $2, 'l', 'organisation', '', 'estimated', 50, '{}', $1)`,
  lookup_cause: `insert into lookup_cause (organisation_id, lookup_id, created_at, type, cause, detail, cost, judged_at, changed_at) values ('${ORG}', $2, $1, 't', 'c', 'd', 'none_yet', $1, $1)`,
  processor_event: `insert into processor_event (organisation_id, processor, event_id, kind, charge_references, received_at, applied_at) values ('${ORG}', 'http', $2, 'captured', '{}', $1, $1)`,
  refund_claim: `insert into refund_claim (organisation_id, id, source, reference, charge_reference, amount_minor, currency, claimed_at, due_at, due_by, opened_by, opened_at) values ('${ORG}', $2, 'SUPPORT', $2, 'c', 1, 'EUR', $1, $1, 'house rule', 'operator:Ines', $1)`,
  refund_customer: `with made as (insert into movement (organisation_id, id, charge_reference, idempotency_key, alert_id, kind, state, failure_class, amount_minor, currency, created_at, changed_at)
      values ('${ORG}', $2, $2, $2, 'a', 'refund', 'REJECTED', 'final', 1, 'EUR', $1, $1))
    insert into refund_customer (organisation_id, identity, movement_id) values ('${ORG}', 'hash', $2)`,
};

test.each(Object.keys(OLD_ROWS))('%s goes after 396 days', async (table) => {
  const insert = ROWS[table] ?? '';
  const day = (days: number): Date => new Date(Date.parse(NOW) - days * 86_400_000);
  await database.pool.query(insert, [day(397), 'old']);
  await database.pool.query(insert, [day(395), 'young']);
  await deleteOldRows(database.db, 'org_other', { now: new Date(NOW) });
  const untouched = await database.pool.query(`select from ${table}`);
  expect(untouched.rows).toHaveLength(2);
  await deleteOldRows(database.db, ORG, { now: new Date(NOW) });
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
  await deleteOldRows(database.db, ORG, { now: new Date(NOW) });
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

const NOTICE = `insert into notification (organisation_id, dedupe_key, kind, severity, text, created_at, next_attempt_at)`;
const PASS = `insert into reconcile_request (organisation_id, id, since, orders, requested_by, requested_at, finished_at)`;
const CASE = `insert into alert_case (organisation_id, alert_id, state, charge_reference, opened_at, deadline_at, changed_at, next_action_at, closed_at)`;
const CHARGE = `insert into charge (organisation_id, reference, source, amount_minor, currency, known_at, order_reference)`;
const seenRow = (table: string): string =>
  `insert into ${table} (organisation_id, id, snapshot, snapshot_hash, source, first_seen_at, changed_at, updated_at) values ($1, $2, '{}', '', 'poll', $3, $3, $3)`;
const orderRow = (rest: string): string =>
  `insert into order_record (organisation_id, integration_id, reference_id, type, body, submitted, submitted_hash, accepted_at, changed_at, state, order_id, reason, next_attempt_at)
   values ($1, 'i', $2, 'COMPLETE', '{}', '{}', '', $3, $3, ${rest})`;

/**
 * For `deleteOld`, by name: where the name stands, the insert (`$1` organisation, `$2` name, `$3` the moment
 * that counts), and the days for which the row is kept; null where its work is not over.
 */
const WORK: Readonly<Record<string, readonly [string, string, number | null]>> = {
  sent: ['notification.dedupe_key', `${NOTICE} values ($1, $2, 'k', 'info', 't', $3, null)`, 30],
  unsent: ['notification.dedupe_key', `${NOTICE} values ($1, $2, 'k', 'info', 't', $3, $3)`, null],
  served: ['reconcile_request.id', `${PASS} values ($1, $2, $3, 1, 'Ines', $3, $3)`, 30],
  unserved: ['reconcile_request.id', `${PASS} values ($1, $2, $3, 1, 'Ines', $3, null)`, null],
  closed: [
    'alert_case.alert_id',
    `${CASE} values ($1, $2, 'DECLARED_REFUND', null, $3, $3, $3, null, $3)`,
    396,
  ],
  open: [
    'alert_case.alert_id',
    `${CASE} values ($1, $2, 'HUMAN', 'charged', $3, $3, $3, $3, null)`,
    null,
  ],
  looked_up: ['lookup.id', seenRow('lookup'), 396],
  represented: ['representment.id', seenRow('representment'), 396],
  noticed: ['scheme_notice.id', seenRow('scheme_notice'), 396],
  created: ['order_record.reference_id', orderRow(`'CREATED', 'o', null, null`), 396],
  // It goes with its order.
  referenced: [
    'order_nested_reference.reference',
    `insert into order_nested_reference (organisation_id, integration_id, kind, reference, order_reference, given)
     select $1, 'i', 'item', $2, replace($2, 'referenced', 'created'), $2 where $3::timestamptz is not null`,
    396,
  ],
  refused: ['order_record.reference_id', orderRow(`'REFUSED', null, 'why', null`), 396],
  waiting: ['order_record.reference_id', orderRow(`'WAITING', null, null, $3`), null],
  paid: ['charge.reference', `${CHARGE} values ($1, $2, 'order', 1, 'EUR', $3, null)`, 396],
  open_too: [
    'alert_case.alert_id',
    `${CASE} values ($1, $2, 'HUMAN', 'found', $3, $3, $3, $3, null)`,
    null,
  ],
  found: ['charge.reference', `${CHARGE} values ($1, $2, 'order', 1, 'EUR', $3, null)`, null],
  // The order and the charge of the first open case, and the charge of the order that waits.
  ordered: ['order_record.reference_id', orderRow(`'CREATED', 'o', null, null`), null],
  charged: [
    'charge.reference',
    `${CHARGE} values ($1, $2, 'order', 1, 'EUR', $3, 'ordered')`,
    null,
  ],
  to_come: [
    'charge.reference',
    `${CHARGE} values ($1, $2, 'order', 1, 'EUR', $3, 'waiting')`,
    null,
  ],
};

/** The owner's functions go by the database's clock. */
const TODAY = new Date();
const daysAgo = (days: number): Date => new Date(TODAY.getTime() - days * 86_400_000);
const ORGANISATIONS = ['org_kept', 'org_other'];

/** A row a day too young and one a day too old, or one of long ago that stays. Returns which are which. */
async function insertWork(): Promise<{ stays: string[]; goes: string[] }> {
  const rows = Object.entries(WORK).flatMap(([kind, [, insert, days]]) =>
    days === null
      ? [{ name: kind, insert, age: 1_000, stays: true }]
      : [days - 1, days + 1].map((age) => ({
          name: `${kind} ${age}`,
          insert,
          age,
          stays: age < days,
        })),
  );
  for (const { name, insert, age } of rows) {
    for (const organisation of ORGANISATIONS) {
      await database.pool.query(insert, [organisation, name, daysAgo(age)]);
    }
  }
  const named = (stay: boolean): string[] =>
    rows.filter(({ stays }) => stays === stay).map(({ name }) => name);
  return { stays: named(true), goes: named(false) };
}

/** Deliveries of 29 and 31 days ago: held, applied, and (from 1000) never applied. */
async function insertDeliveries(): Promise<void> {
  for (const age of [29, 31]) {
    for (const organisation of ORGANISATIONS) {
      await database.pool.query(
        `insert into quarantine (organisation_id, event_id, reason, body, quarantined_at) values ($1, $2, 'shape', 'b', $3)`,
        [organisation, `held ${age}`, daysAgo(age)],
      );
    }
    for (const seq of [age, 1_000 + age]) {
      await database.pool.query(
        `insert into inbox_event (seq, received_at, organisation_id, event_id, secret_id, signed_at, body) values ($1, $2, 'o', 'e', 's', $2, 'b')`,
        [seq, daysAgo(age)],
      );
    }
    await database.pool.query(
      `insert into inbox_work (seq, received_at, organisation_id, event_id) values ($1, $2, 'o', 'e')`,
      [1_000 + age, daysAgo(age)],
    );
  }
}

async function names(text: string, values: string[] = []): Promise<string[]> {
  const { rows } = await database.pool.query<{ name: string }>(text, values);
  return rows.map(({ name }) => name).sort();
}

test('what is over continues its day, what is not stays, and nobody else’s is touched', async () => {
  const { stays, goes } = await insertWork();
  await insertDeliveries();
  const report = await deleteOld(database.db, 'org_kept', { now: TODAY });
  const union = [...new Set(Object.values(WORK).map(([column]) => column))]
    .map((column) => column.split('.'))
    .map(([table, column]) => `select ${column} as name from ${table} where organisation_id = $1`)
    .join(' union all ');
  expect(await names(union, ['org_kept'])).toEqual(stays.sort());
  expect(await names(union, ['org_other'])).toEqual([...stays, ...goes].sort());
  expect(report.rowsDeleted).toBe(goes.length);
  const withBody = `select organisation_id || ' ' || event_id as name from quarantine where body is not null`;
  expect(await names(withBody)).toEqual([
    'org_kept held 29',
    'org_other held 29',
    'org_other held 31',
  ]);
  expect(await names('select seq::text as name from inbox_event')).toEqual(['1029', '1031', '29']);
});

test('what is too old is found without reading what is kept', async () => {
  const kept = await createTestDatabase();
  await kept.pool.query(
    `insert into entity_change (organisation_id, entity, entity_id, changed_at, source, accepted, after)
     select 'org_big', 'alert', 'n' || n, now() - make_interval(mins => 200000 - n), 'webhook', true, '{}' from generate_series(1, 200000) n`,
  );
  await kept.pool.query(
    `insert into lookup (organisation_id, id, snapshot, snapshot_hash, source, first_seen_at, changed_at, updated_at)
     select 'org_big', 'lkup_' || n, '{}', '', 'poll', now(), now(), now() - make_interval(mins => n) from generate_series(1, 50000) n`,
  );
  // As the autovacuum does it, bit by bit.
  await kept.pool.query(`select brin_summarize_new_values('entity_change_by_time')`);
  await kept.pool.query('analyze');
  const reads = await kept.db.transaction().execute(async (trx) => {
    for (let batch = 0; batch < 10; batch++) {
      await sql`select delete_old_cases('org_big', now() - interval '396 days', 1000)`.execute(trx);
    }
    const { rows } = await sql<{ name: string; reads: number }>`
      select relname::text as name, seq_tup_read + coalesce(idx_tup_fetch, 0) as reads
      from pg_stat_xact_user_tables where relname in ('entity_change', 'lookup') order by 1`.execute(
      trx,
    );
    return rows;
  });
  await kept.drop();
  expect(reads.map(({ name }) => name)).toEqual(['entity_change', 'lookup']);
  // Ten looks at the newest pages, which the index may not have summed up yet, and not ten readings of the table.
  for (const each of reads) expect(each.reads, each.name).toBeLessThan(400_000);
});

/** Capabilities delete what they keep for a time of their own. */
function storesOfCapabilities(): string[] {
  const root = new URL('../../../', import.meta.url);
  return globSync('src/capabilities/*/*.store.ts', { cwd: root.pathname });
}

test('every table that the inventory keeps for a number of days is deleted from by somebody', async () => {
  const read = async (path: string): Promise<string> =>
    await readFile(new URL(`../../../${path}`, import.meta.url), 'utf8');
  const elsewhere = [
    await read('migrations/0015_store.sql'),
    await read('src/running/privacy/retention.store.ts'),
    await read('src/alerts/reconcile/reconcile-request.store.ts'),
    await read('src/orders/evidence.store.ts'),
    ...(await Promise.all(storesOfCapabilities().map(read))),
  ].join('\n');
  const unkept = Object.entries(INVENTORY)
    .filter(([, { keep }]) => typeof keep === 'number')
    .map(([table]) => table)
    .filter((table) => !(table in OLD_ROWS))
    // By a statement of theirs, or by dropping the partition of the week.
    .filter(
      (table) => !new RegExp(`delete from ${table}\\b|deleteFrom\\('${table}'\\)`).test(elsewhere),
    )
    .filter((table) => !['inbox_event', 'quarantine'].includes(table));
  expect(unkept).toEqual([]);
});
