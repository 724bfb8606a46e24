/**
 * Braintree's disputes, and evidence for them, over its GraphQL API: each file is added to the dispute under a category,
 * and the dispute is finalised, which hands in all that was added.
 * https://developer.paypal.com/braintree/graphql/reference/mutations/finalize-dispute
 *
 * Braintree keeps no key: a dispute that is no longer open shows that evidence was handed in. The answer to an upload that
 * is lost leaves the file with the dispute, and the next attempt adds it once more.
 *
 * The API user needs the rights to view, to finalise and to accept disputes.
 */
import type { EvidenceWanted, ProcessorDispute, ProcessorDisputeStatus } from 'forestall';
import type { DisputeParts, JsonObject } from 'forestall/adapter';
import {
  CallFailure,
  dueOf,
  fileBlob,
  fromDecimal,
  nullIfMissing,
  objectsAt,
  oursOf,
  readableDispute,
  textAt,
  utcAt,
  valueAt,
  wordsOf,
} from 'forestall/adapter';
import type { BraintreeReferences } from './transaction.ts';
import { BRAINTREE_DISPUTE_CLASSES } from './transaction.ts';

export const BRAINTREE_DISPUTE_WORDS: Readonly<Record<string, ProcessorDisputeStatus>> = wordsOf({
  needs_response: ['OPEN'],
  under_review: ['DISPUTED', 'UNDER_REVIEW'],
  won: ['WON'],
  lost: ['LOST'],
  accepted: ['ACCEPTED', 'AUTO_ACCEPTED'],
  expired: ['EXPIRED'],
});

const FILE_MAX = 4 * 1024 * 1024;

/** Categories of files. What a text may hold are single values (a number, a day), which the pack does not have apart. */
export const BRAINTREE_WANTS: EvidenceWanted = {
  fields: [],
  slots: [
    { name: 'GENERAL', holds: [], isRequired: true },
    { name: 'PROOF_OF_DELIVERY', holds: ['delivery'], isRequired: false },
    { name: 'SIGNED_ORDER_FORM', holds: ['terms'], isRequired: false },
    { name: 'LEGIT_PAYMENTS_FOR_SAME_MERCHANDISE', holds: ['earlier_payments'], isRequired: false },
    { name: 'PROOF_OF_3D_SECURE', holds: ['verification'], isRequired: false },
  ],
  fileTypes: ['application/pdf', 'image/png', 'image/jpeg'],
  fileBytesMax: FILE_MAX,
  allBytesMax: 5 * FILE_MAX,
  filesMax: 5,
};

/** Asks GraphQL for what is at the path; `upload` goes along as a file. */
type Ask = (query: string, variables: JsonObject, ...path: string[]) => Promise<unknown>;
export interface BraintreeAsk extends Ask {
  upload(
    of: {
      readonly query: string;
      readonly variables: JsonObject;
      readonly file: Blob;
      readonly name: string;
    },
    ...path: string[]
  ): Promise<unknown>;
}

export const DISPUTE_FIELDS = `
  id createdAt amountDisputed { value currencyCode } responseDeadline replyByDate type status
  processorResponse { reasonCode } transaction { id legacyId }
  evidence { __typename id category sentToProcessorAt }`;

export const LIST_DISPUTES = `query ($input: DisputeSearchInput!, $first: Int!, $after: String) {
  search { disputes(input: $input, first: $first, after: $after) {
    pageInfo { hasNextPage endCursor } edges { node { ${DISPUTE_FIELDS} } }
  } }
}`;

export const READ_DISPUTE = `query ($id: ID!) {
  node(id: $id) { ... on Dispute { ${DISPUTE_FIELDS} } }
}`;

export const ADD_FILE = `mutation ($input: CreateDisputeFileEvidenceInput!) {
  createDisputeFileEvidence(input: $input) { evidence { id category } }
}`;

export const FINALIZE = `mutation ($input: FinalizeDisputeInput!) {
  finalizeDispute(input: $input) { dispute { ${DISPUTE_FIELDS} } }
}`;

export const ACCEPT = `mutation ($input: AcceptDisputeInput!) {
  acceptDispute(input: $input) { dispute { ${DISPUTE_FIELDS} } }
}`;

/** Braintree's largest page. */
const PAGE = 50;

