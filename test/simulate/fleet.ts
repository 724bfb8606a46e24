/**
 * Our processes: as many workers and receivers as replicas, killed, stopped and started again as the
 * seed says, with the rounds of their loops that are under way.
 */
import type { RequestListener } from 'node:http';
import type { Kysely } from 'kysely';
import type { Database } from '../../src/base/db/database.ts';
import { forOrganisation } from '../../src/base/db/for-organisation.ts';
import type { LoopSpec } from '../../src/base/jobs/loop.ts';
import type { FixedClock } from '../../src/base/kernel/clock.ts';
import type { Random } from '../../src/sandbox/ids.ts';
import type { Actor } from './actor.ts';
import { runAs } from './actor.ts';
import type { Member } from './member.ts';
import type { ReplicaOptions, Worker } from './replica.ts';
import { createReceiver, createWorker, loopOf } from './replica.ts';
import type { Fate, Waiting } from './scheduler.ts';
import { Scheduler } from './scheduler.ts';
import type { SimulatedDatabaseOptions } from './simulated-database.ts';
import { rollBackSession, simulatedSource } from './simulated-database.ts';
import { streamOf } from './simulated-time.ts';
import { Wanted } from './wanted.ts';
import type { Weather } from './weather.ts';
import { oneOf } from './weather.ts';
import type { Wire } from './wire.ts';

/** Parts of the fleet. */
export interface FleetOptions {
  readonly seed: number;
  readonly replicas: number;
  /** The connection of our processes. */
  readonly own: Wire;
  readonly clock: FixedClock;
  readonly weather: Weather;
  /** Nobody is killed or stopped from this moment on, in milliseconds. */
  readonly calmFromMs: number;
  readonly shared: ReplicaOptions;
}

/** How much likelier a process is hit at a crash point or a call than at a query. */
const EXPOSURE = { query: 0.1, call: 1, point: 3 } as const;
const RESTARTS_AFTER_MS = [1_000, 20_000, 90_000];
/** Longer than a worker takes to start. */
const DEPLOY_STEP_MS = 120_000;
/** A failed round is tried again after this, as a loop of the product does. */
const FAILED_ROUND_MS = 1_000;
const POLL = 'reconcile';
/** In the place of a table: all of them. */
const ANY_TABLE = '*';

/** Where merchants and operators of an organisation reach us; it never dies. */
export interface Office {
  readonly actor: Actor;
  readonly db: Kysely<Database>;
}

/** See the file's opening. */
export class Fleet {
  readonly scheduler: Scheduler;
  /** Loops to be started. */
  readonly wanted: Wanted;
  /** In the order of the organisations. */
  readonly offices: readonly Office[];
  /** What went wrong where nothing may. */
  failure: unknown;
  kills = 0;
  stops = 0;
  readonly #options: FleetOptions;
  readonly #database: SimulatedDatabaseOptions;
  readonly #chaos: Random;
  readonly #choice: Random;
  readonly #workers: Worker[] = [];
  readonly #receivers: { readonly actor: Actor; readonly listener: RequestListener }[] = [];
  readonly #whenQuiet: (() => Promise<void>)[] = [];
  #everything = false;
  /** By the poll of each organisation. */
  readonly #pollAgainMs = new Map<string, number>();
  /** By organisation and table. */
  readonly #changes = new Map<string, Map<string, number>>();
  #started = 0;
  #running = 0;

  constructor(options: FleetOptions) {
    this.#options = options;
    this.wanted = new Wanted(options.clock);
    this.#chaos = streamOf(options.seed, 'chaos');
    this.#choice = streamOf(options.seed, 'choice');
    this.scheduler = new Scheduler({
      clock: options.clock,
      random: streamOf(options.seed, 'order'),
      fate: (operation) => this.#fateOf(operation),
      onKill: (actor, session) => this.#onKill(actor, session),
    });
    this.#database = {
      scheduler: this.scheduler,
      own: options.own,
      fault: (actor, text) => this.#statementFault(actor, text),
      onWake: (told) => this.wake(told),
      onChange: (organisationId, tables) => this.#noteChange(organisationId, tables),
    };
    this.offices = options.shared.members.map((member) => this.#openOffice(member));
    for (const member of options.shared.members) {
      this.#pollAgainMs.set(loopOf(member, POLL), 0);
      this.#changes.set(member.organisationId, new Map());
    }
  }

