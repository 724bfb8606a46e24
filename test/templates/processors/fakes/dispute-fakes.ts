/**
 * The providers' disputes as their references describe them, over one book: what is open, what lies beside it, what was
 * handed in and how often. Faults strike the transport, before or after the book.
 */
import { createHash } from 'node:crypto';
import nock from 'nock';
import type { Processor } from '../../../../src/service/wire/processor.ts';
import { createAdyenProcessor } from '../../../../templates/processors/adyen/processor.ts';
import { createBraintreeProcessor } from '../../../../templates/processors/braintree/processor.ts';
import { createCheckoutProcessor } from '../../../../templates/processors/checkout/processor.ts';
import { createPayPalProcessor } from '../../../../templates/processors/paypal/processor.ts';
import { createStripeProcessor } from '../../../../templates/processors/stripe/processor.ts';

/** What the provider is asked for. */
export type Asked = 'read' | 'stage' | 'submit' | 'accept' | 'list' | 'token';

export interface DisputeRequest {
  readonly asked: Asked;
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON, or fields of a form; files as their bytes. */
  readonly body: Record<string, unknown>;
}

interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** `before`: nothing reaches the book. `after`: it does, and the answer does not come back as it was. */
export type DisputeFault =
  | { readonly on: Asked; readonly kind: 'lost_before' | 'lost_after' }
  | { readonly on: Asked; readonly kind: 'status'; readonly status: number }
  /** The provider refuses with a word of its own. */
  | { readonly on: Asked; readonly kind: 'refused'; readonly word: string };

export interface DisputeBook {
  readonly reference: string;
  readonly chargeReference: string;
  reasonCode: string;
  status: 'open' | 'submitted' | 'accepted';
  submissions: number;
  key: string | null;
  readonly beside: { id: string; slot: string }[];
  /** ISO 8601. */
  due: string;
}

export interface DisputeProvider {
  readonly name: ProviderName;
  readonly processor: Processor;
  readonly book: DisputeBook;
  readonly requests: DisputeRequest[];
  /** Names of the provider's own that its refusals carry: what was handed in before, and past its date. */
  readonly words: { readonly done: string; readonly pastDue: string; readonly tooLarge: string };
  fault: DisputeFault | undefined;
  stop(): void;
}

export const PROVIDERS = ['stripe', 'adyen', 'braintree', 'checkout', 'paypal'] as const;
export type ProviderName = (typeof PROVIDERS)[number];

interface Spoken {
  readonly bases: readonly string[];
  readonly processor: (book: DisputeBook) => Processor;
  readonly reference: string;
  readonly chargeReference: string;
  readonly words: DisputeProvider['words'];
  ask(request: Omit<DisputeRequest, 'asked'>): Asked;
  answer(request: DisputeRequest, book: DisputeBook): Answer;
  refusal(word: string): Answer;
}

const DUE = '2026-03-24T12:00:00.000Z';
const OPENED = '2026-03-10T12:00:00.000Z';
const seconds = (iso: string): number | string =>
  Number.isNaN(Date.parse(iso)) ? iso : Date.parse(iso) / 1000;

/** Serves the provider until `stop`; everything else on the network is refused. */
export function serveDisputes(name: ProviderName): DisputeProvider {
  const spoken = SPOKEN[name];
  const book: DisputeBook = {
    ...{ reference: spoken.reference, chargeReference: spoken.chargeReference },
    ...{ reasonCode: '13.1', status: 'open', submissions: 0, key: null, beside: [], due: DUE },
  };
  const provider: DisputeProvider = {
    ...{ name, book, requests: [], words: spoken.words, fault: undefined },
    processor: spoken.processor(book),
    stop() {
      nock.cleanAll();
      nock.enableNetConnect();
      nock.restore();
    },
  };
  async function serve(received: Request): Promise<[number, string, Record<string, string>]> {
    const url = new URL(received.url);
    const partial = {
      ...{ method: received.method, path: url.pathname, query: url.searchParams },
      headers: Object.fromEntries(received.headers),
      body: await bodyOf(received),
    };
    const asked = spoken.ask(partial);
    const request = { ...partial, asked };
    provider.requests.push(request);
    const { fault } = provider;
    const strikes = fault?.on === asked ? fault : undefined;
    const lost = (): never => {
      throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
    };
    if (strikes?.kind === 'lost_before') lost();
    if (strikes?.kind === 'status') return [strikes.status, '{"message":"no"}', JSON_TYPE];
    const { status, body, headers } =
      strikes?.kind === 'refused' ? spoken.refusal(strikes.word) : spoken.answer(request, book);
    if (strikes?.kind === 'lost_after') lost();
    return [status, body === undefined ? '' : JSON.stringify(body), { ...JSON_TYPE, ...headers }];
  }
  if (!nock.isActive()) nock.activate();
  nock.disableNetConnect();
  for (const base of spoken.bases) {
    for (const method of ['GET', 'POST', 'PUT']) {
      const reply = serve as unknown as (uri: string) => Promise<nock.ReplyFnResult>;
      nock(base).persist().intercept(/.*/, method).reply(reply);
    }
  }
  return provider;
}

