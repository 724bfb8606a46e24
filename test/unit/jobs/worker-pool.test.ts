/** Guarantee: a row that hangs holds its own slot and nobody else's, and a loop that stops leaves nothing under way. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Loop } from '../../../src/base/jobs/loop.ts';
import { runEachOnce, startLoop } from '../../../src/base/jobs/loop.ts';
import type { WorkerPool } from '../../../src/base/jobs/worker-pool.ts';
import { createWorkerPool } from '../../../src/base/jobs/worker-pool.ts';
import { createLog } from '../../../src/base/kernel/log.ts';

afterEach(() => void vi.useRealTimers());

/** Due rows in order; each is at work until the test ends it. */
function createRows(names: readonly string[], capacity: number) {
  const due = [...names];
  const begun: string[] = [];
  const claims: number[] = [];
  const gates = new Map<string, () => void>();
  const signals = new Map<string, AbortSignal>();
  const watchers: { readonly name: string; readonly tell: () => void }[] = [];
  const slots = createWorkerPool<string>({
    capacity,
    claim: async (limit) => {
      claims.push(limit);
      return due.splice(0, limit);
    },
    run: async (name, abort) => {
      begun.push(name);
      signals.set(name, abort);
      for (const watcher of watchers) if (watcher.name === name) watcher.tell();
      await new Promise<void>((end) => {
        gates.set(name, end);
        abort.addEventListener('abort', () => end());
      });
    },
  });
  return {
    slots,
    begun,
    claims,
    signals,
    add: (name: string) => void due.push(name),
    end: (name: string) => gates.get(name)?.(),
    /** Resolves when the row is at work. */
    begins: async (name: string) =>
      begun.includes(name)
        ? undefined
        : await new Promise<void>((tell) => void watchers.push({ name, tell })),
  };
}

function loopOf(slots: WorkerPool): Loop {
  // It rests for an hour: whatever continues, continues because a slot became free or somebody woke it.
  return startLoop({ name: 'test', ...slots, idleMs: 3_600_000 }, createLog({ level: 'silent' }));
}

