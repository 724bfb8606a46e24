/** One measurement of each kind: events per second, or milliseconds for a median wait. */
import type { RequestListener } from 'node:http';
import type { Pool } from 'pg';
import { createApplier } from '../../src/alerts/apply/apply.job.ts';
import type { Inbox } from '../../src/alerts/receive/inbox.ts';
import type { OpenDatabase } from '../../src/base/db/connect.ts';
import { withLocalLoops } from '../../src/base/jobs/wake.store.ts';
import { systemClock } from '../../src/base/kernel/clock.ts';
import { createLog } from '../../src/base/kernel/log.ts';
import type { CostBook } from './costs.ts';
import { BENCH_ORGANISATION } from './events.ts';
import type { LoadReport } from './load.ts';
import type { Load } from './servers.ts';
import {
  ceilingApp,
  committingApp,
  doorApp,
  insertingApp,
  receiverApp,
  whileServing,
} from './servers.ts';
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
  return measureUnstored(bench, 'ceiling', ceilingApp());
}

/** Our receiver without its store: what is not promised, and tells what storing costs. */
export function measureDoor(bench: Bench): Promise<number> {
  return measureUnstored(bench, 'ours without storing', doorApp());
}

function measureUnstored(bench: Bench, phase: string, app: RequestListener): Promise<number> {
  return whileServing(app, async (port) => {
    await warmUp(bench, port, `c${bench.round}`);
    return await timed(bench, phase, { port, series: `c${bench.round}`, rewind: 5_000 });
  });
}

/** One INSERT per request. */
export async function measureInserting(bench: Bench): Promise<number> {
  return whileServing(await insertingApp(bench.plainPool), async (port) => {
    await warmUp(bench, port, `i${bench.round}`);
    return await timed(bench, 'one INSERT', { port, series: `i${bench.round}` });
  });
}

/** One of those that are compared. */
interface Rival {
  readonly bench: Bench;
  readonly port: number;
  /** Names its events. */
  readonly series: string;
}

interface Turns {
  readonly turns: number;
  readonly connections?: number;
  /** What counts of each turn. */
  readonly read: (report: LoadReport) => number;
}

/**
 * The medians of those that take turns, so that what drifts drifts for all, and none is always the
 * last. The first turn of each warms up.
 */
async function inTurns(rivals: readonly Rival[], options: Turns): Promise<number[]> {
  const { turns, read, ...stretch } = options;
  const values = rivals.map((): number[] => []);
  for (let turn = 0; turn <= turns; turn++) {
    const order = [...rivals.entries()];
    for (const [place, { bench, port, series }] of turn % 2 === 0 ? order : order.reverse()) {
      const durationMs = bench.durationMs / turns;
      const named = `${series}${turn}r${bench.round}`;
      const report = await stream(bench, { port, series: named, durationMs, ...stretch });
      if (turn > 0) values[place]?.push(read(report));
    }
  }
  return values.map(median);
}

/** Connections at which most receivers live, beside the 64 of the other targets. */
const FEW_CONNECTIONS = 16;

const FEW_TURNS = 4;

/** At few connections: one INSERT, our receiver, and the most that it could reach with its flushes. */
export async function measureFew(
  bench: Bench,
): Promise<{ inserting: number; own: number; committing: number }> {
  const options = { turns: FEW_TURNS, connections: FEW_CONNECTIONS, read: rateOf };
  return await whileServing(await insertingApp(bench.plainPool), (one) =>
    whileServing(receiverApp(bench.inbox), (other) =>
      whileServing(committingApp(bench.plainPool), async (third) => {
        const rivals = [
          { bench, port: one, series: 'fi' },
          { bench, port: other, series: 'fo' },
          { bench, port: third, series: 'fc' },
        ];
        const [inserting = NaN, own = NaN, committing = NaN] = await inTurns(rivals, options);
        return { inserting, own, committing };
      }),
    ),
  );
}

const STORED_TURNS = 4;

/** Our receiver beside few stored events, and beside many. */
export function measureStored(
  small: Bench,
  large: Bench,
): Promise<{ small: number; large: number }> {
  return whileServing(receiverApp(small.inbox), (one) =>
    whileServing(receiverApp(large.inbox), async (other) => {
      const rivals = [
        { bench: small, port: one, series: 'ss' },
        { bench: large, port: other, series: 'sl' },
      ];
      const options = { turns: STORED_TURNS, read: rateOf };
      const [few = NaN, many = NaN] = await inTurns(rivals, options);
      return { small: few, large: many };
    }),
  );
}

/** Our receiver: events that are new. */
export function measureFresh(bench: Bench): Promise<number> {
  return whileServing(receiverApp(bench.inbox), async (port) => {
    await warmUp(bench, port, `s${bench.round}`);
    return await timed(bench, 'ingest', { port, series: `s${bench.round}` });
  });
}

const LONE_TURNS = 6;

/** The median wait over one connection, of one INSERT and of our receiver. */
export async function measureLoneWaits(bench: Bench): Promise<{ inserting: number; own: number }> {
  let events = 0;
  const read = (report: LoadReport): number => {
    events += report.accepted;
    return report.p50Ms;
  };
  return await whileServing(await insertingApp(bench.plainPool), (one) =>
    whileServing(receiverApp(bench.inbox), (other) =>
      bench.costs.note('one connection, in turns', async () => {
        const rivals = [
          { bench, port: one, series: 'li' },
          { bench, port: other, series: 'lo' },
        ];
        const options = { turns: LONE_TURNS, connections: 1, read };
        const [inserting = NaN, own = NaN] = await inTurns(rivals, options);
        return { events, result: { inserting, own } };
      }),
    ),
  );
}

/** A worker has the loops that its applier wakes in its own process. */
const LOOPS = { isServed: () => true, emit: () => undefined };

function applierOf(bench: Bench): { drainOnce(): Promise<number> } {
  return createApplier({
    db: withLocalLoops(bench.database, LOOPS).db,
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