const JSON_TYPE = { 'content-type': 'application/json' };

async function bodyOf(received: Request): Promise<Record<string, unknown>> {
  const type = received.headers.get('content-type') ?? '';
  if (type.startsWith('multipart/form-data')) {
    const fields: Record<string, unknown> = {};
    for (const [key, value] of await received.formData()) {
      fields[key] = typeof value === 'string' ? value : await fileOf(value);
    }
    return fields;
  }
  const text = await received.text();
  if (text === '') return {};
  return type.startsWith('application/json')
    ? JSON.parse(text)
    : Object.fromEntries(new URLSearchParams(text));
}

async function fileOf(file: File): Promise<unknown> {
  if (file.type === 'application/json') return JSON.parse(await file.text());
  const bytes = Buffer.from(await file.arrayBuffer());
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { name: file.name, type: file.type, bytes: bytes.length, sha256 };
}

function submit(book: DisputeBook, key: string | null = null): void {
  book.submissions += 1;
  book.status = 'submitted';
  book.key = key;
}

const STRIPE: Spoken = {
  bases: ['https://api.stripe.com', 'https://files.stripe.com'],
  reference: 'dp_1',
  chargeReference: 'ch_1',
  words: {
    done: 'dispute_evidence_already_submitted',
    pastDue: 'dispute_past_due',
    tooLarge: 'file_too_large',
  },
  processor: () => createStripeProcessor({ secretKey: 'sk_test_1' }),
  ask: ({ method, path }) => {
    if (path === '/v1/files') return 'stage';
    if (path.endsWith('/close')) return 'accept';
    if (path === '/v1/disputes') return 'list';
    return method === 'POST' ? 'submit' : 'read';
  },
  answer: ({ asked, path, body }, book) => {
    if (asked === 'stage')
      return { status: 200, body: { id: `file_${book.beside.length + 1}`, object: 'file' } };
    if (asked === 'list') {
      return { status: 200, body: { object: 'list', has_more: false, data: [stripeBody(book)] } };
    }
    if (!path.includes(book.reference)) return STRIPE.refusal('resource_missing');
    if (asked === 'accept') book.status = 'accepted';
    if (asked === 'submit') {
      if (book.submissions > 0) return STRIPE.refusal(STRIPE.words.done);
      submit(book, String(body['metadata[forestall_evidence_key]']));
    }
    return { status: 200, body: stripeBody(book) };
  },
  refusal: (code) => ({
    status: code === 'resource_missing' ? 404 : 400,
    body: { error: { type: 'invalid_request_error', code, message: 'See the code.' } },
  }),
};

/** https://docs.stripe.com/api/disputes/object */
function stripeBody(book: DisputeBook): Record<string, unknown> {
  const status = { open: 'needs_response', submitted: 'under_review', accepted: 'lost' };
  return {
    id: book.reference,
    object: 'dispute',
    amount: 2900,
    charge: book.chargeReference,
    created: seconds(OPENED),
    currency: 'usd',
    evidence_details: {
      due_by: seconds(book.due),
      has_evidence: book.submissions > 0,
      past_due: false,
      submission_count: book.submissions,
    },
    is_charge_refundable: false,
    metadata: book.key === null ? {} : { forestall_evidence_key: book.key },
    payment_intent: 'pi_1',
    payment_method_details: {
      type: 'card',
      card: { brand: 'visa', network_reason_code: book.reasonCode },
    },
    reason: 'product_not_received',
    status: status[book.status],
  };
}

