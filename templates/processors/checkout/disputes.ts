/**
 * Checkout.com's disputes, and evidence for them: files are uploaded, named with the texts in one call, and submitted by
 * another. https://www.checkout.com/docs/payments/manage-disputes
 *
 * The key needs the rights to read and manage disputes, and to upload files, besides.
 */
import type { EvidenceWanted, ProcessorDispute, ProcessorDisputeStatus } from 'forestall';
import type { Caller, DisputeParts, JsonObject } from 'forestall/adapter';
import {
  CallFailure,
  classesOf,
  dueOf,
  fileBlob,
  integerAt,
  nullIfMissing,
  objectsAt,
  oursOf,
  readableDispute,
  textAt,
  utcAt,
  wordsOf,
} from 'forestall/adapter';
import { checkoutMinorOf } from './payment.ts';

/** Checkout.com's words. Arbitration is a person's: its evidence goes another way. */
export const CHECKOUT_DISPUTE_WORDS: Readonly<Record<string, ProcessorDisputeStatus>> = wordsOf({
  needs_response: ['evidence_required'],
  under_review: ['evidence_under_review', 'arb_evidence_submitted', 'arbitration_under_review'],
  won: ['won', 'arbitration_won', 'canceled'],
  lost: ['lost', 'resolved', 'arbitration_lost'],
  accepted: ['accepted'],
  expired: ['expired'],
});

/** What Checkout.com shows where it has evidence. How a dispute ended does not tell whether there was any. */
const HAS_EVIDENCE = /^(?:evidence_under_review|arb)/;

/** https://api-reference.checkout.com/#operation/submitDisputeEvidence */
export const CHECKOUT_DISPUTE_CLASSES = classesOf({
  done: 'dispute_evidence_already_submitted',
  final: 'dispute_expired dispute_not_open',
});

/** A text with a file of the same kind may have 500 characters; what is longer is in the file alone. */
const TEXT_MAX = 500;

/** https://www.checkout.com/docs/payments/manage-disputes/dispute-evidence-file-requirements */
const FILE_MAX = 4 * 1024 * 1024;

type Holds = EvidenceWanted['slots'][number]['holds'];

/** Kinds of evidence: each takes a file (`…_file`) and a text (`…_text`). */
const KINDS: readonly (readonly [kind: string, holds: Holds])[] = [
  ['proof_of_delivery_or_service', ['delivery']],
  ['invoice_or_receipt', ['order', 'items']],
  ['invoice_showing_distinct_transactions', ['other_payment']],
  ['customer_communication', ['communication']],
  ['refund_or_cancellation_policy', ['refund_policy', 'terms']],
  ['recurring_transaction_agreement', ['subscription']],
];
const OF_ANYTHING = 'additional_evidence';

export const CHECKOUT_WANTS: EvidenceWanted = {
  fields: [
    ...KINDS.map(([kind, holds]) => ({ name: `${kind}_text`, holds })),
    {
      name: `${OF_ANYTHING}_text`,
      holds: [
        ...(['payment', 'authorisation', 'verification', 'customer'] as const),
        ...(['device', 'addresses', 'refund', 'earlier_payments'] as const),
      ],
    },
  ].map((field) => ({ ...field, charsMax: TEXT_MAX, isRequired: false, isInFile: true })),
  slots: [
    { name: `${OF_ANYTHING}_file`, holds: [], isRequired: false },
    ...KINDS.map(([kind, holds]) => ({ name: `${kind}_file`, holds, isRequired: false })),
  ],
  fileTypes: ['application/pdf', 'image/png', 'image/jpeg'],
  fileBytesMax: FILE_MAX,
  allBytesMax: FILE_MAX,
  filesMax: KINDS.length + 1,
};

const PATH = '/disputes';

const pathOf = (reference: string): string => `${PATH}/${encodeURIComponent(reference)}`;

/** Checkout.com's largest page. */
const PAGE = 250;

export function checkoutDisputes(): DisputeParts<Caller> {
  const parts: DisputeParts<Caller> = {
    abilities: { lookupLagSeconds: 600, requestLifetimeSeconds: 600, showsStaged: false },
    classes: CHECKOUT_DISPUTE_CLASSES,

    // The list shows neither the acquirer reference nor all else: each that asks for a response is read by itself.
    list: async (api, { changedSince, cursor }) => {
      const skip = Number(cursor ?? 0);
      const query = new URLSearchParams({ limit: String(PAGE), skip: String(skip) });
      if (changedSince !== undefined) query.set('from', changedSince);
      const page = await api.get(`${PATH}?${query}`);
      if (!Array.isArray(page['data'])) throw new CallFailure('the list of disputes is none');
      const listed = objectsAt(page, 'data');
      const disputes: (ProcessorDispute | string)[] = [];
      for (const summary of listed.filter(mayBeOpen)) {
        disputes.push((await read(api, textAt(summary, 'id') ?? '')) ?? 'one has gone');
      }
      const next = skip + listed.length;
      const isMore = listed.length > 0 && next < (integerAt(page, 'total_count') ?? 0);
      return { disputes, cursor: isMore ? String(next) : null };
    },

    read,

    stage: async (api, file) => {
      const form = new FormData();
      form.set('purpose', 'dispute_evidence');
      form.set('file', fileBlob(file), file.name);
      const made = await api.post('/files', { form, status: [200, 201] });
      const reference = textAt(made, 'id');
      return reference === null ? null : { reference, idempotencyKey: null, slot: file.slot };
    },

    submit: async (api, { disputeReference, fields, files }) => {
      const path = `${pathOf(disputeReference)}/evidence`;
      const documents = Object.fromEntries(files.map(({ slot, reference }) => [slot, reference]));
      // Replaces what was provided before; only the next call hands it in.
      await api.put(path, { body: { ...fields, ...documents }, status: 204 });
      await api.post(path, { status: 204 });
      return null;
    },

    accept: async (api, _key, { reference }) => {
      await api.post(`${pathOf(reference)}/accept`, { status: 204 });
      return null;
    },
  };
  return parts;
}

/** One of an unknown word is read too. */
function mayBeOpen(summary: JsonObject): boolean {
  const status = oursOf(CHECKOUT_DISPUTE_WORDS, textAt(summary, 'status'));
  return status === undefined || status === 'needs_response';
}

async function read(api: Caller, reference: string): Promise<ProcessorDispute | string | null> {
  const dispute = await api.get(pathOf(reference)).catch(nullIfMissing);
  return dispute === null ? null : disputeOf(dispute);
}

/** The dispute as Checkout.com shows it, or why it cannot be read. */
function disputeOf(dispute: JsonObject): ProcessorDispute | string {
  const currency = textAt(dispute, 'currency') ?? '';
  const shown = textAt(dispute, 'status');
  return readableDispute({
    reference: textAt(dispute, 'id'),
    chargeReference: textAt(dispute, 'payment', 'id') ?? textAt(dispute, 'payment_id'),
    reasonCode: textAt(dispute, 'reason_code'),
    amountMinor: checkoutMinorOf(integerAt(dispute, 'amount'), currency),
    currency,
    status: oursOf(CHECKOUT_DISPUTE_WORDS, shown),
    dueBy: dueOf(textAt(dispute, 'evidence_required_by')),
    openedAt: utcAt(dispute, 'received_on'),
    acquirerReferenceNumber: textAt(dispute, 'payment', 'arn') ?? textAt(dispute, 'payment_arn'),
    wants: CHECKOUT_WANTS,
    staged: [],
    submission: HAS_EVIDENCE.test(shown ?? '') ? { idempotencyKey: null, at: null } : null,
  });
}
