/**
 * Guarantee: DuckDB reads what `forestall export` writes, in each format; the models and tests of the dbt project hold; and their
 * counts and sums are those of the console's page of figures for the same month, for rows that changed after their first export too.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFixedClock, nowDate } from '../../../src/base/kernel/clock.ts';
import { EVENT_KINDS } from '../../../src/capabilities/event-kinds.ts';
import { createSequence } from '../../../src/capabilities/events/sequence.ts';
import { exportDays } from '../../../src/capabilities/exports/export.ts';
import type { ExportFormat } from '../../../src/capabilities/exports/export-file.ts';
import { rollUpActivity } from '../../../src/capabilities/figures/activity.store.ts';
import { rollUpOutcomes } from '../../../src/capabilities/figures/outcome-day.store.ts';
import type { TestConsole } from '../../integration/console/support.ts';
import { startConsole } from '../../integration/console/support.ts';
import { ORG } from '../../integration/reconcile/rows.ts';
import { useTestDatabase } from '../../support/database.ts';
import { buildModels, rowsOf, testModels } from './dbt-runner.ts';

const ALERTS = 3_000;
const FIRST_LOOK = '2026-02-15T12:00:00.000Z';
const LAST_LOOK = '2026-03-02T12:00:00.000Z';

const test = useTestDatabase();
const clock = createFixedClock(FIRST_LOOK);
const folders = new Map<ExportFormat, string>();
let duck: DuckDBConnection;
let site: TestConsole;

/** A month of alerts, refunds, disputes and orders, spread over it by plain arithmetic. */
async function insertMonth(): Promise<void> {
  await test.pool.query(
    `with n as (select n, '2026-02-01T00:00:00Z'::timestamptz + n * interval '12 minutes' as at from generate_series(0, $2::int - 1) n),
    a as (
      insert into alert (organisation_id, id, status, enrolment_type, merchant_id, deadline_at, amount_minor, currency, descriptor, reason_code,
        refund_outcome, created_at, updated_at, snapshot, snapshot_hash, source, first_seen_at, changed_at)
      select $1, 'netalrt_' || n, 'RESOLVED', case when n % 10 < 2 then 'NETB_RDR' else 'NETA_ALERT' end, 'mrch_' || n % 3, at + interval '1 day',
        100 + n, case when n % 7 = 0 then 'EUR' else 'USD' end, 'SHOP', '10.4',
        case when n % 10 = 0 then 'REFUNDED' end, at, at, '{}', '\\x00', 'webhook', at, at from n),
    c as (
      insert into alert_case (organisation_id, alert_id, state, opened_at, deadline_at, next_action_at, closed_at, changed_at, missed_at, charge_reference)
      select $1, 'netalrt_' || n, 'RECEIVED', at, at + interval '1 day', at, null, at, null, 'ch_' || n from n)
    select 1`,
    [ORG, ALERTS],
  );
  await test.pool.query(
    `insert into order_record (organisation_id, integration_id, reference_id, order_id, type, state, submitted, submitted_hash, body, missing, warnings,
      accepted_at, changed_at)
    select $1, 'int_' || n % 2, 'order-' || n, 'ord_' || n, 'COMPLETE', 'CREATED', '{}', '\\x00', '{}', '{}', '[]', '2026-02-10T10:00:00Z', '2026-02-10T10:00:00Z'
    from generate_series(1, 4100) n`,
    [ORG],
  );
}

/** What is over by then ends: refunded, by the network, accepted, otherwise, or missed. */
async function endUntil(moment: string): Promise<void> {
  // The last of many moves of a case: the rules of the moves between are not the question.
  const client = await test.pool.connect();
  await client.query('set session_replication_role = replica');
  await client.query(
    `update alert_case set next_action_at = null, changed_at = deadline_at - interval '2 hours',
      state = (array['RECONCILED_RDR','RECONCILED_RDR','DECLARED_REFUND','DECLARED_REFUND','DECLARED_REFUND','DECLARED_REFUND','DECLARED_ACCEPT',
        'CLOSED_REMOTE','CLOSED_INVALID','DECLARED_ACCEPT'])[1 + split_part(alert_id, '_', 2)::int % 10],
      closed_at = deadline_at - interval '2 hours', version = version + 1,
      missed_at = case when split_part(alert_id, '_', 2)::int % 10 = 9 then deadline_at end
     where organisation_id = $1 and is_open and deadline_at <= $2`,
    [ORG, moment],
  );
  await client.query('reset session_replication_role');
  client.release();
  await test.pool.query(
    `insert into movement (organisation_id, id, charge_reference, kind, state, alert_id, idempotency_key, amount_minor, currency, first_sent_at,
      confirmed_at, created_at, changed_at)
     select c.organisation_id, 'mv_' || c.alert_id, c.charge_reference, 'refund', 'CONFIRMED', c.alert_id, 'key_' || c.alert_id, a.amount_minor,
      a.currency, c.closed_at, c.closed_at, c.closed_at, c.closed_at
     from alert_case c join alert a on a.id = c.alert_id
     where c.state = 'DECLARED_REFUND' and not exists (select from movement m where m.alert_id = c.alert_id)`,
  );
  await test.pool.query(
    `insert into representment (organisation_id, id, dispute_status, amount_minor, currency, created_at, updated_at, snapshot, snapshot_hash,
      source, first_seen_at, changed_at)
     select $1, 'rep_' || n, 'OPEN', 5000 + n, 'USD', at, at, '{}', '\\x00', 'webhook', at, at
     from (select n, '2026-02-01T06:00:00Z'::timestamptz + n * interval '5 hours' as at from generate_series(0, 120) n) each where at < $2
     on conflict do nothing`,
    [ORG, moment],
  );
  await test.pool.query(
    `update representment set dispute_status = case split_part(id, '_', 2)::int % 3 when 0 then 'WON' when 1 then 'LOST' else 'OPEN' end,
      changed_at = $1::timestamptz - interval '1 hour' where first_seen_at < $1::timestamptz - interval '5 days'`,
    [moment],
  );
}

