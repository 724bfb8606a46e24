/**
 * Measures a match against a large charge index in PostgreSQL: the time from alert to verdict, and by
 * EXPLAIN that every key has an index.
 *
 * The index holds payments of two years with price points and a few thousand BINs, as a shop has them,
 * and among them the charges of labelled alerts, so that the verdicts can be judged too.
 */
import { Kysely, PostgresDialect, sql } from 'kysely';
import { z } from 'zod';
import { findChargeOf } from '../../src/alerts/match/find-charge.ts';
import type { MatchSettings } from '../../src/alerts/match/match-settings.ts';
import type { OpenDatabase } from '../../src/base/db/connect.ts';
import { openDatabase } from '../../src/base/db/connect.ts';
import type { Database } from '../../src/base/db/database.ts';
import { startEmbeddedPostgres } from '../../src/base/db/embedded/embedded.ts';
import { migrateToLatest } from '../../src/base/db/migrate.ts';
import { createLog } from '../../src/base/kernel/log.ts';
import { recordCharges } from '../../src/orders/charge.store.ts';
import { DAY } from '../unit/match/fixtures.ts';
import type { LabelledAlert } from '../unit/match/labelled-alerts.ts';
import { labelledAlerts } from '../unit/match/labelled-alerts.ts';

/** Median of a match, in milliseconds, that is required (issue: under 5 ms). */
export const MEDIAN_MS_MAX = 5;

const ORGANISATION = 'org_bench';
const KNOWN_PER_INSERT = 1_000;
const CHARGES_PER_INSERT = 100_000;
/** Statements explained of each shape. */
const EXPLAINED_PER_SHAPE = 5;

export interface IndexReport {
  readonly charges: number;
  readonly alerts: number;
  readonly medianMs: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  /** Median of `select 1` between the matches: what a question costs at all on this machine just now. */
  readonly roundTripMs: number;
  /** Median of planning and executing one statement, as PostgreSQL itself counts it. */
  readonly databaseMs: number;
  /** Alerts for which one charge was named, and those where it was not the true one. */
  readonly named: number;
  readonly wrong: number;
  /** Each index of the charge table with the columns it was searched by, and in how many plans. */
  readonly indexes: readonly (readonly [string, number])[];
  readonly sequentialScans: number;
}

export interface IndexBench {
  readonly charges: number;
  readonly alerts: number;
  readonly seed: number;
  readonly settings: MatchSettings;
}

/** Runs the bench on a PostgreSQL of its own. */
export async function benchIndex(bench: IndexBench): Promise<IndexReport> {
  const server = await startEmbeddedPostgres({ temporary: true });
  const log = createLog({ level: 'silent' });
  const open = openDatabase({
    connectionString: server.connectionString,
    log,
    statementTimeoutMs: 600_000,
  });
  try {
    await migrateToLatest(open.db);
    const rebuild = await dropIndexes(open.db);
    await fill(open.db, bench.charges);
    await rebuild();
    const alerts = labelledAlerts(bench.seed, bench.alerts, { prefix: 'known' });
    await store(open.db, alerts);
    await sql`vacuum analyze charge`.execute(open.db);
    return await measure(open, alerts, bench);
  } finally {
    await open.close();
    await server.stop();
  }
}

/** Takes the indexes away while a million rows come in. Returns what puts them back. */
async function dropIndexes(db: Kysely<Database>): Promise<() => Promise<void>> {
  const { rows } = await sql<{ indexname: string; indexdef: string }>`
    select indexname, indexdef from pg_indexes where tablename = 'charge' and indexname <> 'charge_pkey'`.execute(
    db,
  );
  for (const { indexname } of rows) await sql`drop index ${sql.id(indexname)}`.execute(db);
  return async () => {
    for (const { indexdef } of rows) await sql.raw(indexdef).execute(db);
  };
}

/** Payments of 700 days, drawn by the server from a fixed seed. */
async function fill(db: Kysely<Database>, charges: number): Promise<void> {
  for (let from = 0; from < charges; from += CHARGES_PER_INSERT) {
    const until = Math.min(charges, from + CHARGES_PER_INSERT);
    await sql`
      with seeded as materialized (select setseed(${(from % 1_000_000) / 1_000_000}))
      insert into charge (organisation_id, reference, order_reference, source, amount_minor, currency, authorised_at,
        authorisation_code, acquirer_reference_number, card_bin, card_last4, card_brand, descriptor, known_at)
      select ${ORGANISATION}, 'ch_' || n, 'order_' || n, 'order',
        case when random() < 0.7 then (array[499, 990, 999, 1290, 1999, 2490, 2900, 4900])[1 + floor(random() * 8)::int]
             else 100 + floor(random() * 49900)::int end,
        (array['USD', 'EUR', 'JPY', 'KWD'])[1 + floor(random() * 4)::int],
        to_timestamp(${DAY}::bigint * 86400 - random() * 700 * 86400),
        upper(substr(md5(random()::text), 1, 6)),
        case when random() < 0.6 then '7' || lpad(floor(random() * 1e11)::bigint::text, 11, '0') || lpad(floor(random() * 1e11)::bigint::text, 11, '0') end,
        (400000 + floor(random() * 3000)::int)::text,
        lpad(floor(random() * 10000)::int::text, 4, '0'),
        (array['SCHEME_A', 'SCHEME_B'])[1 + floor(random() * 2)::int], 'SHOP*FONTS', now()
      from seeded, generate_series(${from}::int, ${until - 1}::int) as n`.execute(db);
  }
}

