/** PayPal's REST API as its reference describes it: tokens, captures, orders, refunds, disputes. */
import type { ConformanceFixture } from '../../../../src/running/verify/conformance-check.ts';
import type { FakeAnswer, FakeProvider, FakeRequest } from './fake-provider.ts';
import { serveFake } from './fake-provider.ts';
import { ledgerFixture } from './fixture.ts';
import type { LedgerCharge, LedgerRefund } from './ledger.ts';
import { Ledger } from './ledger.ts';

export const PAYPAL_BASE = 'https://api-m.paypal.com';

export interface PayPalFake {
  readonly ledger: Ledger;
  readonly provider: FakeProvider;
  readonly fixture: ConformanceFixture;
}

type Json = Record<string, unknown>;

function amountBody(amount: number, currency: string): Json {
  return { currency_code: currency, value: (amount / 100).toFixed(2) };
}

function time(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
}

const REFUND_STATUS = { pending: 'PENDING', succeeded: 'COMPLETED', failed: 'FAILED' };

export function refundBody(refund: LedgerRefund, charge: LedgerCharge): Json {
  return {
    id: refund.id,
    amount: amountBody(refund.amount, charge.currency),
    custom_id: refund.key,
    status: REFUND_STATUS[refund.status],
    ...(refund.status === 'pending' ? { status_details: { reason: 'ECHECK' } } : {}),
    create_time: time(refund.created),
    links: [
      { rel: 'self', href: `${PAYPAL_BASE}/v2/payments/refunds/${refund.id}` },
      { rel: 'up', href: `${PAYPAL_BASE}/v2/payments/captures/${charge.id}` },
    ],
  };
}

export function captureBody(charge: LedgerCharge, refunded: number): Json {
  const partly = refunded === charge.amount ? 'REFUNDED' : 'PARTIALLY_REFUNDED';
  return {
    id: charge.id,
    amount: amountBody(charge.amount, charge.currency),
    status: refunded === 0 ? 'COMPLETED' : partly,
    final_capture: true,
    invoice_id: 'order-6735',
    create_time: time(charge.created),
    network_transaction_reference: {
      id: '583093217896203',
      acquirer_reference_number: '74537604221431003881865',
    },
    supplementary_data: { related_ids: { order_id: `O-${charge.id}` } },
  };
}

function refusal(status: number, name: string, issue?: string): FakeAnswer {
  const details =
    issue === undefined ? {} : { details: [{ issue, description: 'See the issue.' }] };
  return {
    status,
    body: { name, message: 'See the name.', debug_id: '90957fca61718', ...details },
  };
}

const MISSING = refusal(404, 'RESOURCE_NOT_FOUND', 'INVALID_RESOURCE_ID');

