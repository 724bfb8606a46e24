/**
 * Guarantee: workers that are killed with SIGKILL, and connections to the database that are cut, at random, lose no delivery:
 * each endpoint that lives gets each event at least once, those of an alert in order; a dead one and a slow one delay nobody.
 *
 * The p95 is printed and not judged: it is that of the machine and of how often it kills.
 *
 * `FORESTALL_DELIVERED_EVENTS` says how many events (`node test/bench/deliveries.ts` asks for 100,000).
 */
import pg from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { childEnv } from '../../support/child-env.ts';
import type { ChildProcess } from '../../support/child-process.ts';
import { spawn } from '../../support/child-process.ts';
import { useTestDatabase } from '../../support/database.ts';
import type { WorkerOrder } from './delivery-worker.ts';
import type { Receiver } from './delivery-world.ts';
import { openReceiver, openStream } from './delivery-world.ts';

const EVENTS = Number(process.env['FORESTALL_DELIVERED_EVENTS'] ?? 3_000);
const SEED = Number(process.env['FORESTALL_DELIVERED_SEED'] ?? 1);
/** Committed in a second. */
const RATE = Number(process.env['FORESTALL_DELIVERED_RATE'] ?? 100);
const WORKERS = 2;
const EVENTS_OF_ALERT = 5;
/** The schedule of the product in small: what failed comes again while the test runs. */
const RETRY_MS = [100, 500, 1_000, 2_000, 5_000];
const SLOW_MS = 100;
const LIMIT_MS = 120_000 + (EVENTS / RATE) * 3_000;
const WORKER = new URL('./delivery-worker.ts', import.meta.url).pathname;

const test = useTestDatabase();
const children = new Set<ChildProcess>();
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

/** Numbers from 0 to 1, the same for a seed. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

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

/** Positions, by the subject of the event, as they were taken first. */
function firstTaken({ got }: Receiver): Map<string, number[]> {
  const seen = new Set<number>();
  const bySubject = new Map<string, number[]>();
  for (const { body, status } of got) {
    if (status !== 200 || seen.has(body.position)) continue;
    seen.add(body.position);
    const subject = String(body.data['subject']);
    bySubject.set(subject, [...(bySubject.get(subject) ?? []), body.position]);
  }
  return bySubject;
}

const isAscending = (positions: readonly number[]): boolean =>
  positions.every((position, place) => place === 0 || position > (positions[place - 1] ?? 0));

function p95(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length * 0.95)] ?? 0;
}

describe(`${EVENTS} events to four endpoints, seed ${SEED}`, () => {
  it('reach those that live, in order, whatever is killed', { timeout: LIMIT_MS }, async () => {
    const random = createRandom(SEED);
    const clock = createFixedClock(Date.now());
    const stream = openStream(test.db, clock);
    const { organisationId } = stream;
    const arrivedAtMs = new Map<Receiver, Map<number, number>>();
    const noting = async (answer: () => Promise<number | undefined>): Promise<Receiver> => {
      const first = new Map<number, number>();
      const receiver = await openReceiver();
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
      connectionString: test.connectionString,
      organisationId,
      retryMs: RETRY_MS,
      timeoutMs: 2_000,
    };
    const workers = Array.from({ length: WORKERS }, () => startWorker(order));
    const committedAtMs = new Map<string, number>();
    const client = new pg.Client({ connectionString: test.connectionString });
    await client.connect();
    while (!workers.every((worker) => ready.has(worker)))
      await new Promise((done) => setTimeout(done, 100));
    const killer = await openKiller(order, workers, random);
    const startedMs = performance.now();
    await commitEvents(client, organisationId, committedAtMs);
    await client.end();
    const living = [quick, slow, shaky];
    const takenBy = (receiver: Receiver): number =>
      new Set(receiver.got.filter(({ status }) => status === 200).map(({ body }) => body.position))
        .size;
    while (living.some((receiver) => takenBy(receiver) < EVENTS)) {
      if (performance.now() - startedMs > LIMIT_MS - 20_000) break;
      await new Promise((done) => setTimeout(done, 500));
    }
    const kills = killer.stop();

    const eventAt = new Map(
      quick.got.map(({ body }) => [body.position, String(body.data['event'])]),
    );
    const waitsOf = (receiver: Receiver): number[] =>
      [...(arrivedAtMs.get(receiver) ?? [])].map(
        ([position, atMs]) => atMs - (committedAtMs.get(eventAt.get(position) ?? '') ?? atMs),
      );
    const report = {
      kills,
      quick: Math.round(p95(waitsOf(quick))),
      slow: Math.round(p95(waitsOf(slow))),
      shaky: Math.round(p95(waitsOf(shaky))),
      sent: living.map(({ got }) => got.length),
      dead: dead.got.length,
    };
    process.stdout.write(
      `delivered, p95 in ms from the commit to the first attempt: ${JSON.stringify(report)}\n`,
    );
    for (const receiver of living) {
      expect(takenBy(receiver)).toBe(EVENTS);
      const bySubject = firstTaken(receiver);
      expect(bySubject.size).toBe(Math.ceil(EVENTS / EVENTS_OF_ALERT));
      expect([...bySubject.values()].filter((each) => !isAscending(each))).toEqual([]);
    }
    expect(kills.workers).toBeGreaterThan(0);
    expect(dead.got.length).toBeGreaterThan(0);
    for (const receiver of [...living, dead]) await receiver.close();
  });
});

/** Commits the events, each at its moment, and notes when. */
async function commitEvents(
  client: pg.Client,
  organisationId: string,
  committedAtMs: Map<string, number>,
): Promise<void> {
  const startedMs = performance.now();
  for (let event = 0; event < EVENTS; event += 1) {
    const dueMs = startedMs + (event * 1_000) / RATE;
    if (dueMs > performance.now())
      await new Promise((done) => setTimeout(done, dueMs - performance.now()));
    const subject = `s${Math.floor(event / EVENTS_OF_ALERT)}`;
    await client.query(
      "select forestall.note_event($1, 'alert.missed', clock_timestamp(), null, $2, null, $3)",
      [organisationId, subject, JSON.stringify({ subject, event })],
    );
    committedAtMs.set(String(event), performance.now());
  }
}

interface Killer {
  stop(): { readonly workers: number; readonly connections: number };
}

/** Kills a worker, or cuts connections of all, every few seconds; another worker starts in the place of the one that was killed. */
async function openKiller(
  order: WorkerOrder,
  workers: ChildProcess[],
  random: () => number,
): Promise<Killer> {
  const admin = new pg.Client({
    connectionString: order.connectionString,
    application_name: 'killer',
  });
  admin.on('error', () => undefined);
  await admin.connect();
  const counts = { workers: 0, connections: 0 };
  let isOver = false;
  const run = async (): Promise<void> => {
    while (!isOver) {
      await new Promise((done) => setTimeout(done, 2_000 + random() * 4_000));
      if (isOver) break;
      if (random() < 0.75) {
        // The other one goes on meanwhile.
        if (!workers.every((worker) => ready.has(worker))) continue;
        const place = Math.floor(random() * workers.length);
        workers[place]?.kill('SIGKILL');
        workers[place] = startWorker(order);
        counts.workers += 1;
      } else {
        const { rowCount } = await admin.query(
          "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and query like '%event_%' and query not like '%note_event%'",
        );
        counts.connections += rowCount ?? 0;
      }
    }
    for (const worker of workers) worker.kill('SIGKILL');
    await admin.end();
  };
  void run();
  return {
    stop: () => {
      isOver = true;
      return counts;
    },
  };
}
