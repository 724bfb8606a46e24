/**
 * PayPal's disputes, and evidence for them. PayPal takes files with the evidence itself, in one call, and keeps no key of
 * ours; what the seller has submitted is shown by the dispute.
 * https://developer.paypal.com/docs/api/customer-disputes/v1/
 *
 * The REST app needs the scopes to read and to update disputes.
 */
import type { EvidenceWanted, ProcessorDispute, ProcessorDisputeStatus } from 'forestall';
import type { Caller, DisputeParts, JsonObject } from 'forestall/adapter';
import {
  CallFailure,
  classesOf,
  dueOf,
  fileBlob,
  nullIfMissing,
  objectsAt,
  oursOf,
  readableDispute,
  textAt,
  utcAt,
  valueAt,
  wordsOf,
} from 'forestall/adapter';
import { moneyOf } from './payment.ts';

/** PayPal's words of a dispute that has not ended. What waits for the buyer, or is open, asks nothing of the seller. */
export const PAYPAL_DISPUTE_WORDS: Readonly<Record<string, ProcessorDisputeStatus>> = wordsOf({
  needs_response: ['WAITING_FOR_SELLER_RESPONSE'],
  under_review: ['OPEN', 'WAITING_FOR_BUYER_RESPONSE', 'UNDER_REVIEW', 'OTHER'],
});

/** How one ended. */
export const PAYPAL_OUTCOME_WORDS: Readonly<Record<string, ProcessorDisputeStatus>> = wordsOf({
  won: ['RESOLVED_SELLER_FAVOUR', 'CANCELED_BY_BUYER', 'DENIED', 'RESOLVED_WITH_PAYOUT', 'NONE'],
  lost: ['RESOLVED_BUYER_FAVOUR'],
  accepted: ['ACCEPTED'],
});

export const PAYPAL_DISPUTE_CLASSES = classesOf({
  ours: 'AUTHENTICATION_FAILURE NOT_AUTHORIZED PERMISSION_DENIED invalid_client',
});

/** The kind of evidence that may hold anything. Others ask for a tracking number or the id of a refund. */
const OF_ANYTHING = 'OTHER';

/** Characters of the notes of one piece of evidence. */
const NOTES_MAX = 2_000;

const MEGABYTE = 1024 * 1024;

/** https://developer.paypal.com/platforms/disputes/reference/supported-file-types-sizes */
const TAKEN: EvidenceWanted = {
  fields: [
    {
      name: 'notes',
      holds: [
        ...(['refund', 'delivery', 'order', 'items', 'payment', 'customer'] as const),
        ...(['terms', 'subscription', 'communication', 'other_payment'] as const),
        ...(['earlier_payments', 'device', 'addresses'] as const),
        ...(['authorisation', 'verification'] as const),
      ],
      charsMax: NOTES_MAX,
      isRequired: false,
      isInFile: true,
    },
  ],
  slots: [{ name: OF_ANYTHING, holds: [], isRequired: true }],
  fileTypes: ['application/pdf', 'image/png', 'image/jpeg'],
  // Less than 10 MB each.
  fileBytesMax: 10 * MEGABYTE - 1,
  allBytesMax: 50 * MEGABYTE,
  filesMax: 10,
};

/** A dispute without the link takes no evidence over this API: a person answers it. */
const NOTHING: EvidenceWanted = { ...TAKEN, fields: [], slots: [], filesMax: 0 };

const PATH = '/v1/customer/disputes';

const pathOf = (reference: string): string => `${PATH}/${encodeURIComponent(reference)}`;

