/**
 * `node test/bench/sizes.ts [alerts]`: sells and disputes that many payments (1,000 by default) in a test world, lets
 * every alert come to its end, and prints what an alert with its order, webhooks and refund takes on disk, table by
 * table, and the processor time of it. The sandbox, which plays service and processor, runs in this process: its
 * share of the time is in it.
 */
import { sql } from 'kysely';
import { openDatabase } from '../../src/base/db/connect.ts';
import { startEmbeddedPostgres } from '../../src/base/db/embedded/embedded.ts';
import { migrateToLatest } from '../../src/base/db/migrate.ts';
import { createLog } from '../../src/base/kernel/log.ts';
import type { OpenTestWorld } from '../../src/running/testing/test-world.ts';
import { createTestWorld } from '../../src/running/testing/test-world.ts';
import type { Product, Sale } from '../../src/sandbox/demo-shop.ts';
import { PRODUCTS } from '../../src/sandbox/demo-shop.ts';
import { postmasterOf, readCpu } from './machine.ts';

const ALERTS = Number(process.argv[2] ?? 1_000);
/** Alerts that are open at one moment. */
const BATCH = 25;
/** Less than this is a page or two that every table has. */
const BYTES_MIN = 40;

/** Bytes of each table, its indexes and long values included; partitions under their table's name. */
async function sizesOf({ parts }: OpenTestWorld): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ name: string; bytes: number }>`
    select coalesce(p.relname, c.relname) as name, sum(pg_total_relation_size(c.oid))::bigint as bytes
    from pg_class c left join pg_inherits i on i.inhrelid = c.oid left join pg_class p on p.oid = i.inhparent
    where c.relkind = 'r' and c.relnamespace = 'forestall'::regnamespace group by 1`.execute(
    parts.database.db,
  );
  return new Map(rows.map(({ name, bytes }) => [name, bytes]));
}

/** Sales draw their numbers; two that draw the same one are no two orders. */
async function sellAnew(product: Product): Promise<Sale> {
  try {
    return await world.sell(product);
  } catch {
    return await world.sell(product);
  }
}

const server = await startEmbeddedPostgres({ temporary: true });
const log = createLog({ level: 'silent' });
const database = openDatabase({ connectionString: server.connectionString, log });
await migrateToLatest(database.db);
await database.close();
const world = await createTestWorld({ database: server.connectionString });
try {
  const { db } = world.parts.database;
  const folder = await sql<{
    data: string;
  }>`select current_setting('data_directory') as data`.execute(db);
  const postmaster = await postmasterOf((folder.rows[0]?.data ?? '').replace(/\/data$/, ''));
  const before = await sizesOf(world);
  const cpuBefore = await readCpu({ postmaster });
  const products = Object.values(PRODUCTS);
  for (let sold = 0; sold < ALERTS; sold += BATCH) {
    for (let index = sold; index < Math.min(ALERTS, sold + BATCH); index += 1) {
      const product = products[index % products.length] ?? PRODUCTS.font;
      const { charge } = await sellAnew(product);
      world.sandbox.createAlertFor(charge.reference);
    }
    await world.advance(2 * 60_000, 60_000);
  }
  // Until the last one has been answered, or its deadline is over.
  await world.advance(3 * 24 * 3_600_000, 3 * 3_600_000);
  const cpuAfter = await readCpu({ postmaster });
  const { rows } = await sql<{ state: string; count: number }>`
    select state, count(*) as count from alert_case group by 1 order by 2 desc`.execute(db);
  const spent = (side: 'server' | 'postgres'): string => {
    const seconds = (cpuAfter?.[side] ?? Number.NaN) - (cpuBefore?.[side] ?? Number.NaN);
    return ((1_000 * seconds) / ALERTS).toFixed(1);
  };
  console.log(
    `${ALERTS} alerts (${rows.map(({ state, count }) => `${state} ${count}`).join(', ')}); processor time of each ${spent('server')} ms here, ${spent('postgres')} ms in PostgreSQL`,
  );
  const grown = [...(await sizesOf(world))]
    .map(([name, bytes]) => ({
      name,
      bytes: Math.round((bytes - (before.get(name) ?? 0)) / ALERTS),
    }))
    .sort((a, b) => b.bytes - a.bytes);
  console.log(`  in all: ${grown.reduce((sum, { bytes }) => sum + bytes, 0)} bytes an alert`);
  for (const { name, bytes } of grown) {
    if (bytes >= BYTES_MIN) console.log(`  ${name}: ${bytes}`);
  }
} finally {
  await world.close();
  await server.stop();
}
