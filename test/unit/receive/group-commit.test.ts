/**
 * Guarantee: a lone delivery never waits; deliveries that arrive together share a flush; nobody is
 * answered before their flush has ended; and what cannot be stored in time is refused, not kept.
 */
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { GroupCommit, GroupCommitOptions } from '../../../src/alerts/receive/group-commit.ts';
import {
  createGroupCommit,
  StoreUnavailableError,
} from '../../../src/alerts/receive/group-commit.ts';

interface Flight {
  readonly items: readonly number[];
  readonly land: () => void;
  readonly crash: (error: Error) => void;
}

/** A group commit whose flushes end when the test says so. Items are their own size in bytes. */
function controlled(
  options: Partial<
    Pick<GroupCommitOptions<number, string>, 'timeoutMs' | 'waitingMax' | 'pace'>
  > = {},
): {
  commit: GroupCommit<number, string>;
  flights: Flight[];
} {
  const flights: Flight[] = [];
  const commit = createGroupCommit<number, string>({
    flush: (items) =>
      new Promise((resolve, reject) => {
        flights.push({
          items,
          land: () => resolve(items.map((item) => `stored ${item}`)),
          crash: reject,
        });
      }),
    bytesOf: (item) => item,
    ...options,
  });
  return { commit, flights };
}

const settle = (): Promise<void> => new Promise((done) => setImmediate(done));

/** The state of a promise, without waiting for it. */
async function stateOf(promise: Promise<unknown>): Promise<string> {
  const pending = Symbol('pending');
  const value = await Promise.race([
    promise.then(String, () => 'refused'),
    settle().then(() => pending),
  ]);
  return value === pending ? 'pending' : String(value);
}

// No timer runs unless a test moves it: batching needs none.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('batching', () => {
  it('the first item goes out at once, alone', () => {
    const { commit, flights } = controlled();
    void commit.add(1);
    expect(flights.map(({ items }) => items)).toEqual([[1]]);
  });

  it('who arrives while two fly goes out together, when one has landed', async () => {
    const { commit, flights } = controlled();
    const first = commit.add(1);
    void commit.add(2);
    const others = [3, 4, 5].map((item) => commit.add(item));
    expect(flights.map(({ items }) => items)).toEqual([[1], [2]]);
    flights[0]!.land();
    expect(await first).toBe('stored 1');
    expect(flights[2]!.items).toEqual([3, 4, 5]);
    expect(await stateOf(others[0]!)).toBe('pending');
    flights[2]!.land();
    expect(await Promise.all(others)).toEqual(['stored 3', 'stored 4', 'stored 5']);
  });

  /** A flight of so many items, alone in the air. */
  async function flightOf(count: number) {
    const { commit, flights } = controlled();
    for (let item = 0; item < 2 + count; item++) void commit.add(1);
    flights[0]!.land();
    await settle();
    flights[1]!.land();
    await settle();
    expect(flights.map(({ items }) => items.length)).toEqual([1, 1, count]);
    return { flights, add: () => void commit.add(1) };
  }

  it.each([
    [8, 8],
    [20, 20],
    [23, 23],
  ])(
    'beside a flight of %i a second one starts when %i wait, not before',
    async (carried, wait) => {
      const { flights, add } = await flightOf(carried);
      for (let count = 1; count < wait; count++) add();
      expect(flights).toHaveLength(3);
      add();
      expect(flights[3]?.items).toHaveLength(wait);
    },
  );

  it('beside a large flight a second one starts when 24 wait', async () => {
    const { commit, flights } = controlled();
    for (let item = 0; item < 2 + 23; item++) void commit.add(1);
    flights[0]!.land();
    await settle();
    for (let item = 0; item < 30; item++) void commit.add(1);
    // 1, 1, 23; then a third beside them when 24 wait.
    expect(flights.map(({ items }) => items.length)).toEqual([1, 1, 23, 24]);
    flights[1]!.land();
    flights[2]!.land();
    await settle();
    for (let item = 0; item < 17; item++) void commit.add(1);
    expect(flights).toHaveLength(4);
    void commit.add(1);
    expect(flights[4]?.items).toHaveLength(24);
  });

  it('a third flight starts when 24 wait, not when 23 do, and at most four fly at once', () => {
    const { commit, flights } = controlled();
    const sizes = (): number[] => flights.map(({ items }) => items.length);
    for (let count = 0; count < 2 + 23; count++) void commit.add(1);
    expect(sizes()).toEqual([1, 1]);
    void commit.add(1);
    expect(sizes()).toEqual([1, 1, 24]);
    for (let count = 0; count < 24 * 5; count++) void commit.add(1);
    expect(sizes()).toEqual([1, 1, 24, 24]);
  });

  it('at most 256 items', async () => {
    const { commit, flights } = controlled();
    for (let count = 0; count < 2 + 24 * 2 + 300; count++) void commit.add(1);
    flights[0]!.land();
    await settle();
    expect(flights.map(({ items }) => items.length)).toEqual([1, 1, 24, 24, 256]);
  });

  it('at most 1 MB, but always one item', async () => {
    const { commit, flights } = controlled();
    const kilobytes = (count: number): number => count * 1_024;
    for (const size of [1, 1]) void commit.add(size);
    for (const size of [600, 400, 100, 2_000, 10]) void commit.add(kilobytes(size));
    const sizes: number[][] = [];
    for (let flight = 2; flight <= 4; flight++) {
      flights[flight - 2]!.land();
      await settle();
      sizes.push(flights[flight]!.items.map((size) => size / 1_024));
    }
    expect(sizes).toEqual([[600, 400], [100], [2_000]]);
  });

  it('every item is flushed once, in order, whatever lands when', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: 60 }), { maxLength: 20 }), async (bursts) => {
        const { commit, flights } = controlled();
        const results: Promise<string>[] = [];
        let next = 1;
        for (const burst of bursts) {
          for (let count = 0; count < burst; count++) results.push(commit.add(next++));
          flights.find((_, index) => index % 2 === burst % 2)?.land();
          await settle();
        }
        for (let index = 0; index < flights.length; index++) {
          flights[index]!.land();
          await settle();
        }
        expect(flights.flatMap(({ items }) => items)).toEqual(
          Array.from({ length: next - 1 }, (_, index) => index + 1),
        );
        expect(await Promise.all(results)).toEqual(
          Array.from({ length: next - 1 }, (_, index) => `stored ${index + 1}`),
        );
        expect(commit.pending).toBe(0);
      }),
      { numRuns: 50 },
    );
  });
});

