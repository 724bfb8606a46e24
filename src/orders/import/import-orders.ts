/**
 * Imports a file of orders: streaming, a few chunks at once, and from where it stopped when it was
 * interrupted.
 *
 * Durable after each chunk: its orders, and then, in the order of the file, its rejects and the number of
 * the last line. A chunk done twice changes nothing, because the same order again is no order.
 */
import { createHash } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { inTransaction } from '../../base/db/transaction.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import type { Delimiter } from '../../base/kernel/csv-record.ts';
import { ConfigError, messageOf } from '../../base/kernel/errors.ts';
import type { IntakeDeps } from '../intake.ts';
import { recordOrders } from '../intake.ts';
import { describeResult, isStored } from '../intake-result.ts';
import type { ImportCounts, ImportKey } from './import.store.ts';
import { findUnfinished, saveProgress } from './import.store.ts';
import { createLanes } from './import-lanes.ts';
import type { FileEntry, FileReading, ImportFormat } from './read-file.ts';
import { formatOf, readOrderFile } from './read-file.ts';
import type { Reject, RejectsFile } from './rejects-file.ts';
import { openRejects } from './rejects-file.ts';
import type { Repeats } from './repeats.ts';
import { createRepeats } from './repeats.ts';

/** Orders per transaction. */
const CHUNK = 200;

/** How much of each end of a file tells it from others, in bytes. */
const FINGERPRINT_BYTES = 64 * 1024;

/** What to import, and who wants to know how it goes. */
export interface ImportOptions {
  readonly path: string;
  /** @default by the file's name */
  readonly format?: ImportFormat | undefined;
  /** Between the cells of a CSV file. @default by its heading */
  readonly delimiter?: Delimiter | undefined;
  /** @default the file's path with `.rejects.ndjson` */
  readonly rejectsPath?: string | undefined;
  /** Begins again although an earlier import of this file was interrupted. @default false */
  readonly restart?: boolean;
  readonly onProgress?: (bytesRead: number, bytesTotal: number) => void;
  readonly signal?: AbortSignal;
}

/** What became of the file's orders. */
export interface ImportSummary extends ImportCounts {
  readonly held: number;
  /** The line after which this run began; 0 for a whole file. */
  readonly resumedAfterLine: number;
  /** Null when nothing was rejected. */
  readonly rejectsPath: string | null;
  /** False when the signal ended it; the next run continues. */
  readonly finished: boolean;
}

/** The import under way. */
interface Run {
  readonly deps: IntakeDeps;
  readonly key: ImportKey;
  readonly fileName: string;
  readonly rejects: RejectsFile;
  readonly repeats: Repeats;
  counts: ImportCounts;
  held: number;
}

/**
 * Imports `options.path`.
 *
 * @throws {ConfigError} when the file cannot be read, or its format is not known
 */
export async function importOrders(
  deps: IntakeDeps,
  options: ImportOptions,
): Promise<ImportSummary> {
  const { path } = options;
  const format = options.format ?? formatOf(path);
  if (format === undefined) {
    throw new ConfigError(`${path} is neither .csv nor .ndjson by its name. Give --format.`);
  }
  const { run, bytes } = await begin(deps, options);
  const resumedAfterLine = run.counts.linesDone;
  const finished = await readAll(run, options, {
    reading: readOrderFile(path, format, options.delimiter),
    bytes,
  });
  return {
    ...run.counts,
    held: run.held,
    resumedAfterLine,
    rejectsPath: run.counts.rejected === 0 ? null : run.rejects.path,
    finished,
  };
}

/** Finds out whether an earlier import of the file was interrupted, and continues from there. */
async function begin(
  deps: IntakeDeps,
  { path, restart, rejectsPath }: ImportOptions,
): Promise<{ run: Run; bytes: number }> {
  const { fileKey, bytes } = await fingerprint(path);
  const key = { organisationId: deps.organisationId, fileKey };
  const earlier = restart === true ? undefined : await findUnfinished(deps.db, key);
  const linesDone = earlier?.lines_done ?? 0;
  const run: Run = {
    deps,
    key,
    fileName: basename(path),
    rejects: await openRejects(rejectsPath ?? `${path}.rejects.ndjson`, linesDone),
    repeats: createRepeats(deps.integrationId),
    counts: {
      linesDone,
      accepted: earlier?.accepted ?? 0,
      unchanged: earlier?.unchanged ?? 0,
      rejected: earlier?.rejected ?? 0,
    },
    held: 0,
  };
  return { run, bytes };
}

