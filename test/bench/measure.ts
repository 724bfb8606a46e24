/** One measurement of each kind: events per second, or milliseconds for a median wait. */
import type { Pool } from 'pg';
import { createApplier } from '../../src/alerts/apply/apply.job.ts';
import type { Inbox } from '../../src/alerts/receive/inbox.ts';
import type { OpenDatabase } from '../../src/base/db/connect.ts';
import { systemClock } from '../../src/base/kernel/clock.ts';
import { createLog } from '../../src/base/kernel/log.ts';
import type { CostBook } from './costs.ts';
import { BENCH_ORGANISATION } from './events.ts';
import type { LoadReport } from './load.ts';
import type { Load } from './servers.ts';
import { ceilingApp, insertingApp, receiverApp, whileServing } from './servers.ts';
import { median } from './targets.ts';

/** What all measurements share. */
export interface Bench {
  readonly load: Load;
  /** For the appliers. */
  readonly database: OpenDatabase;
  /** For what is compared. */
  readonly plainPool: Pool;
  readonly inbox: Inbox;
  /** How long each sends, in milliseconds. */
  readonly durationMs: number;
  /** Events to have ready for each second: nothing stored goes faster than the ceiling. */
  readonly eventsPerSecond: number;
  /** Names the round, so that its events are its own. */
  readonly round: string;
  /** Notes what a measurement cost; see {@link CostBook}. */
  readonly costs: CostBook;
}

/** Connections of the load generator, as the targets say. */
const CONNECTIONS = 64;

const WARM_UP_MS = 500;

function rateOf(report: LoadReport): number {
  if (report.others > 0) throw new Error(`${report.others} deliveries were not answered 200.`);
  return report.accepted / report.seconds;
}

interface Stream {
  readonly port: number;
  readonly series: string;
  readonly connections?: number;
  readonly durationMs?: number;
  /** Send the same events again and again. */
  readonly rewind?: number;
}

/** Makes a stream ready; what it returns sends it. */
async function prepare(bench: Bench, options: Stream): Promise<() => Promise<LoadReport>> {
  const { port, series, connections = CONNECTIONS, durationMs = bench.durationMs } = options;
  const most = Math.ceil((durationMs / 1_000) * bench.eventsPerSecond);
  return await bench.load.prepare({
    port,
    connections,
    series,
    events: options.rewind ?? most,
    durationMs,
    rewind: options.rewind !== undefined,
  });
}

async function stream(bench: Bench, options: Stream): Promise<LoadReport> {
  const send = await prepare(bench, options);
  return await send();
}

/** Lets compilers and connections warm up with events of their own. */
async function warmUp(bench: Bench, port: number, series: string): Promise<void> {
  await stream(bench, { port, series: `${series}w`, durationMs: WARM_UP_MS });
}

/** Streams, and notes what it cost. Returns the rate. */
async function timed(
  bench: Bench,
  phase: string,
  options: Stream,
  onAccepted: (count: number) => void = () => undefined,
): Promise<number> {
  const send = await prepare(bench, options);
  const report = await bench.costs.note(phase, async () => {
    const result = await send();
    return { events: result.accepted, result };
  });
  onAccepted(report.accepted);
  return rateOf(report);
}

/** Verify and parse only. */
export function measureCeiling(bench: Bench): Promise<number> {
  return whileServing(ceilingApp(), async (port) => {
    await warmUp(bench, port, `c${bench.round}`);
    return await timed(bench, 'ceiling', { port, series: `c${bench.round}`, rewind: 5_000 });
  });
}

/** One INSERT per request. */
export async function measureInserting(bench: Bench): Promise<number> {
  return whileServing(await insertingApp(bench.plainPool), async (port) => {
    await warmUp(bench, port, `i${bench.round}`);
    return await timed(bench, 'one INSERT', { port, series: `i${bench.round}` });
  });
}

/** Connections at which most receivers live, beside the 64 of the other targets. */
const FEW_CONNECTIONS = 16;

/** Turns that the two take at few connections, so that what drifts drifts for both. */
const FEW_TURNS = 4;