export function braintreeDisputes(references: BraintreeReferences): DisputeParts<BraintreeAsk> {
  const read = async (
    ask: BraintreeAsk,
    reference: string,
  ): Promise<ProcessorDispute | string | null> => {
    const node = await ask(READ_DISPUTE, { id: reference }, 'node').catch(nullIfMissing);
    return node === null ? null : disputeOf(node, references);
  };
  const parts: DisputeParts<BraintreeAsk> = {
    abilities: { lookupLagSeconds: 60, requestLifetimeSeconds: 600, showsStaged: false },
    classes: BRAINTREE_DISPUTE_CLASSES,

    // By the day of receipt: a dispute that Forestall knows is read by itself.
    list: async (ask, { changedSince, cursor }) => {
      const received =
        changedSince === undefined
          ? {}
          : { receivedDate: { greaterThanOrEqualTo: changedSince.slice(0, 10) } };
      // A retrieval is a question, not a dispute.
      const input = { type: { in: ['CHARGEBACK', 'PRE_ARBITRATION'] }, ...received };
      const after = cursor ?? null;
      const page = await ask(LIST_DISPUTES, { input, first: PAGE, after }, 'search', 'disputes');
      const disputes = objectsAt(page, 'edges').map(({ node }) => disputeOf(node, references));
      const isMore = valueAt(page, 'pageInfo', 'hasNextPage');
      if (typeof isMore !== 'boolean') throw new CallFailure('the list of disputes is none');
      return { disputes, cursor: isMore ? textAt(page, 'pageInfo', 'endCursor') : null };
    },

    read,

    stage: async (ask, file) => {
      const { disputeReference: disputeId, slot, name } = file;
      const variables = { input: { disputeId, category: slot } };
      const made = await ask.upload(
        { query: ADD_FILE, variables, file: fileBlob(file), name },
        'createDisputeFileEvidence',
        'evidence',
      );
      const reference = textAt(made, 'id');
      return reference === null ? null : { reference, idempotencyKey: null, slot };
    },

    submit: async (ask, { disputeReference, files }, shown) => {
      const hasForeignSurplus = (reference: string): boolean =>
        shown.staged.some((file) => file.reference === reference);
      if (!files.every(({ reference }) => hasForeignSurplus(reference))) {
        const refusal = { code: 'staged_file_removed', failureClass: 'final' } as const;
        throw new CallFailure('a file is no longer beside the dispute', { refusal });
      }
      const input = { disputeId: disputeReference };
      return disputeOf(await ask(FINALIZE, { input }, 'finalizeDispute', 'dispute'), references);
    },

    accept: async (ask, _key, { reference }) => {
      const input = { disputeId: reference };
      return disputeOf(await ask(ACCEPT, { input }, 'acceptDispute', 'dispute'), references);
    },
  };
  return parts;
}

/** The dispute as Braintree shows it, or why it cannot be read. */
function disputeOf(dispute: unknown, references: BraintreeReferences): ProcessorDispute | string {
  const currency = textAt(dispute, 'amountDisputed', 'currencyCode');
  const status = textAt(dispute, 'status');
  const evidence = objectsAt(dispute, 'evidence');
  const sentAt = evidence.map((each) => utcAt(each, 'sentToProcessorAt')).find((at) => at !== null);
  // A day alone ends when it begins: the zone is not said.
  const due = textAt(dispute, 'responseDeadline') ?? textAt(dispute, 'replyByDate');
  return readableDispute({
    reference: textAt(dispute, 'id'),
    chargeReference: textAt(dispute, 'transaction', references === 'legacy' ? 'legacyId' : 'id'),
    reasonCode: textAt(dispute, 'processorResponse', 'reasonCode'),
    amountMinor: fromDecimal(textAt(dispute, 'amountDisputed', 'value'), currency ?? ''),
    currency,
    status: oursOf(BRAINTREE_DISPUTE_WORDS, status),
    dueBy: dueOf(due),
    openedAt: utcAt(dispute, 'createdAt'),
    acquirerReferenceNumber: null,
    wants: BRAINTREE_WANTS,
    staged: evidence.flatMap((each) => {
      const reference = textAt(each, 'id');
      const slot = textAt(each, 'category');
      const isFile = each['__typename'] === 'DisputeFileEvidence';
      if (!isFile || reference === null || slot === null) return [];
      return [{ reference, idempotencyKey: null, slot }];
    }),
    submission:
      sentAt !== undefined || status === 'DISPUTED'
        ? { idempotencyKey: null, at: sentAt ?? null }
        : null,
  });
}
