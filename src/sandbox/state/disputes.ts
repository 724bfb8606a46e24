/** Disputes at the sandbox's processor, and what was handed in for them: the oracle for "how often". */
import type {
  EvidenceFileType,
  ProcessorDisputeStatus,
} from '../../service/wire/processor-dispute.ts';

export interface StagedFileRecord {
  readonly reference: string;
  readonly idempotency_key: string | null;
  readonly slot: string;
  readonly name: string;
  readonly type: EvidenceFileType;
  readonly bytes: number;
  readonly sha256: string;
}

export interface SubmissionRecord {
  /** Null: somebody did it in the dashboard. */
  readonly idempotency_key: string | null;
  readonly at: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly files: readonly { readonly slot: string; readonly reference: string }[];
}

/** What a dispute takes, as the contract says it. */
export interface WantedRecord {
  readonly fields: readonly {
    readonly name: string;
    readonly holds: readonly string[];
    readonly chars_max: number;
    readonly required: boolean;
    readonly in_file?: boolean | undefined;
  }[];
  readonly slots: readonly {
    readonly name: string;
    readonly holds: readonly string[];
    readonly required: boolean;
  }[];
  readonly file_types: readonly EvidenceFileType[];
  readonly file_bytes_max: number;
  readonly all_bytes_max: number;
  readonly files_max: number;
}

export interface DisputeRecord {
  readonly reference: string;
  readonly charge_reference: string;
  reason_code: string | null;
  amount_in_cents: number;
  currency: string;
  status: ProcessorDisputeStatus;
  due_by: string | null;
  readonly opened_at: string;
  changed_at: string;
  wants: WantedRecord;
  readonly staged: StagedFileRecord[];
  /** Every one that was taken: one, or the processor has a fault. */
  readonly submissions: SubmissionRecord[];
}