async function store(db: Kysely<Database>, alerts: readonly LabelledAlert[]): Promise<void> {
  const known = alerts.flatMap((alert) => alert.known);
  for (let from = 0; from < known.length; from += KNOWN_PER_INSERT) {
    const charges = known.slice(from, from + KNOWN_PER_INSERT);
    await db
      .transaction()
      .execute((trx) => recordCharges(trx, ORGANISATION, { charges, now: new Date() }));
  }
}

interface Sent {
  readonly text: string;
  readonly parameters: readonly unknown[];
}

async function measure(
  open: OpenDatabase,
  alerts: readonly LabelledAlert[],
  { charges, settings }: IndexBench,
): Promise<IndexReport> {
  const sent = new Map<string, Sent[]>();
  const db = new Kysely<Database>({
    dialect: new PostgresDialect({ pool: open.pool }),
    log: ({ query }) => note(sent, { text: query.sql, parameters: query.parameters }),
  });
  const deps = {
    db,
    organisationId: ORGANISATION,
    processor: { name: 'none', searchCharges: async () => ({ kind: 'not_offered' }) as const },
    settings,
  };
  const times: number[] = [];
  const trips: number[] = [];
  let named = 0;
  let wrong = 0;
  for (const { alert, truth } of alerts) {
    const asked = performance.now();
    await open.pool.query('select 1');
    trips.push(performance.now() - asked);
    const before = performance.now();
    const { result } = await findChargeOf(deps, alert, AbortSignal.timeout(60_000));
    times.push(performance.now() - before);
    if (result.chargeReference === null) continue;
    named += 1;
    if (result.chargeReference !== truth) wrong += 1;
  }
  times.sort((a, b) => a - b);
  trips.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.floor(times.length * share)] ?? 0;
  const { scans, databaseMs } = await explainAll(open.db, sent);
  const sequentialScans = scans.get(SEQUENTIAL) ?? 0;
  scans.delete(SEQUENTIAL);
  return {
    charges,
    alerts: alerts.length,
    medianMs: at(0.5),
    p95Ms: at(0.95),
    p99Ms: at(0.99),
    roundTripMs: trips[Math.floor(trips.length / 2)] ?? 0,
    databaseMs,
    named,
    wrong,
    indexes: [...scans].sort(([a], [b]) => (a < b ? -1 : 1)),
    sequentialScans,
  };
}

/** Keeps a few statements of each shape: the same keys, other values. */
function note(sent: Map<string, Sent[]>, statement: Sent): void {
  if (!statement.text.includes('from "charge"')) return;
  const kept = sent.get(statement.text) ?? [];
  if (kept.length < EXPLAINED_PER_SHAPE) sent.set(statement.text, [...kept, statement]);
}

const SEQUENTIAL = 'sequential';

/** How many plans read the charge table through which index, and what a statement costs the server. */
async function explainAll(
  db: Kysely<Database>,
  sent: ReadonlyMap<string, readonly Sent[]>,
): Promise<{ readonly scans: Map<string, number>; readonly databaseMs: number }> {
  const scans = new Map<string, number>();
  const times: number[] = [];
  for (const { text, parameters } of [...sent.values()].flat()) {
    const { rows } = await db.executeQuery<{ 'QUERY PLAN': unknown }>({
      ...sql`select 1`.compile(db),
      sql: `explain (analyze, timing off, format json) ${text}`,
      parameters: [...parameters],
    });
    for (const name of scansOf(rows)) scans.set(name, (scans.get(name) ?? 0) + 1);
    times.push(serverMs(rows[0]?.['QUERY PLAN']));
  }
  times.sort((a, b) => a - b);
  return { scans, databaseMs: times[Math.floor(times.length / 2)] ?? 0 };
}

const planTimes = z
  .tuple([z.looseObject({ 'Planning Time': z.number(), 'Execution Time': z.number() })])
  .transform(([plan]) => plan['Planning Time'] + plan['Execution Time']);

function serverMs(plan: unknown): number {
  return planTimes.parse(plan);
}

/** Each index scan of a plan with its columns, and `sequential` for each scan of the whole charge table. */
function scansOf(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(scansOf);
  if (typeof node !== 'object' || node === null) return [];
  const fields = Object.entries(node);
  const value = (key: string): unknown => fields.find(([name]) => name === key)?.[1];
  const index = value('Index Name');
  const isSequential = value('Node Type') === 'Seq Scan' && value('Relation Name') === 'charge';
  const isIndex = typeof index === 'string' && index.startsWith('charge');
  return [
    ...(isIndex ? [`${index} by ${columnsOf(value('Index Cond'))}`] : []),
    ...(isSequential ? [SEQUENTIAL] : []),
    ...fields.flatMap(([, child]) => scansOf(child)),
  ];
}

/** The columns of an index condition, without the organisation that all of them have. */
function columnsOf(condition: unknown): string {
  const names = String(condition).match(/\(\(?([a-z_0-9]+)\)?(?:::text)? (?:=|>=|<|IS)/g) ?? [];
  const columns = names.map((name) => name.replace(/^[(]+|[)]?(::text)? (=|>=|<|IS)$/g, ''));
  return [...new Set(columns)].filter((name) => name !== 'organisation_id').join(', ');
}
