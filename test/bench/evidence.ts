/**
 * Measures a judgement of evidence among many payments, and what a payment takes on the disk.
 *
 *     node test/bench/evidence.ts [payments]      # @default 10,000,000: some minutes, and 6 GB of disk
 *
 * Payments of 530 days: a customer has ten, one in a thousand a hundred times as many. What an order says
 * of each varies, as it does in a shop: most name an account and an address, some a device.
 */
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { shippedRules } from '../../src/alerts/evidence/evidence-rules.ts';
import { judgeSubject } from '../../src/alerts/evidence/judge-subject.ts';
import type { OpenDatabase } from '../../src/base/db/connect.ts';
import { openDatabase } from '../../src/base/db/connect.ts';
import { startEmbeddedPostgres } from '../../src/base/db/embedded/embedded.ts';
import { migrateToLatest } from '../../src/base/db/migrate.ts';
import { createLog } from '../../src/base/kernel/log.ts';

const ORGANISATION = 'org_bench';
const TODAY = '2026-11-20';
const DAYS = 530;
const BATCH = 500_000;
const JUDGED = 5_000;
const WARM_UP = 500;

/** Most that is allowed (the requirement). */
const P99_MS_MAX = 5;
const BYTES_MAX = 150;

/** A statement that does nothing takes longer than this now and then where others use the machine. */
const QUIET_MS = 1;

const payments = Number(process.argv[2] ?? 10_000_000);
const server = await startEmbeddedPostgres({ temporary: true, volatile: true });
try {
  const open = (maxConnections: number): OpenDatabase =>
    openDatabase({
      connectionString: server.connectionString,
      log: createLog({ level: 'silent' }),
      maxConnections,
    });
  const migrating = open(4);
  await migrateToLatest(migrating.db);
  await migrating.close();
  await fill(server.connectionString);
  // One connection, whose server process is measured.
  const database = open(1);
  const { heap, indexes } = await sizes(database);
  const { times, idle, busy } = await judgeMany(database);
  const at = (part: number): number => share(times, part);
  const perPayment = heap / payments;
  console.log(`${payments} payments: ${perPayment.toFixed(1)} bytes each, the row included`);
  for (const [name, bytes] of indexes) {
    console.log(`  and ${(bytes / payments).toFixed(1)} in ${name}`);
  }
  console.log(
    `select 1 between them: p50 ${share(idle, 0.5).toFixed(2)} ms, p99 ${share(idle, 0.99).toFixed(2)} ms`,
  );
  console.log(
    `${times.length} judgements: p50 ${at(0.5).toFixed(2)} ms, p95 ${at(0.95).toFixed(2)} ms, p99 ${at(0.99).toFixed(2)} ms`,
  );
  console.log(
    `  on the processor, ours and the database's: p50 ${share(busy, 0.5).toFixed(2)} ms, p99 ${share(busy, 0.99).toFixed(2)} ms`,
  );
  // On a machine that others use, the clock measures them: what counts then is the time on the processor.
  const isQuiet = share(idle, 0.99) < QUIET_MS;
  const p99 = isQuiet ? at(0.99) : share(busy, 0.99);
  if (p99 > P99_MS_MAX || perPayment > BYTES_MAX) process.exitCode = 1;
  await database.close();
} finally {
  await server.stop();
}

