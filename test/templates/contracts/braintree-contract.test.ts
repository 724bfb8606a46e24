/**
 * Guarantee: the Braintree adapter knows every status of Braintree's own SDK, and each number of a refusal is
 * one of its validations. The calls are GraphQL, which the SDK does not speak: `braintree.test.ts` holds them
 * against the published reference.
 */
import braintree from 'braintree';
import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  BRAINTREE_CLASSES,
  BRAINTREE_WORDS,
} from '../../../templates/processors/braintree/transaction.ts';
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

it('each number of a refusal is the SDK’s validation of that name', () => {
  const codes = declarationsOf('braintree/lib/braintree/validation_error_codes.js');
  for (const [name, code] of Object.entries(VALIDATIONS)) {
    expect(codes).toMatch(new RegExp(`\\b${name}: "${code}"`));
  }
  const numbers = [...BRAINTREE_CLASSES.keys()].filter((word) => /^\d+$/.test(word));
  expect(numbers.filter((code) => !Object.values(VALIDATIONS).includes(code))).toEqual([]);
});
