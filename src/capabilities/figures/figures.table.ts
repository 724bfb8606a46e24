/** Rows of figures that are kept by the hour, by the day and by the month. */
import type { RowOf } from '../../base/db/described-table.ts';
import {
  defaultedNumber,
  defaultedText,
  describeTable,
  moment,
  number,
  text,
} from '../../base/db/described-table.ts';
import { CASE_DAYS } from '../../base/db/table-entry.ts';
import type { DayOutcome, OutcomeDimension } from '../../surface/of-month.ts';

declare module '../../base/db/database.ts' {
  interface Database {
    activity_hour: RowOf<typeof activityHour>;
    activity_day: RowOf<typeof activityDay>;
    outcome_day: RowOf<typeof outcomeDay>;
  }
}

/**
 * `received`, `missed`, `refund` (money that the processor confirmed, by currency), or `closed:` with
 * the state a case ended in.
 */
export type ActivityMeasure = 'received' | 'missed' | 'refund' | `closed:${string}`;

export const activityHour = describeTable({
  name: 'activity_hour',
  purpose: 'figures by the hour, for charts',
  keep: CASE_DAYS,
  old: 'hour',
  columns: {
    hour: moment(),
    measure: text<ActivityMeasure>(),
    /** Empty for measures that count no money. */
    currency: defaultedText(),
    count: number(),
    amount_minor: defaultedNumber(),
  },
});

/** Sums of {@link activityHour} over days, UTC. */
export const activityDay = describeTable({
  name: 'activity_day',
  purpose: 'figures by the day, for charts',
  keep: CASE_DAYS,
  old: 'day',
  columns: {
    day: moment(),
    measure: text<ActivityMeasure>(),
    currency: defaultedText(),
    count: number(),
    amount_minor: defaultedNumber(),
  },
});

/** Alerts that ended on a day (`all`), or in a month, UTC. */
export const outcomeDay = describeTable({
  name: 'outcome_day',
  purpose: 'what came of alerts by the day, for the figures',
  keep: CASE_DAYS,
  old: 'day',
  columns: {
    /** The day, or the first day of the month. */
    day: moment(),
    dimension: text<OutcomeDimension>(),
    /** Empty: not known. `*`: everything beyond the most frequent of the month. */
    label: text(),
    outcome: text<DayOutcome>(),
    /** Empty: not known. */
    currency: text(),
    count: number(),
    amount_minor: number(),
  },
});
