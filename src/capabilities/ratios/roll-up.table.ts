/** Rows of counts that are kept as rows change (migrations 0018 and 0052), of reported numbers, and of alarms. */
import type { RowOf } from '../../base/db/described-table.ts';
import { day, describeTable, json, moment, number, text } from '../../base/db/described-table.ts';
import { CASE_DAYS } from '../../base/db/table-entry.ts';
import type { ScopeKind } from './programme.ts';

/** What became of the payment of an answered alert: nothing more, a fraud report, or a dispute anyway. */
export type Fate = 'out' | 'fraud' | 'counted';

/**
 * `payment`, what notices and disputes count as, how many more of them a month has by the day of their report (fewer
 * below 0), what was done about them, and orders by the time to be known.
 */
export type Measure =
  | 'payment'
  | 'fraud'
  | 'dispute'
  | 'dispute_of_fraud'
  | `${'fraud' | 'dispute' | 'dispute_of_fraud'}_moved`
  | 'revoked_fraud'
  | 'revoked_dispute'
  | `${'rdr' | 'alert' | 'evidence'}_${Fate}`
  | `order_known:${string}`;

const COUNT_COLUMNS = {
  measure: text<Measure>(),
  /** Letters and digits of the card brand, upper case. Empty text means what is not said, here and below. */
  brand: text(),
  merchant_id: text(),
  submerchant_id: text(),
  descriptor: text(),
  enrolment_id: text(),
  currency: text(),
  amount_minor: number(),
};

export const rollUp = describeTable({
  name: 'roll_up',
  purpose: 'payments, notices and what was done about them, by day and month',
  keep: CASE_DAYS,
  old: 'period',
  columns: { grain: text<'day' | 'month'>(), period: day(), count: number(), ...COUNT_COLUMNS },
});

export const rollUpChange = describeTable({
  name: 'roll_up_change',
  purpose: 'changes of them that are not added up yet',
  keep: 'current',
  columns: { day: day(), count: number(), ...COUNT_COLUMNS },
});

type Source = 'notice' | 'representment' | 'alert' | 'lookup';

/** One row behind the counts. */
export const rollUpEvent = describeTable({
  name: 'roll_up_event',
  purpose: 'what stands behind each count of notices and answers',
  keep: CASE_DAYS,
  old: 'day',
  columns: {
    source: text<Source>(),
    source_id: text(),
    group_key: text(),
    day: day(),
    /** Two rows more where the report is of another month than the receipt: out of the one, into the other. */
    part: text<'counted' | 'moved_out' | 'moved_in'>(),
    ...COUNT_COLUMNS,
  },
});

/** A row that changed since it was judged. */
export const rollUpDue = describeTable({
  name: 'roll_up_due',
  purpose: 'rows of which the counts must be judged again',
  keep: 'current',
  columns: {
    source: text<Source>(),
    source_id: text(),
    acquirer_reference_number: text().nullable,
  },
});

/** What an acquirer reports of a month. */
export type ReportedMeasure =
  | 'payments'
  | 'fraud'
  | 'dispute'
  | 'dispute_of_fraud'
  | 'three_d_secure'
  | 'fraud_dispute_usd';

export const programmeReported = describeTable({
  name: 'programme_reported',
  purpose: 'numbers that the acquirer reports',
  keep: 'ledger',
  columns: {
    month: day(),
    scheme: text(),
    scope: text<ScopeKind>(),
    scope_id: text(),
    measure: text<ReportedMeasure>(),
    value: number(),
    origin: text(),
    entered_by: text(),
    entered_at: moment(),
  },
});

export const programmeAlarm = describeTable({
  name: 'programme_alarm',
  purpose: 'alarms raised about the lines of programmes',
  keep: CASE_DAYS,
  old: 'raised_at',
  columns: {
    month: day(),
    programme: text(),
    line: text(),
    scope: text<ScopeKind>(),
    scope_id: text(),
    basis: text<'estimated' | 'reported'>(),
    level: number(),
    detail: json().personal,
    raised_at: moment(),
  },
});

declare module '../../base/db/database.ts' {
  interface Database {
    roll_up: RowOf<typeof rollUp>;
    roll_up_change: RowOf<typeof rollUpChange>;
    roll_up_event: RowOf<typeof rollUpEvent>;
    roll_up_due: RowOf<typeof rollUpDue>;
    programme_reported: RowOf<typeof programmeReported>;
    programme_alarm: RowOf<typeof programmeAlarm>;
  }
}

export interface Occurrence {
  readonly dimension: 'merchant_id' | 'submerchant_id' | 'descriptor' | 'enrolment_id';
  readonly value: string;
  readonly payments: number;
  readonly events: number;
}