const CHECKOUT_HEADERS = { 'cko-request-id': 'req_1' };

const CHECKOUT: Spoken = {
  bases: ['https://test.api.sandbox.checkout.com'],
  reference: 'dsp_1',
  chargeReference: 'pay_1',
  words: {
    done: 'dispute_evidence_already_submitted',
    pastDue: 'dispute_expired',
    tooLarge: 'file_size_too_large',
  },
  processor: () =>
    createCheckoutProcessor({
      secretKey: 'sk_sbox_o2nulev2arguvyf6w7sc5fkznas',
      baseUrl: 'https://test.api.sandbox.checkout.com',
    }),
  ask: ({ method, path }) => {
    if (path === '/files') return 'stage';
    if (path === '/disputes') return 'list';
    if (path.endsWith('/accept')) return 'accept';
    // What is provided is handed in by the next call.
    if (method === 'PUT') return 'stage';
    return method === 'GET' ? 'read' : 'submit';
  },
  answer: ({ asked, method, path, body }, book) => {
    const answered = (status: number, of?: unknown): Answer => ({
      ...{ status, body: of, headers: CHECKOUT_HEADERS },
    });
    if (path === '/files') return answered(200, { id: 'file_6lbss42ezvoufcb2beo76rvwly' });
    if (asked === 'list') return answered(200, { total_count: 1, data: [checkoutBody(book)] });
    if (!path.includes(book.reference)) return answered(404);
    if (asked === 'read') return answered(200, checkoutBody(book));
    if (book.status !== 'open') return CHECKOUT.refusal(CHECKOUT.words.done);
    if (asked === 'accept') book.status = 'accepted';
    else if (method === 'PUT') book.beside.push({ id: JSON.stringify(body), slot: 'all' });
    else submit(book);
    return answered(204);
  },
  refusal: (word) => ({
    status: 422,
    headers: CHECKOUT_HEADERS,
    body: { request_id: '0HL80RJLS76I7', error_type: 'request_invalid', error_codes: [word] },
  }),
};

/** https://api-reference.checkout.com, "Get dispute details" */
function checkoutBody(book: DisputeBook): Record<string, unknown> {
  const status = {
    open: 'evidence_required',
    submitted: 'evidence_under_review',
    accepted: 'accepted',
  };
  return {
    id: book.reference,
    category: 'general',
    amount: 2900,
    currency: 'USD',
    reason_code: book.reasonCode,
    status: status[book.status],
    received_on: OPENED,
    evidence_required_by: book.due,
    last_update: OPENED,
    payment: {
      id: book.chargeReference,
      amount: 2900,
      currency: 'USD',
      arn: '74347256069000000000001',
    },
  };
}

const PAYPAL: Spoken = {
  bases: ['https://api-m.sandbox.paypal.com'],
  reference: 'PP-D-1',
  chargeReference: '1JU08902781691411',
  words: {
    done: 'EVIDENCE_ALREADY_SUBMITTED',
    pastDue: 'DISPUTE_RESPONSE_DATE_PASSED',
    tooLarge: 'FILE_SIZE_EXCEEDED',
  },
  processor: () =>
    createPayPalProcessor({
      clientId: 'id',
      clientSecret: 'secret',
      baseUrl: 'https://api-m.sandbox.paypal.com',
    }),
  ask: ({ path }) => {
    if (path === '/v1/oauth2/token') return 'token';
    if (path.endsWith('/provide-evidence')) return 'submit';
    if (path.endsWith('/accept-claim')) return 'accept';
    return path === '/v1/customer/disputes' ? 'list' : 'read';
  },
  answer: ({ asked, path }, book) => {
    if (asked === 'token') return { status: 200, body: { access_token: 't', expires_in: 3600 } };
    const status = book.status === 'open' ? 'WAITING_FOR_SELLER_RESPONSE' : 'UNDER_REVIEW';
    const summary = { dispute_id: book.reference, status };
    if (asked === 'list') return { status: 200, body: { items: [summary], links: [] } };
    if (!path.includes(book.reference)) {
      return { status: 404, body: { name: 'RESOURCE_NOT_FOUND', debug_id: 'd' } };
    }
    if (asked === 'read') return { status: 200, body: payPalBody(book) };
    if (book.status !== 'open') return PAYPAL.refusal(PAYPAL.words.done);
    if (asked === 'accept') book.status = 'accepted';
    else submit(book);
    return { status: 200, body: { links: [{ rel: 'self', href: `https://x/${book.reference}` }] } };
  },
  refusal: (issue) => ({
    status: 422,
    body: { name: 'UNPROCESSABLE_ENTITY', details: [{ issue }], debug_id: 'd' },
  }),
};

