/**
 * `node test/bench/console.ts`: the server's time for every page of the console among 1,000,000 alerts, and for `/metrics`.
 *
 * The rows are filled in directly, hours and days are added up as the worker does it. Every page below is asked for over HTTP
 * on this machine, again and again, one request at a time; so is every tab, sorting and next page that a page of the menu
 * links to. Health is read anew for each request, though a process shares an answer for a second and a half.
 * Printed is the processor time of one request, ours and PostgreSQL's, median and 95th percentile, the slowest page first,
 * and the median from request to answer. Nothing here waits for a disk or a network, so on a machine of its own a page
 * takes no longer than its processor time. Exit status 1 when the median of a page reaches the limit: by the clock, or,
 * while others keep the machine busy, by its processor time.
 *
 * `--alerts 100000` takes fewer; `--data folder` keeps the database there and uses it again; `--only /alerts` takes the
 * pages that begin so; `--json` prints JSON. `--warm-ups 15` asks for each page so often before it counts (5): a connection plans a
 * prepared statement anew five times and then keeps a plan, which may be another one.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { openCostModel } from '../../src/alerts/costs/cost-model.ts';
import { createFixedClock, nowDate } from '../../src/base/kernel/clock.ts';
import { rollUpActivity } from '../../src/capabilities/figures/activity.store.ts';
import { rollUpOutcomes } from '../../src/capabilities/figures/outcome-day.store.ts';
import { rollUpLookups } from '../../src/capabilities/lookups/lookup-day.store.ts';
import { storeEconomics } from '../../src/capabilities/measured-cost/kept-economics.store.ts';
import { MENU } from '../../src/people/console/menu.ts';
import { pageRoutes, routeOf } from '../browser/support/page-walk.ts';
import { BENCH_NOW, BENCH_ORG, fillConsole, fillPolicies } from './console-fill.ts';
import type { AskPage, BenchDatabase } from './console-server.ts';
import { onBenchDatabase, onConsole } from './console-server.ts';
import type { CpuTimes } from './machine.ts';
import { describeMachine, readCpu, spentSeconds } from './machine.ts';

/** Others take more than this share of the machine: the clock measures them, not us. */
const BUSY_SHARE = 0.25;

/** Median of a page, in milliseconds. */
const LIMIT_MS = 50;

const { values } = parseArgs({
  options: {
    alerts: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '10' },
    'warm-ups': { type: 'string', default: '5' },
    only: { type: 'string', default: '/' },
    data: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});

/** Every page, with queries that meet much, little and nothing. */
const PAGES: readonly string[] = [
  '/',
  '/?window=7d',
  '/?window=90d',
  '/reviews',
  '/reviews?due=hour',
  '/reviews?show=mine',
  '/reviews?held=policy_review&reason=10.4',
  '/reviews?sort=-amount',
  '/reviews?open=netalrt_3200&action=ACCEPT_DISPUTE',
  '/reviews/several?act=accept&id=netalrt_800&id=netalrt_1600&id=netalrt_2400',
  '/reviews/several/done?act=refund&id=netalrt_800&id=netalrt_1600&id=netalrt_2400',
  '/alerts',
  '/alerts?sort=-amount',
  '/alerts?state=all&sort=-amount',
  '/alerts?state=all&sort=received',
  '/alerts?state=closed&sort=-received',
  '/alerts?state=all&sort=who',
  '/alerts?state=closed&currency=JPY&sort=amount',
  '/alerts?state=all',
  '/alerts?state=closed&currency=JPY',
  '/alerts?state=all&programme=NETA_ALERT&min=100&max=120',
  '/alerts?state=all&issuer=nobody',
  '/alerts?state=all&q=4242',
  '/alerts?state=all&q=netalrt_5000',
  '/alerts?state=all&q=ch_77777',
  '/alerts?state=all&q=netalrt_50001',
  '/alerts?state=all&q=ch_7777',
  '/alerts?state=all&q=order_',
  '/alerts?state=all&q=mv_40000',
  '/alerts?state=all&q=abcd',
  '/alerts?state=all&q=%2484.00',
  '/alerts?state=all&q=84.00',
  '/alerts?state=all&q=411111******4242',
  '/alerts?state=all&q=evt_5000',
  '/alerts?state=all&q=nobody@customer.example',
  '/alerts/netalrt_5000',
  '/alerts/netalrt_3',
  '/alerts/netalrt_5000?log=yes',
  '/alerts/netalrt_3200/decide?action=ACCEPT_DISPUTE',
  '/charges/ch_77777',
  '/lookups?window=90d',
  '/enrolments',
  '/representments',
  '/representments?state=all&sort=-amount',
  '/representments?state=won',
  '/representments?state=all&sort=due',
  '/representments?state=over',
  '/representments?state=all&sort=status',
  '/representments?state=lost&sort=amount',
  '/representments/rep_1',
  '/representments/documents',
  '/representments/disputes',
  '/representments/disputes/dp_1',
  '/representments/outcomes',
  '/scheme-notices',
  '/evidence',
  '/evidence/alert/netalrt_5000',
  '/estate',
  '/credits',
  '/credits?sort=-amount',
  '/credits?state=OPEN&sort=until',
  '/ratios',
  '/ratios/counted?programme=vamp-2026-04&reading=fraud%20once&month=2026-11',
  '/costs',
  '/figures',
  '/figures?month=2026-10',
  '/figures?month=2026-03',
  '/exports?month=2026-10',
  '/shift?hours=24',
  '/activity',
  '/activity?from=2026-03-01&to=2026-11-28&kind=decision',
  '/events?state=refused',
  '/events?state=polled',
  '/orders',
  '/orders/order_500',
  '/findings',
  '/events',
  '/policies',
  '/policies/v1',
  '/policies/backtests',
  '/policies/backtests/bkt_1',
  '/policies/shadow',
  '/policies/shadow/2026-11-19',
  '/endpoints',
  '/endpoints/ep_1',
  '/endpoints/ep_1/change',
  '/system',
  '/system/resume',
  '/sent/AAAAAAAAAAAAAAAAAAAAAA',
  '/operators',
  '/confirm',
  '/login',
  '/metrics',
];

