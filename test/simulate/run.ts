/**
 * One run of the simulation: our processes, the service, the processor and the merchant on one moved
 * clock, from the first alert until long after the last deadline.
 *
 * Time jumps from one moment at which something is due to the next. At each, the world acts, webhooks
 * are delivered, and whatever loop has something to do is started on a worker that the seed chooses,
 * until nothing is left to do at that moment. The two ledgers are looked at after every call, our rows
 * at intervals, all three books at the end.
 */

import { createHash } from 'node:crypto';
import { exchange } from '../../src/service/client/transport.ts';
import type { Balance } from './books.ts';
import { addBalances, compareBooks, readOwnBook } from './books.ts';
import type { InCommon } from './crossed.ts';
import { checkNothingCrossed } from './crossed.ts';
import type { Due, DueLoop } from './due.ts';
import type { Member } from './member.ts';
import type { Parts, RunOptions } from './prepare-run.ts';
import { prepareRun } from './prepare-run.ts';
import { loopOf } from './replica.ts';
import { installSimulation } from './simulated-time.ts';
import type { Trail } from './trail.ts';
import { readTrail } from './trail.ts';
import { Violation } from './violation.ts';
import type { Weather } from './weather.ts';

// What is loaded with the first request would take the machine's time within a run.
await exchange({
  method: 'GET',
  url: 'http://first.example',
  headers: {},
  body: undefined,
  timeoutMs: 60_000,
  signal: undefined,
  fetch: () => Promise.resolve(new Response('{}')),
});

/** How a run ended. */
export interface RunReport {
  readonly seed: number;
  readonly alerts: number;
  readonly weather: Weather;
  /** Queries, calls and crash points let through. */
  readonly steps: number;
  readonly simulatedHours: number;
  /** Follows from everything that happened, in its order, and from the last state of the three books. */
  readonly digest: string;
  readonly balance: Balance;
  /** The same of each organisation. */
  readonly balances: readonly Balance[];
  readonly kills: number;
  readonly stops: number;
  readonly faults: Readonly<Record<string, number>>;
  /** Names that organisations shared; undefined: there was one. */
  readonly inCommon: InCommon | undefined;
}

/** A run that broke a promise: what, where, and the story of the alert. */
export class BrokenRun extends Error {
  readonly violation: Violation;
  readonly seed: number;
  readonly step: number;
  readonly trail: Trail;

  constructor(
    message: string,
    { cause, at }: { cause: Violation; at: { seed: number; step: number; trail: Trail } },
  ) {
    super(`seed ${at.seed}, step ${at.step}: ${message}`, { cause });
    this.name = 'BrokenRun';
    this.violation = cause;
    this.seed = at.seed;
    this.step = at.step;
    this.trail = at.trail;
  }
}

const HOUR_MS = 3_600_000;
/** Rounds at one moment before it counts as a livelock. */
const ROUNDS_MAX = 2_000;

/** Runs it. @throws BrokenRun */
export async function simulateRun(options: RunOptions): Promise<RunReport> {
  const parts = await prepareRun(options);
  const { members, fleet, clock } = parts;
  const { raw } = options.database;
  const { scheduler } = fleet;
  const startMs = clock.nowMs();
  const uninstall = installSimulation({ scheduler, clock, fetch: parts.edges.fetch });
  try {
    fleet.startUp();
    await live(parts);
    const balances: Balance[] = [];
    const books: unknown[] = [];
    for (const { sandbox, truth, organisationId } of members) {
      const own = await readOwnBook(raw, organisationId);
      balances.push(compareBooks({ sandbox, truth, own }));
      books.push(own, sandbox.charges(), sandbox.patchLog);
    }
    const inCommon = await checkNothingCrossed(raw, members);
    return {
      seed: options.seed,
      alerts: members.reduce((sum, { sandbox }) => sum + sandbox.state.alerts.size, 0),
      weather: parts.weather,
      steps: scheduler.steps,
      simulatedHours: (clock.nowMs() - startMs) / HOUR_MS,
      digest: digestOf(scheduler.digest(), books),
      balance: addBalances(balances),
      balances,
      kills: fleet.kills,
      stops: fleet.stops,
      faults: Object.fromEntries([...parts.edges.struck].sort()),
      inCommon,
    };
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    const trails: Trail[] = [];
    for (const { sandbox, organisationId } of members) {
      trails.push(await readTrail({ raw, sandbox, organisationId }, error.subject));
    }
    const at = { seed: options.seed, step: scheduler.steps, trail: trails.flat() };
    throw new BrokenRun(error.message, { cause: error, at });
  } finally {
    uninstall();
    for (const { sandbox } of members) await sandbox.close();
  }
}