describe('a loop with slots', () => {
  it('continues past a row that hangs, in the order of the claims', async () => {
    const rows = createRows(['hangs', 'a', 'b', 'c'], 2);
    const loop = loopOf(rows.slots);
    for (const name of ['a', 'b', 'c']) {
      await rows.begins(name);
      rows.end(name);
    }
    expect(rows.begun).toEqual(['hangs', 'a', 'b', 'c']);
    expect(rows.claims.every((limit) => limit >= 1 && limit <= 2)).toBe(true);
    rows.end('hangs');
    await loop.stop();
  });

  it('takes what is new while a row hangs, as soon as it is woken', async () => {
    const rows = createRows(['hangs'], 2);
    const loop = loopOf(rows.slots);
    await rows.begins('hangs');
    rows.add('new');
    loop.wake();
    await rows.begins('new');
    rows.end('new');
    rows.end('hangs');
    await loop.stop();
    expect(rows.begun).toEqual(['hangs', 'new']);
  });

  it('stops only when everything under way is done, and takes nothing more', async () => {
    const rows = createRows(['a', 'b', 'later'], 2);
    const loop = loopOf(rows.slots);
    await rows.begins('b');
    let stopped = false;
    const stop = loop.stop().then(() => {
      stopped = true;
    });
    rows.end('a');
    await Promise.resolve();
    expect(stopped).toBe(false);
    rows.end('b');
    await stop;
    expect(rows.begun).toEqual(['a', 'b']);
  });

  it('tells what takes too long to abort: after one call’s time, well before the process must be gone', async () => {
    vi.useFakeTimers();
    const rows = createRows(['slow'], 1);
    const loop = loopOf(rows.slots);
    await rows.begins('slow');
    const stop = loop.stop();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(rows.signals.get('slow')?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(rows.signals.get('slow')?.aborted).toBe(true);
    await stop;
  });
});

describe('looks of a loop with slots', () => {
  it('are as few as possible: none after a claim that was not full, nor after a step that nothing came in for', async () => {
    const rows = createRows(['a'], 2);
    const loop = loopOf(rows.slots);
    await rows.begins('a');
    rows.end('a');
    rows.add('b');
    loop.wake();
    await rows.begins('b');
    rows.end('b');
    await loop.stop();
    expect(rows.claims).toEqual([2, 2]);
  });

  it('are taken after a step during which one was taken: it could not see what came in for its row', async () => {
    const rows = createRows(['a'], 2);
    const loop = loopOf(rows.slots);
    await rows.begins('a');
    loop.wake();
    await vi.waitFor(() => expect(rows.claims).toEqual([2, 1]), 20_000);
    rows.add('a again');
    rows.end('a');
    await rows.begins('a again');
    rows.end('a again');
    await loop.stop();
  });
});

describe('a loop', () => {
  const silent = createLog({ level: 'silent' });

  it('continues at once while its rounds are full, and rests after one that was not', async () => {
    vi.useFakeTimers();
    const found = [8, 8, 3, 8];
    let rounds = 0;
    const runOnce = async (): Promise<number> => found[rounds++] ?? 0;
    const loop = startLoop({ name: 'test', runOnce, fullAt: 8, idleMs: 60_000 }, silent);
    await vi.advanceTimersByTimeAsync(59_999);
    expect(rounds).toBe(3);
    await vi.advanceTimersByTimeAsync(1);
    expect(rounds).toBe(5);
    await loop.stop();
  });

  it('is overdue 20 s after it was woken without a round', async () => {
    vi.useFakeTimers();
    const hanging = Promise.withResolvers<number>();
    const runOnce = (): Promise<number> => hanging.promise;
    const loop = startLoop({ name: 'test', runOnce, idleMs: 60_000 }, silent);
    await vi.advanceTimersByTimeAsync(10_000);
    loop.wake();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(loop.isOverdue()).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    loop.wake();
    expect(loop.isOverdue()).toBe(true);
    hanging.resolve(0);
    await loop.stop();
  });

  it('is overdue when no round has begun for 20 s longer than its idle time', async () => {
    vi.useFakeTimers();
    const hanging = Promise.withResolvers<number>();
    const loop = startLoop(
      { name: 'test', runOnce: () => hanging.promise, idleMs: 60_000 },
      silent,
    );
    await vi.advanceTimersByTimeAsync(80_000);
    expect(loop.isOverdue()).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(loop.isOverdue()).toBe(true);
    hanging.resolve(0);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(loop.isOverdue()).toBe(false);
    await loop.stop();
  });
});

describe('the minute job', () => {
  it('fills free slots, and continues past what hangs and what fails', async () => {
    const rows = createRows(['hangs', 'a', 'b', 'waits'], 3);
    const loop = loopOf(rows.slots);
    await rows.begins('b');
    rows.end('a');
    rows.end('b');
    await rows.begins('waits');
    rows.add('new');
    const done: string[] = [];
    const beside = (name: string, runOnce: () => Promise<number>) => ({ name, runOnce, idleMs: 0 });
    const lines: string[] = [];
    const log = createLog({ destination: { write: (line) => void lines.push(line) } });
    await runEachOnce(
      [
        beside('fails', () => Promise.reject(new Error('the database is away'))),
        { name: 'slots', ...rows.slots, idleMs: 0 },
        beside('deadlines', async () => done.push('deadlines')),
      ],
      log,
    );
    // Neither 'hangs' nor 'waits' has ended.
    expect(rows.begun).toEqual(['hangs', 'a', 'b', 'waits', 'new']);
    expect(done).toEqual(['deadlines']);
    expect(lines.map((line) => JSON.parse(line).loop)).toEqual(['fails']);
    for (const name of rows.begun) rows.end(name);
    await loop.stop();
  });

  it('and the loop, at the same moment, take no more than there are slots', async () => {
    const rows = createRows(['a', 'b', 'c'], 2);
    const ignore = (): void => undefined;
    await Promise.all([rows.slots.runOnce(ignore), rows.slots.runOnce(ignore)]);
    expect(rows.begun).toEqual(['a', 'b']);
    for (const name of rows.begun) rows.end(name);
    await rows.slots.finish();
  });
});

describe('one round by hand', () => {
  it('waits for all it took', async () => {
    const rows = createRows(['a', 'b', 'c'], 2);
    const round = rows.slots.runOnce();
    await rows.begins('b');
    rows.end('a');
    rows.end('b');
    expect(await round).toBe(2);
    expect(rows.begun).toEqual(['a', 'b']);
  });
});