export function startPayPalFake(): PayPalFake {
  const ledger = new Ledger({ refundsDisputed: false });
  const made = new Map<string, { readonly refund: LedgerRefund; readonly charge: LedgerCharge }>();

  function refund(id: string, { headers, body }: FakeRequest): FakeAnswer {
    const requestId = headers['paypal-request-id'] ?? '';
    const earlier = made.get(requestId);
    // The state of what the first request made, whatever the repeat holds.
    if (earlier !== undefined)
      return { status: 200, body: refundBody(earlier.refund, earlier.charge) };
    const { amount, custom_id: key } = JSON.parse(body) as {
      amount: { value: string };
      custom_id: string;
    };
    const wanted = { id: ledger.next('1JU'), key, amount: Math.round(Number(amount.value) * 100) };
    const done = ledger.refund(id, wanted, 'succeeded');
    if (done === 'missing') return MISSING;
    if (done === 'disputed') {
      return refusal(422, 'UNPROCESSABLE_ENTITY', 'REFUND_NOT_PERMITTED_DUE_TO_CHARGEBACK');
    }
    if (done === 'uncaptured') return refusal(422, 'UNPROCESSABLE_ENTITY', 'PENDING_CAPTURE');
    if (done === 'too_much') return refusal(422, 'UNPROCESSABLE_ENTITY', 'REFUND_AMOUNT_EXCEEDED');
    const charge = ledger.charges.get(id)!;
    made.set(requestId, { refund: done, charge });
    return { status: 201, body: refundBody(done, charge) };
  }

  function voidAuthorization(id: string): FakeAnswer {
    const charge = ledger.charges.get(id);
    if (charge === undefined || charge.status === 'captured') return MISSING;
    if (charge.status === 'voided') {
      return refusal(422, 'UNPROCESSABLE_ENTITY', 'PREVIOUSLY_VOIDED');
    }
    charge.status = 'voided';
    return { status: 204, body: undefined };
  }

  function subscription(id: string, { method }: FakeRequest): FakeAnswer {
    const state = ledger.subscriptions.get(id);
    if (state === undefined) return MISSING;
    if (method === 'GET') {
      return { status: 200, body: { id, status: state === 'active' ? 'ACTIVE' : 'CANCELLED' } };
    }
    if (state === 'cancelled') {
      return refusal(422, 'UNPROCESSABLE_ENTITY', 'SUBSCRIPTION_STATUS_INVALID');
    }
    ledger.subscriptions.set(id, 'cancelled');
    return { status: 204, body: undefined };
  }

  function payment(kind: string, id: string): FakeAnswer {
    const charge = ledger.charges.get(kind === 'orders' ? id.slice(2) : id);
    const isOther = (charge?.status === 'captured') !== (kind === 'captures');
    if (charge === undefined || (kind !== 'orders' && isOther)) return MISSING;
    const captured = captureBody(charge, ledger.refundedOf(charge.id));
    if (kind === 'captures') return { status: 200, body: captured };
    if (kind === 'authorizations') {
      const status = charge.status === 'voided' ? 'VOIDED' : 'CREATED';
      return { status: 200, body: { ...captured, status } };
    }
    const refunds = charge.refunds.map((r) => refundBody(r, charge));
    const card = { last_digits: charge.last4, brand: 'VISA', type: 'CREDIT' };
    const units = [{ reference_id: 'default', payments: { captures: [captured], refunds } }];
    return { status: 200, body: { id, payment_source: { card }, purchase_units: units } };
  }

  function report(query: URLSearchParams): FakeAnswer {
    const [from] = (query.get('transaction_amount') ?? '').split(' TO ');
    const fitting = [...ledger.charges.values()].filter(({ amount }) => amount === Number(from));
    const rows = fitting.slice(-3).map(({ id }) => ({ transaction_info: { transaction_id: id } }));
    return { status: 200, body: { transaction_details: rows, total_items: rows.length } };
  }

  function disputes(query: URLSearchParams): FakeAnswer {
    const charge = ledger.charges.get(query.get('disputed_transaction_id') ?? '');
    const items = charge?.disputed ? [{ dispute_id: 'PP-D-1', status: 'UNDER_REVIEW' }] : [];
    return { status: 200, body: { items } };
  }

  function handle(request: FakeRequest): FakeAnswer {
    const { path, query } = request;
    const [, , , kind = '', id = '', action] = path.split('/');
    if (path === '/v1/oauth2/token') {
      const token = { access_token: 'A21AA', token_type: 'Bearer', expires_in: 32_400 };
      return { status: 200, body: token };
    }
    if (path === '/v1/reporting/transactions') return report(query);
    if (path === '/v1/customer/disputes') return disputes(query);
    if (kind === 'subscriptions') return subscription(id, request);
    if (action === 'refund') return refund(id, request);
    if (action === 'void') return voidAuthorization(id);
    return payment(kind, id);
  }

  const provider = serveFake({
    base: PAYPAL_BASE,
    handle,
    isRefund: ({ path }) => path.endsWith('/refund'),
    isReading: ({ path }) => path !== '/v1/oauth2/token',
    refusal: refusal(422, 'UNPROCESSABLE_ENTITY', 'CAPTURE_FULLY_REFUNDED').body,
  });
  return {
    ledger,
    provider,
    fixture: ledgerFixture(ledger, provider, { charge: '2GG27954', subscription: 'I-BW' }),
  };
}
