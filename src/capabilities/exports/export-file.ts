/** A file of an export: written under a temporary name, and named once it is whole and on the disk. */
import { open, rename, rm } from 'node:fs/promises';
import { fileWriter, ParquetWriter } from 'hyparquet-writer';
import type { Cell } from '../../base/kernel/csv-cell.ts';
import { csvLine } from '../../base/kernel/csv-cell.ts';
import type { ExportKind, ExportRow, ExportValue } from './export.store.ts';

export const EXPORT_FORMATS = ['parquet', 'ndjson', 'csv'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Name → kind, in the order of the file. */
export type ExportColumns = ReadonlyMap<string, ExportKind>;

/** Rows of one group of a Parquet file: held in memory until they are written. */
const GROUP_ROWS = 20_000;

/** Ends the name of every file that is not whole. */
const UNFINISHED = '.unfinished';

/** Whether it is one of an export's. Others may keep files in the folder too. */
export function isUnfinished(file: string): boolean {
  return /^(?:export\.json|\d{4}-\d\d-\d\d\.\w+)\.\d+\.unfinished$/.test(file);
}

/**
 * Writes a file. What is there under its name stays until the new one is whole, and stays where writing fails.
 *
 * @returns how many rows it holds
 */
export async function writeExportFile(
  path: string,
  format: ExportFormat,
  columns: ExportColumns,
  pages: AsyncIterable<readonly ExportRow[]>,
): Promise<number> {
  return await writeWhole(path, async (under) => await WRITERS[format](under, columns, pages));
}

/** Lets `write` fill a file under another name, which takes the place of the one at `path` once it is on the disk. */
export async function writeWhole<Result>(
  path: string,
  write: (under: string) => Promise<Result>,
): Promise<Result> {
  const under = `${path}.${process.pid}${UNFINISHED}`;
  try {
    const result = await write(under);
    const written = await open(under, 'r+');
    await written.sync().finally(async () => await written.close());
    await rename(under, path);
    return result;
  } catch (error) {
    await rm(under, { force: true });
    throw error;
  }
}

type SchemaElement = ParquetWriter['schema'][number];

type Write = (
  path: string,
  columns: ExportColumns,
  pages: AsyncIterable<readonly ExportRow[]>,
) => Promise<number>;

const WRITERS: Readonly<Record<ExportFormat, Write>> = {
  parquet: writeParquet,
  ndjson: async (path, columns, pages) =>
    await writeLines(path, pages, (row) => `${JSON.stringify(inOrder(columns, row))}\n`),
  csv: async (path, columns, pages) =>
    await writeLines(
      path,
      pages,
      (row) => csvLine([...columns.keys()].map((name) => cellOf(row[name]))),
      csvLine([...columns.keys()]),
    ),
};

async function writeLines(
  path: string,
  pages: AsyncIterable<readonly ExportRow[]>,
  lineOf: (row: ExportRow) => string,
  head = '',
): Promise<number> {
  const file = await open(path, 'w');
  try {
    let rows = 0;
    await file.write(head);
    for await (const page of pages) {
      await file.write(page.map(lineOf).join(''));
      rows += page.length;
    }
    return rows;
  } finally {
    await file.close();
  }
}

function inOrder(columns: ExportColumns, row: ExportRow): object {
  return Object.fromEntries([...columns.keys()].map((name) => [name, row[name] ?? null]));
}

function cellOf(value: ExportValue | undefined): Cell {
  if (value === undefined || value === null) return null;
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'object' && !(value instanceof Date)) return JSON.stringify(value);
  return value;
}

const PARQUET: Readonly<Record<ExportKind, Omit<SchemaElement, 'name'>>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  number: { type: 'INT64' },
  flag: { type: 'BOOLEAN' },
  moment: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MILLIS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
  },
  json: { type: 'BYTE_ARRAY', converted_type: 'JSON' },
};

async function writeParquet(
  path: string,
  columns: ExportColumns,
  pages: AsyncIterable<readonly ExportRow[]>,
): Promise<number> {
  const schema: SchemaElement[] = [
    { name: 'export', num_children: columns.size },
    ...[...columns].map(
      ([name, kind]): SchemaElement => ({ name, repetition_type: 'OPTIONAL', ...PARQUET[kind] }),
    ),
  ];
  const writer = new ParquetWriter({ writer: fileWriter(path), schema, createdBy: 'forestall' });
  const writeGroup = async (group: readonly ExportRow[]): Promise<void> => {
    if (group.length === 0) return;
    const columnData = [...columns].map(([name, kind]) => ({
      name,
      data: group.map((row) => parquetValue(row[name], kind)),
    }));
    await writer.write({ columnData, rowGroupSize: GROUP_ROWS });
  };
  let rows = 0;
  let held: ExportRow[] = [];
  for await (const page of pages) {
    rows += page.length;
    held.push(...page);
    if (held.length < GROUP_ROWS) continue;
    await writeGroup(held);
    held = [];
  }
  await writeGroup(held);
  await writer.finish();
  return rows;
}

function parquetValue(value: ExportValue | undefined, kind: ExportKind): unknown {
  if (value === undefined || value === null) return null;
  return kind === 'number' ? BigInt(Number(value)) : value;
}