/** Of one row that is found by its key, and asked for by few. */
const NOT_TIMED: ReadonlySet<string> = new Set([
  '/policies/drafts/:id',
  '/credits/:id',
  '/representments/documents/:id',
  '/endpoints/:id/deliveries/:seq',
  '/events/:id',
  '/operators/remove',
  '/operators/token',
]);
const timed = new Set<string | undefined>(PAGES.map(routeOf));
const left = pageRoutes().filter((route) => !timed.has(route) && !NOT_TIMED.has(route));
if (left.length > 0) throw new Error(`Not in the list of pages: ${left.join(', ')}.`);

/** Links of one page to itself that are followed: tabs, sortings, filters, the next page. */
const LINKS_MAX = 40;

const clock = createFixedClock(BENCH_NOW);

await onBenchDatabase(values.data, async (database) => {
  await fillOnce(database);
  await fillPolicies(database.db);
  const scope = { organisationId: BENCH_ORG, now: nowDate(clock) };
  await rollUpActivity(database.db, scope);
  await rollUpLookups(database.db, scope);
  while (await rollUpOutcomes(database.db, scope));
  // What the night counts.
  await storeEconomics(database.db, { ...scope, model: openCostModel(undefined) });
  const rows: PageTime[] = [];
  await onConsole(database, { clock, organisationId: BENCH_ORG }, async (ask) => {
    for (const path of await linkedLists(ask)) rows.push(await timePage(database, ask, path));
  });
  await report(database, rows);
});

