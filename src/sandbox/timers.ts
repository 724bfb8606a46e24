/**
 * Everything that is due later: webhook attempts, order matching, descriptor validation.
 *
 * A timer is data (`kind` and `subject`), so a snapshot can keep it. On a clock that stands still
 * nothing runs until {@link Timers.advanceTo}, which runs what is due in order, each at its own
 * moment; webhooks of one moment go side by side, by receiver. On a running clock timers fire by
 * themselves, several at a time.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Log } from '../base/kernel/log.ts';
import type { SandboxClock } from './sandbox-clock.ts';

export const TIMER_KINDS = [
  'deliver_webhook',
  'match_alert',
  'move_enrolment',
  'answer_lookup',
  'settle_refund',
  'tell_processor_event',
  'late_call',
] as const;
export type TimerKind = (typeof TIMER_KINDS)[number];

/** Something to do at a moment. Equal moments run in the order they were scheduled. */
export interface Timer {
  readonly sequence: number;
  readonly dueMs: number;
  readonly kind: TimerKind;
  readonly subject: string;
}

/** What a timer of each kind does to its subject. */
export type TimerHandlers = Readonly<Record<TimerKind, (subject: string) => void | Promise<void>>>;

export interface Timers {
  schedule(kind: TimerKind, subject: string, dueMs: number): void;
  cancel(kind: TimerKind, subject: string): void;
  /** Moves the clock to `targetMs` and runs everything due on the way, in order. */
  advanceTo(targetMs: number): Promise<void>;
  pending(): readonly Timer[];
  clear(): void;
  /** Stops firing; resolves when what is running has ended. */
  close(): Promise<void>;
}

export interface TimersOptions {
  readonly clock: SandboxClock;
  readonly handlers: TimerHandlers;
  readonly log: Log;
  /** Whose lane a timer runs in, next to those of others; undefined runs alone. */
  laneOf(timer: Timer): string | undefined;
  /** Most that run at once in a lane. */
  readonly atOncePerLane: number;
}

/** How many timers of a running clock run at once, so that a slow receiver does not stop the rest. */
const RUNNING_MAX = 32;

/**
 * Lanes also take what is due this much later, which then runs late by as much at most: on a running
 * clock no two webhooks are due in the same millisecond, and each would wait for the one before.
 */
const MOMENT_MS = 1_000;

/** The longest wait `setTimeout` takes. */
const TIMEOUT_MS_MAX = 2 ** 31 - 1;

export function createTimers(options: TimersOptions): Timers {
  return new TimerQueue(options);
}

class TimerQueue implements Timers {
  readonly #clock: SandboxClock;
  readonly #handlers: TimerHandlers;
  readonly #log: Log;
  readonly #laneOf: TimersOptions['laneOf'];
  readonly #atOncePerLane: number;
  readonly #running = new Set<Promise<void>>();
  #queue: Timer[] = [];
  #sequence = 0;
  #alarm: NodeJS.Timeout | undefined;
  #advancing: Promise<void> = Promise.resolve();
  #advancesWaiting = 0;
  #closed = false;

  constructor(options: TimersOptions) {
    this.#clock = options.clock;
    this.#handlers = options.handlers;
    this.#log = options.log;
    this.#laneOf = options.laneOf;
    this.#atOncePerLane = options.atOncePerLane;
  }

