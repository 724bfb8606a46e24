/**
 * Slots for rows at work, shared by the organisations of a process. While there are enough, each takes what it wants, up
 * to half of them. When they are short, each slot that becomes free goes to the one that has the most urgent row of all, and
 * has not half of them already.
 *
 * Of the slots as many are given as are worth filling at once (`at-once.ts`): where rows at work wait for the process itself, one
 * more would make all of them wait longer, and which of them ends first would no longer follow from how urgent it is.
 */
import type { AtOnce } from '../db/at-once.ts';
import { limitAtOnce } from '../db/at-once.ts';
import { messageOf } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';

/** The slots of one organisation. */
export interface OwnSlots {
  /** Resolves with how many it may fill now, `wanted` at most; 0: it waits already, or has left. */
  take(wanted: number): Promise<number>;
  giveBack(count: number): void;
  /** Ends a wait. */
  leave(): void;
}

/** The slots of all. */
export interface SharedSlots {
  of(owner: string): OwnSlots;
}

/** What they are shared by. */
export interface SharedSlotsOptions {
  readonly total: number;
  /** How many are worth filling. @default all */
  readonly atOnce?: AtOnce | undefined;
  /** When the most urgent row of each of these is due, in milliseconds; who has none is left out. */
  readonly urgencies: (owners: readonly string[]) => Promise<ReadonlyMap<string, number>>;
  readonly log: Log;
}

/** Between two looks how many are worth filling, in milliseconds: within less it is chance how busy the process was. */
const LOOK_AT_SLOTS_MS = 500;

/** Creates the slots, all free. */
export function createSharedSlots(options: SharedSlotsOptions): SharedSlots {
  const { total, atOnce, urgencies, log } = options;
  const limit = limitAtOnce(total, {
    atOnce,
    everyMs: LOOK_AT_SLOTS_MS,
    looked: () => void choose(),
  });
  const held = new Map<string, number>();
  /** In the order in which they began to wait. */
  const waiting = new Map<string, (count: number) => void>();
  let used = 0;
  let isChoosing = false;

  const mayTake = (owner: string): number => {
    const most = limit.most();
    return Math.min(most - used, Math.max(1, Math.ceil(most / 2)) - (held.get(owner) ?? 0));
  };
  const grant = (owner: string, count: number): number => {
    limit.moved(performance.now());
    used += count;
    held.set(owner, (held.get(owner) ?? 0) + count);
    return count;
  };
  const end = (owner: string, count: number): void => {
    const resolve = waiting.get(owner);
    waiting.delete(owner);
    resolve?.(count);
  };
  const ask = async (owners: readonly string[]): Promise<ReadonlyMap<string, number>> => {
    try {
      return await urgencies(owners);
    } catch (error) {
      // In the order of their waiting, then: a slot must not stay empty.
      log.warn({ problem: messageOf(error) }, 'the most urgent work could not be asked for');
      return new Map(owners.map((owner, place) => [owner, place]));
    }
  };
  const candidates = (): string[] => [...waiting.keys()].filter((owner) => mayTake(owner) > 0);
  const chooseOnce = async (owners: readonly string[]): Promise<void> => {
    const due = owners.length === 1 ? new Map([[owners[0], 0]]) : await ask(owners);
    for (const owner of owners) if (!due.has(owner)) end(owner, 0);
    const [first] = owners
      .filter((owner) => due.has(owner) && waiting.has(owner) && mayTake(owner) > 0)
      .sort((one, other) => (due.get(one) ?? 0) - (due.get(other) ?? 0));
    if (first !== undefined) end(first, grant(first, 1));
  };
  const choose = async (): Promise<void> => {
    if (isChoosing) return;
    isChoosing = true;
    for (let owners = candidates(); owners.length > 0; owners = candidates()) {
      await chooseOnce(owners);
    }
    isChoosing = false;
    if (waiting.size > 0) limit.lookLater();
  };
  return {
    of: (owner) => ({
      async take(wanted): Promise<number> {
        if (waiting.has(owner)) return 0;
        // One that waits for its own slots to come back blocks no other.
        const now = candidates().length === 0 ? Math.min(wanted, mayTake(owner)) : 0;
        if (now > 0) return grant(owner, now);
        const turn = new Promise<number>((resolve) => void waiting.set(owner, resolve));
        void choose();
        return await turn;
      },
      giveBack(count): void {
        if (count <= 0) return;
        used -= count;
        limit.moved(performance.now());
        const left = (held.get(owner) ?? 0) - count;
        if (left <= 0) held.delete(owner);
        else held.set(owner, left);
        void choose();
      },
      leave: () => end(owner, 0),
    }),
  };
}
