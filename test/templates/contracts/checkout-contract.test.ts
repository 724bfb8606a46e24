/**
 * Guarantee: the Checkout.com adapter calls Checkout.com as its own SDK does. The SDK types no answers: the
 * words stand in the published reference, with their sources in the adapter's README.
 */
import { Checkout } from 'checkout-sdk-node';
import { expect, it } from 'vitest';
import type { RefundRequest } from '../../../src/service/wire/processor.ts';
import type {
  ProcessorDisputes,
  SubmissionRequest,
} from '../../../src/service/wire/processor-dispute.ts';
import { createCheckoutProcessor } from '../../../templates/processors/checkout/processor.ts';
import { actionsOf, checkoutAnswer, paymentBody } from '../processors/fakes/checkout-fake.ts';
import type { FakeAnswer, FakeRequest } from '../processors/fakes/fake-provider.ts';
import { Ledger } from '../processors/fakes/ledger.ts';
import { callsOf } from './support/same-request.ts';

const BASE = 'https://test.api.sandbox.checkout.com';
const KEY = 'sk_sbox_o2nulev2arguvyf6w7sc5fkznas';
const checkout = createCheckoutProcessor({ secretKey: KEY, baseUrl: BASE });
const sdk = new Checkout(KEY, { subdomain: 'test' });
const { signal } = new AbortController();
const REQUEST: RefundRequest = {
  idempotencyKey: 'fst_1',
  chargeReference: 'pay_1',
  alertId: 'netalrt_1',
  reason: 'alert',
  amountMinor: 400,
  currency: 'USD',
};

const content = Buffer.from('%PDF-1.7\n');
const file = { slot: 'additional_evidence_file', name: 'a.pdf', type: 'application/pdf' } as const;
const EVIDENCE: SubmissionRequest = {
  idempotencyKey: 'ev_1',
  disputeReference: 'dsp_1',
  fields: { proof_of_delivery_or_service_text: 'It was delivered.' },
  files: [{ ...file, content, reference: 'file_6lbss42ezvoufcb2beo76rvwly' }],
};
const EVIDENCE_BODY = {
  proof_of_delivery_or_service_text: 'It was delivered.',
  additional_evidence_file: 'file_6lbss42ezvoufcb2beo76rvwly',
};

function disputes(): ProcessorDisputes {
  const { disputes: offered } = checkout;
  if (offered === undefined) throw new Error('no disputes');
  return offered;
}

const authorised = new Ledger().open({ id: 'pay_1', captured: false });

const DISPUTE = {
  ...{
    id: 'dsp_1',
    status: 'evidence_required',
    amount: 400,
    currency: 'USD',
    reason_code: '13.1',
  },
  ...{ evidence_required_by: '2026-03-24T12:00:00Z', received_on: '2026-03-10T12:00:00Z' },
  payment: { id: 'pay_1' },
};

function answer({ method, path }: FakeRequest): FakeAnswer {
  if (path === '/disputes/dsp_1') return checkoutAnswer(200, DISPUTE);
  if (path.startsWith('/disputes/')) return { status: 204, body: undefined };
  if (method === 'POST') return checkoutAnswer(202, { action_id: 'act_1', reference: 'fst_1' });
  if (path.endsWith('/actions')) return checkoutAnswer(200, actionsOf(authorised));
  if (path === '/disputes') return checkoutAnswer(200, { total_count: 0, data: [] });
  return checkoutAnswer(200, paymentBody(authorised, 0));
}

it.each<[string, () => Promise<unknown>, () => Promise<unknown>]>([
  [
    'refund',
    () => checkout.refund(REQUEST, signal),
    () =>
      sdk.payments.refund(
        'pay_1',
        { amount: 400, reference: 'fst_1', metadata: { forestall_alert: 'netalrt_1' } },
        'fst_1',
      ),
  ],
  ['reading a payment', () => checkout.readCharge('pay_1'), () => sdk.payments.get('pay_1')],
  ['its actions', () => checkout.readCharge('pay_1'), () => sdk.payments.getActions('pay_1')],
  [
    'its disputes',
    () => checkout.readCharge('pay_1'),
    () => sdk.disputes.get({ payment_id: 'pay_1', limit: 250 }),
  ],
  ['reading a dispute', () => disputes().read('dsp_1'), () => sdk.disputes.getDetails('dsp_1')],
  [
    'providing evidence',
    () => disputes().submit(EVIDENCE, signal),
    () => sdk.disputes.provideEvidence('dsp_1', EVIDENCE_BODY),
  ],
  ['submitting it', () => disputes().submit(EVIDENCE, signal), () => sdk.disputes.submit('dsp_1')],
  [
    'accepting a dispute',
    () => disputes().accept('dsp_1', 'ev_1_accept', signal),
    () => sdk.disputes.accept('dsp_1'),
  ],
  [
    'void',
    () => checkout.voidCharge('pay_1', 'fst_1', signal),
    () => sdk.payments.void('pay_1', { reference: 'fst_1_void' }, 'fst_1_void'),
  ],
])('%s is the SDK’s call', async (_what, ours, theirs) => {
  const own = await callsOf(BASE, answer, ours);
  const them = await callsOf(BASE, answer, theirs);
  const [call] = them.seen;
  expect(own.seen).toContainEqual(call);
  const of = (requests: readonly FakeRequest[]): FakeRequest | undefined =>
    requests.find(({ method, path }) => method === call?.method && path === call.path);
  expect(of(own.requests)?.headers['authorization']).toBe(
    of(them.requests)?.headers['authorization'],
  );
  expect(of(own.requests)?.headers['cko-idempotency-key']).toBe(
    of(them.requests)?.headers['cko-idempotency-key'],
  );
});
