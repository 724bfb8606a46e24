/**
 * Guarantee: the PayPal adapter calls, reads and understands PayPal as PayPal's own SDK does. A change of the
 * SDK's types fails here or in `tsc`. Disputes are not in the SDK: their words and bodies stand in PayPal's published schema.
 */
import { readFile } from 'node:fs/promises';
import {
  AuthorizationStatus,
  CaptureStatus,
  Client,
  Environment,
  OrdersController,
  PaymentsController,
  RefundStatus,
  SubscriptionsController,
  TransactionSearchController,
} from '@paypal/paypal-server-sdk';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import type { RefundRequest } from '../../../src/service/wire/processor.ts';
import {
  PAYPAL_DISPUTE_WORDS,
  PAYPAL_OUTCOME_WORDS,
} from '../../../templates/processors/paypal/disputes.ts';
import { PAYPAL_WORDS } from '../../../templates/processors/paypal/payment.ts';
import { createPayPalProcessor } from '../../../templates/processors/paypal/processor.ts';
import { serveDisputes } from '../processors/fakes/dispute-fakes.ts';
import type { FakeAnswer, FakeRequest } from '../processors/fakes/fake-provider.ts';
import { callsOf } from './support/same-request.ts';

describe('words', () => {
  it.each([
    ['capture.status', CaptureStatus, []],
    // An authorization that nobody captured expires; older answers say so.
    ['authorization.status', AuthorizationStatus, ['EXPIRED']],
    ['refund.status', RefundStatus, []],
  ] as const)('of %s are those of the SDK, all of them', (field, statuses, beside) => {
    const known: string[] = [...Object.values(statuses), ...beside];
    expect(Object.keys(PAYPAL_WORDS[field]).toSorted()).toEqual(known.toSorted());
  });
});

const BASE = 'https://api-m.sandbox.paypal.com';
const paypal = createPayPalProcessor({
  clientId: 'id',
  clientSecret: 'secret',
  baseUrl: BASE,
  transactionSearch: true,
});
const client = new Client({
  environment: Environment.Sandbox,
  clientCredentialsAuthCredentials: { oAuthClientId: 'id', oAuthClientSecret: 'secret' },
});
const payments = new PaymentsController(client);
const { signal } = new AbortController();

const REQUEST: RefundRequest = {
  idempotencyKey: 'fst_1',
  chargeReference: '2GG279541U471931P',
  alertId: 'netalrt_1',
  reason: 'alert',
  amountMinor: 1099,
  currency: 'USD',
};

/** Amounts, states and links of PayPal's published examples. */
function answer({ method, path }: FakeRequest): FakeAnswer {
  const amount = { currency_code: 'USD', value: '10.99' };
  if (path === '/v1/oauth2/token') {
    const token = { access_token: 'A21', token_type: 'Bearer', expires_in: 31668 };
    return { status: 200, body: token };
  }
  if (path.endsWith('/refund')) {
    return { status: 201, body: { id: '1JU08902781691411', amount, status: 'COMPLETED' } };
  }
  if (path.endsWith('/cancel')) return { status: 204, body: undefined };
  if (path.startsWith('/v1/customer/disputes')) return { status: 200, body: { items: [] } };
  if (path.startsWith('/v1/reporting')) return { status: 200, body: { transaction_details: [] } };
  if (path.startsWith('/v2/checkout/orders')) return { status: 200, body: { purchase_units: [] } };
  if (path.startsWith('/v2/payments/captures/AUTH')) {
    return { status: 404, body: { name: 'RESOURCE_NOT_FOUND' } };
  }
  const related = { supplementary_data: { related_ids: { order_id: '5O190127TN364715T' } } };
  const status = method === 'POST' ? 'VOIDED' : 'COMPLETED';
  return { status: 200, body: { id: REQUEST.chargeReference, amount, status, ...related } };
}

