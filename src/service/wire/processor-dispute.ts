/**
 * The optional part of a processor that takes evidence: disputes as it shows them, files, one submission.
 *
 * Most processors take exactly one submission for a dispute. So a submission is asked for as a refund is: the key is
 * stored first, a missing answer is looked up, and nothing is sent again before that look says that nothing arrived.
 */
import type { Answer, FailureClass } from './processor-answer.ts';

/** What can be shown to a bank. Which rows hold each is `capabilities/representments/elements.ts`. */
export const EVIDENCE_ELEMENTS = [
  'payment',
  'authorisation',
  'verification',
  'order',
  'items',
  'customer',
  'device',
  'addresses',
  'delivery',
  'terms',
  'subscription',
  'communication',
  'refund',
  'earlier_payments',
  'other_payment',
  'refund_policy',
  'authenticity',
] as const;
export type EvidenceElement = (typeof EVIDENCE_ELEMENTS)[number];

/**
 * - `needs_response`: evidence is taken until `dueBy`.
 * - `under_review`: evidence was handed in, by us or by somebody else, or the bank has it without.
 * - `accepted`: the merchant gave up. `expired`: the time passed without evidence.
 */
export const DISPUTE_STATUSES = [
  'needs_response',
  'under_review',
  'won',
  'lost',
  'accepted',
  'expired',
] as const;
export type ProcessorDisputeStatus = (typeof DISPUTE_STATUSES)[number];

export const EVIDENCE_FILE_TYPES = ['application/pdf', 'image/png', 'image/jpeg'] as const;
export type EvidenceFileType = (typeof EVIDENCE_FILE_TYPES)[number];

/** A text that the processor takes. */
export interface EvidenceField {
  /** The processor's own name of it. */
  readonly name: string;
  /** What it is for; several are joined in this order. */
  readonly holds: readonly EvidenceElement[];
  /** A longer text is refused; it is never cut. */
  readonly charsMax: number;
  readonly isRequired: boolean;
  /** Where it does not fit, it is left out: the file with the whole of it says the same. @default false */
  readonly isInFile?: boolean;
}

/** A kind of file that the processor takes. */
export interface EvidenceSlot {
  /** The processor's own name of it. */
  readonly name: string;
  /** What it is for; none: for anything. */
  readonly holds: readonly EvidenceElement[];
  readonly isRequired: boolean;
}

/** What this dispute takes. */
export interface EvidenceWanted {
  readonly fields: readonly EvidenceField[];
  readonly slots: readonly EvidenceSlot[];
  readonly fileTypes: readonly EvidenceFileType[];
  /** Of one file, in bytes. */
  readonly fileBytesMax: number;
  /** Of all files of a submission, in bytes. */
  readonly allBytesMax: number;
  readonly filesMax: number;
  /** Of all files of a submission. @default as many as fit */
  readonly pagesMax?: number;
}

/** A file that is there, and not yet handed in. */
export interface StagedFile {
  readonly reference: string;
  /** Our key; null: somebody else's, or the processor does not keep it. */
  readonly idempotencyKey: string | null;
  readonly slot: string;
}

/** What was handed in. */
export interface ShownSubmission {
  /** Our key; null: somebody else handed it in, or the processor does not keep it. */
  readonly idempotencyKey: string | null;
  /** ISO 8601. */
  readonly at: string | null;
}

/** A dispute as the processor shows it now. */
export interface ProcessorDispute {
  readonly reference: string;
  /** As `readCharge` takes it. */
  readonly chargeReference: string;
  /** The scheme's own, where the processor says it. */
  readonly reasonCode: string | null;
  /** Minor units. */
  readonly amountMinor: number;
  readonly currency: string;
  readonly status: ProcessorDisputeStatus;
  /** ISO 8601; null: the processor names none. */
  readonly dueBy: string | null;
  readonly openedAt: string | null;
  readonly acquirerReferenceNumber: string | null;
  readonly wants: EvidenceWanted;
  readonly staged: readonly StagedFile[];
  /** The last one; null: nothing was handed in. */
  readonly submission: ShownSubmission | null;
}

/** What a processor can do with evidence. */
export interface DisputeAbilities {
  /** How long a submission may be invisible to reads, in seconds. */
  readonly lookupLagSeconds: number;
  /** How long a request may still take effect after its caller gave up, in seconds. */
  readonly requestLifetimeSeconds: number;
  /** A read shows whatever was handed in. Where it may not, a missing answer is a person's to settle. @default true */
  readonly showsSubmissions?: boolean;
  /** A read shows every file that is staged, with our key. Else we go by what was answered to us. @default true */
  readonly showsStaged?: boolean;
}

/** Which disputes: a page of them, oldest change first. */
export interface DisputeQuery {
  /** Those that changed since, ISO 8601. */
  readonly changedSince?: string;
  /** Where the page before ended. */
  readonly cursor?: string;
}

export interface DisputePage {
  readonly disputes: readonly ProcessorDispute[];
  /** Null: this was the last page. */
  readonly cursor: string | null;
}

/** A file to be staged. The key is stored before this is sent and never changes. */
export interface FileRequest {
  readonly idempotencyKey: string;
  readonly disputeReference: string;
  readonly slot: string;
  readonly name: string;
  readonly type: EvidenceFileType;
  readonly content: Uint8Array;
}

/** The submission. The key is stored before this is sent and never changes. */
export interface SubmissionRequest {
  readonly idempotencyKey: string;
  readonly disputeReference: string;
  /** By the processor's own name of the field. */
  readonly fields: Readonly<Record<string, string>>;
  readonly files: readonly SubmittedFile[];
}

/** A staged file, with its content for a processor that takes files only with the submission. */
export interface SubmittedFile {
  readonly slot: string;
  readonly reference: string;
  readonly name: string;
  readonly type: EvidenceFileType;
  readonly content: Uint8Array;
}

/** How a call ended. `unknown`: it may or may not have taken effect: look before anything else. */
export type EvidenceOutcome<Value> =
  | { readonly kind: 'done'; readonly value: Value }
  | {
      readonly kind: 'rejected';
      readonly failureCode: string;
      /** `done`: handed in already. `final`: past its due date, a wrong format, nothing will change it. */
      readonly failureClass: FailureClass;
    }
  | { readonly kind: 'unknown'; readonly reason: string };

/** A processor's disputes. Reads never throw; they answer `unavailable`. */
export interface ProcessorDisputes {
  /** `undefined`: no answer. */
  abilities(signal?: AbortSignal): Promise<DisputeAbilities | undefined>;
  list(query: DisputeQuery, signal?: AbortSignal): Promise<Answer<DisputePage>>;
  read(reference: string, signal?: AbortSignal): Promise<Answer<ProcessorDispute>>;
  stage(request: FileRequest, signal: AbortSignal): Promise<EvidenceOutcome<StagedFile>>;
  submit(
    request: SubmissionRequest,
    signal: AbortSignal,
  ): Promise<EvidenceOutcome<ProcessorDispute>>;
  accept(
    reference: string,
    idempotencyKey: string,
    signal: AbortSignal,
  ): Promise<EvidenceOutcome<ProcessorDispute>>;
}
