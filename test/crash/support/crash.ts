/**
 * Ways for a worker to die at a named point, inside one process.
 *
 * `kill`: it never comes back from the point, like a SIGKILL. `throw`: the step fails there. `disconnect`:
 * every database connection is cut at that moment, and the step has to live with it.
 */
import { sql } from 'kysely';
import type { CrashPoint } from '../../../src/base/kernel/crash-point.ts';
import { setCrashHook } from '../../../src/base/kernel/crash-point.ts';
import type { SagaWorld, Worker } from './saga-world.ts';

export const MANNERS = ['kill', 'throw', 'disconnect'] as const;
export type Manner = (typeof MANNERS)[number];

/** A planned death. */
export interface Death {
  /** Resolves when the point is reached. */
  readonly reached: Promise<void>;
  /** Whether the point was reached. */
  happened(): boolean;
}

/** All points passed since the process started. */
export const pointsSeen = new Set<CrashPoint>();

/** The first worker that reaches `point` dies in this manner; later ones pass. */
export function planDeath(
  world: Pick<SagaWorld, 'db'>,
  plan: { readonly point: CrashPoint; readonly manner: Manner },
): Death {
  let done = false;
  let tell: () => void = () => undefined;
  const reached = new Promise<void>((resolve) => {
    tell = resolve;
  });
  setCrashHook(async (point) => {
    pointsSeen.add(point);
    if (point !== plan.point || done) return;
    done = true;
    if (plan.manner === 'disconnect') await cutConnections(world);
    tell();
    if (plan.manner === 'kill') await new Promise<never>(() => undefined);
    if (plan.manner === 'throw') throw new Error(`died at ${point}`);
  });
  return { reached, happened: () => done };
}

/** A worker that was stopped at a point (SIGSTOP) and can be woken. */
export interface Pause {
  readonly reached: Promise<void>;
  resume(): void;
}

/** The first worker that reaches `point` stops there until it is resumed. */
export function planPause(point: CrashPoint): Pause {
  let resume: () => void = () => undefined;
  let tell: () => void = () => undefined;
  let done = false;
  const gate = new Promise<void>((resolve) => {
    resume = resolve;
  });
  const reached = new Promise<void>((resolve) => {
    tell = resolve;
  });
  setCrashHook(async (name) => {
    if (name !== point || done) return;
    done = true;
    tell();
    await gate;
  });
  return { reached, resume: () => resume() };
}

/** Cuts every connection to the test's database but the one that does it. */
async function cutConnections({ db }: Pick<SagaWorld, 'db'>): Promise<void> {
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`.execute(db);
}

/** Connections that the pool of such a test holds: each death cuts all of them, and the server starts each anew. */
export const POOL = 4;

/** Waits until every connection the pool hands out is alive again. */
export async function reconnect({ db }: SagaWorld): Promise<void> {
  for (let tries = 0, good = 0; good < 2 && tries < 50; tries++) {
    const all = Array.from({ length: POOL }, () => sql`select 1`.execute(db));
    const ends = await Promise.allSettled(all);
    good = ends.every(({ status }) => status === 'fulfilled') ? good + 1 : 0;
  }
}

/** Rounds of one worker until it finds nothing to do. A lost connection ends a round, not the worker. */
async function workUntilIdle(worker: Worker): Promise<void> {
  for (let rounds = 0; rounds < 100; rounds++) {
    const claimed = await worker.round().catch(() => 1);
    if (claimed === 0) return;
  }
}

/** Lets the workers run until they are idle, or until one of them has died and the others are idle. */
export async function runUntilDeath(workers: readonly Worker[], death: Death): Promise<void> {
  const all = workers.map(workUntilIdle);
  const oneLess = death.reached.then(async () => {
    // Whoever still lives continues until it is idle; the dead one never resolves.
    for (let alive = 0; alive < workers.length - 1; alive++) await Promise.race(all);
  });
  await Promise.race([Promise.all(all), oneLess]);
}