it.each<[string, () => Promise<unknown>, () => Promise<unknown>]>([
  [
    'refund',
    () => paypal.refund(REQUEST, signal),
    () =>
      payments.refundCapturedPayment({
        captureId: REQUEST.chargeReference,
        paypalRequestId: 'fst_1',
        prefer: 'return=representation',
        body: { amount: { currencyCode: 'USD', value: '10.99' }, customId: 'fst_1' },
      }),
  ],
  [
    'reading a capture',
    () => paypal.readCharge(REQUEST.chargeReference),
    () => payments.getCapturedPayment({ captureId: REQUEST.chargeReference }),
  ],
  [
    'reading its order',
    () => paypal.readCharge(REQUEST.chargeReference),
    () => new OrdersController(client).getOrder({ id: '5O190127TN364715T' }),
  ],
  [
    'reading an authorization',
    () => paypal.readCharge('AUTH1'),
    () => payments.getAuthorizedPayment({ authorizationId: 'AUTH1' }),
  ],
  [
    'voiding an authorization',
    () => paypal.voidCharge('AUTH1', 'fst_1', signal),
    () =>
      payments.voidPayment({
        authorizationId: 'AUTH1',
        paypalRequestId: 'fst_1_void',
        prefer: 'return=representation',
      }),
  ],
  [
    'cancelling a subscription',
    () => paypal.cancelSubscription('I-BW452GLLEP1G', 'fst_1', signal),
    () =>
      new SubscriptionsController(client).cancelSubscription({
        id: 'I-BW452GLLEP1G',
        body: { reason: 'Payment disputed' },
      }),
  ],
  [
    'the report',
    () =>
      paypal.searchCharges({
        amountMinor: 1099,
        currency: 'USD',
        authorisedFrom: '2026-09-19T00:00:00.000Z',
        authorisedTo: '2026-09-23T23:59:59.999Z',
      }),
    () =>
      new TransactionSearchController(client).searchTransactions({
        startDate: '2026-09-19T00:00:00.000Z',
        endDate: '2026-09-23T23:59:59.999Z',
        transactionAmount: '1099 TO 1099',
        transactionCurrency: 'USD',
        fields: 'transaction_info',
        pageSize: 21,
      }),
  ],
])('%s is the SDK’s call', async (_what, ours, theirs) => {
  const own = await callsOf(BASE, answer, ours);
  const sdk = await callsOf(BASE, answer, theirs);
  const [call] = sdk.seen.filter(({ path }) => path !== '/v1/oauth2/token');
  // A body without content is sent as `{}` by one and not at all by the other.
  const filled = own.seen.map(({ body, ...rest }) => ({
    ...rest,
    body: JSON.stringify(body) === '{}' ? null : body,
  }));
  expect(filled).toContainEqual(call);
  const of = (requests: readonly FakeRequest[]): FakeRequest | undefined =>
    requests.find(({ method, path }) => method === call?.method && path === call.path);
  const theirHeaders = Object.entries(of(sdk.requests)?.headers ?? {}).filter(([name]) =>
    ['authorization', 'prefer', 'paypal-request-id'].includes(name),
  );
  expect(of(own.requests)?.headers).toMatchObject(Object.fromEntries(theirHeaders));
});

/** A capture and its order in PayPal's words, with the fields that the adapter reads. */
const CAPTURE = {
  id: '2GG279541U471931P',
  status: 'COMPLETED',
  amount: { currency_code: 'USD', value: '10.99' },
  create_time: '2026-09-21T14:13:20Z',
  invoice_id: 'A-1',
  custom_id: 'C-1',
  network_transaction_reference: { acquirer_reference_number: '74537604221431003881865' },
  supplementary_data: { related_ids: { order_id: '5O190127TN364715T' } },
};
const REFUND = {
  id: '1JU08902781691411',
  status: 'PENDING',
  status_details: { reason: 'ECHECK' },
  amount: { currency_code: 'USD', value: '4.00' },
  custom_id: 'fst_1',
  create_time: '2026-09-22T14:13:20Z',
  links: [{ rel: 'up', href: 'https://api-m.paypal.com/v2/payments/captures/2GG279541U471931P' }],
};
const ORDER = {
  id: '5O190127TN364715T',
  payment_source: {
    card: { brand: 'VISA', last_digits: '1111', bin_details: { bin: '411111' } },
  },
  purchase_units: [{ payments: { refunds: [REFUND] } }],
};

it('reads a capture, its order and its refunds where the SDK reads them', async () => {
  const handle = (request: FakeRequest): FakeAnswer => {
    if (request.path.startsWith('/v2/payments/captures/')) return { status: 200, body: CAPTURE };
    if (request.path.startsWith('/v2/checkout/orders/')) return { status: 200, body: ORDER };
    return answer(request);
  };
  await callsOf(BASE, handle, async () => {
    const charge = await paypal.readCharge(CAPTURE.id);
    if (charge.kind !== 'found') throw new Error(charge.kind);
    const { result: capture } = await payments.getCapturedPayment({ captureId: CAPTURE.id });
    const orderId = capture.supplementaryData?.relatedIds?.orderId ?? '';
    const { result: order } = await new OrdersController(client).getOrder({ id: orderId });
    const card = order.paymentSource?.card;
    const [refund] = order.purchaseUnits?.[0]?.payments?.refunds ?? [];
    expect(charge.value).toMatchObject({
      reference: capture.id,
      orderReference: capture.invoiceId,
      cardBrand: card?.brand,
      cardLast4: card?.lastDigits,
      acquirerReferenceNumber: capture.networkTransactionReference?.acquirerReferenceNumber,
      // 10.99 and 4.00.
      amountMinor: 1099,
      currency: capture.amount?.currencyCode,
      refundableMinor: 699,
      refunds: [
        {
          reference: refund?.id,
          idempotencyKey: refund?.customId,
          amountMinor: 400,
          status: 'pending',
        },
      ],
    });
    expect(capture.amount?.value).toBe('10.99');
    expect(refund?.amount?.value).toBe('4.00');
    expect([card?.lastDigits, capture.invoiceId, refund?.customId]).toEqual([
      '1111',
      'A-1',
      'fst_1',
    ]);
  });
});

