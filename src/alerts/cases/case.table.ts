/** Rows of cases: one per alert, each with its state, its plan and its lease. */
import type { Generated, Selectable } from 'kysely';
import { columnsOf } from '../../base/db/columns.ts';
import type { Defaulted, Nullable, NullableTimestamp, Timestamp } from '../../base/db/database.ts';
import type { FallbackAction } from '../decide/decision.table.ts';
import type { CaseState } from './case-state.ts';

declare module '../../base/db/database.ts' {
  interface Database {
    alert_case: AlertCaseTable;
  }
}

export interface AlertCaseTable {
  organisation_id: string;
  alert_id: string;
  state: CaseState;
  /** Computed by the database from the state. */
  is_open: Generated<boolean>;
  /** Compare-and-set counter: every change adds one. */
  version: Defaulted<number>;
  opened_at: Timestamp;
  deadline_at: Timestamp;
  /** The plan: when this case is next acted on. Never null while open. */
  next_action_at: NullableTimestamp;
  lease_owner: Nullable<string>;
  lease_until: NullableTimestamp;
  attempts: Defaulted<number>;
  last_error: Nullable<string>;
  match_id: Nullable<number>;
  decision_id: Nullable<number>;
  charge_reference: Nullable<string>;
  /** The movement it waits for, or was answered with. */
  movement_id: Nullable<string>;
  /** The complaint it belongs to; null: not known yet, or a person must say. */
  dispute_id: Nullable<string>;
  /** A refund that was refused, or not sent, is tried again then. */
  retry_at: NullableTimestamp;
  /** A refusal for good is conceded at once, because the rule says so. */
  when_refused: Nullable<'ACCEPT_DISPUTE'>;
  hold_reason: Nullable<string>;
  fallback_action: Nullable<FallbackAction>;
  fallback_at: NullableTimestamp;
  /** What an `ACCEPT_DISPUTE` will say. */
  answer_note: Nullable<string>;
  next_alarm_at: NullableTimestamp;
  /** How many of the alarms at 50, 75 and 90 % of the window have been raised. */
  alarm_level: Defaulted<number>;
  alarmed_at: NullableTimestamp;
  missed_at: NullableTimestamp;
  closed_at: NullableTimestamp;
  changed_at: Timestamp;
}

export const CASE_COLUMNS = columnsOf<AlertCaseTable>()(
  'organisation_id alert_id state is_open version opened_at deadline_at next_action_at lease_owner',
  'lease_until attempts last_error match_id decision_id charge_reference movement_id dispute_id retry_at',
  'when_refused hold_reason fallback_action fallback_at answer_note next_alarm_at alarm_level alarmed_at',
  'missed_at closed_at changed_at',
);

/** A case as read. */
export type CaseRow = Selectable<AlertCaseTable>;

/** A case that was claimed. */
export interface ClaimedCase extends CaseRow {
  /** Why the processor cannot be asked about its charge after a restore; null where it can. */
  readonly held_back: string | null;
}
