/** Stripe as its public reference describes it: charges, refunds, search, intents, idempotency. */
import type { ConformanceFixture } from '../../../../src/running/verify/conformance-check.ts';
import type { FakeAnswer, FakeProvider, FakeRequest } from './fake-provider.ts';
import { serveFake } from './fake-provider.ts';
import { ledgerFixture } from './fixture.ts';
import type { LedgerCharge, LedgerRefund } from './ledger.ts';
import { Ledger } from './ledger.ts';

export const STRIPE_BASE = 'https://api.stripe.com';

export interface StripeFake {
  readonly ledger: Ledger;
  readonly provider: FakeProvider;
  readonly fixture: ConformanceFixture;
}

function refusal(code: string, status = 400): FakeAnswer {
  return {
    status,
    body: { error: { type: 'invalid_request_error', code, message: 'See the code.' } },
  };
}

/** A charge in the shape of https://docs.stripe.com/api/charges/object at 2026-10-28.endive. */
export function chargeBody(charge: LedgerCharge, ledger: Ledger): Record<string, unknown> {
  const captured = charge.status === 'captured';
  return {
    id: charge.id,
    object: 'charge',
    amount: charge.amount,
    amount_captured: captured ? charge.amount : 0,
    amount_refunded: charge.status === 'voided' ? charge.amount : ledger.refundedOf(charge.id),
    application_fee: null,
    captured,
    created: charge.created,
    currency: charge.currency.toLowerCase(),
    disputed: charge.disputed,
    livemode: false,
    metadata: { order_id: '6735' },
    paid: true,
    payment_intent: charge.id.replace('ch_', 'pi_'),
    payment_method_details: {
      card: {
        authorization_code: '123456',
        brand: 'visa',
        country: 'US',
        exp_month: 3,
        exp_year: 2028,
        fingerprint: 'mToisGZ01V71BCos',
        funding: 'credit',
        last4: charge.last4,
        network: 'visa',
      },
      type: 'card',
    },
    refunded: charge.status === 'voided' || ledger.refundedOf(charge.id) === charge.amount,
    status: 'succeeded',
    transfer_data: null,
  };
}

/** What https://docs.stripe.com/api/invoice-payment/list shows of the invoice that a subscription made. */
export function invoicePayments(subscription: string | null): FakeAnswer {
  const details = subscription === null ? null : { subscription, metadata: null };
  const parent = {
    type: 'subscription_details',
    subscription_details: details,
    quote_details: null,
  };
  const invoice = { id: 'in_000001', object: 'invoice', parent };
  return list([{ id: 'inpay_1', object: 'invoice_payment', invoice, status: 'paid' }]);
}

/** A refund in the shape of https://docs.stripe.com/api/refunds/object. */
export function refundBody(refund: LedgerRefund, charge: LedgerCharge): Record<string, unknown> {
  return {
    id: refund.id,
    object: 'refund',
    amount: refund.amount,
    balance_transaction: 'txn_1Nispe2eZvKYlo2CYezqFhEx',
    charge: charge.id,
    created: refund.created,
    currency: charge.currency.toLowerCase(),
    metadata: { forestall_key: refund.key },
    payment_intent: charge.id.replace('ch_', 'pi_'),
    reason: null,
    status: refund.status,
    ...(refund.status === 'failed' ? { failure_reason: 'lost_or_stolen_card' } : {}),
  };
}

function list(data: unknown[]): FakeAnswer {
  return { status: 200, body: { object: 'list', has_more: false, data } };
}

