/** What is wrong with the files of an estate. */
import { KitError } from '../../base/kernel/errors.ts';
import type { FilePosition } from './estate.ts';

/** One thing that is wrong with a file of the estate. */
export interface EstateProblem extends FilePosition {
  readonly message: string;
}

/** The files cannot be used. Lists everything that is wrong with them. */
export class EstateFileError extends KitError {
  readonly code = 'ESTATE_FILE';
  readonly retryable = false;
  readonly problems: readonly EstateProblem[];

  constructor(problems: readonly EstateProblem[]) {
    const sorted = [...problems].sort(
      (a, b) => a.file.localeCompare(b.file) || a.line - b.line || a.column - b.column,
    );
    super(
      sorted
        .map(({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`)
        .join('\n'),
    );
    this.problems = sorted;
  }
}

/** Values of `${NAME}` in the files. */
export type Variables = Readonly<Record<string, string | undefined>>;
