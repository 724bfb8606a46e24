/**
 * One cell of a CSV file (RFC 4180). One that a spreadsheet would take for a formula begins with an
 * apostrophe: descriptors and notes come from outside. A number of ours stays one, also below zero.
 *
 * In much of Europe a spreadsheet divides the same file at semicolons. Quotes within such a line mean nothing to it, so
 * what follows a semicolon or the end of a line inside a cell begins a cell of its own there, and is treated as one.
 */

/** A number of ours with its exact digits, which may be below zero. */
export interface Decimal {
  readonly decimal: string;
}

/** What a cell may be. */
export type Cell = string | number | Date | Decimal | null;

const FORMULA = /^\s*[=+\-@＝＋－＠\t\r]/;

/** The same after what a spreadsheet set to semicolons or tabs takes for the end of a cell. */
const FORMULA_WITHIN = /([;\t\r\n])(?=[\s"]*[=+\-@＝＋－＠])/g;

/** The cell: quoted where needed, never a formula. */
export function csvCell(value: Cell): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'object') return value.decimal;
  const within = value.replaceAll(FORMULA_WITHIN, "$1'");
  const safe = FORMULA.test(value) ? `'${within}` : within;
  return /[",\r\n']|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The cells as a line. */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}
