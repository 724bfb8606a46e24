/**
 * One thing at a time, chosen by the seed.
 *
 * Whatever a process of ours asks of the outside waits here until it is let through: a query, a call,
 * a crash point. Only one is under way at any moment, so a run depends on nothing but its seed. Between
 * two of them a process can be killed or stopped. An open transaction goes through without others
 * between its statements (the database would make them wait), and the scheduler waits for nobody inside
 * one: a call to the outside from within a transaction would stand still, and is reported.
 */
import { createHash } from 'node:crypto';
import type { FixedClock } from '../../src/base/kernel/clock.ts';
import type { Random } from '../../src/sandbox/ids.ts';
import type { Actor } from './actor.ts';
import { Violation } from './violation.ts';

/** What a process waits to be let through with. */
export interface Operation<Value> {
  readonly actor: Actor;
  readonly kind: 'query' | 'call' | 'point';
  /** Shown in the trace; it must not hold anything that differs between two runs of a seed. */
  readonly label: string;
  /** The connection whose transaction it belongs to, or would open. */
  readonly session?: object;
  readonly run: () => Promise<Value>;
}

/** What befalls a process at an operation. */
export type Fate =
  | { readonly kind: 'kill'; readonly when: 'before' | 'after' }
  | { readonly kind: 'stop'; readonly when: 'before' | 'after'; readonly durationMs: number }
  | undefined;

/** Parts of a {@link Scheduler}. */
export interface SchedulerOptions {
  readonly clock: FixedClock;
  readonly random: Random;
  /** Decides what befalls the process that is about to be let through. */
  readonly fate: (operation: Waiting) => Fate;
  /** Ends what a killed process held open. */
  readonly onKill: (actor: Actor, session: object | undefined) => void;
}

/** An operation that waits. */
export interface Waiting extends Operation<unknown> {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Something planned for a moment. */
export interface Timer {
  readonly atMs: number;
  readonly fire: () => void;
  readonly kind: 'active' | 'passive';
}

/** Turns of the event loop without anything to let through, after which nothing is on its way. */
const QUIET_TURNS = 12;
/** Notes hashed at once. */
const NOTES_MAX = 1_000;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const never = (): Promise<never> => new Promise(() => undefined);

/** See the file's opening. */
export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #waiting: Waiting[] = [];
  readonly #trace = createHash('sha256');
  /** Not in the trace yet. */
  readonly #noted: string[] = [];
  readonly #texts = new Map<string, number>();
  readonly #timers: Timer[] = [];
  #holder: { readonly session: object; readonly actor: Actor } | undefined;
  /** Operations let through so far. */
  steps = 0;

  constructor(options: SchedulerOptions) {
    this.#options = options;
  }

  /** Waits to be let through, then runs. A killed process waits for ever. */
  enter<Value>(operation: Operation<Value>): Promise<Value> {
    if (!operation.actor.alive) return never();
    return new Promise<Value>((resolve, reject) => {
      this.#waiting.push({ ...operation, resolve: resolve as (value: unknown) => void, reject });
    });
  }

  /** The session has a transaction open from now on. */
  hold(actor: Actor, session: object): void {
    this.#holder = { actor, session };
  }

  /** The session's transaction is over. */
  letGo(session: object): void {
    if (this.#holder?.session === session) this.#holder = undefined;
  }

  /** Whether something waits that could be let through now. */
  hasOpen(): boolean {
    const nowMs = this.#options.clock.nowMs();
    return this.#waiting.some(({ actor }) => actor.stoppedUntilMs <= nowMs);
  }

  isHeldBy(actor: Actor): boolean {
    return this.#holder?.actor === actor;
  }

  /**
   * Does something at a moment of the simulated time. A `passive` one does not make the time stop there:
   * it fires when the time has passed for other reasons (a limit that is hardly ever reached).
   */
  at(atMs: number, fire: () => void, kind: 'active' | 'passive' = 'active'): Timer {
    const timer = { atMs, fire, kind };
    const place = this.#timers.findLastIndex((other) => other.atMs <= atMs) + 1;
    this.#timers.splice(place, 0, timer);
    return timer;
  }

  /** Takes back what {@link at} planned; nothing happens when it has fired. */
  cancel(timer: Timer): void {
    const index = this.#timers.indexOf(timer);
    if (index >= 0) this.#timers.splice(index, 1);
  }

  /** Waits on the simulated time. */
  async sleep(actor: Actor, durationMs: number, signal?: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      this.at(this.#options.clock.nowMs() + Math.max(1, Math.ceil(durationMs)), () => {
        if (actor.alive) resolve();
      });
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  }

