/**
 * What becomes of disputes at the sandbox's processor: opened with a charge, changed by a network, answered by hand,
 * decided.
 */
import { z } from 'zod';
import {
  DISPUTE_STATUSES,
  EVIDENCE_ELEMENTS,
  EVIDENCE_FILE_TYPES,
} from '../../service/wire/processor-dispute.ts';
import type { SandboxContext } from '../sandbox-context.ts';
import { isoIn, nowIso } from '../sandbox-context.ts';
import type { ChargeRecord } from '../state/charges.ts';
import type { DisputeRecord, WantedRecord } from '../state/disputes.ts';

const DUE_MS = 14 * 86_400_000;
const MEGABYTE = 1024 * 1024;

/** What a dispute takes unless it is changed: some texts, some kinds of files. */
const WANTED: WantedRecord = {
  fields: [
    { name: 'product_description', holds: ['order', 'items'], chars_max: 20_000, required: false },
    {
      name: 'customer_details',
      holds: ['customer', 'device', 'addresses'],
      chars_max: 20_000,
      required: false,
    },
    { name: 'delivery_details', holds: ['delivery'], chars_max: 20_000, required: false },
    {
      name: 'payment_details',
      holds: ['payment', 'authorisation', 'verification'],
      chars_max: 20_000,
      required: false,
    },
    {
      name: 'further_text',
      holds: [
        'terms',
        'subscription',
        'communication',
        'refund',
        'earlier_payments',
        'other_payment',
      ],
      chars_max: 20_000,
      required: false,
    },
  ],
  slots: [
    { name: 'response', holds: [], required: true },
    { name: 'refund_policy', holds: ['refund_policy'], required: false },
    { name: 'authenticity', holds: ['authenticity'], required: false },
  ],
  file_types: ['application/pdf', 'image/png', 'image/jpeg'],
  file_bytes_max: 2 * MEGABYTE,
  all_bytes_max: 4 * MEGABYTE,
  files_max: 5,
};

const elements = z.array(z.enum(EVIDENCE_ELEMENTS));
const size = z.int().min(1);

export const wantedInput = z.strictObject({
  fields: z.array(
    z.strictObject({
      name: z.string().min(1),
      holds: elements,
      chars_max: size,
      required: z.boolean(),
      in_file: z.boolean().optional(),
    }),
  ),
  slots: z.array(
    z.strictObject({ name: z.string().min(1), holds: elements, required: z.boolean() }),
  ),
  file_types: z.array(z.enum(EVIDENCE_FILE_TYPES)),
  file_bytes_max: size,
  all_bytes_max: size,
  files_max: z.int().min(0),
});

/** What a network or the processor does to a dispute. */
export const disputeChanges = z.strictObject({
  reason_code: z.string().nullable().optional(),
  amount_in_cents: size.optional(),
  currency: z.string().optional(),
  status: z.enum(DISPUTE_STATUSES).optional(),
  /** @default in 14 days */
  due_by: z.iso.datetime({ offset: true }).nullable().optional(),
  wants: wantedInput.optional(),
});
export type DisputeChanges = z.input<typeof disputeChanges>;

/** The dispute of a charge; there is one at most. */
export function disputeOf({ reference }: Pick<ChargeRecord, 'reference'>): string {
  return `dp_${reference}`;
}

/** Opens it, or opens it again. */
export function openDisputeOf(context: SandboxContext, charge: ChargeRecord): DisputeRecord {
  const reference = disputeOf(charge);
  const known = context.state.disputes.get(reference);
  if (known !== undefined) {
    return changeDispute(context, known, { status: 'needs_response' });
  }
  const dispute: DisputeRecord = {
    reference,
    charge_reference: charge.reference,
    reason_code: null,
    amount_in_cents: charge.chargeback_in_cents ?? charge.amount_in_cents,
    currency: charge.currency,
    status: 'needs_response',
    due_by: isoIn(context, DUE_MS),
    opened_at: nowIso(context),
    changed_at: nowIso(context),
    wants: WANTED,
    staged: [],
    submissions: [],
  };
  context.state.disputes.set(reference, dispute);
  return dispute;
}

export function changeDispute(
  context: SandboxContext,
  dispute: DisputeRecord,
  changes: DisputeChanges,
): DisputeRecord {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  return Object.assign(dispute, Object.fromEntries(given), { changed_at: nowIso(context) });
}

/** Somebody hands evidence in by hand, in the dashboard. */
export function submitInDashboard(context: SandboxContext, dispute: DisputeRecord): DisputeRecord {
  dispute.submissions.push({
    idempotency_key: null,
    at: nowIso(context),
    fields: { further_text: 'By hand.' },
    files: [],
  });
  return changeDispute(context, dispute, { status: 'under_review' });
}
