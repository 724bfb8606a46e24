/**
 * Works on several rows at once, each in a slot of its own: a slot that is free takes the next row,
 * whatever the others wait for. One call that hangs holds one slot, not the whole round.
 */

import type { OwnSlots } from './shared-slots.ts';

/** What a pool works with. */
export interface WorkerPoolOptions<Row> {
  /** Rows worked on at once. */
  readonly capacity: number;
  /** Claims up to `limit` rows that are due, the most urgent first. */
  readonly claim: (limit: number) => Promise<readonly Row[]>;
  /** Works on one. `abort` fires when the process must stop soon: calls end then. Never throws. */
  readonly run: (row: Row, abort: AbortSignal) => Promise<void>;
  /** Where several organisations share slots: each row needs one of these too. */
  readonly slots?: OwnSlots | undefined;
}

/** A pool at work: the two halves of a loop that works side by side. */
export interface WorkerPool {
  /**
   * Fills the slots once and waits until these rows are done. With `onSlotFree` it only fills those that
   * are free, waits for one when none is, and calls `onSlotFree` when one is free and more may be due.
   *
   * @returns how many rows were taken; 0 means that nothing more is due
   */
  runOnce(onSlotFree?: () => void): Promise<number>;
  /** Takes no more rows, and waits for those under way; after {@link FINISH_MS} they are aborted. */
  finish(): Promise<void>;
}

/**
 * How long work under way may continue after the process began to stop, in milliseconds: above one call
 * to the outside (10 s), and well below the 20 s in which a process must have stopped.
 */
const FINISH_MS = 12_000;

/** Creates a pool whose slots are all free. */
export function createWorkerPool<Row>({
  capacity,
  claim,
  run,
  slots,
}: WorkerPoolOptions<Row>): WorkerPool {
  const running = new Set<Promise<void>>();
  /** Slots for which rows are being claimed: the loop and the minute job may fill at the same moment. */
  let claiming = 0;
  const stopping = new AbortController();
  let isClosed = false;
  /** Claims answered so far, and whether the last one found as many rows as there was room for. */
  let claims = 0;
  let mayBeMore = false;

  const start = (row: Row, onSlotFree: () => void): Promise<void> => {
    const claimsBefore = claims;
    const work = run(row, stopping.signal).finally(() => {
      running.delete(work);
      // A claim answered meanwhile could not see what came in for this very row.
      if (mayBeMore || claims > claimsBefore) onSlotFree();
    });
    running.add(work);
    return work;
  };
  const fill = async (onSlotFree: () => void): Promise<number> => {
    if (running.size >= capacity) await Promise.race(running);
    const free = capacity - running.size - claiming;
    if (isClosed || free <= 0) return 0;
    claiming += free;
    try {
      const given = slots === undefined ? free : await slots.take(free);
      if (given === 0) return 0;
      const rows = await claimGiven(given);
      claims += 1;
      mayBeMore = rows.length >= given;
      for (const row of rows) void start(row, onSlotFree).finally(() => slots?.giveBack(1));
      return mayBeMore ? rows.length : 0;
    } finally {
      claiming -= free;
    }
  };
  /** Claims as many rows as there are slots; those for which there is no row go back. */
  const claimGiven = async (given: number): Promise<readonly Row[]> => {
    let used = 0;
    try {
      const rows = isClosed ? [] : await claim(given);
      used = rows.length;
      return rows;
    } finally {
      slots?.giveBack(given - used);
    }
  };

  return {
    async runOnce(onSlotFree): Promise<number> {
      if (onSlotFree !== undefined) return await fill(onSlotFree);
      const rows = await claim(capacity);
      // One that waits for all of them shares with none.
      await Promise.all(rows.map((row) => start(row, () => undefined)));
      return rows.length;
    },
    async finish(): Promise<void> {
      isClosed = true;
      slots?.leave();
      const timer = setTimeout(() => stopping.abort(), FINISH_MS);
      await Promise.all(running);
      clearTimeout(timer);
    },
  };
}