  /** The next moment at which something waits for the time; undefined when nothing does. */
  nextMs(): number | undefined {
    return this.#timers.find((timer) => timer.kind === 'active')?.atMs;
  }

  /** Lets everything happen whose moment has come. */
  fireDue(): void {
    const nowMs = this.#options.clock.nowMs();
    const due = this.#timers.findLastIndex((timer) => timer.atMs <= nowMs) + 1;
    for (const { fire } of this.#timers.splice(0, due)) fire();
  }

  /** Lets operations through, one by one, until `isDone` or until nothing more can continue now. */
  async drive(isDone: () => boolean): Promise<void> {
    for (let quiet = 0; quiet < QUIET_TURNS; ) {
      await turn();
      if (isDone() && this.#holder === undefined) return;
      const next = this.#choose();
      quiet = next === undefined ? quiet + 1 : 0;
      if (next !== undefined) await this.#letThrough(next);
    }
    if (this.#holder === undefined) return;
    const { name } = this.#holder.actor;
    throw new Violation('call in transaction', `${name} waits for the outside in a transaction.`);
  }

  /** A digest of everything that was let through, in its order. */
  digest(): string {
    this.#hash();
    return this.#trace.copy().digest('hex');
  }

  /** Notes something in the trace. Statements come again and again: a repeated text is its number. */
  note(text: string): void {
    const known = this.#texts.get(text);
    if (known === undefined) this.#texts.set(text, this.#texts.size);
    this.#noted.push(`${this.#options.clock.nowMs()} ${known ?? text}\n`);
    if (this.#noted.length >= NOTES_MAX) this.#hash();
  }

  #hash(): void {
    this.#trace.update(this.#noted.splice(0).join(''));
  }

  /** The process ends here and now, as by SIGKILL. */
  kill(actor: Actor): void {
    if (!actor.alive) return;
    actor.alive = false;
    this.note(`kill ${actor.name}`);
    const session = this.#holder?.actor === actor ? this.#holder.session : undefined;
    for (let index = this.#waiting.length - 1; index >= 0; index--) {
      if (this.#waiting[index]?.actor === actor) this.#waiting.splice(index, 1);
    }
    this.#options.onKill(actor, session);
    if (session !== undefined) this.letGo(session);
    for (const tell of actor.onDeath) tell();
  }

  #choose(): Waiting | undefined {
    const holder = this.#holder;
    const nowMs = this.#options.clock.nowMs();
    const open = this.#waiting.filter((each) =>
      holder === undefined ? each.actor.stoppedUntilMs <= nowMs : each.session === holder.session,
    );
    const index = open.length < 2 ? 0 : Math.floor(this.#options.random() * open.length);
    const chosen = open[index];
    if (chosen !== undefined) this.#waiting.splice(this.#waiting.indexOf(chosen), 1);
    return chosen;
  }

  async #letThrough(operation: Waiting): Promise<void> {
    this.steps += 1;
    this.note(`${operation.actor.name} ${operation.kind} ${operation.label}`);
    const fate = this.#options.fate(operation);
    if (fate?.kind === 'kill' && fate.when === 'before') return this.kill(operation.actor);
    if (fate?.kind === 'stop' && fate.when === 'before') {
      this.#stop(operation.actor, fate.durationMs);
      this.#waiting.push(operation);
      return;
    }
    let end: () => void;
    try {
      const value = await operation.run();
      end = () => operation.resolve(value);
    } catch (error) {
      end = () => operation.reject(error);
    }
    if (fate?.kind === 'kill') return this.kill(operation.actor);
    if (fate?.kind === 'stop') this.#stop(operation.actor, fate.durationMs, end);
    else end();
  }

  #stop(actor: Actor, durationMs: number, then?: () => void): void {
    const untilMs = this.#options.clock.nowMs() + durationMs;
    actor.stoppedUntilMs = untilMs;
    this.note(`stop ${actor.name} ${durationMs}`);
    this.at(untilMs, () => {
      if (actor.alive) then?.();
    });
  }
}
