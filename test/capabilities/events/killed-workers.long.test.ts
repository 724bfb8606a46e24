/**
 * Guarantee: workers and the whole database that are killed with SIGKILL, receivers that go away in the middle of a request, and
 * connections that are cut, at random, lose no delivery: each endpoint that lives gets each event at least once, those of an
 * alert in order; a dead one and a slow one delay nobody.
 *
 * The p95 is printed and not judged: it is that of the machine and of how often it kills.
 *
 * `FORESTALL_DELIVERED_EVENTS` says how many events (`node test/bench/deliveries.ts` asks for 100,000), and
 * `FORESTALL_DELIVERED_KILL_SECONDS` how many seconds lie between two kills, on average (3); with 0 nothing is killed.
 */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { createRandom } from '../../../src/sandbox/ids.ts';
import { quantile } from '../../bench/platform-figures.ts';
import { childEnv } from '../../support/child-env.ts';
import type { ChildProcess } from '../../support/child-process.ts';
import { spawn } from '../../support/child-process.ts';
import type { WorkerOrder } from './delivery-worker.ts';
import type { Receiver } from './delivery-world.ts';
import { openReceiver, openStream } from './delivery-world.ts';
import type { MortalDatabase } from './mortal-database.ts';
import { openMortalDatabase } from './mortal-database.ts';

const EVENTS = Number(process.env['FORESTALL_DELIVERED_EVENTS'] ?? 1_000);
const SEED = Number(process.env['FORESTALL_DELIVERED_SEED'] ?? 1);
/** Committed in a second. */
const RATE = Number(process.env['FORESTALL_DELIVERED_RATE'] ?? 40);
/** Between two kills, on average. */
const KILL_SECONDS = Number(process.env['FORESTALL_DELIVERED_KILL_SECONDS'] ?? 3);
const WORKERS = 2;
const EVENTS_OF_ALERT = 5;
/** The schedule of the product in small: what failed comes again while the test runs. */
const RETRY_MS = [100, 500, 1_000, 2_000, 5_000];
const SLOW_MS = 100;
/** 100 s for 1,000 events. */
const LIMIT_MS = 25_000 + (EVENTS / RATE) * 3_000;
const WORKER = new URL('./delivery-worker.ts', import.meta.url).pathname;

let database: MortalDatabase | undefined;
beforeAll(async () => {
  database = await openMortalDatabase();
}, 120_000);
const children = new Set<ChildProcess>();
const receivers: Receiver[] = [];
let isClosed = false;
afterAll(async () => {
  isClosed = true;
  for (const child of children) child.kill('SIGKILL');
  await connection?.end().catch(() => undefined);
  for (const receiver of receivers) await receiver.close();
  await database?.close();
}, 60_000);

/** A worker that has begun to work. Where one starts slowly, it is killed when it has. */
const ready = new WeakSet<ChildProcess>();

function startWorker(order: WorkerOrder): ChildProcess {
  const child = spawn(process.execPath, [WORKER, JSON.stringify(order)], {
    env: childEnv(),
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
  });
  children.add(child);
  child.stdout.once('data', () => ready.add(child));
  child.once('exit', () => children.delete(child));
  return child;
}

interface Taken {
  readonly position: number;
  /** Counted as they were committed. */
  readonly event: number;
}

/** By the subject of the event, as they were taken first. */
function firstTaken({ got }: Receiver): Map<string, Taken[]> {
  const positions = new Set<number>();
  const bySubject = new Map<string, Taken[]>();
  for (const { body, status } of got) {
    const { position, data } = body;
    if (status !== 200 || positions.has(position)) continue;
    positions.add(position);
    const subject = String(data['subject']);
    const taken = { position, event: Number(data['event']) };
    bySubject.set(subject, [...(bySubject.get(subject) ?? []), taken]);
  }
  return bySubject;
}

/** Of an alert, up to the first event that was refused: those behind it wait for its next attempt, which order asks for. */
function isBeforeRefusal({ got }: Receiver): (position: number) => boolean {
  const refused = new Map<string, number>();
  const subjects = new Map<number, string>();
  for (const { body, status } of got) {
    const subject = String(body.data['subject']);
    subjects.set(body.position, subject);
    if (status !== 200 && !refused.has(subject)) refused.set(subject, body.position);
  }
  return (position) => position <= (refused.get(subjects.get(position) ?? '') ?? position);
}

