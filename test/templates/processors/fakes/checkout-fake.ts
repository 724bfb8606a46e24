/** Checkout.com as its public reference describes it: payments, their actions, disputes. */
import type { ConformanceFixture } from '../../../../src/running/verify/conformance-check.ts';
import type { FakeAnswer, FakeProvider, FakeRequest } from './fake-provider.ts';
import { serveFake } from './fake-provider.ts';
import { ledgerFixture } from './fixture.ts';
import type { LedgerCharge } from './ledger.ts';
import { Ledger } from './ledger.ts';

export const CHECKOUT_BASE = 'https://vkuhvk4v.api.sandbox.checkout.com';

export interface CheckoutFake {
  readonly ledger: Ledger;
  readonly provider: FakeProvider;
  readonly fixture: ConformanceFixture;
}

const HEADERS = { 'cko-request-id': '0HL80RJLS76I7', 'cko-version': '1.0.0' };

export function checkoutAnswer(status: number, body: unknown): FakeAnswer {
  return { status, body, headers: HEADERS };
}

/** An error in the shape of https://www.checkout.com/docs/developer-resources/codes/error-codes. */
export function checkoutError(status: number, ...error_codes: string[]): FakeAnswer {
  return checkoutAnswer(status, {
    request_id: '0HL80RJLS76I7',
    error_type: 'request_invalid',
    error_codes,
  });
}

const MISSING = checkoutAnswer(404, undefined);

/** A payment in the shape of the API reference's "Get payment details". */
export function paymentBody(charge: LedgerCharge, refunded: number): Record<string, unknown> {
  const captured = charge.status === 'captured' ? charge.amount : 0;
  const status = { captured: 'Captured', authorised: 'Authorized', voided: 'Voided' }[
    charge.status
  ];
  return {
    id: charge.id,
    requested_on: '2026-09-21T14:13:19Z',
    source: { type: 'card', scheme: 'Visa', last4: charge.last4, bin: '424242' },
    amount: charge.amount,
    currency: charge.currency,
    payment_type: 'Regular',
    reference: '6735',
    approved: true,
    status: refunded > 0 ? 'Partially Refunded' : status,
    balances: {
      total_authorized: charge.amount,
      total_voided: charge.status === 'voided' ? charge.amount : 0,
      available_to_void: charge.status === 'authorised' ? charge.amount : 0,
      total_captured: captured,
      available_to_capture: charge.status === 'authorised' ? charge.amount : 0,
      total_refunded: refunded,
      available_to_refund: captured - refunded,
    },
  };
}

/** Actions in the shape of https://www.checkout.com/docs/payouts/get-payout-actions. */
export function actionsOf(charge: LedgerCharge): Record<string, unknown>[] {
  const approved = { approved: true, response_code: '10000', response_summary: 'Approved' };
  const refunds = charge.refunds.map(({ id, key, amount, status }) => ({
    id,
    type: 'Refund',
    processed_on: '2026-09-22T14:13:20Z',
    amount,
    reference: key,
    ...(status === 'succeeded' ? approved : {}),
    ...(status === 'failed' ? { approved: false, response_code: '20006' } : {}),
  }));
  const capture = {
    id: 'act_capture',
    type: 'Capture',
    processed_on: '2026-09-21T15:13:20Z',
    amount: charge.amount,
    ...approved,
    processing: { acquirer_reference_number: '24021219099007452440793' },
  };
  const authorisation = {
    id: 'act_authorisation',
    type: 'Authorization',
    processed_on: '2026-09-21T14:13:20Z',
    amount: charge.amount,
    ...approved,
    auth_code: '643381',
    reference: '6735',
  };
  return [...refunds, ...(charge.status === 'captured' ? [capture] : []), authorisation];
}

export function startCheckoutFake(): CheckoutFake {
  const ledger = new Ledger();
  const saved = new Map<string, FakeAnswer>();

  function refund(charge: LedgerCharge, request: FakeRequest): FakeAnswer {
    const { amount, reference } = JSON.parse(request.body) as { amount: number; reference: string };
    const made = ledger.refund(
      charge.id,
      { id: ledger.next('act_'), key: reference, amount },
      'pending',
    );
    if (typeof made === 'string') return checkoutError(422, 'amount_exceeds_balance');
    return checkoutAnswer(202, { action_id: made.id, reference });
  }

  /** A key answers again with what it answered first, where that was 2xx. */
  function write(request: FakeRequest, run: () => FakeAnswer): FakeAnswer {
    const key = request.headers['cko-idempotency-key'] ?? '';
    const earlier = saved.get(key);
    if (earlier !== undefined) return earlier;
    const answer = run();
    if (answer.status < 300) saved.set(key, answer);
    return answer;
  }

  function voidPayment(charge: LedgerCharge): FakeAnswer {
    if (charge.status !== 'authorised') return checkoutAnswer(403, undefined);
    charge.status = 'voided';
    return checkoutAnswer(202, { action_id: ledger.next('act_'), reference: 'void' });
  }

  function disputes(query: URLSearchParams): FakeAnswer {
    const charge = ledger.charges.get(query.get('payment_id') ?? '');
    const data = charge?.disputed === true ? [{ id: 'dsp_1', status: 'evidence_required' }] : [];
    return checkoutAnswer(200, { limit: 250, skip: 0, total_count: data.length, data });
  }

  function handle(request: FakeRequest): FakeAnswer {
    const [, kind, id = '', what] = request.path.split('/');
    const charge = ledger.charges.get(id);
    if (kind === 'disputes') return disputes(request.query);
    if (charge === undefined) return MISSING;
    if (what === 'refunds') return write(request, () => refund(charge, request));
    if (what === 'voids') return write(request, () => voidPayment(charge));
    if (what === 'actions') return checkoutAnswer(200, actionsOf(charge));
    return checkoutAnswer(200, paymentBody(charge, ledger.refundedOf(id)));
  }

  const provider = serveFake({
    base: CHECKOUT_BASE,
    handle,
    isRefund: ({ method, path }) => method === 'POST' && path.endsWith('/refunds'),
    refusal: checkoutError(422, 'amount_exceeds_balance').body,
  });
  return { ledger, provider, fixture: ledgerFixture(ledger, provider, { charge: 'pay_' }) };
}
