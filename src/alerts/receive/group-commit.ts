/**
 * Shares one database round trip, and its COMMIT, between requests that arrive together.
 *
 * There is no timer: the first item is flushed at once, so a lone request waits for nothing. While
 * that flush is under way the list grows, and all that wait go out together with the next one. A
 * second flush starts beside it as soon as as many wait as it carries, so that a few connections keep two
 * at work; further ones only when enough wait to be worth it. Under load batches therefore grow by
 * themselves, and at rest they do not exist.
 *
 * While the items are a flood compared with others' (`flood-pace.ts`), one flush flies at a time, they begin at
 * intervals, and each carries a part of the list, which grows with the list.
 *
 * `add` settles only after the flush that carried its item has settled: nothing is promised before
 * it is durable.
 */
import { KitError } from '../../base/kernel/errors.ts';
import { STORE_TIMEOUT_MS } from '../../base/kernel/limits.ts';
import type { OwnPace } from './flood-pace.ts';
import { createPacedFlushes, PACED_ROOM } from './flood-pace.ts';

/** Most items in one flush: beyond this the statement's own time grows faster than what it saves. */
const FLUSH_ITEMS_MAX = 256;

/** Most bytes in one flush, so that a few large bodies do not hold up the small ones. */
const FLUSH_BYTES_MAX = 1024 * 1024;

/** Flushes under way at once; each holds one connection. */
const FLUSHES_MAX = 4;

/** How many must wait before a third or fourth flush starts, and the most that a second one waits for. */
const FURTHER_FLUSH_ITEMS_MIN = 24;

/** Items waiting before new ones are refused: under a second of work. */
const WAITING_ITEMS_MAX = 5_000;

/** Bytes waiting before new items are refused: as many items of the largest size would fill the memory. */
const WAITING_BYTES_MAX = 64 * 1024 * 1024;

/** How often waiting items are looked at for their age. */
const TICK_MS = 250;

/** The item was not stored in time, or was not even taken: tell the sender to come again. */
export class StoreUnavailableError extends KitError {
  readonly code = 'STORE_UNAVAILABLE';
  readonly retryable = true;
}

/** Options of {@link createGroupCommit}. */
export interface GroupCommitOptions<Item, Result> {
  /** Stores the items and returns one result for each, in their order. A throw fails all of them. */
  readonly flush: (items: readonly Item[]) => Promise<readonly Result[]>;
  readonly bytesOf: (item: Item) => number;
  /** Longest time an item may wait, flush included, in milliseconds. @default 5000 */
  readonly timeoutMs?: number;
  /** @default 5000 */
  readonly waitingMax?: number;
  /** @default 4 */
  readonly flushesMax?: number;
  /** Where others share the process. @default nothing is paced */
  readonly pace?: OwnPace | undefined;
}

/** Takes items one by one and flushes them together. */
export interface GroupCommit<Item, Result> {
  /** @throws {StoreUnavailableError} when too many wait, or this one waited too long */
  add(item: Item): Promise<Result>;
  /** Items that wait for a flush or are in one. */
  readonly pending: number;
  /** Resolves once nothing is pending. */
  drain(): Promise<void>;
}