/** In the order of the stream, which is that of the commits; one whose commit had no answer may be there twice. */
const isInOrder = (taken: readonly Taken[]): boolean =>
  taken.every(({ position, event }, place) => {
    const before = taken[place - 1];
    return before === undefined || (position > before.position && event >= before.event);
  });

describe(`${EVENTS} events to four endpoints, seed ${SEED}`, () => {
  it('reach those that live, in order, whatever is killed', { timeout: LIMIT_MS }, async () => {
    const mortal = database;
    if (mortal === undefined) throw new Error('It did not start.');
    const random = createRandom(SEED);
    const clock = createFixedClock(Date.now());
    const stream = openStream(mortal.db, clock);
    const { organisationId } = stream;
    const arrivedAtMs = new Map<Receiver, Map<number, number>>();
    const noting = async (answer: () => Promise<number | undefined>): Promise<Receiver> => {
      const first = new Map<number, number>();
      const receiver = await openReceiver();
      receivers.push(receiver);
      receiver.answer = async ({ body }) => {
        if (!first.has(body.position)) first.set(body.position, performance.now());
        return await answer();
      };
      arrivedAtMs.set(receiver, first);
      return receiver;
    };
    const quick = await noting(async () => 200);
    const slow = await noting(
      async () => await new Promise((done) => setTimeout(done, SLOW_MS, 200)),
    );
    const shaky = await noting(async () => (random() < 0.2 ? 500 : 200));
    const dead = await noting(async () => undefined);
    for (const { url } of [quick, slow, shaky, dead]) await stream.add(url);
    const deadClosed = await openReceiver();
    await deadClosed.close();
    await stream.add(deadClosed.url);

    const order = {
      connectionString: mortal.connectionString,
      organisationId,
      retryMs: RETRY_MS,
      timeoutMs: 2_000,
    };
    const workers = Array.from({ length: WORKERS }, () => startWorker(order));
    const committedAtMs = new Map<string, number>();
    while (!workers.every((worker) => ready.has(worker)))
      await new Promise((done) => setTimeout(done, 100));
    const living = [quick, slow, shaky];
    const killer = startKiller(order, { mortal, workers, receivers: living, random });
    const endMs = performance.now() + LIMIT_MS - 15_000;
    await commitEvents(organisationId, committedAtMs);
    // What a worker was about when it was killed is free again when its lease ends: while some are killed, some of it waits.
    const kills = await killer.stop();
    const total = await positionsGiven(organisationId, endMs);
    const takenBy = (receiver: Receiver): number =>
      new Set(receiver.got.filter(({ status }) => status === 200).map(({ body }) => body.position))
        .size;
    while (living.some((receiver) => takenBy(receiver) < total)) {
      if (performance.now() > endMs) break;
      await new Promise((done) => setTimeout(done, 500));
    }

    const eventAt = new Map(
      quick.got.map(({ body }) => [body.position, String(body.data['event'])]),
    );
    const waitsOf = (
      receiver: Receiver,
      isCounted: (position: number) => boolean = () => true,
    ): number[] =>
      [...(arrivedAtMs.get(receiver) ?? [])]
        .filter(([position]) => isCounted(position))
        .map(([position, atMs]) => atMs - (committedAtMs.get(eventAt.get(position) ?? '') ?? atMs));
    const report = {
      kills,
      quick: Math.round(quantile(waitsOf(quick), 0.95)),
      slow: Math.round(quantile(waitsOf(slow), 0.95)),
      shaky: Math.round(quantile(waitsOf(shaky), 0.95)),
      shakyBeforeRefusal: Math.round(quantile(waitsOf(shaky, isBeforeRefusal(shaky)), 0.95)),
      sent: living.map(({ got }) => got.length),
      dead: dead.got.length,
    };
    process.stdout.write(
      `delivered, p95 in ms from the commit to the first attempt: ${JSON.stringify(report)}\n`,
    );
    for (const receiver of living) {
      expect(takenBy(receiver)).toBe(total);
      // Every event that was committed; one whose commit had no answer may stand in the stream twice.
      expect(new Set(receiver.got.map(({ body }) => String(body.data['event'])))).toEqual(
        new Set(committedAtMs.keys()),
      );
      const bySubject = firstTaken(receiver);
      expect(bySubject.size).toBe(Math.ceil(EVENTS / EVENTS_OF_ALERT));
      expect([...bySubject.values()].filter((each) => !isInOrder(each))).toEqual([]);
    }
    if (KILL_SECONDS > 0) {
      expect(kills.workers).toBeGreaterThan(0);
      expect(kills.databases).toBeGreaterThan(0);
    }
    expect(dead.got.length).toBeGreaterThan(0);
  });
});

