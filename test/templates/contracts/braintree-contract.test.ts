/**
 * Guarantee: the Braintree adapter knows every status of Braintree's own SDK, and each number of a refusal is
 * one of its validations. The calls are GraphQL, which the SDK does not speak: `braintree.test.ts` holds them
 * against the published reference.
 */
import { readFile } from 'node:fs/promises';
import braintree from 'braintree';
import { buildSchema, GraphQLEnumType, getVariableValues, Kind, parse, validate } from 'graphql';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { BRAINTREE_WANTS } from '../../../templates/processors/braintree/disputes.ts';
import {
  BRAINTREE_CLASSES,
  BRAINTREE_DISPUTE_CLASSES,
  BRAINTREE_WORDS,
} from '../../../templates/processors/braintree/transaction.ts';
import type { DisputeProvider } from '../processors/fakes/dispute-fakes.ts';
import { serveDisputes } from '../processors/fakes/dispute-fakes.ts';
import { declarationsOf } from './support/sdk-words.ts';

/** Statuses of the SDK as GraphQL writes them. */
function graphql(statuses: object): string[] {
  return Object.values(statuses)
    .filter((status) => typeof status === 'string')
    .map((status) => status.toUpperCase())
    .toSorted();
}

describe('words', () => {
  it('of transactions and refunds are those of the SDK, all of them', () => {
    const statuses = graphql(braintree.Transaction.Status);
    expect(Object.keys(BRAINTREE_WORDS['transaction.status']).toSorted()).toEqual(statuses);
    // A refund is a transaction; the gateway's own rules reject payments and refunds alike.
    expect(Object.keys(BRAINTREE_WORDS['refund.status']).toSorted()).toEqual(statuses);
    expectTypeOf<keyof (typeof BRAINTREE_WORDS)['transaction.status']>().toEqualTypeOf<
      Uppercase<braintree.TransactionStatus>
    >();
  });

  it.each([
    ['dispute.status', 'Status'],
    ['dispute.type', 'Kind'],
  ] as const)('of %s are those of the SDK, all of them', (field, name) => {
    // The SDK's code names them; its types leave two of them out.
    const words: unknown = Reflect.get(braintree.Dispute, name);
    if (typeof words !== 'object' || words === null) throw new Error(`no ${name}`);
    expect(Object.keys(BRAINTREE_WORDS[field]).toSorted()).toEqual(graphql(words));
    expectTypeOf<Uppercase<braintree.DisputeStatus>>().toExtend<
      keyof (typeof BRAINTREE_WORDS)['dispute.status']
    >();
  });

  it('of subscriptions: one that was cancelled', () => {
    expect(braintree.Subscription.Status.Canceled.toUpperCase()).toBe('CANCELED');
  });
});

/** The validations of disputes and of their files, likewise. */
const DISPUTE_VALIDATIONS = {
  CanOnlyAddEvidenceToOpenDispute: '95701',
  CanOnlyRemoveEvidenceFromOpenDispute: '95702',
  CanOnlyAddEvidenceDocumentToDispute: '95703',
  CanOnlyAcceptOpenDispute: '95704',
  CanOnlyFinalizeOpenDispute: '95705',
  CanOnlyCreateEvidenceWithValidCategory: '95706',
  EvidenceContentDateInvalid: '95707',
  EvidenceContentTooLong: '95708',
  EvidenceCategoryTextOnly: '95711',
  EvidenceCategoryDocumentOnly: '95712',
  EvidenceCategoryNotForReasonCode: '95713',
  EvidenceCategoryDuplicate: '95714',
  DigitalGoodsMissingEvidence: '95720',
  DigitalGoodsMissingDownloadDate: '95721',
  NonDisputedPriorTransactionEvidenceMissingARN: '95722',
  NonDisputedPriorTransactionEvidenceMissingDate: '95723',
  RecurringTransactionEvidenceMissingDate: '95724',
  RecurringTransactionEvidenceMissingARN: '95725',
  ValidEvidenceRequiredToFinalize: '95726',
  OptionalEvidenceRequiredForPriorTransactionResponses: '95727',
  KindIsInvalid: '84901',
  FileIsTooLarge: '84902',
  FileTypeIsInvalid: '84903',
  FileIsMalformedOrEncrypted: '84904',
  FileIsTooLong: '84905',
  FileIsEmpty: '84906',
};

