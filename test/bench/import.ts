/**
 * `node test/bench/import.ts [orders] [--profile FOLDER]`: imports a CSV file of that many orders (100,000 unless told
 * otherwise) into a PostgreSQL of its own, and prints how long it took, the processor time of both sides, the
 * highest memory of this process, and what an order takes on disk, table by table.
 *
 * On a busy machine processor time is what compares: the import runs on five connections, so on idle cores it
 * takes about as long as this process's own share.
 */
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { rematchWaiting } from '../../src/alerts/match/waiting.store.ts';
import { openDatabase } from '../../src/base/db/connect.ts';
import { startEmbeddedPostgres } from '../../src/base/db/embedded/embedded.ts';
import { migrateToLatest } from '../../src/base/db/migrate.ts';
import { systemClock } from '../../src/base/kernel/clock.ts';
import { createLog } from '../../src/base/kernel/log.ts';
import { importOrders } from '../../src/orders/import/import-orders.ts';
import { postmasterOf, readCpu } from './machine.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { profile: { type: 'string' } },
});
const ORDERS = Number(positionals[0] ?? 100_000);
const DAY_MS = 86_400_000;

const COLUMNS = [
  ...['reference_id', 'order_datetime', 'order_number', 'order_subtotal_amount_in_cents'],
  ...['order_currency', 'order_total_amount_in_cents', 'order_status', 'customer_email'],
  ...['order_email', 'customer_account_id', 'device_ip_address', 'device_id'],
  ...['transactions[0].reference_id', 'transactions[0].amount_in_cents'],
  ...['transactions[0].currency', 'transactions[0].payment_method_type'],
  ...['transactions[0].authorisation_status', 'transactions[0].authorised_at'],
  ...['transactions[0].authorisation_code', 'transactions[0].payment_method_card_brand'],
  ...['transactions[0].payment_method_card_bin', 'transactions[0].payment_method_card_last_4'],
  ...['transactions[0].descriptor', 'items[0].reference_id', 'items[0].sku', 'items[0].name'],
  ...['items[0].price_in_cents', 'items[0].quantity', 'items[1].reference_id', 'items[1].sku'],
  ...['items[1].name', 'items[1].price_in_cents', 'items[1].quantity', 'deliveries[0].type'],
  'deliveries[0].physical_shipping_carrier',
];

/** One order in the order of the columns: a shopper of each, spread over the last 90 days. */
function rowOf(index: number): string {
  const reference = `import-${String(index).padStart(7, '0')}`;
  const at = new Date(systemClock.nowMs() - (index % 90) * DAY_MS).toISOString();
  const shopper = index % 60_000;
  const email = `shopper-${shopper}@example.com`;
  return [
    ...[reference, at, String(index), '10000', 'USD', '12990', 'CLOSED_COMPLETE', email, email],
    ...[`customer-${shopper}`, `203.0.113.${index % 250}`, `device-${shopper}`, `ch-${reference}`],
    ...['12990', 'USD', 'CARD', 'SETTLED', at, `A${index % 99_999}`, 'SCHEME_A', '424242'],
    ...[String(index % 10_000).padStart(4, '0'), 'DEMO STORE', `l-${reference}`, 'LAMP', 'Lamp'],
    ...['6000', '1', `d-${reference}`, 'DESK', 'Desk', '4000', '1', 'PHYSICAL', 'Post'],
  ].join(',');
}

/** A few rows at a time: the stream says when it takes more. */
async function writeOrders(path: string): Promise<void> {
  const rows = function* (): Generator<string> {
    yield `${COLUMNS.join(',')}\n`;
    for (let index = 0; index < ORDERS; index += 1) yield `${rowOf(index)}\n`;
  };
  await pipeline(Readable.from(rows()), createWriteStream(path));
}

const folder = await mkdtemp(join(tmpdir(), 'forestall-bench-import-'));
const path = join(folder, 'orders.csv');
await writeOrders(path);
const server = await startEmbeddedPostgres({ temporary: true });
const log = createLog({ level: 'silent' });
const database = openDatabase({ connectionString: server.connectionString, log });
try {
  const { db } = database;
  await migrateToLatest(db);
  const { rows: folders } = await sql<{
    data: string;
  }>`select current_setting('data_directory') as data`.execute(db);
  const postmaster = await postmasterOf((folders[0]?.data ?? '').replace(/\/data$/, ''));
  const session = values.profile === undefined ? undefined : await profiling();
  const before = await readCpu({ postmaster });
  const startedMs = performance.now();
  let updates = 0;
  let memory = 0;
  const context = {
    ...{ db, clock: systemClock, organisationId: 'org_bench', integrationId: 'int_bench' },
    onCharges: rematchWaiting,
  };
  const summary = await importOrders(context, {
    path,
    onProgress: () => {
      updates += 1;
      memory = Math.max(memory, process.memoryUsage.rss());
    },
  });
  const seconds = (performance.now() - startedMs) / 1_000;
  const after = await readCpu({ postmaster });
  if (session !== undefined)
    await keepProfile(session, join(values.profile ?? '', 'import.cpuprofile'));
  if (summary.accepted !== ORDERS) throw new Error(JSON.stringify(summary));
  const spent = (side: 'server' | 'postgres'): string =>
    ((after?.[side] ?? Number.NaN) - (before?.[side] ?? Number.NaN)).toFixed(1);
  console.log(
    `${ORDERS} orders in ${seconds.toFixed(1)} s; processor time ${spent('server')} s here, ${spent('postgres')} s in PostgreSQL; ${Math.round(memory / 2 ** 20)} MB at most; ${updates} times progress`,
  );
  const { rows: sizes } = await sql<{ name: string; bytes: number }>`
    select relname as name, pg_total_relation_size(oid) as bytes from pg_class
    where relkind in ('r', 'p') and relnamespace = 'forestall'::regnamespace
      and pg_total_relation_size(oid) >= ${ORDERS}::bigint order by 2 desc`.execute(db);
  for (const { name, bytes } of sizes)
    console.log(`  ${name}: ${Math.round(bytes / ORDERS)} bytes an order`);
} finally {
  await database.close();
  await server.stop();
  await rm(folder, { recursive: true });
}

async function profiling(): Promise<Session> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.start');
  return session;
}

async function keepProfile(session: Session, file: string): Promise<void> {
  const { profile } = await session.post('Profiler.stop');
  await writeFile(file, JSON.stringify(profile));
}