describe('a flood beside other organisations', () => {
  beforeEach(() => {
    vi.useFakeTimers({
      toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'],
    });
  });

  function paced(waitingMax?: number) {
    const pace = { arrived: vi.fn(), isFlood: vi.fn(() => true) };
    const opened = controlled({ pace, ...(waitingMax === undefined ? {} : { waitingMax }) });
    const add = (count: number) => Array.from({ length: count }, () => opened.commit.add(1));
    const sizes = (): number[] => opened.flights.map(({ items }) => items.length);
    return { ...opened, pace, add, sizes };
  }

  it('one flush flies at a time, and the next begins 25 ms after it began', async () => {
    const { flights, pace, add, sizes } = paced();
    add(40);
    expect(pace.arrived).toHaveBeenCalledTimes(40);
    expect(sizes()).toEqual([1]);
    flights[0]!.land();
    await settle();
    vi.advanceTimersByTime(24);
    expect(sizes()).toEqual([1]);
    vi.advanceTimersByTime(1);
    expect(sizes()).toEqual([1, 16]);
    // A slow one is waited for.
    vi.advanceTimersByTime(100);
    expect(sizes()).toEqual([1, 16]);
    flights[1]!.land();
    await settle();
    expect(sizes()).toEqual([1, 16, 16]);
  });

  it('a long list goes out in quarters, so that none waits for long', async () => {
    const { commit, flights, add, sizes } = paced();
    const stored = add(1 + 1_000);
    for (let flight = 0; commit.pending > 0; flight++) {
      flights[flight]!.land();
      await settle();
      vi.advanceTimersByTime(25);
    }
    expect(sizes().slice(0, 4)).toEqual([1, 250, 188, 141]);
    // With 25 ms for each, the last one waited for less than half a second.
    expect(sizes().length).toBeLessThan(20);
    expect(await Promise.all(stored)).toHaveLength(1_001);
  });

  it('nothing is paced once a third of the list is full', async () => {
    // Without a pace 200 may wait; 100 more are the pace's.
    const { add, sizes } = paced(200);
    add(1 + 99);
    expect(sizes()).toEqual([1]);
    add(1);
    expect(sizes()).toEqual([1, 100]);
    const answers = await Promise.all(add(200).map(stateOf));
    expect(answers).not.toContain('refused');
  });

  it('nor once a third of its bytes is', async () => {
    const { commit, sizes } = paced(5_000);
    const megabytes = (count: number): number => count * 1_024 * 1_024;
    void commit.add(1);
    for (let count = 0; count < 15; count++) void commit.add(megabytes(2));
    expect(sizes()).toEqual([1]);
    void commit.add(megabytes(2));
    // 32 of 96 MB: as many flights as without a pace.
    expect(sizes()).toEqual([1, 1]);
  });

  it('what was held back goes out when the flood is over', async () => {
    const { flights, pace, add, sizes } = paced();
    add(10);
    pace.isFlood.mockReturnValue(false);
    flights[0]!.land();
    await settle();
    expect(sizes()).toEqual([1, 9]);
  });

  it('drains', async () => {
    const { commit, flights, add } = paced();
    add(2);
    const drained = commit.drain();
    flights[0]!.land();
    await settle();
    expect(await stateOf(drained)).toBe('pending');
    vi.advanceTimersByTime(25);
    flights[1]!.land();
    await drained;
  });
});

