/**
 * The connections of one pool, shared fairly between organisations: anyone who waits gets the next free one
 * in turn, and none holds more than half of them. However much one organisation has to do, another's next
 * statement waits for connections in use to come back, and never for that organisation's list.
 *
 * Of the connections as many are used as are worth using at once (`at-once.ts`).
 *
 * Within an organisation alerts come first: what may wait behind them (its order feed) takes every tenth of its turns
 * while they want all of them.
 *
 * Everything that an organisation does goes through its connections, so that they are also where it gives way: one
 * that has used far more of them lately than another pauses while that one is at work. So a flood takes the time in
 * which no other needs the process, and a small part of the rest.
 */
import type pg from 'pg';
import type { AtOnce } from './at-once.ts';
import { createAtOnce, LOOK_AGAIN_MS, limitAtOnce } from './at-once.ts';
import type { OpenDatabase } from './connect.ts';
import { poolThrough } from './for-organisation.ts';

/** Hands out what there is a fixed number of. */
export interface FairShare {
  /** Resolves with the function that gives it back. `isLater`: it may wait behind what else the owner wants. @default false */
  take(owner: string, isLater?: boolean): Promise<() => void>;
}

/** Where a pool does not say how many connections it has at most: what `pg` takes then. */
const POOL_MAX = 10;

/** Use is forgotten: after so long about a third of it counts, in milliseconds. */
const MEMORY_MS = 5_000;

/** One that wants fewer at once gives way to none: on a slow machine a single alert holds one for long too. */
const MANY = 4;

/** One that used less lately gives way to none, in milliseconds of one connection: a fifth of one, all the time. */
const MODEST_MS = 1_000;

/** Who used more gives way to those that used less than this part of it. */
const MUCH_LESS = 0.5;

/** Between two statements it works on, or waits for others: so long after a connection came back, in milliseconds. */
const AT_WORK_MS = 20;

/** Who used much holds no more than so many while others are there, so that they need not wait for many to come back. */
const FEW = 2;

/** Others are there so long after one of them was at work, in milliseconds. */
const THERE_MS = 1_000;

/** Longest pause, in milliseconds: anyone who waits may hold something that others need. */
const PAUSE_MS_MAX = 1_000;

/** Turns of an owner after which one goes to what may wait behind the others. */
const FIRST_TURNS_MAX = 9;

interface Waiting {
  readonly sinceMs: number;
  readonly grant: () => void;
}

interface Owner {
  held: number;
  readonly waiting: Waiting[];
  /** What may wait behind them. */
  readonly later: Waiting[];
  /** Turns that went to those before it, one after another. */
  firstTurns: number;
  /** How long it held connections, as of `atMs`. */
  usedMs: number;
  atMs: number;
  /** When it gave the last one back. */
  freedMs: number;
}

function newOwner(): Owner {
  const none = { held: 0, waiting: [], later: [], firstTurns: 0 };
  return { ...none, usedMs: 0, atMs: 0, freedMs: Number.NEGATIVE_INFINITY };
}

function wanted({ waiting, later }: Owner): number {
  return waiting.length + later.length;
}

/** The list that its next turn is for. */
function lineOf({ waiting, later, firstTurns }: Owner): Waiting[] {
  const isForLater = waiting.length === 0 || (later.length > 0 && firstTurns >= FIRST_TURNS_MAX);
  return isForLater ? later : waiting;
}

/** Its next one has its turn. */
function takeTurn(owner: Owner): void {
  const line = lineOf(owner);
  owner.firstTurns = line === owner.later ? 0 : owner.firstTurns + 1;
  line.shift()?.grant();
}

function usedMs(owner: Owner, nowMs: number): number {
  return owner.usedMs * Math.exp((owner.atMs - nowMs) / MEMORY_MS);
}

function idleMs(owner: Owner, nowMs: number): number {
  return owner.held > 0 || wanted(owner) > 0 ? 0 : nowMs - owner.freedMs;
}

