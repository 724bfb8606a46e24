/**
 * Where several organisations share a process: whether the deliveries of one are a flood compared with the others'. Its flushes are
 * paced then (`group-commit.ts`). Its senders wait for their answers a little longer and so send less at once, and
 * what is left of the processor and the database is the others'.
 */
import type { Clock } from '../../base/kernel/clock.ts';

/** Deliveries of one organisation that are no flood, however fast they come. */
const BURST = 50;

/** So many more each second are no flood either. */
const PER_SECOND = 50;

/** Beyond this it is not counted, so that a flood is over a second after it ended. */
const LEVEL_MAX = BURST + PER_SECOND;

/** Others are there so long after a delivery of theirs, in milliseconds. */
const THERE_MS = 10_000;

/** While paced: from the beginning of a flush to that of the next, in milliseconds. */
const FLUSH_EVERY_MS = 25;

/** While paced: items of one flush, or this part of the list where that is more, so that none waits for long. */
const FLUSH_ITEMS = 16;
const FLUSH_PART = 0.25;

/** Nothing is paced once this part of the list is full. */
const PACED_PART_MAX = 1 / 3;

/** A list that may be paced is so many times as long: the rest of it is as long as without, so that pacing turns nothing away. */
export const PACED_ROOM = 1.5;

/** One organisation among those that share. */
export interface OwnPace {
  /** A delivery of it has come. */
  arrived(): void;
  isFlood(): boolean;
}

/** What the organisations of a process share. */
export interface FloodPace {
  join(): OwnPace;
}

/** Creates it, before anyone has delivered. */
export function createFloodPace({ nowMs }: Clock): FloodPace {
  /** Who delivered last, and when; and the same of the last one besides. */
  let last: { readonly owner: OwnPace; readonly atMs: number } | undefined;
  let besides = last;
  return {
    join(): OwnPace {
      let level = 0;
      let levelAtMs = nowMs();
      const own: OwnPace = {
        arrived(): void {
          const atMs = nowMs();
          // A clock that is set back counts as one that stood still.
          const passedMs = Math.max(0, atMs - levelAtMs);
          level = Math.max(0, level - (passedMs * PER_SECOND) / 1_000);
          level = Math.min(level + 1, LEVEL_MAX);
          levelAtMs = atMs;
          if (last?.owner !== own) besides = last;
          last = { owner: own, atMs };
        },
        isFlood(): boolean {
          const other = last?.owner === own ? besides : last;
          return level > BURST && other !== undefined && nowMs() - other.atMs < THERE_MS;
        },
      };
      return own;
    },
  };
}

/** A list of items and what it has under way. */
interface Load {
  readonly waiting: number;
  readonly flying: number;
  /** Which part of the list is full, by items or by bytes. */
  readonly full: number;
}

/** Options of {@link createPacedFlushes}. */
export interface PacedFlushesOptions {
  readonly pace: Pick<OwnPace, 'isFlood'>;
  /** Called when the next flush may begin. */
  readonly pump: () => void;
}

/** Says how many items may go out now: 0 during a rest, undefined while nothing is paced. */
export function createPacedFlushes({
  pace,
  pump,
}: PacedFlushesOptions): (load: Load) => number | undefined {
  let rest: NodeJS.Timeout | undefined;
  return ({ waiting, flying, full }) => {
    if (!pace.isFlood() || full >= PACED_PART_MAX) return undefined;
    if (rest !== undefined || flying > 0) return 0;
    rest = setTimeout(() => {
      rest = undefined;
      pump();
    }, FLUSH_EVERY_MS);
    return Math.max(FLUSH_ITEMS, Math.ceil(waiting * FLUSH_PART));
  };
}
