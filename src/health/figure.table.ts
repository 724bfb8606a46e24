/** Rows of figures that the metrics show, kept as rows change. */

declare module '../base/db/database.ts' {
  interface Database {
    figure: FigureTable;
    figure_change: FigureTable;
  }
}

/**
 * `case` and `refund` by state; `refunded`: confirmed money by currency; `headroom`: answers by the upper
 * bound of the time that was left.
 */
export type FigureMeasure = 'case' | 'refund' | 'refunded' | 'headroom';

interface FigureTable {
  organisation_id: string;
  measure: FigureMeasure;
  label: string;
  count: number;
  /** Minor units, or milliseconds. */
  amount: number;
}
