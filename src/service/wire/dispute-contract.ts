/** The shapes of disputes in the HTTP processor contract, as its answers are read. */
import { z } from 'zod';
import { amountMinor, maybeText, text } from './fields.ts';
import type {
  DisputePage,
  EvidenceWanted,
  ProcessorDispute,
  StagedFile,
} from './processor-dispute.ts';
import { DISPUTE_STATUSES, EVIDENCE_ELEMENTS, EVIDENCE_FILE_TYPES } from './processor-dispute.ts';

const elements = z.array(z.enum(EVIDENCE_ELEMENTS));
const size = z.int().min(1);

const wantedShape = z.looseObject({
  fields: z.array(
    z.looseObject({
      name: text,
      holds: elements,
      chars_max: size,
      required: z.boolean().default(false),
      in_file: z.boolean().default(false),
    }),
  ),
  slots: z.array(
    z.looseObject({ name: text, holds: elements, required: z.boolean().default(false) }),
  ),
  file_types: z.array(z.enum(EVIDENCE_FILE_TYPES)),
  file_bytes_max: size,
  all_bytes_max: size,
  files_max: z.int().min(0),
  pages_max: size.nullish(),
});

export const stagedFileShape = z.looseObject({
  reference: text,
  idempotency_key: maybeText,
  slot: text,
});

export const disputeShape = z.looseObject({
  reference: text,
  charge_reference: text,
  reason_code: maybeText,
  amount_in_cents: amountMinor.min(0),
  currency: text,
  status: z.enum(DISPUTE_STATUSES),
  due_by: maybeText,
  opened_at: maybeText,
  acquirer_reference_number: maybeText,
  wants: wantedShape,
  staged: z.array(stagedFileShape).nullish(),
  submission: z.looseObject({ idempotency_key: maybeText, at: maybeText }).nullish(),
});

const pageShape = z.looseObject({ items: z.array(disputeShape), cursor: maybeText });

/** Reads a dispute; undefined when it is none. */
export function readDispute(json: unknown): ProcessorDispute | undefined {
  const read = disputeShape.safeParse(json);
  return read.success ? disputeOf(read.data) : undefined;
}

/** Reads a page; undefined when any dispute on it is unreadable, so that none is overlooked. */
export function readDisputePage(json: unknown): DisputePage | undefined {
  const read = pageShape.safeParse(json);
  if (!read.success) return undefined;
  return { disputes: read.data.items.map(disputeOf), cursor: read.data.cursor ?? null };
}

export function readStagedFile(json: unknown): StagedFile | undefined {
  const read = stagedFileShape.safeParse(json);
  return read.success ? stagedOf(read.data) : undefined;
}

function stagedOf(wire: z.infer<typeof stagedFileShape>): StagedFile {
  const { reference, idempotency_key: idempotencyKey, slot } = wire;
  return { reference, idempotencyKey: idempotencyKey ?? null, slot };
}

function wantedOf(wire: z.infer<typeof wantedShape>): EvidenceWanted {
  return {
    fields: wire.fields.map((field) => ({
      name: field.name,
      holds: field.holds,
      charsMax: field.chars_max,
      isRequired: field.required,
      ...(field.in_file ? { isInFile: true } : {}),
    })),
    slots: wire.slots.map(({ name, holds, required: isRequired }) => ({ name, holds, isRequired })),
    fileTypes: wire.file_types,
    fileBytesMax: wire.file_bytes_max,
    allBytesMax: wire.all_bytes_max,
    filesMax: wire.files_max,
    ...(wire.pages_max == null ? {} : { pagesMax: wire.pages_max }),
  };
}

function disputeOf(wire: z.infer<typeof disputeShape>): ProcessorDispute {
  const { submission } = wire;
  return {
    reference: wire.reference,
    chargeReference: wire.charge_reference,
    reasonCode: wire.reason_code ?? null,
    amountMinor: wire.amount_in_cents,
    currency: wire.currency,
    status: wire.status,
    dueBy: wire.due_by ?? null,
    openedAt: wire.opened_at ?? null,
    acquirerReferenceNumber: wire.acquirer_reference_number ?? null,
    wants: wantedOf(wire.wants),
    staged: (wire.staged ?? []).map(stagedOf),
    submission:
      submission == null
        ? null
        : { idempotencyKey: submission.idempotency_key ?? null, at: submission.at ?? null },
  };
}