/** The validations that the adapter gives a meaning to, by the SDK's names for their numbers. */
const VALIDATIONS = {
  CannotRefundUnlessSettled: '91506',
  CannotPartiallyRefundEscrowedTransaction: '91563',
  CannotRefundSettlingTransaction: '91574',
  RefundAuthSoftDeclined: '915201',
  AmountCannotBeNegative: '81501',
  AmountIsRequired: '81502',
  AmountFormatIsInvalid: '81503',
  AmountIsTooLarge: '81528',
  AmountMustBeGreaterThanZero: '81531',
  CannotRefundWithSuspendedMerchantAccount: '91538',
  MerchantAccountDoesNotSupportRefunds: '91547',
  CannotRefundWithPendingMerchantAccount: '91559',
  CannotRefundCredit: '91505',
  RefundAuthHardDeclined: '915200',
  HasAlreadyBeenRefunded: '91512',
  RefundAmountIsTooLarge: '91521',
  CannotBeVoided: '91504',
  StatusIsCanceled: '81905',
};

it.each([
  ['', BRAINTREE_CLASSES, VALIDATIONS],
  [' of disputes', BRAINTREE_DISPUTE_CLASSES, DISPUTE_VALIDATIONS],
])(
  'each number of a refusal%s is the SDK’s validation of that name',
  (_of, classes, validations) => {
    const codes = declarationsOf('braintree/lib/braintree/validation_error_codes.js');
    const known = Object.values(validations);
    for (const [name, code] of Object.entries(validations)) {
      expect(codes).toMatch(new RegExp(`\\b${name}: "${code}"`));
    }
    const numbers = [...classes.keys()].filter((word) => /^\d+$/.test(word));
    expect(numbers.filter((code) => !known.includes(code))).toEqual([]);
  },
);

/** `schema.graphql` of https://github.com/braintree/graphql-api, which comes with no package. */
const schemaFile = process.env['BRAINTREE_SCHEMA'];

it.skipIf(schemaFile === undefined)(
  'each call about disputes, its variables and its categories are those of the published schema',
  async () => {
    const schema = buildSchema(await readFile(schemaFile ?? '', 'utf8'));
    const provider = serveDisputes('braintree');
    try {
      await callDisputes(provider);
    } finally {
      provider.stop();
    }
    const asked = new Set(provider.requests.map((request) => request.asked));
    expect(asked).toEqual(new Set(['list', 'read', 'stage', 'submit', 'accept']));
    for (const { body } of provider.requests) {
      const { query, variables } =
        body['operations'] === undefined ? body : JSON.parse(String(body['operations']));
      const document = parse(String(query));
      expect(validate(schema, document)).toEqual([]);
      const [operation] = document.definitions;
      if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('no operation');
      const { variableDefinitions = [] } = operation;
      expect(getVariableValues(schema, variableDefinitions, variables).errors).toBeUndefined();
    }
    const categories = schema.getType('DisputeFileEvidenceCategory');
    if (!(categories instanceof GraphQLEnumType)) throw new Error('no categories');
    const names = categories.getValues().map(({ name }) => name);
    expect(BRAINTREE_WANTS.slots.filter(({ name }) => !names.includes(name))).toEqual([]);
  },
);

/** Every call of evidence: one dispute is answered, another is given up. */
async function callDisputes({ processor, book }: DisputeProvider): Promise<void> {
  const { disputes } = processor;
  if (disputes === undefined) throw new Error('no disputes');
  const { signal } = new AbortController();
  const { reference: disputeReference } = book;
  await disputes.list({ changedSince: '2026-03-01T00:00:00.000Z' });
  const content = Buffer.from('%PDF-1.7\n');
  const file = { slot: 'GENERAL', name: 'response.pdf', type: 'application/pdf', content } as const;
  const key = 'ev_1';
  const staged = await disputes.stage({ ...file, idempotencyKey: key, disputeReference }, signal);
  if (staged.kind !== 'done') throw new Error(JSON.stringify(staged));
  const files = [{ ...file, reference: staged.value.reference }];
  await disputes.submit({ idempotencyKey: key, disputeReference, fields: {}, files }, signal);
  book.status = 'open';
  await disputes.accept(disputeReference, `${key}_accept`, signal);
}
