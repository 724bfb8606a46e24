/**
 * CSV (RFC 4180), written as it is read, whatever its length.
 *
 * A cell that a spreadsheet would take for a formula begins with an apostrophe: descriptors and notes
 * come from outside. A number of ours stays one, also below zero.
 */
import { once } from 'node:events';
import type { Response } from 'express';
import type { Money } from '../../base/kernel/money.ts';
import { formatMoney } from '../../base/kernel/money.ts';

/** A number of ours with its exact digits, which may be below zero. */
export interface Decimal {
  readonly decimal: string;
}

/** What a cell may be. */
export type Cell = string | number | Date | Decimal | null;

/** A file that is written. */
export interface CsvFile {
  /** Offered by the browser. */
  readonly name: string;
  readonly columns: readonly string[];
  /** Its lines, as they are read. */
  readonly pages: AsyncIterable<readonly (readonly Cell[])[]>;
}

/** Answers with the file. A reader who goes away ends it. */
export async function sendCsv(
  response: Response,
  { name, columns, pages }: CsvFile,
): Promise<void> {
  response.status(200).set({
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="${name}"`,
  });
  response.write(csvLine(columns));
  for await (const page of pages) {
    if (response.destroyed) return;
    if (!response.write(page.map(csvLine).join(''))) {
      await Promise.race([once(response, 'drain'), once(response, 'close')]);
    }
  }
  response.end();
}

function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

/** One cell: quoted where needed, never a formula. */
export function csvCell(value: Cell): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'object') return value.decimal;
  const safe = /^\s*[=+\-@＝＋－＠\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n']|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The amount without its currency, which has a column of its own. */
export function decimalCell(money: Money): Decimal {
  return { decimal: formatMoney(money).split(' ')[0] ?? '' };
}
