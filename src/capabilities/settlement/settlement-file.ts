/**
 * Reads the debits of a settlement file: CSV with a header, whose columns a map names. Streams; a line
 * that cannot be read is a problem with its number, and the lines after it continue.
 */
import { createReadStream } from 'node:fs';
import { parse } from 'csv-parse';
import { delimiterOf, readRecord } from '../../base/kernel/csv-record.ts';
import { ConfigError, messageOf } from '../../base/kernel/errors.ts';
import type { AmountForm, UnreadableLine } from '../../base/kernel/file-amount.ts';
import { readAmount } from '../../base/kernel/file-amount.ts';
import { toInstant, withZone } from '../../base/kernel/instant.ts';
import { isCurrencyCode } from '../../base/kernel/money.ts';
import type { SettlementRow } from './settlement.ts';

export const SETTLEMENT_FIELDS = ['arn', 'amount', 'currency', 'date', 'type'] as const;
export type SettlementField = (typeof SETTLEMENT_FIELDS)[number];

export interface SettlementMap {
  /** The header's name of each field. `arn` and `amount` are needed. */
  readonly columns: Readonly<Partial<Record<SettlementField, string>>>;
  /** For files without a currency column. */
  readonly currency?: string | undefined;
  /** Only lines whose `type` is one of these, whatever their case. @default all */
  readonly types?: readonly string[] | undefined;
  /** @default 'decimal' */
  readonly amounts?: AmountForm | undefined;
}

export interface SettlementFile {
  readonly rows: readonly SettlementRow[];
  /** Lines of other types. */
  readonly skipped: number;
  readonly unreadable: readonly UnreadableLine[];
}

/** Lines of one file; a larger one is split by day. */
const LINES_MAX = 1_000_000;

/**
 * Reads the file.
 *
 * @throws {ConfigError} when it cannot be read, or lacks a column that the map names
 */
export async function readSettlementFile(
  path: string,
  map: SettlementMap,
): Promise<SettlementFile> {
  const rows: SettlementRow[] = [];
  const unreadable: UnreadableLine[] = [];
  let skipped = 0;
  let count = 0;
  let places: Places | undefined;
  for await (const { cells, line } of readRecords(path)) {
    count += 1;
    if (count > LINES_MAX) throw new ConfigError(`${path} has over ${LINES_MAX} lines. Split it.`);
    if (places === undefined) {
      places = placesOf(cells, map, path);
      continue;
    }
    const read = readRow({ cells, line, places }, map);
    if (read === undefined) skipped += 1;
    else if ('problem' in read) unreadable.push(read);
    else rows.push(read);
  }
  if (places === undefined) throw new ConfigError(`${path} is empty. Check the file.`);
  return { rows, skipped, unreadable };
}

interface FileRecord {
  readonly cells: readonly string[];
  /** The line of the file on which it begins. */
  readonly line: number;
}

async function* readRecords(path: string): AsyncGenerator<FileRecord> {
  const delimiter = delimiterOf(await headingOf(path));
  const stream = createReadStream(path);
  const parser = parse({ bom: true, info: true, relax_column_count: true, trim: true, delimiter });
  stream.on('error', (error) => parser.destroy(error));
  stream.pipe(parser);
  let lastLine = 0;
  try {
    for await (const read of parser) {
      const { cells, endLine } = readRecord(read);
      const line = lastLine + 1;
      lastLine = endLine;
      if (cells.some((cell) => cell !== '')) yield { cells, line };
    }
  } catch (error) {
    throw unreadable(path, error);
  } finally {
    stream.destroy();
  }
}

/** Bytes in which the heading is. */
const HEADING_BYTES_MAX = 64 * 1024;

async function headingOf(path: string): Promise<string> {
  let text = '';
  try {
    for await (const chunk of createReadStream(path, { end: HEADING_BYTES_MAX })) text += chunk;
  } catch (error) {
    throw unreadable(path, error);
  }
  return text.trimStart().split(/\r?\n/)[0] ?? '';
}

function unreadable(path: string, cause: unknown): ConfigError {
  return new ConfigError(`${path} cannot be read: ${messageOf(cause)}. Check the file.`, { cause });
}

type Places = ReadonlyMap<SettlementField, number>;

function placesOf(header: readonly string[], map: SettlementMap, path: string): Places {
  const places = new Map<SettlementField, number>();
  for (const field of SETTLEMENT_FIELDS) {
    const name = map.columns[field];
    if (name === undefined) continue;
    const place = header.findIndex((column) => column.toLowerCase() === name.toLowerCase());
    if (place === -1) {
      throw new ConfigError(
        `${path} has no column ${JSON.stringify(name)}. Its columns: ${header.join(', ')}.`,
      );
    }
    places.set(field, place);
  }
  for (const field of ['arn', 'amount'] as const) {
    if (!places.has(field))
      throw new ConfigError(`Name the column of ${field}: --column ${field}=NAME.`);
  }
  if (!places.has('currency') && map.currency === undefined) {
    throw new ConfigError('Name the currency: --column currency=NAME, or --currency USD.');
  }
  return places;
}

interface Line {
  readonly cells: readonly string[];
  readonly line: number;
  readonly places: Places;
}

/** Undefined for a line of another type. */
function readRow(
  { cells, line, places }: Line,
  map: SettlementMap,
): SettlementRow | UnreadableLine | undefined {
  const cell = (field: SettlementField): string => cells[places.get(field) ?? -1] ?? '';
  const types = map.types?.map((type) => type.toLowerCase());
  if (types !== undefined && !types.includes(cell('type').toLowerCase())) return undefined;
  const currency = (map.currency ?? cell('currency')).toUpperCase();
  if (!isCurrencyCode(currency)) return { line, problem: 'the currency is no ISO 4217 code' };
  const amountMinor = readAmount(cell('amount'), currency, map.amounts ?? 'decimal');
  if (amountMinor === undefined) return { line, problem: 'the amount is none' };
  const acquirerReferenceNumber = cell('arn').replaceAll(/\s/g, '');
  // Without a figure it is a word, like “Total”.
  if (!/^(?=.*\d)\w{1,40}$/.test(acquirerReferenceNumber)) {
    return { line, problem: 'the acquirer reference number is empty or odd' };
  }
  const date = readDate(cell('date'));
  if (date === undefined) return { line, problem: 'the date is not ISO 8601' };
  return { line, acquirerReferenceNumber, amountMinor, currency, date };
}

/** A day as it is written, a moment in UTC, which is meant where no zone is written; null: empty. Undefined: it is none. */
function readDate(cell: string): string | null | undefined {
  if (cell === '') return null;
  const day = cell.slice(0, 'YYYY-MM-DD'.length);
  if (toInstant(day) === null) return undefined;
  if (cell === day) return day;
  const epochMs = Date.parse(withZone(cell));
  return Number.isNaN(epochMs) ? undefined : new Date(epochMs).toISOString();
}
