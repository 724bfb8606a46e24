/**
 * Puts time and chance of our processes under the simulation: what they wait for passes on the moved
 * clock, and what they draw follows from the seed. Whoever is not one of them (the test runner, the
 * PostgreSQL driver) keeps the machine's.
 */
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import type { FixedClock } from '../../src/base/kernel/clock.ts';
import { setCrashHook } from '../../src/base/kernel/crash-point.ts';
import { createRandom } from '../../src/sandbox/ids.ts';
import { currentActor, runAs } from './actor.ts';
import type { Scheduler, Timer } from './scheduler.ts';

/** What the simulation of one run brings. */
export interface Simulated {
  readonly scheduler: Scheduler;
  readonly clock: FixedClock;
  /** Every request that leaves anybody in this process. */
  readonly fetch: typeof globalThis.fetch;
}

/**
 * How long the world waits for us on the machine's clock, in milliseconds. The simulated clock stands
 * meanwhile, and a webhook that a slow machine answers after 5 s would otherwise be another run.
 */
const WORLD_WAITS_MS = 10 * 60_000;

/** One for all: making one for each limit that passes, most of them unheard, costs its stack. */
const TIMED_OUT = new DOMException('The operation timed out', 'TimeoutError');

/** Installs it. Returns the function that gives everything back. */
export function installSimulation({ scheduler, clock, fetch }: Simulated): () => void {
  const real = {
    fetch: globalThis.fetch,
    random: Math.random,
    timeout: AbortSignal.timeout,
    randomBytes: crypto.randomBytes,
    randomInt: crypto.randomInt,
    wait: timers.setTimeout,
    now: performance.now,
  };
  globalThis.fetch = fetch;
  // What our processes do after so many milliseconds of work would else depend on the machine.
  performance.now = () =>
    currentActor() === undefined ? real.now.call(performance) : clock.nowMs();
  Math.random = () => (currentActor()?.random ?? real.random)();
  AbortSignal.timeout = (durationMs) => {
    const actor = currentActor();
    if (actor === undefined) {
      return real.timeout.call(AbortSignal, Math.max(durationMs, WORLD_WAITS_MS));
    }
    const end = new AbortController();
    const abort = (): void => end.abort(TIMED_OUT);
    scheduler.at(clock.nowMs() + durationMs, abort, 'passive');
    return end.signal;
  };
  const drawBytes = (size: number): Buffer => {
    const random = currentActor()?.random;
    if (random === undefined) return real.randomBytes(size);
    return Buffer.from(Uint8Array.from({ length: size }, () => Math.floor(random() * 256)));
  };
  const drawInt = (first: number, second?: number): number => {
    const [min, max] = second === undefined ? [0, first] : [first, second];
    return min + Math.floor((currentActor()?.random ?? real.random)() * (max - min));
  };
  Object.assign(crypto, { randomBytes: drawBytes, randomInt: drawInt });
  const wait = async <Value>(
    durationMs: number,
    value?: Value,
    options?: { readonly signal?: AbortSignal; readonly ref?: boolean },
  ): Promise<Value | undefined> => {
    const actor = currentActor();
    if (actor === undefined) return await real.wait(durationMs, value, options);
    await scheduler.sleep(actor, durationMs, options?.signal);
    return value;
  };
  Object.assign(timers, { setTimeout: wait });
  syncBuiltinESMExports();
  const uninstallTimeouts = installTimeouts(scheduler, clock);
  const uninstallIntervals = installIntervals(scheduler, clock);
  setCrashHook(async (point) => {
    const actor = currentActor();
    if (actor === undefined) return;
    await scheduler.enter({ actor, kind: 'point', label: point, run: () => Promise.resolve() });
  });
  return () => {
    globalThis.fetch = real.fetch;
    performance.now = real.now;
    uninstallIntervals();
    uninstallTimeouts();
    Math.random = real.random;
    AbortSignal.timeout = real.timeout;
    Object.assign(crypto, { randomBytes: real.randomBytes, randomInt: real.randomInt });
    Object.assign(timers, { setTimeout: real.wait });
    syncBuiltinESMExports();
    setCrashHook(undefined);
  };
}

/**
 * The limit that a call sets itself: on the machine's clock, a slow machine would end a call that only
 * waits for its turn here.
 */
function installTimeouts(scheduler: Scheduler, clock: FixedClock): () => void {
  const { setTimeout: begin, clearTimeout: end } = globalThis;
  const planned = new WeakMap<object, Timer>();
  const plan = (
    act: (...given: unknown[]) => void,
    durationMs = 0,
    ...given: unknown[]
  ): object => {
    const actor = currentActor();
    if (actor === undefined) return begin(act, durationMs, ...given);
    const handle = { ref: () => handle, unref: () => handle, hasRef: () => false };
    const fire = (): void => runAs(actor, () => act(...given));
    planned.set(handle, scheduler.at(clock.nowMs() + Math.max(1, durationMs), fire, 'passive'));
    return handle;
  };
  const cancel = (handle: unknown): void => {
    const timer = typeof handle === 'object' && handle !== null ? planned.get(handle) : undefined;
    if (timer === undefined) end(handle as NodeJS.Timeout);
    else scheduler.cancel(timer);
  };
  Object.assign(globalThis, { setTimeout: plan, clearTimeout: cancel });
  return () => void Object.assign(globalThis, { setTimeout: begin, clearTimeout: end });
}

/** What a process does every so often; on the machine's clock, a slow machine would do it between other steps. */
function installIntervals(scheduler: Scheduler, clock: FixedClock): () => void {
  const { setInterval: begin, clearInterval: end } = globalThis;
  const planned = new WeakMap<object, Timer>();
  const repeat = (
    act: (...given: unknown[]) => void,
    durationMs = 0,
    ...given: unknown[]
  ): object => {
    const actor = currentActor();
    if (actor === undefined) return begin(act, durationMs, ...given);
    const handle = { ref: () => handle, unref: () => handle, hasRef: () => false };
    const planNext = (): void => {
      const fire = (): void => {
        if (!actor.alive) return;
        planNext();
        runAs(actor, () => act(...given));
      };
      const atMs = clock.nowMs() + Math.max(1, durationMs);
      planned.set(handle, scheduler.at(atMs, fire, 'passive'));
    };
    planNext();
    return handle;
  };
  const cancel = (handle: unknown): void => {
    const timer = typeof handle === 'object' && handle !== null ? planned.get(handle) : undefined;
    if (timer === undefined) end(handle as NodeJS.Timeout);
    else scheduler.cancel(timer);
  };
  Object.assign(globalThis, { setInterval: repeat, clearInterval: cancel });
  return () => void Object.assign(globalThis, { setInterval: begin, clearInterval: end });
}

/** A whole number drawn from a text and a number: streams that do not depend on each other. */
export function seedOf(seed: number, name: string): number {
  return crypto.createHash('sha256').update(`${seed}/${name}`).digest().readUInt32BE(0);
}

/** A stream of chance of its own, by name. */
export function streamOf(seed: number, name: string): ReturnType<typeof createRandom> {
  return createRandom(seedOf(seed, name));
}
