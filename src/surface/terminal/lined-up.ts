/** Rows with their columns lined up; numbers to the right. */
export function table(rows: readonly (readonly (string | number)[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [place, cell] of row.entries()) {
      widths[place] = Math.max(widths[place] ?? 0, String(cell).length);
    }
  }
  return rows
    .map((row) =>
      row
        .map((cell, place) => {
          const width = widths[place] ?? 0;
          return typeof cell === 'number' ? String(cell).padStart(width) : cell.padEnd(width);
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