/** `openapi/customer_disputes_v1.json` of https://github.com/paypal/paypal-rest-api-specifications. */
const disputesFile = process.env['PAYPAL_DISPUTES_SCHEMA'];

it.skipIf(disputesFile === undefined)(
  'the calls about disputes, their bodies and words are those of the published schema',
  async () => {
    const { paths, components } = JSON.parse(await readFile(disputesFile ?? '', 'utf8'));
    const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
    ajv.addSchema({ $id: 'paypal', components });
    const faultsOf = (name: string, value: unknown): unknown => {
      const isValid = ajv.compile({ $ref: `paypal#/components/schemas/${name}` });
      return isValid(value) ? null : isValid.errors;
    };
    const { dispute_outcome: outcome, status } = components.schemas;
    // RESOLVED says that it is over: the outcome says how.
    expect(['RESOLVED', ...Object.keys(PAYPAL_DISPUTE_WORDS)].toSorted()).toEqual(
      status.enum.toSorted(),
    );
    expect(Object.keys(PAYPAL_OUTCOME_WORDS).toSorted()).toEqual(
      outcome.properties.outcome_code.enum.toSorted(),
    );

    const provider = serveDisputes('paypal');
    const shown: unknown[] = [];
    try {
      const { disputes } = provider.processor;
      if (disputes === undefined) throw new Error('no disputes');
      const { reference: disputeReference } = provider.book;
      const show = async (): Promise<void> => {
        const response = await fetch(`${BASE}/v1/customer/disputes/${disputeReference}`);
        shown.push(await response.json());
      };
      await show();
      await disputes.list({ changedSince: '2026-03-01T00:00:00.000Z' });
      const file = {
        ...{ slot: 'OTHER', name: 'proof-of-refund.pdf', type: 'application/pdf' as const },
        content: Buffer.from('%PDF-1.7\n'),
      };
      const idempotencyKey = 'ev_1';
      const staged = await disputes.stage({ ...file, idempotencyKey, disputeReference }, signal);
      if (staged.kind !== 'done') throw new Error(JSON.stringify(staged));
      const files = [{ ...file, reference: staged.value.reference }];
      const fields = { notes: 'Refunded on 2026-03-01.' };
      await disputes.submit({ idempotencyKey, disputeReference, fields, files }, signal);
      await show();
      // Another, that is given up.
      Object.assign(provider.book, { status: 'open', submissions: 0 });
      await disputes.accept(disputeReference, 'ev_1_accept', signal);
      await show();
    } finally {
      provider.stop();
    }
    const asked = new Set(provider.requests.map((request) => request.asked));
    expect(asked).toEqual(new Set(['token', 'list', 'read', 'submit', 'accept']));
    for (const { asked: kind, method, path, query, body } of provider.requests) {
      if (kind === 'token') continue;
      const called =
        paths[path.replace(/disputes\/[^/]+/, 'disputes/{id}')]?.[method.toLowerCase()];
      expect(called, `${method} ${path}`).toBeDefined();
      const known = called.parameters.map(({ $ref, name }: { $ref?: string; name?: string }) =>
        $ref === undefined ? name : components.parameters[String($ref.split('/').at(-1))].name,
      );
      expect([...query.keys()].filter((name) => !known.includes(name))).toEqual([]);
      if (kind === 'submit') {
        const { evidences } = body['input'] as { evidences: unknown[] };
        expect(evidences).toHaveLength(1);
        expect(faultsOf('evidence', evidences[0])).toBeNull();
      }
      if (kind === 'accept')
        expect(faultsOf('accept_claim_type', body['accept_claim_type'])).toBeNull();
    }
    // What the tests answer in PayPal's place is what PayPal may answer.
    for (const each of shown) expect(faultsOf('dispute', each)).toBeNull();
  },
);