/** Commits the events, each at its moment, and notes when. What had no answer is committed again, as a program would. */
async function commitEvents(
  organisationId: string,
  committedAtMs: Map<string, number>,
): Promise<void> {
  const startedMs = performance.now();
  for (let event = 0; event < EVENTS; event += 1) {
    const dueMs = startedMs + (event * 1_000) / RATE;
    if (dueMs > performance.now())
      await new Promise((done) => setTimeout(done, dueMs - performance.now()));
    const subject = `s${Math.floor(event / EVENTS_OF_ALERT)}`;
    await persistently(
      "select forestall.note_event($1, 'alert.missed', clock_timestamp(), null, $2, null, $3)",
      [organisationId, subject, JSON.stringify({ subject, event })],
    );
    committedAtMs.set(String(event), performance.now());
  }
}

/** How many positions there are once each event has one. */
async function positionsGiven(organisationId: string, endMs: number): Promise<number> {
  for (;;) {
    const waiting = await persistently(
      'select 1 from event_outbox where organisation_id = $1 limit 1',
      [organisationId],
    );
    if (waiting.length === 0) break;
    if (performance.now() > endMs) throw new Error('Events have no position yet.');
    await new Promise((done) => setTimeout(done, 200));
  }
  const rows = await persistently(
    'select count(*)::int as total, max(seq)::int as last from event where organisation_id = $1',
    [organisationId],
  );
  const [{ total, last } = { total: 0, last: 0 }] = rows as { total: number; last: number }[];
  expect(total).toBe(last);
  return total;
}

let connection: pg.Client | undefined;

/** Asks until there is an answer, whatever is killed meanwhile. */
async function persistently(text: string, values: readonly unknown[]): Promise<object[]> {
  while (!isClosed) {
    try {
      if (connection === undefined) {
        const made = new pg.Client({
          connectionString: database?.connectionString,
          options: '-c search_path=forestall',
          connectionTimeoutMillis: 5_000,
        });
        made.on('error', () => {
          connection = undefined;
        });
        await made.connect();
        connection = made;
      }
      return (await connection.query<object>(text, [...values])).rows;
    } catch {
      connection = undefined;
      await new Promise((done) => setTimeout(done, 50));
    }
  }
  throw new Error('The test is over.');
}

interface Kills {
  workers: number;
  connections: number;
  databases: number;
  receivers: number;
}

interface Killer {
  /** Returns when what was killed last is coming back. */
  stop(): Promise<Kills>;
}

/** How long a receiver that was killed stays away, in milliseconds. */
const AWAY_MS = 700;

/** Kills a worker, the database or a receiver, or cuts connections, every few seconds; each comes back. */
function startKiller(
  order: WorkerOrder,
  world: {
    readonly mortal: MortalDatabase;
    readonly workers: ChildProcess[];
    readonly receivers: readonly Receiver[];
    readonly random: () => number;
  },
): Killer {
  const { mortal, workers, random } = world;
  const kills: Kills = { workers: 0, connections: 0, databases: 0, receivers: 0 };
  let isOver = false;
  let turn = 0;
  const killWorker = (): void => {
    // The other one goes on meanwhile.
    if (!workers.every((worker) => ready.has(worker))) return;
    const place = Math.floor(random() * workers.length);
    workers[place]?.kill('SIGKILL');
    workers[place] = startWorker(order);
    kills.workers += 1;
  };
  const cut = async (): Promise<void> => {
    const cuts = await persistently(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and query like '%event_%' and query not like '%note_event%'",
      [],
    );
    kills.connections += cuts.length;
  };
  const acts: readonly (() => Promise<void> | void)[] = [
    async () => {
      await mortal.kill();
      kills.databases += 1;
    },
    killWorker,
    killWorker,
    cut,
    async () => {
      await world.receivers[Math.floor(random() * world.receivers.length)]?.goAway(AWAY_MS);
      kills.receivers += 1;
    },
  ];
  const run = async (): Promise<void> => {
    while (!isOver && KILL_SECONDS > 0) {
      await new Promise((done) => setTimeout(done, KILL_SECONDS * (500 + random() * 1_000)));
      if (isOver) break;
      // Each once at least, then at random.
      const act = turn < acts.length ? turn : Math.floor(random() * acts.length);
      turn += 1;
      await acts[act]?.();
    }
  };
  const running = run();
  return {
    stop: async () => {
      isOver = true;
      await running;
      return kills;
    },
  };
}
