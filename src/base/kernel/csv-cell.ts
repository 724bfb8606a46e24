/**
 * One cell of a CSV file (RFC 4180). One that a spreadsheet would take for a formula begins with an
 * apostrophe: descriptors and notes come from outside. A number of ours stays one, also below zero.
 *
 * In much of Europe a spreadsheet divides cells at semicolons and knows no quotes around our commas, so what stands
 * behind a semicolon, a tab or the end of a line inside a cell begins a cell there.
 */

/** A number of ours with its exact digits, which may be below zero. */
export interface Decimal {
  readonly decimal: string;
}

/** What a cell may be. */
export type Cell = string | number | Date | Decimal | null;

/** The cell: quoted where needed, never a formula. */
export function csvCell(value: Cell): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'object') return value.decimal;
  const begun = /^\s*[=+\-@＝＋－＠\t\r]/.test(value) ? `'${value}` : value;
  const safe = begun.replaceAll(/([;\t\r\n]\s*)(?=[=+\-@＝＋－＠])/g, "$1'");
  return /[",\r\n']|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The cells as a line. */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}
