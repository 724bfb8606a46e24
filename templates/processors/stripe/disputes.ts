/**
 * Stripe's disputes, and evidence for them. What Stripe takes is the same for every dispute: texts of 20,000 characters and
 * files of one response. https://docs.stripe.com/disputes/api
 *
 * Yours to change: which text goes into which field. What must stay: our key goes out with the submission, in the header
 * that Stripe deduplicates by and in the metadata that it is found by later.
 *
 * The key needs disputes write and files write besides.
 */
import type { EvidenceWanted, ProcessorDispute, ProcessorDisputeStatus } from 'forestall';
import type { DisputeCalls, DisputeParts } from 'forestall/adapter';
import {
  classesOf,
  dueOf,
  isoOfSeconds,
  oursOf,
  readableDispute,
  wordsOf,
} from 'forestall/adapter';
import type Stripe from 'stripe';
import { minorOf } from '../../shared/stripe-amounts.ts';
import type { StripeReferences } from './charge.ts';
import { idOf } from './charge.ts';

/** Under this metadata field a dispute carries Forestall's key of its submission. */
export const EVIDENCE_KEY_FIELD = 'forestall_evidence_key';

/** Stripe's words. Evidence for an inquiry (`warning_…`) is handed in as for a dispute. */
export const STRIPE_DISPUTE_WORDS: Readonly<Record<string, ProcessorDisputeStatus>> = wordsOf({
  needs_response: ['needs_response', 'warning_needs_response'],
  under_review: [
    'under_review',
    'warning_under_review',
    // Appeals are a person's: they are handed in through other fields.
    'appeal_needs_response',
    'appeal_under_review',
  ],
  won: ['won', 'warning_closed', 'prevented'],
  lost: ['lost'],
});

/** Words of refusals that are no person's to look at; each other one is. */
export const STRIPE_DISPUTE_CLASSES = classesOf({
  ours: `account_invalid api_key_expired more_permissions_required platform_api_key_expired
    secret_key_required`,
});

const TEXT_MAX = 20_000;
const MEGABYTE = 1024 * 1024;

/** Seven texts of 20,000 stay below the 150,000 characters that all of them may have together. */
export const STRIPE_WANTS: EvidenceWanted = {
  fields: [
    text('product_description', ['order', 'items']),
    text('access_activity_log', ['device']),
    text('refund_policy_disclosure', ['terms']),
    text('cancellation_rebuttal', ['subscription']),
    text('refund_refusal_explanation', ['refund']),
    text('duplicate_charge_explanation', ['other_payment']),
    text('uncategorized_text', [
      ...(['payment', 'authorisation', 'verification', 'customer', 'addresses'] as const),
      ...(['delivery', 'communication', 'earlier_payments'] as const),
    ]),
  ],
  slots: [
    { name: 'uncategorized_file', holds: [], isRequired: false },
    { name: 'refund_policy', holds: ['refund_policy'], isRequired: false },
    { name: 'cancellation_policy', holds: ['terms'], isRequired: false },
    { name: 'customer_communication', holds: ['communication'], isRequired: false },
    { name: 'shipping_documentation', holds: ['delivery'], isRequired: false },
    { name: 'service_documentation', holds: ['authenticity'], isRequired: false },
  ],
  fileTypes: ['application/pdf', 'image/png', 'image/jpeg'],
  // All of one response together: https://docs.stripe.com/disputes/best-practices
  fileBytesMax: 4.5 * MEGABYTE,
  allBytesMax: 4.5 * MEGABYTE,
  filesMax: 6,
};

type Field = keyof Stripe.DisputeUpdateParams.Evidence;

function text(
  name: Field,
  holds: EvidenceWanted['fields'][number]['holds'],
): EvidenceWanted['fields'][number] {
  // What is longer is in the file alone.
  return { name, holds, charsMax: TEXT_MAX, isRequired: false, isInFile: true };
}

/** The client, what it says of an answer, and which identifier the orders carry. */
export interface StripeAsked {
  readonly stripe: Stripe;
  readonly reading: { readonly references: StripeReferences };
}

