/**
 * Works on several rows at once, each in a slot of its own: a slot that is free takes the next row,
 * whatever the others are waiting for. One call that hangs holds one slot, not the whole round.
 */

/** What the slots are filled with. */
export interface SlotsOptions<Row> {
  /** Rows worked on at once. */
  readonly capacity: number;
  /** Claims up to `limit` rows that are due, the most urgent first. */
  readonly claim: (limit: number) => Promise<readonly Row[]>;
  /** Works on one. `hurry` is aborted when the process must stop soon: calls end then. Never throws. */
  readonly run: (row: Row, hurry: AbortSignal) => Promise<void>;
}

/** Slots at work: the two halves of a loop that works side by side. */
export interface Slots {
  /**
   * Fills the slots once and waits until these rows are done. With `onFree` it only fills those that
   * are free, waits for one when none is, and calls `onFree` when one is free and more may be due.
   *
   * @returns how many rows were taken; 0 means that nothing more is due
   */
  runOnce(onFree?: () => void): Promise<number>;
  /** Takes no more rows, and waits for those under way; after {@link FINISH_MS} they are told to hurry. */
  finish(): Promise<void>;
}

/**
 * How long work under way may go on after the process was told to stop, in milliseconds: above one call
 * to the outside (10 s), and well below the 20 s in which a process must have stopped.
 */
const FINISH_MS = 12_000;

/** Creates the slots, all free. */
export function createSlots<Row>({ capacity, claim, run }: SlotsOptions<Row>): Slots {
  const running = new Set<Promise<void>>();
  /** Slots for which rows are being claimed: the loop and the minute job may fill at the same moment. */
  let claiming = 0;
  const hurry = new AbortController();
  let isClosed = false;
  /** Claims answered so far, and whether the last one found as many rows as there was room for. */
  let claims = 0;
  let mayBeMore = false;

  const start = (row: Row, onFree: () => void): Promise<void> => {
    const claimsBefore = claims;
    const work = run(row, hurry.signal).finally(() => {
      running.delete(work);
      // A claim answered meanwhile could not see what came in for this very row.
      if (mayBeMore || claims > claimsBefore) onFree();
    });
    running.add(work);
    return work;
  };
  const fill = async (onFree: () => void): Promise<number> => {
    if (running.size >= capacity) await Promise.race(running);
    const free = capacity - running.size - claiming;
    if (isClosed || free <= 0) return 0;
    claiming += free;
    try {
      const rows = await claim(free);
      claims += 1;
      mayBeMore = rows.length >= free;
      for (const row of rows) void start(row, onFree);
      return mayBeMore ? rows.length : 0;
    } finally {
      claiming -= free;
    }
  };

  return {
    async runOnce(onFree): Promise<number> {
      if (onFree !== undefined) return await fill(onFree);
      const rows = await claim(capacity);
      await Promise.all(rows.map((row) => start(row, () => undefined)));
      return rows.length;
    },
    async finish(): Promise<void> {
      isClosed = true;
      const timer = setTimeout(() => hurry.abort(), FINISH_MS);
      await Promise.all(running);
      clearTimeout(timer);
    },
  };
}