  /** What they draw is the same in every organisation, as long as the same happens: so they share their names. */
  #openOffice(member: Member): Office {
    const actor = { ...this.#actor('office', 'work'), name: loopOf(member, 'office') };
    const opened = simulatedSource(this.#database, actor).open({ log: this.#options.shared.log });
    return { actor, db: forOrganisation(opened, member.organisationId).db };
  }

  /** Starts everybody, once time and chance are simulated: what they draw from is chosen here. */
  startUp(): void {
    for (let index = 0; index < this.#options.replicas; index++) {
      this.#startWorker();
      this.#startReceiver();
    }
  }

  /** A deploy: each worker is ended and another one started in its place, one after the other. */
  deploy(): void {
    const nowMs = this.#options.clock.nowMs();
    for (const [place, { actor }] of this.#workers.entries()) {
      this.scheduler.at(nowMs + place * DEPLOY_STEP_MS, () => this.scheduler.kill(actor));
    }
  }

  /** Receivers that are up. */
  receivers(): readonly { readonly actor: Actor; readonly listener: RequestListener }[] {
    return this.#receivers.filter(({ actor }) => actor.alive);
  }

  /** At the next start, every loop is started whatever seems due. */
  runEverything(): void {
    this.#everything = true;
  }

  /** Does something once nothing is left to do at a moment. */
  whenQuiet(act: () => Promise<void>): void {
    this.#whenQuiet.push(act);
  }

  async quiet(): Promise<void> {
    for (const act of this.#whenQuiet.splice(0)) await act();
  }

  /**
   * Starts what is wanted, each on a worker of the seed's choice, now and then on two at once.
   * Answers how much was started, tasks of others included.
   */
  start(): number {
    if (this.#everything) this.wanted.want(this.#workers[0]?.loops.map(({ name }) => name) ?? []);
    this.#everything = false;
    for (const name of [...this.wanted.take(), ...this.#duePolls()]) {
      const free = this.#workers.filter((worker) => this.#isFree(worker, name));
      if (free.length === 0) continue;
      const first = oneOf(this.#choice, free);
      const second = free.find((worker) => worker !== first);
      this.#startRound(first, name);
      if (second !== undefined && !this.#pollAgainMs.has(name) && this.#choice() < 0.3) {
        this.#startRound(second, name);
      }
    }
    const started = this.#started;
    this.#started = 0;
    return started;
  }

  /** Begins something that is not a loop's round. */
  begin(work: () => Promise<void>): void {
    this.#running += 1;
    this.#started += 1;
    const end = (): void => {
      this.#running -= 1;
    };
    work().then(end, (error: unknown) => {
      this.failure ??= error;
      end();
    });
  }

  /** Nothing is under way, what a round left behind included. */
  isIdle(): boolean {
    return this.#running === 0 && !this.scheduler.hasOpen();
  }

  /** Something is under way that could continue at this moment. */
  isBusyNow(): boolean {
    return this.scheduler.hasOpen();
  }

  /**
   * Something came up for the loops of the topic, of one organisation where it is named: what they found before does not
   * count any more.
   */
  wake(told: string): void {
    const [topic = '', organisationId] = told.split(':');
    for (const { name, wakeOn, ...loop } of this.#workers[0]?.loops ?? []) {
      if (wakeOn?.includes(topic) !== true) continue;
      if (organisationId !== undefined && organisationId !== loop.organisationId) continue;
      this.wanted.renew(name);
    }
  }

  /** How often rows of these tables may have changed, in an organisation; without tables: rows of any. */
  changesOf(organisationId: string, tables: readonly string[] = [ANY_TABLE]): number {
    const counts = this.#changes.get(organisationId);
    return tables.reduce((sum, table) => sum + (counts?.get(table) ?? 0), 0);
  }

  /** Whoever acts for several, or for none in particular, may have changed rows of each. */
  #noteChange(actsFor: string, tables: readonly string[]): void {
    const named = this.#changes.get(actsFor);
    for (const counts of named === undefined ? this.#changes.values() : [named]) {
      for (const table of [...tables, ANY_TABLE]) counts.set(table, (counts.get(table) ?? 0) + 1);
    }
  }

  #duePolls(): readonly string[] {
    const nowMs = this.#options.clock.nowMs();
    return [...this.#pollAgainMs].filter(([, atMs]) => nowMs >= atMs).map(([name]) => name);
  }

  #isFree({ actor, busy, restsUntilMs }: Worker, name: string): boolean {
    const nowMs = this.#options.clock.nowMs();
    if (!actor.alive || actor.stoppedUntilMs > nowMs || busy.has(name)) return false;
    return (restsUntilMs.get(name) ?? 0) <= nowMs;
  }

  #startRound(worker: Worker, name: string): void {
    const spec = worker.loops.find((loop) => loop.name === name);
    if (spec === undefined) {
      this.wanted.spend(name);
      return;
    }
    worker.busy.add(name);
    this.#running += 1;
    this.#started += 1;
    if (this.#pollAgainMs.has(name)) this.#planPoll(name, spec.idleMs);
    void runAs(worker.actor, () => this.#round(worker, spec));
  }

  /** One process polls for all; the others would find its lease. */
  #planPoll(name: string, idleMs: number): void {
    const atMs = this.#options.clock.nowMs() + idleMs;
    this.#pollAgainMs.set(name, atMs);
    this.scheduler.at(atMs, () => undefined);
  }

  async #round(worker: Worker, spec: LoopSpec): Promise<void> {
    try {
      const done = await spec.runOnce();
      if (done === 0) this.wanted.spend(spec.name);
    } catch {
      this.#rest(worker, spec.name, FAILED_ROUND_MS);
    }
    worker.busy.delete(spec.name);
    this.#running -= 1;
  }

  #rest({ restsUntilMs }: Worker, name: string, durationMs: number): void {
    const untilMs = this.#options.clock.nowMs() + durationMs;
    restsUntilMs.set(name, untilMs);
    this.scheduler.at(untilMs, () => undefined);
  }

  #actor(name: string, role: Actor['role']): Actor {
    const random = streamOf(this.#options.seed, name);
    return { name, role, random, alive: true, stoppedUntilMs: 0, onDeath: [] };
  }

  #startWorker(): void {
    const actor = this.#actor(`work${this.kills}.${this.#workers.length}`, 'work');
    const source = simulatedSource(this.#database, actor);
    const worker = runAs(actor, () => createWorker(this.#options.shared, actor, source));
    this.#workers.push(worker);
    actor.onDeath.push(() => {
      this.#running -= worker.busy.size;
      this.#workers.splice(this.#workers.indexOf(worker), 1);
    });
  }

  #startReceiver(): void {
    const actor = this.#actor(`serve${this.kills}.${this.#receivers.length}`, 'serve');
    const source = simulatedSource(this.#database, actor);
    const receiver = runAs(actor, () => createReceiver(this.#options.shared, actor, source));
    this.#receivers.push(receiver);
    actor.onDeath.push(() => void this.#receivers.splice(this.#receivers.indexOf(receiver), 1));
  }

  #isSafe(actor: Actor): boolean {
    const isOffice = this.offices.some((office) => office.actor === actor);
    return isOffice || this.#options.clock.nowMs() >= this.#options.calmFromMs;
  }

  /** Somebody must be there to raise alarms: that is what replicas are for. */
  #isAnotherUp(actor: Actor): boolean {
    const nowMs = this.#options.clock.nowMs();
    return this.#workers.some(
      (other) => other.actor !== actor && other.actor.stoppedUntilMs <= nowMs,
    );
  }

  #fateOf({ actor, kind, label }: Waiting): Fate {
    if (this.#isSafe(actor)) return undefined;
    const { weather } = this.#options;
    const drawn = this.#chaos() / EXPOSURE[kind];
    if (drawn < weather.kills)
      return { kind: 'kill', when: oneOf(this.#chaos, ['before', 'after']) };
    const isPlace =
      weather.stopPoint === undefined ? kind !== 'query' : label === weather.stopPoint;
    const mayStop = isPlace && actor.role === 'work' && !this.scheduler.isHeldBy(actor);
    if (!mayStop || !this.#isAnotherUp(actor) || drawn >= weather.kills + weather.stops)
      return undefined;
    this.stops += 1;
    const when = oneOf(this.#chaos, ['before', 'after'] as const);
    return { kind: 'stop', when, durationMs: oneOf(this.#chaos, weather.stopsForMs) };
  }

  #statementFault(actor: Actor, text: string): 'lost_before' | 'lost_after' | undefined {
    if (this.#isSafe(actor)) return undefined;
    const share = this.#options.weather.lostConnections * (text === 'commit' ? 5 : 1);
    if (this.#chaos() >= share) return undefined;
    return oneOf(this.#chaos, ['lost_before', 'lost_after']);
  }

  #onKill(actor: Actor, session: object | undefined): void {
    rollBackSession(session);
    this.kills += 1;
    const afterMs = oneOf(this.#chaos, RESTARTS_AFTER_MS);
    this.scheduler.at(this.#options.clock.nowMs() + afterMs, () => {
      if (actor.role === 'work') this.#startWorker();
      else this.#startReceiver();
    });
  }
}