async function exportAll(): Promise<void> {
  const give = createSequence({ db: test.db, organisationId: ORG, kinds: EVENT_KINDS });
  while ((await give()) > 0);
  const until = nowDate(clock).toISOString().slice(0, 10);
  for (const [format, folder] of folders) {
    const request = { organisationId: ORG, since: '2026-02-01', until, format, folder };
    for await (const _ of exportDays({ db: test.db, clock }, { ...request, withPersonal: false }));
  }
}

/** Numbers of the page, by their heading. */
async function figures(): Promise<{ counts: Record<string, number>; page: string }> {
  const { cookie } = await site.signIn();
  const page = await (await site.get('/figures?month=2026-02', { cookie })).text();
  const counts = [...page.matchAll(/<dt>([^<]+)<\/dt><dd>([\d,]+)<\/dd>/g)].map(
    ([, name = '', count = '']) => [name, Number(count.replaceAll(',', ''))] as const,
  );
  const [, network = ''] = /([\d,]+) of them by the network/.exec(page) ?? [];
  return {
    counts: { ...Object.fromEntries(counts), network: Number(network.replaceAll(',', '')) },
    page,
  };
}

beforeAll(async () => {
  for (const format of ['parquet', 'ndjson', 'csv'] as const) {
    folders.set(format, mkdtempSync(join(tmpdir(), `forestall-${format}-`)));
  }
  await insertMonth();
  await endUntil(FIRST_LOOK);
  await exportAll();
  clock.setMs(Date.parse(LAST_LOOK));
  await endUntil(LAST_LOOK);
  await exportAll();
  const about = { organisationId: ORG, now: nowDate(clock) };
  while (await rollUpOutcomes(test.db, about));
  while (await rollUpActivity(test.db, about));
  site = await startConsole(test.db, clock);
  // As autovacuum does: everything came at once.
  await test.pool.query('analyze');
  duck = await (await DuckDBInstance.create(':memory:')).connect();
}, 240_000);
afterAll(async () => {
  duck?.closeSync();
  await site?.close();
  for (const folder of folders.values()) rmSync(folder, { recursive: true });
});

const folderOf = (format: ExportFormat): string => folders.get(format) ?? '';

describe('the files', () => {
  it('are the same rows in each format', async () => {
    for (const table of ['alerts', 'refunds', 'disputes', 'orders', 'events']) {
      const key = { alerts: 'alert_id', refunds: 'movement_id', disputes: 'dispute_id' }[table];
      const what = `count(*)::int as rows, count(distinct ${key ?? (table === 'orders' ? "integration_id || ' ' || order_reference" : 'event_id')})::int as ids`;
      const from = {
        parquet: `read_parquet('${folderOf('parquet')}/${table}/*.parquet')`,
        ndjson: `read_json('${folderOf('ndjson')}/${table}/*.ndjson', format = 'newline_delimited', union_by_name = true)`,
        csv: `read_csv('${folderOf('csv')}/${table}/*.csv', header = true, union_by_name = true)`,
      };
      const [parquet] = await rowsOf(duck, `select ${what} from ${from.parquet}`);
      expect(await rowsOf(duck, `select ${what} from ${from.ndjson}`), table).toEqual([parquet]);
      expect(await rowsOf(duck, `select ${what} from ${from.csv}`), table).toEqual([parquet]);
      expect(Number(parquet?.['ids'])).toBeGreaterThan(100);
    }
  });

  it('have the types of their columns', async () => {
    const described = await rowsOf(
      duck,
      `describe select alert_id, amount_minor, is_open, opened_at from read_parquet('${folderOf('parquet')}/alerts/*.parquet')`,
    );
    expect(described.map((row) => row['column_type'])).toEqual([
      'VARCHAR',
      'BIGINT',
      'BOOLEAN',
      'TIMESTAMP WITH TIME ZONE',
    ]);
  });

  it('hold each row of the database as it stands', async () => {
    await buildModels(duck, folderOf('parquet'));
    const ours = await rowsOf(
      duck,
      `select alert_id, state, cast(amount_minor as integer) as amount, epoch_ms(opened_at)::varchar as opened, epoch_ms(closed_at)::varchar as closed
       from stg_alerts order by alert_id`,
    );
    const { rows } = await test.pool.query(
      `select c.alert_id, c.state, a.amount_minor::int as amount, (extract(epoch from c.opened_at) * 1000)::bigint::text as opened,
        (extract(epoch from c.closed_at) * 1000)::bigint::text as closed
       from alert_case c join alert a on a.id = c.alert_id order by c.alert_id collate "C"`,
    );
    expect(ours.length).toBe(ALERTS);
    expect(ours).toEqual(rows);
    const [events] = await rowsOf(
      duck,
      'select count(*)::int as n, min(position)::int as first, max(position)::int as last, count(distinct position)::int as places from stg_events',
    );
    const { rows: stream } = await test.pool.query(
      'select count(*)::int as n, min(seq)::int as first, max(seq)::int as last, count(*)::int as places from event',
    );
    expect([events]).toEqual(stream);
  });
});

