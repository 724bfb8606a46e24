/** Disputes as the processor showed them, and the one submission of each. No row holds words of a customer. */
import type { Selectable } from 'kysely';
import type { RowOf } from '../../../base/db/described-table.ts';
import { describeTable, json, moment, number, text } from '../../../base/db/described-table.ts';
import { CASE_DAYS } from '../../../base/db/table-entry.ts';
import type {
  EvidenceWanted,
  ProcessorDisputeStatus,
} from '../../../service/wire/processor-dispute.ts';
import type { FilingProblem } from './compose.ts';
import type { HeldReason } from './plan.ts';

declare module '../../../base/db/database.ts' {
  interface Database {
    processor_dispute: RowOf<typeof processorDispute>;
    evidence_submission: RowOf<typeof evidenceSubmission>;
    dispute_look: RowOf<typeof disputeLook>;
  }
}

/**
 * - `WAITING`: it is sent without a person, at `next_at`. `HELD`: a person is asked.
 * - `SENT`: the call was made, or may have been: it is looked up before anything else.
 * - `ACCEPTING`: the same of giving up.
 * - The others are final. `ELSEWHERE`: somebody else handed evidence in. `CLOSED`: decided without any.
 */
export const SUBMISSION_STATES = [
  'WAITING',
  'HELD',
  'SENT',
  'ACCEPTING',
  'SUBMITTED',
  'ELSEWHERE',
  'ACCEPTED',
  'EXPIRED',
  'CLOSED',
] as const;
export type SubmissionState = (typeof SUBMISSION_STATES)[number];

export const processorDispute = describeTable({
  name: 'processor_dispute',
  purpose: 'disputes as the processor showed them last',
  keep: CASE_DAYS,
  old: 'opened_at',
  references: ['charge_reference', 'reference'],
  columns: {
    reference: text(),
    charge_reference: text(),
    reason_code: text().nullable,
    amount_minor: number(),
    currency: text(),
    status: text<ProcessorDisputeStatus>(),
    due_by: moment().nullable,
    opened_at: moment(),
    acquirer_reference_number: text().nullable,
    /** The representment of the service that is about it; empty: none is, as a person said. */
    representment_id: text().nullable,
    /** What it takes as evidence. */
    wants: json<EvidenceWanted>(),
    seen_at: moment(),
  },
});

/** A file that was staged for a submission. */
export interface StagedPart {
  readonly slot: string;
  readonly name: string;
  readonly sha256: string;
  readonly key: string;
  readonly reference: string;
}

export const evidenceSubmission = describeTable({
  name: 'evidence_submission',
  purpose: 'the one submission of evidence for a dispute',
  keep: CASE_DAYS,
  old: 'changed_at',
  references: ['dispute_reference'],
  columns: {
    dispute_reference: text(),
    state: text<SubmissionState>(),
    held_reason: text<HeldReason>().nullable,
    problems: json<readonly FilingProblem[]>(),
    /** Made with the row, sent with every attempt, never changed. */
    idempotency_key: text(),
    /** What was sent: names the words without holding them. */
    content_hash: text().nullable,
    pack_rule: text().nullable,
    staged: json<readonly StagedPart[]>(),
    asked_by: text().nullable,
    agreed_by: text().nullable,
    given_up_by: text().nullable,
    sent_at: moment().nullable,
    submitted_at: moment().nullable,
    attempts: number(),
    /** When it is looked at again; null: it is final. */
    next_at: moment().nullable,
    /** Ours, or the processor's. */
    last_error: text().personal.nullable,
    version: number(),
    changed_at: moment(),
  },
});

export const disputeLook = describeTable({
  name: 'dispute_look',
  purpose: 'until when the processor was asked for disputes',
  keep: 'current',
  columns: {
    looked_until: moment().nullable,
    /** Of the walk that is under way: what changed since then is asked for, since when, and from where on. */
    walk_since: moment().nullable,
    walk_began_at: moment().nullable,
    walk_cursor: text().nullable,
    /** Answers that did not come, one after the other, at that place. */
    walk_failures: number(),
  },
});

export type DisputeRow = Selectable<RowOf<typeof processorDispute>>;
export type SubmissionRow = Selectable<RowOf<typeof evidenceSubmission>>;