/** https://developer.paypal.com/docs/api/customer-disputes/v1/#disputes_get */
function payPalBody(book: DisputeBook): Record<string, unknown> {
  const isOpen = book.status === 'open';
  const isOver = book.status === 'accepted';
  const words = {
    open: 'WAITING_FOR_SELLER_RESPONSE',
    submitted: 'UNDER_REVIEW',
    accepted: 'RESOLVED',
  };
  return {
    dispute_id: book.reference,
    create_time: OPENED,
    disputed_transactions: [{ seller_transaction_id: book.chargeReference }],
    reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
    external_reason_code: book.reasonCode,
    status: words[book.status],
    ...(isOver ? { dispute_outcome: { outcome_code: 'ACCEPTED' } } : {}),
    dispute_amount: { currency_code: 'USD', value: '29.00' },
    seller_response_due_date: book.due,
    evidences: [
      { evidence_type: 'OTHER', source: 'REQUESTED_FROM_SELLER' },
      ...(book.submissions === 0
        ? []
        : [{ evidence_type: 'OTHER', source: 'SUBMITTED_BY_SELLER', date: OPENED }]),
    ],
    links: [
      { rel: 'self', href: 'https://x' },
      ...(isOpen ? [{ rel: 'provide-evidence', href: 'https://x' }] : []),
    ],
  };
}

const BRAINTREE: Spoken = {
  bases: ['https://payments.braintree-api.com'],
  reference: 'ZGlzcHV0ZV8x',
  chargeReference: 'tx1',
  words: { done: '95705', pastDue: '95701', tooLarge: '84902' },
  processor: () =>
    createBraintreeProcessor({ publicKey: 'p', privateKey: 's', pendingCounts: true }),
  ask: ({ body }) => {
    const query = JSON.stringify(body);
    if (query.includes('createDisputeFileEvidence')) return 'stage';
    if (query.includes('finalizeDispute')) return 'submit';
    if (query.includes('acceptDispute')) return 'accept';
    return query.includes('disputes(') ? 'list' : 'read';
  },
  answer: ({ asked, body }, book) => {
    const data = (of: unknown): Answer => ({ status: 200, body: { data: of } });
    if (asked === 'list') {
      const pageInfo = { hasNextPage: false, endCursor: null };
      return data({ search: { disputes: { pageInfo, edges: [{ node: braintreeNode(book) }] } } });
    }
    if (!JSON.stringify(body).includes(book.reference)) return BRAINTREE.refusal('NOT_FOUND');
    if (asked === 'read') return data({ node: braintreeNode(book) });
    if (book.status !== 'open') return BRAINTREE.refusal(asked === 'stage' ? '95701' : '95705');
    if (asked === 'stage') {
      const { variables } = JSON.parse(String(body['operations']));
      const { category: slot } = variables.input;
      const evidence = { id: `evidence_${book.beside.length + 1}`, category: slot };
      book.beside.push({ id: evidence.id, slot });
      return data({ createDisputeFileEvidence: { evidence } });
    }
    if (asked === 'accept') book.status = 'accepted';
    else submit(book);
    const name = asked === 'accept' ? 'acceptDispute' : 'finalizeDispute';
    return data({ [name]: { dispute: braintreeNode(book) } });
  },
  refusal: (word) => {
    const isClass = /^[A-Z_]+$/.test(word);
    const extensions = isClass
      ? { errorClass: word }
      : { errorClass: 'VALIDATION', legacyCode: word };
    return {
      status: 200,
      body: { data: null, errors: [{ message: 'See the code.', extensions }] },
    };
  },
};

