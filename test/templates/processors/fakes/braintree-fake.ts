/** Braintree's GraphQL API as its reference describes it: HTTP 200 always, errors in the body. */
import type { ConformanceFixture } from '../../../../src/running/verify/conformance-check.ts';
import type { FakeAnswer, FakeProvider, FakeRequest } from './fake-provider.ts';
import { serveFake } from './fake-provider.ts';
import { ledgerFixture } from './fixture.ts';
import type { LedgerCharge, LedgerRefund } from './ledger.ts';
import { Ledger } from './ledger.ts';

export const BRAINTREE_BASE = 'https://payments.braintree-api.com';

export interface BraintreeFake {
  readonly ledger: Ledger;
  readonly provider: FakeProvider;
  readonly fixture: ConformanceFixture;
}

type Json = Record<string, unknown>;

function globalId(type: string, id: string): string {
  return Buffer.from(`${type}_${id}`).toString('base64');
}

function legacyId(id: string): string {
  return Buffer.from(id, 'base64')
    .toString()
    .replace(/^[a-z]+_/, '');
}

function money(amount: number, currency: string): Json {
  return { value: (amount / 100).toFixed(2), currencyCode: currency };
}

const REFUND_STATUS = {
  pending: 'SUBMITTED_FOR_SETTLEMENT',
  succeeded: 'SETTLED',
  failed: 'SETTLEMENT_DECLINED',
};

const STATUS = { captured: 'SETTLED', authorised: 'SUBMITTED_FOR_SETTLEMENT', voided: 'VOIDED' };

export function refundNode(refund: LedgerRefund, charge: LedgerCharge): Json {
  return {
    id: globalId('refund', refund.id),
    legacyId: refund.id,
    createdAt: new Date(refund.created * 1000).toISOString().replace('.000Z', '.000000Z'),
    status: REFUND_STATUS[refund.status],
    orderId: refund.key,
    amount: money(refund.amount, charge.currency),
  };
}

export function transactionNode(charge: LedgerCharge): Json {
  const createdAt = new Date(charge.created * 1000).toISOString().replace('.000Z', '.000000Z');
  return {
    id: globalId('transaction', charge.id),
    legacyId: charge.id,
    createdAt,
    status: STATUS[charge.status],
    orderId: 'order-6735',
    amount: money(charge.amount, charge.currency),
    paymentMethodSnapshot: {
      __typename: 'CreditCardDetails',
      brandCode: 'VISA',
      bin: '411111',
      last4: charge.last4,
    },
    statusHistory: [
      { status: STATUS[charge.status], timestamp: createdAt },
      {
        status: 'AUTHORIZED',
        timestamp: createdAt,
        processorResponse: { authorizationId: 'MJTV92' },
      },
    ],
    refunds: charge.refunds.map((refund) => refundNode(refund, charge)),
    disputes: charge.disputed ? [{ status: 'OPEN', type: 'CHARGEBACK' }] : [],
  };
}

function data(value: Json): FakeAnswer {
  return { status: 200, body: { data: value, extensions: { requestId: 'a-uuid' } } };
}

/** `legacyCode` is left out where Braintree has none. */
export function graphqlError(field: string, errorClass: string, legacyCode?: string): FakeAnswer {
  const extensions = { errorType: 'user_error', errorClass, legacyCode };
  return {
    status: 200,
    body: {
      data: { [field]: null },
      errors: [{ message: 'See the code.', path: [field], extensions }],
      extensions: { requestId: 'a-uuid' },
    },
  };
}

interface Operation {
  readonly query: string;
  readonly variables: { readonly id?: string; readonly input: never };
}

export function startBraintreeFake(): BraintreeFake {
  const ledger = new Ledger();
  const used = new Map<string, { readonly input: string; readonly refund: LedgerRefund }>();

  function refund(input: {
    transactionId: string;
    apiRequestKey: string;
    refund: { amount: string; orderId: string };
  }): FakeAnswer {
    const id = legacyId(input.transactionId);
    const text = JSON.stringify(input);
    const earlier = used.get(input.apiRequestKey);
    if (earlier !== undefined && earlier.input !== text) {
      return graphqlError('refundTransaction', 'VALIDATION');
    }
    const amount = Math.round(Number(input.refund.amount) * 100);
    const wanted = { id: ledger.next('rf'), key: input.refund.orderId, amount };
    const made = earlier?.refund ?? ledger.refund(id, wanted, 'pending');
    if (made === 'missing') return graphqlError('refundTransaction', 'NOT_FOUND');
    if (made === 'uncaptured') return graphqlError('refundTransaction', 'VALIDATION', '91506');
    if (made === 'too_much' || made === 'disputed')
      return graphqlError('refundTransaction', 'VALIDATION', '91521');
    used.set(input.apiRequestKey, { input: text, refund: made });
    return data({ refundTransaction: { refund: refundNode(made, ledger.charges.get(id)!) } });
  }

  function voidTransaction({ transactionId }: { transactionId: string }): FakeAnswer {
    const charge = ledger.charges.get(legacyId(transactionId));
    if (charge === undefined) return graphqlError('voidTransaction', 'NOT_FOUND');
    if (charge.status !== 'authorised') {
      return graphqlError('voidTransaction', 'VALIDATION', '91504');
    }
    charge.status = 'voided';
    return data({ voidTransaction: { transaction: transactionNode(charge) } });
  }

  function cancel({ subscriptionId }: { subscriptionId: string }): FakeAnswer {
    const field = 'cancelRecurringBillingSubscription';
    const state = ledger.subscriptions.get(subscriptionId);
    if (state === undefined) return graphqlError(field, 'NOT_FOUND');
    if (state === 'cancelled') return graphqlError(field, 'VALIDATION', '81905');
    ledger.subscriptions.set(subscriptionId, 'cancelled');
    return data({ [field]: { subscription: { id: subscriptionId, status: 'CANCELED' } } });
  }

  function search(input: {
    amount?: { value: { is: string } };
    processorAuthorizationId?: { is: string };
  }): FakeAnswer {
    const wanted = input.amount?.value.is;
    const found = [...ledger.charges.values()].filter(
      ({ amount }) => wanted === undefined || (amount / 100).toFixed(2) === wanted,
    );
    const edges = found.slice(-50).map((charge) => ({ node: transactionNode(charge) }));
    return data({ search: { transactions: { pageInfo: { hasNextPage: false }, edges } } });
  }

  function handle({ body }: FakeRequest): FakeAnswer {
    const { query, variables } = JSON.parse(body) as Operation;
    if (query.includes('refundTransaction(')) return refund(variables.input);
    if (query.includes('voidTransaction(')) return voidTransaction(variables.input);
    if (query.includes('cancelRecurring')) return cancel(variables.input);
    if (query.includes('transactions(')) return search(variables.input);
    if (query.includes('idsFromLegacyIds')) {
      const { ids } = variables.input as { ids: { legacyId: string }[] };
      return data({ idsFromLegacyIds: ids.map((id) => globalId('transaction', id.legacyId)) });
    }
    const charge = ledger.charges.get(legacyId(variables.id ?? ''));
    return charge === undefined
      ? graphqlError('node', 'NOT_FOUND')
      : data({ node: transactionNode(charge) });
  }

  const provider = serveFake({
    base: BRAINTREE_BASE,
    handle,
    isRefund: ({ body }) => body.includes('refundTransaction('),
    refusal: graphqlError('refundTransaction', 'VALIDATION', '91512').body,
  });
  return {
    ledger,
    provider,
    fixture: ledgerFixture(ledger, provider, { charge: 'bt', subscription: 'sub' }),
  };
}
