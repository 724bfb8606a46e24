/** What is measured beside the ratios, row by row. */

export interface Row {
  readonly name: string;
  readonly measured: string;
  readonly target: string;
  readonly met: boolean;
}

export function printRows(rows: readonly Row[]): void {
  console.log('\n measure                                              measured        target');
  for (const { name, measured, target, met } of rows) {
    console.log(
      ` ${name.padEnd(50)} ${measured.padStart(12)}  ${target.padStart(12)}  ${met ? 'met' : 'MISSED'}`,
    );
  }
}
