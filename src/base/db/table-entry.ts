/** One line of the inventory. */

/** How a column holds data. */
export type ColumnKind = 'text' | 'json' | 'bytes';

/**
 * How long rows are kept: a number of days; `ledger`, seven years; `current`, until their own work
 * replaces or removes them.
 */
export type Keep = number | 'ledger' | 'current';

export interface TableEntry {
  readonly purpose: string;
  readonly keep: Keep;
  /** References, codes, hashes, words of our own. */
  readonly plain: readonly string[];
  /** Columns in which data about a person can be. */
  readonly personal: Readonly<Record<string, ColumnKind>>;
  /** Those of them that are stored encrypted where data keys are set (`src/base/seal`). */
  readonly sealed: readonly string[];
}

/** Days for which signed bodies, quarantined ones and messages are kept. */
export const RAW_DAYS = 30;

/** Days for which alerts, orders and what hangs on them are kept: 13 months. */
export const CASE_DAYS = 396;

/** Writes one line; `plain` is a list of column names with spaces between. */
export function entry(
  purpose: string,
  keep: Keep,
  columns: {
    readonly plain: string;
    readonly personal?: TableEntry['personal'];
    readonly sealed?: TableEntry['sealed'];
  },
): TableEntry {
  const { plain, personal = {}, sealed = [] } = columns;
  return { purpose, keep, plain: plain === '' ? [] : plain.split(' '), personal, sealed };
}
