/** What is between the cells of a CSV file, and the records that csv-parse hands out with `info: true`. */

/** What is between the cells. */
export const DELIMITERS = { comma: ',', semicolon: ';', tab: '\t' } as const;
export type Delimiter = keyof typeof DELIMITERS;

/** What a spreadsheet of another country writes, by its heading: names of columns hold none of the three. */
export function delimiterOf(heading: string): string {
  const count = (mark: string): number => heading.split(mark).length;
  return Object.values(DELIMITERS).reduce((best, mark) =>
    count(mark) > count(best) ? mark : best,
  );
}

export interface CsvRecord {
  readonly cells: readonly string[];
  /** The line of the file that the record ends on, empty lines and lines within cells counted. */
  readonly endLine: number;
}

/** Reads what csv-parse hands out with `info: true`. @throws {TypeError} when it is something else */
export function readRecord(read: unknown): CsvRecord {
  if (typeof read !== 'object' || read === null || !('record' in read) || !('info' in read)) {
    throw new TypeError('csv-parse gave no record.');
  }
  const { record, info } = read;
  const endLine =
    typeof info === 'object' && info !== null && 'lines' in info ? Number(info.lines) : 0;
  return { cells: isTexts(record) ? record : [], endLine };
}

function isTexts(record: unknown): record is string[] {
  return Array.isArray(record) && record.every((cell) => typeof cell === 'string');
}
