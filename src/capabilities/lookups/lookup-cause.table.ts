/** Rows of judged lookups. */
import type { RowOf } from '../../base/db/described-table.ts';
import { describeTable, moment, number, text } from '../../base/db/described-table.ts';
import { CASE_DAYS } from '../../base/db/table-entry.ts';
import type { CauseName } from './cause.ts';

declare module '../../base/db/database.ts' {
  interface Database {
    lookup_cause: RowOf<typeof lookupCause>;
  }
}

/** The outcome of the payment after the lookup: a dispute, a refund, an alert that is still open, or nothing yet. */
export type LookupCost = 'disputed' | 'refunded' | 'alert_open' | 'none_yet';

export const lookupCause = describeTable({
  name: 'lookup_cause',
  purpose: 'why lookups were not answered or did not deflect',
  keep: CASE_DAYS,
  old: 'created_at',
  references: ['charge_reference', 'order_reference'],
  columns: {
    lookup_id: text(),
    /** The lookup's own. */
    created_at: moment(),
    type: text(),
    cause: text<CauseName>(),
    detail: text().personal,
    charge_reference: text().nullable,
    order_reference: text().nullable,
    cost: text<LookupCost>(),
    currency: text().nullable,
    amount_minor: number().nullable,
    judged_at: moment(),
    changed_at: moment(),
    judge_again_at: moment().nullable,
  },
});