function digestOf(trace: string, books: unknown): string {
  return createHash('sha256').update(trace).update(JSON.stringify(books)).digest('hex');
}

async function live(parts: Parts): Promise<void> {
  const { clock, members, fleet, endMs } = parts;
  const { scheduler } = fleet;
  for (;;) {
    const nextMs = await moment(parts);
    if (clock.nowMs() >= endMs) break;
    const targetMs = Math.min(endMs, Math.max(nextMs, clock.nowMs() + 1));
    await worldActs(parts, advanceAll(members, targetMs - clock.nowMs()));
    scheduler.note('time');
  }
  for (const { watch } of members) await watch.look(clock.nowMs());
}

/** One of them moves the clock that they share; the others do what is due by then. */
async function advanceAll(members: readonly Member[], durationMs: number): Promise<void> {
  for (const [place, { sandbox }] of members.entries()) {
    await (place === 0 ? sandbox.advance(durationMs) : sandbox.settle());
  }
}

/** Lets everything happen that is due now. Returns the next moment, in milliseconds. */
async function moment(parts: Parts): Promise<number> {
  const { members, fleet, edges, tasks } = parts;
  const { scheduler } = fleet;
  fleet.wanted.beginMoment();
  for (let round = 0; round < ROUNDS_MAX; round++) {
    scheduler.fireDue();
    await Promise.all(edges.late);
    await worldActs(parts, advanceAll(members, 0));
    for (const task of tasks.splice(0)) fleet.begin(task);
    const next = fleet.start() > 0 || fleet.isBusyNow() ? undefined : await startWhatIsDue(parts);
    if (next !== undefined) return next;
    await scheduler.drive(() => fleet.isIdle());
    if (fleet.failure !== undefined) throw fleet.failure;
    throwIfBroken(members);
  }
  throw new Violation('livelock', `still busy after ${ROUNDS_MAX} rounds at one moment`);
}

/** Starts what the rows say is due; the next moment when there is nothing. */
async function startWhatIsDue(parts: Parts): Promise<number | undefined> {
  const { clock, fleet } = parts;
  const due = await whatIsDue(parts);
  fleet.wanted.wantFor(due.loops);
  if (fleet.start() > 0) return undefined;
  await fleet.quiet();
  const { grainMs } = parts.weather;
  const nextMs = Math.min(
    // What our processes wait for to the second, rows and deliveries less finely.
    fullMs(fleet.scheduler.nextMs(), 1_000),
    ...parts.members.map((each) => fullMs(each.nextDelivery(clock.nowMs()), grainMs)),
    fullMs(due.nextMs, grainMs),
  );
  fleet.wanted.wantNext(due.later.filter(({ atMs }) => atMs <= nextMs).map(({ name }) => name));
  return nextMs;
}

/** Of all organisations. */
async function whatIsDue({ members, clock, fleet, askDue }: Parts): Promise<Due> {
  const loops: DueLoop[] = [];
  const later: Due['later'][number][] = [];
  for (const { acknowledged } of members) await acknowledged.check();
  const answers = await askDue({
    changesOf: (id, tables) => fleet.changesOf(id, tables),
    nowMs: clock.nowMs(),
  });
  for (const [place, due] of answers.entries()) {
    const named = (name: string): string => loopOf({ index: place }, name);
    loops.push(...due.loops.map((each) => ({ ...each, name: named(each.name) })));
    later.push(...due.later.map((each) => ({ ...each, name: named(each.name) })));
  }
  const times = later.map(({ atMs }) => atMs);
  return { loops, later, nextMs: times.length === 0 ? undefined : Math.min(...times) };
}

/** What is due within a step of the time happens together, at its end. */
function fullMs(atMs: number | undefined, stepMs: number): number {
  return atMs === undefined ? Number.POSITIVE_INFINITY : Math.ceil(atMs / stepMs) * stepMs;
}

/** The world acts, and our receivers answer it. */
async function worldActs({ fleet, members }: Parts, acting: Promise<void>): Promise<void> {
  let isDone = false;
  const end = acting.finally(() => {
    isDone = true;
  });
  end.catch(() => undefined);
  while (!isDone) await fleet.scheduler.drive(() => isDone);
  await end;
  throwIfBroken(members);
}

/** An oracle speaks inside a call of ours, which takes what it throws for a failed call. */
function throwIfBroken(members: readonly Member[]): void {
  for (const { oracle } of members) {
    const broken = oracle.broken();
    if (broken !== undefined) throw broken;
  }
}