  schedule(kind: TimerKind, subject: string, dueMs: number): void {
    if (this.#closed) return;
    this.#sequence += 1;
    const timer = { sequence: this.#sequence, dueMs, kind, subject };
    this.#queue.splice(this.#placeOf(dueMs), 0, timer);
    if (this.#queue[0] === timer) this.#arm();
  }

  cancel(kind: TimerKind, subject: string): void {
    this.#queue = this.#queue.filter((timer) => timer.kind !== kind || timer.subject !== subject);
  }

  advanceTo(targetMs: number): Promise<void> {
    this.#advancesWaiting += 1;
    const run = this.#advancing.then(async () => {
      try {
        await this.#runUntil(targetMs);
      } finally {
        this.#advancesWaiting -= 1;
        this.#arm();
      }
    });
    this.#advancing = run.catch(() => undefined);
    return run;
  }

  pending(): readonly Timer[] {
    return this.#queue;
  }

  clear(): void {
    this.#queue = [];
    clearTimeout(this.#alarm);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.clear();
    await this.#advancing;
    await Promise.all(this.#running);
  }

  async #runUntil(targetMs: number): Promise<void> {
    for (;;) {
      const next = this.#queue[0];
      if (next === undefined || next.dueMs > targetMs || this.#closed) break;
      const { lanes, lastMs } = this.#takeLanes(Math.min(targetMs, next.dueMs + MOMENT_MS));
      if (lanes.size === 0) this.#queue.shift();
      const momentMs = Math.max(next.dueMs, lastMs);
      if (momentMs > this.#clock.nowMs()) this.#clock.moveTo(momentMs);
      if (lanes.size === 0) await this.#run(next);
      else {
        const run = (timer: Timer): Promise<void> => this.#run(timer);
        await runLanes(lanes.values(), { atOnce: this.#atOncePerLane, run });
      }
    }
    if (targetMs > this.#clock.nowMs()) this.#clock.moveTo(targetMs);
  }

  /** Takes the timers at the front that have a lane and are due by `untilMs`. */
  #takeLanes(untilMs: number): { lanes: ReadonlyMap<string, readonly Timer[]>; lastMs: number } {
    const lanes = new Map<string, Timer[]>();
    let taken = 0;
    let lastMs = 0;
    for (const timer of this.#queue) {
      const name = timer.dueMs > untilMs ? undefined : this.#laneOf(timer);
      if (name === undefined) break;
      const lane = lanes.get(name) ?? [];
      lane.push(timer);
      lanes.set(name, lane);
      taken += 1;
      lastMs = timer.dueMs;
    }
    this.#queue = this.#queue.slice(taken);
    return { lanes, lastMs };
  }

  /** The first place whose timer is due later: equal moments keep their order. */
  #placeOf(dueMs: number): number {
    let low = 0;
    let high = this.#queue.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#queue[middle]?.dueMs ?? 0) <= dueMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #arm(): void {
    clearTimeout(this.#alarm);
    const next = this.#queue[0];
    if (next === undefined || this.#clock.standsStill || this.#closed) return;
    const realMs = (next.dueMs - this.#clock.nowMs()) / this.#clock.rate;
    const waitMs = Math.min(TIMEOUT_MS_MAX, Math.max(0, realMs));
    this.#alarm = setTimeout(() => this.#fire(), waitMs);
    this.#alarm.unref();
  }

  #fire(): void {
    if (this.#advancesWaiting > 0 || this.#closed) return;
    while (this.#running.size < RUNNING_MAX) {
      const next = this.#queue[0];
      if (next === undefined || next.dueMs > this.#clock.nowMs()) break;
      this.#queue.shift();
      const run = this.#run(next).finally(() => {
        this.#running.delete(run);
        this.#arm();
      });
      this.#running.add(run);
    }
    if (this.#running.size < RUNNING_MAX) this.#arm();
  }

  async #run(timer: Timer): Promise<void> {
    try {
      await this.#handlers[timer.kind](timer.subject);
    } catch (error) {
      this.#log.error({ err: error, kind: timer.kind, subject: timer.subject }, 'timer failed');
    }
  }
}

/** Real time after which a receiver no longer counts as prompt. */
const PROMPT_MS = 1_000;

/** How to run a lane's entries. */
interface LaneRule<Entry> {
  /** Most that are under way at once in a lane. */
  readonly atOnce: number;
  run(entry: Entry): Promise<void>;
}

/**
 * Runs what is due at one moment side by side, a lane for each receiver, so that one that hangs does
 * not hold up the others; resolves when all have ended. `run` must not reject.
 *
 * Within its lane everything keeps its order while the receiver answers promptly. Once one answer is
 * long in coming, the rest of the lane no longer waits for it, up to a number at once.
 */
async function runLanes<Entry>(
  lanes: Iterable<readonly Entry[]>,
  rule: LaneRule<Entry>,
): Promise<void> {
  await Promise.all(Array.from(lanes, (lane) => runLane(lane, rule)));
}

async function runLane<Entry>(lane: readonly Entry[], rule: LaneRule<Entry>): Promise<void> {
  const underWay = new Set<Promise<void>>();
  let isPrompt = true;
  for (const entry of lane) {
    const running = rule.run(entry).finally(() => underWay.delete(running));
    underWay.add(running);
    if (isPrompt) isPrompt = await endsPromptly(running);
    while (underWay.size >= rule.atOnce) await Promise.race(underWay);
  }
  await Promise.all(underWay);
}

async function endsPromptly(running: Promise<void>): Promise<boolean> {
  const timer = new AbortController();
  const late = wait(PROMPT_MS, false, { signal: timer.signal }).catch(() => true);
  const ended = await Promise.race([running.then(() => true), late]);
  timer.abort();
  return ended;
}