/** https://developer.paypal.com/braintree/graphql/reference/types/dispute */
function braintreeNode(book: DisputeBook): Record<string, unknown> {
  const status = { open: 'OPEN', submitted: 'DISPUTED', accepted: 'ACCEPTED' };
  return {
    id: book.reference,
    createdAt: OPENED,
    amountDisputed: { value: '29.00', currencyCode: 'USD' },
    responseDeadline: book.due,
    replyByDate: book.due.slice(0, 10),
    type: 'CHARGEBACK',
    status: status[book.status],
    processorResponse: { reasonCode: book.reasonCode },
    transaction: { id: 'dHJhbnNhY3Rpb25fdHgx', legacyId: book.chargeReference },
    evidence: book.beside.map(({ id, slot }) => ({
      ...{ __typename: 'DisputeFileEvidence', id, category: slot },
      sentToProcessorAt: book.status === 'submitted' ? OPENED : null,
    })),
  };
}

const ADYEN_URL = 'https://ca-test.adyen.com/ca/services/DisputeService/v30';

const ADYEN: Spoken = {
  bases: ['https://ca-test.adyen.com'],
  reference: '9915555555555555',
  chargeReference: '8815555555555555',
  words: {
    done: 'The dispute was defended before.',
    pastDue: 'The defense period has ended.',
    tooLarge: 'The document is too large.',
  },
  processor: (book) =>
    createAdyenProcessor({
      apiKey: 'key',
      merchantAccount: 'Shop',
      baseUrl: 'https://checkout-test.adyen.com/v71',
      disputesUrl: ADYEN_URL,
      notifications: {
        ofPayment: (reference) =>
          Promise.resolve(reference === book.reference ? adyenItems(book) : []),
        disputesSince: () => Promise.resolve([book.reference]),
      },
    }),
  ask: ({ path }) => {
    if (path.endsWith('/supplyDefenseDocument')) return 'stage';
    if (path.endsWith('/defendDispute')) return 'submit';
    return path.endsWith('/acceptDispute') ? 'accept' : 'read';
  },
  answer: ({ asked, body }, book) => {
    const done = { disputeServiceResult: { success: true } };
    if (asked === 'read') {
      const type = {
        ...{ defenseDocumentTypeCode: 'DefenseMaterial', requirementLevel: 'Required' },
        available: book.beside.length > 0,
      };
      const reason = {
        ...{ defenseReasonCode: 'SupplyDefenseMaterial', satisfied: false },
        defenseDocumentTypes: [type],
      };
      return { status: 200, body: { defenseReasons: [reason], ...done } };
    }
    if (book.status !== 'open') return ADYEN.refusal(ADYEN.words.done);
    if (asked === 'stage') {
      const [document] = body['defenseDocuments'] as { defenseDocumentTypeCode: string }[];
      book.beside.push({ id: 'd', slot: document?.defenseDocumentTypeCode ?? '' });
    } else if (asked === 'accept') book.status = 'accepted';
    else submit(book);
    return { status: 200, body: done };
  },
  refusal: (errorMessage) => ({
    status: 200,
    body: { disputeServiceResult: { success: false, errorMessage } },
  }),
};

/** https://docs.adyen.com/risk-management/disputes-api/dispute-notifications */
function adyenItems(book: DisputeBook): Record<string, unknown>[] {
  const item = (eventCode: string, disputeStatus: string, eventDate: string) => ({
    amount: { currency: 'USD', value: 2900 },
    eventCode,
    eventDate,
    merchantAccountCode: 'Shop',
    originalReference: book.chargeReference,
    pspReference: book.reference,
    success: 'true',
    additionalData: {
      arn: '74347256069000000000001',
      chargebackReasonCode: book.reasonCode,
      chargebackSchemeCode: 'visa',
      defendable: 'true',
      defensePeriodEndsAt: book.due,
      disputeStatus,
    },
  });
  return [
    item('NOTIFICATION_OF_CHARGEBACK', 'Undefended', OPENED),
    ...(book.status === 'submitted'
      ? [item('INFORMATION_SUPPLIED', 'Pending', '2026-03-11T12:00:00+01:00')]
      : []),
    ...(book.status === 'accepted' ? [item('CHARGEBACK', 'Accepted', '2026-03-11T12:00:00Z')] : []),
  ];
}

const SPOKEN: Readonly<Record<ProviderName, Spoken>> = {
  stripe: STRIPE,
  adyen: ADYEN,
  braintree: BRAINTREE,
  checkout: CHECKOUT,
  paypal: PAYPAL,
};
