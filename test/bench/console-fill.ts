/** Fills a database with a year of a large merchant, as rows, for the bench of the console. */
import type { Kysely, RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { OpenDatabase } from '../../src/base/db/connect.ts';
import type { Database } from '../../src/base/db/database.ts';
import { fillCapabilities } from './console-fill-capabilities.ts';

export const BENCH_ORG = 'org_bench';
export const BENCH_NOW = '2026-11-20T12:00:00Z';

const STEP = 100_000;
/** One of this many alerts is open; the rest were answered within the year. */
const OPEN_ONE_IN = 200;
/** One of this many was found by polling. */
const POLLED_ONE_IN = 20;

/** Adds `count` alerts with their cases, decisions, ledgers and audit, and some of everything else. */
export async function fillConsole(
  database: OpenDatabase,
  count: number,
  tell: (text: string) => void,
): Promise<void> {
  for (let done = 0; done < count; done += STEP) {
    const until = Math.min(count, done + STEP);
    await database.db.transaction().execute(async (trx) => {
      // Rows of the past: no trigger has anything to do about them.
      await sql`set local session_replication_role = replica`.execute(trx);
      await fillAlerts(trx, done + 1, until);
    });
    tell(`${until} alerts`);
  }
  await database.db.transaction().execute(async (trx) => {
    await sql`set local session_replication_role = replica`.execute(trx);
    await fillOthers(trx);
    await fillCapabilities(trx, { organisationId: BENCH_ORG, now: BENCH_NOW });
  });
  tell('analysing');
  await sql`vacuum analyze`.execute(database.db);
}

async function fillAlerts(trx: Kysely<Database>, from: number, until: number): Promise<void> {
  const opened = sql`(case when n % ${OPEN_ONE_IN}::int = 0 then ${BENCH_NOW}::timestamptz - (n / ${OPEN_ONE_IN}::int % 40) * interval '1 hour'
    else ${BENCH_NOW}::timestamptz - interval '48 hours' - (n % 520000) * interval '1 minute' end)`;
  const series = sql`from generate_series(${from}::int, ${until}::int) as n`;
  await sql`
    insert into alert (organisation_id, id, status, enrolment_type, deadline_at, amount_minor, currency,
      descriptor, card_bin, card_last4, card_issuer, card_scheme, reason_code, created_at, updated_at,
      acquirer_reference_number, authorisation_code, snapshot, snapshot_hash, source, first_seen_at, changed_at)
    select ${BENCH_ORG}, 'netalrt_' || n, case when n % ${OPEN_ONE_IN}::int = 0 then 'ACTION_REQUIRED' else 'RESOLVED' end, (array['NETA_ALERT', 'NETB_RDR'])[1 + n % 2],
      ${opened} + interval '48 hours', 500 + n % 90000, (array['USD', 'EUR', 'GBP'])[1 + n % 3],
      'SHOP ' || n % 50, '411111', lpad((n % 10000)::text, 4, '0'), 'Bank ' || n % 300, 'SCHEME_A', '10.4',
      ${opened}, ${opened}, lpad(n::text, 23, '7'), lpad((n % 1000000)::text, 6, '0'), '{}', '\\x00', 'webhook',
      ${opened}, ${opened} ${series}`.execute(trx);
  await sql`
    insert into alert_case (organisation_id, alert_id, state, opened_at, deadline_at, next_action_at,
      charge_reference, movement_id, dispute_id, hold_reason, closed_at, changed_at)
    select ${BENCH_ORG}, 'netalrt_' || n, state, opened, opened + interval '48 hours',
      case when open then opened + interval '47 hours' end, 'ch_' || n,
      case when state = 'DECLARED_REFUND' then 'mv_' || n end, 'dsp_' || n, case when state = 'HUMAN' then 'policy_review' end,
      case when not open then opened + interval '1 hour' end, opened
    from (select n, ${opened} as opened, n % ${OPEN_ONE_IN}::int = 0 as open,
      case when n % ${OPEN_ONE_IN}::int = 0 then (array['HUMAN', 'REFUNDING', 'DECLARE_REFUND', 'RECEIVED'])[1 + (n / ${OPEN_ONE_IN}::int) % 4]
        else (array['DECLARED_REFUND', 'DECLARED_ACCEPT', 'RECONCILED_RDR', 'CLOSED_REMOTE'])[1 + n % 4] end as state
      ${series}) as made`.execute(trx);
  await fillLedgers(trx, { opened, series });
  await sql`
    insert into decision (organisation_id, alert_id, action, decided_by, policy_version, rule, sentence, inputs, decided_at)
    select ${BENCH_ORG}, 'netalrt_' || n, 'REFUND', 'policy', 'v1', 'small', 'Because it is small.', '{}', ${opened}
    ${series}`.execute(trx);
  await sql`
    insert into entity_change (organisation_id, entity, entity_id, changed_at, source, event_id, accepted, after)
    select ${BENCH_ORG}, 'alert', 'netalrt_' || n, ${opened}, case when n % ${POLLED_ONE_IN}::int = 0 then 'poll' else 'webhook' end,
      case when n % ${POLLED_ONE_IN}::int > 0 then 'evt_' || n end, true, '{}' ${series}`.execute(
    trx,
  );
  await sql`
    insert into audit (organisation_id, at, subject, subject_id, alert_id, actor, what, from_state, to_state)
    select ${BENCH_ORG}, ${opened}, 'case', 'netalrt_' || n, 'netalrt_' || n, 'forestall', what, before, after
    from generate_series(${from}::int, ${until}::int) as n, (values ('matched', 'RECEIVED', 'MATCHED'),
      ('decided', 'MATCHED', 'DECIDED_REFUND'), ('declared', 'DECLARE_REFUND', 'DECLARED_REFUND')) as steps (what, before, after)`.execute(
    trx,
  );
  await sql`
    insert into match (organisation_id, alert_id, outcome, charge_reference, tier, evidence, candidates, matched_at)
    select ${BENCH_ORG}, 'netalrt_' || n, 'single', 'ch_' || n, 'arn', '[]', '[]', ${opened} ${series}`.execute(
    trx,
  );
  await sql`
    insert into declaration (organisation_id, alert_id, action, note, movement_id, state, created_at, changed_at)
    select ${BENCH_ORG}, 'netalrt_' || n, 'REFUND', 'Refunded.', 'mv_' || n, 'DONE', ${opened}, ${opened}
    ${series} where n % 4 = 0 and n % ${OPEN_ONE_IN}::int <> 0`.execute(trx);
}

/** A charge with its dispute for each alert, and what went back for every fourth. */
async function fillLedgers(
  trx: Kysely<Database>,
  {
    opened,
    series,
  }: { readonly opened: RawBuilder<unknown>; readonly series: RawBuilder<unknown> },
): Promise<void> {
  const currency = sql`(array['USD', 'EUR', 'GBP'])[1 + n % 3]`;
  const returned = sql`${series} where n % 4 = 0 and n % ${OPEN_ONE_IN}::int <> 0`;
  await sql`
    insert into charge_account (organisation_id, charge_reference, status, amount_minor, currency, read_at)
    select ${BENCH_ORG}, 'ch_' || n, 'captured', 100000, ${currency}, ${opened} ${series}`.execute(
    trx,
  );
  await sql`
    insert into dispute (organisation_id, id, charge_reference, amount_minor, currency, opened_at)
    select ${BENCH_ORG}, 'dsp_' || n, 'ch_' || n, 500 + n % 90000, ${currency}, ${opened} ${series}`.execute(
    trx,
  );
  await sql`
    insert into movement (organisation_id, id, charge_reference, kind, state, dispute_id, alert_id, idempotency_key,
      amount_minor, currency, first_sent_at, confirmed_at, created_at, changed_at)
    select ${BENCH_ORG}, 'mv_' || n, 'ch_' || n, 'refund', 'CONFIRMED', 'dsp_' || n, 'netalrt_' || n, 'key_' || n,
      500 + n % 90000, ${currency}, ${opened}, ${opened} + interval '30 minutes', ${opened}, ${opened} ${returned}`.execute(
    trx,
  );
  await sql`
    insert into cover (organisation_id, movement_id, dispute_id, amount_minor)
    select ${BENCH_ORG}, 'mv_' || n, 'dsp_' || n, 500 + n % 90000 ${returned}`.execute(trx);
}

/** Contested disputes, what was sent for them, what the processor has, and what counts towards ratios. */
async function fillDisputes(trx: Kysely<Database>): Promise<void> {
  const from = (count: number): RawBuilder<unknown> =>
    sql`from generate_series(1, ${count}::int) as n`;
  const past = sql`${BENCH_NOW}::timestamptz - n * interval '5 minutes'`;
  await sql`
    insert into representment (organisation_id, id, dispute_status, dispute_due_by, amount_minor, currency, transaction_reference_id, created_at, updated_at, snapshot, snapshot_hash, source, first_seen_at, changed_at)
    select ${BENCH_ORG}, 'rep_' || n, case when n <= 4000 then 'OPEN' else (array['WON', 'LOST'])[1 + n % 2] end,
      ${past} + interval '14 days', n, (array['USD', 'EUR', 'JPY'])[1 + n % 3], 'ch_' || n, ${past}, ${past}, '{}', '\\x00', 'webhook', ${past}, ${past}
    ${from(100_000)}`.execute(trx);
  await sql`
    insert into representment_pack (organisation_id, representment_id, version, reason_code, pack_rule, content_hash, cited, missing, sent_at, sent_by, outcome, outcome_at)
    select ${BENCH_ORG}, 'rep_' || n, 1, '13.1', '13.1', 'hash_' || n, '[]', '[]', ${past}, 'ada', (array['WON', 'LOST'])[1 + n % 2], ${past}
    ${from(20_000)}`.execute(trx);
  await sql`
    insert into processor_dispute (organisation_id, reference, charge_reference, reason_code, amount_minor, currency, status, due_by, opened_at, representment_id, wants, seen_at)
    select ${BENCH_ORG}, 'dp_' || n, 'ch_' || n, '13.1', 500, 'USD', case when n <= 500 then 'NEEDS_EVIDENCE' else 'WON' end, ${past}, ${past}, 'rep_' || n,
      '{"fields": [], "slots": []}', ${past}
    ${from(20_000)}`.execute(trx);
  await sql`
    insert into evidence_document (organisation_id, id, element, name, valid_from, type, pages, byte_count, sha256, body, added_by, added_at)
    select ${BENCH_ORG}, 'doc_' || n, 'refund_policy', 'Policy ' || n, '2026-01-01', 'application/pdf', 2, 100000, 'hash_' || n,
      convert_to(repeat('x', 100000), 'UTF8'), 'ada', ${past} ${from(200)}`.execute(trx);
  await sql`
    insert into event_endpoint (organisation_id, id, name, url, kept_by, taken_seq, created_at, created_by, changed_at)
    select ${BENCH_ORG}, 'ep_' || n, 'Shop ' || n, 'https://shop.example/' || n, 'console', 1, ${past}, 'ada', ${past} ${from(5)}`.execute(
    trx,
  );
  await sql`
    insert into event_delivery (organisation_id, endpoint_id, seq, lane, state, tries, next_at, changed_at)
    select ${BENCH_ORG}, 'ep_1', n, n % 64, case when n % 10 = 0 then 'PENDING' else 'DELIVERED' end, 1, ${past}, ${past} ${from(200_000)}`.execute(
    trx,
  );
  await sql`
    insert into roll_up_event (organisation_id, source, source_id, group_key, day, measure, brand, merchant_id, submerchant_id, descriptor, enrolment_id, currency, amount_minor)
    select ${BENCH_ORG}, 'notice', 'schntc_' || n, 'arn_' || n, (${past})::date, (array['fraud', 'dispute', 'alert_out', 'alert_out'])[1 + n % 4],
      'SCHEMEA', 'mrch_1', '', '', '', 'USD', 500 ${from(200_000)}`.execute(trx);
  await sql`
    insert into roll_up (organisation_id, grain, period, measure, brand, merchant_id, submerchant_id, descriptor, enrolment_id, currency, count, amount_minor)
    select organisation_id, grain, date_trunc(grain, day)::date, measure, brand, merchant_id, '', '', '', currency, count(*), sum(amount_minor)
    from roll_up_event cross join (values ('day'), ('month')) as grains (grain) group by 1, 2, 3, 4, 5, 6, 10`.execute(
    trx,
  );
}

async function fillOthers(trx: Kysely<Database>): Promise<void> {
  await sql`
    insert into charge (organisation_id, reference, order_reference, source, amount_minor, currency, authorised_at, card_last4, card_bin, card_brand, known_at)
    select ${BENCH_ORG}, 'ch_' || n, 'order_' || n, 'order', 500, 'USD', ${BENCH_NOW}::timestamptz - (n % 260000) * interval '1 minute',
      lpad((n % 10000)::text, 4, '0'), '411111', 'SCHEME_A', ${BENCH_NOW}
    from generate_series(1, 200000) as n`.execute(trx);
  await sql`
    insert into order_record (organisation_id, integration_id, reference_id, type, state, submitted, submitted_hash, body, order_id, ready, missing, accepted_at, changed_at)
    select ${BENCH_ORG}, 'int_1', 'order_' || n, 'COMPLETE', 'CREATED', '{}', '\\x00',
      jsonb_build_object('order_total_amount_in_cents', 500, 'order_currency', 'USD', 'items', '[]'::jsonb), 'ord_' || n,
      array['alerts'], '{"compelling-evidence": ["device_id"]}', ${BENCH_NOW}, ${BENCH_NOW}
    from generate_series(1, 50000) as n`.execute(trx);
  await sql`
    insert into lookup (organisation_id, id, type, lookup_status, deflection_status, amount_minor, currency, created_at, updated_at, snapshot, snapshot_hash, source, first_seen_at, changed_at)
    select ${BENCH_ORG}, 'lkup_' || n, 'NETB_ORDER_INSIGHT', 'SUCCEEDED', (array['SUCCEEDED', 'FAILED', 'PENDING'])[1 + n % 3], 500, 'USD',
      ${BENCH_NOW}::timestamptz - (n * 5) * interval '1 minute', ${BENCH_NOW}, '{}', '\\x00', 'webhook', ${BENCH_NOW},
      -- A deflection is decided within two days.
      least(${BENCH_NOW}::timestamptz, ${BENCH_NOW}::timestamptz - (n * 5) * interval '1 minute' + interval '2 days')
    from generate_series(1, 100000) as n`.execute(trx);
  await sql`
    insert into scheme_notice (organisation_id, id, scheme_notice_type, notice_type, scheme, is_revoked, fraud_reported_at, amount_minor, currency, created_at, updated_at, snapshot, snapshot_hash, source, first_seen_at, changed_at)
    select ${BENCH_ORG}, 'schntc_' || n, 'TC40', 'FRAUD_NOTICE', 'SCHEME_A', n % 20 = 0, ${BENCH_NOW}::timestamptz - n * interval '1 hour', 500, 'USD',
      ${BENCH_NOW}, ${BENCH_NOW}, '{}', '\\x00', 'webhook', ${BENCH_NOW}, ${BENCH_NOW}
    from generate_series(1, 5000) as n`.execute(trx);
  await fillDisputes(trx);
  await sql`
    insert into inbox_event (seq, received_at, organisation_id, event_id, secret_id, signed_at, body)
    select n, ${BENCH_NOW}::timestamptz - n * interval '10 seconds', ${BENCH_ORG}, 'evt_' || n, 'abcdef01', ${BENCH_NOW},
      convert_to('{"id":"evt_' || n || '","type":"alert.created","data":{"object":{"id":"netalrt_' || n || '"}}}', 'UTF8')
    from generate_series(1, 200000) as n`.execute(trx);
  await sql`
    insert into policy_version (organisation_id, version, source, first_used_at) values (${BENCH_ORG}, 'v1', 'rules: []', ${BENCH_NOW})`.execute(
    trx,
  );
}

/** Reports of a shadow with their differences, and a backtest with as many changes as are kept. */
export async function fillPolicies(db: Kysely<Database>): Promise<void> {
  const sums = { USD: 1_000_000, EUR: 500_000 };
  const rows = Array.from({ length: 500 }, (_, index) => ({
    alertId: `netalrt_${index}`,
    shadow: 'policy',
    would: 'ACCEPT_DISPUTE',
    wouldMinor: null,
    did: 'REFUND',
    didMinor: 500,
    currency: 'USD',
    rule: 'big',
    sentence: 'Accept the dispute of 5.00 USD: rule "big" applies, because amount is 5.00 USD.',
    verdict: 'different',
  }));
  const figures = { alerts: 2_880, same: 2_380, different: 500, review: 0 };
  const money = { wouldRefundMinor: sums, didRefundMinor: sums };
  for (let back = 1; back <= 30; back++) {
    const day = new Date(Date.parse(BENCH_NOW) - back * 86_400_000).toISOString().slice(0, 10);
    const report = JSON.stringify({ day, ...figures, ...money, rows });
    await sql`insert into shadow_report (organisation_id, day, report, created_at)
      values (${BENCH_ORG}, ${day}, ${report}, ${BENCH_NOW}) on conflict do nothing`.execute(db);
  }
  await sql`
    update decision set beside_version = 'v2', beside_action = 'ACCEPT_DISPUTE'
    where organisation_id = ${BENCH_ORG} and beside_version is null
      and decided_at >= ${BENCH_NOW}::timestamptz - interval '4 days'`.execute(db);
  await fillBacktest(db, sums);
}

async function fillBacktest(db: Kysely<Database>, sums: Record<string, number>): Promise<void> {
  const answer = { action: 'REFUND', amountMinor: 500, fallback: null, fallbackAt: null };
  const tally = {
    refunds: 100_000,
    refunded: sums,
    accepted: 0,
    acceptedMoney: {},
    reviews: 0,
    reviewedMoney: {},
    fallbackRefund: 0,
    fallbackAccept: 0,
    withoutFallback: 0,
    nothing: 0,
    deadlinesAtRisk: 0,
    heldByGuard: {},
    fees: sums,
  };
  const side = { alerts: 1_000, refunds: 1_000, refunded: sums, accepted: 0, reviews: 0 };
  const names = Array.from({ length: 50 }, (_, index) => `rule ${index}`);
  const result = {
    alerts: 100_000,
    olderRows: 0,
    was: tally,
    is: tally,
    rules: names.map((name) => ({ kind: 'rule', name, was: side, is: side })),
    changed: Array.from({ length: 200 }, (_, index) => ({
      alertId: `netalrt_${index}`,
      decidedAt: BENCH_NOW,
      amount: { amountMinor: 500, currency: 'USD' },
      was: { ...answer, rule: 'small', guard: null },
      is: { ...answer, action: 'ACCEPT_DISPUTE', rule: 'big', guard: null },
    })),
    changes: 12_345,
    fees: {
      alertFee: { amountMinor: 2_900, currency: 'USD' },
      chargebackFee: { amountMinor: 2_000, currency: 'USD' },
    },
  };
  await sql`
    insert into backtest (organisation_id, id, requested_by, requested_at, policy_name, policy_version, source,
      decided_from, decided_before, state, replayed, total, result, finished_at)
    select ${BENCH_ORG}, 'bkt_' || n, 'ada', ${BENCH_NOW}::timestamptz - n * interval '1 hour', 'Candidate', 'v2', 'rules: []',
      ${BENCH_NOW}::timestamptz - interval '30 days', ${BENCH_NOW}, 'DONE', 100000, 100000, ${JSON.stringify(result)}::jsonb, ${BENCH_NOW}
    from generate_series(1, 50) as n on conflict do nothing`.execute(db);
}