/** What Stripe shows. @throws for an answer that is not Stripe's */
type Shown = <Answer>(call: Promise<Stripe.Response<Answer>>) => Promise<Answer>;

/** Stripe's largest page. */
const PAGE = 100;

export function stripeDisputes(
  shown: Shown,
  nullIfMissing: (error: unknown) => null,
): DisputeParts<StripeAsked> {
  const calls: DisputeCalls<StripeAsked> = {
    // By creation: a dispute that Forestall knows is read by itself.
    list: async ({ stripe, reading }, { changedSince, cursor }) => {
      const since = Math.floor(Date.parse(changedSince ?? '') / 1000);
      const page = await shown(
        stripe.disputes.list({
          limit: PAGE,
          ...(Number.isFinite(since) ? { created: { gte: since } } : {}),
          ...(cursor === undefined ? {} : { starting_after: cursor }),
        }),
      );
      const disputes = page.data.map((dispute) => disputeOf(dispute, reading));
      return { disputes, cursor: page.has_more ? (page.data.at(-1)?.id ?? null) : null };
    },

    read: async ({ stripe, reading }, reference) => {
      const dispute = await shown(stripe.disputes.retrieve(reference)).catch(nullIfMissing);
      return dispute === null ? null : disputeOf(dispute, reading);
    },

    stage: async ({ stripe }, { slot, name, type, content, idempotencyKey }) => {
      const file = { data: content, name, type };
      const made = await shown(
        stripe.files.create({ purpose: 'dispute_evidence', file }, { idempotencyKey }),
      );
      return typeof made.id === 'string' ? { reference: made.id, idempotencyKey, slot } : null;
    },

    submit: async ({ stripe, reading }, { disputeReference, idempotencyKey, fields, files }) => {
      const documents = Object.fromEntries(files.map(({ slot, reference }) => [slot, reference]));
      const made = await shown(
        stripe.disputes.update(
          disputeReference,
          {
            evidence: { ...fields, ...documents },
            metadata: { [EVIDENCE_KEY_FIELD]: idempotencyKey },
            submit: true,
          },
          { idempotencyKey },
        ),
      );
      return disputeOf(made, reading);
    },

    accept: async ({ stripe, reading }, idempotencyKey, { reference }) => {
      const closed = await shown(stripe.disputes.close(reference, {}, { idempotencyKey }));
      const dispute = disputeOf(closed, reading);
      if (typeof dispute === 'string' || dispute.status !== 'lost') return dispute;
      // Stripe shows a dispute that was closed as lost.
      return { ...dispute, status: 'accepted' };
    },
  };
  return {
    ...calls,
    abilities: {
      lookupLagSeconds: 60,
      requestLifetimeSeconds: 600,
      // Files are listed without our key; a repeat within 24 hours gives the same file.
      showsStaged: false,
    },
    classes: STRIPE_DISPUTE_CLASSES,
  };
}

/** The dispute as Stripe shows it, or why it cannot be read. */
export function disputeOf(
  dispute: Stripe.Dispute,
  { references }: StripeAsked['reading'],
): ProcessorDispute | string {
  const { evidence_details: details, metadata } = dispute;
  const currency = dispute.currency?.toUpperCase();
  const reason = dispute.network_reason_code;
  const card = dispute.payment_method_details?.card?.network_reason_code;
  if (typeof details?.submission_count !== 'number') return 'what was submitted cannot be told';
  return readableDispute({
    reference: dispute.id,
    chargeReference: idOf(references === 'charge' ? dispute.charge : dispute.payment_intent),
    reasonCode: card ?? reason,
    amountMinor: minorOf(dispute.amount, currency),
    currency,
    status: oursOf(STRIPE_DISPUTE_WORDS, dispute.status),
    dueBy: isoOfSeconds(details.due_by) ?? dueOf(details.due_by),
    openedAt: isoOfSeconds(dispute.created),
    acquirerReferenceNumber: null,
    wants: STRIPE_WANTS,
    staged: [],
    submission:
      details.submission_count > 0
        ? { idempotencyKey: metadata?.[EVIDENCE_KEY_FIELD] ?? null, at: null }
        : null,
  });
}