/** Stores the file, a few chunks at once. False when the signal ended it first. */
async function readAll(
  run: Run,
  { signal, onProgress }: ImportOptions,
  { reading, bytes }: { readonly reading: FileReading; readonly bytes: number },
): Promise<boolean> {
  const linesBefore = run.counts.linesDone;
  const lanes = createLanes<Result>({
    store: (entries) => storeChunk(run, entries),
    note: async (entries, results) => {
      await noteChunk(run, entries, results);
      onProgress?.(reading.bytesRead(), bytes);
    },
  });
  let chunk: FileEntry[] = [];
  let isWhole = true;
  try {
    for await (const read of reading.entries) {
      // Also of lines that an interrupted run has stored.
      const entry = run.repeats.note(read);
      isWhole = signal?.aborted !== true;
      if (!isWhole) break;
      if (entry.line <= linesBefore) continue;
      chunk.push(entry);
      if (chunk.length < CHUNK) continue;
      await lanes.store(chunk);
      chunk = [];
    }
    await lanes.store(chunk);
  } finally {
    await lanes.end();
  }
  if (!isWhole) return false;
  await noteProgress(run, { counts: run.counts, rejects: [], done: true });
  onProgress?.(bytes, bytes);
  return true;
}

async function storeChunk(
  { deps, repeats }: Run,
  chunk: readonly FileEntry[],
): Promise<readonly Result[]> {
  const orders = chunk.flatMap((entry) => ('order' in entry ? [entry.order] : []));
  const context = { ...deps, firstLineOf: repeats.firstLineOf };
  return await inTransaction(deps.db, (trx) => recordOrders(trx, context, orders));
}

/** Notes what became of a chunk. Rejects first: a line rejected twice is found, one never written is lost. */
async function noteChunk(
  run: Run,
  chunk: readonly FileEntry[],
  results: readonly Result[],
): Promise<void> {
  const orders = chunk.flatMap((entry) => ('order' in entry ? [entry] : []));
  const rejects = [...unreadable(chunk), ...refused(orders, results)];
  rejects.sort((a, b) => a.line - b.line);
  const { counts } = run;
  await noteProgress(run, {
    counts: {
      linesDone: chunk.at(-1)?.line ?? counts.linesDone,
      accepted: counts.accepted + results.filter(isNew).length,
      unchanged: counts.unchanged + results.filter(({ kind }) => kind === 'unchanged').length,
      rejected: counts.rejected + rejects.length,
    },
    rejects,
    done: false,
  });
  run.held += results.filter(isHeld).length;
}

async function noteProgress(
  run: Run,
  to: {
    readonly counts: ImportCounts;
    readonly rejects: readonly Reject[];
    readonly done: boolean;
  },
): Promise<void> {
  const { deps, key, fileName } = run;
  const { counts, rejects, done } = to;
  await run.rejects.add(rejects);
  const now = nowDate(deps.clock);
  await saveProgress(deps.db, key, { ...counts, fileName, now, done });
  run.counts = counts;
}

type Result = Awaited<ReturnType<typeof recordOrders>>[number];

function isNew(result: Result): boolean {
  return ['accepted', 'corrected', 'changed'].includes(result.kind);
}

function isHeld(result: Result): boolean {
  return isNew(result) && 'state' in result && result.state === 'HELD';
}

function unreadable(chunk: readonly FileEntry[]): Reject[] {
  return chunk.flatMap((entry) =>
    'problems' in entry
      ? {
          line: entry.line,
          referenceId: entry.referenceId ?? null,
          reasons: entry.problems.map(({ field, problem }) => `${field} ${problem}`),
        }
      : [],
  );
}

function refused(
  orders: readonly Extract<FileEntry, { readonly order: unknown }>[],
  results: readonly Result[],
): Reject[] {
  return results.flatMap((result, index) => {
    const entry = orders[index];
    if (entry === undefined || isStored(result)) return [];
    const { line, inColumns = (text): string => text } = entry;
    const reasons =
      result.kind === 'refused'
        ? result.problems.map(({ field, problem }) => `${inColumns(field)} ${problem}`)
        : [describeResult(result)];
    return { line, referenceId: result.referenceId, reasons };
  });
}

/** Recognises a file by its size and both ends, whatever it is called. */
async function fingerprint(path: string): Promise<{ fileKey: string; bytes: number }> {
  try {
    const { size } = await stat(path);
    const file = await open(path);
    try {
      const hash = createHash('sha256').update(String(size));
      for (const position of [0, Math.max(0, size - FINGERPRINT_BYTES)]) {
        const { buffer, bytesRead } = await file.read({
          buffer: Buffer.alloc(FINGERPRINT_BYTES),
          position,
        });
        hash.update(buffer.subarray(0, bytesRead));
      }
      return { fileKey: hash.digest('hex'), bytes: size };
    } finally {
      await file.close();
    }
  } catch (error) {
    throw new ConfigError(`${path} cannot be read: ${messageOf(error)}. Check the path.`, {
      cause: error,
    });
  }
}