/** Fills the tables over a connection without time limits, and builds their indexes afterwards. */
async function fill(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(
    `insert into evidence_key (organisation_id, secret, made_at) values ('${ORGANISATION}', '\\x00', now())`,
  );
  const { rows } = await client.query<{ name: string; text: string; of: string }>(`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as text, indrelid::regclass::text as of
    from pg_index where indrelid = any('{charge, payment_evidence}'::regclass[]) and not indisprimary`);
  for (const { name } of rows) await client.query(`drop index ${name}`);
  await client.query('alter table charge drop constraint charge_pkey');
  const customers = Math.max(1, Math.floor(payments / 10));
  for (let first = 1; first <= payments; first += BATCH) {
    const last = Math.min(first + BATCH - 1, payments);
    // A number says all about its payment: whose it is, its day, and what its order names.
    await client.query(`
      with paid as (
        select n, case when n % 1000 = 0 then n / 1000 % (${customers} / 10000 + 1)
          else hashint8(n)::bigint & 2147483647 end % ${customers} as c,
          date '${TODAY}' - ${DAYS} + (n * ${DAYS} / ${payments})::int as day
        from generate_series(${first}::bigint, ${last}) n
      )
      insert into payment_evidence (credential, account, email, ip, address, device, fingerprint, subscription, day, traits, organisation, descriptor, country, reference)
      select hashint8extended(c, 1), case when c % 10 < 8 then hashint8extended(c, 2) end, hashint8extended(c, 3),
        case when n % 20 > 0 then hashint8extended(c * 3 + n % 3, 4) end, case when c % 10 < 6 then hashint8extended(c, 5) end,
        case when n % 10 < 7 then hashint8extended(c, 6) end, case when n % 10 < 3 then hashint8extended(c, 7) end,
        case when c % 10 < 3 then hashint8extended(c, 8) end, day,
        1 | 4 | (32 << 12) | (32 << 20), 1, 'SHOP*F', 'US', 'pi_' || substr(md5(n::text), 1, 24)
      from paid`);
    await client.query(`
      insert into charge (organisation_id, reference, source, amount_minor, currency, acquirer_reference_number, known_at)
      select '${ORGANISATION}', 'pi_' || substr(md5(n::text), 1, 24), 'order', 5000, 'EUR', lpad(n::text, 23, '0'), now()
      from generate_series(${first}::bigint, ${last}) n`);
    process.stderr.write(`\r${last} of ${payments}`);
  }
  process.stderr.write('\n');
  await client.query(`set maintenance_work_mem = '1GB'`);
  // A judgement finds charges by their key alone.
  await client.query('alter table charge add primary key (organisation_id, reference)');
  for (const { text } of rows.filter(({ of }) => of === 'payment_evidence'))
    await client.query(text);
  await client.query('vacuum (analyze) payment_evidence');
  await client.query('vacuum (analyze) charge');
  process.stderr.write('the fill is done\n');
  await client.end();
}

/** Shortest first. */
interface Times {
  readonly times: readonly number[];
  /** Of a statement that does nothing: what a question costs at all on this machine just now. */
  readonly idle: readonly number[];
  /** Of a judgement, on the processor. */
  readonly busy: readonly number[];
}

/** What this process and a server process have used of the processor, in milliseconds (Linux). */
function processorMs(pid: number): number {
  const { user, system } = process.cpuUsage();
  const [nanoseconds] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
  return (user + system) / 1_000 + Number(nanoseconds) / 1_000_000;
}

function share(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

interface Sizes {
  readonly heap: number;
  readonly indexes: readonly (readonly [string, number])[];
}

/** All of the table, of which the indexes are named apart. */
async function sizes({ pool }: OpenDatabase): Promise<Sizes> {
  const { rows } = await pool.query<{ name: string; bytes: number }>(`
    select indexrelid::regclass::text as name, pg_relation_size(indexrelid) as bytes
    from pg_index where indrelid = 'payment_evidence'::regclass order by 1`);
  const total = await pool.query<{ bytes: number }>(
    `select pg_total_relation_size('payment_evidence') as bytes`,
  );
  const inIndexes = rows.reduce((sum, { bytes }) => sum + bytes, 0);
  return {
    heap: (total.rows[0]?.bytes ?? 0) - inIndexes,
    indexes: rows.map(({ name, bytes }) => [name, bytes] as const),
  };
}

/** Judges payments of the last 120 days, one after the other. Returns the times in milliseconds, shortest first. */
async function judgeMany({ db, pool }: OpenDatabase): Promise<Times> {
  const { rows } = await pool.query<{ reference: string }>(
    `select reference from payment_evidence tablesample system (1) where day > date '${TODAY}' - 120 order by md5(reference) limit ${JUDGED + WARM_UP}`,
  );
  const times: number[] = [];
  const idle: number[] = [];
  const busy: number[] = [];
  const backend = await pool.query<{ pid: number }>('select pg_backend_pid() as pid');
  const pid = backend.rows[0]?.pid ?? 0;
  const verdicts = new Map<string, number>();
  for (const [place, { reference }] of rows.entries()) {
    const subject = {
      kind: 'representment' as const,
      id: `rep_${place}`,
      scheme: 'SCHEME_A',
      reason: '10.4',
      day: TODAY,
      isFraudNotice: false,
    };
    const before = processorMs(pid);
    const began = performance.now();
    const { ce3 } = await judgeSubject(db, ORGANISATION, {
      subject,
      chargeReference: reference,
      rules: shippedRules(),
    });
    const took = performance.now() - began;
    if (place >= WARM_UP) busy.push(processorMs(pid) - before);
    const rested = performance.now();
    await pool.query('select 1');
    idle.push(performance.now() - rested);
    if (place >= WARM_UP) times.push(took);
    verdicts.set(ce3.verdict, (verdicts.get(ce3.verdict) ?? 0) + 1);
  }
  console.log([...verdicts].map(([verdict, count]) => `${count} ${verdict}`).join(', '));
  const rising = (a: number, b: number): number => a - b;
  return { times: times.sort(rising), idle: idle.sort(rising), busy: busy.sort(rising) };
}
