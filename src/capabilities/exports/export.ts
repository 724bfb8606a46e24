/**
 * Rows as files for a data team: one file a table and UTC day. It can be stopped at any moment and run again: a day that is whole
 * is not written again, today's is.
 */
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import type { Db } from '../../base/db/database.ts';
import type { Clock } from '../../base/kernel/clock.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { ConfigError, messageOf } from '../../base/kernel/errors.ts';
import type { ExportRange, ExportTable } from './export.store.ts';
import { columnsOf, EXPORT_TABLES, readRows, readStreamPlace } from './export.store.ts';
import type { BookedFile, ExportBook } from './export-book.ts';
import { openBook, writeBook } from './export-book.ts';
import type { ExportFormat } from './export-file.ts';
import { isUnfinished, writeExportFile } from './export-file.ts';

const DAY_MS = 86_400_000;

/** A day is whole this long after its end, when every transaction of it has ended, in milliseconds. */
export const SETTLED_MS = 60 * 60_000;

/** A file that was not written to for so long was left by a run that is gone, in milliseconds. */
const ABANDONED_MS = 60 * 60_000;

export interface ExportRequest {
  readonly organisationId: string;
  /** First and last UTC day, YYYY-MM-DD. */
  readonly since: string;
  readonly until: string;
  readonly format: ExportFormat;
  readonly folder: string;
  /** With columns that can name a person. */
  readonly withPersonal: boolean;
}

/** A file that was written. */
export interface WrittenFile {
  readonly table: string;
  readonly day: string;
  /** Below the folder. */
  readonly file: string;
  readonly rows: number;
  readonly isWhole: boolean;
}

interface ExportDeps {
  readonly db: Db;
  readonly clock: Clock;
}

/**
 * Writes what is not there yet, and tells each file as it is named.
 *
 * @throws {ConfigError} when the folder cannot be written to, or holds another export
 */
export async function* exportDays(
  deps: ExportDeps,
  request: ExportRequest,
): AsyncGenerator<WrittenFile> {
  const { organisationId, format, folder, withPersonal } = request;
  await makeFolders(folder, deps.clock.nowMs());
  const asked = { organisation_id: organisationId, format, personal: withPersonal };
  const book = await openBook(folder, asked);
  for (const table of EXPORT_TABLES) {
    for (const day of daysOf(request)) {
      const file = `${table.name}/${day}.${format}`;
      if (book.files[file]?.whole === true && existsSync(`${folder}/${file}`)) continue;
      const booked = await writeDay(deps, { request, book, table, day, file });
      book.files[file] = booked;
      await writeBook(folder, book);
      yield { table: table.name, day, file, rows: booked.rows, isWhole: booked.whole };
    }
  }
}

function daysOf({ since, until }: ExportRequest): string[] {
  const count = (Date.parse(until) - Date.parse(since)) / DAY_MS + 1;
  return Array.from({ length: count }, (_, at) =>
    new Date(Date.parse(since) + at * DAY_MS).toISOString().slice(0, 10),
  );
}

/** The folder and those of the tables, without what a run that was killed has left; another one may be writing now. */
async function makeFolders(folder: string, nowMs: number): Promise<void> {
  try {
    for (const directory of [folder, ...EXPORT_TABLES.map(({ name }) => `${folder}/${name}`)]) {
      await mkdir(directory, { recursive: true });
      for (const file of await readdir(directory)) {
        if (!isUnfinished(file)) continue;
        const { mtimeMs } = await stat(`${directory}/${file}`);
        if (mtimeMs < nowMs - ABANDONED_MS) await rm(`${directory}/${file}`, { force: true });
      }
    }
  } catch (cause) {
    throw new ConfigError(
      `${folder} cannot be written to: ${messageOf(cause)}. Give a folder with --out.`,
      { cause },
    );
  }
}

interface Writing {
  readonly request: ExportRequest;
  readonly book: ExportBook;
  readonly table: ExportTable;
  readonly day: string;
  /** Below the folder: those of a table sort by their days. */
  readonly file: string;
}

async function writeDay({ db, clock }: ExportDeps, writing: Writing): Promise<BookedFile> {
  const { request, table, day, file } = writing;
  const { organisationId, format, folder, withPersonal } = request;
  const now = nowDate(clock);
  const from = new Date(day);
  const until = new Date(from.getTime() + DAY_MS);
  const isSettled = now.getTime() >= until.getTime() + SETTLED_MS;
  const stream = table.isStream
    ? await streamRange(db, writing, { from, until })
    : { range: { from, until }, isWhole: true };
  const rows = await writeExportFile(
    `${folder}/${file}`,
    format,
    columnsOf(table, withPersonal),
    readRows(db, table, { organisationId, range: stream.range, withPersonal }),
  );
  return {
    rows,
    whole: isSettled && stream.isWhole,
    written_at: now.toISOString(),
    ...(stream.positions === undefined ? {} : { positions: stream.positions }),
  };
}

interface DayRange {
  readonly range: ExportRange;
  readonly isWhole: boolean;
  readonly positions?: [number, number];
}

/**
 * The positions of a day: behind those of the file before it, and before those of the file after it, whether or not its day is
 * whole. An event that got its position late is in the next file, never in none and never in two.
 *
 * @throws {ConfigError} when the folder has events that the stream does not
 */
async function streamRange(
  db: Db,
  { request, book, file }: Writing,
  { from, until }: { readonly from: Date; readonly until: Date },
): Promise<DayRange> {
  const place = await readStreamPlace(db, {
    organisationId: request.organisationId,
    from,
    until,
  });
  const files = Object.entries(book.files).flatMap(([name, { whole, positions }]) =>
    positions === undefined ? [] : [{ name, whole, positions }],
  );
  const earlier = files.filter(({ name }) => name < file).map(({ positions: [, last] }) => last);
  const later = files.filter(({ name }) => name > file).map(({ positions: [first] }) => first);
  const behind = earlier.length === 0 ? place.first - 1 : Math.max(...earlier);
  // A day that is not whole is written again as the stream is now.
  const kept = files.filter(({ whole }) => whole).map(({ positions: [, last] }) => last);
  const end = Math.max(behind, ...kept);
  if (end > place.end) {
    throw new ConfigError(
      `${request.folder} has events up to position ${end}, and the stream ends at ${place.end}: the database was put back to an earlier state. Give another folder with --out.`,
    );
  }
  const upTo = Math.max(behind, Math.min(place.last, ...later));
  return {
    range: { from: behind + 1, until: upTo + 1 },
    isWhole: !place.isWaiting,
    positions: [behind, upTo],
  };
}
