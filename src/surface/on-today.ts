/** What capabilities say on today's page of the outcome of alerts lately. */
import type { Html } from '../base/kernel/html.ts';

/** The time that the page shows, in stretches. */
export interface RecentTime {
  readonly from: Date;
  /** The beginning of each; the last one is under way. */
  readonly stretches: readonly Date[];
  readonly stretchHours: number;
}

export interface OnToday {
  /** Figures of that time. */
  readonly figures: Html;
  /** What happened in each stretch. */
  readonly chart: Html;
}
