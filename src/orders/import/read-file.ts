/**
 * Reads orders from a file as a stream: CSV with a header, or one JSON object per line.
 *
 * A line that cannot be read is an entry with its problem; the lines after it continue. Memory stays
 * flat however long the file is.
 */

import type { ReadStream } from 'node:fs';
import { createReadStream } from 'node:fs';
import { parse } from 'csv-parse';
import type { Delimiter } from '../../base/kernel/csv-record.ts';
import { DELIMITERS, delimiterOf, readRecord } from '../../base/kernel/csv-record.ts';
import { ConfigError, messageOf } from '../../base/kernel/errors.ts';
import { JSON_PROBLEMS, parseJsonStrict } from '../../service/wire/strict-json.ts';
import type { Problem } from '../submission.ts';
import type { Column } from './csv-order.ts';
import { orderOfRow, readHeader } from './csv-order.ts';

export const IMPORT_FORMATS = ['csv', 'ndjson'] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];

/** Longest line, in bytes: far above any order, and a guard against a file without line ends. */
const LINE_BYTES_MAX = 1024 * 1024;
const LF = 0x0a;

/** One order of the file, or why there is none. Lines count from 1; a CSV header is line 1. */
export type FileEntry =
  | {
      readonly line: number;
      readonly order: unknown;
      /** Puts the names of the file's columns into a text that names paths of the order. */
      readonly inColumns?: (text: string) => string;
    }
  | {
      readonly line: number;
      readonly problems: readonly Problem[];
      /** Null: the line could not be read so far. */
      readonly referenceId?: string | null;
    };

/** A file being read. */
export interface FileReading {
  readonly entries: AsyncIterable<FileEntry>;
  /** Bytes read so far. */
  bytesRead(): number;
}

/** The format the file's name tells, or undefined. */
export function formatOf(path: string): ImportFormat | undefined {
  if (/\.csv$/i.test(path)) return 'csv';
  return /\.(?:ndjson|jsonl|json)$/i.test(path) ? 'ndjson' : undefined;
}

/**
 * Opens `path`.
 *
 * @throws {ConfigError} while reading, when the file cannot be read or its header is unusable
 */
export function readOrderFile(
  path: string,
  format: ImportFormat,
  delimiter?: Delimiter,
): FileReading {
  const stream = createReadStream(path);
  return {
    entries: format === 'csv' ? readCsv(stream, { path, delimiter }) : readLines(stream, path),
    bytesRead: () => stream.bytesRead,
  };
}

async function* readLines(stream: ReadStream, path: string): AsyncGenerator<FileEntry> {
  let line = 0;
  for await (const bytes of splitLines(stream, path)) {
    line += 1;
    if (bytes === undefined) {
      yield {
        line,
        problems: [{ field: '(line)', problem: `is over ${LINE_BYTES_MAX} bytes long` }],
      };
    } else if (bytes.some((byte) => byte > 0x20)) {
      const parsed = parseJsonStrict(bytes);
      yield parsed.ok
        ? { line, order: parsed.value }
        : {
            line,
            problems: [
              { field: '(line)', problem: `cannot be read: ${JSON_PROBLEMS[parsed.reason]}` },
            ],
          };
    }
  }
}

/** Lines without their ends; undefined for one that is too long. */
async function* splitLines(stream: ReadStream, path: string): AsyncGenerator<Buffer | undefined> {
  let pieces: Buffer[] = [];
  let length = 0;
  const take = (): Buffer | undefined => {
    const line = length > LINE_BYTES_MAX ? undefined : Buffer.concat(pieces);
    pieces = [];
    length = 0;
    return line;
  };
  const add = (piece: Buffer): void => {
    length += piece.length;
    if (length <= LINE_BYTES_MAX) pieces.push(piece);
    else pieces = [];
  };
  for await (const chunk of readChunks(stream, path)) {
    let start = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
      add(chunk.subarray(start, end));
      yield take();
      start = end + 1;
    }
    add(chunk.subarray(start));
  }
  if (length > 0) yield take();
}

async function* readChunks(stream: ReadStream, path: string): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of stream) yield Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk);
  } catch (error) {
    throw unreadable(path, error);
  }
}

async function headingOf(path: string): Promise<string> {
  let text = '';
  for await (const chunk of readChunks(createReadStream(path, { end: LINE_BYTES_MAX }), path)) {
    text += chunk.toString('utf8');
    if (text.includes('\n')) break;
  }
  return text.split(/\r?\n/)[0] ?? '';
}

async function* readCsv(
  stream: ReadStream,
  { path, delimiter }: { readonly path: string; readonly delimiter: Delimiter | undefined },
): AsyncGenerator<FileEntry> {
  const parser = parse({
    delimiter: delimiter === undefined ? delimiterOf(await headingOf(path)) : DELIMITERS[delimiter],
    bom: true,
    info: true,
    relax_column_count: true,
    max_record_size: LINE_BYTES_MAX,
  });
  stream.on('error', (error) => parser.destroy(error));
  stream.pipe(parser);
  let columns: readonly Column[] | undefined;
  let lastLine = 0;
  try {
    for await (const read of parser) {
      const { cells: record, endLine } = readRecord(read);
      const line = lastLine + 1;
      lastLine = endLine;
      // An empty line; it counts.
      if (record.length === 1 && record[0] === '') continue;
      if (columns === undefined) {
        columns = columnsOf(record, path);
        continue;
      }
      yield entryOf(columns, record, line);
    }
  } catch (error) {
    throw error instanceof ConfigError ? error : unreadable(path, error);
  } finally {
    stream.destroy();
  }
}

function columnsOf(names: readonly string[], path: string): readonly Column[] {
  const header = readHeader(names);
  if (header.ok) return header.columns;
  throw new ConfigError(
    `${path}: ${header.problem}. Name each column by its field, for example order_number or items[0].name.`,
  );
}

function entryOf(columns: readonly Column[], record: readonly string[], line: number): FileEntry {
  if (record.length !== columns.length) {
    const problem = `has ${record.length} cells, not ${columns.length} as the header`;
    return { line, problems: [{ field: '(line)', problem }] };
  }
  const read = orderOfRow(columns, record);
  if (!read.ok) return { line, problems: read.problems, referenceId: read.referenceId };
  return { line, order: read.order, inColumns: read.inColumns };
}

function unreadable(path: string, error: unknown): ConfigError {
  return new ConfigError(`${path} cannot be read: ${messageOf(error)}. Check the file.`, {
    cause: error,
  });
}