interface Entry<Item, Result> {
  readonly item: Item;
  readonly bytes: number;
  /** Ticks of {@link TICK_MS} left. */
  ticksLeft: number;
  settled: boolean;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Creates a group commit with an empty list. */
export function createGroupCommit<Item, Result>(
  options: GroupCommitOptions<Item, Result>,
): GroupCommit<Item, Result> {
  const { flush, bytesOf, timeoutMs = STORE_TIMEOUT_MS, flushesMax = FLUSHES_MAX, pace } = options;
  const room = pace === undefined ? 1 : PACED_ROOM;
  const waitingMax = (options.waitingMax ?? WAITING_ITEMS_MAX) * room;
  const waitingBytesMax = (WAITING_BYTES_MAX * waitingMax) / WAITING_ITEMS_MAX;
  // An item that arrives between two ticks lives at most a tick longer than its count.
  const ticks = Math.max(1, Math.floor(timeoutMs / TICK_MS) - 1);
  const waiting: Entry<Item, Result>[] = [];
  const flying = new Set<readonly Entry<Item, Result>[]>();
  const idle: (() => void)[] = [];
  let waitingBytes = 0;
  let timer: NodeJS.Timeout | undefined;

  const pending = (): number =>
    waiting.length + [...flying].reduce((sum, batch) => sum + batch.length, 0);

  const start = async (batch: readonly Entry<Item, Result>[]): Promise<void> => {
    flying.add(batch);
    try {
      const results = await flush(batch.map((entry) => entry.item));
      for (const [index, entry] of batch.entries()) settle(entry, results[index]);
    } catch (error) {
      for (const entry of batch) fail(entry, error);
    } finally {
      flying.delete(batch);
      pump();
    }
  };
  /** How many must wait before the next flush starts. */
  const worthIt = (): number => {
    const [only] = flying;
    if (only === undefined) return 1;
    return flying.size > 1
      ? FURTHER_FLUSH_ITEMS_MIN
      : Math.min(only.length, FURTHER_FLUSH_ITEMS_MIN);
  };
  /** How many may go out now. */
  const mayStart = (): number =>
    paced?.({
      waiting: waiting.length,
      flying: flying.size,
      full: Math.max(waiting.length / waitingMax, waitingBytes / waitingBytesMax),
    }) ?? (waiting.length < worthIt() ? 0 : FLUSH_ITEMS_MAX);
  const pump = (): void => {
    while (waiting.length > 0 && flying.size < flushesMax) {
      const count = mayStart();
      if (count === 0) break;
      const batch = takeBatch(waiting, count);
      waitingBytes -= sumBytes(batch);
      void start(batch);
    }
    if (waiting.length === 0 && flying.size === 0) {
      for (const resolve of idle.splice(0)) resolve();
    }
  };
  const paced = pace === undefined ? undefined : createPacedFlushes({ pace, pump });
  const tick = (): void => {
    if (waiting.length === 0 && flying.size === 0) {
      clearInterval(timer);
      timer = undefined;
      return;
    }
    for (const entry of [...[...flying].flat(), ...waiting]) age(entry);
    // What has been refused is not stored any more; what flies may still be, and is a duplicate then.
    const alive = waiting.filter((entry) => !entry.settled);
    waiting.splice(0, waiting.length, ...alive);
    waitingBytes = sumBytes(alive);
  };
  return {
    add: (item) =>
      new Promise<Result>((resolve, reject) => {
        const bytes = bytesOf(item);
        if (waiting.length >= waitingMax || waitingBytes + bytes > waitingBytesMax) {
          reject(new StoreUnavailableError('Too many deliveries wait for the database.'));
          return;
        }
        waitingBytes += bytes;
        waiting.push({ item, bytes, ticksLeft: ticks, settled: false, resolve, reject });
        timer ??= setInterval(tick, TICK_MS).unref();
        pace?.arrived();
        pump();
      }),
    get pending(): number {
      return pending();
    },
    drain: () =>
      new Promise<void>((resolve) => {
        if (pending() === 0) resolve();
        else idle.push(resolve);
      }),
  };
}

/** Removes the longest run from the front that is within both bounds; at least one item. */
function takeBatch<Entry extends { readonly bytes: number }>(
  waiting: Entry[],
  countMax: number,
): Entry[] {
  let count = 0;
  let bytes = 0;
  for (const entry of waiting) {
    bytes += entry.bytes;
    if (count > 0 && (count >= countMax || bytes > FLUSH_BYTES_MAX)) break;
    count += 1;
  }
  return waiting.splice(0, count);
}

function sumBytes(entries: readonly { readonly bytes: number }[]): number {
  return entries.reduce((sum, entry) => sum + entry.bytes, 0);
}

function settle<Item, Result>(entry: Entry<Item, Result>, result: Result | undefined): void {
  if (entry.settled) return;
  if (result === undefined) {
    fail(entry, new StoreUnavailableError('The store gave no result for a delivery.'));
    return;
  }
  entry.settled = true;
  entry.resolve(result);
}

function fail<Item, Result>(entry: Entry<Item, Result>, error: unknown): void {
  if (entry.settled) return;
  entry.settled = true;
  entry.reject(error);
}

function age<Item, Result>(entry: Entry<Item, Result>): void {
  entry.ticksLeft -= 1;
  if (entry.ticksLeft <= 0)
    fail(entry, new StoreUnavailableError('The database did not answer in time.'));
}
