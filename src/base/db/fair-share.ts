/**
 * The connections of one pool, shared fairly between organisations: whoever waits gets the next free one
 * in turn, and none holds more than half of them. However much one organisation has to do, another's next
 * statement waits for connections in use to come back, and never for that organisation's list.
 */
import type pg from 'pg';
import type { OpenDatabase } from './connect.ts';
import { poolThrough } from './for-organisation.ts';

/** Hands out what there is a fixed number of. */
export interface FairShare {
  /** Resolves with the function that gives it back. */
  take(owner: string): Promise<() => void>;
}

/** Where a pool does not say how many connections it has at most: what `pg` takes then. */
const POOL_MAX = 10;

/** Creates a share of `total`, of which one owner has half at most. */
export function createFairShare(total: number): FairShare {
  const ownerMax = Math.max(1, Math.ceil(total / 2));
  const held = new Map<string, number>();
  /** In the order of their turns. */
  const waiting = new Map<string, (() => void)[]>();
  let free = total;

  const grant = (owner: string): void => {
    free -= 1;
    held.set(owner, (held.get(owner) ?? 0) + 1);
  };
  const mayHave = (owner: string): boolean => free > 0 && (held.get(owner) ?? 0) < ownerMax;
  const next = (): void => {
    for (const [owner, line] of [...waiting]) {
      if (free === 0) return;
      if (!mayHave(owner)) continue;
      waiting.delete(owner);
      const first = line.shift();
      // Its next one waits for its next turn.
      if (line.length > 0) waiting.set(owner, line);
      grant(owner);
      first?.();
    }
  };
  const giveBack = (owner: string): void => {
    free += 1;
    const left = (held.get(owner) ?? 1) - 1;
    if (left === 0) held.delete(owner);
    else held.set(owner, left);
    next();
  };
  const holding = (owner: string): (() => void) => {
    let isHeld = true;
    return () => {
      if (isHeld) giveBack(owner);
      isHeld = false;
    };
  };
  return {
    async take(owner): Promise<() => void> {
      if (mayHave(owner) && !waiting.has(owner)) {
        grant(owner);
        return holding(owner);
      }
      await new Promise<void>((resolve) => {
        const line = waiting.get(owner);
        if (line === undefined) waiting.set(owner, [resolve]);
        else line.push(resolve);
      });
      return holding(owner);
    },
  };
}

/** Creates the share of a pool's connections. */
export function shareOfPool(pool: pg.Pool): FairShare {
  return createFairShare(pool.options.max ?? POOL_MAX);
}

/**
 * The same database with one user's share of the connections: for `forOrganisation`, which borrows them
 * from the pool.
 */
export function withShare(
  database: OpenDatabase,
  { share, owner }: { readonly share: FairShare; readonly owner: string },
): OpenDatabase {
  const { pool } = database;
  const connect = async (): Promise<pg.PoolClient> => {
    const giveBack = await share.take(owner);
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