describe('failure', () => {
  it('a failed flight fails its own items only', async () => {
    const { commit, flights } = controlled();
    const first = commit.add(1);
    const second = commit.add(2);
    flights[0]!.crash(new Error('connection lost'));
    await expect(first).rejects.toThrow('connection lost');
    await settle();
    flights[1]!.land();
    expect(await second).toBe('stored 2');
  });

  it('a flush that gives too few results refuses those without one', async () => {
    const commit = createGroupCommit<number, string>({ flush: async () => [], bytesOf: () => 1 });
    await expect(commit.add(1)).rejects.toThrow(StoreUnavailableError);
  });

  it('refuses what is beyond the waiting list', async () => {
    const { commit, flights } = controlled({ waitingMax: 2 });
    for (const flying of [0, 1]) void commit.add(flying);
    const waiting = [commit.add(2), commit.add(3)];
    await expect(commit.add(4)).rejects.toThrow(StoreUnavailableError);
    flights[0]!.land();
    await settle();
    flights[2]!.land();
    expect(await Promise.all(waiting)).toEqual(['stored 2', 'stored 3']);
  });

  it('refuses bodies beyond 64 MB, and takes them again when there is room', async () => {
    const { commit, flights } = controlled();
    const size = 1_024 * 1_024;
    for (const flying of [1, 1]) void commit.add(flying);
    for (let count = 0; count < 21; count++) void commit.add(3 * size);
    await expect(commit.add(2 * size)).rejects.toThrow(StoreUnavailableError);
    flights[0]!.land();
    await settle();
    expect(flights[2]!.items).toEqual([3 * size]);
    expect(await stateOf(commit.add(2 * size))).toBe('pending');
  });

  it('drains', async () => {
    const { commit, flights } = controlled();
    await commit.drain();
    void commit.add(1);
    void commit.add(2);
    const drained = commit.drain();
    expect(commit.pending).toBe(2);
    flights[0]!.land();
    await settle();
    expect(await stateOf(drained)).toBe('pending');
    flights[1]!.land();
    await drained;
    expect(commit.pending).toBe(0);
  });
});

describe('a database that does not answer', () => {
  it('everybody is refused within 5 s, flying or waiting, and not before 4', async () => {
    const { commit, flights } = controlled();
    const [flying, besides, waiting] = [commit.add(1), commit.add(2), commit.add(3)];
    vi.advanceTimersByTime(4_000);
    expect(await stateOf(flying)).toBe('pending');
    vi.advanceTimersByTime(1_000);
    for (const refused of [flying, besides, waiting]) {
      await expect(refused).rejects.toThrow(StoreUnavailableError);
    }
    // What was refused while waiting is not stored behind the sender's back.
    for (const flight of flights) flight.land();
    await settle();
    expect(flights).toHaveLength(2);
    expect(commit.pending).toBe(0);
  });

  it('a late item has its own 5 s', async () => {
    const { commit } = controlled();
    const early = commit.add(1);
    vi.advanceTimersByTime(3_000);
    const late = commit.add(2);
    vi.advanceTimersByTime(2_000);
    await expect(early).rejects.toThrow(StoreUnavailableError);
    expect(await stateOf(late)).toBe('pending');
  });
});