/** Whether it pauses for one of the others. */
function givesWay(owner: Owner, others: Iterable<Owner>, nowMs: number): boolean {
  const used = usedMs(owner, nowMs);
  if (used <= MODEST_MS || owner.held + wanted(owner) < MANY) return false;
  for (const other of others) {
    if (other === owner) continue;
    const idle = idleMs(other, nowMs);
    const isMeant = idle < AT_WORK_MS && usedMs(other, nowMs) < used * MUCH_LESS;
    if (isMeant || (idle < THERE_MS && owner.held >= FEW)) return true;
  }
  return false;
}

/**
 * Creates a share of `total`, of which one owner has half at most; of as many as are worth using at once, where something
 * says how many those are.
 */
export function createFairShare(total: number, atOnce?: AtOnce): FairShare {
  const limit = limitAtOnce(total, { atOnce, everyMs: LOOK_AGAIN_MS, looked: () => next() });
  const owners = new Map<string, Owner>();
  /** Those that wait, in the order of their turns. */
  const turns = new Set<Owner>();
  let inUse = 0;
  let timer: NodeJS.Timeout | undefined;

  const mayHave = (owner: Owner, sinceMs: number): boolean => {
    if (owner.held >= Math.max(1, Math.ceil(limit.most() / 2))) return false;
    const nowMs = performance.now();
    return nowMs - sinceMs >= PAUSE_MS_MAX || !givesWay(owner, owners.values(), nowMs);
  };
  const giveTurns = (): void => {
    for (const owner of [...turns]) {
      if (inUse >= limit.most()) return;
      const [first] = lineOf(owner);
      if (first === undefined || !mayHave(owner, first.sinceMs)) continue;
      takeTurn(owner);
      turns.delete(owner);
      // Its next one waits for its next turn.
      if (wanted(owner) > 0) turns.add(owner);
    }
  };
  const next = (): void => {
    // Mostly all are busy: then nobody's turn needs a look.
    if (inUse < limit.most()) giveTurns();
    if (turns.size === 0) return;
    limit.lookLater();
    // A pause ends although nothing comes back.
    if (inUse >= limit.most() || timer !== undefined) return;
    timer = setTimeout(() => {
      timer = undefined;
      next();
    }, AT_WORK_MS);
  };
  const hold = (owner: Owner): (() => void) => {
    const sinceMs = performance.now();
    limit.moved(sinceMs);
    let isHeld = true;
    inUse += 1;
    owner.held += 1;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      inUse -= 1;
      owner.held -= 1;
      const nowMs = performance.now();
      limit.moved(nowMs);
      owner.usedMs = usedMs(owner, nowMs) + nowMs - sinceMs;
      owner.atMs = nowMs;
      owner.freedMs = nowMs;
      next();
    };
  };
  return {
    async take(name, isLater = false): Promise<() => void> {
      const owner = owners.get(name) ?? newOwner();
      owners.set(name, owner);
      const sinceMs = performance.now();
      return await new Promise((resolve) => {
        const line = isLater ? owner.later : owner.waiting;
        line.push({ sinceMs, grant: () => resolve(hold(owner)) });
        turns.add(owner);
        next();
      });
    },
  };
}

/** Creates the share of a pool's connections. */
export function shareOfPool(pool: pg.Pool): FairShare {
  const total = pool.options.max ?? POOL_MAX;
  return createFairShare(total, createAtOnce(total));
}

/**
 * The same database with one user's share of the connections: for `forOrganisation`, which borrows them
 * from the pool.
 */
export function withShare(
  database: OpenDatabase,
  use: { readonly share: FairShare; readonly owner: string; readonly isLater?: boolean },
): OpenDatabase {
  const { pool } = database;
  const connect = async (): Promise<pg.PoolClient> => {
    const giveBack = await use.share.take(use.owner, use.isLater);
    try {
      return returning(await pool.connect(), giveBack);
    } catch (error) {
      giveBack();
      throw error;
    }
  };
  return { ...database, pool: poolThrough(pool, connect) };
}

function returning(client: pg.PoolClient, giveBack: () => void): pg.PoolClient {
  // The pool makes this function again each time it hands a connection out.
  const release = client.release;
  client.release = (problem): void => {
    giveBack();
    release(problem);
  };
  return client;
}