/** `references`: under which of its two ids the fixture names a charge. */
export function startStripeFake(references: 'charge' | 'payment_intent' = 'charge'): StripeFake {
  const ledger = new Ledger({ refundsDisputed: false });
  const saved = new Map<string, { readonly request: string; readonly answer: FakeAnswer }>();

  function write(request: FakeRequest, run: (form: URLSearchParams) => FakeAnswer): FakeAnswer {
    const key = request.headers['idempotency-key'] ?? '';
    const text = `${request.path} ${request.body}`;
    const earlier = saved.get(key);
    if (earlier !== undefined) {
      if (earlier.request === text) return earlier.answer;
      const error = { type: 'idempotency_error', message: 'Keys for idempotent requests …' };
      return { status: 400, body: { error } };
    }
    const answer = run(new URLSearchParams(request.body));
    saved.set(key, { request: text, answer });
    return answer;
  }

  function createRefund(form: URLSearchParams): FakeAnswer {
    const intent = form.get('payment_intent');
    const chargeId = form.get('charge') ?? intent?.replace('pi_', 'ch_') ?? '';
    const wanted = {
      id: ledger.next('re_'),
      key: form.get('metadata[forestall_key]') ?? '',
      amount: Number(form.get('amount')),
    };
    const refund = ledger.refund(chargeId, wanted, 'succeeded');
    if (refund === 'missing') return refusal('resource_missing', 404);
    if (refund === 'disputed') return refusal('charge_disputed');
    if (typeof refund === 'string') return refusal('charge_already_refunded');
    return { status: 200, body: refundBody(refund, ledger.charges.get(chargeId)!) };
  }

  function cancelIntent(id: string): FakeAnswer {
    const charge = ledger.charges.get(id.replace('pi_', 'ch_'));
    if (charge === undefined) return refusal('resource_missing', 404);
    const intent = { id, object: 'payment_intent', status: 'canceled' };
    if (charge.status === 'authorised') {
      charge.status = 'voided';
      return { status: 200, body: intent };
    }
    const status = charge.status === 'voided' ? 'canceled' : 'succeeded';
    const error = {
      type: 'invalid_request_error',
      code: 'payment_intent_unexpected_state',
      payment_intent: { ...intent, status },
    };
    return { status: 400, body: { error } };
  }

  function subscription(method: string, id: string): FakeAnswer {
    const state = ledger.subscriptions.get(id);
    if (state === undefined) return refusal('resource_missing', 404);
    if (method === 'DELETE') {
      if (state === 'cancelled') return refusal('resource_missing', 404);
      ledger.subscriptions.set(id, 'cancelled');
    }
    const status = ledger.subscriptions.get(id) === 'cancelled' ? 'canceled' : 'active';
    return { status: 200, body: { id, object: 'subscription', status } };
  }

  function search(query: string): FakeAnswer {
    const wanted = (pattern: RegExp): string | undefined => pattern.exec(query)?.[1];
    const found = [...ledger.charges.values()].filter(
      (charge) =>
        (wanted(/last4:'(\d+)'/) ?? charge.last4) === charge.last4 &&
        Number(wanted(/amount:(\d+)/) ?? charge.amount) === charge.amount &&
        Number(wanted(/created<=(\d+)/) ?? charge.created) >= charge.created,
    );
    return list(found.map((charge) => chargeBody(charge, ledger)));
  }

  function read(path: string, id: string, query: URLSearchParams): FakeAnswer {
    const chargeId = query.get('charge') ?? query.get('payment_intent') ?? id;
    const charge = ledger.charges.get(chargeId.replace('pi_', 'ch_'));
    if (charge === undefined) return refusal('resource_missing', 404);
    if (path === '/v1/refunds') return list(charge.refunds.map((r) => refundBody(r, charge)));
    if (path === '/v1/disputes') {
      const dispute = { id: 'du_1', object: 'dispute', status: 'needs_response' };
      return list([{ ...dispute, is_charge_refundable: false }]);
    }
    const body = chargeBody(charge, ledger);
    if (path.startsWith('/v1/charges/')) return { status: 200, body };
    return { status: 200, body: { id, object: 'payment_intent', latest_charge: body } };
  }

  function handle(request: FakeRequest): FakeAnswer {
    const { method, path, query } = request;
    const id = path.split('/')[3] ?? '';
    if (method === 'POST' && path === '/v1/refunds') return write(request, createRefund);
    if (method === 'POST') return write(request, () => cancelIntent(id));
    if (path.startsWith('/v1/subscriptions/')) return subscription(method, id);
    if (path === '/v1/invoice_payments') return invoicePayments('sub_000001');
    if (path === '/v1/charges/search') return search(query.get('query') ?? '');
    return read(path, id, query);
  }

  const provider = serveFake({
    base: STRIPE_BASE,
    handle,
    isRefund: ({ method, path }) => method === 'POST' && path === '/v1/refunds',
    refusal: refusal('charge_already_refunded').body,
  });
  return {
    ledger,
    provider,
    fixture: ledgerFixture(ledger, provider, {
      charge: 'ch_',
      subscription: 'sub_',
      ...(references === 'charge'
        ? {}
        : {
            referenceOf: (id) => id.replace('ch_', 'pi_'),
            idOf: (reference) => reference.replace('pi_', 'ch_'),
          }),
    }),
  };
}
