/**
 * `node test/bench/ratios.ts`: the server's time for the page Ratios among 10,000,000 payments of thirteen months.
 *
 * The payments are stored as they always are, with everything that counts them as they come; 0.8 % of them get a
 * notice. Printed are the medians of the page for the organisation and for one merchant, and how long the
 * migration's own count of those payments takes; beside the time stands the processor time of one request, which
 * counts where others keep the machine busy. Exit status 1 when a page reaches the limit.
 *
 * `--payments 1000000` takes fewer; `--data folder` keeps the database there and uses it again.
 */
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { createFixedClock } from '../../src/base/kernel/clock.ts';
import { addUpCounts, judgeCounts } from '../../src/capabilities/ratios/roll-up.store.ts';
import type { AskPage, BenchDatabase } from './console-server.ts';
import { onBenchDatabase, onConsole } from './console-server.ts';
import type { CpuTimes } from './machine.ts';
import { readCpu } from './machine.ts';

const LIMIT_MS = 50;
const ORG = 'org_bench';
const NOW = '2026-11-22T12:00:00Z';
const CHUNK = 250_000;
const SHOPS = 50;
const ROUNDS = 60;
const WARM_UPS = 10;

const { values } = parseArgs({
  options: {
    payments: { type: 'string', default: '10000000' },
    data: { type: 'string' },
  },
});
const PAYMENTS = Number(values.payments);

await onBenchDatabase(values.data, async (database) => {
  const { rows } = await sql<{ count: number }>`select count(*) as count from charge`.execute(
    database.db,
  );
  if (Number(rows[0]?.count ?? 0) === 0) await fill(database);
  const scope = { clock: createFixedClock(NOW), organisationId: ORG };
  await onConsole(database, scope, (ask) => measure(database, ask));
  await tellMigration(database);
});

async function fill(database: BenchDatabase): Promise<void> {
  const startedMs = performance.now();
  for (let from = 0; from < PAYMENTS; from += CHUNK) {
    await sql`insert into charge (organisation_id, reference, source, amount_minor, currency, authorised_at, card_brand, descriptor,
        acquirer_reference_number, known_at)
      select ${ORG}, 'ch_' || n, 'order', 4500, 'USD', at, case when n % 3 = 0 then 'mastercard' else 'visa' end,
        'SHOP' || n % ${SHOPS} || '*ORDER ' || n, '7420832' || lpad(n::text, 16, '0'), at
      from (select n, timestamptz '2025-11-01' + make_interval(secs => n * (386.5 * 86400.0 / ${PAYMENTS})) as at
        from generate_series(${from}::int, ${Math.min(from + CHUNK, PAYMENTS) - 1}::int) as n) as made`.execute(
      database.db,
    );
    await sql`insert into scheme_notice (organisation_id, id, scheme_notice_type, notice_type, scheme, is_revoked, fraud_reported_at, amount_minor,
        currency, acquirer_reference_number, merchant_id, created_at, updated_at, snapshot, snapshot_hash, source, first_seen_at, changed_at)
      select ${ORG}, 'schntc_' || n, case when n % 250 = 0 then 'TC40' else 'TC15' end,
        case when n % 250 = 0 then 'FRAUD_NOTICE' else 'DISPUTE_NOTICE' end, case when n % 3 = 0 then 'SCHEME_B' else 'SCHEME_A' end, false, at,
        4500, 'USD', '7420832' || lpad(n::text, 16, '0'), 'mrch_' || n % ${SHOPS}, at, at, '{}', '\\x00', 'webhook', at, at
      from (select n, timestamptz '2025-11-01' + make_interval(secs => n * (386.5 * 86400.0 / ${PAYMENTS})) as at
        from generate_series(${from}::int, ${Math.min(from + CHUNK, PAYMENTS) - 1}::int) as n where n % 125 = 0) as made`.execute(
      database.db,
    );
    while ((await judgeCounts(database.db, ORG)) > 0);
    while ((await addUpCounts(database.db, ORG)) > 0);
    process.stderr.write(
      `\r${Math.min(from + CHUNK, PAYMENTS)} payments, ${Math.round((performance.now() - startedMs) / 1_000)} s`,
    );
  }
  await sql`insert into enrolment (organisation_id, id, type, status, updated_at, snapshot, snapshot_hash, source, first_seen_at, changed_at)
    select ${ORG}, 'enrl_' || n, 'NETA_ALERT', 'ENABLED', ${NOW}, jsonb_build_object('merchant_ids', jsonb_build_array('mrch_' || n),
      'neta_alert', jsonb_build_object('descriptors', jsonb_build_array(jsonb_build_object('descriptor', 'SHOP' || n || '*', 'match_type', 'STARTS_WITH')))),
      '\\x00', 'webhook', ${NOW}, ${NOW} from generate_series(0, ${SHOPS - 1}) as n`.execute(
    database.db,
  );
  await sql`vacuum analyze`.execute(database.db);
  process.stderr.write('\n');
}

async function measure({ postmaster }: BenchDatabase, ask: AskPage): Promise<void> {
  for (const path of ['/ratios', '/ratios?of=merchant%3Amrch_7']) {
    const before = await readCpu({ postmaster });
    const medianMs = await medianOf(ask, path);
    const after = await readCpu({ postmaster });
    const cpuMs = cpuOf(before, after);
    console.log(
      `${path} among ${PAYMENTS} payments: median ${medianMs.toFixed(1)} ms, processor ${cpuMs?.toFixed(1) ?? 'unknown'} ms, limit ${LIMIT_MS} ms`,
    );
    if (Math.min(medianMs, cpuMs ?? medianMs) >= LIMIT_MS) process.exitCode = 1;
  }
}

/** Processor time of one request, ours and PostgreSQL's: what the page takes on a machine of its own. */
function cpuOf(before: CpuTimes | undefined, after: CpuTimes | undefined): number | undefined {
  if (before === undefined || after === undefined) return undefined;
  const seconds = after.server - before.server + after.postgres - before.postgres;
  return (seconds * 1_000) / (ROUNDS + WARM_UPS);
}

async function medianOf(ask: AskPage, path: string): Promise<number> {
  const times: number[] = [];
  for (let round = -WARM_UPS; round < ROUNDS; round++) {
    const startedMs = performance.now();
    const { status } = await ask(path);
    if (status !== 200) throw new Error(`${path} answers ${status}`);
    if (round >= 0) times.push(performance.now() - startedMs);
  }
  return times.sort((a, b) => a - b)[ROUNDS / 2] ?? 0;
}

/** The statement with which the migration counts what there is. */
async function tellMigration(database: BenchDatabase): Promise<void> {
  const startedMs = performance.now();
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (
      select organisation_id, utc_day(coalesce(settled_at, authorised_at)), brand_key(card_brand), descriptor_key(descriptor), count(*)
      from charge where coalesce(settled_at, authorised_at) is not null group by 1, 2, 3, 4) as counted`.execute(
    database.db,
  );
  const seconds = (performance.now() - startedMs) / 1_000;
  console.log(`the migration counts them in ${seconds.toFixed(0)} s, into ${rows[0]?.count} rows`);
}
