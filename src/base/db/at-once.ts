/**
 * How many connections of a pool, and slots for rows at work, are worth using at once. While the process is busy all the time, one
 * more statement at the same time makes none of them quicker: its answer waits until the process reads it, and each session of the
 * server keeps plans and a catalogue of its own. While the process has time to spare, it waits for the server (which is far away, or
 * takes long), and more statements at once get more done.
 *
 * So it is with slots (`../jobs/shared-slots.ts`): a row at work that waits for a processor leaves the process to others; where the
 * process is busy, one more row at work has all of them end later.
 *
 * So it begins with few, and looks again while an organisation waits: twice as many where the process had time to spare, an eighth
 * fewer, and one at least, where it had none.
 */

/** Fewest, where a pool has as many: a long statement of one organisation leaves some to the others until the next look. */
export const AT_ONCE_MIN = 4;

/** Between two looks at connections, in milliseconds. */
export const LOOK_AGAIN_MS = 50;

/** The process has no time to spare from this share of it on. */
const BUSY_FROM = 0.95;

/** It has time to spare below this share. */
const IDLE_BELOW = 0.8;

/** How many at once. */
export interface AtOnce {
  limit(): number;
  /** One is waited for from now on: what the process did before says nothing of it. */
  beginToLook(): void;
  /**
   * Looks at the process since {@link AtOnce.beginToLook}, and says how many it may be now. `isStuck`: none came back for long,
   * so that they may be held by what waits for another one; then it may be more however busy the process is.
   */
  lookAgain(isStuck: boolean): number;
}

/** Tells which share of the time since it was last asked the process was busy, from 0 to 1. */
export type BusyShare = () => number;

/** As Node tells it of its event loop. */
export function busyShareOfProcess(): BusyShare {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}

/** Which part fewer a look says. */
const FEWER = 1 / 8;

/** What it goes by. */
export interface AtOnceOptions {
  /** @default of this process */
  readonly busyShare?: BusyShare;
  /** Used at once in any case. @default {@link AT_ONCE_MIN} */
  readonly least?: number;
}

/** Creates it for `total`. */
export function createAtOnce(total: number, options: AtOnceOptions = {}): AtOnce {
  const { busyShare = busyShareOfProcess() } = options;
  const least = Math.min(total, options.least ?? AT_ONCE_MIN);
  let limit = least;
  return {
    limit: () => limit,
    beginToLook: () => void busyShare(),
    lookAgain(isStuck): number {
      const share = busyShare();
      const fewer = Math.max(1, Math.floor(limit * FEWER));
      if (isStuck || share < IDLE_BELOW) limit = Math.min(total, 2 * limit);
      else if (share >= BUSY_FROM) limit = Math.max(least, limit - fewer);
      return limit;
    },
  };
}

/** None went out or came back for so long: those in use may be held by what waits for another one, in milliseconds. */
const STUCK_MS = 1_000;

/** How many of something may be in use now. */
export interface AtOnceLimit {
  most(): number;
  /** One went out or came back, at that moment of `performance.now()`. */
  moved(atMs: number): void;
  /** Somebody waits: has it looked at again after a while. */
  lookLater(): void;
}

/** How it looks again. */
export interface Looking {
  /** Undefined: all of them, always. */
  readonly atOnce: AtOnce | undefined;
  /** Between two looks, in milliseconds. */
  readonly everyMs: number;
  /** Gives to those that wait. */
  readonly looked: () => void;
}

/** Keeps the limit of `total`, and looks again while somebody waits. */
export function limitAtOnce(total: number, { atOnce, everyMs, looked }: Looking): AtOnceLimit {
  let movedMs = performance.now();
  let timer: NodeJS.Timeout | undefined;
  return {
    most: () => atOnce?.limit() ?? total,
    moved(atMs): void {
      movedMs = atMs;
    },
    lookLater(): void {
      if (atOnce === undefined || timer !== undefined) return;
      atOnce.beginToLook();
      timer = setTimeout(() => {
        timer = undefined;
        atOnce.lookAgain(performance.now() - movedMs >= STUCK_MS);
        looked();
      }, everyMs);
    },
  };
}