/** Both at few connections: the median rate of their turns. */
export async function measureFew(bench: Bench): Promise<{ inserting: number; own: number }> {
  const rates = { inserting: [] as number[], own: [] as number[] };
  const durationMs = bench.durationMs / FEW_TURNS;
  const take = async (port: number, who: 'inserting' | 'own', turn: number): Promise<void> => {
    const series = `f${who}${turn}r${bench.round}`;
    const report = await stream(bench, { port, series, connections: FEW_CONNECTIONS, durationMs });
    // The first turn warms up.
    if (turn > 0) rates[who].push(rateOf(report));
  };
  return await whileServing(await insertingApp(bench.plainPool), (inserting) =>
    whileServing(receiverApp(bench.inbox), async (own) => {
      for (let turn = 0; turn <= FEW_TURNS; turn++) {
        await take(inserting, 'inserting', turn);
        await take(own, 'own', turn);
      }
      return { inserting: median(rates.inserting), own: median(rates.own) };
    }),
  );
}

/** Our receiver: events that are new. */
export function measureFresh(bench: Bench, phase: string): Promise<number> {
  return whileServing(receiverApp(bench.inbox), async (port) => {
    await warmUp(bench, port, `s${bench.round}`);
    return await timed(bench, phase, { port, series: `s${bench.round}` });
  });
}

/** Turns the two take at one connection, so that what drifts drifts for both. */
const LONE_TURNS = 6;

/** The median wait over one connection, of one INSERT and of our receiver. */
export async function measureLoneWaits(bench: Bench): Promise<{ inserting: number; own: number }> {
  const durationMs = bench.durationMs / LONE_TURNS;
  const waits = { inserting: [] as number[], own: [] as number[] };
  let events = 0;
  const take = async (port: number, who: 'inserting' | 'own', turn: number): Promise<void> => {
    const series = `l${who}${turn}r${bench.round}`;
    const report = await stream(bench, { port, series, connections: 1, durationMs });
    events += report.accepted;
    // The first turn warms up.
    if (turn > 0) waits[who].push(report.p50Ms);
  };
  return await whileServing(await insertingApp(bench.plainPool), (inserting) =>
    whileServing(receiverApp(bench.inbox), (own) =>
      bench.costs.note('one connection, both in turn', async () => {
        for (let turn = 0; turn <= LONE_TURNS; turn++) {
          await take(inserting, 'inserting', turn);
          await take(own, 'own', turn);
        }
        const result = { inserting: median(waits.inserting), own: median(waits.own) };
        return { events, result };
      }),
    ),
  );
}

function applierOf(bench: Bench): { drainOnce(): Promise<number> } {
  return createApplier({
    db: bench.database.db,
    clock: systemClock,
    log: createLog({ level: 'error' }),
    organisationId: BENCH_ORGANISATION,
    brandTokens: { fromWire: (json) => json },
  });
}

/** Applies what has been stored so far. */
export async function measureDrain(bench: Bench): Promise<number> {
  const startedAt = performance.now();
  const applied = await bench.costs.note('drain', async () => {
    const result = await drainAll(bench);
    return { events: result, result };
  });
  return applied / ((performance.now() - startedAt) / 1_000);
}

/** Applies everything, unmeasured. */
export async function drainAll(bench: Bench): Promise<number> {
  const applier = applierOf(bench);
  let applied = 0;
  for (;;) {
    const taken = await applier.drainOnce();
    if (taken === 0) return applied;
    applied += taken;
  }
}

/** Receives and applies in one process, until the last event received is applied. */
export function measureBoth(bench: Bench): Promise<number> {
  const applier = applierOf(bench);
  return whileServing(receiverApp(bench.inbox), async (port) => {
    await warmUp(bench, port, `b${bench.round}`);
    await drainAll(bench);
    let sending = true;
    const send = await prepare(bench, { port, series: `b${bench.round}` });
    const startedAt = performance.now();
    const drain = async (): Promise<number> => {
      let applied = 0;
      for (;;) {
        const taken = await applier.drainOnce();
        applied += taken;
        if (taken > 0) continue;
        if (!sending) return applied;
        await new Promise((done) => setTimeout(done, 2));
      }
    };
    return await bench.costs.note('received and applied', async () => {
      const [report, applied] = await Promise.all([
        send().finally(() => {
          sending = false;
        }),
        drain(),
      ]);
      rateOf(report);
      if (applied !== report.accepted) {
        throw new Error(`${report.accepted} events were received and ${applied} applied.`);
      }
      return { events: applied, result: applied / ((performance.now() - startedAt) / 1_000) };
    });
  });
}
