/**
 * How a test world moves: rounds of every loop until nothing is left, and time from one planned
 * moment to the next.
 */
import type { Db } from '../../base/db/database.ts';
import type { LoopSpec } from '../../base/jobs/loop.ts';
import type { FixedClock } from '../../base/kernel/clock.ts';
import { InvariantError } from '../../base/kernel/errors.ts';
import type { Sandbox } from '../../sandbox/index.ts';
import type { Work } from '../roles/work.ts';
import { nextMomentMs } from './next-moment.store.ts';

/** Rounds of a drain before it counts as a livelock. */
const ROUNDS_MAX = 200;

/** At most this much time passes unseen, in milliseconds. */
const STEP_MS = 30 * 60_000;

/** How often a loop runs again within one round while it finds work. */
const REPEATS_MAX = 20;

/** The loop of the poll. */
const POLL = 'reconcile';

/** Loops that are idle this long, in milliseconds, and wait for nothing that falls due, keep their pace on the moved clock too. */
const PACED_FROM_MS = 10_000;

/**
 * One round of a worker: each loop that has something due until it finds nothing to do, as a running loop
 * does; those that only look from time to time, the poll among them, when their time has passed on the clock.
 */
export function createRounds(work: Work, clock: FixedClock): () => Promise<number> {
  const nextMs = new Map<LoopSpec, number>();
  const isTime = (loop: LoopSpec): boolean => {
    if (clock.nowMs() < (nextMs.get(loop) ?? Number.NEGATIVE_INFINITY)) return false;
    const isPaced = loop.isDue === undefined && loop.idleMs >= PACED_FROM_MS;
    if (loop.name === POLL || isPaced) nextMs.set(loop, clock.nowMs() + loop.idleMs);
    return true;
  };
  return async () => {
    let done = 0;
    // What was answered holds until a loop has done something.
    let due: ReadonlySet<LoopSpec> | undefined;
    const looked = new Set<LoopSpec>();
    for (const loop of work.loops.filter(isTime)) {
      if (loop.isDue !== undefined) {
        due ??= await work.due();
        if (!due.has(loop)) continue;
        looked.add(loop);
      }
      const found = await runUntilIdle(loop);
      if (found > 0) due = undefined;
      done += found;
    }
    // What a loop has made due without saying so is for another round.
    return done > 0 ? done : [...(await work.due())].filter((loop) => !looked.has(loop)).length;
  };
}

async function runUntilIdle(loop: LoopSpec): Promise<number> {
  // What a poll heals is due at once, and it does not say how much that was.
  if (loop.name === POLL) return 1 + (await loop.runOnce());
  let done = 0;
  for (let repeats = 0; repeats < REPEATS_MAX; repeats++) {
    const more = await loop.runOnce();
    if (more === 0) return done;
    done += more;
  }
  return done;
}

/** Delivers and works until a round finds nothing to do. */
export async function drainUntilIdle(
  sandbox: Sandbox,
  round: () => Promise<number>,
): Promise<void> {
  for (let rounds = 0; rounds < ROUNDS_MAX; rounds++) {
    await sandbox.settle();
    if ((await round()) === 0) return;
  }
  throw new InvariantError(
    `Still busy after ${ROUNDS_MAX} rounds: something makes itself due for ever.`,
  );
}

/** What {@link liveThrough} moves. */
export interface Living {
  readonly db: Db;
  readonly organisationId: string;
  readonly sandbox: Sandbox;
  readonly drain: () => Promise<void>;
}

/** Lets `durationMs` pass, stopping to work at every moment at which something falls due. */
export async function liveThrough(
  { db, organisationId, sandbox, drain }: Living,
  durationMs: number,
  stepMs: number = STEP_MS,
): Promise<void> {
  const { clock } = sandbox;
  const endMs = clock.nowMs() + durationMs;
  await drain();
  while (clock.nowMs() < endMs) {
    const latestMs = Math.min(endMs, clock.nowMs() + stepMs);
    const dueMs = await nextMomentMs(db, organisationId, sandbox);
    await sandbox.advance(Math.min(latestMs, dueMs ?? latestMs) - clock.nowMs());
    await drain();
  }
}
