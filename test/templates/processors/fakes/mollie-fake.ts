/** Mollie as its public reference describes it: payments, refunds, chargebacks, releases, subscriptions. */
import type { ConformanceFixture } from '../../../../src/running/verify/conformance-check.ts';
import type { FakeAnswer, FakeProvider, FakeRequest } from './fake-provider.ts';
import { serveFake } from './fake-provider.ts';
import { ledgerFixture } from './fixture.ts';
import type { LedgerCharge, LedgerRefund } from './ledger.ts';
import { Ledger } from './ledger.ts';

export const MOLLIE_BASE = 'https://api.mollie.com';

export interface MollieFake {
  readonly ledger: Ledger;
  readonly provider: FakeProvider;
  readonly fixture: ConformanceFixture;
}

/** An error in the shape of https://docs.mollie.com/reference/handling-errors. */
export function mollieError(status: number, title: string, field?: string): FakeAnswer {
  const detail = 'See the title.';
  const links = { documentation: { href: 'https://docs.mollie.com', type: 'text/html' } };
  const about = field === undefined ? {} : { field };
  return { status, body: { status, title, detail, ...about, _links: links } };
}

const MISSING = mollieError(404, 'Not Found');
const TOO_MUCH = mollieError(422, 'Unprocessable Entity', 'amount');

const euros = (minor: number) => ({ currency: 'EUR', value: (minor / 100).toFixed(2) });

/** A payment in the shape of https://docs.mollie.com/reference/get-payment. */
export function paymentBody(charge: LedgerCharge, refunded: number): Record<string, unknown> {
  const isPaid = charge.status === 'captured';
  const status = { captured: 'paid', authorised: 'authorized', voided: 'canceled' }[charge.status];
  return {
    resource: 'payment',
    id: charge.id,
    mode: 'test',
    amount: euros(charge.amount),
    ...(isPaid
      ? { amountRefunded: euros(refunded), amountRemaining: euros(charge.amount - refunded + 2500) }
      : { amountCaptured: euros(0), captureMode: 'manual' }),
    description: 'Order 6735',
    method: 'creditcard',
    metadata: { order_id: '6735' },
    status,
    createdAt: '2026-09-21T14:13:00+00:00',
    ...(isPaid
      ? { paidAt: '2026-09-21T14:13:20+00:00' }
      : { authorizedAt: '2026-09-21T14:13:20+00:00' }),
    customerId: 'cst_8wmqcHMN4U',
    subscriptionId: 'sub_rVKGtNd6s3',
    details: { cardNumber: charge.last4, cardLabel: 'Visa', cardBin: '424242' },
  };
}

const REFUND_STATUSES = { pending: 'pending', succeeded: 'refunded', failed: 'failed' } as const;

/** A refund in the shape of https://docs.mollie.com/reference/get-refund. */
export function refundBody(refund: LedgerRefund, paymentId: string): Record<string, unknown> {
  return {
    resource: 'refund',
    id: refund.id,
    mode: 'test',
    amount: euros(refund.amount),
    description: 'Refund',
    metadata: { forestall_key: refund.key, forestall_alert: 'netalrt_1' },
    paymentId,
    status: REFUND_STATUSES[refund.status],
    createdAt: '2026-09-22T14:13:20+00:00',
  };
}

function list(name: string, entries: unknown[]): FakeAnswer {
  const links = { self: { href: '…', type: 'application/hal+json' }, previous: null, next: null };
  return {
    status: 200,
    body: { count: entries.length, _embedded: { [name]: entries }, _links: links },
  };
}

export function startMollieFake(): MollieFake {
  const ledger = new Ledger();

  function refund(id: string, request: FakeRequest): FakeAnswer {
    const body = JSON.parse(request.body) as {
      amount: { value: string };
      metadata: { forestall_key: string };
    };
    const amount = Math.round(Number(body.amount.value) * 100);
    const wanted = { id: ledger.next('re_'), key: body.metadata.forestall_key, amount };
    const made = ledger.refund(id, wanted, 'pending');
    if (made === 'missing') return MISSING;
    if (typeof made === 'string') return TOO_MUCH;
    return { status: 201, body: refundBody(made, id) };
  }

  function release(charge: LedgerCharge): FakeAnswer {
    if (charge.status !== 'authorised') return mollieError(422, 'Unprocessable Entity');
    charge.status = 'voided';
    return { status: 202, body: {} };
  }

  function payment(id: string, what: string | undefined, request: FakeRequest): FakeAnswer {
    const charge = ledger.charges.get(id);
    if (what === 'refunds' && request.method === 'POST') return refund(id, request);
    if (charge === undefined) return MISSING;
    if (what === 'refunds')
      return list(
        'refunds',
        charge.refunds.map((r) => refundBody(r, id)),
      );
    if (what === 'chargebacks') {
      const chargeback = { id: 'chb_1', amount: euros(charge.amount), reversedAt: null };
      return list('chargebacks', charge.disputed ? [chargeback] : []);
    }
    if (what === 'release-authorization') return release(charge);
    return { status: 200, body: paymentBody(charge, ledger.refundedOf(id)) };
  }

  function subscription(id: string, { method }: FakeRequest): FakeAnswer {
    const state = ledger.subscriptions.get(id);
    if (state === undefined) return MISSING;
    if (method === 'DELETE') {
      if (state === 'cancelled') return MISSING;
      ledger.subscriptions.set(id, 'cancelled');
    }
    const status = ledger.subscriptions.get(id) === 'cancelled' ? 'canceled' : 'active';
    return { status: 200, body: { resource: 'subscription', id, status } };
  }

  function handle(request: FakeRequest): FakeAnswer {
    const [, , kind, id = '', what, subscriptionId = ''] = request.path.split('/');
    return kind === 'customers'
      ? subscription(`${id}/${subscriptionId}`, request)
      : payment(id, what, request);
  }

  const provider = serveFake({
    base: MOLLIE_BASE,
    handle,
    isRefund: ({ method, path }) => method === 'POST' && path.endsWith('/refunds'),
    refusal: TOO_MUCH.body,
  });
  return {
    ledger,
    provider,
    fixture: ledgerFixture(ledger, provider, {
      charge: 'tr_',
      subscription: 'cst_1/sub_',
      currency: 'EUR',
    }),
  };
}