describe('the dbt project', () => {
  it('builds, and its tests hold', async () => {
    expect(await buildModels(duck, folderOf('parquet'))).toEqual([
      'alerts_by_day',
      'disputes_by_month',
      'refunds_by_day',
      'stg_alerts',
      'stg_decisions',
      'stg_disputes',
      'stg_events',
      'stg_orders',
      'stg_refunds',
    ]);
    const { tests, failures } = await testModels(duck);
    expect(failures).toEqual([]);
    expect(tests).toBeGreaterThan(15);
  });

  it('counts and sums what the page of figures does', async () => {
    await buildModels(duck, folderOf('parquet'));
    const { counts, page } = await figures();
    const month = `day >= '2026-02-01' and day < '2026-03-01'`;
    const outcomes = Object.fromEntries(
      (
        await rowsOf(
          duck,
          `select outcome, sum(alerts)::int as n from alerts_by_day where ${month} group by 1`,
        )
      ).map((row) => [String(row['outcome']), Number(row['n'])]),
    );
    const countOf = (name: string): number => outcomes[name] ?? 0;
    expect({
      received: countOf('received'),
      refunded: countOf('refunded') + countOf('network'),
      network: countOf('network'),
      accepted: countOf('accepted'),
      missed: countOf('missed'),
    }).toEqual({
      received: counts['Alerts received'],
      refunded: counts['Refunded'],
      network: counts['network'],
      accepted: counts['Accepted'],
      missed: counts['Missed'],
    });
    expect(countOf('refunded')).toBeGreaterThan(1_000);
    expect(countOf('network')).toBeGreaterThan(200);
    expect(countOf('missed')).toBeGreaterThan(200);

    // The chart of the days, over all currencies.
    const layers = [...page.matchAll(/<span class="swatch (\w+)"><\/span>[^<]+<strong>([\d,]+)</g)]
      .slice(0, 5)
      .map(([, outcome = '', count = '']) => [outcome, Number(count.replaceAll(',', ''))]);
    expect(Object.fromEntries(layers)).toEqual({
      refunded: countOf('refunded'),
      network: countOf('network'),
      accepted: countOf('accepted'),
      otherwise: countOf('otherwise'),
      missed: countOf('missed'),
    });

    const sums = await rowsOf(
      duck,
      `select currency, sum(amount_minor)::bigint::varchar as minor from refunds_by_day where ${month} group by 1 order by 1`,
    );
    const [, money = ''] = /<dt>Money refunded by us<\/dt>(.*?)<\/div>/s.exec(page) ?? [];
    expect(sums).toHaveLength(2);
    const shown = [...money.matchAll(/<dd class="sums">([^<]+)<\/dd>/g)].map(([, text = '']) =>
      text.replaceAll(/\D/g, ''),
    );
    expect(shown.sort()).toEqual(sums.map((row) => String(row['minor'])).sort());

    const disputes = await rowsOf(
      duck,
      `select outcome, sum(disputes)::int as n, sum(amount_minor)::int as minor from disputes_by_month where month = '2026-02-01' group by 1 order by 1`,
    );
    const [, card = ''] = /<h2>Disputes[^<]*<\/h2>(.*?)<\/section>/s.exec(page) ?? [];
    const numbers = [...card.matchAll(/>([\d,.]+)</g)].map(([, text = '']) =>
      text.replaceAll(/\D/g, ''),
    );
    for (const row of disputes) expect(numbers, String(row['outcome'])).toContain(String(row['n']));
    expect(disputes.map((row) => row['outcome'])).toEqual(['lost', 'open', 'won']);
  });
});
