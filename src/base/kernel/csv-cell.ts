/**
 * One cell of a CSV file (RFC 4180). One that a spreadsheet would take for a formula begins with an
 * apostrophe: descriptors and notes come from outside.
 */

/** The cell: quoted where needed, never a formula. */
export function csvCell(value: string | number | Date | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  if (value instanceof Date) return value.toISOString();
  const safe = /^\s*[=+\-@＝＋－＠\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n']|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The cells as a line. */
export function csvLine(cells: readonly (string | number | Date | null)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}
