/**
 * Stores a few chunks of a file at once, and notes what became of them in the order of the file.
 */
import type { FileEntry } from './read-file.ts';

/** Transactions under way at once: with fewer, this process waits for PostgreSQL a third of its time. */
const LANES = 5;

/** What is done with a chunk. */
export interface ChunkWork<Result> {
  store(entries: readonly FileEntry[]): Promise<readonly Result[]>;
  /** Called for one chunk after another, as they are in the file. */
  note(entries: readonly FileEntry[], results: readonly Result[]): Promise<void>;
}

/** Chunks under way. */
export interface Lanes {
  /** Stores a chunk once a lane is free. @throws what an earlier chunk failed with */
  store(entries: readonly FileEntry[]): Promise<void>;
  /** Waits for all of them. @throws what a chunk failed with */
  end(): Promise<void>;
}

interface Chunk<Result> {
  readonly entries: readonly FileEntry[];
  readonly references: readonly string[];
  readonly stored: Promise<readonly Result[]>;
}

/** Creates lanes with nothing under way. */
export function createLanes<Result>(work: ChunkWork<Result>): Lanes {
  const underWay = new Set<Promise<unknown>>();
  const references = new Set<string>();
  let noted: Promise<void> = Promise.resolve();
  let hasFailed = false;
  const note = async (chunk: Chunk<Result>, before: Promise<void>): Promise<void> => {
    try {
      const [, results] = await settled([before, chunk.stored]);
      await work.note(chunk.entries, results);
      for (const reference of chunk.references) references.delete(reference);
    } catch (error) {
      hasFailed = true;
      throw error;
    }
  };
  return {
    async store(entries): Promise<void> {
      const own = entries.flatMap(referenceOf);
      // When two orders have one reference, the earlier line counts.
      if (own.some((reference) => references.has(reference))) await noted;
      while (underWay.size >= LANES) await Promise.race(underWay);
      if (hasFailed) await noted;
      for (const reference of own) references.add(reference);
      noted = note({ entries, references: own, stored: work.store(entries) }, noted);
      // Only waits for it: what it failed with is thrown by `noted`.
      const lane: Promise<unknown> = Promise.allSettled([noted]).then(() => underWay.delete(lane));
      underWay.add(lane);
    },
    end: async (): Promise<void> => await noted,
  };
}

/** Both values, once both have settled: nothing is under way any more when the first failure is thrown. */
async function settled<A, B>(both: readonly [Promise<A>, Promise<B>]): Promise<readonly [A, B]> {
  await Promise.allSettled(both);
  return await Promise.all(both);
}

function referenceOf(entry: FileEntry): string[] {
  if (!('order' in entry) || typeof entry.order !== 'object' || entry.order === null) return [];
  const reference: unknown = Reflect.get(entry.order, 'reference_id');
  return typeof reference === 'string' ? [reference] : [];
}
