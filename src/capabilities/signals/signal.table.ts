/** Rows of what comes in besides alerts: the processor's events, and claims for a refund. */
import type { ClaimSource } from '../../alerts/cases/claim.ts';
import type { RowOf } from '../../base/db/described-table.ts';
import {
  defaultedNumber,
  describeTable,
  moment,
  number,
  text,
  texts,
} from '../../base/db/described-table.ts';
import { CASE_DAYS } from '../../base/db/table-entry.ts';
import type { ProcessorEventKind } from '../../service/wire/processor-event.ts';

/** One event of the processor, without its body. */
export const processorEvent = describeTable({
  name: 'processor_event',
  purpose: 'events of the processor in our words, without their bodies',
  keep: CASE_DAYS,
  old: 'received_at',
  waits: 'next_action_at',
  references: ['charge_references', 'dispute_reference', 'event_id', 'refund_reference'],
  columns: {
    /** Through which path it came. */
    processor: text(),
    event_id: text(),
    /** `unreadable`: signed, and no event. */
    kind: text<ProcessorEventKind | 'unreadable'>(),
    charge_references: texts(),
    refund_reference: text().nullable,
    dispute_reference: text().nullable,
    amount_minor: number().nullable,
    currency: text().nullable,
    occurred_at: moment().nullable,
    received_at: moment(),
    /** Null: done with. */
    next_action_at: moment().nullable,
    attempts: defaultedNumber(),
    applied_at: moment().nullable,
    outcome: text().nullable,
  },
});

/** A refund that is owed, or may be, without an alert of the service. */
export const refundClaim = describeTable({
  name: 'refund_claim',
  purpose: 'each refund that is owed without an alert, and by which rule',
  keep: CASE_DAYS,
  old: 'opened_at',
  waits: 'next_action_at',
  ofCase: 'id',
  references: ['charge_reference'],
  columns: {
    /** Also the id of its row among the alerts. */
    id: text(),
    source: text<ClaimSource>(),
    /** The asker's own. */
    reference: text().personal,
    charge_reference: text(),
    amount_minor: number(),
    currency: text(),
    country: text().nullable,
    claimed_at: moment(),
    due_at: moment(),
    /** The rule of the law, or of the house, that gives `due_at`. */
    due_by: text(),
    note: text().personal,
    /** `operator:<name>`, or `processor:<name>`. */
    opened_by: text(),
    opened_at: moment(),
    /** Null: its case is open, or was. */
    next_action_at: moment().nullable,
    attempts: defaultedNumber(),
  },
});

export type ProcessorEventTable = RowOf<typeof processorEvent>;
export type RefundClaimTable = RowOf<typeof refundClaim>;

declare module '../../base/db/database.ts' {
  interface Database {
    processor_event: ProcessorEventTable;
    refund_claim: RefundClaimTable;
  }
}