/** The pages above, and what pages of the menu link to below their own address. */
async function linkedLists(ask: AskPage): Promise<readonly string[]> {
  const paths = new Set(PAGES);
  for (const { path } of MENU) {
    const { text } = await ask(path);
    const links = [...text.matchAll(/ href="(\/[^"#]*)/g)]
      .map(([, href = '']) => href.replaceAll('&amp;', '&'))
      .filter((href) => href.startsWith(`${path}?`));
    for (const link of [...new Set(links)].slice(0, LINKS_MAX)) paths.add(link);
  }
  return [...paths].filter((path) => path.startsWith(values.only));
}

/** Fills an empty database; one that `--data` kept must hold as many alerts as are asked for. */
async function fillOnce(database: BenchDatabase): Promise<void> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from alert`.execute(
    database.db,
  );
  const kept = Number(rows[0]?.count ?? 0);
  if (kept === Number(values.alerts)) return;
  if (kept > 0)
    throw new Error(`${values.data} holds ${kept} alerts. Remove it, or ask for those.`);
  const startedMs = performance.now();
  await fillConsole(database, Number(values.alerts), (text) => process.stderr.write(`${text}\n`));
  process.stderr.write(`filled in ${Math.round((performance.now() - startedMs) / 1_000)} s\n`);
}

interface PageTime {
  readonly path: string;
  readonly status: number;
  readonly medianMs: number;
  /** Processor time of one request; null where it cannot be told. */
  readonly cpuMs: { readonly median: number; readonly p95: number } | null;
  readonly isMachineBusy: boolean;
  readonly kilobytes: number;
}

async function timePage(
  { postmaster }: BenchDatabase,
  ask: AskPage,
  path: string,
): Promise<PageTime> {
  const times: number[] = [];
  const spent: number[] = [];
  let status = 0;
  let bytes = 0;
  // The first ones fill caches and compile; they are not counted.
  for (let round = 0; round < Number(values['warm-ups']); round++)
    ({ status, bytes } = await ask(path));
  const before = await readCpu({ postmaster });
  const beganMs = performance.now();
  for (let round = 0; round < Number(values.rounds); round++) {
    const spentBefore = spentSeconds(postmaster);
    const startedMs = performance.now();
    await ask(path);
    times.push(performance.now() - startedMs);
    const spentAfter = spentSeconds(postmaster);
    if (spentBefore !== undefined && spentAfter !== undefined)
      spent.push((spentAfter - spentBefore) * 1_000);
  }
  const tookMs = performance.now() - beganMs;
  const after = await readCpu({ postmaster });
  const isMachineBusy =
    before !== undefined && after !== undefined && isBusy({ before, after, tookMs });
  const cpuMs =
    spent.length === 0 ? null : { median: quantile(spent, 0.5), p95: quantile(spent, 0.95) };
  return {
    path,
    status,
    medianMs: quantile(times, 0.5),
    cpuMs,
    isMachineBusy,
    kilobytes: bytes / 1_024,
  };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** Whether others kept the machine busy meanwhile. */
function isBusy(of: {
  readonly before: CpuTimes;
  readonly after: CpuTimes;
  readonly tookMs: number;
}): boolean {
  const { before, after, tookMs } = of;
  const oursMs = (after.server - before.server + after.postgres - before.postgres) * 1_000;
  const othersMs = (after.all - before.all) * 1_000 - oursMs;
  return othersMs > tookMs * availableParallelism() * BUSY_SHARE;
}

/** What is held against the limit. */
function countedMs({ medianMs, cpuMs, isMachineBusy }: PageTime): number {
  return isMachineBusy && cpuMs !== null ? cpuMs.median : medianMs;
}

/** Whether the page is too slow, or did not answer at all. */
function isSlow(of: PageTime): boolean {
  return of.status !== 200 || countedMs(of) >= LIMIT_MS;
}

async function report(database: BenchDatabase, times: readonly PageTime[]): Promise<void> {
  const rows = times.toSorted((a, b) => countedMs(b) - countedMs(a));
  const slow = rows.filter(isSlow);
  if (slow.length > 0) process.exitCode = 1;
  if (values.json) {
    const machine = await describeMachine(database);
    console.log(JSON.stringify({ machine, limitMs: LIMIT_MS, pages: rows }));
    return;
  }
  console.log(
    `Server time per page among ${values.alerts} alerts, limit ${LIMIT_MS} ms (median), the slowest first\n`,
  );
  for (const row of rows) {
    const { path, status, medianMs, cpuMs, kilobytes, isMachineBusy } = row;
    const cpu =
      cpuMs === null
        ? 'unknown'
        : `${cpuMs.median.toFixed(1).padStart(6)} ms  p95 ${cpuMs.p95.toFixed(1).padStart(6)} ms`;
    console.log(
      `${status}  processor ${cpu}  clock ${medianMs.toFixed(1).padStart(7)} ms${isMachineBusy ? ' busy' : ''}  ${kilobytes.toFixed(0).padStart(3)} KB  ${path}${isSlow(row) ? '  <<<' : ''}`,
    );
  }
  console.log(
    '\n"processor" is what one request costs, PostgreSQL and the asking included; "clock" is from request to answer.\nWhere others keep the machine busy the processor time is held against the limit, else the clock.',
  );
  console.log(
    slow.length === 0 ? '\nAll pages are within the limit.' : `\n${slow.length} are not.`,
  );
}