export function payPalDisputes(): DisputeParts<Caller> {
  const parts: DisputeParts<Caller> = {
    // PayPal does not say how soon a dispute shows what was submitted; ten minutes is our caution.
    abilities: { lookupLagSeconds: 600, requestLifetimeSeconds: 600, showsStaged: false },
    classes: PAYPAL_DISPUTE_CLASSES,

    // The list shows no payment and no date: each that waits for the seller is read by itself.
    list: async (api, { changedSince, cursor }) => {
      const query = new URLSearchParams({ page_size: '50' });
      if (changedSince !== undefined) query.set('update_time_after', changedSince);
      if (cursor !== undefined) query.set('next_page_token', cursor);
      const page = await api.get(`${PATH}?${query}`);
      // An empty list may have links alone.
      if (!Array.isArray(page['items']) && !Array.isArray(page['links'])) {
        throw new CallFailure('the list of disputes is none');
      }
      const disputes: (ProcessorDispute | string)[] = [];
      for (const summary of objectsAt(page, 'items')) {
        if (textAt(summary, 'status') !== 'WAITING_FOR_SELLER_RESPONSE') continue;
        disputes.push((await read(api, textAt(summary, 'dispute_id') ?? '')) ?? 'one has gone');
      }
      const next = objectsAt(page, 'links').find((link) => link['rel'] === 'next');
      return { disputes, cursor: tokenIn(textAt(next, 'href')) };
    },

    read,

    // Files go along with the evidence: until then nothing is at PayPal.
    stage: (_api, { slot, idempotencyKey }) =>
      Promise.resolve({ reference: idempotencyKey, idempotencyKey, slot }),

    submit: async (api, { disputeReference, fields, files }) => {
      const form = new FormData();
      const notes = fields['notes'];
      const evidences = [
        {
          evidence_type: OF_ANYTHING,
          documents: files.map(({ name }) => ({ name })),
          ...(notes === undefined ? {} : { notes }),
        },
      ];
      const input = new Blob([JSON.stringify({ evidences })], { type: 'application/json' });
      form.set('input', input);
      for (const [index, file] of files.entries()) {
        form.set(`evidence-file${index + 1}`, fileBlob(file), file.name);
      }
      await api.post(`${pathOf(disputeReference)}/provide-evidence`, { form });
      return null;
    },

    // PayPal gives the buyer the money back.
    accept: async (api, _key, { reference }) => {
      const body = { note: 'The claim is accepted.', accept_claim_type: 'REFUND' };
      await api.post(`${pathOf(reference)}/accept-claim`, { body });
      return null;
    },
  };
  return parts;
}

function tokenIn(href: string | null): string | null {
  if (href === null || !URL.canParse(href)) return null;
  return new URL(href).searchParams.get('next_page_token');
}

async function read(api: Caller, reference: string): Promise<ProcessorDispute | string | null> {
  const dispute = await api.get(pathOf(reference)).catch(nullIfMissing);
  return dispute === null ? null : disputeOf(dispute);
}

/** The dispute as PayPal shows it, or why it cannot be read. */
function disputeOf(dispute: JsonObject): ProcessorDispute | string {
  const [transaction] = objectsAt(dispute, 'disputed_transactions');
  const { amountMinor, currency } = moneyOf(valueAt(dispute, 'dispute_amount'));
  const canProvide = objectsAt(dispute, 'links').some(({ rel }) => rel === 'provide-evidence');
  return readableDispute({
    reference: textAt(dispute, 'dispute_id'),
    chargeReference: textAt(transaction, 'seller_transaction_id'),
    // The scheme's, of a card; else PayPal's own word.
    reasonCode: textAt(dispute, 'external_reason_code') ?? textAt(dispute, 'reason'),
    ...{ amountMinor, currency },
    dueBy: dueOf(textAt(dispute, 'seller_response_due_date')),
    status: statusOf(dispute),
    openedAt: utcAt(dispute, 'create_time'),
    acquirerReferenceNumber: null,
    wants: canProvide ? TAKEN : NOTHING,
    staged: [],
    submission: submissionIn(dispute),
  });
}

function statusOf(dispute: JsonObject): ProcessorDisputeStatus | undefined {
  const word = textAt(dispute, 'status');
  if (word !== 'RESOLVED') return oursOf(PAYPAL_DISPUTE_WORDS, word);
  const outcome = textAt(dispute, 'dispute_outcome', 'outcome_code');
  // How it ended is told later, or not at all: it is over.
  return oursOf(PAYPAL_OUTCOME_WORDS, outcome) ?? 'lost';
}

function submissionIn(dispute: JsonObject): ProcessorDispute['submission'] {
  const own = objectsAt(dispute, 'evidences').filter(
    (each) => each['source'] === 'SUBMITTED_BY_SELLER',
  );
  const [first] = own;
  return first === undefined ? null : { idempotencyKey: null, at: utcAt(first, 'date') };
}
